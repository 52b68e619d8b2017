//! Columns: one file for each kind, with `write`, `locate`, `validate` and `decode` side by side.
//!
//! - `write` appends a column's bytes in a profile's encoding;
//! - `skip` finds where a column ends, and reads no more than that takes;
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
use crate::message::Profile;
use crate::schema::code;

/// Below this many rows a column (Bits excepted) has no encoding byte.
pub(crate) const FEW: usize = 4;

/// What the payloads of an aligned message are of; it and their lengths say where they start (F-69).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Of raw floats, wide frames and packed rows.
    Column,
    /// Of a tensor's elements.
    Tensor,
}

impl Align {
    /// The block of an aligned message starts at a multiple of so many bytes,
    pub(crate) const BLOCK: usize = 8;
    /// and of so many where the message says its length; so do the elements of large tensors. It is a multiple of all others.
    pub(crate) const LINE: usize = 64;

    /// A payload of so many bytes starts at a multiple of this.
    pub(crate) fn multiple(self, len: u128) -> usize {
        match self {
            _ if len < 64 => 1,
            Align::Tensor if len >= 4096 => Align::LINE,
            _ => 8,
        }
    }
}

/// How many bytes there are from an offset to the next multiple.
pub(crate) fn padding(offset: usize, multiple: usize) -> usize {
    offset.wrapping_neg() % multiple
}

/// How columns are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) profile: Profile,
    /// In an aligned message, where offsets count from in what is written: where the message begins, or a multiple of 64
    /// behind (F-69).
    pub(crate) aligned_from: Option<usize>,
}

impl Settings {
    /// Appends the zero bytes ahead of a payload of `len` bytes that is appended next.
    pub(crate) fn pad(self, out: &mut Vec<u8>, len: usize, align: Align) {
        let padding = self.padding(out.len(), len, align);
        out.resize(out.len() + padding, 0);
    }

    /// Puts the zero bytes ahead of a payload that stands from `start` to the end of `out` already.
    pub(crate) fn pad_at(self, out: &mut Vec<u8>, start: usize, align: Align) {
        let padding = self.padding(start, out.len() - start, align);
        out.splice(start..start, std::iter::repeat_n(0, padding));
    }

    /// The same where so many bytes more stand ahead, apart from what is written.
    pub(crate) fn behind(self, apart: usize) -> Settings {
        let aligned_from = self.aligned_from.map(|block| block.wrapping_sub(apart));
        Settings { aligned_from, ..self }
    }

    fn padding(self, start: usize, len: usize, align: Align) -> usize {
        let from = |from: usize| padding(start.wrapping_sub(from), align.multiple(len as u128));
        self.aligned_from.map_or(0, from)
    }
}

/// An encoding byte that the kind of column does not read: of a later version or without meaning.
#[cold]
pub(crate) fn unreadable(byte: u8, at: usize) -> Error {
    let code = if byte >= code::LATER { Code::Unsupported } else { Code::UnknownEncoding };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;
    use crate::limits::Limits;
    use crate::scratch::Scratch;
    use crate::trace::field;

    #[test]
    fn a_payload_is_found_where_it_was_padded_to() {
        let settings = Settings { profile: Profile::Fast, aligned_from: Some(64) };
        let lens = || (0..130).chain(4090..4100);
        for align in [Align::Column, Align::Tensor] {
            for (ahead, len) in (0..70).flat_map(|ahead| lens().map(move |len| (ahead, len))) {
                let mut out = vec![9; 64 + ahead];
                settings.pad(&mut out, len, align);
                let start = out.len();
                out.resize(start + len, 7);
                assert!(len < 64 || start.is_multiple_of(8));
                let is_large = align == Align::Tensor && len >= 4096;
                assert!(!is_large || start.is_multiple_of(64));
                assert!(start < 64 + ahead + if is_large { 64 } else { 8 });
                assert!(len >= 64 || start == 64 + ahead);

                let mut later = [vec![9; 64 + ahead], vec![7; len]].concat();
                settings.pad_at(&mut later, 64 + ahead, align);
                assert_eq!(later, out);

                let scratch = Scratch::default();
                let mut input = Input::new(&out, Limits::new().budget_for(0), &scratch);
                input.align(Align::BLOCK);
                input.advance(64 + ahead);
                let payload = input.payload(len as u128, align, field("bytes", 69)).unwrap();
                assert_eq!(payload, vec![7; len]);
                assert_eq!(input.remaining(), 0);
            }
        }
    }
}
