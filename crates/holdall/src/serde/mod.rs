//! Types with serde's derives: written, and read again.
//!
//! It needs the feature `serde`, which adds this module and changes no byte.
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
//! # What becomes of what
//!
//! | serde | holdall |
//! |---|---|
//! | `bool`, `u8` to `u128`, `i8` to `i128`, `f32`, `f64` | the same; `usize` is `u64`, `isize` is `i64` |
//! | `char` | logical `char` over `u32` |
//! | string, bytes | `string`, `bytes` |
//! | `()` | `null` |
//! | unit struct | struct of its name without fields |
//! | newtype struct | what is inside |
//! | tuple, `[T; N]` | tuple; of more than 8 items logical `long_tuple` over a list |
//! | tuple struct | struct of its name with fields `0`, `1` and so on |
//! | struct | struct of its name |
//! | sequence | list |
//! | map whose keys are all strings | mapping: a record, or a map where keys are many or data |
//! | other map | map |
//! | `None` | `null` |
//! | `Some(x)` | `x`; where that is null or a variant `Some`, a variant `Some` with it as payload |
//! | unit variant | named variant with payload null |
//! | newtype variant | named variant with what is inside |
//! | tuple variant | named variant with a tuple |
//! | struct variant | named variant with a record |
//!
//! A newtype's and an enum's own names are not kept; renamed fields and variants are those of their new names. `Vec<u8>` and
//! `[u8; N]` are sequences to serde; `serde_bytes` makes bytes of them. A flattened field makes a map of its struct, as
//! serde does everywhere. The format is not human-readable, so that addresses, UUIDs and times take their compact forms.
//!
//! Structs that are written have at most 256 fields, counted over all structs of one name. Maps keep their order, so a
//! `HashMap` gives other bytes each time; a `BTreeMap` gives the same.
//!
//! # Reading
//!
//! Data need not have been written by serde, nor by the same type: the message says what it holds.
//!
//! - Structs, records and maps are read as structs and as maps, lists, arrays and tuples as any of these; a tuple is also read
//!   as a struct, by position, as in other formats. Fields that are missing or too many are serde's matter: `default`,
//!   `alias`, `deny_unknown_fields`.
//! - Integers of any type are read as any other that holds the number, and as a float where that is exactly the number; so
//!   are floats as floats. The rest is an error, [`Unconvertible`](Code::Unconvertible).
//! - A logical value is read as what it is stored as (a date as its number of days), a `char` as a char, a duration or a
//!   timestamp in UTC as a `Duration` or `SystemTime` too, an extension as what is inside. The absent option in a present one,
//!   which a derive writes as such, is `Some(None)`. Tensors are read as nested sequences, bytes as bytes or as a sequence of
//!   u8. A string, or a map of one entry, is also read as a variant.
//! - Strings and bytes are borrowed from the message where they lie in it as they are, which they do but in compressed columns;
//!   so are keys of maps, but not those of records, which are names in the schema. Where they cannot be borrowed, `Cow` and
//!   `String` take a copy, and `&str` is an error.
//! - A shared value is read at each reference, within the decoder's budget; one inside itself is an error,
//!   [`Unrepresentable`](Code::Unrepresentable). So are integers of more than 128 bits.
//!
//! [`Value`] is a type like others, in a field say: it keeps all that it is.
//!
//! An untagged or internally tagged enum, and a flattened field, look at a value before they know its type, through what serde
//! itself can keep of one: there neither i128 nor u128 is read, no unit struct in an untagged enum, and no tuple struct without
//! fields.
//!
//! # Errors
//!
//! Each error of the bytes has its offset. Of a value that does not fit, code and path say what is wrong where; what a
//! type's own `Serialize` or `Deserialize` says is [`Custom`](Code::Custom).
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
//! serde calls itself for what is inside, on the way in and out. So that the stack never overflows, a value that is nested
//! deeper than [`NESTING`] is an error, [`LimitNesting`](Code::LimitNesting); [`holdall::from_slice`](crate::from_slice)
//! and a field of type [`Value`] know no such limit.

mod access;
mod compound;
mod depth;
mod deserializer;
mod error;
mod events;
mod exact;
mod handover;
mod name;
mod out;
mod scalars;
mod serializer;
mod time;
mod unordered;
mod value;

use std::cell::Cell;
use std::sync::{Arc, LazyLock};

use serde::de::{Deserialize, DeserializeOwned};
use serde::ser::Serialize;

use crate::decoder::Decoder;
use crate::dynamic::{Shredder, Source, Tape};
use crate::encoder::Encoder;
#[cfg(doc)]
use crate::error::Code;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::schema::{LogicalType, Schema};
use crate::value::Value;

use deserializer::Spot;
use out::Out;
use serializer::Place;

/// So many levels deep a value may be nested that serde writes or reads. Each struct, sequence, map and variant is one; of
/// options and newtypes, four are.
///
/// An unoptimised build with structs of several hundred bytes needs less than 1 MiB of stack for it.
pub const NESTING: usize = 128;

/// The variant that says that an option is not absent, where its value could be taken for that.
const SOME: &str = "Some";

fn chars() -> &'static Arc<LogicalType> {
    static CHARS: LazyLock<Arc<LogicalType>> =
        LazyLock::new(|| Arc::new(LogicalType::unchecked(LogicalType::CHAR, &[])));
    &CHARS
}

/// Writes a value as a message that explains itself.
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

/// Reads a message with a decoder's limits and the schemas that it knows.
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

/// Reads a bare body, written under this schema.
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

/// Reads with so many units for copies.
fn read_within<'de, T: Deserialize<'de>>(tape: &Tape<'de>, units: u64) -> Result<T> {
    let left = Cell::new(units);
    T::deserialize(Spot::root(tape, &left)).map_err(Error::rooted)
}

/// A value as data without its type. Its mappings are all records, also those that a message would have as maps.
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
    let mut out = Out::default();
    value.serialize(Place::root(&mut out)).map_err(Error::rooted)?;
    out.into_value()
}

/// Reads data without a type into one.
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
/// As [`from_slice`] for what is not the bytes' fault.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T> {
    let budget = |bytes| Limits::new().budget_for(bytes).left();
    let mut tape = Tape::of(&[], budget(usize::MAX));
    crate::value::emit(value, &mut tape)?;
    // There are no bytes to go by: as if each part of the value had taken one.
    read_within(&tape, budget(tape.entries.len()))
}

/// A value of a type of serde's as something to write, for an [`Encoder`] with options of its own.
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

/// A [`Source`] that emits a value of a serde type; [`source`] makes one.
#[derive(Debug)]
pub struct SerdeSource<'a, T: ?Sized>(&'a T);

impl<T: Serialize + ?Sized> Source for SerdeSource<'_, T> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let mut out = Out::to(shredder);
        Place::root(&mut out).emit(self.0).map_err(Error::rooted)
    }
}
