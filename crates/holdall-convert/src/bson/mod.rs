//! BSON to holdall and back.
//!
//! An input is one document. Its values become the following, and come back as shown:
//!
//! | BSON | holdall | back |
//! |---|---|---|
//! | document | record; a duplicate key is an error | the same |
//! | array | list; the keys of its items are not checked | the same |
//! | double | f64 | every bit |
//! | int32, int64 | int | int32 if it fits, else int64 |
//! | bool, null, string | the same; a string that is not UTF-8 is refused | the same |
//! | binary: generic | bytes | the same |
//! | binary: UUID | uuid | the same |
//! | binary of another subtype | extension `bson.binary` of tuple(u8, bytes): its subtype and data | the same |
//! | UTC datetime | timestamp in milliseconds, UTC | the same |
//! | ObjectId | extension `bson.object_id` of fixed(12) | the same |
//! | regular expression | extension `bson.regex` of tuple(string, string): pattern and options | the same |
//! | JavaScript code | extension `bson.code` of string | the same |
//! | decimal128 | extension `bson.decimal128` of fixed(16) | the same |
//! | timestamp of MongoDB | extension `bson.timestamp` of tuple(u32, u32): seconds and increment | the same |
//! | min key, max key | extensions `bson.min_key`, `bson.max_key` of null | the same |
//! | undefined, symbol, DBPointer, code with scope | refused: BSON has deprecated them | |
//!
//! Other holdall data can hold more. The following take the nearest form with the same value: integers of all widths up
//! to 64 bits with a sign, floats of all widths as double, byte strings of fixed length as binary, tuples and arrays as array,
//! structs and maps with strings as keys as document, timestamps in UTC of other units if they are whole milliseconds. Other
//! values are rejected with [`Code::Unrepresentable`]: a value that is no document, larger integers, other keys,
//! keys with a NUL, tensors, named variants, other logical values and extensions (unless their
//! [storage](crate::Unpacker::storage) is requested), and shared values (unless [copies](crate::Unpacker::copies) are).
//!
//! [`Code::Unrepresentable`]: holdall::Code::Unrepresentable

mod read;
mod write;

use holdall::events::Source;
use holdall::events::{Event, Sink};
#[cfg(feature = "serde")]
use holdall::serde::EventReader;
use holdall::{Decoder, Encoder, LogicalType, Result, ValueBuilder};

use crate::coding::{Coding, Emitter, Reading, Target, ValueSource};
use crate::{Format, Packer, Unpacker, refuse};

/// Packs a BSON document into a message.
///
/// ```
/// let message = holdall_convert::bson::pack(b"\x0C\0\0\0\x10a\0\x01\0\0\0\0")?;
/// assert_eq!(message, b"\xC1\x10\x1A\x08\x04a\x03\x04");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// [`Code::BadInput`](holdall::Code::BadInput) for bytes that are not BSON,
/// [`Code::DuplicateKey`](holdall::Code::DuplicateKey), both with the offset, and those of [`Encoder::message`].
pub fn pack(input: &[u8]) -> Result<Vec<u8>> {
    Packer::new(Format::Bson).pack(&mut Encoder::new(), input)
}

/// Unpacks a message into BSON.
///
/// ```
/// let document = holdall_convert::bson::unpack(b"\xC1\x10\x1A\x08\x04a\x03\x04")?;
/// assert_eq!(document, b"\x0C\0\0\0\x10a\0\x01\0\0\0\0");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`json::unpack`](crate::json::unpack).
pub fn unpack(message: &[u8]) -> Result<Vec<u8>> {
    Unpacker::new(Format::Bson).unpack(&mut Decoder::new(), message)
}

/// The extensions whose values BSON has.
const BINARY: &str = "bson.binary";
const OBJECT_ID: &str = "bson.object_id";
const REGEX: &str = "bson.regex";
const CODE: &str = "bson.code";
const DECIMAL: &str = "bson.decimal128";
const TIMESTAMP: &str = "bson.timestamp";
const MIN_KEY: &str = "bson.min_key";
const MAX_KEY: &str = "bson.max_key";
const EXTENSIONS: [&str; 8] =
    [BINARY, OBJECT_ID, REGEX, CODE, DECIMAL, TIMESTAMP, MIN_KEY, MAX_KEY];

/// The codes of types, before the key of a value.
mod code {
    pub(super) const DOUBLE: u8 = 0x01;
    pub(super) const STRING: u8 = 0x02;
    pub(super) const DOCUMENT: u8 = 0x03;
    pub(super) const ARRAY: u8 = 0x04;
    pub(super) const BINARY: u8 = 0x05;
    pub(super) const OBJECT_ID: u8 = 0x07;
    pub(super) const BOOL: u8 = 0x08;
    pub(super) const DATETIME: u8 = 0x09;
    pub(super) const NULL: u8 = 0x0A;
    pub(super) const REGEX: u8 = 0x0B;
    pub(super) const CODE: u8 = 0x0D;
    pub(super) const INT32: u8 = 0x10;
    pub(super) const TIMESTAMP: u8 = 0x11;
    pub(super) const INT64: u8 = 0x12;
    pub(super) const DECIMAL: u8 = 0x13;
    pub(super) const MIN_KEY: u8 = 0xFF;
    pub(super) const MAX_KEY: u8 = 0x7F;
}

/// The subtypes of binary data.
const GENERIC: u8 = 0;
const UUID: u8 = 4;

/// Milliseconds, in UTC.
const DATETIME: [u8; 2] = [1, 1];

fn is_utc(ty: &LogicalType) -> bool {
    ty.kind() == LogicalType::TIMESTAMP && ty.parameters().get(1) == Some(&1)
}

/// BSON.
#[derive(Debug)]
pub(crate) struct Bson;

impl Coding for Bson {
    fn name(&self) -> &str {
        "bson"
    }

    fn extensions(&self) -> &[&str] {
        &["bson"]
    }

    fn read<'i>(&self, input: &'i [u8], _: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        Ok(Box::new(ValueSource(read::document(input)?)))
    }

    #[cfg(feature = "serde")]
    fn read_events(&self, input: &[u8], to: &mut EventReader<'_>) -> Result<bool> {
        to.value(&read::document(input)?)?;
        Ok(true)
    }

    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
        let limit = value.limit();
        let mut built = Built(ValueBuilder::new());
        value.emit(&mut built)?;
        write::document(&built.0.finish()?, limit)
    }
}

/// The value to write: its length precedes a document, so all of it comes first.
struct Built(ValueBuilder);

impl Sink for Built {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            // A value that occurs once needs no identity.
            Event::Identity(_) => Ok(()),
            Event::Reference(_) | Event::Unknown => Err(refuse::event(event)),
            event => self.0.event(event),
        }
    }
}

impl Target for Built {
    fn holds(&self, ty: &LogicalType) -> bool {
        is_utc(ty) || ty.kind() == LogicalType::UUID
    }

    fn holds_extension(&self, name: &str) -> bool {
        EXTENSIONS.contains(&name)
    }
}
