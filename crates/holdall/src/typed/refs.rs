//! References to many values of a type: the rows that are written, field by field.
//!
//! The unsafe code here and in derived types goes from references to values to references to one of their fields.
#![allow(unsafe_code)]

use crate::memory::{Grow, GrowVec};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::slots::{BATCH_ROWS, MAX_BRANCHLESS_LIST};

/// References to values of a type: at equal distances in memory, or gathered from anywhere.
///
/// ```
/// use holdall::typed::{Columns, Refs, Site};
/// use holdall::{Encode, Result};
///
/// // Writes all values, as a type by hand would.
/// fn write_rows<T: Encode>(rows: Refs<'_, T>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
///     rows.iter().try_for_each(|row| row.write(site, columns))
/// }
/// ```
#[derive(Debug)]
pub struct Refs<'r, T> {
    shape: Shape<'r>,
    len: usize,
    values: PhantomData<&'r T>,
}

/// Where the values are.
#[derive(Clone, Copy, Debug)]
enum Shape<'r> {
    /// The first value, and the bytes from each to the next.
    Strided { first: *const u8, stride: usize },
    /// This many bytes behind each of the addresses.
    Gathered { addresses: &'r [*const u8], offset: isize },
}

/// The iterator of a shape.
pub(crate) enum Walk<S, G> {
    Strided(S),
    Gathered(G),
}

// Invariant, on which all unsafe code here rests: each address that `shape` gives, of as many as `len` says, is that of
// a value of T that is borrowed for 'r.
impl<'r, T> Refs<'r, T> {
    /// Returns references to the values of a slice.
    #[inline]
    #[must_use]
    pub fn of(list: &'r [T]) -> Self {
        let shape = Shape::Strided { first: list.as_ptr().cast(), stride: size_of::<T>() };
        Refs { shape, len: list.len(), values: PhantomData }
    }

