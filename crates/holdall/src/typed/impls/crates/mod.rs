//! Types of other crates, each behind the feature with its crate's name. Types with the same meaning have the same
//! schema, whichever crate they come from: each reads what the others wrote.

#[cfg(feature = "arrayvec")]
mod arrayvec;
#[cfg(feature = "bigdecimal")]
mod bigdecimal;
#[cfg(feature = "bytes")]
mod bytes;
#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
mod calendar;
#[cfg(feature = "chrono")]
mod chrono;
#[cfg(any(feature = "rust_decimal", feature = "bigdecimal"))]
mod decimal;
#[cfg(feature = "indexmap")]
mod indexmap;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "num-bigint")]
mod num_bigint;
#[cfg(feature = "num-complex")]
mod num_complex;
#[cfg(feature = "num-rational")]
mod num_rational;
#[cfg(any(feature = "chrono", feature = "time"))]
mod offset;
#[cfg(feature = "rust_decimal")]
mod rust_decimal;
#[cfg(feature = "smallvec")]
mod smallvec;
#[cfg(feature = "jiff")]
mod span;
#[cfg(feature = "time")]
mod time;
#[cfg(feature = "uuid")]
mod uuid;

#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "ndarray",
    feature = "num-rational"
))]
use crate::error::{Code, Error};

/// The error for a value that the schema of its type cannot represent.
#[cfg(any(feature = "chrono", feature = "jiff", feature = "ndarray", feature = "num-rational"))]
#[cold]
fn unsupported(expected: &'static str, got: impl Into<String>) -> Error {
    Error::new(Code::UnsupportedValue).expected(expected).got(got.into())
}
