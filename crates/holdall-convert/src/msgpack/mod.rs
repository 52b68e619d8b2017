//! MessagePack to holdall and back, value by value.
//!
//! An input is one value. It becomes the following, and comes back as shown:
//!
//! | MessagePack | holdall | back |
//! |---|---|---|
//! | nil, bool | null, bool | the same |
//! | int, of whatever width | int | in the fewest bytes |
//! | float 32, float 64 | f32, f64 | every bit |
//! | str | string; one that is not UTF-8 is refused | the same |
//! | bin | bytes | the same |
//! | array | list | the same |
//! | map | record if all keys are strings, else map; a duplicate key is an error | the same |
//! | timestamp (ext -1) | timestamp in nanoseconds, UTC | in the fewest bytes |
//! | other ext | extension `msgpack.ext` of tuple(i8, bytes): its type and data | the same; the type may be any integer that fits |
//!
//! Other holdall data can hold more. The following take the nearest form with the same value: integers of all widths up
//! to 64 bits, f16 and bf16 as float 32, byte strings of fixed length as bin, tuples and arrays as array, structs as
//! map, timestamps in UTC of other units. Integers beyond 64 bits, tensors, named variants, other logical values and
//! extensions (unless their [storage](crate::Unpacker::storage) is requested), and shared values (unless
//! [copies](crate::Unpacker::copies) are requested) are rejected with [`Code::Unrepresentable`].
//!
//! [`Code::Unrepresentable`]: holdall::Code::Unrepresentable

mod read;
mod sink;

use holdall::events::{Shredder, Source};
#[cfg(feature = "serde")]
use holdall::serde::EventReader;
use holdall::{Decoder, Encoder, LogicalType, Result};

use crate::coding::{Coding, Emitter, Reading};
use crate::receiver::Receiver;
use crate::tape::Tape;
use crate::{Format, Packer, Unpacker};

pub use sink::MsgpackSink;

/// Packs a MessagePack value into a message.
///
/// ```
/// let message = holdall_convert::msgpack::pack(b"\x81\xA1a\x01")?;
/// assert_eq!(message, b"\xC1\x10\x1A\x08\x04a\x03\x04");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// [`Code::BadInput`](holdall::Code::BadInput) for bytes that are not MessagePack,
/// [`Code::DuplicateKey`](holdall::Code::DuplicateKey), both with the offset, and those of [`Encoder::message`].
pub fn pack(input: &[u8]) -> Result<Vec<u8>> {
    Packer::new(Format::Msgpack).pack(&mut Encoder::new(), input)
}

/// Unpacks a message into MessagePack.
///
/// ```
/// let value = holdall_convert::msgpack::unpack(b"\xC1\x10\x1A\x08\x04a\x03\x04")?;
/// assert_eq!(value, b"\x81\xA1a\x01");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`json::unpack`](crate::json::unpack).
pub fn unpack(message: &[u8]) -> Result<Vec<u8>> {
    Unpacker::new(Format::Msgpack).unpack(&mut Decoder::new(), message)
}

/// A MessagePack value as a [`Source`].
#[derive(Debug)]
pub struct MsgpackSource<'i> {
    input: &'i [u8],
    tape: Tape,
}

impl<'i> MsgpackSource<'i> {
    /// Reads an input, which must be one value.
    ///
    /// # Errors
    /// [`Code::BadInput`](holdall::Code::BadInput), with the offset and, if there is one, the path of the value.
    /// Duplicate keys are found here or when the source is driven.
    ///
    /// ```
    /// use holdall_convert::msgpack::MsgpackSource;
    ///
    /// let error = MsgpackSource::new(b"\x81\xA1a\x92\x01\xC1").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "bad_input at offset 5 in $.a[1]: expected a value, got C1, which MessagePack does not use",
    /// );
    /// ```
    pub fn new(input: &'i [u8]) -> Result<MsgpackSource<'i>> {
        Ok(MsgpackSource { input, tape: read::read(input)? })
    }

    /// Emits the input's value.
    ///
    /// # Errors
    /// Those of the receiver.
    #[doc(hidden)]
    pub fn emit(&self, to: &mut impl Receiver) -> Result<()> {
        self.tape.drive(self.input, to)
    }
}

impl Source for MsgpackSource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        self.emit(shredder)
    }
}

/// Whether MessagePack has a type for these logical values: timestamps in UTC.
pub(crate) fn holds(ty: &LogicalType) -> bool {
    ty.kind() == LogicalType::TIMESTAMP && ty.parameters().get(1) == Some(&1)
}

/// MessagePack.
#[derive(Debug)]
pub(crate) struct Msgpack;

impl Coding for Msgpack {
    fn name(&self) -> &str {
        "msgpack"
    }

    fn extensions(&self) -> &[&str] {
        &["msgpack", "mpk"]
    }

    fn read<'i>(&self, input: &'i [u8], _: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        Ok(Box::new(MsgpackSource::new(input)?))
    }

    #[cfg(feature = "serde")]
    fn read_events(&self, input: &[u8], to: &mut EventReader<'_>) -> Result<bool> {
        to.of_wide_bytes();
        MsgpackSource::new(input)?.emit(to)?;
        Ok(true)
    }

    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
        let mut sink = MsgpackSink::new().limit(value.limit());
        value.emit(&mut sink)?;
        sink.take()
    }
}
