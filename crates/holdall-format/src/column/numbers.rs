//! Numbers that a writer gathers: lengths, variants and references. One byte each, as long as all fit.

use alloc::vec::Vec;

use super::frame::FrameChoice;
use super::ints::{prepare_words, write_u64, write_words};
use super::{Profile, Settings};
use crate::kernel::Word;
use crate::memory::{Grow, GrowVec};
use crate::number::{IntKind, write_varint};

/// Numbers of rows. As 64-bit numbers, the lengths of 200,000 names and addresses were a quarter of all memory
/// accessed, and took 11 % of the time.
#[derive(Clone, Debug, Default)]
pub struct NumberBuffer {
    /// All numbers, if each fits a byte; otherwise empty.
    short: Vec<u8>,
    /// All numbers, if one does not fit a byte; otherwise empty.
    long: Vec<u64>,
}

impl NumberBuffer {
    #[inline]
    pub fn push(&mut self, number: u64) {
        match u8::try_from(number) {
            Ok(short) if self.long.is_empty() => self.short.put(short),
            _ => self.push_long(number),
        }
    }

    #[inline(never)]
    fn push_long(&mut self, number: u64) {
        self.widen();
        self.long.put(number);
    }

    /// Moves all numbers to the wider buffer.
    fn widen(&mut self) {
        self.long.put_each(self.short.drain(..).map(u64::from));
    }

    #[inline]
    pub fn extend(&mut self, numbers: impl Iterator<Item = u64> + Clone) {
        if self.long.is_empty() {
            let (before, mut all) = (self.short.len(), 0);
            self.short.put_each(numbers.clone().map(|number| {
                all |= number;
                number as u8
            }));
            if u8::try_from(all).is_ok() {
                return;
            }
            self.short.truncate(before);
            self.widen();
        }
        self.long.put_each(numbers);
    }

    pub fn reserve(&mut self, rows: usize) {
        self.short.room(rows);
    }

    pub fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    pub fn truncate(&mut self, len: usize) {
        self.short.truncate(len);
        self.long.truncate(len);
    }

    pub fn clear(&mut self) {
        self.truncate(0);
    }

    pub fn iter(&self) -> impl Iterator<Item = u64> + Clone {
        self.short.iter().map(|&short| u64::from(short)).chain(self.long.iter().copied())
    }

    /// All numbers, those stored as bytes first: only one of the slices has any.
    pub fn as_slices(&self) -> (&[u8], &[u64]) {
        (&self.short, &self.long)
    }

    /// The sum of all numbers, at most the greatest number.
    pub fn sum(&self) -> u64 {
        // The sum of 256 bytes fits 16 bits, and compilers vectorise it.
        let of = |some: &[u8]| some.iter().fold(0, |sum, &short| sum + u16::from(short));
        let short: u64 = self.short.chunks(256).map(|some| u64::from(of(some))).sum();
        self.long.iter().fold(short, |sum, number| sum.saturating_add(*number))
    }

    /// Appends a column of the numbers.
    pub fn write(&self, out: &mut Vec<u8>, settings: Settings) {
        match &self.long[..] {
            [] if settings.profile == Profile::Fast && settings.aligned_from.is_none() => {
                write_words(out, IntKind::U64, &self.short, settings);
            }
            // Other columns are encoded from 64-bit rows.
            [] => write_u64(out, &u8::wide(&self.short, false), settings),
            long => write_u64(out, long, settings),
        }
    }

    /// The frame of 4 or more numbers.
    pub(super) fn frame(&self) -> FrameChoice {
        match &self.long[..] {
            [] => FrameChoice::of(&self.short, false),
            long => FrameChoice::of(long, false),
        }
    }

    /// Like [`prepare_words`].
    pub fn prepare(&self) -> (usize, Option<FrameChoice>) {
        match &self.long[..] {
            [] => prepare_words(IntKind::U64, &self.short),
            long => prepare_words(IntKind::U64, long),
        }
    }

    /// Appends the column with its frame.
    pub fn write_framed(&self, out: &mut Vec<u8>, frame: &FrameChoice) {
        match &self.long[..] {
            [] => frame.write(out, &self.short),
            long => frame.write(out, long),
        }
    }

    /// Appends fewer than 4 numbers.
    pub(super) fn write_few(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|number| write_varint(out, number));
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::NumberBuffer;
    use crate::column::ints::write_u64;
    use crate::column::{Profile, Settings};

    #[test]
    fn numbers_are_the_same_whichever_of_them_are_long() {
        let lists: [&[u64]; 5] =
            [&[], &[0, 255, 3], &[256], &[1, 2, 3, 256, 4], &[70_000, 1, u64::MAX]];
        let mut numbers = NumberBuffer::default();
        for first in lists {
            for second in lists {
                numbers.clear();
                numbers.extend(first.iter().copied());
                second.iter().for_each(|number| numbers.push(*number));
                numbers.extend(first.iter().copied());
                let expected = [first, second, first].concat();
                assert_eq!(numbers.iter().collect::<Vec<_>>(), expected);
                assert_eq!(numbers.len(), expected.len());
                let sum = expected.iter().fold(0, |sum: u64, number| sum.saturating_add(*number));
                assert_eq!(numbers.sum(), sum);
                for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
                    let settings = Settings::of(profile);
                    let (mut own, mut wide) = (Vec::new(), Vec::new());
                    numbers.write(&mut own, settings);
                    write_u64(&mut wide, &expected, settings);
                    assert_eq!(own, wide);
                }
                numbers.truncate(first.len());
                assert_eq!(numbers.iter().collect::<Vec<_>>(), first);
            }
        }
    }
}
