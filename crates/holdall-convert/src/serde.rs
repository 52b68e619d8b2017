//! Values of types with serde's derives in other formats and back, each way in one call. Requires the feature `serde`.
//!
//! ```
//! use holdall_convert::{Format, serde};
//! # use ::serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct User { id: u32, name: String }
//!
//! let users = vec![User { id: 7, name: "Ada".into() }];
//! for format in [Format::Json, Format::Ndjson, Format::Csv, Format::Msgpack, Format::Cbor, Format::Dlhn] {
//!     let data = serde::to_vec(format, &users)?;
//!     assert_eq!(serde::from_slice::<Vec<User>>(format, &data)?, users);
//! }
//! # Ok::<(), holdall::Error>(())
//! ```
//!
//! [`Format::to_vec`](crate::Format::to_vec) writes types with holdall's derives, which has two advantages: CSV and DLHN are read by
//! the schema of the type, which a type of serde does not have.
//!
//! - JSON, NDJSON and CSV are human-readable: addresses, UUIDs and other types that ask serde for this are text. In the other formats they
//!   have the compact forms that [`holdall::serde`] writes.
//! - A struct without names of fields, `Pair(1, 2)`, is a list, and is also read from a map with the keys `"0"`, `"1"` and so on. A row of CSV has
//!   these as the names of its columns.
//! - Values have the forms that serde_json, rmp-serde and ciborium give them, and are read from these: a variant without a payload is its
//!   name, one with a payload, which may be null, a map with one entry, a char is text, a unit struct null, in MessagePack an empty list.
//!   In JSON a key is the text of a number or boolean, an `f32` its shortest decimal, and a decimal is read as the nearest `f32`. MessagePack's
//!   bytes, 16 of them, are read as an `i128` or `u128`; those beyond 64 bits are refused when they are written.
//! - `Some(None)` and `Some(())` are null and come back as `None`, as from those crates; so does `Some` of a unit struct, but not in
//!   MessagePack, where serde does not give back a flattened unit struct.
//! - A type with a [`holdall::Value`] inside becomes a message first, whose forms are those of [`Unpacker::like_serde`]: a variant of null
//!   is its name and a unit struct an empty map, both of which are read as what they were, and `Some(None)` is `"Some"`.
//! - Cells of CSV become numbers, booleans and null as [`Packer::infer`] says. A text field in whose column all cells are numbers, or one
//!   is empty, cannot be read; with [`Packer::names`] it can.
//! - An empty text in CSV is refused in a column with nulls, and in a `Some`, which would be read as `None`.
//! - CSV and DLHN are written and read by way of a message, which knows the schema.
//! - Variants in DLHN have numbers, among all of the type, which serde does not say: they are refused, unless [`Unpacker::storage`] writes the
//!   names of those without payloads. They are read by [`Packer::names`] alone. `Some(None)` and `Some(())` are such variants, too.
//! - A map in DLHN has values of one type. The fields of a struct are a tuple. A newtype is its item, and is read from the tuple of it that the crate
//!   dlhn writes, but not if the item is a tuple of one item or a struct of one field, which looks the same, nor in an untagged or internally
//!   tagged enum, or a flattened field: serde keeps it before it knows the type. A tuple of a null in a newtype of an option is `None`.

use ::serde::Serialize;
use ::serde::de::DeserializeOwned;
use holdall::serde::{EventReader, RecordedValue};
use holdall::{Encoder, Error, Result};

use crate::coding::Emitted;
use crate::{Packer, Unpacker};

/// Writes a value, in a [`Format`](crate::Format) or as an [`Unpacker`] with options does.
///
/// A value that the format cannot hold is an error with its path.
///
/// ```
/// use holdall_convert::{Format, serde};
/// # use ::serde::Serialize;
///
/// #[derive(Serialize)]
/// enum Colour { Red, Grey(u8) }
///
/// assert_eq!(serde::to_vec(Format::Json, &[Colour::Red, Colour::Grey(7)])?, br#"["Red",{"Grey":7}]"#);
///
/// let error = serde::to_vec(Format::Json, &[f64::NAN]).unwrap_err();
/// assert_eq!((error.code(), error.path()), (holdall::Code::Unrepresentable, "$[0]"));
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`holdall::serde::to_vec`] and [`Unpacker::unpack`].
pub fn to_vec<T: Serialize + ?Sized>(unpacker: impl Into<Unpacker>, value: &T) -> Result<Vec<u8>> {
    let unpacker = unpacker.into().like_serde(true).of_values(true);
    let mut recorded = RecordedValue::of(value, unpacker.serde_forms())?;
    unpacker.write_own(Emitted::Recorded(&mut recorded))
}

/// Reads a value from data in a [`Format`](crate::Format), or as a [`Packer`] with options does.
///
/// ```
/// use holdall_convert::{Format, serde};
///
/// assert_eq!(serde::from_slice::<(u8, String)>(Format::Cbor, b"\x82\x07\x61a")?, (7, "a".to_owned()));
///
/// let error = serde::from_slice::<Vec<u8>>(Format::Json, b"[1, true]").unwrap_err();
/// assert_eq!(error.to_string(), "unconvertible in $[1]: expected u8, got boolean `true`");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Packer::pack`], with the offset in the input; as [`holdall::serde::from_slice`], with the path in the value.
pub fn from_slice<'s, T: DeserializeOwned>(
    packer: impl Into<Packer<'s>>,
    input: &[u8],
) -> Result<T> {
    let packer = packer.into().infer(true);
    let mut reader = reader_of(&packer, input);
    if packer.read_events(input, &mut reader)? {
        return reader.read();
    }
    let message = packer.pack(&mut Encoder::new(), input)?;
    let mut reader = reader_of(&packer, &message);
    reader.message(&message).and_then(|()| reader.read()).map_err(Error::without_offset)
}

fn reader_of<'i>(packer: &Packer<'_>, input: &'i [u8]) -> EventReader<'i> {
    let mut reader = EventReader::new(input);
    if packer.is_human_readable() {
        reader.of_text();
    }
    if packer.has_newtypes() {
        reader.of_newtypes();
    }
    reader
}
