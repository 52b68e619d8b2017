//! Text: strings and byte strings, lengths apart from the bytes (F-32).

use super::ints::{locate_lengths, read_u64, sum, write_u64};
use super::{FEW, Place, unreadable};
use crate::error::{Code, Error, Result};
use crate::input::Input;

const PLAIN: u8 = 0x60;
/// dictionary (F-57).
const RESERVED: [u8; 1] = [0x61];

/// Text as a writer gathers it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextBuffer {
    lengths: Vec<u64>,
    bytes: Vec<u8>,
}

impl TextBuffer {
    #[inline]
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.lengths.push(text.len() as u64);
        self.bytes.extend_from_slice(text);
    }

    pub(crate) fn clear(&mut self) {
        self.lengths.clear();
        self.bytes.clear();
    }
}

/// Appends a column in profile fast (F-43).
pub(crate) fn write(out: &mut Vec<u8>, text: &TextBuffer) {
    if text.lengths.len() >= FEW {
        out.push(PLAIN);
    }
    write_u64(out, &text.lengths);
    out.extend_from_slice(&text.bytes);
}

/// A column that has been located.
#[derive(Clone, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) place: Place,
    pub(crate) lengths: Vec<u64>,
    payload: &'a [u8],
}

/// Finds a column of `rows` > 0 rows.
pub(crate) fn locate<'a>(input: &mut Input<'a>, rows: usize) -> Result<Text<'a>> {
    let start = input.position();
    let (encoding, lengths) = if rows < FEW {
        (None, read_u64(input, rows)?.1)
    } else {
        match input.byte("the encoding of text")? {
            byte @ PLAIN => (Some(byte), locate_lengths(input, rows)?),
            byte => return Err(unreadable(byte, &RESERVED, start)),
        }
    };
    let payload = input.take_charged(sum(&lengths), "text")?;
    let place = Place { range: start..input.position(), encoding, rows };
    Ok(Text { place, lengths, payload })
}

impl<'a> Text<'a> {
    /// Every row must be UTF-8 by itself; gives all rows as one string.
    ///
    /// One pass over the whole payload, then one look at each boundary: that is all rows by themselves.
    pub(crate) fn validate_utf8(&self) -> Result<&'a str> {
        if let Ok(text) = std::str::from_utf8(self.payload) {
            let mut at = 0;
            let cut = self.lengths.iter().any(|&len| {
                at += len as usize;
                !text.is_char_boundary(at)
            });
            if text.is_ascii() || !cut {
                return Ok(text);
            }
        }
        Err(self.first_invalid())
    }

    #[cold]
    fn first_invalid(&self) -> Error {
        let start = self.place.range.end - self.payload.len();
        let mut at = 0;
        for (row, &len) in self.lengths.iter().enumerate() {
            let end = at + len as usize;
            if std::str::from_utf8(&self.payload[at..end]).is_err() {
                return Error::at(Code::InvalidUtf8, start + at)
                    .expected("UTF-8")
                    .got("other bytes")
                    .in_row(row);
            }
            at = end;
        }
        Error::at(Code::InvalidUtf8, start).expected("UTF-8")
    }

    /// All rows' bytes, one after the other.
    pub(crate) fn payload(&self) -> &'a [u8] {
        self.payload
    }
}
