//! Types of other crates, each behind the feature with its crate's name. Types with the same meaning have the same
//! schema, whichever crate they come from: each reads what the others wrote.

#[cfg(feature = "arrayvec")]
mod arrayvec;
#[cfg(feature = "bigdecimal")]
mod bigdecimal;
#[cfg(feature = "bitvec")]
mod bitvec;
#[cfg(feature = "bytes")]
mod bytes;
#[cfg(any(feature = "chrono", feature = "time", feature = "jiff"))]
mod calendar;
#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "compact_str")]
mod compact_str;
#[cfg(any(feature = "rust_decimal", feature = "bigdecimal"))]
mod decimal;
#[cfg(feature = "either")]
mod either;
#[cfg(feature = "geo-types")]
mod geo_types;
#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "indexmap")]
mod indexmap;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(any(feature = "num-bigint", feature = "num-bigint-05"))]
mod num_bigint;
#[cfg(feature = "num-complex")]
mod num_complex;
#[cfg(feature = "num-rational")]
mod num_rational;
#[cfg(any(feature = "chrono", feature = "time"))]
mod offset;
#[cfg(feature = "ordered-float")]
mod ordered_float;
#[cfg(any(feature = "semver", feature = "url"))]
mod parsed;
#[cfg(feature = "rust_decimal")]
mod rust_decimal;
#[cfg(feature = "serde_json")]
mod serde_json;
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
use alloc::string::String;

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
