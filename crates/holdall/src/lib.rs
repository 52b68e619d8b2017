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
//!
//! # Without std
//!
//! With `default-features = false, features = ["derive"]` the crate needs `core` and `alloc` alone, and writes the same bytes.
//! What is left: [`to_vec`], [`to_slice`], [`from_slice`], [`Encoder`], [`Decoder`], the derives, [`Value`], [`Archive`],
//! [`Schema`] and, with the feature `evolution`, [`Resolver`]. What needs std: readers and writers, files, streams, views,
//! stores of schemas, threads, zstd, serde, and the other crates' types whose features need it.
//!
//! - The target needs pointers that can be exchanged atomically (`target_has_atomic = "ptr"`), as `Arc` does: Cortex-M3 and
//!   later have them, Cortex-M0 (`thumbv6m-none-eabi`) has not.
//! - The stack does not grow, so [`Limits::depth`] is 32 unless you set it.
//! - If memory runs out, the program panics; with std that is the error `out_of_memory`.
//! - Nothing waits for a lock, so an interrupt handler can read and write values while the code that it interrupted does.
//! - The seeds of hash tables are made of addresses in memory, since there is no source of chance. Where these are the same after
//!   each start, data from an attacker can make tables slow. The limits bound how many entries there are: lower
//!   [`Limits::budget`] for such data.

// The rules of `spec/format.md` about values, and the functions that follow them in writing and reading. The table
// in `holdall-format` has the rules about bytes, and says where to find a function. A test finds each.
//
// | rules | what | writes | reads |
// |---|---|---|---|
// | F-33 | the walk | `value::walk::walk()` | `dynamic::assembler::assemble_each()`, `typed::message::block_rows()` |
// | F-35 | equal keys | `value::shredding::check_keys()` | `dynamic::assembler::next_of_map()`, `typed::rows::duplicate_key()` |
// | F-37 | any depth | `value::walk::walk()`, `typed::columns::deeper()` | `dynamic::assembler::assemble_each()`, `typed::columns::deeper_with_room()` |
// | F-64, F-65 | shared values | `dynamic::shredder::back_reference()`, `dynamic::shredder::referred_variant()` | `dynamic::assembler::row_back_reference()`, `typed::rows::reference()` |
// | F-45 | identity | `value::shredding::is_plain()`, `value::shredding::handle()` | any reader |
// | F-46, F-47, F-48 | sites and their variants | `dynamic::shredder::variant()`, `dynamic::sites::add_variant()`, `dynamic::layout::site()` | any reader |
// | F-49 | mappings | `dynamic::shredder::mappings::open_mapping_at()` | any reader |
// | F-50, F-51 | folding, gathering | `dynamic::shredder::mappings::fold()`, `dynamic::shredder::is_gathering()` | any reader |
// | F-52, F-53, F-54 | sites, shapes, definitions | `dynamic::shredder::structs::field_slot()`, `dynamic::layout::fields()`, `dynamic::layout::row_type()` | any reader |
// | F-74 | long tuples | `dynamic::shredder::open_tuple()` | `dynamic::assembler::begin_long_tuple()` |
// | F-75, F-96 | order of members | `value::order::order_of()`, `typed::unordered::write_set()` | any reader |
// | F-78 | resolution | `resolution::rules::of()` | `resolution::resolver::plan()` |
// | F-79 | fields | `resolution::fields::fields()` | `resolution::rows::row_plan()` |
// | F-80 | identity in another schema | any writer | `resolution::plan::choose()` |
// | F-97 | options of serde | `serde::to_vec()` | `resolution::explicit_some()` |

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![no_std]
#![cfg_attr(
    not(feature = "std"),
    allow(
        dead_code,
        unused_imports,
        reason = "files, streams and views need std, and more of the rest"
    )
)]
#![warn(clippy::alloc_instead_of_core, clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

#[macro_use]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

use alloc::vec::Vec;

pub mod archive;
mod canonical;
mod decoder;
mod dynamic;
mod encoder;
pub mod resolution;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "std")]
mod small;
#[cfg(feature = "std")]
pub mod stream;
#[cfg(feature = "std")]
pub mod testing;
#[cfg(feature = "tokio")]
pub mod tokio;
pub mod typed;
pub mod value;
#[cfg(feature = "std")]
pub mod view;

// The storeys below, under their own names.
use holdall_format::{
    block, column, envelope, error, input, kernel, limits, memory, message, number, platform,
    schema,
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
    pub use holdall_format::input::trace::{Content, FieldForm, Part, Preview, Span};
    pub use holdall_format::message::{ColumnPlace, Trace, TracedColumn, locate_columns};
}

