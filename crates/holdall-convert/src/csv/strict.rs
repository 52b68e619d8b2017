//! Checks quotes, which the csv crate accepts anywhere: it reads `"a"b` as `ab`, and takes the rest of the input into a
//! quote that is never closed.

use std::error::Error;
use std::fmt;
use std::io::{self, Read};

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Passes the bytes of a reader on, up to a fault in the quotes.
pub(super) struct Strict<R> {
    reader: R,
    state: StrictState,
    offset: u64,
    line: u64,
    /// The offset of the open quote.
    quote: (u64, u64),
    /// Whether the previous byte was `\r`.
    after_return: bool,
    /// The length of the byte order mark, which is skipped: the csv crate would take a mark on its own for the whole input.
    mark: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum StrictState {
    /// The beginning of a cell.
    Begin,
    Plain,
    Quoted,
    /// After a quote in a quoted cell: it closes the cell, or is the first of two.
    Closed,
}

/// A fault and its offset, inside an [`io::Error`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) offset: u64,
    pub(super) line: u64,
    pub(super) expected: &'static str,
    /// Checks the next byte; none at the end.
    pub(super) got: Option<u8>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }
}

impl Error for Fault {}

impl<R> Strict<R> {
    pub(super) fn new(reader: R) -> Self {
        Strict {
            reader,
            state: StrictState::Begin,
            offset: 0,
            line: 1,
            quote: (0, 1),
            after_return: false,
            mark: 0,
        }
    }

    /// Returns the number of bytes skipped before the first one passed on.
    pub(super) fn left_out(&self) -> usize {
        self.mark
    }

    fn see(&mut self, byte: u8) -> Result<(), Fault> {
        let here = (self.offset, self.line);
        self.offset += 1;
        // `\r\n` is one line break.
        let is_break = byte == b'\r' || (byte == b'\n' && !self.after_return);
        self.after_return = byte == b'\r';
        self.line += u64::from(is_break);
        self.state = match (self.state, byte) {
            (StrictState::Begin, b'"') => {
                self.quote = here;
                StrictState::Quoted
            }
            (
                StrictState::Begin | StrictState::Plain | StrictState::Closed,
                b',' | b'\n' | b'\r',
            ) => StrictState::Begin,
            (StrictState::Begin | StrictState::Plain, _) => StrictState::Plain,
            (StrictState::Quoted, b'"') => StrictState::Closed,
            (StrictState::Quoted, _) | (StrictState::Closed, b'"') => StrictState::Quoted,
            (StrictState::Closed, _) => {
                return Err(Fault {
                    offset: here.0,
                    line: here.1,
                    expected: "a comma or line break after the quote; one inside a cell is doubled",
                    got: Some(byte),
                });
            }
        };
        Ok(())
    }

    fn end(&self) -> Result<(), Fault> {
        if self.state != StrictState::Quoted {
            return Ok(());
        }
        let (offset, line) = self.quote;
        Err(Fault { offset, line, expected: "a closing quote for this one", got: None })
    }
}

impl<R: Read> Read for Strict<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut len = self.reader.read(buffer)?;
        if self.offset == 0 {
            // One byte more than the mark, so that something is left to pass on; it can arrive in parts.
            while (1..=MARK.len()).contains(&len) && len < buffer.len() {
                match self.reader.read(&mut buffer[len..]) {
                    Ok(0) => break,
                    Ok(more) => len += more,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            if buffer[..len].starts_with(MARK) {
                self.mark = MARK.len();
                self.offset = self.mark as u64;
                buffer.copy_within(self.mark..len, 0);
                len -= self.mark;
            }
        }
        let seen = match len {
            0 if !buffer.is_empty() => self.end(),
            _ => buffer[..len].iter().try_for_each(|byte| self.see(*byte)),
        };
        seen.map_err(io::Error::other)?;
        Ok(len)
    }
}
