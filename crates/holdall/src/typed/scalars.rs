//! Takes the rows of scalars, lengths and text from the cursors of their sites.

use half::{bf16, f16};

use super::cursor::{Cursor, CursorRow, mismatch};
use super::plan::Site;
use super::rows::Rows;
use super::slots::Slots;
use crate::column::bits::BitRows;
use crate::column::floats::FloatRows;
use crate::error::Result;
use crate::kernel::Word;
use crate::kernel::borrow::{part_of, text_of};
use crate::memory::{self, GrowVec};

/// A row of tensors.
#[cfg(feature = "ndarray")]
pub(crate) struct TensorRow<'b> {
    pub(crate) shape: &'b [u64],
    pub(crate) column_major: bool,
    pub(crate) elements: &'b [u8],
}

/// Panics when a hand-written type reads more rows than there are.
#[cold]
pub(super) fn no_row() -> ! {
    panic!("a row of the site is left")
}

/// Splits the first rows off a slice.
#[inline(always)]
fn first<'b, T>(left: &mut &'b [T], count: usize) -> &'b [T] {
    let Some((rows, rest)) = left.split_at_checked(count) else { no_row() };
    *left = rest;
    rows
}

/// Splits the first row off a slice.
#[inline(always)]
fn next<T: Copy>(left: &mut &[T]) -> T {
    let Some((row, rest)) = left.split_first() else { no_row() };
    *left = rest;
    *row
}

