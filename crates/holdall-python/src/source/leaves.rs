//! Values that hold no other objects, as logical types: one table for all walks. Finding the parts
//! of one runs no Python code.

use holdall::bindings::schema;
use holdall::{IntKind, LogicalType};
use pyo3::prelude::*;
use pyo3::types::{
    PyComplex, PyComplexMethods, PyDate, PyDateTime, PyDelta, PyDeltaAccess, PyTime, PyTimeAccess,
    PyTuple, PyType, PyTzInfo, PyTzInfoAccess,
};

use super::times::{DAY, MICRO, US, day_of, micros_of, micros_of_delta};
use crate::once::intern;
use crate::{decimals, raw, uuid};

/// The type of a part.
pub type LeafPart = schema::Scalar;

/// The most words of a leaf.
pub const WORDS: usize = 3;

/// How leaves are stored (F-72). Each form is one constant, which its address identifies.
#[derive(Debug)]
pub struct LeafForm {
    pub kind: u8,
    pub parameters: &'static [u8],
    /// Several parts are a tuple.
    pub parts: &'static [LeafPart],
}

impl PartialEq for LeafForm {
    #[inline]
    fn eq(&self, other: &LeafForm) -> bool {
        std::ptr::eq(self, other)
    }
}

/// The parts of a leaf one after the other: a number or the bits of a float as one word, 16 bytes
/// as two.
pub struct Leaf {
    pub form: &'static LeafForm,
    pub words: [u64; WORDS],
}

const INT: LeafPart = LeafPart::Int(IntKind::Int);

const fn form(kind: u8, parameters: &'static [u8], parts: &'static [LeafPart]) -> LeafForm {
    LeafForm { kind, parameters, parts }
}

static DATE: LeafForm = form(LogicalType::DATE, &[], &[INT]);
static TIME: LeafForm = form(LogicalType::TIME, &[MICRO], &[INT]);
static DURATION: LeafForm = form(LogicalType::DURATION, &[MICRO], &[INT]);
static LOCAL: LeafForm = form(LogicalType::TIMESTAMP, &[MICRO, 0], &[INT]);
static UTC: LeafForm = form(LogicalType::TIMESTAMP, &[MICRO, 1], &[INT]);
static OFFSET: LeafForm =
    form(LogicalType::TIMESTAMP, &[MICRO, 2], &[INT, LeafPart::Int(IntKind::I32)]);
static DECIMAL: LeafForm = form(LogicalType::DECIMAL, &[], &[LeafPart::Int(IntKind::U8), INT, INT]);
static COMPLEX: LeafForm = form(LogicalType::COMPLEX, &[8], &[LeafPart::F64, LeafPart::F64]);
static UUID: LeafForm = form(LogicalType::UUID, &[], &[LeafPart::Fixed(16)]);

/// A class whose objects mostly are leaves.
pub enum LeafClass {
    Date,
    Time,
    DateTime,
    TimeDelta,
    Decimal,
    Complex,
    Uuid(Box<uuid::UuidParts>),
}

