//! CBOR (RFC 8949) to holdall and back, value by value.
//!
//! An input is one data item. It becomes the following, and comes back in the fewest bytes with definite lengths:
//!
//! | CBOR | holdall | back |
//! |---|---|---|
//! | null, true, false | null, bool | the same |
//! | integers, and bignums (tags 2 and 3) | int, exact at any length | an integer where it fits, else a bignum |
//! | floats of 16, 32 and 64 bits | f16, f32, f64 | every bit, the same width |
//! | text string, in one part or several | string; one that is not UTF-8 is refused | the same, in one part |
//! | byte string | bytes | the same |
//! | array, of any form of length | list | the same |
//! | map | record if all keys are strings, else map; a duplicate key is an error | the same |
//! | tag 0 of a date-time (RFC 3339) in the years 0 to 9999 | timestamp in UTC, in seconds, or in microseconds or nanoseconds if it has them | tag 1 if it is whole seconds, else tag 0 in UTC |
//! | tag 1 of an integer | timestamp in seconds, UTC | the same |
//! | tag 1 of a float, of the same years | timestamp in UTC, in seconds or to the nearest microsecond | tag 1 of an integer if it is whole seconds, else tag 0 |
//! | tag 4 of an exponent of 64 bits and an integer | decimal | the same |
//! | tag 5 of an exponent and an integer, if an f64 has that value | f64 | float of 64 bits |
//! | tag 30 of two integers | rational | the same |
//! | tag 32 of a text | url | the same |
//! | tag 37 of 16 bytes | uuid | the same |
//! | tags 52 and 54 of 4 and 16 bytes | IP address | the same |
//! | tag 100 of an integer, tag 1004 of a date (RFC 3339) | date | tag 100 |
//! | tag 258 of an array | set | the same |
//! | tag 55799 of anything, which says that data are CBOR | its content | without the tag |
//! | any other tag and content | extension `cbor.tag` of tuple(u64, any): number and content | the same |
//! | undefined and other simple values | extension `cbor.simple` of u8, 23 for undefined | the same |
//!
//! Other holdall data can hold more. The following take the nearest form with the same value: integers of all widths,
//! bf16 as 32-bit floats, byte strings of fixed length, tuples and arrays as arrays, structs as maps, timestamps in UTC of other units
//! as tag 1, or tag 0 if they have a fraction of a second. Decimals that are infinite, NaN or a negative zero, tensors, named variants, other logical values and extensions (unless their
//! [storage](crate::Unpacker::storage) is requested), and shared values (unless [copies](crate::Unpacker::copies) are requested) are
//! rejected with [`Code::Unrepresentable`].
//!
//! [`Code::Unrepresentable`]: holdall::Code::Unrepresentable

mod read;
mod sink;

use holdall::events::{Shredder, Source};
#[cfg(feature = "serde")]
use holdall::serde::EventReader;
use holdall::{Decoder, Encoder, Result};

use crate::coding::{Coding, Emitter, Reading};
use crate::receiver::Receiver;
use crate::tape::Tape;
use crate::{Format, Packer, Unpacker};

pub use sink::CborSink;

/// Packs a CBOR data item into a message.
///
/// ```
/// let message = holdall_convert::cbor::pack(b"\xA1\x61a\x01")?;
/// assert_eq!(message, b"\xC1\x10\x1A\x08\x04a\x03\x04");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// [`Code::BadInput`](holdall::Code::BadInput) for bytes that are not CBOR,
/// [`Code::DuplicateKey`](holdall::Code::DuplicateKey), both with the offset, and those of [`Encoder::message`].
pub fn pack(input: &[u8]) -> Result<Vec<u8>> {
    Packer::new(Format::Cbor).pack(&mut Encoder::new(), input)
}

/// Unpacks a message into CBOR.
///
/// ```
/// let item = holdall_convert::cbor::unpack(b"\xC1\x10\x1A\x08\x04a\x03\x04")?;
/// assert_eq!(item, b"\xA1\x61a\x01");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`json::unpack`](crate::json::unpack).
pub fn unpack(message: &[u8]) -> Result<Vec<u8>> {
    Unpacker::new(Format::Cbor).unpack(&mut Decoder::new(), message)
}

/// A CBOR data item as a [`Source`].
#[derive(Debug)]
pub struct CborSource<'i> {
    input: &'i [u8],
    tape: Tape,
}

impl<'i> CborSource<'i> {
    /// Reads an input, which must be one data item.
    ///
    /// # Errors
    /// [`Code::BadInput`](holdall::Code::BadInput), with the offset and, if there is one, the path of the value.
    /// Duplicate keys are found here or when the source is driven.
    ///
    /// ```
    /// use holdall_convert::cbor::CborSource;
    ///
    /// let error = CborSource::new(b"\xA1\x61a\x82\x01\x1C").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "bad_input at offset 5 in $.a[1]: expected a data item, got 1C, which has no meaning",
    /// );
    /// ```
    pub fn new(input: &'i [u8]) -> Result<CborSource<'i>> {
        Ok(CborSource { input, tape: read::read(input)? })
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

impl Source for CborSource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        self.emit(shredder)
    }
}

/// CBOR.
#[derive(Debug)]
pub(crate) struct Cbor;

impl Coding for Cbor {
    fn name(&self) -> &str {
        "cbor"
    }

    fn extensions(&self) -> &[&str] {
        &["cbor"]
    }

    fn read<'i>(&self, input: &'i [u8], _: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        Ok(Box::new(CborSource::new(input)?))
    }

    #[cfg(feature = "serde")]
    fn read_events(&self, input: &[u8], to: &mut EventReader<'_>) -> Result<bool> {
        CborSource::new(input)?.emit(to)?;
        Ok(true)
    }

    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
        let mut sink = CborSink::new().limit(value.limit());
        value.emit(&mut sink)?;
        sink.take()
    }
}
