//! Rows that are gathered before they are written: those of an enum by their variants, those of lists and options.

use super::plan::Site;
use super::refs::{ByVariant, Gather, Refs};
use super::slots::{MAX_GATHERED_LIST, MAX_ROWS};
use super::{Columns, Encode};
use crate::error::Result;
use crate::memory::GrowVec;

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
    pub fn by_variant<T, const VARIANTS: usize>(
        &mut self,
        site: Site,
        rows: Refs<'_, T>,
        number: impl Fn(&T) -> usize + Copy,
        mut write: impl FnMut(&mut Self, usize, Refs<'_, T>) -> Result<()>,
    ) -> Result<()> {
        for rows in rows.batches() {
            let mut rows = ByVariant::of(rows);
            let (numbers, ends) = rows.sort::<VARIANTS>(number);
            let numbers = numbers.iter().map(|number| u64::from(*number));
            self.buffers.numbers(site)?.extend(numbers);
            let mut start = 0;
            for (variant, end) in ends.into_iter().enumerate() {
                if start < end {
                    write(self, variant, rows.rows(start, end))?;
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
        mut rows: impl Iterator<Item = &'r T>,
        site: Site,
    ) -> Result<()> {
        let mut gather = Gather::default();
        rows.try_for_each(|row| -> Result<()> {
            if gather.left() == 0 {
                self.write_gathered(&mut gather, site)?;
            }
            gather.push(row);
            Ok(())
        })?;
        self.write_gathered(&mut gather, site)
    }

    /// Writes the entries of maps as the next rows of the keys and values inside a site, in batches.
    ///
    /// # Errors
    /// As [`Encode::write`].
    pub(crate) fn write_entries<'r, K: Encode + 'r, V: Encode + 'r>(
        &mut self,
        maps: impl Iterator<Item = impl Iterator<Item = (&'r K, &'r V)>>,
        map: Site,
    ) -> Result<()> {
        let [key_site, value_site] = self.sites(map);
        let row_major_only = self.row_major_only(map);
        let (mut keys, mut values) = (Gather::default(), Gather::default());
        // Two loops: a closure for each entry of flattened maps took 43 % more instructions.
        for entries in maps {
            for (key, value) in entries {
                if row_major_only {
                    key.write(key_site, self)?;
                    value.write(value_site, self)?;
                    continue;
                }
                if keys.left() == 0 || values.left() == 0 {
                    self.write_gathered(&mut keys, key_site)?;
                    self.write_gathered(&mut values, value_site)?;
                }
                keys.push(key);
                values.push(value);
            }
        }
        self.write_gathered(&mut keys, key_site)?;
        self.write_gathered(&mut values, value_site)
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
            let (mut present, mut count, mut gather) = ([false; MAX_ROWS], 0, Gather::default());
            rows.for_each(|row| {
                let value = value(row);
                present[count] = value.is_some();
                count += 1;
                gather.push_if(value);
            });
            self.buffers.words(site)?.put_slice(&present[..count]);
            self.write_gathered(&mut gather, inner)?;
        }
        Ok(())
    }
}
