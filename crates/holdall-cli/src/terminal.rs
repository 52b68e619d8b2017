//! What terminals show, and what must not reach them.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

/// Where output is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shows {
    /// Whether the standard output is a terminal, so that only text may reach it, as [`TextOnly`] says.
    pub text_only: bool,
    /// Whether the standard output shows colours.
    pub colour: bool,
    /// Whether large inputs show their progress on standard error, if that is a terminal.
    pub progress: bool,
}

/// A writer to a terminal. It rejects anything but text, because terminals cannot show it and might obey it.
///
/// ```
/// use std::io::Write;
///
/// let mut terminal = holdall_cli::TextOnly::new(Vec::new());
/// terminal.write_all(b"{}\n")?;
/// assert!(terminal.write_all(b"\xC1\x10\x01").is_err());
/// assert!(terminal.write_all(b"a\x1B[31m").is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct TextOnly<W> {
    inner: W,
}

impl<W: Write> TextOnly<W> {
    /// Wraps a writer.
    pub fn new(inner: W) -> Self {
        TextOnly { inner }
    }
}

/// The size of a single check and write.
const PIECE: usize = 1 << 16;

/// Returns the first piece of some bytes as text, if it has no control characters except line breaks.
fn first_piece(bytes: &[u8]) -> Option<&str> {
    let piece = &bytes[..bytes.len().min(PIECE)];
    let text = match std::str::from_utf8(piece) {
        Ok(text) => text,
        // A piece can end within a character, but not all bytes.
        Err(error) if error.error_len().is_none() && piece.len() < bytes.len() => {
            std::str::from_utf8(&piece[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let is_control = |char: char| char.is_control() && !matches!(char, '\n' | '\r' | '\t');
    (!text.contains(is_control)).then_some(text)
}

impl<W: Write> Write for TextOnly<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(text) = first_piece(bytes) else {
            let advice = "this is a terminal, and the data is binary: name a file with -o, or send it through a pipe";
            return Err(io::Error::other(advice));
        };
        self.inner.write_all(text.as_bytes())?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The styles of the parts of a line.
#[derive(Default)]
pub(crate) struct Looks {
    pub(crate) dim: Style,
    pub(crate) hex: Style,
    pub(crate) path: Style,
    pub(crate) bar: Style,
    pub(crate) fault: Style,
    pub(crate) old: Style,
    pub(crate) new: Style,
    pub(crate) changed: Style,
}

impl Looks {
    pub(crate) fn of(colour: bool) -> Looks {
        if !colour {
            return Looks::default();
        }
        Looks {
            dim: Style::new().dimmed(),
            hex: AnsiColor::Yellow.on_default(),
            path: AnsiColor::Cyan.on_default(),
            bar: AnsiColor::Blue.on_default(),
            fault: AnsiColor::Red.on_default().bold(),
            old: AnsiColor::Red.on_default(),
            new: AnsiColor::Green.on_default(),
            changed: AnsiColor::Yellow.on_default(),
        }
    }
}

/// Text in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
