//! The errors of the crate are those of the library.

use arrow_schema::ArrowError;
use holdall::{Code, Error};

/// Arrow has no type for a place, or none that all its values fit.
#[cold]
pub fn unmappable(got: impl Into<String>, path: impl FnOnce() -> String) -> Error {
    Error::new(Code::Unsupported).expected("a type that Arrow has").got(got.into()).with_path(path)
}

/// A value is beyond the range of its place's Arrow type.
#[cold]
pub fn beyond(expected: impl Into<String>, path: impl FnOnce() -> String) -> Error {
    Error::new(Code::Unconvertible)
        .expected(expected.into())
        .got("a value beyond its range")
        .with_path(path)
}

/// Arrow refuses an array.
#[cold]
pub fn of_arrow(error: &ArrowError) -> Error {
    Error::new(Code::Unconvertible).expected("an Arrow array").got(error.to_string())
}

/// The same for readers of record batches.
#[cold]
pub fn to_arrow(error: Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}
