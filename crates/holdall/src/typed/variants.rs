//! Rows of an enum, gathered by their variants.

use super::Columns;
use super::plan::Site;
use super::slots::BATCH_ROWS;
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
    pub fn by_variant<'r, T: 'r, const VARIANTS: usize>(
        &mut self,
        site: Site,
        mut rows: impl Iterator<Item = &'r T>,
        number: impl Fn(&T) -> u64,
        mut write: impl FnMut(&mut Self, usize, &[&'r T]) -> Result<()>,
    ) -> Result<()> {
        while let Some(first) = rows.next() {
            let (mut batch, mut numbers) = ([first; BATCH_ROWS], [0; BATCH_ROWS]);
            let (mut ends, mut count) = ([0; VARIANTS], 0);
            for row in std::iter::once(first).chain(rows.by_ref().take(BATCH_ROWS - 1)) {
                (batch[count], numbers[count]) = (row, number(row));
                ends[numbers[count] as usize] += 1;
                count += 1;
            }
            let numbers = &numbers[..count];
            self.numbers(site, numbers.iter().copied())?;
            // Where the rows of each variant begin. Placing a row advances this position, finally to where the
            // variant's rows end.
            let mut before = 0;
            for end in &mut ends {
                (*end, before) = (before, before + *end);
            }
            let mut sorted = [first; BATCH_ROWS];
            for (row, number) in batch.iter().zip(numbers) {
                let at = &mut ends[*number as usize];
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
}
