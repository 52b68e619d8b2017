//! Takes the rows of large columns of integers, which are unpacked a window at a time: it stays in the nearest cache.

use alloc::boxed::Box;

use super::cursor::{Cursor, mismatch};
use super::plan::Site;
use super::rows::Rows;
use super::scalars::no_row;
use crate::column::frame::FrameFields;
use crate::error::Result;
use crate::kernel::Word;
use crate::memory::GrowVec;

/// The rows of a window: their fields end at a byte.
const WINDOW_ROWS: usize = 1024;

/// The rows of a site that were unpacked last.
#[derive(Default)]
pub(super) struct Window {
    /// The number of the first row, a multiple of the rows of a window.
    start: usize,
    /// The number of the row behind the last; 0 before the first use.
    end: usize,
    /// Words of the column, which can be narrower.
    words: Option<Box<[u64; WINDOW_ROWS]>>,
}

impl Window {
    /// The rows from this one on, up to the end of its window.
    #[inline]
    fn rows<W: Word>(&mut self, fields: &FrameFields<'_>, row: usize) -> &[W] {
        let words = self.words.get_or_insert_with(|| Box::new([0; WINDOW_ROWS]));
        let rows = bytemuck::cast_slice_mut(&mut words[..]);
        if !(self.start..self.end).contains(&row) {
            self.start = row / WINDOW_ROWS * WINDOW_ROWS;
            self.end = fields.len().min(self.start + WINDOW_ROWS);
            fields.decode_from(self.start, &mut rows[..self.end - self.start]);
        }
        &rows[row - self.start..self.end - self.start]
    }
}

impl Rows<'_, '_> {
    /// Takes the next integers of a column of fields: as many as asked for, or those left in their window.
    #[inline(never)]
    pub(super) fn some_unpacked<W: Word>(&mut self, site: Site, most: usize) -> Result<&[W]> {
        // Nothing is read from a site without rows.
        if most == 0 {
            return Ok(&[]);
        }
        let number = site.index();
        if self.windows.is_empty() {
            self.windows.put_fill_with(self.cursors.len(), Window::default);
        }
        let (fields, row) = match &mut self.cursors[number] {
            Cursor::Fields { fields, row } if fields.bits() == W::BITS => (*fields, row),
            cursor => return Err(mismatch(cursor)),
        };
        if *row == fields.len() {
            no_row();
        }
        let rows = self.windows[number].rows(fields, *row);
        let some = &rows[..rows.len().min(most)];
        *row += some.len();
        Ok(some)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::{from_slice, to_vec};

    /// Of 16 bits, this many rows stay packed: one more than entire windows have.
    const ROWS: u64 = 513 * 1024 + 1;

    type Row = (u16, Option<i64>, Vec<u32>, [i32; 3], i16, usize);

    fn row(number: u64) -> Row {
        let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let list = (0..number % 5).map(|item| (mixed >> 50 | item) as u32);
        let array = core::array::from_fn(|item| (mixed >> 40) as i32 - item as i32);
        let some = (!number.is_multiple_of(3)).then_some((mixed >> 8).cast_signed());
        (mixed as u16, some, list.collect(), array, (mixed >> 16) as i16, number as usize)
    }

    #[test]
    fn large_columns_are_read_as_they_were_written() {
        let rows: Vec<Row> = (0..ROWS).map(row).collect();
        let bytes = to_vec(&rows).unwrap();
        assert!(from_slice::<Vec<Row>>(&bytes).unwrap() == rows);
        let numbers: Vec<i64> = (0..ROWS).map(|number| number.cast_signed() - 99).collect();
        assert!(from_slice::<Vec<i64>>(&to_vec(&numbers).unwrap()).unwrap() == numbers);
        let wide: Vec<u128> = (0..ROWS).map(u128::from).collect();
        assert!(from_slice::<Vec<u128>>(&to_vec(&wide).unwrap()).unwrap() == wide);
        // One list of many, which a window divides, and lists in it.
        let lists: Vec<Vec<i64>> = numbers.chunks(200_000).map(<[i64]>::to_vec).collect();
        assert!(from_slice::<Vec<Vec<i64>>>(&to_vec(&lists).unwrap()).unwrap() == lists);
    }
}
