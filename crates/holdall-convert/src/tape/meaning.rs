//! Logical types that have their own form in another format.

use holdall::LogicalType;

use super::{Kind, Tape};

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

/// The meaning of MessagePack's timestamps.
pub(crate) const NANOSECONDS: usize = 0;

pub(crate) const MEANINGS: [Meaning; 9] = [
    Meaning { tag: None, kind: LogicalType::TIMESTAMP, parameters: &[3, 1], form: Form::Int },
    // RFC 8949, 3.4.2: seconds since 1970 in UTC. For floats there is no type that holds them.
    meaning(1, LogicalType::TIMESTAMP, &[0, 1], Form::Int),
    meaning(30, LogicalType::RATIONAL, &[], Form::Pair),
    meaning(32, LogicalType::URL, &[], Form::String),
    meaning(37, LogicalType::UUID, &[], Form::Fixed(16)),
    // RFC 9164.
    meaning(52, LogicalType::IP_ADDRESS, &[4], Form::Fixed(4)),
    meaning(54, LogicalType::IP_ADDRESS, &[6], Form::Fixed(16)),
    // RFC 8943.
    meaning(100, LogicalType::DATE, &[], Form::Int),
    meaning(258, LogicalType::SET, &[], Form::List),
];

/// Returns the meaning of a type that has a tag in CBOR.
pub(crate) fn meaning_of(ty: &LogicalType) -> Option<&'static Meaning> {
    let is_it = |meaning: &&Meaning| {
        meaning.tag.is_some() && meaning.kind == ty.kind() && meaning.parameters == ty.parameters()
    };
    MEANINGS.iter().find(is_it)
}

impl Tape {
    /// Returns the number of the meaning that a tag gives to the complete value at a position.
    pub(super) fn meaning(&self, input: &[u8], tag: u64, position: usize) -> Option<usize> {
        let number = MEANINGS.iter().position(|meaning| meaning.tag == Some(tag))?;
        let token = *self.tokens.get(position)?;
        let is_int = |at: usize| {
            self.tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Int | Kind::Big))
        };
        let fits = match MEANINGS[number].form {
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
                    && self.tokens.get(position + 3).is_some_and(|end| end.kind == Kind::End)
            }
        };
        fits.then_some(number)
    }
}