/// For bindings to other languages, such as the Python package, and for this project's benchmarks: rows and columns
/// without events in between, messages in steps and pieces, the inner loops. **Not public API**: anything here may
/// change or disappear in any version.
#[cfg(feature = "std")]
#[doc(hidden)]
pub mod bindings {
    pub use holdall_format::block;
    pub use holdall_format::column::bits::Bits;
    pub use holdall_format::column::ints::{IntBuffer, IntRows};
    pub use holdall_format::column::packed;
    pub use holdall_format::column::pieces::{Pieces, SharedBytes};
    pub use holdall_format::column::tensors;
    pub use holdall_format::column::text;
    pub use holdall_format::error::Refused;
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
    pub use crate::resolution::nearest_float;
    pub use crate::small::{
        Fields, Shapes, SmallName, SmallReader, SmallSchema, SmallType, SmallWriter, is_data,
    };
    pub use crate::value::{check_copies, emit_copies};

    /// Returns the schema of all values of a type that is read, as [`Encode::schema`](crate::Encode::schema) of one that is written.
    ///
    /// # Errors
    /// The same.
    pub fn schema_to_read<T: crate::DecodeOwned>() -> crate::Result<crate::Schema> {
        Ok(crate::typed::Plan::of_read::<T>()?.constant_schema()?.clone())
    }
}

pub use archive::Archive;
pub use decoder::Decoder;

pub use encoder::{Body, Encoder};
pub use half::{bf16, f16};
#[cfg(feature = "derive")]
pub use holdall_derive::{Decode, Encode};
pub use holdall_format::column::Profile;
pub use holdall_format::envelope::{Dictionary, Metadata, message_len};
pub use holdall_format::error::{Code, Error, LooksLike, Result};
pub use holdall_format::limits::Limits;
pub use holdall_format::message::{Alignment, Header};
pub use holdall_format::number::IntKind;
#[cfg(feature = "std")]
pub use holdall_format::schema::SchemaStore;
pub use holdall_format::schema::{DType, LogicalType, Schema, Shape};
pub use resolution::{Diff, Field, Resolver};
#[cfg(feature = "std")]
pub use stream::{OnDamage, Reader, Writer, WriterOptions};
pub use typed::{Decode, DecodeOwned, Encode};
pub use value::{BigInt, Shared, Tensor, Value, ValueBuilder};
#[cfg(feature = "std")]
pub use view::View;

#[cfg(all(doctest, feature = "derive", feature = "serde"))]
#[doc = include_str!("../../../docs/evolution.md")]
struct Evolution;

#[cfg(all(doctest, feature = "derive", feature = "serde"))]
#[doc = include_str!("../../../docs/coming-from.md")]
struct ComingFrom;

#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../../../docs/views.md")]
struct Views;

#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../../../docs/schemas.md")]
struct Schemas;

#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../../../docs/files.md")]
struct Files;

#[cfg(all(doctest, feature = "zstd"))]
#[doc = include_str!("../../../docs/dictionaries.md")]
struct Dictionaries;

/// Writes a value as a self-describing message: a [`Value`], or a type with [`Encode`].
///
/// The vector has no more capacity than the message has bytes.
///
/// # Errors
/// As [`Encoder::encode`].
pub fn to_vec<T: Encode + ?Sized>(value: &T) -> Result<Vec<u8>> {
    Encoder::new().encode(value)
}

/// Writes a value as a message to a file, a socket, or anything else that takes bytes.
///
/// The message is complete in memory before its first byte is written: a value that cannot be written leaves nothing
/// behind. A [`Writer`] writes values one after the other, and keeps only a block of them in memory. With options, write
/// what [`Encoder::encode_ref`] returns.
///
/// ```
/// let mut file = Vec::new();
/// holdall::to_writer(&mut file, &300_u32)?;
/// assert_eq!(file, [0xC1, 0x10, 0x06, 0xB1, 0x04]);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Encoder::encode`]; `io`.
#[cfg(feature = "std")]
pub fn to_writer<T: Encode + ?Sized>(mut writer: impl std::io::Write, value: &T) -> Result<()> {
    Ok(writer.write_all(Encoder::new().encode_ref(value)?)?)
}

/// Writes a value as a message to the first bytes of a slice, and returns these.
///
/// ```
/// let mut room = [0; 8];
/// assert_eq!(holdall::to_slice(&300_u32, &mut room)?, [0xC1, 0x10, 0x06, 0xB1, 0x04]);
///
/// let error = holdall::to_slice("too long", &mut room).unwrap_err();
/// assert_eq!(error.to_string(), "limit_output: expected room for 12 bytes, got 8 bytes: 4 are missing");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Encoder::encode`]; `limit_output` if the slice is too short. It is unchanged then.
pub fn to_slice<'s, T: Encode + ?Sized>(value: &T, slice: &'s mut [u8]) -> Result<&'s mut [u8]> {
    Encoder::new().encode_to(value, move |_| Ok(slice))
}

