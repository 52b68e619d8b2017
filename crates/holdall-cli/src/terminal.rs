//! What must not reach a terminal.

use std::io::{self, Write};

/// The first byte of a message. No text starts with it, since it is not valid in UTF-8.
const MAGIC: u8 = 0xC1;

/// A writer to a terminal: it refuses holdall data, which terminals cannot show and might obey.
///
/// ```
/// use std::io::Write;
///
/// let mut terminal = holdall_cli::TextOnly::new(Vec::new());
/// terminal.write_all(b"{}\n")?;
/// assert!(terminal.write_all(b"\xC1\x10\x01").is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct TextOnly<W> {
    inner: W,
}

impl<W: Write> TextOnly<W> {
    /// Guards a writer.
    pub fn new(inner: W) -> Self {
        TextOnly { inner }
    }
}

impl<W: Write> Write for TextOnly<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.first() == Some(&MAGIC) {
            let advice = "this is a terminal, and the data is binary: name a file with -o, or send it through a pipe";
            return Err(io::Error::other(advice));
        }
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
