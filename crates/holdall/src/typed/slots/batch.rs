//! Values that are read in batches, and moved to their places.

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::{BATCH_ROWS, MAX_ROWS, Slots};

use crate::memory;

/// The most bytes of a value for which a batch fits on the stack, to be moved from there.
const MAX_MOVED_VALUE: usize = 256;

/// Whether values can be read in a [`Batch`] and moved.
#[doc(hidden)]
#[must_use]
pub const fn is_movable<T>() -> bool {
    size_of::<T>() <= MAX_MOVED_VALUE
}

/// At most [`BATCH_ROWS`] values, for the caller to take in order.
#[doc(hidden)]
pub struct Batch<T> {
    /// The slots from `taken` to `filled` hold a value that this batch owns.
    memory: [MaybeUninit<T>; BATCH_ROWS],
    taken: usize,
    filled: usize,
}

impl<T> Default for Batch<T> {
    #[inline]
    fn default() -> Self {
        let memory = [const { MaybeUninit::uninit() }; BATCH_ROWS];
        Batch { memory, taken: 0, filled: 0 }
    }
}

impl<T> Batch<T> {
    /// Reads the next values by `fill`, after those before were taken.
    ///
    /// # Errors
    /// Those of `fill`.
    ///
    /// # Panics
    /// If there are more than [`BATCH_ROWS`], values are left, or `fill` does not fill all slots without an error.
    #[inline]
    pub fn fill<E>(
        &mut self,
        count: usize,
        fill: impl FnOnce(&mut Slots<'_, T>) -> Result<(), E>,
    ) -> Result<(), E> {
        assert!(self.left() == 0, "all values are taken");
        (self.taken, self.filled) = (0, 0);
        // A site without rows has no column to read from (F-25).
        if count > 0 {
            let mut slots = Slots::of(&mut self.memory[..count]);
            fill(&mut slots)?;
            slots.finish();
            self.filled = count;
        }
        Ok(())
    }

    /// Returns how many values are not taken.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.filled - self.taken
    }

    /// Takes the next values.
    ///
    /// # Panics
    /// If fewer are left.
    #[inline(always)]
    pub fn take(&mut self, count: usize) -> Drained<'_, T> {
        let own = &self.memory[self.taken..self.filled][..count];
        // The batch no longer owns them.
        self.taken += count;
        Drained { next: own.as_ptr().cast(), left: count, memory: PhantomData }
    }

    /// Takes the next values.
    ///
    /// # Panics
    /// If fewer are left.
    #[inline]
    pub(crate) fn list(&mut self, len: usize) -> Vec<T> {
        if len == 0 {
            return Vec::new();
        }
        let own = &self.memory[self.taken..self.filled][..len];
        let mut list = memory::with_capacity(len);
        // SAFETY: the list has room for `len` values. The batch owned the values in `own`, and no longer does after the
        // next line, so the list is their only owner.
        unsafe {
            own.as_ptr().cast::<T>().copy_to_nonoverlapping(list.as_mut_ptr(), len);
            list.set_len(len);
        }
        self.taken += len;
        list
    }
}

impl<T> Drop for Batch<T> {
    #[inline]
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            drop(self.take(self.left()));
        }
    }
}

/// Values that were taken from a [`Batch`]. Their number is kept apart from it, so that it stays in a register: taking each value
/// from the batch itself took enums inside enums 4 % more instructions to read.
#[doc(hidden)]
pub struct Drained<'b, T> {
    /// The first of `left` adjacent values that this value owns, in memory that is borrowed for 'b.
    next: *const T,
    left: usize,
    memory: PhantomData<&'b mut [MaybeUninit<T>]>,
}

impl<T> Drained<'_, T> {
    /// Takes the next value.
    ///
    /// # Panics
    /// If none is left.
    #[inline(always)]
    pub fn one(&mut self) -> T {
        assert!(self.left > 0, "a value is left");
        let own = self.next;
        self.next = own.wrapping_add(1);
        self.left -= 1;
        // SAFETY: a value is left. This value no longer counts it, so the caller is its only owner.
        unsafe { own.read() }
    }
}

impl<T> Drop for Drained<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            while self.left > 0 {
                drop(self.one());
            }
        }
    }
}

