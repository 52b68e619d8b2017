//! Columns whose encodings allow no access to a single row: the first access decodes all rows, and keeps them.

use alloc::vec::Vec;
use core::ops::Range;

use super::slice::{some_bits, some_ints, some_text};
use crate::block::Column;
use crate::column::bits::Bits;
use crate::column::floats::Floats;
use crate::column::ints::IntRows;
use crate::column::text::TextRows;
use crate::input::Scratch;
use crate::kernel::lengths;
use crate::memory::{self, GrowVec};

/// A decoded column, apart from the input.
pub(super) enum Decoded {
    Bits {
        bytes: Vec<u8>,
        rows: usize,
    },
    Ints(IntRows<'static>),
    Floats(Floats<'static>),
    Text {
        is_string: bool,
        rows: TextRows,
        /// Where each row of plain text begins and ends.
        bounds: Vec<usize>,
        bytes: Vec<u8>,
    },
    Raw {
        width: usize,
        bytes: Vec<u8>,
    },
}

impl Decoded {
    /// Keeps a column; `width` is that of a row, if all have one. Nothing if rows of this kind are not kept.
    pub(super) fn of(column: Column<'_>, width: usize) -> Option<Decoded> {
        let text = |is_string, rows: TextRows, bytes| {
            let bounds = match &rows {
                TextRows::Plain(lengths) => lengths::bounds(lengths),
                TextRows::Dictionary(_) => Vec::new(),
            };
            Decoded::Text { is_string, rows, bounds, bytes: memory::copied(bytes) }
        };
        Some(match column {
            Column::Bits(bits) => Decoded::Bits { bytes: bits.to_bytes(), rows: bits.len() },
            Column::Ints(ints) => Decoded::Ints(ints.into_owned()),
            Column::Floats(floats) => Decoded::Floats(floats.into_owned()),
            Column::Strings { rows, text: all } => text(true, rows, all.as_bytes()),
            Column::Bytes { rows, bytes } => text(false, rows, bytes),
            Column::Raw(bytes) => Decoded::Raw { width, bytes: memory::copied(bytes) },
            _ => return None,
        })
    }

    /// Returns some rows as a column.
    pub(super) fn rows<'p>(&self, runs: &[Range<usize>], scratch: &'p Scratch) -> Column<'p> {
        let count = || runs.iter().map(ExactSizeIterator::len).sum();
        match self {
            Decoded::Bits { bytes, rows } => {
                Column::Bits(some_bits(&Bits::of_raw(bytes, *rows), runs, scratch))
            }
            Decoded::Ints(ints) => Column::Ints(some_ints(ints, runs)),
            Decoded::Floats(floats) => {
                let bytes = match floats.each() {
                    Some(all) => of_width(all, floats.width(), runs),
                    None => memory::repeated(floats.one(), count()),
                };
                Column::Floats(Floats::of_raw(scratch.keep(bytes), count()))
            }
            Decoded::Text { is_string, rows: all, bounds, bytes } => {
                let (lengths, bytes) = some_text(all, bounds, bytes, runs);
                let (rows, bytes) = (TextRows::Plain(lengths), scratch.keep(bytes));
                match is_string {
                    true => {
                        let text = core::str::from_utf8(bytes).unwrap_or_default();
                        Column::Strings { rows, text }
                    }
                    false => Column::Bytes { rows, bytes },
                }
            }
            Decoded::Raw { width, bytes } => {
                Column::Raw(scratch.keep(of_width(bytes, *width, runs)))
            }
        }
    }
}

/// The bytes of rows of a width.
fn of_width(all: &[u8], width: usize, runs: &[Range<usize>]) -> Vec<u8> {
    let mut some = Vec::new();
    runs.iter().for_each(|run| some.put_slice(&all[run.start * width..run.end * width]));
    some
}
