//! References to rows from anywhere: those of lists and options, and those of an enum by their variants.
//!
//! The memory for a batch is in the caller, and filled in place: to return it would copy it, and to initialise it would take longer
//! than a few rows.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::{Refs, Shape};
use crate::typed::slots::{MAX_BRANCHLESS_LIST, MAX_ROWS, rows_at_once};

/// Gathers references to a batch of values.
pub(crate) struct Gather<'r, T> {
    /// The first `count` are addresses of values that are borrowed for 'r.
    addresses: [MaybeUninit<*const u8>; MAX_ROWS + MAX_BRANCHLESS_LIST],
    count: usize,
    values: PhantomData<&'r T>,
}

impl<T> Default for Gather<'_, T> {
    #[inline]
    fn default() -> Self {
        let addresses = [const { MaybeUninit::uninit() }; MAX_ROWS + MAX_BRANCHLESS_LIST];
        Gather { addresses, count: 0, values: PhantomData }
    }
}

impl<'r, T> Gather<'r, T> {
    /// The number of values for which there is room.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        rows_at_once::<T>().saturating_sub(self.count)
    }

    /// Adds a value.
    ///
    /// # Panics
    /// If there is no room.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: &'r T) {
        self.push_if(Some(value));
    }

    /// Adds a value if there is one, without a branch that processors would predict badly.
    ///
    /// # Panics
    /// If there is no room.
    #[inline(always)]
    pub(crate) fn push_if(&mut self, value: Option<&'r T>) {
        let address = value.map_or(core::ptr::null(), core::ptr::from_ref);
        self.addresses[self.count].write(address.cast());
        self.count += usize::from(value.is_some());
    }

    /// Adds the values of a slice.
    ///
    /// # Panics
    /// If there is no room.
    #[inline(always)]
    pub(crate) fn push_all(&mut self, list: &'r [T]) {
        // Always as many as the longest of tiny lists may have: no branch predictor can foresee how many there are.
        let (tiny, rest) = self.addresses[self.count..].split_at_mut(MAX_BRANCHLESS_LIST);
        for (number, slot) in tiny.iter_mut().enumerate() {
            slot.write(list.as_ptr().wrapping_add(number).cast());
        }
        if list.len() > MAX_BRANCHLESS_LIST {
            let more = &list[MAX_BRANCHLESS_LIST..];
            for (slot, value) in rest[..more.len()].iter_mut().zip(more) {
                slot.write(core::ptr::from_ref(value).cast());
            }
        }
        self.count += list.len();
    }

    /// Returns the references.
    #[inline]
    pub(crate) fn refs(&self) -> Refs<'_, T> {
        // SAFETY: the first `count` are initialised.
        let addresses = unsafe {
            core::slice::from_raw_parts(self.addresses.as_ptr().cast::<*const u8>(), self.count)
        };
        let shape = Shape::Gathered { addresses, offset: 0 };
        Refs { shape, len: self.count, values: PhantomData }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }
}

/// The lists of a batch that are not empty.
pub(crate) struct Lists<'r, T> {
    /// The first `count` are filled.
    lists: [MaybeUninit<&'r [T]>; MAX_ROWS],
    count: usize,
}

impl<T> Default for Lists<'_, T> {
    #[inline(always)]
    fn default() -> Self {
        Lists { lists: [const { MaybeUninit::uninit() }; MAX_ROWS], count: 0 }
    }
}

impl<'r, T> Lists<'r, T> {
    /// Returns the lists of the rows of a batch. `self` gives the memory for them: to return that would copy it.
    #[inline(always)]
    pub(crate) fn of<L>(
        &mut self,
        rows: Refs<'r, L>,
        list: impl Fn(&'r L) -> &'r [T],
    ) -> &[&'r [T]] {
        self.count = 0;
        rows.for_each(|row| {
            let list = list(row);
            self.lists[self.count].write(list);
            // No branch predictor can foresee which ones are empty.
            self.count += usize::from(!list.is_empty());
        });
        self.as_slice()
    }

    #[inline]
    fn as_slice(&self) -> &[&'r [T]] {
        // SAFETY: the first `count` are filled.
        unsafe { core::slice::from_raw_parts(self.lists.as_ptr().cast(), self.count) }
    }
}

/// At most [`MAX_ROWS`] rows of an enum, sorted by their variants.
pub(crate) struct ByVariant<'r, T> {
    rows: Refs<'r, T>,
    /// The variant of each row, in the order of the rows: the first `rows.len()` are filled.
    numbers: [MaybeUninit<u32>; MAX_ROWS],
    /// The address of each row sorted by variant, of values that are borrowed for 'r: the first `filled` are filled.
    sorted: [MaybeUninit<*const u8>; MAX_ROWS],
    filled: usize,
}

impl<'r, T> ByVariant<'r, T> {
    /// Nothing is initialised: that would take longer than to sort a few rows.
    #[inline(always)]
    pub(crate) fn of(rows: Refs<'r, T>) -> Self {
        ByVariant {
            rows,
            numbers: [const { MaybeUninit::uninit() }; MAX_ROWS],
            sorted: [const { MaybeUninit::uninit() }; MAX_ROWS],
            filled: 0,
        }
    }

