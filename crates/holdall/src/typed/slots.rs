//! Slots in memory for reading many rows field by field, and which of them hold a value.
//!
//! The unsafe code here and in derived types makes a value of fields that were written in place.
#![allow(unsafe_code)]

mod batch;

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::memory::Grow;

pub(super) use self::batch::batch;
pub use self::batch::{Batch, Drained, Scattered, is_movable};

/// The most values that are read and then moved.
pub(super) const BATCH_ROWS: usize = 64;

/// The most rows written or read at once. Rows of enums inside enums are divided again and again, and each group costs something,
/// however few its rows are: with 64 rows, those took 34 % more instructions to write, and 13 % more to read.
pub(super) const MAX_ROWS: usize = 256;

/// The bytes of the rows written or read at once, so that they stay in the nearest cache: each field visits them.
const ROW_BYTES: usize = 16 << 10;

/// Returns how many rows of a type are written or read at once: few enough for the caches.
pub(super) const fn rows_at_once<T>() -> usize {
    match ROW_BYTES.checked_div(size_of::<T>()) {
        Some(..BATCH_ROWS) => BATCH_ROWS,
        Some(rows @ BATCH_ROWS..MAX_ROWS) => rows,
        _ => MAX_ROWS,
    }
}

/// The most items of a list that shares a batch with others.
pub(super) const MAX_GATHERED_LIST: usize = 16;

/// The most items of a list that are gathered without a branch.
pub(super) const MAX_BRANCHLESS_LIST: usize = 4;

/// The most bytes of an array for which an extra copy is cheap.
const MAX_COPIED_ARRAY: usize = 512;

/// Slots for values of a type, at equal distances; the first of them are filled.
///
/// Values in filled slots are dropped with the slots, unless they became part of a larger value.
///
/// ```
/// use holdall::typed::{Slots, Rows, Site};
/// use holdall::{Decode, Result};
///
/// // Fills all slots that are left, as a type by hand would.
/// fn read_rows<'de, T: Decode<'de>>(
///     slots: &mut Slots<'_, T>,
///     site: Site,
///     rows: &mut Rows<'_, 'de>,
/// ) -> Result<()> {
///     while slots.left() > 0 {
///         slots.push(T::read(site, rows)?);
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Slots<'p, T> {
    /// The first free slot, or the end.
    next: *mut T,
    /// The bytes from each slot to the next.
    stride: usize,
    left: usize,
    filled: usize,
    memory: PhantomData<&'p mut [MaybeUninit<T>]>,
}

// Invariants, which all unsafe code here rests on:
// 1. `next` is the address of slot number `filled` of `filled + left` slots. The slots are `stride` bytes apart, all in
//    one allocation that lives for 'p (or the size of T and `stride` are 0). If `left` is 0, nothing accesses `next`.
// 2. Nothing else reads or writes the bytes of T in these slots while this value lives.
// 3. The `filled` slots before `next` hold values of T that this value owns; the other slots hold none.
impl<'p, T> Slots<'p, T> {
    fn of(memory: &'p mut [MaybeUninit<T>]) -> Self {
        Slots {
            left: memory.len(),
            next: memory.as_mut_ptr().cast(),
            stride: size_of::<T>(),
            filled: 0,
            memory: PhantomData,
        }
    }

    /// Returns the number of free slots.
    #[inline]
    #[must_use]
    pub fn left(&self) -> usize {
        self.left
    }

    /// Fills the next slot.
    ///
    /// # Panics
    /// If no slot is free.
    #[inline]
    pub fn push(&mut self, value: T) {
        assert!(self.left > 0, "a slot is free");
        // SAFETY: by 1 and 2, `next` is one of these slots. By 3, it holds no value that would be lost.
        unsafe { self.next.write(value) };
        self.advance(1);
    }

    /// Fills the next slots with the values of an iterator, while there are values and free slots.
    #[inline]
    pub(crate) fn extend(&mut self, values: impl Iterator<Item = T>) {
        // Not `push`: the compiler sees a plain loop. If the iterator panics, the values written are not counted, so
        // they are not dropped.
        let (mut next, mut count) = (self.next, 0);
        values.take(self.left).for_each(|value| {
            // SAFETY: as in `push`; `take` stops after the last slot.
            unsafe { next.write(value) };
            next = next.wrapping_byte_add(self.stride);
            count += 1;
        });
        self.advance(count);
    }

