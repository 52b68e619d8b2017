//! Walks over values: to be written, cloned, or printed.

use std::collections::HashSet;
use std::fmt;
use std::slice;
use std::sync::Arc;

use super::{Shared, Value, ValueBuilder};
use crate::dynamic::{Shape, Shredder, Sink, Source};
use crate::error::{Code, Error, Result};
use crate::number::{IntKind, shorten_big};

/// A sink of walks over values.
trait Visitor {
    type Sink: Sink;

    fn sink(&mut self) -> &mut Self::Sink;

    /// A value with identity comes; whether to go into it.
    fn shared(&mut self, shared: &Shared) -> Result<bool>;

    /// A map comes; whether its keys were told, so that only values follow.
    fn keyed(&mut self, entries: &[(Value, Value)]) -> Result<bool>;
}

/// What is left of a container.
enum Frame<'a> {
    Items(slice::Iter<'a, Value>),
    Values(slice::Iter<'a, (Value, Value)>),
    Entries(slice::Iter<'a, (Value, Value)>, Option<&'a Value>),
    Payload(Option<&'a Value>),
}

fn walk<V: Visitor>(root: &Value, visitor: &mut V) -> Result<()> {
    let mut stack: Vec<Frame<'_>> = Vec::new();
    let mut next = Some(root);
    loop {
        if let Some(value) = next
            && let Some(frame) = visit(value, visitor)?
        {
            stack.push(frame);
        }
        let Some(frame) = stack.last_mut() else { return Ok(()) };
        next = match frame {
            Frame::Items(items) => items.next(),
            Frame::Values(entries) => entries.next().map(|(_, value)| value),
            Frame::Entries(entries, value) => value.take().or_else(|| {
                let (key, after) = entries.next()?;
                *value = Some(after);
                Some(key)
            }),
            Frame::Payload(value) => value.take(),
        };
        if next.is_none() {
            stack.pop();
            visitor.sink().end()?;
        }
    }
}

/// Tells a scalar whole, or the beginning of a container.
fn visit<'a, V: Visitor>(value: &'a Value, visitor: &mut V) -> Result<Option<Frame<'a>>> {
    let mut value = value;
    while let Value::Shared(shared) = value {
        if !visitor.shared(shared)? {
            return Ok(None);
        }
        value = shared.get();
    }
    if let Value::Map(map) = value
        && visitor.keyed(map)?
    {
        return Ok(Some(Frame::Values(map.iter())));
    }
    let sink = visitor.sink();
    match value {
        Value::Null => sink.null()?,
        Value::Bool(value) => sink.bool(*value)?,
        Value::Int(value) => sink.int(*value)?,
        Value::BigInt(value) => sink.big_int(IntKind::Int, value.as_le_bytes())?,
        Value::U8(value) => sink.fixed_int(IntKind::U8, u64::from(*value))?,
        Value::U16(value) => sink.fixed_int(IntKind::U16, u64::from(*value))?,
        Value::U32(value) => sink.fixed_int(IntKind::U32, u64::from(*value))?,
        Value::U64(value) => sink.fixed_int(IntKind::U64, *value)?,
        Value::U128(value) => match u64::try_from(**value) {
            Ok(bits) => sink.fixed_int(IntKind::U128, bits)?,
            Err(_) => {
                let mut bytes = [0; 17];
                bytes[..16].copy_from_slice(&value.to_le_bytes());
                sink.big_int(IntKind::U128, shorten_big(&bytes))?;
            }
        },
        Value::I8(value) => sink.fixed_int(IntKind::I8, i64::from(*value).cast_unsigned())?,
        Value::I16(value) => sink.fixed_int(IntKind::I16, i64::from(*value).cast_unsigned())?,
        Value::I32(value) => sink.fixed_int(IntKind::I32, i64::from(*value).cast_unsigned())?,
        Value::I64(value) => sink.fixed_int(IntKind::I64, value.cast_unsigned())?,
        Value::I128(value) => match i64::try_from(**value) {
            Ok(bits) => sink.fixed_int(IntKind::I128, bits.cast_unsigned())?,
            Err(_) => sink.big_int(IntKind::I128, shorten_big(&value.to_le_bytes()))?,
        },
        Value::F32(value) => sink.f32(*value)?,
        Value::F64(value) => sink.f64(*value)?,
        Value::String(value) => sink.string(value)?,
        Value::Bytes(value) => sink.bytes(value)?,
        Value::List(items) => {
            sink.begin_list(items.len())?;
            return Ok(Some(Frame::Items(items.iter())));
        }
        Value::Tuple(items) => {
            sink.begin_tuple(items.len())?;
            return Ok(Some(Frame::Items(items.iter())));
        }
        Value::Record(record) => {
            sink.begin_record(&Shape::new(0, Arc::clone(record.keys())))?;
            return Ok(Some(Frame::Items(record.values().iter())));
        }
        Value::Struct(of) => {
            let fields = of.fields();
            sink.begin_struct(of.name(), &Shape::new(0, Arc::clone(fields.keys())))?;
            return Ok(Some(Frame::Items(fields.values().iter())));
        }
        Value::Map(map) => {
            sink.begin_map(map.len())?;
            return Ok(Some(Frame::Entries(map.iter(), None)));
        }
        Value::Variant(variant) => {
            sink.begin_variant(variant.name())?;
            return Ok(Some(Frame::Payload(Some(variant.value()))));
        }
        // Gone through above.
        Value::Shared(_) => {}
    }
    Ok(None)
}

