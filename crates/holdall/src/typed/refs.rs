//! References to many values of a type: the rows that are written, field by field.
//!
//! The unsafe code here and in derived types goes from references to values to references to one of their fields.
#![allow(unsafe_code)]

mod gather;

use alloc::vec::Vec;

use crate::memory::{Grow, GrowVec};
use core::marker::PhantomData;

pub(crate) use self::gather::{ByVariant, Gather, Lists};
use super::slots::rows_at_once;

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
        let addresses = unsafe { core::slice::from_raw_parts(list.as_ptr().cast(), list.len()) };
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
                Some(unsafe { core::slice::from_raw_parts(first.cast(), self.len) })
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
        let mut write = |value: &'r T| {
            // SAFETY: `out` has room for `len` values behind its own, and there are no more references.
            unsafe { next.add(count).write(make(value)) };
            count += 1;
        };
        match self.shape {
            Shape::Strided { first, stride } => {
                // SAFETY: by the invariant, these are the addresses of `len` values.
                let value = |number: usize| unsafe { &*first.wrapping_add(number * stride).cast() };
                // Four at a time: the loop overhead is a good part of so little work.
                let fours = self.len / 4 * 4;
                for four in (0..fours).step_by(4) {
                    (four..four + 4).for_each(|number| write(value(number)));
                }
                (fours..self.len).for_each(|number| write(value(number)));
            }
            Shape::Gathered { .. } => self.for_each(write),
        }
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
            core::ptr::from_ref(field(unsafe { &*first })).addr().wrapping_sub(first.addr());
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

    /// Returns the references in batches of at most [`MAX_ROWS`](super::slots::MAX_ROWS).
    #[inline]
    pub(crate) fn batches(self) -> impl Iterator<Item = Refs<'r, T>> {
        let most = rows_at_once::<T>();
        (0..self.len).step_by(most).map(move |start| {
            let len = (self.len - start).min(most);
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

#[cfg(test)]
pub(super) mod tests {
    use alloc::vec::Vec;

    use super::Refs;
    use crate::typed::slots::MAX_ROWS;

    /// (number, pair)
    pub(super) type Row = (u8, [u16; 2]);

    pub(super) fn rows(count: u16) -> Vec<Row> {
        (0..count).map(|number| (number as u8, [number, 7])).collect()
    }

    /// Checks all ways to get at the values.
    pub(super) fn assert_are(refs: Refs<'_, Row>, expected: &[Row]) {
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
        assert!(refs.batches().all(|batch| (1..=MAX_ROWS).contains(&batch.len())));
    }

    #[test]
    fn references_of_every_shape_are_those_of_the_values() {
        for count in [0, 1, 2, 255, 256, 257, 700] {
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
}