impl LeafClass {
    /// Returns the class with a name in plans, if objects of it can be leaves.
    pub fn of(class: &Bound<'_, PyType>, name: &str) -> PyResult<Option<LeafClass>> {
        Ok(Some(match name {
            "date" => LeafClass::Date,
            "time" => LeafClass::Time,
            "datetime" => LeafClass::DateTime,
            "timedelta" => LeafClass::TimeDelta,
            "complex" => LeafClass::Complex,
            // The class written in Python computes its text.
            "decimal" if class.py().import("_decimal")?.getattr("Decimal")?.is(class) => {
                decimals::check(class.py());
                LeafClass::Decimal
            }
            "uuid" => match uuid::UuidParts::of(class)? {
                Some(parts) => LeafClass::Uuid(Box::new(parts)),
                None => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    /// Returns the form of an object of the class, if it is a leaf.
    #[inline]
    pub fn form(&self, object: &Bound<'_, PyAny>) -> Option<&'static LeafForm> {
        Some(match self {
            LeafClass::Date => &DATE,
            LeafClass::Time => &TIME,
            LeafClass::DateTime => datetime_form(object.cast::<PyDateTime>().ok()?)?,
            LeafClass::TimeDelta => &DURATION,
            LeafClass::Decimal => &DECIMAL,
            LeafClass::Complex => &COMPLEX,
            LeafClass::Uuid(_) => &UUID,
        })
    }

    /// Returns an object of the class as a leaf, if it is one.
    #[inline]
    pub fn leaf(&self, object: &Bound<'_, PyAny>) -> Option<Leaf> {
        let one = |form, number: i64| Some(Leaf { form, words: [number.cast_unsigned(), 0, 0] });
        match self {
            LeafClass::Date => one(&DATE, day_of(object.cast::<PyDate>().ok()?)),
            LeafClass::Time => {
                let time = object.cast::<PyTime>().ok()?;
                let is_plain = time.get_tzinfo().is_none() && !time.get_fold();
                one(&TIME, micros_of(time)).filter(|_| is_plain)
            }
            LeafClass::DateTime => datetime(object.cast::<PyDateTime>().ok()?),
            LeafClass::TimeDelta => {
                let micros = micros_of_delta(object.cast::<PyDelta>().ok()?);
                one(&DURATION, i64::try_from(micros).ok()?)
            }
            LeafClass::Decimal => {
                let (form, coefficient, exponent) = small_decimal(object)?;
                let words = [form.into(), coefficient.cast_unsigned(), exponent.cast_unsigned()];
                Some(Leaf { form: &DECIMAL, words })
            }
            LeafClass::Complex => {
                let complex = object.cast::<PyComplex>().ok()?;
                let words = [complex.real().to_bits(), complex.imag().to_bits(), 0];
                Some(Leaf { form: &COMPLEX, words })
            }
            LeafClass::Uuid(parts) => {
                let number = u128::from_le_bytes(parts.bytes(object)?);
                Some(Leaf { form: &UUID, words: [number as u64, (number >> 64) as u64, 0] })
            }
        }
    }

    /// Whether leaves of the class mostly are one integer.
    pub fn is_time(&self) -> bool {
        matches!(
            self,
            LeafClass::Date | LeafClass::Time | LeafClass::DateTime | LeafClass::TimeDelta
        )
    }
}

impl Leaf {
    /// Returns its parts and their words.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (LeafPart, &[u64])> {
        let mut rest = &self.words[..];
        self.form.parts.iter().map(move |part| {
            let (words, after) = rest.split_at(words_of(*part));
            rest = after;
            (*part, words)
        })
    }
}

/// The number of words of a part.
pub fn words_of(part: LeafPart) -> usize {
    if matches!(part, LeafPart::Fixed(_)) { 2 } else { 1 }
}

/// Returns a datetime without a zone, in UTC, or of a fixed offset.
#[inline]
fn datetime(time: &Bound<'_, PyDateTime>) -> Option<Leaf> {
    if time.get_fold() {
        return None;
    }
    let local = day_of(time) * DAY * US + micros_of(time);
    let form = datetime_form(time)?;
    let seconds = if *form == OFFSET { fixed_offset(&time.get_tzinfo()?)? } else { 0 };
    Some(Leaf { form, words: [(local - seconds * US).cast_unsigned(), seconds.cast_unsigned(), 0] })
}

/// Returns the form of a datetime, if it is a leaf.
#[inline]
fn datetime_form(time: &Bound<'_, PyDateTime>) -> Option<&'static LeafForm> {
    Some(match time.get_tzinfo() {
        None => &LOCAL,
        Some(tz) if tz.is(&*PyTzInfo::utc(time.py()).ok()?) => &UTC,
        Some(_) => &OFFSET,
    })
}

/// Returns the seconds of a time zone of `datetime`, if it has no name.
fn fixed_offset(tz: &Bound<'_, PyTzInfo>) -> Option<i64> {
    let py = tz.py();
    if !tz.get_type().is(PyTzInfo::utc(py).ok()?.get_type()) {
        return None;
    }
    let parts = tz.call_method0(intern!(py, "__getinitargs__")).ok()?;
    let (offset,) = parts.cast_into::<PyTuple>().ok()?.extract::<(Bound<'_, PyDelta>,)>().ok()?;
    let seconds = i64::from(offset.get_days()) * DAY + i64::from(offset.get_seconds());
    (offset.get_microseconds() == 0).then_some(seconds)
}

/// Returns the form, coefficient and exponent of a decimal, if they fit 64 bits.
#[inline]
pub(super) fn small_decimal(object: &Bound<'_, PyAny>) -> Option<(u8, i64, i64)> {
    if let Some((negative, coefficient, exponent)) = decimals::parts(object)
        && let Ok(coefficient) = i64::try_from(coefficient)
    {
        return Some((u8::from(negative), coefficient, exponent));
    }
    let text = object.str().ok()?;
    decimal_parts(raw::utf8(&text).ok()?)
}

/// The same from its text.
fn decimal_parts(text: &str) -> Option<(u8, i64, i64)> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (1, rest),
        None => (0, text),
    };
    let payload = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse().ok() };
    if text == "Infinity" {
        return Some((2 + negative, 0, 0));
    }
    if let Some(digits) = text.strip_prefix("sNaN") {
        return Some((6 + negative, payload(digits)?, 0));
    }
    if let Some(digits) = text.strip_prefix("NaN") {
        return Some((4 + negative, payload(digits)?, 0));
    }
    let (mut coefficient, mut exponent, mut part) = (0_i64, 0_i64, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => {
                coefficient = coefficient.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
                exponent -= part;
            }
            b'.' if part == 0 => part = 1,
            b'E' => {
                let power: i64 = text[at + 1..].parse().ok()?;
                return Some((negative, coefficient, exponent.checked_add(power)?));
            }
            _ => return None,
        }
    }
    Some((negative, coefficient, exponent))
}
