//! Events of a mapping whose keys are not all known yet: stored, then replayed.
//!
//! No event is stored twice, however deep mappings nest: the inner ones are replayed together with
//! the outermost.

use std::collections::HashSet;
use std::sync::Arc;

use super::chars;
use crate::dynamic::{Event, ScalarKey, Shredder, Sink, Source};
use crate::error::{Code, Error, Result};
use crate::number::{IntKind, shorten_big};
use crate::schema::Shape;
use crate::value::{Value, ValueBuilder};

/// A range of the bytes stored beside the events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kept {
    Null,
    Bool(bool),
    Int(IntKind, u64),
    /// The two's complement of a number of 128 bits, in shortest form.
    Big(IntKind, Span),
    F32(f32),
    F64(f64),
    Char(char),
    String(Span),
    Bytes(Span),
    /// A value whole, by its number.
    Value(usize),
    List,
    Tuple(usize),
    /// By the number of its name and of its keys.
    Struct(usize, usize),
    Field(&'static str),
    /// By the number of its keys.
    Mapping(usize),
    Map(usize),
    /// By the number of its name.
    Variant(usize),
    End,
    /// A key of a mapping, which was stored at its start.
    Key(Span),
}

/// A key of a struct or mapping.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    Name(&'static str),
    /// The event that is it.
    At(usize),
}

/// A container of which not all keys are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Its first event.
    at: usize,
    /// The first of its keys among those of all open ones.
    first: usize,
    /// Whether all keys so far are strings.
    texts: bool,
}

#[derive(Default)]
pub(super) struct Events {
    events: Vec<Kept>,
    text: String,
    bytes: Vec<u8>,
    values: Vec<Value>,
    /// The keys of containers that are complete, and those of the open ones, the innermost last.
    keys: Vec<Key>,
    key_spans: Vec<Span>,
    open: Vec<Key>,
}

impl Events {
    pub(super) fn push(&mut self, event: Kept) {
        self.events.push(event);
    }

    pub(super) fn string(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.push(Kept::String(Span { start, end: self.text.len() }));
    }

    fn keep(&mut self, bytes: &[u8]) -> Span {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Span { start, end: self.bytes.len() }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let span = self.keep(bytes);
        self.push(Kept::Bytes(span));
    }

    pub(super) fn big(&mut self, kind: IntKind, bytes: &[u8]) {
        let span = self.keep(shorten_big(bytes));
        self.push(Kept::Big(kind, span));
    }

    pub(super) fn value(&mut self, value: Value) {
        self.values.push(value);
        self.push(Kept::Value(self.values.len() - 1));
    }

    /// Begins a container whose first event is rewritten at its end, when the keys are known.
    pub(super) fn open(&mut self, event: Kept) -> Open {
        self.push(event);
        Open { at: self.events.len() - 1, first: self.open.len(), texts: true }
    }

    /// Names the field of an open struct or record whose value comes next.
    pub(super) fn name(&mut self, name: &'static str) {
        self.open.push(Key::Name(name));
    }

    /// Where a key of an open map will be.
    pub(super) fn begin_key(&mut self) {
        self.open.push(Key::At(self.events.len()));
    }

    pub(super) fn end_key(&mut self, open: &mut Open) {
        let is_text = match self.open.last() {
            Some(Key::At(at)) => matches!(self.events[*at..], [Kept::String(_)]),
            _ => false,
        };
        open.texts &= is_text;
    }

    /// The text of a key of an open container, if it is one.
    pub(super) fn key(&self, open: &Open, index: usize) -> Option<&str> {
        match *self.open.get(open.first + index)? {
            Key::Name(name) => Some(name),
            Key::At(at) => match self.events.get(at)? {
                Kept::String(span) => Some(self.text_of(*span)),
                _ => None,
            },
        }
    }

    /// How many keys of a container have come.
    pub(super) fn key_count(&self, open: &Open) -> usize {
        self.open.len() - open.first
    }

    /// Ends an open container.
    pub(super) fn close(&mut self, open: &Open) -> Result<()> {
        self.push(Kept::End);
        if matches!(self.events[open.at], Kept::Mapping(_)) && !open.texts {
            self.events[open.at] = Kept::Map(self.key_count(open));
            self.check_keys(open)?;
            self.open.truncate(open.first);
            return Ok(());
        }
        let start = self.keys.len();
        for key in self.open.drain(open.first..) {
            if let Key::At(at) = key
                && let Kept::String(span) = self.events[at]
            {
                self.events[at] = Kept::Key(span);
            }
            self.keys.push(key);
        }
        self.key_spans.push(Span { start, end: self.keys.len() });
        if let Kept::Mapping(keys) | Kept::Struct(_, keys) = &mut self.events[open.at] {
            *keys = self.key_spans.len() - 1;
        }
        Ok(())
    }

