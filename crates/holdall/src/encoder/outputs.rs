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
    /// A file that is mapped into memory grows to that length first:
    ///
    /// ```
    /// # let mut map = Vec::new(); // a mapping has the same functions
    /// # let mut encoder = holdall::Encoder::new();
    /// let message = encoder.encode_ref(&[0.5, 1.5])?;
    /// map.resize(message.len(), 0);
    /// map.copy_from_slice(message);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encode_ref<T: Encode + ?Sized>(&mut self, value: &T) -> Result<&[u8]> {
        let mut message = core::mem::take(&mut self.message);
        let done = self.encode_into(value, &mut message);
        self.message = message;
        done.map(|()| &*self.message)
    }

    /// Returns the length of the message that [`Encoder::encode`] would return, without an allocation for it.
    ///
    /// In profile fast, the columns of a large value are gathered and measured, not written. Otherwise the message is
    /// written into the encoder's own buffer, which takes as long as [`Encoder::encode_ref`]: take that instead if you
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