    /// Returns the references of a slice.
    #[inline]
    #[must_use]
    pub fn gathered(list: &'r [&'r T]) -> Self {
        // SAFETY: a reference has the layout of a pointer, and each is valid for 'r.
        let addresses = unsafe { std::slice::from_raw_parts(list.as_ptr().cast(), list.len()) };
        let shape = Shape::Gathered { addresses, offset: 0 };
        Refs { shape, len: list.len(), values: PhantomData }
    }

    /// Returns the number of values.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the values as a slice, if they are adjacent.
    #[inline]
    pub(crate) fn as_slice(self) -> Option<&'r [T]> {
        match self.shape {
            Shape::Strided { first, stride } if stride == size_of::<T>() => {
                // SAFETY: by the invariant there are `len` values, each one its size behind the one before.
                Some(unsafe { std::slice::from_raw_parts(first.cast(), self.len) })
            }
            _ => None,
        }
    }

    /// Returns all references in order. [`Refs::for_each`] takes less time for each.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = &'r T> + Clone {
        // SAFETY: by the invariant, the address is that of a value.
        (0..self.len).map(move |number| unsafe { &*self.address(number) })
    }

    /// The address of a value: of one of those there are.
    #[inline(always)]
    fn address(&self, number: usize) -> *const T {
        match self.shape {
            Shape::Strided { first, stride } => first.wrapping_add(number * stride).cast(),
            Shape::Gathered { addresses, offset } => {
                addresses[number].wrapping_offset(offset).cast()
            }
        }
    }

    /// Calls a function with each reference.
    #[inline(always)]
    pub fn for_each(self, each: impl FnMut(&'r T)) {
        match self.walk() {
            Walk::Strided(rows) => rows.for_each(each),
            Walk::Gathered(rows) => rows.for_each(each),
        }
    }

    /// Returns an iterator of its own for each shape.
    #[inline(always)]
    pub(crate) fn walk(
        self,
    ) -> Walk<impl Iterator<Item = &'r T> + Clone, impl Iterator<Item = &'r T> + Clone> {
        match self.shape {
            Shape::Strided { first, stride } => {
                let mut next = first;
                Walk::Strided((0..self.len).map(move |_| {
                    let value = next;
                    // The address behind the last value need not be in its allocation.
                    next = next.wrapping_add(stride);
                    // SAFETY: by the invariant, this is the address of a value.
                    unsafe { &*value.cast::<T>() }
                }))
            }
            Shape::Gathered { addresses, offset } => {
                // SAFETY: by the invariant, these are addresses of values.
                let value = move |address: &*const u8| unsafe {
                    &*address.wrapping_offset(offset).cast::<T>()
                };
                Walk::Gathered(addresses[..self.len].iter().map(value))
            }
        }
    }

    /// Appends something for each value.
    #[inline(always)]
    pub(crate) fn append_to<W>(self, out: &mut Vec<W>, make: impl Fn(&'r T) -> W) {
        if let Some(list) = self.as_slice() {
            // Compilers vectorise this loop.
            return out.put_each(list.iter().map(make));
        }
        out.room(self.len);
        let (next, mut count) = (out.as_mut_ptr().wrapping_add(out.len()), 0);
        self.for_each(|value| {
            // SAFETY: `out` has room for `len` values behind its own, and there are no more references.
            unsafe { next.add(count).write(make(value)) };
            count += 1;
        });
        // SAFETY: these were written. If `make` panics, they are not dropped.
        unsafe { out.set_len(out.len() + count) };
    }

    /// Appends an array for each value.
    #[inline(always)]
    pub(crate) fn append_arrays<W, const LEN: usize>(
        self,
        out: &mut Vec<W>,
        make: impl Fn(&'r T) -> [W; LEN],
    ) {
        out.room(self.len.checked_mul(LEN).expect("as many words as fit in memory"));
        let (next, mut count) = (out.as_mut_ptr().wrapping_add(out.len()), 0);
        self.for_each(|value| {
            // SAFETY: `out` has room for `LEN` values for each reference behind its own.
            unsafe { next.add(count).cast::<[W; LEN]>().write(make(value)) };
            count += LEN;
        });
        // SAFETY: as in `append_to`.
        unsafe { out.set_len(out.len() + count) };
    }

    /// Returns references to the same field of all values.
    ///
    /// # Safety
    /// The function returns a field of the value that it gets, the same for all values.
    #[inline(always)]
    #[must_use]
    pub unsafe fn field<F>(self, field: impl FnOnce(&'r T) -> &'r F) -> Refs<'r, F> {
        if self.len == 0 {
            return Refs::of(&[]);
        }
        let first = self.address(0);
        // SAFETY: by the invariant, this is the address of a value.
        let behind =
            std::ptr::from_ref(field(unsafe { &*first })).addr().wrapping_sub(first.addr());
        let shape = match self.shape {
            Shape::Strided { first, stride } => {
                Shape::Strided { first: first.wrapping_add(behind), stride }
            }
            Shape::Gathered { addresses, offset } => {
                Shape::Gathered { addresses, offset: offset.wrapping_add(behind.cast_signed()) }
            }
        };
        Refs { shape, len: self.len, values: PhantomData }
    }

    /// Returns the references in batches of at most [`BATCH_ROWS`].
    #[inline]
    pub(crate) fn batches(self) -> impl Iterator<Item = Refs<'r, T>> {
        (0..self.len).step_by(BATCH_ROWS).map(move |start| {
            let len = (self.len - start).min(BATCH_ROWS);
            let shape = match self.shape {
                Shape::Strided { first, stride } => {
                    Shape::Strided { first: first.wrapping_add(start * stride), stride }
                }
                Shape::Gathered { addresses, offset } => {
                    Shape::Gathered { addresses: &addresses[start..start + len], offset }
                }
            };
            Refs { shape, len, values: PhantomData }
        })
    }
}

impl<T> Clone for Refs<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Refs<'_, T> {}

/// Gathers references to a batch of values.
pub(crate) struct Gather<'r, T> {
    /// The first `count` are addresses of values that are borrowed for 'r.
    addresses: [MaybeUninit<*const u8>; BATCH_ROWS + MAX_BRANCHLESS_LIST],
    count: usize,
    values: PhantomData<&'r T>,
}

impl<T> Default for Gather<'_, T> {
    #[inline]
    fn default() -> Self {
        let addresses = [const { MaybeUninit::uninit() }; BATCH_ROWS + MAX_BRANCHLESS_LIST];
        Gather { addresses, count: 0, values: PhantomData }
    }
}