/// A value on its way into a message.
struct Shredding<'s> {
    shredder: &'s mut Shredder,
    seen: HashSet<usize>,
}

impl Visitor for Shredding<'_> {
    type Sink = Shredder;

    fn sink(&mut self) -> &mut Shredder {
        self.shredder
    }

    fn shared(&mut self, shared: &Shared) -> Result<bool> {
        if self.seen.insert(shared.address()) {
            return Ok(true);
        }
        let error = Error::new(Code::UnsupportedValue)
            .expected("each shared value in one place, in this version of the format");
        Err(self.shredder.refuse(error))
    }

    fn keyed(&mut self, entries: &[(Value, Value)]) -> Result<bool> {
        let keys = || entries.iter().map_while(|(key, _)| key.as_str());
        if keys().count() == entries.len() {
            self.shredder.begin_mapping(keys())?;
            return Ok(true);
        }
        check_keys(entries).map_err(|error| self.shredder.refuse(error))?;
        Ok(false)
    }
}

/// A reader refuses maps with equal scalar keys (F-35), so a writer must not make them.
fn check_keys(entries: &[(Value, Value)]) -> Result<()> {
    let mut seen = HashSet::with_capacity(entries.len());
    for (key, _) in entries {
        let Some(bytes) = scalar_bytes(key.get()) else { continue };
        if !seen.insert(bytes) {
            return Err(Error::new(Code::DuplicateKey)
                .expected("keys that differ")
                .got(format!("{key:?} again")));
        }
    }
    Ok(())
}

/// A scalar's type and value as bytes, equal for equal scalars.
fn scalar_bytes(value: &Value) -> Option<Vec<u8>> {
    let scalar = match value {
        Value::List(_) | Value::Tuple(_) | Value::Record(_) | Value::Map(_) => return None,
        Value::Struct(_) | Value::Variant(_) | Value::Shared(_) => return None,
        scalar => scalar,
    };
    crate::to_vec(scalar).ok()
}

impl Source for &Value {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        walk(self, &mut Shredding { shredder, seen: HashSet::new() })
    }
}

impl Visitor for ValueBuilder {
    type Sink = ValueBuilder;

    fn sink(&mut self) -> &mut ValueBuilder {
        self
    }

    fn shared(&mut self, shared: &Shared) -> Result<bool> {
        self.shared(shared)?;
        Ok(false)
    }

    fn keyed(&mut self, _entries: &[(Value, Value)]) -> Result<bool> {
        Ok(false)
    }
}

impl Clone for Value {
    fn clone(&self) -> Value {
        let mut builder = ValueBuilder::new();
        // A builder takes whatever a value tells, so neither step fails.
        let told = walk(self, &mut builder);
        told.and_then(|()| builder.finish()).unwrap_or_default()
    }
}

/// Prints values as they are told.
struct Printer<'f, 'o> {
    out: &'f mut fmt::Formatter<'o>,
    open: Vec<Open>,
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
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        if open.is_map && open.done % 2 == 1 {
            self.out.write_str(": ")?;
        } else if open.done > 0 {
            self.out.write_str(", ")?;
        }
        if let Some(key) = open.keys.as_ref().and_then(|keys| keys.get(open.done)) {
            write!(self.out, "{key:?}: ")?;
        }
        open.done += 1;
        Ok(())
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

    fn shared(&mut self, _shared: &Shared) -> Result<bool> {
        Ok(true)
    }

    fn keyed(&mut self, _entries: &[(Value, Value)]) -> Result<bool> {
        Ok(false)
    }
}

/// On one line, close to JSON: `{"id": 1, "tags": ["x", "y"]}`.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        walk(self, &mut Printer { out: f, open: Vec::new() }).map_err(|_| fmt::Error)
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

debug_as_value!(Record, Struct, Variant, Shared);
