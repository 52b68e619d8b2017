//! Bits: one bit for each row (F-28).

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use crate::memory::{self, GrowVec};
use core::ops::Range;

use super::zstd::{self, ZSTD};
use super::{Place, Settings, unreadable};
use crate::error::{Code, Error, Result};
use crate::input::trace::{Field, FieldForm, field};
use crate::input::{Input, Scratch};
use crate::kernel;

/// Up to this many rows take one byte without an encoding.
pub const FEW_BITS: usize = 8;
const ALL_FALSE: u8 = 0x50;
const ALL_TRUE: u8 = 0x51;
const RAW: u8 = 0x52;

const ROWS: Field = field("bits", "F-28").form(FieldForm::Rows);

/// The number of bytes that a column takes in profile fast.
pub fn len_of(rows: &[bool]) -> usize {
    match rows.len() {
        len @ 0..=FEW_BITS => len.div_ceil(8),
        len => 1 + if same(rows).is_some() { 0 } else { len.div_ceil(8) },
    }
}

/// The value of all rows, if they have the same.
fn same(rows: &[bool]) -> Option<bool> {
    let first = *rows.first()?;
    // Compilers vectorise the inner loop.
    let is_same = |some: &[bool]| some.iter().fold(true, |all, row| all & (*row == first));
    rows.chunks(256).all(is_same).then_some(first)
}

/// Appends a column (F-43).
pub fn write(out: &mut Vec<u8>, rows: &[bool], settings: Settings) {
    if rows.is_empty() {
        return;
    }
    let start = out.len();
    if rows.len() > FEW_BITS {
        match same(rows) {
            Some(false) => return out.put(ALL_FALSE),
            Some(true) => return out.put(ALL_TRUE),
            None => out.put(RAW),
        }
    }
    let packed = out.len();
    out.put_fill(packed + rows.len().div_ceil(8), 0);
    kernel::bits::pack(&mut out[packed..], rows);
    if settings.profile.is_small() {
        zstd::wrap(out, start);
    }
}

/// A column that has been located.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    rows: usize,
    layout: BitsLayout<'a>,
}

#[derive(Clone, Copy, Debug)]
enum BitsLayout<'a> {
    Same(bool),
    Raw(&'a [u8]),
}

/// Locates a column of `rows` > 0 rows.
pub fn locate<'a>(input: &mut Input<'a>, rows: usize) -> Result<(Place, Bits<'a>)> {
    let start = input.position();
    let (encoding, layout) = if rows <= FEW_BITS {
        (None, BitsLayout::Raw(input.payload(1, ROWS)?))
    } else {
        let byte = input.byte(field("the encoding of bits", "F-28").form(FieldForm::Encoding))?;
        let layout = match byte {
            ALL_FALSE => BitsLayout::Same(false),
            ALL_TRUE => BitsLayout::Same(true),
            RAW => BitsLayout::Raw(input.payload(rows.div_ceil(8) as u128, ROWS)?),
            ZSTD => {
                let inside = zstd::inside(input, start, |input| {
                    let (place, bits) = locate(input, rows)?;
                    bits.validate(place.range.end)?;
                    Ok(bits)
                })?;
                inside.map_or(BitsLayout::Same(false), |bits| bits.layout)
            }
            _ => return Err(unreadable(byte, start)),
        };
        (Some(byte), layout)
    };
    let place = Place { range: start..input.position(), encoding, rows };
    Ok((place, Bits { rows, layout }))
}

impl<'a> Bits<'a> {
    /// A column whose rows all have this value.
    pub fn same(bit: bool, rows: usize) -> Bits<'a> {
        Bits { rows, layout: BitsLayout::Same(bit) }
    }

    /// A column of these rows.
    pub fn of(rows: &[bool], scratch: &'a Scratch) -> Bits<'a> {
        let mut packed = memory::zeros(rows.len().div_ceil(8));
        kernel::bits::pack(&mut packed, rows);
        Bits { rows: rows.len(), layout: BitsLayout::Raw(scratch.keep(packed)) }
    }

    /// A column in which row i is bit i of the bytes.
    pub fn of_raw(bytes: &'a [u8], rows: usize) -> Bits<'a> {
        assert!(rows <= 8 * bytes.len(), "the rows are there");
        Bits { rows, layout: BitsLayout::Raw(bytes) }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// The value of all rows, where the column stores that they have the same.
    pub fn constant(&self) -> Option<bool> {
        match self.layout {
            BitsLayout::Same(bit) => Some(bit),
            BitsLayout::Raw(_) => None,
        }
    }

    /// The stored bytes, with the rows as in [`Bits::to_bytes`]; none where the column stores that all are the same.
    pub fn raw(&self) -> Option<&'a [u8]> {
        match self.layout {
            BitsLayout::Same(_) => None,
            BitsLayout::Raw(bytes) => Some(bytes),
        }
    }

    /// The rows as bytes: row i is bit i mod 8 of byte i / 8.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self.layout {
            BitsLayout::Same(bit) => {
                memory::filled(if bit { 0xFF } else { 0 }, self.rows.div_ceil(8))
            }
            BitsLayout::Raw(bytes) => memory::copied(bytes),
        }
    }

    /// Checks that the padding at the end of the column is zero (F-28).
    pub fn validate(&self, end: usize) -> Result<()> {
        if let (BitsLayout::Raw(bytes), used @ 1..) = (self.layout, self.rows % 8) {
            let last = bytes.last().copied().unwrap_or(0);
            if last >> used != 0 {
                return Err(Error::at(Code::NonzeroPadding, end - 1)
                    .expected(format!("{} zero bits", 8 - used))
                    .got(format!("{last:02X}")));
            }
        }
        Ok(())
    }

    /// The value of a row.
    #[inline]
    pub fn decode_row(&self, row: usize) -> bool {
        match self.layout {
            BitsLayout::Same(bit) => bit,
            BitsLayout::Raw(bytes) => bytes[row / 8] >> (row % 8) & 1 != 0,
        }
    }

    /// The values of these rows, which must exist.
    #[inline]
    pub fn decode_rows(&self, rows: Range<usize>) -> BitRows<'a> {
        assert!(rows.end <= self.rows, "the rows are there");
        let mut decoded = BitRows { layout: self.layout, word: 0, held: 0, rest: rows };
        (decoded.word, decoded.held) = decoded.look_up();
        decoded
    }

    /// The number of rows that are true.
    pub fn ones(&self) -> usize {
        match self.layout {
            BitsLayout::Same(bit) => usize::from(bit) * self.rows,
            BitsLayout::Raw(bytes) => kernel::bits::ones(bytes) as usize,
        }
    }
}

