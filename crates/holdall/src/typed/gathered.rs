//! Rows that are gathered before they are written: those of an enum by their variants, those of lists and options.

use super::plan::Site;
use super::refs::{Gather, Refs};
use super::slots::{BATCH_ROWS, MAX_GATHERED_LIST};
use super::{Columns, Encode};
use crate::error::Result;

impl Columns<'_> {
    /// Writes rows of an enum in batches: the numbers of their variants, and then, by a function, the rows of each
    /// variant in order.
    ///
    /// Each row is visited twice, however many fields the variants have. Searching all rows for each field would visit
    /// a row once per field.
    ///
    /// # Errors
    /// Those of `write`; `bad_source` at a site that has no variants.
    #[doc(hidden)]
    #[inline]
    pub fn by_variant<'r, T, const VARIANTS: usize>(
        &mut self,
        site: Site,
        rows: Refs<'r, T>,
        number: impl Fn(&T) -> usize + Copy,
        mut write: impl FnMut(&mut Self, usize, &[&'r T]) -> Result<()>,
    ) -> Result<()> {
        for rows in rows.batches() {
            let Some(first) = rows.iter().next() else { continue };
            let (mut batch, mut numbers) = ([first; BATCH_ROWS], [0; BATCH_ROWS]);
            let (mut ends, mut count) = ([0; VARIANTS], 0);
            rows.for_each(|row| {
                (batch[count], numbers[count]) = (row, number(row));
                ends[numbers[count]] += 1;
                count += 1;
            });
            let numbers = &numbers[..count];
            self.buffers.numbers(site)?.extend(numbers.iter().map(|number| *number as u64));
            // Where the rows of each variant begin. Placing a row advances this position, finally to where the
            // variant's rows end.
            let mut before = 0;
            for end in &mut ends {
                (*end, before) = (before, before + *end);
            }
            let mut sorted = [first; BATCH_ROWS];
            for (row, number) in batch.iter().zip(numbers) {
                let at = &mut ends[*number];
                sorted[*at] = row;
                *at += 1;
            }
            let mut start = 0;
            for (variant, end) in ends.into_iter().enumerate() {
                if start < end {
                    write(self, variant, &sorted[start..end])?;
                }
                start = end;
            }
        }
        Ok(())
    }

    /// Appends the numbers of variants of many rows.
    ///
    /// # Errors
    /// `bad_source` at a site that has none.
    #[doc(hidden)]
    #[inline]
    pub fn numbers<T>(
        &mut self,
        site: Site,
        rows: Refs<'_, T>,
        number: impl Fn(&T) -> usize + Copy,
    ) -> Result<()> {
        self.buffers.append_numbers(site, rows, |row| number(row) as u64)
    }

    /// Writes values as the next rows of a site, in batches.
    ///
    /// # Errors
    /// As [`Encode::write`].
    pub(crate) fn write_all<'r, T: Encode + 'r>(
        &mut self,
        rows: impl Iterator<Item = &'r T>,
        site: Site,
    ) -> Result<()> {
        let mut gather = Gather::default();
        for row in rows {
            if gather.left() == 0 {
                self.write_gathered(&mut gather, site)?;
            }
            gather.push(row);
        }
        self.write_gathered(&mut gather, site)
    }

    fn write_gathered<T: Encode>(&mut self, gather: &mut Gather<'_, T>, site: Site) -> Result<()> {
        if !gather.refs().is_empty() {
            T::write_rows(gather.refs(), site, self)?;
            gather.clear();
        }
        Ok(())
    }

    /// As [`Encode::write_lists`]: items of short lists share a batch.
    pub(super) fn write_lists<T: Encode>(&mut self, lists: &[&[T]], site: Site) -> Result<()> {
        let mut gather = Gather::default();
        for list in lists {
            let is_long = list.len() > MAX_GATHERED_LIST;
            if is_long || list.len() > gather.left() {
                self.write_gathered(&mut gather, site)?;
            }
            if is_long {
                Refs::of(list).batches().try_for_each(|rows| T::write_rows(rows, site, self))?;
            } else {
                gather.push_all(list);
            }
        }
        self.write_gathered(&mut gather, site)
    }

    /// Writes the values that are present as the next rows of a site, and whether each is as the next rows of the
    /// site around it.
    pub(crate) fn write_present<'r, O, T: Encode + 'r>(
        &mut self,
        rows: Refs<'r, O>,
        site: Site,
        value: impl Fn(&'r O) -> Option<&'r T>,
    ) -> Result<()> {
        let inner = self.child(site, 0);
        for rows in rows.batches() {
            let mut gather = Gather::default();
            rows.for_each(|row| gather.push_if(value(row)));
            rows.append_to(self.buffers.words(site)?, |row| value(row).is_some());
            self.write_gathered(&mut gather, inner)?;
        }
        Ok(())
    }
}
