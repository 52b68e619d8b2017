//! Bytes that are read by offset.

use core::ops::Range;
use std::fs::File;
use std::io;

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
