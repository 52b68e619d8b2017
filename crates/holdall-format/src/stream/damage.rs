//! What of a stream is not as it should be.

use std::fmt;
use std::ops::Range;

use crate::error::{Code, Error};

/// What a reader of a stream passed by.
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

    /// The byte of the stream from which on something is not as it should be.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes from there on were passed by.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The numbers of the frames that are missing, counted from 0: none are if a frame comes again, or if nothing comes behind
    /// that could tell.
    #[must_use]
    pub fn frames(&self) -> Range<u64> {
        self.frames.clone()
    }

    /// What is wrong: `bad_checksum`, `bad_sync`, `truncated`, `missing_frames`, `repeated_frame` and the like.
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

/// What a reader does about damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDamage {
    /// It is an error, and the last that the reader gives.
    #[default]
    Error,
    /// The reader passes it by, goes on with the next frame that is whole, and tells it by `Reader::damage`.
    Skip,
}
