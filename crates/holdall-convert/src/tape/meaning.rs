//! Logical types that have their own form in another format.

use holdall::LogicalType;

use super::{Kind, Tape};
use crate::moment::{Moment, parse_date};

/// The value that a meaning requires, and its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An integer.
    Int,
    /// A text.
    String,
    /// An array, as list.
    List,
    /// This many bytes, as a byte string of fixed length.
    Fixed(usize),
    /// Two integers in an array, as tuple.
    Pair,
    /// An exponent of 64 bits and an integer in an array, as the three parts of a decimal.
    Decimal,
}

/// A logical type, and its tag in CBOR.
pub(crate) struct Meaning {
    pub(crate) tag: Option<u64>,
    pub(crate) kind: u8,
    pub(crate) parameters: &'static [u8],
    pub(crate) form: Form,
}

const fn meaning(tag: u64, kind: u8, parameters: &'static [u8], form: Form) -> Meaning {
    Meaning { tag: Some(tag), kind, parameters, form }
}

/// The meanings of MessagePack's timestamps, and of times with a fraction of a second.
pub(crate) const NANOSECONDS: usize = 0;
const MICROSECONDS: usize = 1;
/// The meaning of dates.
const DATE: usize = 2;
/// The meaning of times of whole seconds.
const SECONDS: usize = 3;

pub(crate) const MEANINGS: [Meaning; 11] = [
    Meaning { tag: None, kind: LogicalType::TIMESTAMP, parameters: &[3, 1], form: Form::Int },
    Meaning { tag: None, kind: LogicalType::TIMESTAMP, parameters: &[2, 1], form: Form::Int },
    // RFC 8943.
    meaning(100, LogicalType::DATE, &[], Form::Int),
    // RFC 8949, 3.4.2: seconds since 1970 in UTC.
    meaning(1, LogicalType::TIMESTAMP, &[0, 1], Form::Int),
    // RFC 8949, 3.4.4.
    meaning(4, LogicalType::DECIMAL, &[], Form::Decimal),
    meaning(30, LogicalType::RATIONAL, &[], Form::Pair),
    meaning(32, LogicalType::URL, &[], Form::String),
    meaning(37, LogicalType::UUID, &[], Form::Fixed(16)),
    // RFC 9164.
    meaning(52, LogicalType::IP_ADDRESS, &[4], Form::Fixed(4)),
    meaning(54, LogicalType::IP_ADDRESS, &[6], Form::Fixed(16)),
    meaning(258, LogicalType::SET, &[], Form::List),
];

/// Returns the meaning of a type whose values have a tag in CBOR before their storage.
pub(crate) fn meaning_of(ty: &LogicalType) -> Option<&'static Meaning> {
    let is_it = |meaning: &&Meaning| {
        meaning.form != Form::Decimal
            && meaning.tag.is_some()
            && meaning.kind == ty.kind()
            && meaning.parameters == ty.parameters()
    };
    MEANINGS.iter().find(is_it)
}

impl Tape {
    /// Returns the number of the meaning that a tag gives to the complete value at a position.
    pub(super) fn meaning(&self, input: &[u8], tag: u64, position: usize) -> Option<usize> {
        let fits = |meaning: &Meaning| {
            meaning.tag == Some(tag) && self.has_form(input, meaning.form, position)
        };
        MEANINGS.iter().position(fits)
    }

    fn has_form(&self, input: &[u8], form: Form, position: usize) -> bool {
        let Some(&token) = self.tokens.get(position) else { return false };
        let is = |at: usize, kinds: &[Kind]| {
            self.tokens.get(at).is_some_and(|token| kinds.contains(&token.kind))
        };
        let is_int = |at: usize| is(at, &[Kind::Int, Kind::Big]);
        match form {
            Form::Int => is_int(position),
            Form::String => token.kind == Kind::String,
            Form::List => token.kind == Kind::List,
            Form::Fixed(len) => {
                token.kind == Kind::Bytes && self.content(input, token).len() == len
            }
            Form::Pair => {
                token.kind == Kind::List
                    && is_int(position + 1)
                    && is_int(position + 2)
                    && is(position + 3, &[Kind::End])
            }
            Form::Decimal => {
                is(position + 1, &[Kind::Int]) && self.has_form(input, Form::Pair, position)
            }
        }
    }

    /// Returns the number of the meaning, and the days or units since 1970, that a tag gives to a text or float.
    pub(super) fn moment(&self, input: &[u8], tag: u64, position: usize) -> Option<(usize, i64)> {
        let token = *self.tokens.get(position)?;
        let is_text = token.kind == Kind::String;
        let moment = match tag {
            // RFC 8949, 3.4.1 and 3.4.2.
            0 if is_text => Moment::parse(self.str(input, token))?,
            1 => Moment::of_seconds(token.float()?)?,
            // RFC 8943.
            1004 if is_text => return Some((DATE, parse_date(self.content(input, token))?)),
            _ => return None,
        };
        // Whole seconds have the type of those that are a number, as which they are written.
        [(SECONDS, 1), (MICROSECONDS, 1_000_000), (NANOSECONDS, 1_000_000_000)]
            .into_iter()
            .find_map(|(meaning, per_second)| Some((meaning, moment.units(per_second)?)))
    }

    /// Returns the float that an exponent of 2 and an integer, in an array at a position, are exactly, if there is one.
    pub(super) fn binary_fraction(&self, position: usize) -> Option<f64> {
        if !self.has_form(&[], Form::Pair, position) {
            return None;
        }
        let [exponent, mantissa] = [position + 1, position + 2].map(|at| self.tokens[at]);
        if exponent.kind != Kind::Int || mantissa.kind != Kind::Int {
            return None;
        }
        let mantissa = mantissa.payload.cast_signed();
        if mantissa == 0 {
            return Some(0.0);
        }
        let zeros = mantissa.trailing_zeros();
        let odd = mantissa >> zeros;
        let exponent = exponent.payload.cast_signed().checked_add(i64::from(zeros))?;
        // The bits of an f64, and the exponents of its lowest one.
        let highest = exponent.checked_add(64 - i64::from(odd.unsigned_abs().leading_zeros()))?;
        if odd.unsigned_abs() >= 1 << 53 || exponent < -1074 || highest > 1024 {
            return None;
        }
        // Each factor is a power of 2 that an f64 has, and so is what remains of the value.
        let half = exponent / 2;
        let powers = [half, exponent - half].map(|power| 2_f64.powi(power as i32));
        Some(odd as f64 * powers[0] * powers[1])
    }
}