impl<'r, T> Gather<'r, T> {
    /// The number of values for which there is room.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        BATCH_ROWS.saturating_sub(self.count)
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
        let address = value.map_or(std::ptr::null(), std::ptr::from_ref);
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
                slot.write(std::ptr::from_ref(value).cast());
            }
        }
        self.count += list.len();
    }

    /// Returns the references.
    #[inline]
    pub(crate) fn refs(&self) -> Refs<'_, T> {
        // SAFETY: the first `count` are initialised.
        let addresses = unsafe {
            std::slice::from_raw_parts(self.addresses.as_ptr().cast::<*const u8>(), self.count)
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
    lists: [MaybeUninit<&'r [T]>; BATCH_ROWS],
    count: usize,
}

impl<'r, T> Lists<'r, T> {
    #[inline]
    pub(crate) fn of<L>(rows: Refs<'r, L>, list: impl Fn(&'r L) -> &'r [T]) -> Self {
        let mut lists = [const { MaybeUninit::uninit() }; BATCH_ROWS];
        let mut count = 0;
        rows.for_each(|row| {
            let list = list(row);
            lists[count].write(list);
            // No branch predictor can foresee which ones are empty.
            count += usize::from(!list.is_empty());
        });
        Lists { lists, count }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[&'r [T]] {
        // SAFETY: the first `count` are filled.
        unsafe { std::slice::from_raw_parts(self.lists.as_ptr().cast(), self.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Gather, Lists, Refs};

    /// (number, pair)
    type Row = (u8, [u16; 2]);

    fn rows(count: u8) -> Vec<Row> {
        (0..count).map(|number| (number, [u16::from(number), 7])).collect()
    }

    /// Checks all ways to get at the values.
    fn assert_are(refs: Refs<'_, Row>, expected: &[Row]) {
        assert_eq!(refs.len(), expected.len());
        assert_eq!(refs.iter().copied().collect::<Vec<_>>(), expected);
        let mut each = Vec::new();
        refs.for_each(|row| each.push(*row));
        assert_eq!(each, expected);
        let mut numbers = vec![99];
        // SAFETY: this is a field.
        unsafe { refs.field(|row| &row.0) }.append_to(&mut numbers, |number| *number);
        assert_eq!(numbers[1..], expected.iter().map(|row| row.0).collect::<Vec<_>>());
        // SAFETY: this is a field.
        let pairs = unsafe { refs.field(|row| &row.1) };
        let mut words = vec![99];
        pairs.append_arrays(&mut words, |pair| *pair);
        assert_eq!(words[1..], expected.iter().flat_map(|row| row.1).collect::<Vec<_>>());
        // SAFETY: this is a part of the value that is the same for all.
        let seconds = unsafe { pairs.field(|pair| &pair[1]) };
        assert!(seconds.iter().all(|second| *second == 7));
        let batches: Vec<Row> = refs.batches().flat_map(Refs::iter).copied().collect();
        assert_eq!(batches, expected);
        assert!(refs.batches().all(|batch| (1..=64).contains(&batch.len())));
    }

    #[test]
    fn references_of_every_shape_are_those_of_the_values() {
        for count in [0, 1, 2, 63, 64, 65, 200] {
            let list = rows(count);
            assert_are(Refs::of(&list), &list);
            let odd: Vec<&Row> = list.iter().skip(1).step_by(2).collect();
            let expected: Vec<Row> = odd.iter().map(|row| **row).collect();
            assert_are(Refs::gathered(&odd), &expected);
        }
        let list = rows(3);
        assert_eq!(Refs::of(&list).as_slice(), Some(&list[..]));
        // SAFETY: this is a field.
        assert_eq!(unsafe { Refs::of(&list).field(|row| &row.0) }.as_slice(), None);
    }

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
        assert_eq!(gather.left(), 64 - 28);
        gather.clear();
        assert_are(gather.refs(), &[]);
    }

    #[test]
    #[should_panic(expected = "range")]
    fn more_values_than_there_is_room_for_are_not_gathered() {
        let list = rows(200);
        Gather::default().push_all(&list);
    }

    #[test]
    fn empty_lists_are_left_out() {
        let lists = [vec![1, 2], vec![], vec![3], vec![]];
        let refs = Refs::of(&lists);
        assert_eq!(Lists::of(refs, |list| &list[..]).as_slice(), [&[1, 2][..], &[3]]);
    }
}
