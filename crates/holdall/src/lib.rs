//! holdall stores any in-memory value, fast and small, with nothing to write first.
//!
//! A schema is inferred from the value and goes ahead as a compact header; the body is the schema's
//! columns. The bytes are described by `spec/format.md`, whose rules the code cites as F-1, F-2 and so on.
//!
//! ```
//! use holdall::Value;
//!
//! let value = Value::record([("a", Value::from(1))]);
//! let bytes = holdall::to_vec(&value)?;
//! assert_eq!(bytes, [0xC1, 0x10, 0x1A, 0x08, 0x04, b'a', 0x03, 0x04]);
//! assert_eq!(holdall::from_slice(&bytes)?, value);
//! # Ok::<(), holdall::Error>(())
//! ```

mod block;
mod column;
pub mod dynamic;
mod envelope;
mod error;
mod input;
#[doc(hidden)]
pub mod kernel;
mod limits;
mod message;
mod metadata;
mod names;
mod number;
mod packed;
mod path;
mod resolution;
mod row_path;
mod schema;
pub mod trace;
mod value;

pub use column::Place;
pub use dynamic::{Row, RowId, Shape, Shredder, Sink, Source, TensorRef};
pub use envelope::{has_checksum, message_len};
pub use error::{Code, Error, Result};
pub use half::{bf16, f16};
pub use limits::Limits;
pub use message::{
    Alignment, Body, ColumnPlace, Decoder, Encoder, Header, Profile, locate_columns,
};
pub use metadata::Metadata;
pub use number::IntKind;
pub use resolution::{Change, ChangeKind, Diff, Doubt, Field, Plan, Reads, Resolver};
pub use schema::{DType, Element, LogicalType, Schema};
pub use value::{
    Array, BigInt, Extension, List, Logical, Map, Record, Shared, Struct, Tensor, Tuple, Value,
    ValueBuilder, Variant, WeakShared,
};

/// Writes a value as a message that explains itself.
///
/// # Errors
/// As [`Encoder::message`].
pub fn to_vec(value: &Value) -> Result<Vec<u8>> {
    Encoder::new().message(&mut &*value)
}

/// Reads a message into a [`Value`].
///
/// # Errors
/// As [`Decoder::message`].
pub fn from_slice(message: &[u8]) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    Decoder::new().message(message, &mut builder)?;
    builder.finish()
}
