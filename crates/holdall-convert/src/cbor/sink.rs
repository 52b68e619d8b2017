//! Events to CBOR.

use std::convert::Infallible;
use std::sync::Arc;

use holdall::bindings::memory::{Grow, GrowVec};
use holdall::events::{Event, Sink};
use holdall::{Error, IntKind, LogicalType, Result, Shape, f16};
use minicbor::data::{Int, Tag};
use minicbor::encode;

use crate::coding::Target;
use crate::nesting::{HEAD, Nesting, protocol};
use crate::number;
use crate::refuse::{self, refuse};
use crate::tape::{CBOR_SIMPLE, CBOR_TAG, meaning_of};

/// A [`Sink`] that writes CBOR, each item in its preferred form (RFC 8949, 4.1), floats in their own width.
///
/// For most uses call [`unpack`](super::unpack). Use the sink for a [`Decoder`](holdall::Decoder) with its own options.
///
/// ```
/// use holdall::Decoder;
/// use holdall_convert::cbor::CborSink;
///
/// let mut sink = CborSink::new();
/// Decoder::new().message(b"\xC1\x10\x1A\x08\x04a\x03\x04", &mut sink)?;
/// assert_eq!(sink.take()?, b"\xA1\x61a\x01");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct CborSink {
    nesting: Nesting,
    /// What must follow in an extension.
    part: CborPart,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum CborPart {
    #[default]
    None,
    /// The tuple of a tag, then its number.
    Tuple,
    Number,
    /// The number of a simple value.
    Simple,
    /// A time in UTC, with this many units per second.
    Time(u64),
}

/// The tag of a time, as a number of seconds.
const TIME: u64 = 1;

type Encoder<'o> = minicbor::Encoder<&'o mut Vec<u8>>;

/// Writes to a vector cannot fail.
fn written<T>(result: Result<T, encode::Error<Infallible>>) -> Result<()> {
    result.map(|_| ()).map_err(|_| protocol("memory", "an error"))
}

fn write_str(out: &mut Vec<u8>, value: &str) -> Result<()> {
    out.room(HEAD + value.len());
    written(Encoder::new(out).str(value))
}

fn write_bytes(out: &mut Vec<u8>, value: &[u8]) -> Result<()> {
    out.room(HEAD + value.len());
    written(Encoder::new(out).bytes(value))
}

impl CborSink {
    /// Creates a sink without a value.
    #[must_use]
    pub fn new() -> Self {
        CborSink::default()
    }

