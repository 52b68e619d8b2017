//! MessagePack to tokens.

use holdall::bindings::shorten_big;
use holdall::{Error, Result};
use rmp::Marker;

use crate::path::hex;
use crate::tape::{Builder, Kind, NANOSECONDS, Tape};

const NANOS: u32 = 1_000_000_000;
/// The type of the extension for timestamps.
const TIMESTAMP: u8 = 0xFF;

/// Reads an entire input.
pub(super) fn read(input: &[u8]) -> Result<Tape> {
    let mut reader = MsgpackReader { builder: Builder::new(input), at: 0 };
    while !reader.builder.is_done() {
        reader.value()?;
    }
    if let Some(byte) = input.get(reader.at) {
        let got = format!("{byte:02X}; one input is one value");
        return Err(reader.builder.fault(reader.at, "the end of the input", got));
    }
    Ok(reader.builder.finish())
}

struct MsgpackReader<'i> {
    builder: Builder<'i>,
    /// The next byte.
    at: usize,
}

impl MsgpackReader<'_> {
    /// Reads the next scalar, or the beginning of a container.
    fn value(&mut self) -> Result<()> {
        let begin = self.at;
        let Some(&byte) = self.builder.input.get(begin) else {
            return Err(self.builder.fault(begin, "a value", "the end of the input"));
        };
        self.at += 1;
        let builder = &mut self.builder;
        match Marker::from_u8(byte) {
            Marker::Null => builder.scalar(Kind::Null, begin, 0),
            Marker::False => builder.scalar(Kind::False, begin, 0),
            Marker::True => builder.scalar(Kind::True, begin, 0),
            Marker::FixPos(value) => builder.scalar(Kind::Int, begin, u64::from(value)),
            Marker::FixNeg(value) => {
                builder.scalar(Kind::Int, begin, i64::from(value).cast_unsigned())
            }
            Marker::U8 => self.unsigned(begin, 1),
            Marker::U16 => self.unsigned(begin, 2),
            Marker::U32 => self.unsigned(begin, 4),
            Marker::U64 => self.unsigned(begin, 8),
            Marker::I8 => self.signed(begin, 1),
            Marker::I16 => self.signed(begin, 2),
            Marker::I32 => self.signed(begin, 4),
            Marker::I64 => self.signed(begin, 8),
            Marker::F32 => {
                let bits = self.number(begin, 4)?;
                self.builder.scalar(Kind::F32, begin, bits)
            }
            Marker::F64 => {
                let bits = self.number(begin, 8)?;
                self.builder.scalar(Kind::F64, begin, bits)
            }
            Marker::FixStr(len) => self.content(Kind::String, begin, u64::from(len)),
            Marker::Str8 => self.sized(Kind::String, begin, 1),
            Marker::Str16 => self.sized(Kind::String, begin, 2),
            Marker::Str32 => self.sized(Kind::String, begin, 4),
            Marker::Bin8 => self.sized(Kind::Bytes, begin, 1),
            Marker::Bin16 => self.sized(Kind::Bytes, begin, 2),
            Marker::Bin32 => self.sized(Kind::Bytes, begin, 4),
            Marker::FixExt1 => self.ext(begin, 1),
            Marker::FixExt2 => self.ext(begin, 2),
            Marker::FixExt4 => self.ext(begin, 4),
            Marker::FixExt8 => self.ext(begin, 8),
            Marker::FixExt16 => self.ext(begin, 16),
            Marker::Ext8 => self.sized(Kind::Ext, begin, 1),
            Marker::Ext16 => self.sized(Kind::Ext, begin, 2),
            Marker::Ext32 => self.sized(Kind::Ext, begin, 4),
            Marker::FixArray(len) => self.container(Kind::List, begin, u64::from(len)),
            Marker::Array16 => self.sized(Kind::List, begin, 2),
            Marker::Array32 => self.sized(Kind::List, begin, 4),
            Marker::FixMap(len) => self.container(Kind::Map, begin, u64::from(len)),
            Marker::Map16 => self.sized(Kind::Map, begin, 2),
            Marker::Map32 => self.sized(Kind::Map, begin, 4),
            Marker::Reserved => {
                let got = "C1, which MessagePack does not use";
                Err(builder.fault(begin, "a value", got))
            }
        }
    }

    /// A big-endian number of this many bytes.
    fn number(&mut self, begin: usize, width: usize) -> Result<u64> {
        let rest = &self.builder.input[self.at..];
        let Some(bytes) = rest.get(..width) else {
            return Err(self.short(begin, width as u64, "a number"));
        };
        self.at += width;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn unsigned(&mut self, begin: usize, width: usize) -> Result<()> {
        let value = self.number(begin, width)?;
        if i64::try_from(value).is_ok() {
            return self.builder.scalar(Kind::Int, begin, value);
        }
        let bytes = i128::from(value).to_le_bytes();
        self.builder.spilled(Kind::Big, begin, [shorten_big(&bytes)])
    }

    fn signed(&mut self, begin: usize, width: usize) -> Result<()> {
        let value = self.number(begin, width)?;
        // Extends the sign to the upper bits.
        let spare = 64 - 8 * width as u32;
        let value = (value << spare).cast_signed() >> spare;
        self.builder.scalar(Kind::Int, begin, value.cast_unsigned())
    }

    /// Reads a value that begins with a length of this many bytes.
    fn sized(&mut self, kind: Kind, begin: usize, width: usize) -> Result<()> {
        let len = self.number(begin, width)?;
        match kind {
            Kind::List | Kind::Map => self.container(kind, begin, len),
            Kind::Ext => self.ext(begin, len),
            _ => self.content(kind, begin, len),
        }
    }

    fn content(&mut self, kind: Kind, begin: usize, len: u64) -> Result<()> {
        let what = if kind == Kind::String { "a string" } else { "a byte string" };
        let (start, end) = self.take(begin, len, what)?;
        self.builder.content(kind, begin, start, end)
    }

    fn container(&mut self, kind: Kind, begin: usize, len: u64) -> Result<()> {
        let (least, what) = if kind == Kind::Map { (2 * len, "a map") } else { (len, "an array") };
        // Each value has at least a byte, so impossible lengths reserve nothing.
        if least > self.left() {
            return Err(self.short(begin, least, what));
        }
        self.builder.begin(kind, begin, Some(least))
    }

    fn ext(&mut self, begin: usize, len: u64) -> Result<()> {
        let (start, end) = self.take(begin, len + 1, "an extension")?;
        let data = &self.builder.input[start..end];
        match data.split_first() {
            Some((&TIMESTAMP, data)) => self.timestamp(begin, data),
            _ => self.builder.content(Kind::Ext, begin, start, end),
        }
    }

    fn timestamp(&mut self, begin: usize, data: &[u8]) -> Result<()> {
        let number =
            |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let (seconds, nanos) = match data.len() {
            4 => (number(data).cast_signed(), 0),
            8 => ((number(data) & ((1 << 34) - 1)).cast_signed(), number(data) >> 34),
            12 => (number(&data[4..]).cast_signed(), number(&data[..4])),
            len => {
                let got = format!("{len}: {}", hex(data));
                return Err(self.builder.fault(begin, "a timestamp of 4, 8 or 12 bytes", got));
            }
        };
        if nanos >= u64::from(NANOS) {
            let expected = format!("a timestamp with less than {NANOS} nanoseconds");
            return Err(self.builder.fault(begin, expected, nanos.to_string()));
        }
        let all = i128::from(seconds) * i128::from(NANOS) + i128::from(nanos);
        self.builder.begin_tag(begin, Kind::Meaning, NANOSECONDS as u64);
        match i64::try_from(all) {
            Ok(all) => self.builder.scalar(Kind::Int, begin, all.cast_unsigned()),
            Err(_) => self.builder.spilled(Kind::Big, begin, [shorten_big(&all.to_le_bytes())]),
        }
    }

    fn left(&self) -> u64 {
        (self.builder.input.len() - self.at) as u64
    }

    /// Returns the range of the next bytes, which belong to `what`.
    fn take(&mut self, begin: usize, len: u64, what: &str) -> Result<(usize, usize)> {
        if len > self.left() {
            return Err(self.short(begin, len, what));
        }
        let start = self.at;
        self.at += len as usize;
        Ok((start, self.at))
    }

    #[cold]
    fn short(&self, begin: usize, len: u64, what: &str) -> Error {
        let (expected, left) = (format!("{len} or more bytes of {what}"), self.left());
        self.builder.fault(begin, expected, format!("the end of the input after {left} bytes"))
    }
}
