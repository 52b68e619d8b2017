//! The rules of chapter 13, as errors cite them.

pub(crate) use crate::error::{FIELDS, NO_LINE, VARIANTS};

use super::rules::Rule;
use crate::schema::Type;

/// The rule for a value in an unknown encoding.
pub(super) const UNKNOWN: &str = "F-77";
pub(super) const IDENTITY: &str = "F-80";

macro_rules! lines {
    ($($name:ident = $number:literal,)*) => {
        $(pub(crate) const $name: &str = concat!("F-78 line ", $number);)*
    };
}

lines! {
    FROM_OPTION = 3,
    FROM_UNION = 4,
    INTO_OPTION = 5,
    INTO_UNION = 6,
    INTO_EXTENSION = 11,
    UNITS = 13,
    FROM_LOGICAL = 14,
    INTO_LOGICAL = 15,
    INTEGERS = 17,
    INTO_FLOAT = 18,
    FLOATS = 19,
    BYTES = 20,
    TENSORS = 21,
    ITEMS = 22,
    MAPS = 25,
}

/// Returns the line by which a type of r leaves a choice.
pub(super) fn choice(reader: &Type) -> &'static str {
    match reader {
        Type::Option(_) => INTO_OPTION,
        Type::Union(of) if of.names.is_none() => INTO_UNION,
        Type::Extension(..) => INTO_EXTENSION,
        Type::Logical(..) => INTO_LOGICAL,
        // A struct with several versions, one of which leads back to itself.
        _ => NO_LINE,
    }
}

impl Rule {
    /// Returns the line that a value violates if it does not fit. The lines that are not listed accept every value, or leave the
    /// decision to inner pairs.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Rule::None(name) => name,
            Rule::Option { .. } => FROM_OPTION,
            Rule::Union(_) => FROM_UNION,
            Rule::SerdeOption(_) => INTO_OPTION,
            Rule::Variants(_) => VARIANTS,
            Rule::Parts(_) => FROM_LOGICAL,
            Rule::Seconds(_) => INTO_LOGICAL,
            Rule::Int(_) => INTEGERS,
            Rule::IntAsFloat(_) => INTO_FLOAT,
            Rule::Float(_) => FLOATS,
            Rule::Blob(_) => BYTES,
            Rule::Items(..) | Rule::Each(..) => ITEMS,
            _ => NO_LINE,
        }
    }
}
