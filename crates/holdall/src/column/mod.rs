//! Columns: one file for each kind, with `write`, `locate`, `validate` and `decode` side by side.
//!
//! - `write` appends a column's bytes in a profile's encoding;
//! - `locate` finds where a column stands and how it is stored, and leaves the input behind it;
//! - `validate` checks what `locate` did not have to look at to find the column's end;
//! - `decode` turns a valid column into values, `decode_…` one row of it.
//!
//! `locate` then `validate`, column by column, is the order of the spec's checks (F-1). Everything that reads
//! bytes goes through these.

pub(crate) mod bits;
pub(crate) mod floats;
pub(crate) mod frame;
pub(crate) mod ints;
pub(crate) mod text;
pub(crate) mod zstd;

use std::ops::Range;

use crate::error::{Code, Error};

/// Below this many rows a column (Bits excepted) has no encoding byte.
pub(crate) const FEW: usize = 4;

/// An encoding byte that the kind of column does not read: reserved (F-57) or without meaning.
#[cold]
pub(crate) fn unreadable(byte: u8, at: usize) -> Error {
    let code = if byte >= 0xE0 { Code::Unsupported } else { Code::UnknownEncoding };
    Error::at(code, at).expected("an encoding of this kind of column").got(format!("{byte:02X}"))
}

/// A column's place and encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// From the column's first byte to behind its last.
    pub range: Range<usize>,
    /// The encoding byte (F-57), if the column has enough rows for one.
    pub encoding: Option<u8>,
    /// How many rows it has.
    pub rows: usize,
}
