//! Messages that go elsewhere than into a new vector: the encoder's own buffer lends them.

use super::Encoder;
use crate::error::{Code, Error, Result};
use crate::typed::Encode;

impl Encoder {
    /// Like [`Encoder::encode`], but returns the message in the encoder's own buffer, which is kept for the next one. So
    /// you can write it anywhere without an allocation for each message, and know its length before the first byte is
    /// written.
    ///
    /// ```
    /// use std::io::Write;
    ///
    /// let mut encoder = holdall::Encoder::new().length(true);
    /// let mut connection = Vec::new();
    /// for n in [1_u8, 2] {
    ///     connection.write_all(encoder.encode_ref(&n)?)?;
    /// }
    /// assert_eq!(connection, [0xC1, 0x18, 0x04, 12, 0x04, 1, 0xC1, 0x18, 0x04, 12, 0x04, 2]); // 6 bytes each: 2·6
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// [`Encoder::encode_to`] writes into memory that grows to that length first.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encode_ref<T: Encode + ?Sized>(&mut self, value: &T) -> Result<&[u8]> {
        let mut message = core::mem::take(&mut self.message);
        let done = self.encode_into(value, &mut message);
        self.message = message;
        done.map(|()| &*self.message)
    }

    /// Like [`Encoder::encode`], but writes into memory that a function returns once the length is known, such as that of a file that
    /// is mapped into memory and grows. The message is copied there once, from the encoder's own buffer. Returns the part of the memory
    /// that the message has, which is its beginning.
    ///
    /// ```
    /// use holdall::{Encoder, Result};
    ///
    /// /// A mapping: as many bytes as a file has.
    /// struct Mapping { bytes: Vec<u8>, used: usize }
    ///
    /// impl Mapping {
    ///     /// Grows the file, if need be, and returns what is free in it.
    ///     fn free(&mut self, len: usize) -> Result<&mut [u8]> {
    ///         let start = self.used;
    ///         self.used += len;
    ///         self.bytes.resize(self.used.next_multiple_of(4096), 0); // and map the file again
    ///         Ok(&mut self.bytes[start..])
    ///     }
    /// }
    ///
    /// let mut mapping = Mapping { bytes: Vec::new(), used: 0 };
    /// let mut encoder = Encoder::new().length(true);
    /// for n in [1_u8, 2] {
    ///     assert_eq!(encoder.encode_to(&n, |len| mapping.free(len))?, [0xC1, 0x18, 0x04, 12, 0x04, n]);
    /// }
    /// assert_eq!((mapping.used, mapping.bytes.len()), (12, 4096));
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::encode`], and those of the function; `limit_output` if it returns too few bytes. They are unchanged then.
    pub fn encode_to<'r, T: Encode + ?Sized>(
        &mut self,
        value: &T,
        room: impl FnOnce(usize) -> Result<&'r mut [u8]>,
    ) -> Result<&'r mut [u8]> {
        let message = self.encode_ref(value)?;
        let room = room(message.len())?;
        room_for(message.len(), room.len())?;
        let room = &mut room[..message.len()];
        room.copy_from_slice(message);
        Ok(room)
    }

    /// Returns the length of the message that [`Encoder::encode`] would return, without a vector of its own for it.
    ///
    /// In profile fast, the columns of a large value of a Rust type are gathered and measured, not written. Otherwise the message is
    /// written into the encoder's own buffer, that of a [`Value`](crate::Value) into a new one, which takes as long as [`Encoder::encode_ref`]: take that instead if you
    /// write the message next.
    ///
    /// ```
    /// assert_eq!(holdall::Encoder::new().encoded_len(&300_u32)?, 5);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encoded_len<T: Encode + ?Sized>(&mut self, value: &T) -> Result<usize> {
        let measured = match T::DRIVE {
            Some(_) => None,
            None => self.guarded(|encoder| encoder.typed().measure(value))?,
        };
        match measured {
            Some(len) => Ok(len),
            None => Ok(self.encode_ref(value)?.len()),
        }
    }
}

/// Checks that there is room for a message.
///
/// # Errors
/// `limit_output` if it has more, with how many are missing.
pub(crate) fn room_for(len: usize, room: usize) -> Result<()> {
    match len.checked_sub(room) {
        None | Some(0) => Ok(()),
        Some(missing) => Err(Error::new(Code::LimitOutput)
            .expected(format!("room for {len} bytes"))
            .got(format!("{room} bytes: {missing} are missing"))),
    }
}
