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
//! assert_eq!(holdall::from_slice::<holdall::Value>(&bytes)?, value);
//! # Ok::<(), holdall::Error>(())
//! ```

#[doc(hidden)]
pub mod canonical;
mod decoder;
pub mod dynamic;
mod encoder;
mod resolution;
#[cfg(feature = "serde")]
pub mod serde;
#[doc(hidden)]
pub mod single;
pub mod stream;
pub mod testing;
pub mod typed;
mod value;
mod view;

#[doc(hidden)]
pub use holdall_format::kernel;
// The storeys below, by the names that they have there.
use holdall_format::{block, column, envelope, error, input, limits, message, number, schema};

/// What each byte of a message is, for people who look into one: [`Decoder::trace`].
pub mod trace {
    pub use holdall_format::input::trace::{Form, Part, Preview, Span};
    pub use holdall_format::message::{Column, Trace};
}

pub use decoder::{Checked, Decoder};
pub use dynamic::{
    Container, Handle, ListHandle, Row, RowId, RowInt, RowShape, Rows, Shredder, Sink, SiteForm,
    Source, TensorRef,
};
pub use encoder::{Body, Encoder, Taken};
pub use half::{bf16, f16};
#[cfg(feature = "derive")]
pub use holdall_derive::{Decode, Encode};
pub use holdall_format::column::pieces::Pieces;
pub use holdall_format::column::{Place, Profile};
pub use holdall_format::envelope::{Metadata, has_checksum, message_len};
pub use holdall_format::error::{Code, Error, LooksLike, Result};
pub use holdall_format::input::ReadAt;
pub use holdall_format::limits::Limits;
pub use holdall_format::message::{Alignment, ColumnPlace, Header, locate_columns};
pub use holdall_format::number::IntKind;
pub use holdall_format::schema::{DType, Element, LogicalType, Schema, SchemaStore, Shape};
pub use resolution::{Change, ChangeKind, Diff, Doubt, Field, Plan, Reads, Resolver};
pub use stream::{OnDamage, Reader, Writer, WriterOptions};
pub use typed::{Decode, DecodeOwned, Encode};
pub use value::{
    Array, BigInt, Extension, List, Logical, Map, Record, Shared, Struct, Tensor, Tuple, Value,
    ValueBuilder, Variant, WeakShared,
};
pub use view::{
    Bytes, Column, Numbers, Site, Strings, TensorPlace, Tensors, TextBytes, Values, View, WideInts,
};

#[cfg(all(doctest, feature = "derive", feature = "serde"))]
#[doc = include_str!("../../../docs/evolution.md")]
struct Evolution;

#[cfg(all(doctest, feature = "derive", feature = "serde"))]
#[doc = include_str!("../../../docs/coming-from.md")]
struct ComingFrom;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/views.md")]
struct Views;

#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../../../docs/files.md")]
struct Files;

/// Writes a value as a message that explains itself: a [`Value`], or one of a type with [`Encode`].
///
/// # Errors
/// As [`Encoder::encode`].
pub fn to_vec<T: Encode + ?Sized>(value: &T) -> Result<Vec<u8>> {
    Encoder::new().encode(value)
}

/// Reads a message into a [`Value`], or into a type with [`Decode`].
///
/// # Errors
/// As [`Decoder::decode`].
pub fn from_slice<'de, T: Decode<'de>>(message: &'de [u8]) -> Result<T> {
    Decoder::new().decode(message)
}