    /// A reader refuses a map with equal scalar keys (F-35), so a writer does not make it.
    fn check_keys(&self, open: &Open) -> Result<()> {
        let mut seen = HashSet::new();
        for (index, key) in self.open[open.first..].iter().enumerate() {
            let Key::At(at) = key else { continue };
            let event = self.events.get(*at).and_then(|event| self.scalar(*event));
            let Some(key) = event.and_then(ScalarKey::of) else { continue };
            if !seen.insert(key) {
                return Err(Error::new(Code::DuplicateKey)
                    .with_path(|| format!("[{index}].key"))
                    .expected("each key once")
                    .got("one that came before"));
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn scalar(&self, event: Kept) -> Option<Event<'_>> {
        Some(match event {
            Kept::Null => Event::Null,
            Kept::Bool(value) => Event::Bool(value),
            Kept::Int(kind, bits) => Event::FixedInt(kind, bits),
            Kept::Big(kind, span) => Event::BigInt(kind, self.bytes_of(span)),
            Kept::F32(value) => Event::F32(value),
            Kept::F64(value) => Event::F64(value),
            Kept::String(span) => Event::String(self.text_of(span)),
            Kept::Bytes(span) => Event::Bytes(self.bytes_of(span)),
            _ => return None,
        })
    }

    fn text_of(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    fn bytes_of(&self, span: Span) -> &[u8] {
        &self.bytes[span.start..span.end]
    }

    fn keys_of(&self, number: usize) -> impl Iterator<Item = &str> + Clone {
        let span = self.key_spans[number];
        self.keys[span.start..span.end].iter().map(|key| match *key {
            Key::Name(name) => name,
            Key::At(at) => match self.events[at] {
                Kept::Key(span) => self.text_of(span),
                _ => "",
            },
        })
    }

    /// Replays all, with the names whose numbers some events have.
    pub(super) fn emit(&self, names: &[Arc<str>], to: &mut impl Target) -> Result<()> {
        for event in &self.events {
            match *event {
                Kept::Char(value) => char(to, value),
                Kept::Value(number) => to.value(&self.values[number]),
                Kept::List => to.event(Event::List(0)),
                Kept::Tuple(len) => to.event(Event::Tuple(len)),
                Kept::Struct(name, keys) => to.structure(&names[name], self.keys_of(keys)),
                Kept::Field(name) => to.field(name),
                Kept::Mapping(keys) => to.mapping(self.keys_of(keys)),
                Kept::Map(len) => to.event(Event::Map(len)),
                Kept::Variant(name) => to.event(Event::Variant(&names[name])),
                Kept::End => to.event(Event::End),
                Kept::Key(_) => Ok(()),
                scalar => self.scalar(scalar).map_or(Ok(()), |event| to.event(event)),
            }?;
        }
        Ok(())
    }

    /// Drops everything.
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.text.clear();
        self.bytes.clear();
        self.values.clear();
        self.keys.clear();
        self.key_spans.clear();
        self.open.clear();
    }
}

/// Emits a char (F-72).
pub(super) fn char(to: &mut impl Sink, value: char) -> Result<()> {
    to.event(Event::Logical(chars()))?;
    to.event(Event::FixedInt(IntKind::U32, u64::from(u32::from(value))))?;
    to.event(Event::End)
}

/// The receiver of replayed events.
pub(super) trait Target: Sink {
    /// Begins a mapping with these keys.
    fn mapping<'k>(&mut self, keys: impl Iterator<Item = &'k str> + Clone) -> Result<()>;

    /// Begins a struct; each of its values comes after its field.
    fn structure<'k>(&mut self, name: &Arc<str>, keys: impl Iterator<Item = &'k str>)
    -> Result<()>;

    fn field(&mut self, name: &str) -> Result<()>;

    /// Takes a value whole.
    fn value(&mut self, value: &Value) -> Result<()>;
}

impl Target for Shredder {
    fn mapping<'k>(&mut self, keys: impl Iterator<Item = &'k str> + Clone) -> Result<()> {
        self.begin_mapping(keys)
    }

    fn structure<'k>(
        &mut self,
        name: &Arc<str>,
        _keys: impl Iterator<Item = &'k str>,
    ) -> Result<()> {
        self.begin_open_struct(name)
    }

    fn field(&mut self, name: &str) -> Result<()> {
        self.field_of_struct(name)
    }

    fn value(&mut self, mut value: &Value) -> Result<()> {
        value.drive(self)
    }
}

fn shape<'k>(keys: impl Iterator<Item = &'k str>) -> Shape {
    Shape::new(0, keys.map(Arc::from).collect())
}

impl Target for ValueBuilder {
    fn mapping<'k>(&mut self, keys: impl Iterator<Item = &'k str> + Clone) -> Result<()> {
        self.event(Event::Record(&shape(keys)))
    }

    fn structure<'k>(
        &mut self,
        name: &Arc<str>,
        keys: impl Iterator<Item = &'k str>,
    ) -> Result<()> {
        self.event(Event::Struct(name, &shape(keys)))
    }

    fn field(&mut self, _name: &str) -> Result<()> {
        Ok(())
    }

    fn value(&mut self, value: &Value) -> Result<()> {
        self.handle(value.clone())
    }
}
