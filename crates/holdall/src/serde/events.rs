//! A tape of mappings whose keys are not all known yet, to replay when they are.
//!
//! No event is recorded twice, however deep mappings nest: the inner ones are replayed together with
//! the outermost.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::{self, take};
use std::collections::{HashMap, HashSet};

use foldhash::quality::RandomState;

use super::formats::count_distinct;
use super::{chars, some};
use crate::dynamic::{
    Entry, Event, KeyOf, Mark, Shredder, Sink, Source, Span, Tape, TapeShape, TextKind,
};
use crate::error::{Code, Error, Result};
use crate::memory::{Grow, GrowMap, GrowSet, GrowVec};
use crate::number::IntKind;
use crate::schema::{Shape, path};
use crate::value::{Value, ValueBuilder};

/// A map or mapping on the tape that is not complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenMap {
    at: usize,
    /// Whether all keys so far are strings.
    texts: bool,
}

/// A struct, or the record of a variant, on the tape of which not all fields are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenRow {
    at: usize,
    /// The number of the name of the struct or variant.
    pub(super) name: usize,
    /// The first of its fields among those of all open ones.
    first: usize,
}

/// A container that is replayed.
struct Replayed {
    begin: usize,
    /// The position after it.
    end: usize,
    /// The number of entries before each value: in a mapping the key, which was emitted at its start.
    skips: usize,
    /// Whether its end is an event.
    has_end: bool,
}

