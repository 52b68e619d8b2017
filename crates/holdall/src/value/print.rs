//! Values as text, for people.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::Value;
use super::walk::{Visit, Visitor, address, walk};
use crate::dynamic::{Event, Sink, TensorRef};
use crate::error::{Code, Error, Result};
use crate::memory::GrowVec;
use crate::platform::HashMap;
use crate::schema::Shape;

/// Prints values from their events.
struct Printer<'f, 'o> {
    out: &'f mut fmt::Formatter<'o>,
    open: Vec<Punctuation>,
    /// The numbers of the values with identity so far, by address; and that of the next value.
    numbers: HashMap<usize, usize>,
    label: Option<usize>,
}

/// How the contents of a container are punctuated.
struct Punctuation {
    close: &'static str,
    keys: Option<Arc<[Arc<str>]>>,
    is_map: bool,
    done: usize,
}

impl Printer<'_, '_> {
    fn lead(&mut self) -> fmt::Result {
        let Some(open) = self.open.last_mut() else { return self.write_label() };
        if open.is_map && open.done % 2 == 1 {
            self.out.write_str(": ")?;
        } else if open.done > 0 {
            self.out.write_str(", ")?;
        }
        if let Some(key) = open.keys.as_ref().and_then(|keys| keys.get(open.done)) {
            write!(self.out, "{key:?}: ")?;
        }
        open.done += 1;
        self.write_label()
    }

    fn write_label(&mut self) -> fmt::Result {
        match self.label.take() {
            Some(number) => write!(self.out, "&{number} = "),
            None => Ok(()),
        }
    }

    fn scalar(&mut self, value: fmt::Arguments<'_>) -> Result<()> {
        self.lead().and_then(|()| self.out.write_fmt(value)).map_err(unprintable)
    }

    fn begin(
        &mut self,
        text: fmt::Arguments<'_>,
        close: &'static str,
        keys: Option<&Shape>,
    ) -> Result<()> {
        self.scalar(text)?;
        let keys = keys.map(|shape| Arc::clone(shape.keys()));
        self.open.put(Punctuation { close, keys, is_map: false, done: 0 });
        Ok(())
    }
}

fn unprintable(_: fmt::Error) -> Error {
    Error::new(Code::Io)
}

impl Sink for Printer<'_, '_> {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => self.scalar(format_args!("null")),
            Event::Bool(value) => self.scalar(format_args!("{value}")),
            Event::Int(value) => self.scalar(format_args!("{value}")),
            Event::FixedInt(kind, bits) if kind.is_signed() => {
                self.scalar(format_args!("{}{}", bits.cast_signed(), kind.name()))
            }
            Event::FixedInt(kind, bits) => self.scalar(format_args!("{bits}{}", kind.name())),
            Event::BigInt(kind, big) => {
                self.scalar(format_args!("0x"))?;
                let mut digits = big.iter().rev();
                let written = digits.try_for_each(|byte| write!(self.out, "{byte:02x}"));
                written.and_then(|()| self.out.write_str(kind.name())).map_err(unprintable)
            }
            Event::F16(value) => self.scalar(format_args!("{value:?}f16")),
            Event::Bf16(value) => self.scalar(format_args!("{value:?}bf16")),
            Event::F32(value) => self.scalar(format_args!("{value:?}f32")),
            Event::F64(value) => self.scalar(format_args!("{value:?}")),
            Event::String(value) => self.scalar(format_args!("{value:?}")),
            Event::Bytes(value) => self.scalar(format_args!("b\"{}\"", value.escape_ascii())),
            Event::Fixed(value) => self.scalar(format_args!("fixed b\"{}\"", value.escape_ascii())),
            Event::Tensor(TensorRef { dtype, shape, column_major, elements }, _) => {
                let order = if column_major { " column-major" } else { "" };
                self.scalar(format_args!("tensor({dtype}) {shape:?}{order} {elements:02x?}"))
            }
            Event::Unknown => self.scalar(format_args!("<unknown>")),
            Event::List(_) => self.begin(format_args!("["), "]", None),
            Event::Tuple(_) => self.begin(format_args!("("), ")", None),
            Event::Array(_) => self.begin(format_args!("array ["), "]", None),
            Event::Map(_) => {
                self.begin(format_args!("map {{"), "}", None)?;
                if let Some(open) = self.open.last_mut() {
                    open.is_map = true;
                }
                Ok(())
            }
            Event::Record(shape) => self.begin(format_args!("{{"), "}", Some(shape)),
            Event::Struct(name, shape) => self.begin(format_args!("{name} {{"), "}", Some(shape)),
            Event::Variant(name) => self.begin(format_args!("<{name}> ("), ")", None),
            Event::Logical(ty) => self.begin(format_args!("{ty}("), ")", None),
            Event::Extension(name) => self.begin(format_args!("extension {name:?} ("), ")", None),
            Event::End => {
                let close = self.open.pop().map_or("", |open| open.close);
                self.out.write_str(close).map_err(unprintable)
            }
            // The walk asks this visitor about handles.
            Event::Identity(_) | Event::Reference(_) | Event::Choice(_) => Ok(()),
        }
    }
}

impl Visitor for Printer<'_, '_> {
    type Sink = Self;

    fn sink(&mut self) -> &mut Self {
        self
    }

    /// The first time with its contents after a number, then as the number alone.
    fn handle(&mut self, handle: &Value) -> Result<Visit> {
        if matches!(handle, Value::Weak(weak) if weak.upgrade().is_none()) {
            self.scalar(format_args!("<gone>"))?;
            return Ok(Visit::Skip);
        }
        let next = self.numbers.len() + 1;
        let number = *self.numbers.entry(address(handle)).or_insert(next);
        if number < next {
            self.scalar(format_args!("&{number}"))?;
            return Ok(Visit::Skip);
        }
        self.label = Some(number);
        Ok(Visit::Value)
    }
}

/// On one line, close to JSON: `{"id": 1, "tags": ["x", "y"]}`.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        walk(self, &mut Printer { out: f, open: Vec::new(), numbers: HashMap::new(), label: None })
            .map_err(|_| fmt::Error)
    }
}

macro_rules! debug_as_value {
    ($($name:ident),*) => {
        $(impl fmt::Debug for super::$name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Value::$name(self.clone()).fmt(f)
            }
        })*
    };
}

debug_as_value!(Record, Struct, Variant, Logical, Extension, Shared);

impl fmt::Debug for super::Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::Tensor(Box::new(self.clone())).fmt(f)
    }
}