/// The values of rows, fetched 64 at a time: one at a time took more than twice the instructions.
#[derive(Clone, Debug)]
pub struct BitRows<'a> {
    layout: BitsLayout<'a>,
    /// Rows fetched and not taken yet, from the low bit; the bits above them are 0.
    word: u64,
    held: usize,
    /// Rows not fetched yet.
    rest: Range<usize>,
}

impl BitRows<'_> {
    /// Fetches up to 64 of the remaining rows.
    #[inline]
    fn look_up(&mut self) -> (u64, usize) {
        let (start, count) = (self.rest.start, self.rest.len().min(64));
        self.rest.start += count;
        let word = match self.layout {
            BitsLayout::Same(bit) => u64::from(bit).wrapping_neg(),
            BitsLayout::Raw(bytes) => {
                let bytes = &bytes[start / 8..];
                let wide = bytes.first_chunk().copied().unwrap_or_else(|| {
                    let mut last = [0; 16];
                    last[..bytes.len()].copy_from_slice(bytes);
                    last
                });
                (u128::from_le_bytes(wide) >> (start % 8)) as u64
            }
        };
        (if count == 64 { word } else { word & ((1 << count) - 1) }, count)
    }

    /// Fetches up to 64 rows: row i is bit i, and the bits above the rows are 0. No rows are left after 0.
    #[inline]
    pub fn next_word(&mut self) -> (u64, usize) {
        if self.held == 0 {
            return self.look_up();
        }
        (core::mem::take(&mut self.word), core::mem::take(&mut self.held))
    }

    /// The number of remaining rows that are true.
    #[inline]
    pub fn ones(&self) -> usize {
        let (mut ones, mut rows) = (self.word.count_ones(), self.clone());
        while !rows.rest.is_empty() {
            ones += rows.look_up().0.count_ones();
        }
        ones as usize
    }
}

impl Iterator for BitRows<'_> {
    type Item = bool;

    #[inline]
    fn next(&mut self) -> Option<bool> {
        if self.held == 0 {
            (self.word, self.held) = self.look_up();
        }
        self.held = self.held.checked_sub(1)?;
        let bit = self.word & 1 != 0;
        self.word >>= 1;
        Some(bit)
    }
}

/// Reads bits; errors and traces show 0 and 1 as these words.
pub fn read_bits<'a>(
    input: &mut Input<'a>,
    rows: usize,
    words: [&str; 2],
) -> Result<(Place, Bits<'a>)> {
    let (place, bits) = locate(input, rows)?;
    input.located();
    bits.validate(place.range.end)?;
    if let Some(tracer) = input.tracer() {
        let word = |row| words[usize::from(bits.decode_row(row))].to_owned();
        tracer.preview_column(rows, |row| Some(word(row)));
    }
    Ok((place, bits))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Bits, BitsLayout};

    #[test]
    fn batch_lookups_equal_single_ones() {
        let bytes: Vec<u8> = (0..40_u32).map(|at| (at * 89 % 251) as u8).collect();
        for rows in [0, 1, 8, 63, 64, 65, 127, 128, 129, 200, 320] {
            let raw = Bits { rows, layout: BitsLayout::Raw(&bytes[..rows.div_ceil(8)]) };
            for bits in [raw, Bits::same(true, rows), Bits::same(false, rows)] {
                for start in (0..rows).step_by(5).chain([rows]) {
                    for end in (start..rows).step_by(7).chain([rows]) {
                        let each: Vec<bool> =
                            (start..end).map(|row| bits.decode_row(row)).collect();
                        let mut decoded = bits.decode_rows(start..end);
                        assert_eq!(decoded.clone().collect::<Vec<_>>(), each);
                        let ones = each.iter().filter(|bit| **bit).count();
                        assert_eq!(decoded.ones(), ones);
                        let mut words = decoded.clone();
                        if let Some(first) = decoded.next() {
                            assert_eq!(decoded.ones(), ones - usize::from(first));
                            // The first word then lacks a row.
                            words = decoded;
                        }
                        let mut fetched = Vec::new();
                        while let (word, count @ 1..) = words.next_word() {
                            assert!(count == 64 || word >> count == 0);
                            fetched.extend((0..count).map(|row| word >> row & 1 == 1));
                        }
                        assert_eq!(fetched, each.get(1..).unwrap_or_default());
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "rows")]
    fn rows_out_of_range_are_not_looked_up() {
        Bits::same(true, 3).decode_rows(2..4);
    }
}
