//! Text: strings and byte strings, lengths apart from the bytes (F-32).

mod write;

use super::frame::read_inner;
use super::ints::{read_count, read_u64, sum};
use super::zstd::{self, ZSTD};
use super::{FEW, Place, unreadable};
use crate::error::{Code, Error, Result};
use crate::input::Input;

pub(crate) use write::{TextBuffer, write};

const PLAIN: u8 = 0x60;
const DICTIONARY: u8 = 0x61;

/// A column that has been located.
#[derive(Clone, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) place: Place,
    /// The bytes of all rows, or of all entries, one after the other.
    payload: &'a [u8],
    /// Where the payload begins.
    payload_start: usize,
    /// The lengths in the payload.
    lengths: Vec<u64>,
    /// With a dictionary, the entry of each row.
    indices: Option<Vec<u64>>,
}

/// Which part of the payload is a row's.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    /// Each the next one, of this length.
    Plain(Vec<u64>),
    /// That of an entry: where each begins and, last, where the last ends; then the entry of each row.
    Dictionary { bounds: Vec<usize>, indices: Vec<u64> },
}

impl Rows {
    /// The bytes of a row; `at` is where the next plain row begins.
    #[inline]
    pub(crate) fn span(&self, row: usize, at: usize) -> (usize, usize) {
        match self {
            Rows::Plain(lengths) => (at, at + lengths[row] as usize),
            Rows::Dictionary { bounds, indices } => {
                let entry = indices[row] as usize;
                (bounds[entry], bounds[entry + 1])
            }
        }
    }
}

/// Until the column's end is known.
const NOWHERE: Place = Place { range: 0..0, encoding: None, rows: 0 };

/// Finds a column of `rows` > 0 rows; `utf8` says whether they must be UTF-8.
pub(crate) fn locate<'a>(input: &mut Input<'a>, utf8: bool, rows: usize) -> Result<Text<'a>> {
    let start = input.position();
    let (encoding, mut text) = if rows < FEW {
        let (_, lengths) = read_u64(input, rows)?;
        (None, locate_plain(input, lengths)?)
    } else {
        let byte = input.byte("the encoding of text")?;
        let text = match byte {
            PLAIN => {
                let lengths = read_inner(input, rows, false)?;
                locate_plain(input, lengths)?
            }
            DICTIONARY => locate_dictionary(input, utf8, start, rows)?,
            ZSTD => zstd::inside(input, start, |input| {
                let text = locate(input, utf8, rows)?;
                if utf8 {
                    text.validate_utf8()?;
                }
                Ok(text)
            })?,
            _ => return Err(unreadable(byte, start)),
        };
        (Some(byte), text)
    };
    text.place = Place { range: start..input.position(), encoding, rows };
    Ok(text)
}

fn locate_plain<'a>(input: &mut Input<'a>, lengths: Vec<u64>) -> Result<Text<'a>> {
    let payload_start = input.position();
    let payload = input.take_charged(sum(&lengths), "text")?;
    Ok(Text { place: NOWHERE, payload, payload_start, lengths, indices: None })
}

fn locate_dictionary<'a>(
    input: &mut Input<'a>,
    utf8: bool,
    start: usize,
    rows: usize,
) -> Result<Text<'a>> {
    let count = read_count(input, Code::BadDictionary, 1, rows)?;
    let lengths = read_inner(input, count, false)?;
    let payload_start = input.position();
    let payload = input.take(sum(&lengths), "entries")?;
    let mut text = Text { place: NOWHERE, payload, payload_start, lengths, indices: None };
    if utf8 {
        text.validate_utf8()?;
    }
    let at = input.position();
    let indices = read_inner(input, rows, false)?;
    if let Some(row) = indices.iter().position(|&index| index >= count as u64) {
        return Err(Error::at(Code::IndexOutOfRange, at)
            .expected(format!("an entry below {count}"))
            .got(indices[row].to_string())
            .in_row(row));
    }
    let total = indices.iter().map(|&index| u128::from(text.lengths[index as usize])).sum();
    input.charge_at(start, total)?;
    text.indices = Some(indices);
    Ok(text)
}

impl<'a> Text<'a> {
    /// Every row (entry) must be UTF-8 by itself; gives the payload as one string.
    ///
    /// One pass over the whole payload, then one look at each boundary: that is all rows by themselves.
    pub(crate) fn validate_utf8(&self) -> Result<&'a str> {
        if let Ok(text) = std::str::from_utf8(self.payload) {
            let mut at = 0;
            let mut cuts = self.lengths.iter().map(|&len| {
                at += len as usize;
                !text.is_char_boundary(at)
            });
            if text.is_ascii() || !cuts.any(|cut| cut) {
                return Ok(text);
            }
        }
        Err(self.first_invalid())
    }

    #[cold]
    fn first_invalid(&self) -> Error {
        let start = self.payload_start;
        let mut at = 0;
        for (row, &len) in self.lengths.iter().enumerate() {
            let end = at + len as usize;
            if std::str::from_utf8(&self.payload[at..end]).is_err() {
                let row = self.indices.is_none().then_some(row);
                return Error::at(Code::InvalidUtf8, start + at)
                    .expected("UTF-8")
                    .got("other bytes")
                    .in_row(row);
            }
            at = end;
        }
        Error::at(Code::InvalidUtf8, start).expected("UTF-8")
    }

    /// The bytes of all rows, or of all entries.
    pub(crate) fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// Which part of the payload is each row's.
    pub(crate) fn decode(self) -> Rows {
        let Some(indices) = self.indices else { return Rows::Plain(self.lengths) };
        let ends = self.lengths.iter().scan(0, |end, &len| {
            *end += len as usize;
            Some(*end)
        });
        Rows::Dictionary { bounds: std::iter::once(0).chain(ends).collect(), indices }
    }
}
