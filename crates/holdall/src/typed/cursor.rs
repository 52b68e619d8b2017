//! The remaining rows of a site.

use crate::block::{Column, References};
use crate::column::bits::Bits;
use crate::column::floats::Floats;
use crate::column::frame::FrameFields;
use crate::column::ints::{IntBuffer, IntRows};
#[cfg(feature = "ndarray")]
use crate::column::tensors::Tensors;
use crate::column::text;
use crate::error::{Code, Error};

/// The rows of a site not taken yet. Columns that are taken row by row are slices that begin with the next row.
#[derive(Clone, Copy)]
pub(crate) enum Cursor<'b> {
    /// There are no rows, or the type has no column.
    None,
    Bits {
        bits: Bits<'b>,
        row: usize,
    },
    W8(&'b [u8]),
    W16(&'b [u16]),
    W32(&'b [u32]),
    W64(&'b [u64]),
    /// Integers of 16, 32 or 64 bits that are still packed.
    Fields {
        fields: &'b FrameFields<'b>,
        row: usize,
    },
    /// Integers of kinds that exceed 64 bits.
    Wide {
        ints: &'b IntBuffer,
        row: usize,
    },
    Floats {
        floats: &'b Floats<'b>,
        row: usize,
    },
    F32(&'b [[u8; 4]]),
    F64(&'b [[u8; 8]]),
    /// Consecutive text: the lengths of the remaining rows, and the position of the next.
    Plain {
        lengths: &'b [u64],
        at: usize,
        text: &'b str,
    },
    /// The same, from where the next row begins to where the last one ends; of kept columns.
    Bounds {
        bounds: &'b [usize],
        text: &'b str,
    },
    /// Text of a dictionary.
    Entries {
        indices: &'b [u64],
        bounds: &'b [usize],
        text: &'b str,
    },
    Bytes {
        rows: &'b text::TextRows,
        row: usize,
        at: usize,
        bytes: &'b [u8],
    },
    /// Lengths, variants.
    Numbers(&'b [u64]),
    References {
        references: &'b References,
        row: usize,
    },
    /// Consecutive values of a fixed width.
    Raw(&'b [u8]),
    #[cfg(feature = "ndarray")]
    Tensors {
        tensors: &'b Tensors<'b>,
        row: usize,
        at: usize,
    },
    /// A column that the type does not read, or of an encoding of a later version.
    Other {
        is_unknown: bool,
    },
}

impl<'b> Cursor<'b> {
    /// Returns a cursor over all rows of a column.
    pub(super) fn of(column: &'b Column<'b>) -> Cursor<'b> {
        match column {
            Column::None => Cursor::None,
            Column::Bits(bits) => Cursor::Bits { bits: *bits, row: 0 },
            Column::Ints(IntRows::W8(rows)) => Cursor::W8(rows),
            Column::Ints(IntRows::W16(rows)) => Cursor::W16(rows),
            Column::Ints(IntRows::W32(rows)) => Cursor::W32(rows),
            Column::Ints(IntRows::W64(rows)) => Cursor::W64(rows),
            Column::Ints(IntRows::Wide(ints)) => Cursor::Wide { ints, row: 0 },
            Column::Fields(fields) => Cursor::Fields { fields, row: 0 },
            Column::Floats(floats) => match (floats.width(), floats.each()) {
                (4, Some(each)) => Cursor::F32(each.as_chunks().0),
                (8, Some(each)) => Cursor::F64(each.as_chunks().0),
                _ => Cursor::Floats { floats, row: 0 },
            },
            Column::Strings { rows: text::TextRows::Plain(lengths), text } => {
                Cursor::Plain { lengths, at: 0, text }
            }
            Column::Strings { rows: text::TextRows::Dictionary(entries), text } => {
                let text::Entries { bounds, indices } = &**entries;
                Cursor::Entries { indices, bounds, text }
            }
            Column::Bytes { rows, bytes } => Cursor::Bytes { rows, row: 0, at: 0, bytes },
            Column::Numbers(numbers) => Cursor::Numbers(numbers),
            Column::References(references) => Cursor::References { references, row: 0 },
            Column::Raw(raw) => Cursor::Raw(raw),
            #[cfg(feature = "ndarray")]
            Column::Tensors(tensors) => Cursor::Tensors { tensors, row: 0, at: 0 },
            #[cfg(not(feature = "ndarray"))]
            Column::Tensors(_) => Cursor::Other { is_unknown: false },
            Column::Sparse(_) => Cursor::Other { is_unknown: false },
            Column::Unknown => Cursor::Other { is_unknown: true },
        }
    }
}

impl<'b> Cursor<'b> {
    /// Returns how many rows of a column were taken, if the cursor shows it.
    pub(super) fn taken(&self, column: &Column<'_>) -> Option<usize> {
        let left = match *self {
            Cursor::Bits { row, .. }
            | Cursor::Fields { row, .. }
            | Cursor::Wide { row, .. }
            | Cursor::Floats { row, .. }
            | Cursor::References { row, .. } => return Some(row),
            Cursor::Bytes { row, .. } => return Some(row),
            #[cfg(feature = "ndarray")]
            Cursor::Tensors { row, .. } => return Some(row),
            Cursor::W8(left) => left.len(),
            Cursor::W16(left) => left.len(),
            Cursor::W32(left) => left.len(),
            Cursor::W64(left) => left.len(),
            Cursor::F32(left) => left.len(),
            Cursor::F64(left) => left.len(),
            Cursor::Plain { lengths: left, .. }
            | Cursor::Entries { indices: left, .. }
            | Cursor::Numbers(left) => left.len(),
            Cursor::None | Cursor::Bounds { .. } | Cursor::Raw(_) | Cursor::Other { .. } => {
                return None;
            }
        };
        let all = match column {
            Column::Ints(ints) => ints.len(),
            Column::Floats(floats) => floats.len(),
            Column::Strings { rows, .. } => rows.len(),
            Column::Numbers(numbers) => numbers.len(),
            _ => return None,
        };
        Some(all - left)
    }
}

/// A row of a cursor over a slice.
pub(crate) trait CursorRow: Copy + 'static {
    /// Returns the remaining rows, if the site has rows of this kind.
    fn left<'c, 'b>(cursor: &'c mut Cursor<'b>) -> Option<&'c mut &'b [Self]>;
}

macro_rules! rows {
    ($($ty:ty, $cursor:ident;)*) => {$(
        impl CursorRow for $ty {
            #[inline(always)]
            fn left<'c, 'b>(cursor: &'c mut Cursor<'b>) -> Option<&'c mut &'b [Self]> {
                match cursor {
                    Cursor::$cursor(rows) => Some(rows),
                    _ => None,
                }
            }
        }
    )*};
}

rows! {
    u8, W8;
    u16, W16;
    u32, W32;
    u64, W64;
    [u8; 4], F32;
    [u8; 8], F64;
}

impl CursorRow for [u8; 2] {
    fn left<'c, 'b>(_: &'c mut Cursor<'b>) -> Option<&'c mut &'b [Self]> {
        None
    }
}

/// The error of a type that reads rows it does not describe, or of a column of a later version (F-77).
#[cold]
pub(super) fn mismatch(cursor: &Cursor<'_>) -> Error {
    match cursor {
        Cursor::Other { is_unknown: true } => Error::new(Code::Unconvertible)
            .expected("values of an encoding that this version knows")
            .got("unknown ones"),
        _ => Error::new(Code::BadSource).expected("rows of the type that was described"),
    }
}