/// Reads values by `fill` into a [`Batch`], to be taken by `take`.
///
/// # Errors
/// Those of `fill`.
///
/// # Panics
/// As [`Batch::fill`].
#[inline]
pub(crate) fn batch<T, E, R>(
    count: usize,
    fill: impl FnOnce(&mut Slots<'_, T>) -> Result<(), E>,
    take: impl FnOnce(&mut Batch<T>) -> R,
) -> Result<R, E> {
    let mut batch = Batch::default();
    batch.fill(count, fill)?;
    Ok(take(&mut batch))
}

impl<T> Slots<'_, T> {
    /// Fills the next slots with values of an enum, from the numbers of their variants: `read` fills the slots of one
    /// variant. No branch predictor can foresee which variant comes next in the order of the rows.
    ///
    /// # Errors
    /// Those of `read`.
    ///
    /// # Panics
    /// If there are more numbers than free slots, a number is not below `VARIANTS`, or `read` does not fill all slots
    /// without an error.
    #[doc(hidden)]
    #[inline]
    pub fn by_variant<const VARIANTS: usize, E>(
        &mut self,
        numbers: &[u64],
        mut read: impl FnMut(usize, &mut Scattered<'_, T>) -> Result<(), E>,
    ) -> Result<(), E> {
        assert!(numbers.len() <= self.left, "the slots are free");
        for numbers in numbers.chunks(MAX_ROWS) {
            let mut slots = Scattered {
                first: self.next,
                stride: self.stride,
                // Not initialised ahead: that would take longer than to sort a few rows.
                order: [const { MaybeUninit::uninit() }; MAX_ROWS],
                filled: 0,
                end: 0,
                memory: PhantomData,
            };
            let ends = slots.sort::<VARIANTS>(numbers);
            for (variant, end) in ends.into_iter().enumerate() {
                if slots.end < end {
                    slots.end = end;
                    read(variant, &mut slots)?;
                    assert!(slots.left() == 0, "all slots are filled");
                }
            }
            // All slots are filled, and now these slots own the values.
            slots.filled = 0;
            drop(slots);
            self.advance(numbers.len());
        }
        Ok(())
    }
}

/// Slots of one variant among those of an enum's rows.
#[doc(hidden)]
pub struct Scattered<'p, T> {
    first: *mut T,
    stride: usize,
    /// The numbers of the slots from `first` on, each once, sorted by variant; those below `end` are filled.
    order: [MaybeUninit<u8>; MAX_ROWS],
    /// The first slots in this order hold values that this value owns.
    filled: usize,
    /// Where the slots of the variant end in this order.
    end: usize,
    memory: PhantomData<&'p mut [MaybeUninit<T>]>,
}

impl<T> Scattered<'_, T> {
    /// Sorts the slots of at most [`MAX_ROWS`] rows by the numbers of their variants, and returns where those of each variant end.
    #[inline]
    fn sort<const VARIANTS: usize>(&mut self, numbers: &[u64]) -> [usize; VARIANTS] {
        assert!(numbers.len() <= MAX_ROWS, "there is room for the rows");
        let mut ends = [0; VARIANTS];
        numbers.iter().for_each(|number| ends[*number as usize] += 1);
        // Where the slots of each variant begin. Placing a slot advances this position, finally to where the variant's
        // slots end.
        let mut before = 0;
        for end in &mut ends {
            (*end, before) = (before, before + *end);
        }
        for (slot, number) in numbers.iter().enumerate() {
            // SAFETY: the number was an index of `ends` when it was counted.
            let at = unsafe { ends.get_unchecked_mut(*number as usize) };
            // SAFETY: the numbers were counted, so the places of all variants together are those below their number.
            unsafe { self.order.get_unchecked_mut(*at) }.write(slot as u8);
            *at += 1;
        }
        ends
    }

    /// Returns the number of free slots.
    #[inline]
    #[must_use]
    pub fn left(&self) -> usize {
        self.end - self.filled
    }

    /// Returns how many free slots can be filled from a [`Batch`].
    #[inline]
    #[must_use]
    pub fn at_once(&self) -> usize {
        self.left().min(BATCH_ROWS)
    }

    /// Fills the next slots with the values of a function, up to the first one that fails.
    ///
    /// # Errors
    /// Those of the function.
    ///
    /// # Panics
    /// If fewer slots are free.
    #[inline(always)]
    pub fn fill<E>(
        &mut self,
        count: usize,
        mut value: impl FnMut() -> Result<T, E>,
    ) -> Result<(), E> {
        assert!(count <= self.left(), "the slots are free");
        // If the function panics, the values written are not counted, so they are not dropped.
        for (done, slot) in self.order[self.filled..][..count].iter().enumerate() {
            let value = value().inspect_err(|_| self.filled += done)?;
            // SAFETY: the order is filled up to `end`.
            let slot = unsafe { slot.assume_init() };
            let slot = self.first.wrapping_byte_add(usize::from(slot) * self.stride);
            // SAFETY: the order has the numbers of free slots, each once, so this one holds no value that would be lost.
            unsafe { slot.write(value) };
        }
        self.filled += count;
        Ok(())
    }

    /// The address of a slot, by its place in the order.
    #[inline(always)]
    fn slot(&self, place: usize) -> *mut T {
        // SAFETY: the caller's place is below `end`, up to which the order is filled.
        let slot = unsafe { self.order[place].assume_init() };
        self.first.wrapping_byte_add(usize::from(slot) * self.stride)
    }
}

impl<T> Drop for Scattered<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            while self.filled > 0 {
                self.filled -= 1;
                // SAFETY: the slot holds a value that this value owns, and no longer counts.
                unsafe { self.slot(self.filled).drop_in_place() };
            }
        }
    }
}
