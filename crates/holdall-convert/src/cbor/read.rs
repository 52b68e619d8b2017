//! CBOR to tokens.

use holdall::bindings::shorten_big;
use holdall::{Error, Result};
use minicbor::Decoder;
use minicbor::data::{Int, Type};

use crate::tape::{Builder, Kind, Tape};

/// Ends a container or string of indefinite length.
const BREAK: u8 = 0xFF;
/// The tags of non-negative and negative big integers.
const BIGNUMS: [u64; 2] = [2, 3];
/// The tag that says that data are CBOR, and nothing about the value in it (RFC 8949, 3.4.6).
const SELF_DESCRIBED: u64 = 55_799;

/// Reads an entire input.
pub(super) fn read(input: &[u8]) -> Result<Tape> {
    let mut reader = CborReader { builder: Builder::new(input), cbor: Decoder::new(input) };
    while !reader.builder.is_done() {
        reader.value()?;
    }
    let end = reader.cbor.position();
    if let Some(byte) = input.get(end) {
        let got = format!("{byte:02X}; one input is one data item");
        return Err(reader.builder.fault(end, "the end of the input", got));
    }
    Ok(reader.builder.finish())
}

struct CborReader<'i> {
    builder: Builder<'i>,
    cbor: Decoder<'i>,
}

impl<'i> CborReader<'i> {
    /// Reads the next scalar, or the beginning or end of a container.
    fn value(&mut self) -> Result<()> {
        let begin = self.cbor.position();
        let ty = self.cbor.datatype().map_err(|_| self.ended(begin))?;
        match ty {
            Type::Null => self.short(Kind::Null, begin),
            Type::Bool if self.builder.input[begin] == 0xF4 => self.short(Kind::False, begin),
            Type::Bool => self.short(Kind::True, begin),
            Type::Undefined => {
                self.cbor.set_position(begin + 1);
                self.builder.scalar(Kind::Simple, begin, 23)
            }
            Type::Simple => {
                let number = self.cbor.simple().map_err(|_| self.ended(begin))?;
                // RFC 8949, 3.3: values below 32 have one form, of one byte.
                if self.builder.input[begin] == 0xF8 && number < 32 {
                    let expected = "a simple value above 31 after F8";
                    return Err(self.builder.fault(begin, expected, number.to_string()));
                }
                self.builder.scalar(Kind::Simple, begin, u64::from(number))
            }
            Type::U8
            | Type::U16
            | Type::U32
            | Type::U64
            | Type::I8
            | Type::I16
            | Type::I32
            | Type::I64
            | Type::Int => {
                let value = self.cbor.int().map_err(|_| self.ended(begin))?;
                self.int(begin, value)
            }
            Type::F16 => self.float(Kind::F16, begin, 2),
            Type::F32 => self.float(Kind::F32, begin, 4),
            Type::F64 => self.float(Kind::F64, begin, 8),
            Type::Bytes | Type::String => {
                let kind = if ty == Type::String { Kind::String } else { Kind::Bytes };
                let (start, end) = self.span(begin, kind)?;
                self.builder.content(kind, begin, start, end)
            }
            Type::BytesIndef => {
                let parts = self.parts(begin, Kind::Bytes)?;
                self.builder.spilled(Kind::Bytes, begin, parts)
            }
            Type::StringIndef => {
                let parts = self.parts(begin, Kind::String)?;
                self.builder.spilled(Kind::String, begin, parts)
            }
            Type::Array | Type::ArrayIndef => {
                let len = self.cbor.array().map_err(|_| self.ended(begin))?;
                self.container(Kind::List, begin, len.map(Some))
            }
            Type::Map | Type::MapIndef => {
                let len = self.cbor.map().map_err(|_| self.ended(begin))?;
                self.container(Kind::Map, begin, len.map(|len| len.checked_mul(2)))
            }
            Type::Tag => {
                let tag = self.cbor.tag().map_err(|_| self.ended(begin))?.as_u64();
                if BIGNUMS.contains(&tag) {
                    return self.bignum(begin, tag);
                }
                if tag == SELF_DESCRIBED {
                    let at = self.cbor.position();
                    return match self.builder.input.get(at) {
                        Some(&BREAK) => Err(self.builder.fault(at, "a data item", "a break")),
                        _ => Ok(()),
                    };
                }
                self.builder.begin_tag(begin, Kind::TagNumber, tag);
                Ok(())
            }
            Type::Break => match self.builder.awaits_break() {
                Some(true) => {
                    self.cbor.set_position(begin + 1);
                    self.builder.end_by_break(begin)
                }
                Some(false) => Err(self.builder.fault(begin, "a value for each key", "a break")),
                None => Err(self.builder.fault(begin, "a data item", "a break")),
            },
            Type::Unknown(byte) => {
                let got = format!("{byte:02X}, which has no meaning");
                Err(self.builder.fault(begin, "a data item", got))
            }
        }
    }

    fn short(&mut self, kind: Kind, begin: usize) -> Result<()> {
        self.cbor.set_position(begin + 1);
        self.builder.scalar(kind, begin, 0)
    }

    fn int(&mut self, begin: usize, value: Int) -> Result<()> {
        let value = i128::from(value);
        match i64::try_from(value) {
            Ok(value) => self.builder.scalar(Kind::Int, begin, value.cast_unsigned()),
            Err(_) => self.builder.spilled(Kind::Big, begin, [shorten_big(&value.to_le_bytes())]),
        }
    }

