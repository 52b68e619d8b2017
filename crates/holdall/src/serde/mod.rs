//! Writes and reads types with serde's derives.
//!
//! Requires the feature `serde`, which adds this module and changes no byte.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct User<'a> {
//!     id: u64,
//!     name: &'a str,
//!     #[serde(default, skip_serializing_if = "Vec::is_empty")]
//!     tags: Vec<&'a str>,
//! }
//!
//! let users = vec![User { id: 1, name: "Ada", tags: vec![] }];
//! let bytes = holdall::serde::to_vec(&users)?;
//! assert_eq!(
//!     holdall::Schema::of_message(&bytes)?.to_string(),
//!     "list(struct User {id: u64, name: string})"
//! );
//! let read: Vec<User> = holdall::serde::from_slice(&bytes)?; // the name is a part of the bytes
//! assert_eq!(read, users);
//! # Ok::<(), holdall::Error>(())
//! ```
//!
//! # How types are stored
//!
//! | serde | holdall |
//! |---|---|
//! | `bool`, `u8` to `u128`, `i8` to `i128`, `f32`, `f64` | the same; `usize` is `u64`, `isize` is `i64` |
//! | `char` | logical `char` over `u32` |
//! | string, bytes | `string`, `bytes` |
//! | `()` | `null` |
//! | unit struct | struct of its name without fields |
//! | newtype struct | the value inside |
//! | tuple, `[T; N]` | tuple; of more than 8 items logical `long_tuple` over a list |
//! | tuple struct | struct of its name with fields `0`, `1` and so on |
//! | struct | struct of its name |
//! | sequence | list |
//! | map whose keys are all strings | mapping: a record, or a map where keys are many or data |
//! | other map | map |
//! | `None` | `null` |
//! | `Some(x)` | `x`; where that is null or a variant `Some`, a variant `Some` with it as payload |
//! | unit variant | named variant with payload null |
//! | newtype variant | named variant with the value inside |
//! | tuple variant | named variant with a tuple |
//! | struct variant | named variant with a record |
//!
//! The names of newtypes and enums are not stored; renamed fields and variants have their new names. To serde `Vec<u8>`
//! and `[u8; N]` are sequences; use `serde_bytes` to store them as bytes. A flattened field turns its struct into a
//! map, as in every format. The format is not human-readable, so addresses, UUIDs and times take their compact forms.
//!
//! Structs can have at most 256 fields, counted over all structs of one name. Maps keep their order, so a `HashMap`
//! gives different bytes each time; a `BTreeMap` always gives the same.
//!
//! # Reading
//!
//! Data need not be written by serde or from the same type, because the message describes itself.
//!
//! - Structs, records and maps are read as structs and as maps; lists, arrays and tuples as any of these. A tuple is
//!   also read as a struct, by position, as in other formats. serde's attributes handle missing and unknown fields:
//!   `default`, `alias`, `deny_unknown_fields`.
//! - An integer is read as any integer or float type that holds exactly that number, a float as any such float type.
//!   Everything else is the error [`Unconvertible`](Code::Unconvertible).
//! - A logical value is read as its storage (a date as its number of days), a `char` as a char, a duration or a
//!   timestamp in UTC also as a `Duration` or `SystemTime`, an extension as its contents. An absent option in a present
//!   one, which a derive writes, is `Some(None)`. Tensors are read as nested sequences, bytes as bytes or as a sequence
//!   of u8. A string, or a map of one entry, is also read as a variant.
//! - Strings and bytes are borrowed from the message unless their column is compressed, and so are keys of maps; keys
//!   of records are names in the schema and cannot be borrowed. If borrowing is impossible, `Cow` and `String` copy,
//!   and `&str` is an error.
//! - A shared value is read once for each reference, within the decoder's budget; one that contains itself is the error
//!   [`Unrepresentable`](Code::Unrepresentable). So are integers of more than 128 bits.
//!
//! A [`Value`] can be a field like any type, and keeps everything that it is.
//!
//! Untagged and internally tagged enums and flattened fields examine a value before they know its type, through a
//! buffer of serde's. That buffer cannot hold i128 and u128, a unit struct in an untagged enum, or a tuple struct
//! without fields.
//!
//! # Errors
//!
//! An error in the bytes has its offset. For a value that does not fit, code and path give the reason and the place.
//! Errors of a type's own `Serialize` or `Deserialize` are [`Custom`](Code::Custom).
//!
//! ```
//! let bytes = holdall::serde::to_vec(&vec![(1, "x"), (2, "y")])?;
//! let error = holdall::serde::from_slice::<Vec<(u8, bool)>>(&bytes).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "unconvertible in $[0][1]: expected a boolean, got string \"x\""
//! );
//! # Ok::<(), holdall::Error>(())
//! ```
//!
//! serde recurses to write and read. To keep the stack from overflowing, a value nested deeper than [`NESTING`] is the
//! error [`LimitNesting`](Code::LimitNesting); [`holdall::from_slice`](crate::from_slice) and a field of type [`Value`]
//! have no such limit.

