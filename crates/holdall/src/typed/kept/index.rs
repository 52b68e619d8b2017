//! Finds the rows inside a row without those before it: counts, kept at intervals.
//!
//! Each list has one entry more than intervals begin, for the end.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::column::bits::Bits;
use crate::memory;

/// A count is kept for this many bits: a look-up counts those of 32 bytes on average.
const BITS: usize = 512;

/// The smallest interval of counts of variants.
const VARIANTS: usize = 64;

/// Bits apart from the input that they were read from.
pub(super) enum Flags<'m> {
    Same(Bits<'static>),
    Each { bytes: Cow<'m, [u8]>, rows: usize },
}

impl Flags<'_> {
    pub(super) fn bits(&self) -> Bits<'_> {
        match self {
            Flags::Same(bits) => *bits,
            Flags::Each { bytes, rows } => Bits::of_raw(bytes, *rows),
        }
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> bool {
        match self {
            Flags::Same(bits) => bits.decode_row(row),
            Flags::Each { bytes, .. } => bytes[row / 8] >> (row % 8) & 1 != 0,
        }
    }
}

/// Which rows are present.
pub(super) struct Presence<'m> {
    pub(super) flags: Flags<'m>,
    counts: Vec<usize>,
}

impl<'m> Presence<'m> {
    pub(super) fn of(flags: Flags<'m>) -> Presence<'m> {
        let mut end = 0;
        let mut counts = match &flags {
            Flags::Same(_) => Vec::new(),
            Flags::Each { bytes, .. } => memory::collected(bytes.chunks(BITS / 8).map(|some| {
                let start = end;
                end += ones(some);
                start
            })),
        };
        counts.push(end);
        Presence { flags, counts }
    }

    /// How many rows before this one are present. It can be that behind the last.
    #[inline]
    pub(super) fn before(&self, row: usize) -> usize {
        let bytes = match &self.flags {
            Flags::Same(bits) => return if bits.constant() == Some(true) { row } else { 0 },
            Flags::Each { bytes, .. } => bytes,
        };
        let kept = row / BITS;
        let last = bytes.get(row / 8).map_or(0, |last| last & ((1 << (row % 8)) - 1));
        self.counts[kept] + ones(&bytes[kept * BITS / 8..row / 8]) + last.count_ones() as usize
    }
}

/// The number of bits that are 1, in few bytes.
#[inline]
fn ones(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum::<u32>();
    (words + rest.iter().map(|byte| byte.count_ones()).sum::<u32>()) as usize
}

/// The variants of rows.
pub(super) struct Variants {
    pub(super) numbers: Vec<u64>,
    /// The number of variants.
    count: usize,
    /// The length of an interval: with many variants it is their number, so that there are no more counts than rows.
    step: usize,
    /// For each interval, the counts of all variants before it.
    counts: Vec<usize>,
}

impl Variants {
    /// Each number is below the number of variants.
    pub(super) fn of(numbers: Vec<u64>, count: usize) -> Variants {
        let step = count.max(VARIANTS);
        let (mut counts, mut before) = (Vec::new(), vec![0; count]);
        for some in numbers.chunks(step) {
            counts.extend_from_slice(&before);
            some.iter().for_each(|number| before[*number as usize] += 1);
        }
        counts.append(&mut before);
        Variants { numbers, count, step, counts }
    }

    /// How many rows before this one have a variant. It can be that behind the last.
    #[inline]
    pub(super) fn before(&self, row: usize, variant: usize) -> usize {
        let kept = row / self.step;
        let between = &self.numbers[kept * self.step..row];
        let count = between.iter().filter(|number| **number == variant as u64).count();
        self.counts[kept * self.count + variant] + count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_before_each_row_are_those_of_the_rows() {
        for rows in [0_usize, 1, 7, 8, 15, 16, 17, 63, 64, 65, 128, 511, 512, 513, 1024, 1500] {
            let numbers: Vec<u64> = (0..rows as u64).map(|row| row * row % 7 % 3).collect();
            let variants = Variants::of(numbers.clone(), 3);
            let mut bytes = vec![0; rows.div_ceil(8)];
            numbers
                .iter()
                .enumerate()
                .for_each(|(row, bit)| bytes[row / 8] |= u8::from(*bit == 1) << (row % 8));
            let presence = Presence::of(Flags::Each { bytes: bytes.into(), rows });
            for row in 0..=rows {
                let before = &numbers[..row];
                let count = |of: u64| before.iter().filter(|number| **number == of).count();
                assert_eq!(
                    [0, 1, 2].map(|of| variants.before(row, of)),
                    [0, 1, 2].map(|of| count(of as u64))
                );
                assert_eq!(presence.before(row), count(1), "{row} of {rows}");
            }
            for bit in [false, true] {
                let same = Presence::of(Flags::Same(Bits::same(bit, rows)));
                assert_eq!(same.before(rows), if bit { rows } else { 0 });
            }
        }
    }
}
