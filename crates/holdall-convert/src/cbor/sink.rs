//! Events to CBOR.

use std::convert::Infallible;
use std::mem::take;
use std::sync::Arc;

use dashu_int::IBig;
use holdall::bindings::memory::{Grow, GrowVec};
use holdall::bindings::shorten_big;
use holdall::events::{Event, Sink};
use holdall::{Error, IntKind, LogicalType, Result, Shape, f16};
use minicbor::data::{Int, Tag};
use minicbor::encode;

use crate::coding::Target;
use crate::moment::Moment;
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
    /// What must follow in an extension or a logical value.
    part: CborPart,
    /// The digits of a decimal, in two's complement: its exponent precedes them.
    digits: Vec<u8>,
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
    Time(i64),
    /// The tuple of a decimal, then its sign, its digits and its exponent.
    Decimal,
    Sign,
    Digits(bool),
    Exponent,
}

/// The tags of times as text and as numbers of seconds, and of decimals.
const DATE_TIME: u64 = 0;
const TIME: u64 = 1;
const DECIMAL: u64 = 4;

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
            CborPart::Decimal | CborPart::Sign | CborPart::Digits(_) | CborPart::Exponent => {
                refuse("a decimal whose exponent has 64 bits", "another value")
            }
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

    /// The number of a timestamp: as text if it has a fraction of a second, which a float would not hold exactly.
    fn time(&mut self, units: i64, per_second: i64) -> Result<()> {
        self.part = CborPart::None;
        self.nesting.begin_value()?;
        if units % per_second == 0 {
            let mut cbor = Encoder::new(&mut self.nesting.out);
            let seconds = units / per_second;
            return written(
                cbor.tag(Tag::new(TIME)).and_then(|cbor| cbor.i64(seconds)).map(|_| ()),
            );
        }
        let Some(moment) = Moment::of_units(units.into(), per_second) else {
            let expected = "a timestamp of whole seconds, or of the years 0 to 9999";
            return Err(refuse(expected, format!("{units} units of {per_second} per second")));
        };
        written(Encoder::new(&mut self.nesting.out).tag(Tag::new(DATE_TIME)))?;
        write_str(&mut self.nesting.out, &moment.text())
    }

    /// The next number of a decimal, in two's complement.
    fn decimal(&mut self, number: &[u8]) -> Result<()> {
        let small = number::small(number);
        self.part = match (self.part, small) {
            (CborPart::Sign, Some(0)) => CborPart::Digits(false),
            (CborPart::Sign, Some(1)) => CborPart::Digits(true),
            (CborPart::Sign, _) => {
                return Err(refuse("a finite decimal, and no negative zero", "an infinity or NaN"));
            }
            (CborPart::Digits(true), Some(0)) => {
                return Err(refuse("a finite decimal, and no negative zero", "a negative zero"));
            }
            (CborPart::Digits(is_negative), _) => {
                self.digits = match is_negative {
                    true => (-IBig::from_le_bytes(number)).to_le_bytes().into_vec(),
                    false => number.to_vec(),
                };
                CborPart::Exponent
            }
            (_, exponent) => {
                let Some(exponent) = exponent.and_then(|value| i64::try_from(value).ok()) else {
                    return Err(self.misfit());
                };
                return self.fraction(exponent);
            }
        };
        self.nesting.begin_value()
    }

    /// The exponent of a decimal, and before it the tag.
    fn fraction(&mut self, exponent: i64) -> Result<()> {
        self.part = CborPart::None;
        self.nesting.begin_value()?;
        let mut cbor = Encoder::new(&mut self.nesting.out);
        let head = cbor.tag(Tag::new(DECIMAL)).and_then(|cbor| cbor.array(2));
        written(head.and_then(|cbor| cbor.i64(exponent)).map(|_| ()))?;
        let digits = take(&mut self.digits);
        self.integer(shorten_big(&digits))
    }

    /// Writes an integer in two's complement.
    fn integer(&mut self, twos_complement: &[u8]) -> Result<()> {
        let out = &mut self.nesting.out;
        out.room(HEAD);
        let small = number::small(twos_complement).and_then(|value| Int::try_from(value).ok());
        if let Some(value) = small {
            return written(Encoder::new(out).int(value));
        }
        let is_negative = twos_complement.last().is_some_and(|last| *last >= 0x80);
        let (tag, flip) = if is_negative { (3, 0xFF) } else { (2, 0) };
        let mut bytes: Vec<u8> = twos_complement.iter().rev().map(|byte| byte ^ flip).collect();
        // At most one byte was only for the sign.
        if bytes.first() == Some(&0) {
            bytes.remove(0);
        }
        written(Encoder::new(out).tag(Tag::new(tag)))?;
        write_bytes(out, &bytes)
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
            CborPart::Sign | CborPart::Digits(_) | CborPart::Exponent => {
                self.decimal(&value.to_le_bytes())
            }
            _ => written(self.begin_value()?.i64(value)),
        }
    }

    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        match self.part {
            CborPart::Number | CborPart::Simple if kind.is_signed() => self.int(bits.cast_signed()),
            CborPart::Number => self.tag(Some(bits)),
            CborPart::Simple => self.simple(u8::try_from(bits).ok()),
            CborPart::Sign | CborPart::Digits(_) | CborPart::Exponent => {
                let wide =
                    if kind.is_signed() { bits.cast_signed().into() } else { i128::from(bits) };
                self.decimal(&wide.to_le_bytes())
            }
            _ if kind.is_signed() => written(self.begin_value()?.i64(bits.cast_signed())),
            _ => written(self.begin_value()?.u64(bits)),
        }
    }

    fn big_int(&mut self, twos_complement: &[u8]) -> Result<()> {
        let small = number::small(twos_complement);
        if self.part == CborPart::Number {
            return self.tag(small.and_then(|value| u64::try_from(value).ok()));
        }
        if matches!(self.part, CborPart::Sign | CborPart::Digits(_) | CborPart::Exponent) {
            return self.decimal(twos_complement);
        }
        self.begin_value()?;
        self.integer(twos_complement)
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
        if self.part == CborPart::Decimal && len == 3 {
            self.part = CborPart::Sign;
            self.nesting.begin_value()?;
            self.nesting.open(3);
            return Ok(());
        }
        self.items(len)
    }

    fn record(&mut self, shape: &Shape) -> Result<()> {
        written(self.begin_value()?.map(shape.keys().len() as u64))?;
        self.nesting.open_record(shape, write_str)
    }

    fn logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        if let Some(tag) = meaning_of(ty).and_then(|meaning| meaning.tag) {
            written(self.begin_value()?.tag(Tag::new(tag)))?;
            self.nesting.open(1);
            return Ok(());
        }
        let part = match (ty.kind(), ty.parameters()) {
            (LogicalType::TIMESTAMP, &[unit, LogicalType::UTC]) => {
                CborPart::Time(1000_i64.pow(u32::from(unit)))
            }
            (LogicalType::DECIMAL, _) => CborPart::Decimal,
            _ => return Err(refuse::event(Event::Logical(ty))),
        };
        self.begin_value()?;
        self.nesting.open(1);
        self.part = part;
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
        let is_utc = matches!(ty.parameters(), [_, LogicalType::UTC]);
        meaning_of(ty).is_some()
            || (ty.kind() == LogicalType::TIMESTAMP && is_utc)
            || ty.kind() == LogicalType::DECIMAL
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
