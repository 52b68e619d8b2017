//! Columns: one file for each kind, with `write`, `locate`, `validate` and `decode` together.
//!
//! - `write` appends a column's bytes in a profile's encoding;
//! - `locate` finds where a column begins and ends and how it is stored, and moves the input past it; if the input
//!   skims, it skips the payloads, and the column has no rows;
//! - `validate` checks the bytes that `locate` did not need to find the column's end;
//! - `decode` turns a valid column into values, `decode_…` one of its rows.
//!
//! `locate` then `validate`, column by column, is the order of the spec's checks (F-1). All code that reads bytes uses
//! these functions.

pub mod ahead;
pub mod bits;
pub mod buffer;
pub mod floats;
pub mod frame;
pub mod ints;
pub mod numbers;
pub mod packed;
pub mod pieces;
pub mod preview;
mod profile;
pub mod ranks;
pub mod raw;
mod repeats;
pub mod tensors;
pub mod text;
pub mod zstd;

use alloc::vec::Vec;

use crate::memory::GrowVec;
use core::ops::Range;

pub use profile::Profile;

use crate::error::{Code, Error, Result};
use crate::input::trace::{FieldForm, field};
use crate::input::{Input, LINE, MIN_ALIGNED_PAYLOAD, padding};
use crate::schema::code;

/// Below this many rows a column (Bits excepted) has no encoding byte, unless the marker says so.
pub const MIN_ENCODED_ROWS: usize = 4;

/// Precedes the encoding byte of a column of fewer rows (F-29): no number begins with these bytes.
pub const MARKER: [u8; 2] = [0x01, 0x00];

/// Whether a column of integers or text has an encoding byte. Reads the marker before it.
pub fn is_encoded(input: &mut Input<'_>, rows: usize) -> Result<bool> {
    let is_marked = rows < MIN_ENCODED_ROWS && input.peek()? == Some(MARKER);
    if is_marked {
        let marker = field("the marker of an encoding", "F-29").form(FieldForm::Marker);
        input.consume(MARKER.len(), marker, None);
    }
    Ok(is_marked || rows >= MIN_ENCODED_ROWS)
}

/// How columns are written.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub profile: Profile,
    /// For an aligned message, the position in the output that offsets count from: where the message begins, or a
    /// multiple of 64 after that (F-69).
    pub aligned_from: Option<usize>,
    /// How many threads encode columns.
    pub threads: usize,
}

impl Settings {
    /// The settings of a profile, for one thread and without alignment.
    #[must_use]
    pub fn of(profile: Profile) -> Settings {
        Settings { profile, aligned_from: None, threads: 1 }
    }

    /// Appends the zero bytes before a payload of `len` bytes that is appended next.
    pub fn pad(self, out: &mut Vec<u8>, len: usize) {
        let padding = self.padding(out.len(), len);
        out.put_fill(out.len() + padding, 0);
    }

    /// Inserts the zero bytes before a payload that is already in `out`, from `start` to the end.
    pub fn pad_at(self, out: &mut Vec<u8>, start: usize) {
        let padding = self.padding(start, out.len() - start);
        out.splice(start..start, core::iter::repeat_n(0, padding));
    }

    /// The same settings if this many more bytes precede the output, separate from it.
    pub fn behind(self, apart: usize) -> Settings {
        let aligned_from = self.aligned_from.map(|block| block.wrapping_sub(apart));
        Settings { aligned_from, ..self }
    }

    fn padding(self, start: usize, len: usize) -> usize {
        match self.aligned_from {
            Some(from) if len >= MIN_ALIGNED_PAYLOAD => padding(start.wrapping_sub(from), LINE),
            _ => 0,
        }
    }
}

/// The error for an encoding byte that this kind of column does not read: of a later version, or without meaning (F-57).
#[cold]
pub fn unreadable(byte: u8, at: usize) -> Error {
    let code = if byte >= code::LATER { Code::Unsupported } else { Code::UnknownEncoding };
    Error::at(code, at).expected("an encoding of this kind of column").got(format!("{byte:02X}"))
}

/// A column's place and encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// From the column's first byte to the end of its last.
    pub range: Range<usize>,
    /// The encoding byte (F-57), if the column has enough rows for one.
    pub encoding: Option<u8>,
    /// The number of rows.
    pub rows: usize,
}

impl Place {
    /// Where to report faults of the column as a whole: at its encoding byte, if it has one.
    pub fn first(&self) -> usize {
        let is_marked = self.rows < MIN_ENCODED_ROWS && self.encoding.is_some();
        self.range.start + if is_marked { MARKER.len() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Scratch;
    use crate::limits::Limits;

    #[test]
    fn a_padded_payload_is_found() {
        let settings = Settings { aligned_from: Some(64), ..Settings::of(Profile::Fast) };
        for (ahead, len) in
            (0..70).flat_map(|ahead| [0, 64, 4095, 4096, 4100].map(|len| (ahead, len)))
        {
            let mut out = vec![9; 64 + ahead];
            settings.pad(&mut out, len);
            let start = out.len();
            out.resize(start + len, 7);
            let expected = if len < MIN_ALIGNED_PAYLOAD {
                64 + ahead
            } else {
                (64 + ahead).next_multiple_of(64)
            };
            assert_eq!(start, expected);

            let mut later = [vec![9; 64 + ahead], vec![7; len]].concat();
            settings.pad_at(&mut later, 64 + ahead);
            assert_eq!(later, out);

            let scratch = Scratch::default();
            let mut input = Input::new(&out, Limits::new().budget_for(0), &scratch);
            input.align();
            input.advance(64 + ahead);
            let payload = input.aligned_payload(len as u128, field("bytes", "F-69")).unwrap();
            assert_eq!(payload, vec![7; len]);
            assert_eq!(input.remaining(), 0);
        }
    }
}
