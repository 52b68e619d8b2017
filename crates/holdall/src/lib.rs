//! holdall stores any in-memory value in compact bytes, with no schema to write first.
//!
//! The schema is inferred from the value and stored before the data. The data is stored as the schema's columns.
//! `spec/format.md` defines the bytes; the code cites its rules as F-1, F-2 and so on.
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

// The rules of `spec/format.md` about values, and the functions that follow them in writing and reading. The table
// in `holdall-format` has the rules about bytes. A test finds each function.
//
// | rules | what | writes | reads |
// |---|---|---|---|
// | F-33, F-35, F-37 | the walk | `dynamic::shredder::null()` | `dynamic::assemble_each()`, `typed::block_rows()` |
// | F-64, F-65 | shared values | `dynamic::row_back_reference()` | `dynamic::assembler::row_back_reference()`, `typed::reference()` |
// | F-45 | identity | `value::is_plain()` | `value::handle()` |
// | F-46, F-47, F-48 | sites and their variants | `dynamic::add_variant()`, `dynamic::presence()` | any reader |
// | F-49 | mappings | `dynamic::begin_mapping()` | any reader |
// | F-50, F-51 | folding, gathering | `dynamic::fold()`, `dynamic::variant()` | any reader |
// | F-52, F-53, F-54 | sites, shapes, definitions | `dynamic::layout::site()`, `dynamic::write_shapes()`, `dynamic::write_rows()` | any reader |
// | F-74 | long tuples | `dynamic::open_tuple()` | `dynamic::begin_long_tuple()` |
// | F-75, F-96 | order of members | `value::order_of()`, `typed::write_set()` | any reader |
// | F-78 | resolution | `resolution::rules::of()` | `resolution::resolver::plan()` |
// | F-79 | fields | `resolution::fields::fields()` | `resolution::rows::row_plan()` |
// | F-80 | identity in another schema | any writer | `resolution::plan::choose()` |
// | F-97 | options of serde | `serde::to_vec()` | `resolution::explicit_some()` |

mod canonical;
mod decoder;
mod dynamic;
mod encoder;
pub mod resolution;
#[cfg(feature = "serde")]
pub mod serde;
mod small;
pub mod stream;
pub mod testing;
pub mod typed;
pub mod value;
pub mod view;

// The storeys below, under their own names.
use holdall_format::{
    block, column, envelope, error, input, kernel, limits, memory, message, number, schema,
};

/// Values as events: sources emit them, sinks take them. Converters of other formats use this.
pub mod events {
    pub use crate::dynamic::{Event, RowId, Shredder, Sink, Source, TensorRef};
}

/// Schemas as people write them, with comments and docs.
pub mod schema_text {
    pub use holdall_format::schema::SchemaText;
}

/// Describes each byte of a message, for tools that inspect one ([`Decoder::trace`]), and locates its columns.
pub mod trace {
    pub use holdall_format::column::Place;
    pub use holdall_format::envelope::has_checksum;
    pub use holdall_format::input::trace::{Form, Part, Preview, Span};
    pub use holdall_format::message::{ColumnPlace, Trace, TracedColumn, locate_columns};
}

/// For bindings to other languages, such as the Python package, and for this project's benchmarks: rows and columns
/// without events in between, messages in steps and pieces, the inner loops. **Not public API**: anything here may
/// change or disappear in any version.
#[doc(hidden)]
pub mod bindings {
    pub use holdall_format::block;
    pub use holdall_format::column::bits::Bits;
    pub use holdall_format::column::ints::{IntBuffer, IntRows};
    pub use holdall_format::column::packed;
    pub use holdall_format::column::pieces::Pieces;
    pub use holdall_format::column::text;
    pub use holdall_format::kernel;
    pub use holdall_format::memory;
    pub use holdall_format::number::{big_of_bits, shorten_big};
    pub use holdall_format::schema;
    pub use holdall_format::schema::Type;

    pub use crate::canonical::{DEEPEST, without_order};
    pub use crate::decoder::Checked;
    pub use crate::dynamic::{
        BlockReader, Container, Handle, ListHandle, Row, RowInt, RowShape, SiteForm,
    };
    pub use crate::encoder::Taken;
    pub use crate::small::{
        Fields, Shapes, SmallName, SmallReader, SmallSchema, SmallType, SmallWriter, is_data,
    };
    pub use crate::value::emit_copies;
}

pub use decoder::Decoder;
pub use dynamic::{Shredder, Sink, Source};
pub use encoder::{Body, Encoder};
pub use half::{bf16, f16};
#[cfg(feature = "derive")]
pub use holdall_derive::{Decode, Encode};
pub use holdall_format::column::Profile;
pub use holdall_format::envelope::{Metadata, message_len};
pub use holdall_format::error::{Code, Error, LooksLike, Result};
pub use holdall_format::limits::Limits;
pub use holdall_format::message::{Alignment, Header};
pub use holdall_format::number::IntKind;
pub use holdall_format::schema::{DType, LogicalType, Schema, SchemaStore, Shape};
pub use resolution::{Diff, Field, Resolver};
pub use stream::{OnDamage, Reader, Writer, WriterOptions};
pub use typed::{Decode, DecodeOwned, Encode};
pub use value::{BigInt, Shared, Tensor, Value, ValueBuilder};
pub use view::View;

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
#[doc = include_str!("../../../docs/schemas.md")]
struct Schemas;

#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../../../docs/files.md")]
struct Files;

/// Writes a value as a self-describing message: a [`Value`], or a type with [`Encode`].
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