impl<'b, 'de> Rows<'b, 'de> {
    #[inline]
    fn cursor(&mut self, site: Site) -> &mut Cursor<'b> {
        &mut self.cursors[site.index()]
    }

    #[inline]
    pub(crate) fn bit(&mut self, site: Site) -> Result<bool> {
        match self.cursor(site) {
            Cursor::Bits { bits, row } => {
                *row += 1;
                Ok(bits.decode_row(*row - 1))
            }
            cursor => Err(mismatch(cursor)),
        }
    }

    #[inline]
    pub(crate) fn bits(&mut self, site: Site, count: usize) -> Result<BitRows<'b>> {
        match self.cursor(site) {
            Cursor::Bits { bits, row } => {
                let start = *row;
                *row += count;
                Ok(bits.decode_rows(start..*row))
            }
            cursor => Err(mismatch(cursor)),
        }
    }

    /// Takes the next row of a cursor over a slice.
    #[inline]
    pub(crate) fn one<R: CursorRow + Word>(&mut self, site: Site) -> Result<R> {
        match R::left(self.cursor(site)) {
            Some(left) => Ok(next(left)),
            None => self.some_unpacked(site, 1).map(|rows| rows[0]),
        }
    }

    /// Takes the next rows of bytes.
    #[inline]
    pub(crate) fn bytes_of_ints(&mut self, site: Site, count: usize) -> Result<&'b [u8]> {
        match self.cursor(site) {
            Cursor::W8(left) => Ok(first(left, count)),
            _ if count == 0 => Ok(&[]),
            cursor => Err(mismatch(cursor)),
        }
    }

    /// Takes the next integers, and calls a function with some of them at a time.
    #[inline]
    pub(crate) fn each_part<R: CursorRow + Word>(
        &mut self,
        site: Site,
        count: usize,
        mut each: impl FnMut(&[R]),
    ) -> Result<()> {
        let mut left = count;
        loop {
            let some = match R::left(self.cursor(site)) {
                Some(rows) => first(rows, left),
                None => self.some_unpacked(site, left)?,
            };
            each(some);
            left -= some.len();
            if left == 0 {
                return Ok(());
            }
        }
    }

    /// Takes the next integers, and calls a function with all of them.
    #[inline]
    pub(crate) fn at_once<R: CursorRow + Word>(
        &mut self,
        site: Site,
        count: usize,
        all: impl FnOnce(&[R]),
    ) -> Result<()> {
        if let Some(left) = R::left(self.cursor(site)) {
            all(first(left, count));
            return Ok(());
        }
        let mut rows = memory::with_capacity(count);
        self.each_part(site, count, |some: &[R]| rows.put_slice(some))?;
        all(&rows);
        Ok(())
    }

    /// Takes an integer: in 64 bits, or else its two's complement, little-endian.
    pub(crate) fn big(&mut self, site: Site) -> Result<core::result::Result<u64, &'b [u8]>> {
        match self.cursor(site) {
            Cursor::Wide { ints, row } => {
                let own = *row;
                *row += 1;
                Ok(ints.big(own).map_or(Ok(ints.values[own]), Err))
            }
            cursor => Err(mismatch(cursor)),
        }
    }

    /// Takes the bytes of a float.
    #[inline]
    fn float<const W: usize>(&mut self, site: Site) -> Result<[u8; W]>
    where
        [u8; W]: CursorRow,
    {
        let cursor = self.cursor(site);
        match CursorRow::left(cursor) {
            Some(left) => Ok(next(left)),
            None => match cursor {
                Cursor::Floats { floats, row } => {
                    *row += 1;
                    Ok(floats.bytes(*row - 1))
                }
                cursor => Err(mismatch(cursor)),
            },
        }
    }

    /// Takes the bytes of the next floats of a site.
    #[inline]
    pub(crate) fn floats<const W: usize>(
        &mut self,
        site: Site,
        count: usize,
    ) -> Result<FloatRows<'b, W>>
    where
        [u8; W]: CursorRow,
    {
        let cursor = self.cursor(site);
        match CursorRow::left(cursor) {
            Some(left) => Ok(FloatRows::Each(first(left, count))),
            None => match cursor {
                Cursor::Floats { floats, row } => {
                    let start = *row;
                    *row += count;
                    Ok(floats.decode_rows(start..start + count))
                }
                _ if count == 0 => Ok(FloatRows::Each(&[])),
                cursor => Err(mismatch(cursor)),
            },
        }
    }

    /// Takes the bytes of the next packed rows of a site.
    #[inline]
    pub(crate) fn packed(&mut self, site: Site, count: usize, width: usize) -> Result<&'b [u8]> {
        match self.cursor(site) {
            Cursor::Raw(left) if left.len() / width >= count => Ok(first(left, count * width)),
            _ if count == 0 => Ok(&[]),
            cursor => Err(mismatch(cursor)),
        }
    }

    /// Takes rows of a site by a function, and restores them if it returns none.
    #[inline]
    pub(crate) fn or_untaken<R>(
        &mut self,
        site: Site,
        take: impl FnOnce(&mut Self) -> Result<Option<R>>,
    ) -> Result<Option<R>> {
        let before = *self.cursor(site);
        let taken = take(self)?;
        if taken.is_none() {
            *self.cursor(site) = before;
        }
        Ok(taken)
    }

    /// Takes a length or the number of a variant.
    ///
    /// # Errors
    /// `bad_source` at a site that has none.
    #[inline]
    pub fn number(&mut self, site: Site) -> Result<usize> {
        match self.cursor(site) {
            // Lengths were charged to the budget, so they fit.
            Cursor::Numbers(left) => Ok(next(left) as usize),
            // A union of one variant has no column.
            Cursor::None => Ok(0),
            cursor => Err(mismatch(cursor)),
        }
    }

    /// Takes the next lengths or numbers of variants.
    ///
    /// # Errors
    /// As [`Rows::number`].
    #[doc(hidden)]
    #[inline]
    pub fn numbers(&mut self, site: Site, count: usize) -> Result<&'b [u64]> {
        match self.cursor(site) {
            Cursor::Numbers(left) => Ok(first(left, count)),
            _ if count == 0 => Ok(&[]),
            cursor => Err(mismatch(cursor)),
        }
    }

    /// Takes the next numbers of variants, each below a bound.
    ///
    /// # Errors
    /// As [`Rows::number`]; `unconvertible` for other numbers.
    #[doc(hidden)]
    #[inline]
    pub fn variants(&mut self, site: Site, count: usize, bound: u64) -> Result<&'b [u64]> {
        let numbers = self.numbers(site, count)?;
        match numbers.iter().fold(false, |is_other, number| is_other | (*number >= bound)) {
            true => Err(self.no_variant(site)),
            false => Ok(numbers),
        }
    }

    /// Returns all text of a site's column, and the range of its next row.
    #[inline]
    fn text_span(&mut self, site: Site) -> Result<(&'b str, usize, usize)> {
        match self.cursor(site) {
            Cursor::Plain { lengths, at, text } => {
                let start = *at;
                *at += next(lengths) as usize;
                Ok((text, start, *at))
            }
            Cursor::Entries { indices, bounds, text } => {
                let entry = next(indices) as usize;
                Ok((text, bounds[entry], bounds[entry + 1]))
            }
            Cursor::Bounds { bounds, text } => {
                let start = next(bounds);
                let Some(&end) = bounds.first() else { no_row() };
                Ok((text, start, end))
            }
            cursor => Err(mismatch(cursor)),
        }
    }

    #[inline]
    pub(crate) fn text(&mut self, site: Site) -> Result<&'b str> {
        let (text, start, end) = self.text_span(site)?;
        Ok(&text[start..end])
    }

    /// Returns all text of a site's column; none if the site has no rows.
    #[inline]
    fn all_text(&mut self, site: Site, count: usize) -> Result<&'b str> {
        match self.cursor(site) {
            Cursor::Plain { text, .. }
            | Cursor::Entries { text, .. }
            | Cursor::Bounds { text, .. } => Ok(text),
            _ if count == 0 => Ok(""),
            cursor => Err(mismatch(cursor)),
        }
    }

    /// Fills all slots with the next rows of text.
    #[inline]
    pub(crate) fn texts<T>(
        &mut self,
        site: Site,
        slots: &mut Slots<'_, T>,
        make: impl Fn(&'b str) -> T,
    ) -> Result<()> {
        let text = self.all_text(site, slots.left())?;
        self.parts(site, slots, text, make);
        Ok(())
    }

    /// Fills all slots with the next rows of text, borrowed from the message. Takes none if the text is not part of
    /// it.
    #[inline]
    pub(crate) fn borrowed_texts<T>(
        &mut self,
        site: Site,
        slots: &mut Slots<'_, T>,
        make: impl Fn(&'de str) -> T,
    ) -> Result<()> {
        let text = self.all_text(site, slots.left())?;
        if let Some(whole) = self.borrowed_column(site, text) {
            self.parts(site, slots, whole, make);
        }
        Ok(())
    }

    /// Fills all slots with the next rows of text, which are parts of one text.
    #[inline(always)]
    fn parts<'t, T>(
        &mut self,
        site: Site,
        slots: &mut Slots<'_, T>,
        whole: &'t str,
        make: impl Fn(&'t str) -> T,
    ) {
        let count = slots.left();
        match self.cursor(site) {
            Cursor::Plain { lengths, at, .. } => {
                let mut rest = &whole[*at..];
                slots.extend(first(lengths, count).iter().map(|&len| {
                    let (row, after) = rest.split_at(len as usize);
                    rest = after;
                    make(row)
                }));
                *at = whole.len() - rest.len();
            }
            Cursor::Entries { indices, bounds, .. } => {
                slots.extend(first(indices, count).iter().map(|&entry| {
                    let entry = entry as usize;
                    make(&whole[bounds[entry]..bounds[entry + 1]])
                }));
            }
            Cursor::Bounds { bounds, .. } => {
                let mut ends = &bounds[1..];
                let starts = first(bounds, count);
                slots.extend(
                    starts
                        .iter()
                        .zip(first(&mut ends, count))
                        .map(|(&start, &end)| make(&whole[start..end])),
                );
            }
            _ => {}
        }
    }

    /// Takes the next text, borrowed from the message if it is part of it, else the text itself.
    #[inline]
    pub(crate) fn borrowed_text(
        &mut self,
        site: Site,
    ) -> Result<core::result::Result<&'de str, &'b str>> {
        let (text, start, end) = self.text_span(site)?;
        let whole = self.borrowed_column(site, text);
        Ok(whole.map(|whole| &whole[start..end]).ok_or(&text[start..end]))
    }

    /// Returns the text of an entire column as part of the message, if it is.
    #[inline]
    fn borrowed_column(&mut self, site: Site, text: &str) -> Option<&'de str> {
        match self.texts.get(site.index()) {
            Some(Some(known)) => *known,
            _ => self.borrow_column(site, text),
        }
    }

    /// Like [`Rows::borrowed_column`], looked up once.
    #[cold]
    fn borrow_column(&mut self, site: Site, text: &str) -> Option<&'de str> {
        let whole = text_of(self.message, text);
        self.texts.put_fill(self.cursors.len(), None);
        self.texts[site.index()] = Some(whole);
        whole
    }

    #[inline]
    pub(crate) fn bytes(&mut self, site: Site) -> Result<&'b [u8]> {
        match self.cursor(site) {
            Cursor::Bytes { rows, row, at, bytes } => {
                let (start, end) = rows.span(*row, *at);
                (*row, *at) = (*row + 1, end);
                Ok(&bytes[start..end])
            }
            cursor => Err(mismatch(cursor)),
        }
    }

    /// Takes a byte string of a type of this fixed length.
    #[inline]
    pub(crate) fn fixed<const LEN: usize>(&mut self, site: Site) -> Result<[u8; LEN]> {
        let cursor = self.cursor(site);
        if let Cursor::Raw(left) = cursor
            && let Some((row, rest)) = left.split_first_chunk()
        {
            *left = rest;
            return Ok(*row);
        }
        Err(mismatch(cursor))
    }

    /// Takes a tensor: its dimensions, order and elements (F-76).
    #[cfg(feature = "ndarray")]
    pub(crate) fn tensor(&mut self, site: Site) -> Result<TensorRow<'b>> {
        let Cursor::Tensors { tensors, row, at } = self.cursor(site) else {
            return Err(mismatch(self.cursor(site)));
        };
        let (own, start) = (*row, *at);
        (*row, *at) = (own + 1, start + tensors.ranks[own] as usize);
        Ok(TensorRow {
            shape: &tensors.dimensions[start..*at],
            column_major: tensors.orders.decode_row(own),
            elements: tensors.elements[own],
        })
    }

    /// Returns the same bytes borrowed from the message, if they are part of it.
    #[inline]
    pub(crate) fn borrow(&self, bytes: &[u8]) -> Option<&'de [u8]> {
        part_of(self.message, bytes)
    }
}

macro_rules! floats {
    ($($name:ident, $float:ty;)*) => {
        impl Rows<'_, '_> {$(
            #[inline]
            pub(crate) fn $name(&mut self, site: Site) -> Result<$float> {
                self.float(site).map(<$float>::from_le_bytes)
            }
        )*}
    };
}

floats! {
    f16, f16;
    bf16, bf16;
    f32, f32;
    f64, f64;
}
