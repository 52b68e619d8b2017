//! Sums of lengths.

use alloc::vec::Vec;

use crate::memory::{self, GrowVec};

/// How many lengths are summed in 64 bits at a time.
const CHUNK: usize = 1 << 10;
/// The sum of this many numbers below the bound cannot overflow 64 bits.
const TAME: u64 = 1 << 54;

/// The exact sum.
#[must_use]
pub fn sum(lengths: &[u64]) -> u128 {
    let chunks = lengths.chunks(CHUNK).map(|chunk| {
        let (all, sum) = chunk
            .iter()
            .fold((0, 0u64), |(all, sum), &length| (all | length, sum.wrapping_add(length)));
        if all < TAME { u128::from(sum) } else { chunk.iter().map(|&n| u128::from(n)).sum() }
    });
    chunks.sum()
}

/// Computes the offset of each item from the lengths, and last the end of the last item.
///
/// The sum must fit `usize`.
#[must_use]
pub fn bounds(lengths: &[u64]) -> Vec<usize> {
    let mut end = 0;
    let mut bounds = memory::with_capacity(lengths.len() + 1);
    bounds.put(end);
    bounds.put_each(lengths.iter().map(|&length| {
        end += length as usize;
        end
    }));
    bounds
}
