//! Events to JSON text.

use std::sync::Arc;

use holdall::Shape;
use holdall::bindings::memory::{Grow, GrowVec};
use holdall::events::{Event, Sink};
use holdall::{Code, Error, Result};

use super::escape;
use crate::coding::Target;
use crate::nesting::{MapKeys, protocol};
use crate::number;
use crate::path::excerpt;
use crate::refuse::{self, refuse};

/// Shape ids count up from 0; a larger one is invalid.
const MAX_SHAPES: usize = 1 << 24;
/// The number of integers written before the limit is checked again.
const UNCHECKED: usize = 1000;

/// A [`Sink`] that writes JSON text.
///
/// For most uses call [`unpack`](super::unpack). Use the sink for a [`Decoder`](holdall::Decoder) with its own options,
/// and for text with line breaks.
///
/// ```
/// use holdall::Decoder;
/// use holdall_convert::json::JsonSink;
///
/// let mut sink = JsonSink::new().indent(2);
/// Decoder::new().message(b"\xC1\x10\x1A\x08\x04a\x03\x04", &mut sink)?;
/// assert_eq!(sink.finish()?, b"{\n  \"a\": 1\n}");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct JsonSink {
    out: Vec<u8>,
    /// Spaces per level, or none for text without line breaks.
    indent: Option<usize>,
    /// The value is a list, and each item is a line.
    lines: bool,
    /// Whether keys may be scalars, as text, and 32-bit floats have their shortest text.
    like_serde: bool,
    /// The container of the next value.
    top: OpenContainer,
    /// The containers around it, innermost last.
    frames: Vec<OpenContainer>,
    /// By [`Shape::id`].
    shapes: Vec<JsonTemplate>,
    /// The total size of the templates made for this text.
    prepared: usize,
    keys: MapKeys,
    /// The maximum number of bytes of text and of templates, if there is a limit.
    limit: Option<usize>,
}

/// An open container.
#[derive(Clone, Copy, Debug, Default)]
struct OpenContainer {
    kind: JsonContainer,
    /// The number of values so far; in a map, of keys.
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
enum JsonContainer {
    /// The text: one value.
    #[default]
    Root,
    List,
    /// A list at the root whose items are lines.
    Lines,
    /// The fields of a shape.
    Record {
        shape: usize,
    },
    Map {
        on_value: bool,
        /// Whether its keys differ as text, which keys of other types may not.
        is_distinct: bool,
    },
}

/// What precedes each field's value, `,"key":`, the first comma included.
#[derive(Debug, Default)]
struct JsonTemplate {
    /// The keys that it was made for.
    keys: Option<Arc<[Arc<str>]>>,
    text: Vec<u8>,
    /// The end offset of each.
    ends: Vec<usize>,
}

impl JsonTemplate {
    fn new(shape: &Shape) -> JsonTemplate {
        let len = shape.keys().iter().map(|key| key.len() + 4).sum();
        let mut template = JsonTemplate {
            keys: Some(Arc::clone(shape.keys())),
            text: Vec::with_capacity(len),
            ends: Vec::with_capacity(shape.keys().len()),
        };
        for key in shape.keys().iter() {
            template.text.put(b',');
            escape::push_string(&mut template.text, key);
            template.text.put(b':');
            template.ends.put(template.text.len());
        }
        template
    }

    fn before(&self, field: usize) -> Option<&[u8]> {
        let start = if field == 0 { 0 } else { self.ends[field - 1] };
        self.text.get(start..*self.ends.get(field)?)
    }
}

impl JsonSink {
    /// Creates a sink for compact text.
    #[must_use]
    pub fn new() -> Self {
        JsonSink::default()
    }

    /// Reserves memory for about this many bytes of text.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.out.room(bytes);
    }