    /// Fills the next slots with values made from rows; ignores rows beyond the last slot.
    #[doc(hidden)]
    #[inline]
    pub fn extend_from<W>(&mut self, rows: &[W], make: impl Fn(&W) -> T) {
        let rows = &rows[..rows.len().min(self.left)];
        let (mut next, stride) = (self.next, self.stride);
        if stride == size_of::<T>() {
            // Adjacent slots: compilers vectorise this loop.
            for (place, row) in rows.iter().enumerate() {
                // SAFETY: as in `push`; there are no more rows than slots.
                unsafe { next.wrapping_add(place).write(make(row)) };
            }
            return self.advance(rows.len());
        }
        // Four rows at a time: the loop overhead is a good part of so little work.
        let (fours, rest) = rows.as_chunks::<4>();
        for four in fours {
            for (place, row) in four.iter().enumerate() {
                // SAFETY: as above.
                unsafe { next.wrapping_byte_add(place * stride).write(make(row)) };
            }
            next = next.wrapping_byte_add(4 * stride);
        }
        // If `make` panics, the values written are not counted, so they are not dropped.
        self.advance(4 * fours.len());
        self.extend(rest.iter().map(make));
    }

    /// Counts slots as filled; at least as many must be free.
    #[inline]
    fn advance(&mut self, count: usize) {
        self.left -= count;
        self.filled += count;
        // The address after the last slot need not be inside the allocation, so `add` would be unsound.
        self.next = self.next.wrapping_byte_add(self.stride * count);
    }

    /// Returns the slots of one field of the free slots; finish them before [`Slots::complete`].
    ///
    /// # Safety
    /// T has a field of type F, aligned for it, at this offset; and no other slots of that field are alive.
    #[inline]
    #[must_use]
    pub unsafe fn field<F>(&self, offset: usize) -> Slots<'_, F> {
        Slots {
            next: self.next.cast::<F>().wrapping_byte_add(offset),
            stride: self.stride,
            left: self.left,
            filled: 0,
            memory: PhantomData,
        }
    }

    /// Declares that a larger value now owns the values.
    ///
    /// # Panics
    /// If a slot is not filled.
    #[inline]
    pub fn finish(mut self) {
        assert!(self.left == 0, "all slots are filled");
        self.filled = 0;
    }

    /// Declares all values complete, from the fields that were finished.
    ///
    /// # Safety
    /// All slots that [`Slots::field`] returned since values were last added were finished, and they cover all fields
    /// of T.
    #[inline]
    pub unsafe fn complete(&mut self) {
        self.advance(self.left);
    }
}

impl<T> Drop for Slots<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        while self.filled > 0 {
            self.filled -= 1;
            self.next = self.next.wrapping_byte_sub(self.stride);
            // SAFETY: by 3, the slot holds a value that this value owns. It is no longer counted, so it is dropped
            // once, even if its drop panics.
            unsafe { self.next.drop_in_place() };
        }
    }
}

impl<T> Slots<'_, Option<T>> {
    /// Fills the next slots: slot i with the next value if bit i is 1, otherwise with none.
    ///
    /// # Panics
    /// If fewer slots are free, or fewer values are left.
    #[inline]
    pub(super) fn extend_present(&mut self, bits: u64, count: usize, values: &mut Batch<T>) {
        assert!(count <= self.left, "the slots are free");
        let bits = if count < 64 { bits & ((1 << count) - 1) } else { bits };
        let slot = |number: usize| self.next.wrapping_byte_add(number * self.stride);
        // No branch predictor can foresee which slots hold a value.
        for number in 0..count {
            // SAFETY: by 1 and 2, this is one of the slots. By 3, it holds no value that would be lost.
            unsafe { slot(number).write(None) };
        }
        let mut rest = bits;
        let mut values = values.take(rest.count_ones() as usize);
        while rest != 0 {
            // SAFETY: as above: no bit is 1 from `count` on, and the slot holds none.
            unsafe { slot(rest.trailing_zeros() as usize).write(Some(values.one())) };
            rest &= rest - 1;
        }
        self.advance(count);
    }
}