    /// Sorts the rows by the numbers of their variants: one walk over the rows counts those of each variant, another places their
    /// addresses. Returns the numbers, and where the rows of each variant end.
    ///
    /// # Panics
    /// If there are more than [`MAX_ROWS`], or a number is not below `VARIANTS`.
    #[inline(always)]
    pub(crate) fn sort<const VARIANTS: usize>(
        &mut self,
        number: impl Fn(&T) -> usize,
    ) -> (&[u32], [usize; VARIANTS]) {
        let count = self.rows.len();
        assert!(count <= MAX_ROWS, "there is room for the rows");
        let mut ends = [0; VARIANTS];
        let mut next = self.numbers.as_mut_ptr().cast::<u32>();
        self.rows.for_each(|row| {
            let number = number(row);
            ends[number] += 1;
            // SAFETY: there are at most as many rows as places.
            unsafe { next.write(number as u32) };
            next = next.wrapping_add(1);
        });
        let first = self.numbers.as_ptr().cast::<u32>();
        // SAFETY: `for_each` calls with each row, so the first `count` are filled.
        let numbers = unsafe { core::slice::from_raw_parts(first, count) };
        let has_one = ends.contains(&count);
        // Where the rows of each variant begin. Placing a row advances this position, finally to where the variant's
        // rows end.
        let mut before = 0;
        for end in &mut ends {
            (*end, before) = (before, before + *end);
        }
        if has_one {
            // Rows of one variant are in order as they are.
            if let Some(number) = numbers.first() {
                ends[*number as usize] = count;
            }
            return (numbers, ends);
        }
        let (mut next, sorted) = (first, self.sorted.as_mut_ptr().cast::<*const u8>());
        self.rows.for_each(|row| {
            // SAFETY: a number for each row was written above. It was an index of `ends` then.
            let at = unsafe { ends.get_unchecked_mut(*next as usize) };
            // SAFETY: the numbers were counted, so the places of all variants together are those below `count`, each once.
            unsafe { sorted.add(*at).write(core::ptr::from_ref(row).cast()) };
            *at += 1;
            next = next.wrapping_add(1);
        });
        // The rows of all variants together: each place was filled once.
        self.filled = count;
        (numbers, ends)
    }

    /// Returns the rows of one variant, from the end of those before to their own.
    #[inline]
    pub(crate) fn rows(&self, start: usize, end: usize) -> Refs<'_, T> {
        if self.filled == 0 {
            return self.rows;
        }
        // SAFETY: the first `filled` are filled.
        let all = unsafe {
            core::slice::from_raw_parts(self.sorted.as_ptr().cast::<*const u8>(), self.filled)
        };
        let shape = Shape::Gathered { addresses: &all[start..end], offset: 0 };
        Refs { shape, len: end - start, values: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::tests::{Row, assert_are, rows};
    use super::*;

    #[test]
    fn values_are_gathered_in_order_and_absent_ones_are_not() {
        let list = rows(70);
        let mut gather = Gather::default();
        gather.push(&list[9]);
        gather.push_if(None);
        gather.push_if(Some(&list[8]));
        for len in [0, 1, 4, 5, 16] {
            gather.push_all(&list[len..2 * len]);
        }
        let expected =
            [&list[9..10], &list[8..9], &list[1..2], &list[4..8], &list[5..10], &list[16..32]];
        assert_are(gather.refs(), &expected.concat());
        assert_eq!(gather.left(), MAX_ROWS - 28);
        gather.clear();
        assert_are(gather.refs(), &[]);
    }

    #[test]
    #[should_panic(expected = "range")]
    fn more_values_than_there_is_room_for_are_not_gathered() {
        let list = rows(300);
        Gather::default().push_all(&list);
    }

    #[test]
    fn rows_of_each_variant_are_in_their_order() {
        let list = rows(256);
        let odd: Vec<&Row> = list.iter().skip(1).step_by(2).collect();
        for rows in [Refs::of(&list), Refs::of(&list[..1]), Refs::of(&[]), Refs::gathered(&odd)] {
            for variants in [1, 2, 3, 5] {
                let number = |row: &Row| usize::from(row.0) % variants;
                let mut sorted = ByVariant::of(rows);
                let (numbers, ends) = sorted.sort::<5>(number);
                assert!(numbers.iter().map(|n| *n as usize).eq(rows.iter().map(number)));
                let mut start = 0;
                for (variant, end) in ends.into_iter().enumerate() {
                    let own: Vec<Row> =
                        rows.iter().copied().filter(|row| number(row) == variant).collect();
                    if start < end {
                        assert_are(sorted.rows(start, end), &own);
                    }
                    assert_eq!(end - start, own.len());
                    start = end;
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "there is room for the rows")]
    fn more_rows_than_there_is_room_for_are_not_sorted() {
        ByVariant::of(Refs::of(&rows(257))).sort::<1>(|_| 0);
    }

    #[test]
    fn empty_lists_are_left_out() {
        let lists = [vec![1, 2], vec![], vec![3], vec![]];
        let refs = Refs::of(&lists);
        assert_eq!(Lists::default().of(refs, |list| &list[..]), [&[1, 2][..], &[3]]);
    }
}