    /// Sets the maximum number of bytes of text: names occur once in a message, but in every row of the text, so a few
    /// bytes can expand to much text. The output exceeds the limit by at most one value or a thousand integers.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.set_limit(bytes);
        self
    }

    pub(super) fn set_limit(&mut self, bytes: usize) {
        self.limit = Some(bytes);
    }

    /// Writes each value on a line of its own, indented by this many spaces per level.
    #[must_use]
    pub fn indent(mut self, spaces: usize) -> Self {
        self.indent = Some(spaces);
        self
    }

    /// Writes NDJSON: the value must be a list, and each item is a line.
    ///
    /// ```
    /// let mut sink = holdall_convert::json::JsonSink::new().lines();
    /// holdall::Decoder::new().message(&holdall_convert::json::pack(b"[1, {}]")?, &mut sink)?;
    /// assert_eq!(sink.finish()?, b"1\n{}\n");
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn lines(mut self) -> Self {
        self.lines = true;
        self.indent = None;
        self
    }

    /// Sets whether scalars become the keys of objects, as their text, and 32-bit floats the shortest decimal that reads back as the
    /// same float of 32 bits: so does `serde_json`.
    pub(crate) fn like_serde(mut self, like_serde: bool) -> Self {
        self.like_serde = like_serde;
        self
    }

    /// Returns the text, without a line break at its end unless it consists of lines.
    ///
    /// # Errors
    /// [`Code::BadSource`] if the value is not complete.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.take()
    }

    /// Returns the text, as [`JsonSink::finish`] does. Resets the sink, which keeps its templates of shapes for the
    /// next message.
    ///
    /// # Errors
    /// As [`JsonSink::finish`].
    pub fn take(&mut self) -> Result<Vec<u8>> {
        let text = std::mem::take(&mut self.out);
        let top = std::mem::take(&mut self.top);
        self.frames.clear();
        self.keys.clear();
        self.prepared = 0;
        match (top.kind, top.count) {
            (JsonContainer::Root, 1) => Ok(text),
            _ => Err(protocol("one complete value", "less")),
        }
    }

    #[inline]
    fn check_limit(&self) -> Result<()> {
        if self.limit.is_some_and(|limit| self.out.len().max(self.prepared) > limit) {
            return Err(Error::new(Code::LimitOutput)
                .expected(format!("at most {} bytes of text", self.limit.unwrap_or_default()))
                .got("more"));
        }
        Ok(())
    }

    /// Writes what precedes a value.
    #[inline]
    fn begin_value(&mut self) -> Result<()> {
        self.check_limit()?;
        let count = self.top.count;
        match &mut self.top.kind {
            JsonContainer::Record { shape } => {
                let Some(before) = self.shapes[*shape].before(count) else {
                    return Err(protocol("a value for each key", "more"));
                };
                if self.indent.is_none() {
                    self.out.put_slice(&before[usize::from(count == 0)..]);
                } else {
                    self.out.put_slice(if count == 0 { b"" } else { b"," });
                    line_break(&mut self.out, self.indent, self.frames.len());
                    self.out.put_slice(&before[1..]);
                    self.out.put(b' ');
                }
            }
            JsonContainer::List => {
                if count > 0 {
                    self.out.put(b',');
                }
                line_break(&mut self.out, self.indent, self.frames.len());
            }
            JsonContainer::Lines => {
                if count > 0 {
                    self.out.put(b'\n');
                }
            }
            JsonContainer::Map { on_value: on_value @ true, .. } => {
                *on_value = false;
                self.out.put(b':');
                if self.indent.is_some() {
                    self.out.put(b' ');
                }
                return Ok(());
            }
            JsonContainer::Map { on_value: false, .. } => {
                return Err(refuse(
                    "keys that are strings; store a list of pairs instead",
                    "another key",
                ));
            }
            JsonContainer::Root => {
                if count > 0 {
                    return Err(protocol("one complete value", "more"));
                }
                if self.lines {
                    let expected = "a list, whose items are the lines; use json for one value";
                    return Err(refuse(expected, "another value"));
                }
            }
        }
        self.top.count += 1;
        Ok(())
    }

    fn open(&mut self, kind: JsonContainer, bracket: u8) -> Result<()> {
        self.begin_value()?;
        self.out.put(bracket);
        self.frames.put(self.top);
        self.top = OpenContainer { kind, count: 0 };
        Ok(())
    }

    fn open_list(&mut self) -> Result<()> {
        if self.lines && matches!(self.top.kind, JsonContainer::Root) && self.top.count == 0 {
            self.top.count = 1;
            self.frames.put(self.top);
            self.top = OpenContainer { kind: JsonContainer::Lines, count: 0 };
            return Ok(());
        }
        self.open(JsonContainer::List, b'[')
    }

    #[inline]
    fn int(&mut self, value: impl itoa::Integer) -> Result<()> {
        self.scalar(|out| out.put_slice(itoa::Buffer::new().format(value).as_bytes()))
    }

    #[inline]
    fn scalar(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        if self.like_serde && matches!(self.top.kind, JsonContainer::Map { on_value: false, .. }) {
            let mut text = Vec::new();
            write(&mut text);
            return self.string(&String::from_utf8_lossy(&text));
        }
        self.begin_value()?;
        write(&mut self.out);
        Ok(())
    }

    fn float(&mut self, value: f64) -> Result<()> {
        if !value.is_finite() {
            let expected =
                "a finite number, because JSON has no others; store null or a string instead";
            return Err(refuse(expected, value.to_string()));
        }
        self.scalar(|out| out.put_slice(zmij::Buffer::new().format_finite(value).as_bytes()))
    }

    fn float_of_32_bits(&mut self, value: f32) -> Result<()> {
        if !self.like_serde || !value.is_finite() {
            return self.float(f64::from(value));
        }
        self.scalar(|out| out.put_slice(zmij::Buffer::new().format_finite(value).as_bytes()))
    }

    fn string(&mut self, value: &str) -> Result<()> {
        if let JsonContainer::Map { on_value: on_value @ false, is_distinct } = &mut self.top.kind {
            *on_value = true;
            let is_distinct = *is_distinct;
            self.top.count += 1;
            if self.top.count > 1 {
                self.out.put(b',');
            }
            line_break(&mut self.out, self.indent, self.frames.len());
            let start = self.out.len();
            escape::push_string(&mut self.out, value);
            if !is_distinct {
                self.keys.begin_key(start);
                self.keys.end_key(self.out.len());
            }
            return Ok(());
        }
        self.begin_value()?;
        escape::push_string(&mut self.out, value);
        Ok(())
    }

    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        let id = shape.id();
        if id >= self.shapes.len() {
            if id >= MAX_SHAPES {
                return Err(protocol("shapes counted from 0", "a large number"));
            }
            self.shapes.resize_with(id + 1, JsonTemplate::default);
        }
        // Kept from one message to the next: messages of one schema share their keys.
        let known = self.shapes[id].keys.as_ref();
        if !known.is_some_and(|keys| Arc::ptr_eq(keys, shape.keys())) {
            let template = JsonTemplate::new(shape);
            self.prepared += template.text.len();
            self.shapes[id] = template;
        }
        self.open(JsonContainer::Record { shape: id }, b'{')
    }

    fn end(&mut self) -> Result<()> {
        let bracket = match self.top.kind {
            JsonContainer::List => b']',
            JsonContainer::Lines => {
                if self.top.count > 0 {
                    self.out.put(b'\n');
                }
                self.top = self.frames.pop().unwrap_or_default();
                return Ok(());
            }
            JsonContainer::Record { shape } if self.top.count == self.shapes[shape].ends.len() => {
                b'}'
            }
            JsonContainer::Map { on_value: false, is_distinct } => {
                if !is_distinct {
                    self.keys.end_map(&self.out, |key| excerpt(&String::from_utf8_lossy(key)))?;
                }
                b'}'
            }
            _ => return Err(protocol("the contents of a container", "its end")),
        };
        let is_empty = self.top.count == 0;
        self.top = self.frames.pop().unwrap_or_default();
        if !is_empty {
            line_break(&mut self.out, self.indent, self.frames.len());
        }
        self.out.put(bracket);
        Ok(())
    }
}