impl<I, const LEN: usize> Slots<'_, [I; LEN]> {
    /// Fills all arrays by filling their items.
    ///
    /// # Errors
    /// Those of `fill`.
    ///
    /// # Panics
    /// If `fill` does not fill all slots without an error.
    #[inline]
    pub(crate) fn fill_items<E>(
        &mut self,
        mut fill: impl FnMut(&mut Slots<'_, I>) -> Result<(), E>,
    ) -> Result<(), E> {
        let size = size_of::<[I; LEN]>();
        // Items of adjacent arrays are adjacent too. The number of items of size 0 can overflow.
        if self.stride == size && self.stride > 0 {
            return self.fill_arrays(self.left, fill);
        }
        if self.left > 1 && (1..=MAX_COPIED_ARRAY).contains(&size) {
            // Small arrays are built in a batch, and moved.
            let mut arrays: Vec<[I; LEN]> = Vec::new();
            append(&mut arrays, self.left, |slots| slots.fill_arrays(slots.left, &mut fill))?;
            self.extend(arrays.into_iter());
            return Ok(());
        }
        self.fill_arrays(1, fill)
    }

    /// Fills all arrays by filling all of their items at once.
    #[inline]
    pub(crate) fn fill_items_at_once<E>(
        &mut self,
        mut fill: impl FnMut(&mut Slots<'_, I>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.stride == size_of::<[I; LEN]>() {
            return self.fill_arrays(self.left, fill);
        }
        let mut arrays: Vec<[I; LEN]> = Vec::new();
        append_at_once(&mut arrays, self.left, |slots| slots.fill_arrays(slots.left, &mut fill))?;
        self.extend(arrays.into_iter());
        Ok(())
    }

    /// Fills all arrays, this many at once: if more than one, they are adjacent.
    #[inline]
    fn fill_arrays<E>(
        &mut self,
        at_once: usize,
        mut fill: impl FnMut(&mut Slots<'_, I>) -> Result<(), E>,
    ) -> Result<(), E> {
        assert!(at_once <= 1 || self.stride == size_of::<[I; LEN]>(), "arrays are neighbours");
        while self.left > 0 && LEN > 0 {
            // The same slots, item by item: the distance between items is their size.
            let mut items: Slots<'_, I> = Slots {
                next: self.next.cast(),
                stride: size_of::<I>(),
                left: at_once * LEN,
                filled: 0,
                memory: PhantomData,
            };
            fill(&mut items)?;
            items.finish();
            // An array consists of its items.
            self.advance(at_once);
        }
        // Arrays without items are complete.
        self.advance(self.left);
        Ok(())
    }
}

/// Appends values that `fill` reads into slots, in batches.
///
/// # Errors
/// Those of `fill`; the list then holds what was appended before.
///
/// # Panics
/// If `fill` does not fill all slots without an error.
#[inline]
pub(crate) fn append<T, E>(
    list: &mut Vec<T>,
    count: usize,
    mut fill: impl FnMut(&mut Slots<'_, T>) -> Result<(), E>,
) -> Result<(), E> {
    let end = list.len() + count;
    list.room(count);
    while list.len() < end {
        append_at_once(list, (end - list.len()).min(rows_at_once::<T>()), &mut fill)?;
    }
    Ok(())
}

/// Appends this many values that `fill` reads into slots, all at once.
///
/// # Errors
/// Those of `fill`; the list then is as it was.
///
/// # Panics
/// If `fill` does not fill all slots without an error.
#[inline]
pub(crate) fn append_at_once<T, E>(
    list: &mut Vec<T>,
    count: usize,
    fill: impl FnOnce(&mut Slots<'_, T>) -> Result<(), E>,
) -> Result<(), E> {
    list.room(count);
    let mut slots = Slots::of(&mut list.spare_capacity_mut()[..count]);
    fill(&mut slots)?;
    slots.finish();
    // SAFETY: these slots follow the list's values, and all were filled; the list owns them now.
    unsafe { list.set_len(list.len() + count) };
    Ok(())
}

/// Returns how many lists have at most [`BATCH_ROWS`] items together, but at least one, and how many items these
/// are. Lengths were charged to the budget, so they fit.
#[inline]
pub(super) fn lists_at_once(lens: &[u64]) -> (usize, usize) {
    let all = lens.iter().fold(0, |sum: u64, len| sum.saturating_add(*len));
    if all <= BATCH_ROWS as u64 {
        return (lens.len(), all as usize);
    }
    let (mut count, mut items) = (1, lens[0] as usize);
    for &len in &lens[1..] {
        match items.checked_add(len as usize) {
            Some(more) if more <= BATCH_ROWS => items = more,
            _ => break,
        }
        count += 1;
    }
    (count, items)
}

/// Reads one value by `fill`.
///
/// # Errors
/// Those of `fill`.
///
/// # Panics
/// If `fill` returns no error but does not fill the slot.
#[inline]
pub(crate) fn one<T, E>(fill: impl FnOnce(&mut Slots<'_, T>) -> Result<(), E>) -> Result<T, E> {
    let mut value = MaybeUninit::uninit();
    let mut slots = Slots::of(core::slice::from_mut(&mut value));
    fill(&mut slots)?;
    slots.finish();
    // SAFETY: its slot was filled.
    Ok(unsafe { value.assume_init() })
}

#[cfg(test)]
mod tests;