/// The shapes of a struct or variant: the fields that its rows have, by the numbers of the shapes on the tape.
#[derive(Default)]
struct SerdeShapes {
    all: HashMap<Box<[&'static str]>, usize, RandomState>,
    /// The last one, which most rows repeat.
    last: Option<(Box<[&'static str]>, usize)>,
}

impl SerdeShapes {
    fn find(&self, names: &[&'static str]) -> Option<usize> {
        let is =
            |(own, name): (&&'static str, &&'static str)| core::ptr::eq(*own, *name) || own == name;
        match &self.last {
            Some((last, shape)) if last.len() == names.len() && last.iter().zip(names).all(is) => {
                Some(*shape)
            }
            _ => self.all.get(names).copied(),
        }
    }
}

/// The most fields of a struct.
const MAX_FIELDS: usize = 256;

#[derive(Default)]
pub(super) struct Recorder {
    tape: Tape<'static>,
    /// The text of strings: as bytes of the tape, it would be checked again.
    text: String,
    values: Vec<Value>,
    has_chars: bool,
    /// The fields of the open rows, the innermost last.
    open: Vec<&'static str>,
    /// The shapes of each struct and variant, by the number of its name.
    shapes: Vec<SerdeShapes>,
    /// Memory from the previous replay.
    replayed: Vec<Replayed>,
    keys: Vec<&'static str>,
}

impl Recorder {
    pub(super) fn tape(&mut self) -> &mut Tape<'static> {
        &mut self.tape
    }

    pub(super) fn string(&mut self, text: &str) -> Result<()> {
        let start = self.text.len();
        self.text.room(text.len());
        self.text.push_str(text);
        self.tape.push(Entry::Text(TextKind::String, Span { start, end: self.text.len() }))
    }

    pub(super) fn char(&mut self, value: char) -> Result<()> {
        self.has_chars = true;
        self.tape.push(Entry::Char(value))
    }

    pub(super) fn value(&mut self, value: Value) -> Result<()> {
        self.values.put(value);
        self.tape.push(Entry::Kept(self.values.len() - 1))
    }

    /// Begins a row of a struct or variant with this number of its name.
    pub(super) fn begin_row(&mut self, name: usize) -> Result<OpenRow> {
        let open = OpenRow { at: self.tape.entries.len(), name, first: self.open.len() };
        // Its shape is known at its end.
        self.tape.event(Event::Tuple(0))?;
        Ok(open)
    }

    /// Names the field of an open row whose value comes next.
    pub(super) fn field(&mut self, name: &'static str) {
        self.open.put(name);
    }

    /// Ends a row of a unit struct.
    pub(super) fn end_unit(&mut self, open: &OpenRow, name: &Arc<str>) -> Result<()> {
        self.end_row(open, Some(name))?;
        if let Entry::Row { shape, .. } = self.tape.entries[open.at] {
            self.tape.entries[open.at] = Entry::UnitStruct(shape);
        }
        Ok(())
    }

    /// Ends a row of a struct with a name, or of a record.
    pub(super) fn end_row(&mut self, open: &OpenRow, name: Option<&Arc<str>>) -> Result<()> {
        self.tape.event(Event::End)?;
        let fields = &self.open[open.first..];
        if self.shapes.len() <= open.name {
            self.shapes.put_fill_with(open.name + 1, SerdeShapes::default);
        }
        let shapes = &mut self.shapes[open.name];
        let shape = match shapes.find(fields) {
            Some(shape) => shape,
            None => {
                if name.is_some() && fields.len() > MAX_FIELDS {
                    return Err(Error::new(Code::UnsupportedValue)
                        .expected("at most 256 fields in a struct")
                        .got(fields.len().to_string()));
                }
                count_distinct(fields.iter().copied())?;
                let keys = fields.iter().map(|&name| name.into()).collect();
                let shape = self.tape.push_shape(name, keys);
                shapes.all.put(fields.into(), shape);
                shape
            }
        };
        if shapes.last.as_ref().is_none_or(|(_, last)| *last != shape) {
            shapes.last = Some((fields.into(), shape));
        }
        self.open.truncate(open.first);
        self.tape.entries[open.at] = Entry::Row { shape, end: self.tape.entries.len() };
        Ok(())
    }

    pub(super) fn begin_map(&mut self) -> Result<OpenMap> {
        let at = self.tape.entries.len();
        self.tape.event(Event::Map(0))?;
        Ok(OpenMap { at, texts: true })
    }

    /// Ends a key, which began at this position.
    pub(super) fn end_key(&self, open: &mut OpenMap, at: usize) {
        open.texts &= matches!(self.tape.entries[at..], [Entry::Text(TextKind::String, _)]);
    }

    /// Returns the text of a key of an open map, if it is one.
    pub(super) fn key(&self, open: &OpenMap, index: usize) -> Option<&str> {
        let at = self.entries_of(open.at).nth(index)?;
        self.text(at)
    }

    /// Ends a map with this many entries.
    pub(super) fn end_map(&mut self, open: &OpenMap, count: usize) -> Result<()> {
        self.tape.end_with(count)?;
        if open.texts { Ok(()) } else { self.check_keys(open.at) }
    }

    /// A reader refuses a map with equal scalar keys (F-35), so a writer does not make it.
    fn check_keys(&self, map: usize) -> Result<()> {
        let mut seen = HashSet::new();
        for (index, at) in self.entries_of(map).enumerate() {
            let (entry, mut key) = (self.tape.entries[at], KeyOf::default());
            // Only scalars are compared: a char is a logical value, and a value whole compares its own keys.
            let is_other = matches!(
                entry,
                Entry::Char(_)
                    | Entry::Kept(_)
                    | Entry::UnitVariant(_)
                    | Entry::UnitStruct(_)
                    | Entry::Some { .. }
            );
            if !is_other {
                self.emit_entry(entry, &mut key)?;
            }
            if key.0.is_some_and(|key| !seen.put(key)) {
                return Err(Error::new(Code::DuplicateKey)
                    .with_path(|| format!("[{index}].key"))
                    .expected("each key once")
                    .got("one that came before"));
            }
        }
        Ok(())
    }

    /// Returns the positions of the keys of a map.
    fn entries_of(&self, map: usize) -> impl Iterator<Item = usize> {
        let end = self.tape.end_of(map).min(self.tape.entries.len());
        // The last value of an open map is not complete.
        let mut last = None;
        core::iter::from_fn(move || {
            let at = last.map_or(map + 1, |key| self.tape.end_of(self.tape.end_of(key)));
            last = Some(at);
            (at < end).then_some(at)
        })
    }

    fn text(&self, at: usize) -> Option<&str> {
        match self.tape.entries[at] {
            Entry::Text(TextKind::String, span) => Some(&self.text[span.start..span.end]),
            _ => None,
        }
    }

    #[inline(always)]
    fn emit_entry(&self, entry: Entry, to: &mut impl Sink) -> Result<()> {
        match entry {
            Entry::Text(TextKind::String, span) => {
                to.event(Event::String(&self.text[span.start..span.end]))
            }
            entry => self.tape.emit(entry, to),
        }
    }

    /// Replays everything, and drops it.
    pub(super) fn emit(&mut self, to: &mut impl EventTarget) -> Result<()> {
        self.replay(to)?;
        self.tape.truncate(Mark::default());
        self.text.clear();
        self.values.clear();
        Ok(())
    }

    /// Replays everything. An error has the path in what was recorded.
    pub(super) fn replay(&mut self, to: &mut impl EventTarget) -> Result<()> {
        let (mut open, keys) = (take(&mut self.replayed), take(&mut self.keys));
        // Keeps the memory.
        let mut keys: Vec<&str> = keys;
        let mut at = 0;
        let replayed = self.replay_from(&mut at, &mut open, &mut keys, to);
        if let Err(error) = replayed {
            return Err(error.under(|| self.steps_to(at)));
        }
        keys.clear();
        self.keys = keys.into_iter().map(|_| "").collect();
        self.replayed = open;
        Ok(())
    }

    /// Replays from a position, which is that of the value or container at fault after an error.
    #[inline(always)]
    fn replay_from<'k>(
        &'k self,
        at: &mut usize,
        open: &mut Vec<Replayed>,
        keys: &mut Vec<&'k str>,
        to: &mut impl EventTarget,
    ) -> Result<()> {
        let entries = &self.tape.entries[..];
        let mut inside = Replayed { begin: 0, end: entries.len(), skips: 0, has_end: false };
        loop {
            if *at == inside.end {
                let Some(outside) = open.pop() else { return Ok(()) };
                let ended = mem::replace(&mut inside, outside);
                if ended.has_end
                    && let Err(error) = to.event(Event::End)
                {
                    *at = ended.begin;
                    return Err(error);
                }
                continue;
            }
            *at += inside.skips;
            let entry = entries[*at];
            let (mut skips, mut has_end) = (0, true);
            match entry {
                Entry::Map { len, .. } => {
                    keys.clear();
                    keys.put_each(self.entries_of(*at).map_while(|at| self.text(at)));
                    match keys.len() == len {
                        true => skips = usize::from(!to.mapping(keys)?),
                        false => to.event(Event::Map(len))?,
                    }
                }
                Entry::Char(value) => to.char(value)?,
                Entry::Kept(number) => to.value(&self.values[number])?,
                Entry::UnitVariant(name) => to.unit_variant(self.tape.name(name))?,
                Entry::UnitStruct(shape) => {
                    let TapeShape { name, shape, .. } = self.tape.shape(shape);
                    to.unit_struct(name.as_ref().unwrap_or_else(|| some()), shape)?;
                }
                Entry::Some { .. } => has_end = to.begin_some()?,
                _ => self.emit_entry(entry, to)?,
            }
            let begin = *at;
            *at += 1;
            if let Some(end) = entry.end_of_begun() {
                open.put(mem::replace(&mut inside, Replayed { begin, end, skips, has_end }));
            }
        }
    }

    /// The path from the outermost value to the one at a position, or to the key of a map there.
    #[cold]
    fn steps_to(&self, position: usize) -> String {
        let mut steps = String::new();
        let mut at = 0;
        while at < position {
            let entry = self.tape.entries[at];
            let is_map = matches!(entry, Entry::Map { .. });
            let is_mapping = || self.entries_of(at).all(|key| self.text(key).is_some());
            let (mut number, mut key, mut inside) = (0, at, at + 1);
            // The parts before the one with the position.
            while self.tape.end_of(inside) <= position {
                key = inside;
                inside = self.tape.end_of(inside);
                number += 1;
            }
            steps += &match entry {
                Entry::Items { .. } => format!("[{number}]"),
                Entry::Row { shape, .. } => path::field(&self.tape.shape(shape).keys()[number]),
                Entry::Variant { name, .. } => path::variant(self.tape.name(name)),
                _ if is_map && number % 2 == 0 => format!("[{}].key", number / 2),
                _ if is_map => match self.text(key).filter(|_| is_mapping()) {
                    Some(text) => path::field(text),
                    None => format!("[{}]", number / 2),
                },
                _ => String::new(),
            };
            at = inside;
        }
        steps
    }

    /// Whether there may be variants or chars.
    pub(super) fn has_forms(&self) -> bool {
        self.tape.has_names() || self.has_chars
    }

    /// Whether there is a value that is passed on whole.
    pub(super) fn has_values(&self) -> bool {
        !self.values.is_empty()
    }
}

/// The receiver of replayed events.
pub trait EventTarget: Sink {
    /// Begins a mapping with these keys. Returns whether each comes as a string before its value.
    ///
    /// # Errors
    /// As [`Sink::event`].
    fn mapping(&mut self, keys: &[&str]) -> Result<bool>;

    /// Takes a char (F-72).
    ///
    /// # Errors
    /// As [`Sink::event`].
    fn char(&mut self, value: char) -> Result<()> {
        self.event(Event::Logical(chars()))?;
        self.event(Event::FixedInt(IntKind::U32, u64::from(u32::from(value))))?;
        self.event(Event::End)
    }

    /// Takes a variant without a payload.
    ///
    /// # Errors
    /// As [`Sink::event`].
    fn unit_variant(&mut self, name: &Arc<str>) -> Result<()> {
        self.event(Event::Variant(name))?;
        self.event(Event::Null)?;
        self.event(Event::End)
    }

    /// Takes a unit struct of this shape.
    ///
    /// # Errors
    /// As [`Sink::event`].
    fn unit_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()> {
        self.event(Event::Struct(name, shape))?;
        self.event(Event::End)
    }

    /// Begins a present option whose value could be mistaken for an absent one. Returns whether its end comes.
    ///
    /// # Errors
    /// As [`Sink::event`].
    fn begin_some(&mut self) -> Result<bool> {
        self.event(Event::Variant(some()))?;
        Ok(true)
    }

    /// Takes a value whole.
    ///
    /// # Errors
    /// As [`Sink::event`].
    fn value(&mut self, value: &Value) -> Result<()>;
}

impl EventTarget for Shredder {
    fn mapping(&mut self, keys: &[&str]) -> Result<bool> {
        self.begin_mapping(keys.iter().copied())?;
        Ok(false)
    }

    fn char(&mut self, value: char) -> Result<()> {
        let slot = self.take_slot()?;
        let storage = self.logical_at(slot, chars())?;
        self.at(storage).fixed_int(IntKind::U32, u64::from(u32::from(value)))
    }

    fn value(&mut self, mut value: &Value) -> Result<()> {
        value.drive(self)
    }
}

impl EventTarget for ValueBuilder {
    fn mapping(&mut self, keys: &[&str]) -> Result<bool> {
        self.event(Event::Record(&Shape::new(0, keys.iter().map(|&key| key.into()).collect())))?;
        Ok(false)
    }

    fn value(&mut self, value: &Value) -> Result<()> {
        self.push_value(value.clone())
    }
}
