//! Floats: IEEE 754 numbers of 2, 4 or 8 bytes. Every bit pattern is kept (F-30).

mod decimal;
mod patterns;
mod write;

use alloc::borrow::Cow;
use core::ops::Range;

pub use self::write::{Float, len_of, write, write_apart};
use super::zstd::{self, ZSTD};
use super::{MIN_ENCODED_ROWS, Place, unreadable};
use crate::error::Result;
use crate::input::Input;
use crate::input::trace::{Field, FieldForm, field};
use crate::memory;

pub const RAW: u8 = 0x58;
const CONSTANT: u8 = 0x59;
const DECIMAL: u8 = 0x5B;
const PATTERNS: u8 = 0x5C;

const ROWS: Field = field("floats", "F-30").form(FieldForm::Rows);

/// A column that has been located. There is nothing to validate: every bit pattern is a float.
#[derive(Clone, Debug)]
pub struct Floats<'a> {
    count: usize,
    /// The rows as in a raw column; one row if all are the same.
    rows: Cow<'a, [u8]>,
    constant: bool,
}

/// Locates a column of `rows` > 0 rows of `width` bytes.
pub fn locate<'a>(input: &mut Input<'a>, width: usize, rows: usize) -> Result<(Place, Floats<'a>)> {
    let start = input.position();
    let all = rows as u128 * width as u128;
    let (encoding, payload, constant) = if rows < MIN_ENCODED_ROWS {
        (None, Cow::Borrowed(input.payload(all, ROWS)?), false)
    } else {
        let byte = input.byte(field("the encoding of floats", "F-30").form(FieldForm::Encoding))?;
        let (payload, constant) = match byte {
            RAW => (Cow::Borrowed(input.aligned_payload(all, ROWS)?), false),
            CONSTANT => (
                Cow::Borrowed(
                    input.payload(width as u128, field("a float", "F-30").form(FieldForm::Rows))?,
                ),
                true,
            ),
            DECIMAL if width == 8 => (Cow::Owned(decimal::read(input, rows)?), false),
            PATTERNS => (Cow::Owned(patterns::read(input, width, rows)?), false),
            ZSTD => {
                let inside = zstd::inside(input, start, |input| locate(input, width, rows))?;
                inside.map(|(_, inside)| (inside.rows, inside.constant)).unwrap_or_default()
            }
            _ => return Err(unreadable(byte, start)),
        };
        (Some(byte), payload, constant)
    };
    let place = Place { range: start..input.position(), encoding, rows };
    Ok((place, Floats { count: rows, rows: payload, constant }))
}

/// Whether the stored rows have the layout of a program's memory.
pub fn is_raw(encoding: Option<u8>) -> bool {
    matches!(encoding, None | Some(RAW))
}

/// Splits a raw column off the front of some bytes; returns none if it has another encoding.
#[inline]
pub fn split_raw(bytes: &[u8], width: usize, rows: usize) -> Option<(Floats<'_>, &[u8])> {
    let bytes = if rows < MIN_ENCODED_ROWS { bytes } else { bytes.strip_prefix(&[RAW])? };
    let (payload, rest) = bytes.split_at_checked(rows.checked_mul(width)?)?;
    Some((Floats { count: rows, rows: Cow::Borrowed(payload), constant: false }, rest))
}

/// Some rows of a column.
#[derive(Clone, Copy, Debug)]
pub enum FloatRows<'a, const W: usize> {
    Each(&'a [[u8; W]]),
    Same([u8; W]),
}

impl<'a> Floats<'a> {
    /// Rows as in a raw column.
    pub fn of_raw(rows: &'a [u8], count: usize) -> Floats<'a> {
        Floats { count, rows: Cow::Borrowed(rows), constant: false }
    }

    /// The bytes of all rows.
    pub fn into_bytes(self) -> Cow<'a, [u8]> {
        if self.constant { Cow::Owned(memory::repeated(&self.rows, self.count)) } else { self.rows }
    }

    /// The same rows, apart from the input.
    pub fn into_owned(self) -> Floats<'static> {
        let rows = Cow::Owned(memory::owned(self.rows));
        Floats { count: self.count, rows, constant: self.constant }
    }
}

impl Floats<'_> {
    /// The bytes of the first row.
    pub fn one(&self) -> &[u8] {
        &self.rows[..self.width()]
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The number of bytes of a row.
    pub fn width(&self) -> usize {
        self.rows.len() / if self.constant { 1 } else { self.count }
    }

    /// The consecutive rows, unless all are the same.
    pub fn each(&self) -> Option<&[u8]> {
        (!self.constant).then_some(&*self.rows)
    }

    /// Returns rows of W bytes each.
    #[inline]
    pub fn decode_rows<const W: usize>(&self, rows: Range<usize>) -> FloatRows<'_, W> {
        match self.constant {
            true => FloatRows::Same(self.bytes(0)),
            false => FloatRows::Each(&self.rows.as_chunks().0[rows]),
        }
    }

    #[inline]
    pub fn bytes<const W: usize>(&self, row: usize) -> [u8; W] {
        let at = if self.constant { 0 } else { row * W };
        self.rows[at..].first_chunk().copied().unwrap_or([0; W])
    }

    /// The bits of a row of a column with 2 bytes each.
    #[inline]
    pub fn decode_u16(&self, row: usize) -> u16 {
        u16::from_le_bytes(self.bytes(row))
    }

    /// The value of a row of a column with 4 bytes each.
    #[inline]
    pub fn decode_f32(&self, row: usize) -> f32 {
        f32::from_le_bytes(self.bytes(row))
    }

    /// The value of a row of a column with 8 bytes each.
    #[inline]
    pub fn decode_f64(&self, row: usize) -> f64 {
        f64::from_le_bytes(self.bytes(row))
    }
}
