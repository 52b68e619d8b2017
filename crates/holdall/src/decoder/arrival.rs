//! Messages from readers, which are read up to their end and no further.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use std::io::Read;

use super::Decoder;
use crate::envelope::{check_message_len, has_length, message_len_within};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;

/// Every message that begins with its length has more bytes than these. Others have at least 3, and end with the input.
const FIRST: usize = 4;

/// A message of which some bytes have arrived.
#[derive(Default)]
pub(crate) struct Arrival {
    bytes: Vec<u8>,
    /// Whether the input has ended.
    is_at_end: bool,
}

impl Arrival {
    /// Returns how many bytes to read next at most; none if the message is complete or cannot be completed.
    pub(crate) fn wants(&self, limits: Limits) -> Result<Option<u64>> {
        let here = self.bytes.len();
        if self.is_at_end {
            return Ok(None);
        }
        if here < FIRST {
            return Ok(Some((FIRST - here) as u64));
        }
        if !has_length(&self.bytes)? {
            check_message_len(here as u64, limits)?;
            // One more than may be there: it shows that there are too many.
            return Ok(Some(limits.frame_bytes() - here as u64 + 1));
        }
        Ok(match message_len_within(&self.bytes, limits)? {
            None => Some(1),
            Some(len) => len.checked_sub(here).filter(|left| *left > 0).map(|left| left as u64),
        })
    }

    /// Returns the buffer to append bytes to.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Notes how many bytes of the wanted ones were appended: fewer if the input has ended.
    pub(crate) fn took(&mut self, count: usize, wanted: u64) {
        self.is_at_end = (count as u64) < wanted;
    }

    /// Returns the message; none if the input ended before it.
    pub(crate) fn finish(self) -> Result<Option<Vec<u8>>> {
        let here = self.bytes.len();
        if here == 0 {
            return Ok(None);
        }
        if self.is_at_end && has_length(&self.bytes)? {
            let len = message_len_within(&self.bytes, Limits::new())?;
            let expected = match len {
                Some(len) => format!("{len} bytes, as the length says"),
                None => "the rest of the length".to_owned(),
            };
            return Err(Error::at(Code::Truncated, here).expected(expected).got("no more bytes"));
        }
        Ok(Some(self.bytes))
    }
}

/// The error if there is no message at all.
#[cold]
pub(crate) fn no_message() -> Error {
    Error::at(Code::Truncated, 0).expected("a message").got("no bytes")
}

impl Decoder {
    /// Reads the bytes of the next message from a reader; none if the reader is at its end.
    ///
    /// A message that begins with its length ([`Encoder::length`](crate::Encoder::length)) is read up to its end, and no
    /// byte more, so that others can follow it. Its first bytes are read one by one, up to 10 of them: wrap a file or
    /// socket in a [`BufReader`](std::io::BufReader) that you keep. Any other message ends where the reader does.
    ///
    /// Memory grows with the bytes that arrive, not with the length that they claim, up to [`Limits::frame`]. Use
    /// [`Feeder`](crate::stream::Feeder) where reading must not block.
    ///
    /// ```
    /// use holdall::{Decoder, Encoder};
    ///
    /// let mut encoder = Encoder::new().length(true);
    /// let bytes = [encoder.encode(&7_u8)?, encoder.encode("seven")?, vec![0xFF]].concat();
    ///
    /// let (mut decoder, mut reader) = (Decoder::new(), &bytes[..]);
    /// let message = decoder.next_message(&mut reader)?.unwrap();
    /// assert_eq!(decoder.decode::<u8>(&message)?, 7);
    /// let message = decoder.next_message(&mut reader)?.unwrap();
    /// assert_eq!(decoder.decode::<&str>(&message)?, "seven");
    /// assert_eq!(reader, [0xFF]); // what follows is still there
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// `io`; `truncated` if the reader ends within a message; errors of magic, version and flags; `limit_budget` for a
    /// message longer than [`Limits::frame`]; `out_of_memory`.
    pub fn next_message(&self, mut reader: impl Read) -> Result<Option<Vec<u8>>> {
        let mut arrival = Arrival::default();
        while let Some(wanted) = arrival.wants(self.messages.limits)? {
            let count = reader.by_ref().take(wanted).read_to_end(arrival.buffer())?;
            arrival.took(count, wanted);
        }
        arrival.finish()
    }
}