    /// Returns a float as its bits: as a number, a NaN would lose some of them.
    fn float(&mut self, kind: Kind, begin: usize, width: usize) -> Result<()> {
        let start = begin + 1;
        let Some(bytes) = self.builder.input.get(start..start + width) else {
            return Err(self.ended(begin));
        };
        let bits = bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        self.cbor.set_position(start + width);
        self.builder.scalar(kind, begin, bits)
    }

    /// Returns the range of a string of definite length.
    fn span(&mut self, begin: usize, kind: Kind) -> Result<(usize, usize)> {
        // The heads of text and byte strings differ in one bit; the text is checked with its range.
        let head = self.builder.input[begin];
        let wide = match head & 0x1F {
            0x18 => 1,
            0x19 => 2,
            0x1A => 4,
            0x1B => 8,
            _ => 0,
        };
        let start = begin + 1 + wide;
        let Some(bytes) = self.builder.input.get(begin + 1..start) else {
            return Err(self.ended(begin));
        };
        let len = match wide {
            0 => u64::from(head & 0x1F),
            _ => bytes.iter().fold(0, |len, byte| len << 8 | u64::from(*byte)),
        };
        let left = self.builder.input.len() - start;
        match usize::try_from(len).ok().filter(|len| *len <= left) {
            Some(len) => {
                self.cbor.set_position(start + len);
                Ok((start, start + len))
            }
            None => {
                let what = if kind == Kind::String { "a string" } else { "a byte string" };
                let expected = format!("{len} bytes of {what}");
                let got = format!("the end of the input after {left} bytes");
                Err(self.builder.fault(begin, expected, got))
            }
        }
    }

    /// Reads the parts of a string of indefinite length.
    fn parts(&mut self, begin: usize, kind: Kind) -> Result<Vec<&'i [u8]>> {
        let expected = match kind {
            Kind::String => Type::String,
            _ => Type::Bytes,
        };
        self.cbor.set_position(begin + 1);
        let mut parts = Vec::new();
        loop {
            let at = self.cbor.position();
            let input = self.builder.input;
            if input.get(at) == Some(&BREAK) {
                self.cbor.set_position(at + 1);
                return Ok(parts);
            }
            let ty = self.cbor.datatype().map_err(|_| self.ended(at))?;
            if ty != expected {
                let words =
                    "a part of the string, of the same type and with its length, or a break";
                return Err(self.builder.fault(at, words, ty.to_string()));
            }
            let (start, end) = self.span(at, kind)?;
            let part = &input[start..end];
            // Each part is UTF-8 by itself (RFC 8949, 3.2.3).
            if kind == Kind::String
                && let Some((bad, got)) = crate::path::not_utf8(part, "the part's end")
            {
                return Err(self.builder.not_utf8(start + bad, got));
            }
            parts.push(part);
        }
    }

    /// Begins a container of this many values, if the number is given; `Some(None)` if it is too large to count.
    fn container(&mut self, kind: Kind, begin: usize, len: Option<Option<u64>>) -> Result<()> {
        let Some(len) = len else { return self.builder.begin(kind, begin, None) };
        // Each value has at least a byte, so impossible lengths reserve nothing.
        let left = (self.builder.input.len() - self.cbor.position()) as u64;
        match len.filter(|len| *len <= left) {
            Some(len) => self.builder.begin(kind, begin, Some(len)),
            None => {
                let what = if kind == Kind::Map { "a map" } else { "an array" };
                let many = len.map_or_else(|| "2^64".to_owned(), |len| len.to_string());
                let expected = format!("{many} or more bytes of {what}");
                let got = format!("the end of the input after {left} bytes");
                Err(self.builder.fault(begin, expected, got))
            }
        }
    }

    /// An integer of any size (RFC 8949, 3.4.3): big-endian bytes, of -1-n if it is negative.
    fn bignum(&mut self, begin: usize, tag: u64) -> Result<()> {
        let at = self.cbor.position();
        let parts = match self.cbor.datatype() {
            Ok(Type::Bytes) => {
                let (start, end) = self.span(at, Kind::Bytes)?;
                vec![&self.builder.input[start..end]]
            }
            Ok(Type::BytesIndef) => self.parts(at, Kind::Bytes)?,
            Ok(other) => {
                let expected = "a byte string in a big integer";
                return Err(self.builder.fault(at, expected, other.to_string()));
            }
            Err(_) => return Err(self.ended(at)),
        };
        let flip = if tag == BIGNUMS[0] { 0 } else { 0xFF };
        let mut bytes: Vec<u8> =
            parts.iter().rev().flat_map(|part| part.iter().rev()).map(|byte| byte ^ flip).collect();
        bytes.push(flip);
        let bytes = shorten_big(&bytes);
        match crate::number::small(bytes).and_then(|value| i64::try_from(value).ok()) {
            Some(value) => self.builder.scalar(Kind::Int, begin, value.cast_unsigned()),
            None => self.builder.spilled(Kind::Big, begin, [bytes]),
        }
    }

    /// The error for an input that ends within an item.
    #[cold]
    fn ended(&self, begin: usize) -> Error {
        let got = match self.builder.input.len() - begin {
            0 => "the end of the input".to_owned(),
            left => format!("the end of the input after {left} of its bytes"),
        };
        self.builder.fault(begin, "a data item", got)
    }
}
