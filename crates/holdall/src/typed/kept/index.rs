//! Finds the row inside an option without those before it: counts of bits, kept at intervals, with one more for the end.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::column::bits::Bits;
use crate::memory::{self, GrowVec};

/// A count is kept for this many bits: a look-up counts those of 32 bytes on average.
const BITS: usize = 512;

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
pub(super) struct RowPresence<'m> {
    pub(super) flags: Flags<'m>,
    counts: Vec<usize>,
}

impl<'m> RowPresence<'m> {
    pub(super) fn of(flags: Flags<'m>) -> RowPresence<'m> {
        let mut end = 0;
        let mut counts = match &flags {
            Flags::Same(_) => Vec::new(),
            Flags::Each { bytes, .. } => memory::collected(bytes.chunks(BITS / 8).map(|some| {
                let start = end;
                end += ones(some);
                start
            })),
        };
        counts.put(end);
        RowPresence { flags, counts }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_before_each_row_are_those_of_the_rows() {
        for rows in [0_usize, 1, 7, 8, 15, 16, 17, 63, 64, 65, 128, 511, 512, 513, 1024, 1500] {
            let numbers: Vec<usize> = (0..rows).map(|row| row * row % 7 % 3).collect();
            let mut bytes = vec![0; rows.div_ceil(8)];
            numbers
                .iter()
                .enumerate()
                .for_each(|(row, bit)| bytes[row / 8] |= u8::from(*bit == 1) << (row % 8));
            let presence = RowPresence::of(Flags::Each { bytes: bytes.into(), rows });
            for row in 0..=rows {
                let count = numbers[..row].iter().filter(|number| **number == 1).count();
                assert_eq!(presence.before(row), count, "{row} of {rows}");
            }
            for bit in [false, true] {
                let same = RowPresence::of(Flags::Same(Bits::same(bit, rows)));
                assert_eq!(same.before(rows), if bit { rows } else { 0 });
            }
        }
    }
}
