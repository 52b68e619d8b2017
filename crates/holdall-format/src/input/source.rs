//! Where the bytes of a view are: in memory, or in a file that is read in parts.

use alloc::borrow::Cow;
#[cfg(feature = "std")]
use alloc::boxed::Box;
use core::ops::Range;
#[cfg(feature = "std")]
use std::io;

#[cfg(feature = "std")]
use super::ReadAt;
use crate::error::{Code, Error, Result};
#[cfg(feature = "std")]
use crate::memory;

/// The bytes that a view owns or borrows.
#[cfg(feature = "std")]
pub enum Source<'a> {
    Slice(&'a [u8]),
    Owned(Box<dyn AsRef<[u8]> + Send + Sync + 'a>),
    At(Box<dyn ReadAt + 'a>, u64),
}

#[cfg(feature = "std")]
impl Source<'_> {
    pub fn reading(&self) -> Reading<'_> {
        match self {
            Source::Slice(bytes) => Reading::Slice(bytes),
            Source::Owned(owner) => Reading::Slice((**owner).as_ref()),
            Source::At(reader, size) => Reading::At(&**reader, *size),
        }
    }
}

/// A borrowed [`Source`].
#[derive(Clone, Copy)]
pub enum Reading<'s> {
    Slice(&'s [u8]),
    #[cfg(feature = "std")]
    /// A source, and the size that it had when the view was opened.
    At(&'s dyn ReadAt, u64),
}

impl<'s> Reading<'s> {
    pub fn size(self) -> u64 {
        match self {
            Reading::Slice(bytes) => bytes.len() as u64,
            #[cfg(feature = "std")]
            Reading::At(_, size) => size,
        }
    }

    /// All bytes, if they are in memory.
    pub fn in_memory(self) -> Option<&'s [u8]> {
        match self {
            Reading::Slice(bytes) => Some(bytes),
            #[cfg(feature = "std")]
            Reading::At(..) => None,
        }
    }

    /// Bytes that are within the size.
    pub fn bytes(self, range: Range<u64>) -> Result<Cow<'s, [u8]>> {
        let len = length(&range)?;
        match self {
            Reading::Slice(bytes) => part(bytes, range.start, len).map(Cow::Borrowed),
            #[cfg(feature = "std")]
            Reading::At(..) => {
                let mut bytes = memory::zeros(len);
                self.read(&mut bytes, range.start)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Whether to announce what is read next.
    #[cfg(feature = "std")]
    pub fn wants_announcements(self) -> bool {
        matches!(self, Reading::At(reader, _) if reader.wants_announcements())
    }

    /// Announces parts that are read next.
    #[cfg(feature = "std")]
    pub fn announce(self, parts: &[Range<u64>]) -> Result<()> {
        match self {
            Reading::At(reader, _) if !parts.is_empty() && reader.wants_announcements() => {
                Ok(reader.announce(parts)?)
            }
            _ => Ok(()),
        }
    }

    /// Fills a buffer with the bytes from an offset on.
    pub fn read(self, into: &mut [u8], offset: u64) -> Result<()> {
        match self {
            Reading::Slice(bytes) => {
                into.copy_from_slice(part(bytes, offset, into.len())?);
                Ok(())
            }
            #[cfg(feature = "std")]
            Reading::At(reader, _) => {
                reader.read_at(into, offset).map_err(|error| match error.kind() {
                    io::ErrorKind::UnexpectedEof => shorter(offset),
                    _ => Error::from(error),
                })
            }
        }
    }
}

/// Returns bytes from an offset on.
fn part(bytes: &[u8], offset: u64, len: usize) -> Result<&[u8]> {
    let start = usize::try_from(offset).map_err(|_| too_large(offset))?;
    bytes.get(start..start.saturating_add(len)).ok_or_else(|| shorter(offset))
}

fn length(range: &Range<u64>) -> Result<usize> {
    let len = range.end.saturating_sub(range.start);
    // No vector is longer.
    usize::try_from(len)
        .ok()
        .filter(|len| isize::try_from(*len).is_ok())
        .ok_or_else(|| too_large(range.start))
}

#[cold]
fn too_large(offset: u64) -> Error {
    Error::at(Code::LimitBudget, 0)
        .expected("as many bytes as this machine can address")
        .got("more")
        .moved_by(offset)
}

/// The error if bytes that existed when the view was opened are missing.
#[cold]
fn shorter(offset: u64) -> Error {
    Error::at(Code::Io, 0)
        .expected("a file as long as when the view was opened")
        .got("a shorter one")
        .moved_by(offset)
}