    /// Sets the maximum number of output bytes: names occur once in a message, but here in every row. The output
    /// exceeds the limit by at most one value.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.nesting.set_limit(bytes);
        self
    }

    /// Returns the item's bytes and resets the sink, which keeps its templates of shapes.
    ///
    /// # Errors
    /// [`Code::BadSource`](holdall::Code::BadSource) if the value is not complete.
    pub fn take(&mut self) -> Result<Vec<u8>> {
        self.part = CborPart::None;
        self.nesting.take()
    }

    #[inline]
    fn begin_value(&mut self) -> Result<Encoder<'_>> {
        if self.part != CborPart::None {
            return Err(self.misfit());
        }
        self.nesting.begin_value()?;
        Ok(Encoder::new(&mut self.nesting.out))
    }

    #[cold]
    fn misfit(&self) -> Error {
        match self.part {
            CborPart::Simple => refuse("u8 in the extension \"cbor.simple\"", "another value"),
            CborPart::Time(_) => refuse("a timestamp of 64 bits", "a larger one"),
            _ => refuse("tuple(u64, any) in the extension \"cbor.tag\"", "another value"),
        }
    }

    fn items(&mut self, len: usize) -> Result<()> {
        written(self.begin_value()?.array(len as u64))?;
        self.nesting.open(len);
        Ok(())
    }

    /// The number of a simple value, an integer of any kind, if it fits, and the end of its extension's contents.
    fn simple(&mut self, number: Option<u8>) -> Result<()> {
        let Some(number) = number else { return Err(self.misfit()) };
        // These have types and forms of their own.
        if (20..=22).contains(&number) || (24..=31).contains(&number) {
            let expected = "a simple value that is not false, true, null, or reserved";
            return Err(refuse(expected, number.to_string()));
        }
        self.part = CborPart::None;
        self.nesting.begin_value()?;
        // In its only form (RFC 8949, 3.3); minicbor writes 23 in another.
        match number {
            0..24 => self.nesting.out.put(0xE0 | number),
            _ => self.nesting.out.put_slice(&[0xF8, number]),
        }
        Ok(())
    }

    /// The number of a timestamp of smaller units than seconds. Tag 1 of a float would not hold all of them exactly.
    fn time(&mut self, units: i64, per_second: u64) -> Result<()> {
        let per_second = per_second.cast_signed();
        if units % per_second != 0 {
            return Err(refuse::lacks("timestamp", "a timestamp with a fraction of a second"));
        }
        self.part = CborPart::None;
        self.nesting.begin_value()?;
        let mut cbor = Encoder::new(&mut self.nesting.out);
        written(cbor.tag(Tag::new(TIME)).and_then(|cbor| cbor.i64(units / per_second)).map(|_| ()))
    }

    /// The number of a tag: an integer of any kind, if it fits.
    fn tag(&mut self, number: Option<u64>) -> Result<()> {
        let Some(number) = number else { return Err(self.misfit()) };
        self.part = CborPart::None;
        self.nesting.begin_value()?;
        written(Encoder::new(&mut self.nesting.out).tag(Tag::new(number)))
    }

    fn int(&mut self, value: i64) -> Result<()> {
        match self.part {
            CborPart::Time(per_second) => self.time(value, per_second),
            CborPart::Number => self.tag(u64::try_from(value).ok()),
            CborPart::Simple => self.simple(u8::try_from(value).ok()),
            _ => written(self.begin_value()?.i64(value)),
        }
    }

    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        match self.part {
            CborPart::Number | CborPart::Simple if kind.is_signed() => self.int(bits.cast_signed()),
            CborPart::Number => self.tag(Some(bits)),
            CborPart::Simple => self.simple(u8::try_from(bits).ok()),
            _ if kind.is_signed() => written(self.begin_value()?.i64(bits.cast_signed())),
            _ => written(self.begin_value()?.u64(bits)),
        }
    }

    fn big_int(&mut self, twos_complement: &[u8]) -> Result<()> {
        let small = number::small(twos_complement);
        if self.part == CborPart::Number {
            return self.tag(small.and_then(|value| u64::try_from(value).ok()));
        }
        let mut cbor = self.begin_value()?;
        let small = small.and_then(|value| Int::try_from(value).ok());
        if let Some(value) = small {
            return written(cbor.int(value));
        }
        let is_negative = twos_complement.last().is_some_and(|last| *last >= 0x80);
        let (tag, flip) = if is_negative { (3, 0xFF) } else { (2, 0) };
        let mut bytes: Vec<u8> = twos_complement.iter().rev().map(|byte| byte ^ flip).collect();
        // At most one byte was only for the sign.
        if bytes.first() == Some(&0) {
            bytes.remove(0);
        }
        written(cbor.tag(Tag::new(tag)))?;
        write_bytes(&mut self.nesting.out, &bytes)
    }

    fn f16(&mut self, value: f16) -> Result<()> {
        // As bits: as a number, a NaN would lose some of them.
        self.begin_value()?;
        self.nesting.out.put(0xF9);
        self.nesting.out.put_slice(&value.to_bits().to_be_bytes());
        Ok(())
    }

    fn tuple(&mut self, len: usize) -> Result<()> {
        if self.part == CborPart::Tuple && len == 2 {
            self.part = CborPart::Number;
            // The number and the content; the tag's head replaces the first.
            self.nesting.begin_value()?;
            self.nesting.open(2);
            return Ok(());
        }
        self.items(len)
    }

    fn record(&mut self, shape: &Shape) -> Result<()> {
        written(self.begin_value()?.map(shape.keys().len() as u64))?;
        self.nesting.open_record(shape, write_str)
    }

    fn logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        let Some(tag) = meaning_of(ty).and_then(|meaning| meaning.tag) else {
            return match (ty.kind(), ty.parameters()) {
                (LogicalType::TIMESTAMP, &[unit, LogicalType::UTC]) => {
                    self.begin_value()?;
                    self.nesting.open(1);
                    self.part = CborPart::Time(1000_u64.pow(u32::from(unit)));
                    Ok(())
                }
                _ => Err(refuse::event(Event::Logical(ty))),
            };
        };
        written(self.begin_value()?.tag(Tag::new(tag)))?;
        self.nesting.open(1);
        Ok(())
    }

    fn extension(&mut self, name: &Arc<str>) -> Result<()> {
        let part = match &**name {
            CBOR_TAG => CborPart::Tuple,
            CBOR_SIMPLE => CborPart::Simple,
            _ => return Err(refuse::event(Event::Extension(name))),
        };
        self.begin_value()?;
        self.nesting.open(1);
        self.part = part;
        Ok(())
    }

    #[inline]
    fn end(&mut self) -> Result<()> {
        if self.part != CborPart::None {
            return Err(self.misfit());
        }
        self.nesting.end()
    }

    fn float(&mut self, value: f64) -> Result<()> {
        written(self.begin_value()?.f64(value))
    }

    fn string(&mut self, value: &str) -> Result<()> {
        self.begin_value()?;
        write_str(&mut self.nesting.out, value)
    }

    fn map(&mut self, len: usize) -> Result<()> {
        written(self.begin_value()?.map(len as u64))?;
        self.nesting.open_map(len);
        Ok(())
    }
}

impl Sink for CborSink {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => written(self.begin_value()?.null()),
            Event::Bool(value) => written(self.begin_value()?.bool(value)),
            Event::Int(value) => self.int(value),
            Event::FixedInt(kind, bits) => self.fixed_int(kind, bits),
            Event::BigInt(_, big) => self.big_int(big),
            Event::F16(value) => self.f16(value),
            Event::Bf16(value) => written(self.begin_value()?.f32(value.into())),
            Event::F32(value) => written(self.begin_value()?.f32(value)),
            Event::F64(value) => self.float(value),
            Event::String(value) => self.string(value),
            Event::Bytes(value) | Event::Fixed(value) => {
                self.begin_value()?;
                write_bytes(&mut self.nesting.out, value)
            }
            Event::List(len) | Event::Array(len) => self.items(len),
            Event::Tuple(len) => self.tuple(len),
            Event::Record(shape) | Event::Struct(_, shape) => self.record(shape),
            Event::Map(len) => self.map(len),
            Event::Logical(ty) => self.logical(ty),
            Event::Extension(name) => self.extension(name),
            Event::End => self.end(),
            Event::Identity(_) | Event::Choice(_) => Ok(()),
            other => Err(refuse::event(other)),
        }
    }
}

impl Target for CborSink {
    fn holds(&self, ty: &LogicalType) -> bool {
        meaning_of(ty).is_some()
    }

    fn holds_extension(&self, name: &str) -> bool {
        name == CBOR_TAG || name == CBOR_SIMPLE
    }

    fn map_of_names(&mut self, len: usize) -> Result<()> {
        written(self.begin_value()?.map(len as u64))?;
        self.nesting.open(2 * len);
        Ok(())
    }
}
