//! Errors that serde has no word for.

use crate::error::{Code, Error};

#[cold]
pub(super) fn unrepresentable(expected: &'static str, got: &'static str) -> Error {
    Error::new(Code::Unrepresentable).expected(expected).got(got)
}
