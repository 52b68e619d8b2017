//! Columns whose encodings allow no access to a single row: the first access decodes all rows, and keeps them.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use super::slice::{pack, some_ints, some_text};
use crate::block::Column;
use crate::column::bits::Bits;
use crate::column::floats::Floats;
use crate::column::ints::IntRows;
use crate::column::text::TextRows;
use crate::input::Scratch;
use crate::kernel::lengths;
use crate::memory;

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
            Column::Ints(ints) => Decoded::Ints(match ints {
                IntRows::W8(rows) => IntRows::W8(Cow::Owned(rows.into_owned())),
                IntRows::W16(rows) => IntRows::W16(rows),
                IntRows::W32(rows) => IntRows::W32(rows),
                IntRows::W64(rows) => IntRows::W64(rows),
                IntRows::Wide(rows) => IntRows::Wide(rows),
            }),
            Column::Floats(floats) => Decoded::Floats(floats.into_owned()),
            Column::Strings { rows, text: all } => text(true, rows, all.as_bytes()),
            Column::Bytes { rows, bytes } => text(false, rows, bytes),
            Column::Raw(bytes) => Decoded::Raw { width, bytes: memory::copied(bytes) },
            _ => return None,
        })
    }

    /// Returns some rows as a column.
    pub(super) fn rows<'p>(&self, rows: Range<usize>, scratch: &'p Scratch) -> Column<'p> {
        match self {
            Decoded::Bits { bytes, rows: all } => {
                let count = rows.len();
                let bytes = pack(Bits::of_raw(bytes, *all).decode_rows(rows));
                Column::Bits(Bits::of_raw(scratch.keep(bytes), count))
            }
            Decoded::Ints(ints) => Column::Ints(some_ints(ints, rows)),
            Decoded::Floats(floats) => {
                let width = floats.width();
                let bytes = match floats.each() {
                    Some(all) => memory::copied(&all[rows.start * width..rows.end * width]),
                    None => floats.one().repeat(rows.len()),
                };
                Column::Floats(Floats::of_raw(scratch.keep(bytes), rows.len()))
            }
            Decoded::Text { is_string, rows: all, bounds, bytes } => {
                let (lengths, bytes) = some_text(all, bounds, bytes, rows);
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
                let some = &bytes[rows.start * width..rows.end * width];
                Column::Raw(scratch.keep(memory::copied(some)))
            }
        }
    }
}
