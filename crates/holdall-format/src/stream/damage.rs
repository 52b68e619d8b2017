//! Damage that a reader of a stream found.

use core::fmt;
use core::ops::Range;

use crate::error::{Code, Error};

/// A part of a stream that a reader skipped.
///
/// ```
/// use holdall::{OnDamage, Reader, Writer};
///
/// let mut writer = Writer::new(Vec::new())?;
/// for n in 0..3_u8 {
///     writer.write(&n)?;
///     writer.flush()?; // a block of its own
/// }
/// let mut bytes = writer.finish()?;
/// bytes[90] ^= 1; // in the first block, which begins at offset 56
///
/// let mut reader = Reader::new(&bytes[..]).on_damage(OnDamage::Skip);
/// let values: Vec<u8> = reader.values().collect::<Result<_, _>>()?;
/// assert_eq!(values, [1, 2]);
/// let damage = &reader.damage()[0];
/// assert_eq!((damage.offset(), damage.skipped()), (56, 48));
/// assert_eq!(damage.frames(), 1..2);
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Damage {
    offset: u64,
    skipped: u64,
    frames: Range<u64>,
    error: Error,
}

impl Damage {
    pub fn new(offset: u64, skipped: u64, error: Error) -> Damage {
        Damage { offset, skipped, frames: 0..0, error }
    }

    pub fn without(self, frames: Range<u64>) -> Damage {
        Damage { frames, ..self }
    }

    /// The offset in the stream where the damage begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes were skipped from there.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The numbers of the missing frames, counted from 0. Empty if a frame is repeated, or if no later frame shows how
    /// many are missing.
    #[must_use]
    pub fn frames(&self) -> Range<u64> {
        self.frames.clone()
    }

    /// What is wrong: `bad_checksum`, `bad_sync`, `truncated`, `missing_frames`, `repeated_frame` and others.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// The code of the error.
    #[must_use]
    pub fn code(&self) -> Code {
        self.error.code()
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.alternate() {
            true => write!(f, "{:#}", self.error)?,
            false => write!(f, "{}", self.error)?,
        }
        if self.skipped > 0 {
            write!(f, "; skipped {} bytes from offset {}", self.skipped, self.offset)?;
        }
        match self.frames.end.saturating_sub(self.frames.start) {
            0 => Ok(()),
            1 => write!(f, "; frame {} is missing", self.frames.start),
            _ => {
                write!(f, "; frames {} to {} are missing", self.frames.start, self.frames.end - 1)
            }
        }
    }
}

/// How a reader treats damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDamage {
    /// Damage is an error, and ends the reading.
    #[default]
    Error,
    /// The reader skips the damage, continues with the next intact frame, and lists the damage in `Reader::damage`.
    Skip,
}

/// The fault of an input that ends before its stream does.
pub fn missing_end(at: u64) -> Error {
    Error::in_stream(Code::Truncated, at)
        .expected("the end of the stream")
        .got("the end of the input")
}

/// The fault of bytes after the end of a stream that must be the entire input (F-81).
pub fn trailing_bytes(at: u64, count: u64) -> Error {
    Error::in_stream(Code::TrailingBytes, at)
        .expected("no bytes after the end of the stream")
        .got(format!("{count} more bytes"))
}
