//! Values as text, for people.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use half::{bf16, f16};

use super::Value;
use super::walk::{Visit, Visitor, address, walk};
use crate::dynamic::{Sink, TensorRef};
use crate::error::{Code, Error, Result};
use crate::number::IntKind;
use crate::schema::{LogicalType, Shape};

/// Prints values from their events.
struct Printer<'f, 'o> {
    out: &'f mut fmt::Formatter<'o>,
    open: Vec<Open>,
    /// The numbers of the values with identity so far, by address; and that of the next value.
    numbers: HashMap<usize, usize>,
    label: Option<usize>,
}

/// How the contents of a container are punctuated.
struct Open {
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
        self.open.push(Open { close, keys, is_map: false, done: 0 });
        Ok(())
    }
}

fn unprintable(_: fmt::Error) -> Error {
    Error::new(Code::Io)
}

impl Sink for Printer<'_, '_> {
    fn null(&mut self) -> Result<()> {
        self.scalar(format_args!("null"))
    }
    fn bool(&mut self, value: bool) -> Result<()> {
        self.scalar(format_args!("{value}"))
    }
    fn int(&mut self, value: i64) -> Result<()> {
        self.scalar(format_args!("{value}"))
    }
    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        match kind.is_signed() {
            true => self.scalar(format_args!("{}{}", bits.cast_signed(), kind.name())),
            false => self.scalar(format_args!("{bits}{}", kind.name())),
        }
    }
    fn big_int(&mut self, kind: IntKind, big: &[u8]) -> Result<()> {
        self.lead().map_err(unprintable)?;
        self.out.write_str("0x").map_err(unprintable)?;
        for byte in big.iter().rev() {
            write!(self.out, "{byte:02x}").map_err(unprintable)?;
        }
        write!(self.out, "{}", kind.name()).map_err(unprintable)
    }
    fn f16(&mut self, value: f16) -> Result<()> {
        self.scalar(format_args!("{value:?}f16"))
    }
    fn bf16(&mut self, value: bf16) -> Result<()> {
        self.scalar(format_args!("{value:?}bf16"))
    }
    fn fixed(&mut self, value: &[u8]) -> Result<()> {
        self.scalar(format_args!("fixed b\"{}\"", value.escape_ascii()))
    }
    fn tensor(&mut self, tensor: TensorRef<'_>) -> Result<()> {
        let order = if tensor.column_major { " column-major" } else { "" };
        let (dtype, shape, elements) = (tensor.dtype, tensor.shape, tensor.elements);
        self.scalar(format_args!("tensor({dtype}) {shape:?}{order} {elements:02x?}"))
    }
    fn unknown(&mut self) -> Result<()> {
        self.scalar(format_args!("<unknown>"))
    }
    fn f32(&mut self, value: f32) -> Result<()> {
        self.scalar(format_args!("{value:?}f32"))
    }
    fn f64(&mut self, value: f64) -> Result<()> {
        self.scalar(format_args!("{value:?}"))
    }
    fn string(&mut self, value: &str) -> Result<()> {
        self.scalar(format_args!("{value:?}"))
    }
    fn bytes(&mut self, value: &[u8]) -> Result<()> {
        self.scalar(format_args!("b\"{}\"", value.escape_ascii()))
    }
    fn begin_list(&mut self, _len: usize) -> Result<()> {
        self.begin(format_args!("["), "]", None)
    }
    fn begin_tuple(&mut self, _len: usize) -> Result<()> {
        self.begin(format_args!("("), ")", None)
    }
    fn begin_array(&mut self, _len: usize) -> Result<()> {
        self.begin(format_args!("array ["), "]", None)
    }
    fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        self.begin(format_args!("{ty}("), ")", None)
    }
    fn begin_extension(&mut self, name: &Arc<str>) -> Result<()> {
        self.begin(format_args!("extension {name:?} ("), ")", None)
    }
    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        self.begin(format_args!("{{"), "}", Some(shape))
    }
    fn begin_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()> {
        self.begin(format_args!("{name} {{"), "}", Some(shape))
    }
    fn begin_map(&mut self, _len: usize) -> Result<()> {
        self.begin(format_args!("map {{"), "}", None)?;
        if let Some(open) = self.open.last_mut() {
            open.is_map = true;
        }
        Ok(())
    }
    fn begin_variant(&mut self, name: &Arc<str>) -> Result<()> {
        self.begin(format_args!("<{name}> ("), ")", None)
    }
    fn end(&mut self) -> Result<()> {
        let close = self.open.pop().map_or("", |open| open.close);
        self.out.write_str(close).map_err(unprintable)
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
