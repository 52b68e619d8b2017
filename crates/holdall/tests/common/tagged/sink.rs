//! Formats events as tagged JSON.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use holdall::events::{RowId, TensorRef};
use holdall::{IntKind, LogicalType, Result, Shape, Sink, bf16, f16};
use num_bigint::BigInt as Number;

use super::super::dtypes::kind_name;
use super::tokens::quote;
use super::unhex;

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
}

impl Sink for TaggedSink {
    fn null(&mut self) -> Result<()> {
        self.lead();
        self.out.push_str("[\"null\"]");
        self.trail();
        Ok(())
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.scalar("bool", if value { "true" } else { "false" })
    }

    fn int(&mut self, value: i64) -> Result<()> {
        self.digits("int", value)
    }

    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        match kind.is_signed() {
            true => self.digits(kind.name(), bits.cast_signed()),
            false => self.digits(kind.name(), bits),
        }
    }

    fn big_int(&mut self, kind: IntKind, twos_complement: &[u8]) -> Result<()> {
        self.digits(kind.name(), Number::from_signed_bytes_le(twos_complement))
    }

    fn f16(&mut self, value: f16) -> Result<()> {
        self.digits("f16", format_args!("{:04x}", value.to_bits()))
    }

    fn bf16(&mut self, value: bf16) -> Result<()> {
        self.digits("bf16", format_args!("{:04x}", value.to_bits()))
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        self.digits("f32", format_args!("{:08x}", value.to_bits()))
    }

    fn f64(&mut self, value: f64) -> Result<()> {
        self.digits("f64", format_args!("{:016x}", value.to_bits()))
    }

    fn string(&mut self, value: &str) -> Result<()> {
        self.scalar("string", &quote(value))
    }

    fn bytes(&mut self, value: &[u8]) -> Result<()> {
        self.digits("bytes", unhex(value))
    }

    fn fixed(&mut self, value: &[u8]) -> Result<()> {
        self.digits("fixed", unhex(value))
    }

    fn tensor(&mut self, tensor: TensorRef<'_>) -> Result<()> {
        let dtype = quote(&tensor.dtype.to_string());
        let shape: Vec<String> = tensor.shape.iter().map(|len| format!("\"{len}\"")).collect();
        let (shape, elements) = (shape.join(","), unhex(tensor.elements));
        let order = if tensor.column_major { "column" } else { "row" };
        self.scalar("tensor", &format!("{dtype},[{shape}],\"{order}\",\"{elements}\""))
    }

    fn unknown(&mut self) -> Result<()> {
        self.lead();
        self.out.push_str("[\"unknown\"]");
        self.trail();
        Ok(())
    }

    fn begin_list(&mut self, len: usize) -> Result<()> {
        self.begin(format_args!("[\"list\",["), Frame::Items(0, len))
    }

    fn begin_array(&mut self, len: usize) -> Result<()> {
        self.begin(format_args!("[\"array\",["), Frame::Items(0, len))
    }

    fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        let (kind, parameters) = (kind_name(ty), unhex(ty.parameters()));
        let text = format_args!("[\"logical\",\"{kind}\",\"{parameters}\",");
        self.begin(text, Frame::Payload(0))
    }

    fn begin_extension(&mut self, name: &Arc<str>) -> Result<()> {
        self.begin(format_args!("[\"extension\",{},", quote(name)), Frame::Payload(0))
    }

    fn begin_tuple(&mut self, len: usize) -> Result<()> {
        self.begin(format_args!("[\"tuple\",["), Frame::Items(0, len))
    }

    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        self.begin(format_args!("[\"record\",["), Frame::Fields(Arc::clone(shape.keys()), 0))
    }

    fn begin_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()> {
        let frame = Frame::Fields(Arc::clone(shape.keys()), 0);
        self.begin(format_args!("[\"struct\",{},[", quote(name)), frame)
    }

    fn begin_map(&mut self, len: usize) -> Result<()> {
        self.begin(format_args!("[\"map\",["), Frame::Entries(0, 2 * len))
    }

    fn begin_variant(&mut self, name: &Arc<str>) -> Result<()> {
        self.begin(format_args!("[\"variant\",{},", quote(name)), Frame::Payload(0))
    }

    fn identify(&mut self, row: RowId) -> Result<()> {
        let number = self.identities.len();
        assert_eq!(self.identities.insert(row, number), None, "each row is begun once");
        self.begin(format_args!("[\"id\",{number},"), Frame::Identity)
    }

    fn reference(&mut self, row: RowId) -> Result<()> {
        let number = self.identities[&row];
        self.scalar("ref", &number.to_string())
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