mod access;
mod compound;
mod depth;
mod deserializer;
mod error;
mod events;
mod exact;
mod formats;
mod handover;
mod name;
mod out;
mod scalars;
mod serializer;
mod time;
mod unordered;
mod value;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::Cell;
use std::io::{Read, Write};
use std::sync::LazyLock;

use serde::de::{Deserialize, DeserializeOwned};
use serde::ser::Serialize;

use crate::decoder::{Decoder, no_message};
use crate::dynamic::{Shredder, Source, Tape};
use crate::encoder::Encoder;
#[cfg(doc)]
use crate::error::Code;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::memory;
use crate::schema::{LogicalType, Schema};
use crate::value::Value;

#[doc(hidden)]
pub use events::EventTarget;
#[doc(hidden)]
pub use formats::{EventReader, RecordedValue, SerdeForms};

use deserializer::Spot;
use out::Out;
use serializer::ValuePlace;

/// The maximum nesting of a value that serde writes or reads. Each struct, sequence, map and variant is one level; four
/// options or newtypes are one.
///
/// An unoptimised build with structs of several hundred bytes needs less than 1 MiB of stack for it.
pub const NESTING: usize = 128;

/// The variant for a present option whose value could be mistaken for an absent one.
const SOME: &str = "Some";

fn some() -> &'static Arc<str> {
    static NAME: LazyLock<Arc<str>> = LazyLock::new(|| SOME.into());
    &NAME
}

fn chars() -> &'static Arc<LogicalType> {
    static CHARS: LazyLock<Arc<LogicalType>> =
        LazyLock::new(|| Arc::new(LogicalType::unchecked(LogicalType::CHAR, &[])));
    &CHARS
}

/// Writes a value as a self-describing message.
///
/// ```
/// let bytes = holdall::serde::to_vec(&Some(7_u8))?;
/// assert_eq!(bytes, [0xC1, 0x10, 0x04, 0x07]);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Encoder::message`]; `custom` and `limit_nesting`.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    Encoder::new().message(&mut source(value))
}

/// Writes a value as a message to a file, a socket, or anything else that takes bytes, as
/// [`holdall::to_writer`](crate::to_writer).
///
/// # Errors
/// As [`to_vec`]; `io`.
pub fn to_writer<T: Serialize + ?Sized>(mut writer: impl Write, value: &T) -> Result<()> {
    Ok(writer.write_all(&to_vec(value)?)?)
}

/// Reads one message from a file, a socket, or any other reader, as [`holdall::from_reader`](crate::from_reader).
///
/// ```
/// let mut file = Vec::new();
/// holdall::serde::to_writer(&mut file, &("Ada", 7))?;
/// assert_eq!(holdall::serde::from_reader::<(String, u8)>(&file[..])?, ("Ada".into(), 7));
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Decoder::next_message`] and [`from_slice`]; `truncated` if the reader is at its end.
pub fn from_reader<T: DeserializeOwned>(reader: impl Read) -> Result<T> {
    let mut decoder = Decoder::new();
    let message = decoder.next_message(reader)?.ok_or_else(no_message)?;
    from_decoder(&mut decoder, &message)
}

/// Reads a message.
///
/// ```
/// let bytes = holdall::serde::to_vec(&("Ada", [0.5, 1.0]))?;
/// let (name, numbers): (&str, Vec<f64>) = holdall::serde::from_slice(&bytes)?;
/// assert_eq!((name, numbers), ("Ada", vec![0.5, 1.0]));
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Decoder::message`]; `unconvertible`, `missing_field`, `unknown_field`, `duplicate_key`, `unrepresentable` and `custom`
/// with the path in the value; `limit_nesting`.
pub fn from_slice<'de, T: Deserialize<'de>>(message: &'de [u8]) -> Result<T> {
    from_decoder(&mut Decoder::new(), message)
}

/// Reads a message with a decoder's limits and known schemas.
///
/// ```
/// use holdall::{Decoder, Encoder, Header, Schema};
///
/// let whole = holdall::serde::to_vec(&[1_u16, 2])?;
/// let mut encoder = Encoder::new().header(Header::Fingerprint);
/// let short = encoder.message(&mut holdall::serde::source(&[1_u16, 2]))?;
///
/// let mut decoder = Decoder::new();
/// decoder.add_schema(&Schema::of_message(&whole)?);
/// assert_eq!(holdall::serde::from_decoder::<[u16; 2]>(&mut decoder, &short)?, [1, 2]);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`from_slice`].
pub fn from_decoder<'de, T: Deserialize<'de>>(
    decoder: &mut Decoder,
    message: &'de [u8],
) -> Result<T> {
    let mut tape = Tape::of(message, decoder.messages.budget_for(message.len()).left());
    decoder.message(message, &mut tape)?;
    read(&tape)
}

