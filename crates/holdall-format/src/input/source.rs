//! Where the bytes of a view are: in memory, or in a file that is read in parts.

use alloc::boxed::Box;

use crate::memory;
use alloc::borrow::Cow;
use core::ops::Range;
use std::fs::File;
use std::io;

use crate::error::{Code, Error, Result};

/// Bytes that are read by offset, from several threads at once: a file, or an object in network storage.
///
/// ```
/// use std::io;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// /// Counts the bytes that are read.
/// struct Counted(Vec<u8>, AtomicU64);
///
/// impl holdall::view::ReadAt for Counted {
///     fn size(&self) -> io::Result<u64> {
///         Ok(self.0.len() as u64)
///     }
///
///     fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
///         self.1.fetch_add(bytes.len() as u64, Ordering::Relaxed);
///         self.0.as_slice().read_at(bytes, offset)
///     }
/// }
///
/// let message = holdall::to_vec(&vec![0.5; 3])?;
/// let view = holdall::View::of(Counted(message, AtomicU64::new(0)))?;
/// assert_eq!(view.schema().to_string(), "list(f64)");
/// # Ok::<(), holdall::Error>(())
/// ```
pub trait ReadAt: Send + Sync {
    /// The number of bytes.
    ///
    /// # Errors
    /// The errors of the system.
    fn size(&self) -> io::Result<u64>;

    /// Fills `bytes` with those from `offset` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] where there are fewer; those of the system.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;

    /// Whether a view announces what it reads next. Not by default, because a file needs no announcement.
    fn wants_announcements(&self) -> bool {
        false
    }

    /// Announces parts that a view reads next, so that a source in network storage can fetch all of them at once.
    ///
    /// # Errors
    /// Those of the source.
    fn announce(&self, _parts: &[Range<u64>]) -> io::Result<()> {
        Ok(())
    }
}

impl ReadAt for [u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let part = self.get(start..start.saturating_add(bytes.len()));
        bytes.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

impl ReadAt for File {
    fn size(&self) -> io::Result<u64> {
        let own = self.metadata()?;
        if !own.is_file() {
            let text =
                "this is no regular file, so no parts of it can be read; read all of it, in order";
            return Err(io::Error::new(io::ErrorKind::NotSeekable, text));
        }
        Ok(own.len())
    }

    #[cfg(unix)]
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, bytes, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, bytes, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    bytes = &mut bytes[count..];
                    offset += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Other systems cannot read files by offset.
    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The bytes that a view owns or borrows.
pub enum Source<'a> {
    Slice(&'a [u8]),
    Owned(Box<dyn AsRef<[u8]> + Send + Sync + 'a>),
    At(Box<dyn ReadAt + 'a>, u64),
}

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
    /// A source, and the size that it had when the view was opened.
    At(&'s dyn ReadAt, u64),
}

impl<'s> Reading<'s> {
    pub fn size(self) -> u64 {
        match self {
            Reading::Slice(bytes) => bytes.len() as u64,
            Reading::At(_, size) => size,
        }
    }

    /// All bytes, if they are in memory.
    pub fn in_memory(self) -> Option<&'s [u8]> {
        match self {
            Reading::Slice(bytes) => Some(bytes),
            Reading::At(..) => None,
        }
    }

    /// Bytes that are within the size.
    pub fn bytes(self, range: Range<u64>) -> Result<Cow<'s, [u8]>> {
        let len = length(&range)?;
        if let Reading::Slice(bytes) = self {
            let start = usize::try_from(range.start).map_err(|_| too_large(range.start))?;
            let part = bytes.get(start..start.saturating_add(len));
            return part.map(Cow::Borrowed).ok_or_else(|| shorter(range.start));
        }
        let mut bytes = memory::zeros(len);
        self.read(&mut bytes, range.start)?;
        Ok(Cow::Owned(bytes))
    }

    /// Whether to announce what is read next.
    pub fn wants_announcements(self) -> bool {
        matches!(self, Reading::At(reader, _) if reader.wants_announcements())
    }

    /// Announces parts that are read next.
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
        let read = match self {
            Reading::Slice(bytes) => bytes.read_at(into, offset),
            Reading::At(reader, _) => reader.read_at(into, offset),
        };
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => shorter(offset),
            _ => Error::from(error),
        })
    }
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