/// Writes a value as a message at the end of a collection of bytes, such as a `Vec` or a `VecDeque`.
///
/// ```
/// let mut bytes = vec![0xFF];
/// holdall::to_extend(&300_u32, &mut bytes)?;
/// assert_eq!(bytes, [0xFF, 0xC1, 0x10, 0x06, 0xB1, 0x04]);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Encoder::encode`].
pub fn to_extend<T, E>(value: &T, collection: &mut E) -> Result<()>
where
    T: Encode + ?Sized,
    E: for<'b> Extend<&'b u8> + ?Sized,
{
    collection.extend(Encoder::new().encode_ref(value)?);
    Ok(())
}

/// Writes a value as a message to a buffer of the crate `bytes`. Requires the feature `bytes`.
///
/// ```
/// let mut buffer = bytes::BytesMut::new();
/// holdall::to_buf(&300_u32, &mut buffer)?;
/// assert_eq!(buffer[..], [0xC1, 0x10, 0x06, 0xB1, 0x04]);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Encoder::encode`]; `limit_output` if the buffer cannot take as many bytes. It is unchanged then.
#[cfg(feature = "bytes")]
pub fn to_buf<T: Encode + ?Sized>(value: &T, buffer: &mut impl bytes::BufMut) -> Result<()> {
    let mut encoder = Encoder::new();
    let message = encoder.encode_ref(value)?;
    encoder::room_for(message.len(), buffer.remaining_mut())?;
    buffer.put_slice(message);
    Ok(())
}

/// Writes a value as a bare body ([`Header::Bare`]) of constant size ([`Encode::SIZE`]). It has no schema: only
/// [`Decoder::decode_body`] into the same type reads it.
///
/// ```
/// use holdall::{Decode, Decoder, Encode};
///
/// #[derive(Debug, PartialEq, Encode, Decode)]
/// #[holdall(packed)]
/// struct Reading { sensor: u32, value: f32 }
///
/// let reading = Reading { sensor: 7, value: 1.0 };
/// let bytes: [u8; Reading::SIZE.unwrap()] = holdall::to_array(&reading)?;
/// assert_eq!(bytes, [7, 0, 0, 0, 0, 0, 0x80, 0x3F]);
/// assert_eq!(Decoder::new().decode_body::<Reading>(&bytes)?, reading);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// An array of another length does not compile:
///
/// ```compile_fail,E0080
/// let bytes: [u8; 4] = holdall::to_array(&1.5_f64).unwrap();
/// ```
///
/// # Errors
/// As [`Encoder::encode`].
pub fn to_array<T: Encode + ?Sized, const SIZE: usize>(value: &T) -> Result<[u8; SIZE]> {
    const {
        assert!(
            matches!(T::SIZE, Some(size) if size == SIZE),
            "the array's length is not `T::SIZE`"
        );
    }
    let mut encoder = Encoder::new().header(Header::Bare);
    let body = encoder.encode_ref(value)?;
    // A `SIZE` that a type gives by hand can be wrong.
    body.try_into().map_err(|_| {
        Error::new(Code::BadSource)
            .expected(format!("a body of {SIZE} bytes, as `SIZE` says"))
            .got(format!("{} bytes", body.len()))
    })
}

/// Returns the length of the message that [`to_vec`] would return; see
/// [`Encoder::encoded_len`] for what it costs: large values of Rust types are measured, others are written first.
///
/// ```
/// assert_eq!(holdall::encoded_len(&300_u32)?, 5);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Encoder::encode`].
pub fn encoded_len<T: Encode + ?Sized>(value: &T) -> Result<usize> {
    Encoder::new().encoded_len(value)
}

/// Reads a message into a [`Value`], or into a type with [`Decode`].
///
/// # Errors
/// As [`Decoder::decode`].
pub fn from_slice<'de, T: Decode<'de>>(message: &'de [u8]) -> Result<T> {
    Decoder::new().decode(message)
}

/// Reads one message from a file, a socket, or any other reader.
///
/// A message that begins with its length is read up to its end, and no byte more. Any other message must end where the
/// reader does. [`Decoder::next_message`] says more, and reads one message after the other; a [`Reader`] reads streams.
///
/// ```
/// # let path = std::env::temp_dir().join(format!("holdall-doc-reader-{}", std::process::id()));
/// holdall::to_writer(std::fs::File::create(&path)?, &(7_u8, "seven"))?;
/// let file = std::io::BufReader::new(std::fs::File::open(&path)?);
/// assert_eq!(holdall::from_reader::<(u8, String)>(file)?, (7, "seven".into()));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Decoder::next_message`] and [`Decoder::decode`]; `truncated` if the reader is at its end.
#[cfg(feature = "std")]
pub fn from_reader<T: DecodeOwned>(reader: impl std::io::Read) -> Result<T> {
    let mut decoder = Decoder::new();
    let message = decoder.next_message(reader)?.ok_or_else(decoder::no_message)?;
    decoder.decode(&message)
}