/// Reads a bare body, written with this schema.
///
/// ```
/// use holdall::{Decoder, Encoder};
///
/// let part = Encoder::new().body(&mut holdall::serde::source("Ada"))?;
/// let schema = part.schema.unwrap();
/// let name: &str = holdall::serde::from_body(&Decoder::new(), &schema, &part.bytes)?;
/// assert_eq!(name, "Ada");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`Decoder::body`] and [`from_slice`].
pub fn from_body<'de, T: Deserialize<'de>>(
    decoder: &Decoder,
    schema: &Schema,
    body: &'de [u8],
) -> Result<T> {
    let mut tape = Tape::of(body, decoder.messages.budget_for(body.len()).left());
    decoder.body(schema, body, &mut tape)?;
    read(&tape)
}

fn read<'de, T: Deserialize<'de>>(tape: &Tape<'de>) -> Result<T> {
    read_within(tape, tape.left())
}

/// Reads with this many units for copies.
fn read_within<'de, T: Deserialize<'de>>(tape: &Tape<'de>, units: u64) -> Result<T> {
    let left = Cell::new(units);
    memory::guarded(|| T::deserialize(Spot::root(tape, &left)).map_err(Error::rooted))
}

/// Converts a value to data without a type. All mappings become records, also those that a message would store as maps.
///
/// ```
/// use holdall::Value;
///
/// let value = holdall::serde::to_value(&(1_u8, 'x'))?;
/// assert_eq!(value[0], Value::U8(1));
/// assert_eq!(holdall::to_vec(&value)?, holdall::serde::to_vec(&(1_u8, 'x'))?);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// `duplicate_key`, `custom`, `limit_nesting`.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    memory::guarded(|| {
        let mut out = Out::default();
        value.serialize(ValuePlace::root(&mut out)).map_err(Error::rooted)?;
        out.into_value()
    })
}

/// Converts data without a type to a type.
///
/// ```
/// use holdall::Value;
///
/// let value = Value::record([("a", Value::from(1)), ("b", Value::Null)]);
/// #[derive(serde::Deserialize)]
/// struct Pair { a: u8, b: Option<u8> }
/// let pair: Pair = holdall::serde::from_value(&value)?;
/// assert_eq!((pair.a, pair.b), (1, None));
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`from_slice`], without faults of bytes.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T> {
    let budget = |bytes| Limits::new().budget_for(bytes).left();
    let mut tape = Tape::of(&[], budget(usize::MAX));
    memory::guarded(|| crate::value::emit(value, &mut tape))?;
    // There are no bytes to count: each part of the value counts as one.
    read_within(&tape, budget(tape.entries.len()))
}

/// Wraps a value of a serde type as a source, for an [`Encoder`] with its own options.
///
/// ```
/// use holdall::{Encoder, Profile};
///
/// let words = vec!["abc"; 100];
/// let mut encoder = Encoder::new().profile(Profile::Small).checksum(true);
/// let bytes = encoder.message(&mut holdall::serde::source(&words))?;
/// assert!(bytes.len() < 30);
/// assert_eq!(holdall::serde::from_slice::<Vec<String>>(&bytes)?, words);
/// # Ok::<(), holdall::Error>(())
/// ```
pub fn source<T: Serialize + ?Sized>(value: &T) -> SerdeSource<'_, T> {
    SerdeSource(value)
}

/// A [`Source`] that emits a value of a serde type; [`source`] creates it.
#[derive(Debug)]
pub struct SerdeSource<'a, T: ?Sized>(&'a T);

impl<T: Serialize + ?Sized> Source for SerdeSource<'_, T> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let mut out = Out::to(shredder);
        ValuePlace::root(&mut out).emit(self.0).map_err(Error::rooted)
    }
}
