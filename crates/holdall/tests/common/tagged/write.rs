//! Tagged JSON from events.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use holdall::Result;
use holdall::events::{Event, RowId, Sink};
use num_bigint::BigInt as Number;

use super::super::dtypes::kind_name;
use super::{quote, unhex};

/// A [`Sink`] that writes tagged JSON without spaces.
///
/// It distinguishes a record from a map as the bytes do; [`Value`] does not.
#[derive(Default)]
pub struct TaggedSink {
    out: String,
    stack: Vec<Frame>,
    identities: HashMap<RowId, usize>,
}

/// An open container: how many values it has, and how many were announced.
enum Frame {
    Items(usize, usize),
    Fields(Arc<[Arc<str>]>, usize),
    Entries(usize, usize),
    Payload(usize),
    Identity,
}

impl TaggedSink {
    /// Returns the text, once a complete value was emitted.
    pub fn finish(self) -> String {
        assert!(self.stack.is_empty(), "a container was not ended: {}", self.out);
        self.out
    }

    /// Writes what precedes a value.
    fn lead(&mut self) {
        match self.stack.last() {
            Some(Frame::Items(count, _)) if *count > 0 => self.out.push(','),
            Some(Frame::Fields(keys, count)) => {
                self.out.push_str(if *count > 0 { ",[" } else { "[" });
                self.out.push_str(&quote(&keys[*count]));
                self.out.push(',');
            }
            Some(Frame::Entries(count, _)) => {
                let text = match count {
                    0 => "[",
                    _ if count % 2 == 0 => ",[",
                    _ => ",",
                };
                self.out.push_str(text);
            }
            Some(Frame::Items(..) | Frame::Payload(_) | Frame::Identity) | None => {}
        }
    }

    /// Writes what follows a value.
    fn trail(&mut self) {
        while let Some(Frame::Identity) = self.stack.last() {
            self.stack.pop();
            self.out.push(']');
        }
        match self.stack.last_mut() {
            Some(Frame::Items(count, _) | Frame::Payload(count)) => *count += 1,
            Some(Frame::Fields(_, count)) => {
                *count += 1;
                self.out.push(']');
            }
            Some(Frame::Entries(count, _)) => {
                *count += 1;
                if *count % 2 == 0 {
                    self.out.push(']');
                }
            }
            Some(Frame::Identity) | None => {}
        }
    }

    fn scalar(&mut self, tag: &str, content: &str) -> Result<()> {
        self.lead();
        self.write(format_args!("[\"{tag}\",{content}]"));
        self.trail();
        Ok(())
    }

    /// A value that is its tag alone.
    fn bare(&mut self, tag: &str) -> Result<()> {
        self.lead();
        self.write(format_args!("[\"{tag}\"]"));
        self.trail();
        Ok(())
    }

    fn digits(&mut self, tag: &str, digits: impl std::fmt::Display) -> Result<()> {
        self.scalar(tag, &format!("\"{digits}\""))
    }

    fn begin(&mut self, text: std::fmt::Arguments<'_>, frame: Frame) -> Result<()> {
        self.lead();
        self.write(text);
        self.stack.push(frame);
        Ok(())
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("strings take everything");
    }

    fn end(&mut self) -> Result<()> {
        let (count, announced, close) = match self.stack.pop() {
            Some(Frame::Payload(count)) => (count, 1, "]"),
            Some(Frame::Fields(keys, count)) => (count, keys.len(), "]]"),
            Some(Frame::Items(count, len) | Frame::Entries(count, len)) => (count, len, "]]"),
            Some(Frame::Identity) | None => panic!("an end without a beginning"),
        };
        assert_eq!(count, announced, "as many values as were announced");
        self.out.push_str(close);
        self.trail();
        Ok(())
    }
}

impl Sink for TaggedSink {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => self.bare("null"),
            Event::Bool(value) => self.scalar("bool", if value { "true" } else { "false" }),
            Event::Int(value) => self.digits("int", value),
            Event::FixedInt(kind, bits) if kind.is_signed() => {
                self.digits(kind.name(), bits.cast_signed())
            }
            Event::FixedInt(kind, bits) => self.digits(kind.name(), bits),
            Event::BigInt(kind, big) => self.digits(kind.name(), Number::from_signed_bytes_le(big)),
            Event::F16(value) => self.digits("f16", format_args!("{:04x}", value.to_bits())),
            Event::Bf16(value) => self.digits("bf16", format_args!("{:04x}", value.to_bits())),
            Event::F32(value) => self.digits("f32", format_args!("{:08x}", value.to_bits())),
            Event::F64(value) => self.digits("f64", format_args!("{:016x}", value.to_bits())),
            Event::String(value) => self.scalar("string", &quote(value)),
            Event::Bytes(value) => self.digits("bytes", unhex(value)),
            Event::Fixed(value) => self.digits("fixed", unhex(value)),
            Event::Tensor(tensor, _) => {
                let dtype = quote(&tensor.dtype.to_string());
                let shape: Vec<String> =
                    tensor.shape.iter().map(|len| format!("\"{len}\"")).collect();
                let (shape, elements) = (shape.join(","), unhex(tensor.elements));
                let order = if tensor.column_major { "column" } else { "row" };
                self.scalar("tensor", &format!("{dtype},[{shape}],\"{order}\",\"{elements}\""))
            }
            Event::Unknown => self.bare("unknown"),
            Event::List(len) => self.begin(format_args!("[\"list\",["), Frame::Items(0, len)),
            Event::Tuple(len) => self.begin(format_args!("[\"tuple\",["), Frame::Items(0, len)),
            Event::Array(len) => self.begin(format_args!("[\"array\",["), Frame::Items(0, len)),
            Event::Map(len) => self.begin(format_args!("[\"map\",["), Frame::Entries(0, 2 * len)),
            Event::Record(shape) => self
                .begin(format_args!("[\"record\",["), Frame::Fields(Arc::clone(shape.keys()), 0)),
            Event::Struct(name, shape) => {
                let frame = Frame::Fields(Arc::clone(shape.keys()), 0);
                self.begin(format_args!("[\"struct\",{},[", quote(name)), frame)
            }
            Event::Variant(name) => {
                self.begin(format_args!("[\"variant\",{},", quote(name)), Frame::Payload(0))
            }
            Event::Logical(ty) => {
                let (kind, parameters) = (kind_name(ty), unhex(ty.parameters()));
                let text = format_args!("[\"logical\",\"{kind}\",\"{parameters}\",");
                self.begin(text, Frame::Payload(0))
            }
            Event::Extension(name) => {
                self.begin(format_args!("[\"extension\",{},", quote(name)), Frame::Payload(0))
            }
            Event::End => self.end(),
            Event::Identity(row) => {
                let number = self.identities.len();
                assert_eq!(self.identities.insert(row, number), None, "each row is begun once");
                self.begin(format_args!("[\"id\",{number},"), Frame::Identity)
            }
            Event::Reference(row) => {
                let number = self.identities[&row];
                self.scalar("ref", &number.to_string())
            }
            Event::Choice(_) => Ok(()),
        }
    }
}
