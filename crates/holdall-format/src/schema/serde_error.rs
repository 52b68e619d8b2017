//! Conversion of serde's errors into `Error`, with names written as in paths.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use core::fmt::Display;

use serde::de::{Expected, Unexpected};

use crate::error::{Code, Error, FIELDS, VARIANTS};
use crate::schema::path;

/// Longer texts are cut off, because an error can quote a value.
const MAX_SHOWN_MESSAGE: usize = 200;

fn text(of: impl Display) -> String {
    path::shorten(&of.to_string(), MAX_SHOWN_MESSAGE).into_owned()
}

impl serde::ser::Error for Error {
    fn custom<T: Display>(message: T) -> Error {
        Error::new(Code::Custom).got(message.to_string())
    }
}

/// A value that does not fit its type has the same code as in reading with another schema.
impl serde::de::Error for Error {
    fn custom<T: Display>(message: T) -> Error {
        Error::new(Code::Custom).got(message.to_string())
    }

    fn invalid_type(got: Unexpected<'_>, expected: &dyn Expected) -> Error {
        unfit(expected, got)
    }

    fn invalid_value(got: Unexpected<'_>, expected: &dyn Expected) -> Error {
        unfit(expected, got)
    }

    fn invalid_length(len: usize, expected: &dyn Expected) -> Error {
        unfit(expected, format_args!("a length of {len}"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Error {
        unfit(format_args!("a variant of {}", names(expected)), format_args!("`{variant}`"))
            .by(VARIANTS)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Error {
        Error::new(Code::UnknownField)
            .with_path(|| path::field(field))
            .expected(format!("a field of {}", names(expected)))
            .got(text(format_args!("{field:?}")))
            .by(FIELDS)
    }

    fn missing_field(field: &'static str) -> Error {
        Error::new(Code::MissingField)
            .with_path(|| path::field(field))
            .expected(format!("a field {field:?}, or a default for it"))
            .got("neither")
            .by(FIELDS)
    }

    fn duplicate_field(field: &'static str) -> Error {
        Error::new(Code::DuplicateKey)
            .with_path(|| path::field(field))
            .expected("each field once")
            .got(format!("{field:?} twice"))
            .by(FIELDS)
    }
}

#[cold]
fn unfit(expected: impl Display, got: impl Display) -> Error {
    Error::new(Code::Unconvertible).expected(text(expected)).got(text(got))
}

fn names(names: &[&str]) -> String {
    text(match names {
        [] => "none".to_owned(),
        _ => format!("`{}`", names.join("`, `")),
    })
}