#[inline]
fn line_break(out: &mut Vec<u8>, indent: Option<usize>, level: usize) {
    if let Some(spaces) = indent {
        out.put(b'\n');
        out.put_fill(out.len() + spaces * level, b' ');
    }
}

impl Sink for JsonSink {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => {
                self.begin_value()?;
                self.out.put_slice(b"null");
                Ok(())
            }
            Event::Bool(true) => self.scalar(|out| out.put_slice(b"true")),
            Event::Bool(false) => self.scalar(|out| out.put_slice(b"false")),
            Event::Int(value) => self.int(value),
            Event::FixedInt(kind, bits) if kind.is_signed() => self.int(bits.cast_signed()),
            Event::FixedInt(_, bits) => self.int(bits),
            Event::BigInt(_, big) => {
                number::check_digits(big)?;
                self.scalar(|out| number::push_big(out, big))
            }
            Event::F16(value) => self.float(f64::from(value)),
            Event::Bf16(value) => self.float(f64::from(value)),
            Event::F32(value) => self.float_of_32_bits(value),
            Event::F64(value) => self.float(value),
            Event::String(value) => self.string(value),
            Event::List(_) | Event::Tuple(_) | Event::Array(_) => self.open_list(),
            Event::Record(shape) | Event::Struct(_, shape) => self.begin_record(shape),
            Event::Map(_) => {
                self.keys.begin_map();
                self.open(JsonContainer::Map { on_value: false, is_distinct: false }, b'{')
            }
            Event::End => self.end(),
            Event::Identity(_) | Event::Choice(_) => Ok(()),
            Event::Bytes(value) | Event::Fixed(value) => Err(refuse::bytes("JSON", value)),
            other => Err(refuse::event(other)),
        }
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        if !matches!(self.top.kind, JsonContainer::List) || self.indent.is_some() {
            return values.iter().try_for_each(|&value| self.int(value.cast_signed()));
        }
        let mut buffer = itoa::Buffer::new();
        for few in values.chunks(UNCHECKED) {
            self.check_limit()?;
            for &value in few {
                if self.top.count > 0 {
                    self.out.put(b',');
                }
                self.top.count += 1;
                self.out.put_slice(buffer.format(value.cast_signed()).as_bytes());
            }
        }
        Ok(())
    }
}

impl Target for JsonSink {
    fn is_text(&self) -> bool {
        true
    }

    fn map_of_names(&mut self, _: usize) -> Result<()> {
        self.open(JsonContainer::Map { on_value: false, is_distinct: true }, b'{')
    }
}
