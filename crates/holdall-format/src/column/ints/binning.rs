//! Chooses the bins that rows are written in (profile small).
//!
//! The idea is from pcodec (Loncaric, Jeppesen and Zinberg, "Pcodec: Better Compression for Numerical Sequences",
//! 2025):
//!
//! ```text
//! cut the rows into buckets: each number one, or some hundred of about as many rows
//! best[j] = the least of best[i] + cost(a bin of the buckets i to j), over the last 32 to 39 i < j
//! cost(bin of c among n rows) = c * (log2(n / c) + bits of an offset) + what the bin takes in the tables
//! ```

use alloc::vec::Vec;

use super::bins::Bins;
use super::buckets::{Bucket, FEWER_BUCKETS, buckets};
use super::flip;
use crate::kernel::rans::{Bin, MOST_BITS};
use crate::memory::{self, Collect, GrowVec};

/// The most distinct numbers that can each have a bin, and about the most buckets.
pub const BUCKETS: usize = 512;
/// Bins, and the number of rows in each.
#[derive(Clone, Debug)]
pub(super) struct Binning {
    pub(super) bins: Bins,
    pub(super) counts: Vec<u64>,
}

/// The bits that the rows take in the best bins. The cost of the tables is spread over `all` rows.
pub(super) fn estimate(values: &[u64], signed: bool, all: usize) -> f32 {
    let share = values.len() as f32 / all.max(1) as f32;
    best(&buckets(values, signed, FEWER_BUCKETS), values.len(), share).0
}

/// The best bins for rows.
pub(super) fn choose(values: &[u64], signed: bool) -> Binning {
    let buckets = buckets(values, signed, BUCKETS);
    let (_, ends) = best(&buckets, values.len(), 1.0);
    let mut start = 0;
    let mut bins = memory::with_capacity(ends.len());
    let mut counts = memory::with_capacity(ends.len());
    for end in ends {
        let (first, last) = (buckets[start], buckets[end - 1]);
        let width = 64 - (last.high - first.low).leading_zeros();
        bins.put(Bin { lower: first.low ^ flip(signed), width: width as u8 });
        counts.put(buckets[start..end].iter().map(|bucket| bucket.rows).sum());
        start = end;
    }
    let (weights, bits) = weights(&counts, values.len() as u64);
    Binning { bins: Bins { bins, weights, bits }, counts }
}

/// The bits that the best bins take, and the end of each bin as a bucket index. `tables` scales the cost of a bin in
/// the tables.
fn best(buckets: &[Bucket], rows: usize, tables: f32) -> (f32, Vec<usize>) {
    let (Some(first), Some(last)) = (buckets.first(), buckets.last()) else {
        return (0.0, Vec::new());
    };
    // A least number, a width and a weight.
    let spread = 64 - (last.high - first.low).leading_zeros();
    let table = tables * (spread as f32 + 5.0 + weight_bits(rows as u64) as f32);
    // The number of rows before each bucket.
    let sums = buckets.iter().scan(0, |sum, bucket| {
        *sum += bucket.rows;
        Some(*sum as f32)
    });
    let mut before: Vec<f32> = memory::collected(core::iter::once(0.0).chain(sums));
    let all = log2(rows as f32);
    // Whole chunks of starts, of which those behind the end never cost least.
    let starts_in_chunks = (buckets.len() + 1).next_multiple_of(LANES);
    before.put_fill(starts_in_chunks, 0.0);
    let mut costs = memory::filled(f32::INFINITY, starts_in_chunks);
    let mut of_row = memory::zeros::<f32>(starts_in_chunks);
    let mut starts = memory::filled(0, buckets.len() + 1);
    costs[0] = 0.0;
    for end in 1..=buckets.len() {
        let high = buckets[end - 1].high;
        let from = end.saturating_sub(WINDOW) / LANES * LANES;
        for (of_row, bucket) in of_row[from..end].iter_mut().zip(&buckets[from..end]) {
            *of_row = all + (64 - (high - bucket.low).leading_zeros()) as f32;
        }
        let to = end.next_multiple_of(LANES);
        let (least, start) =
            cheapest(&costs[from..to], &before[from..to], &of_row[from..to], before[end]);
        (costs[end], starts[end]) = (least + table, from + start);
    }
    let mut ends = Vec::new();
    let mut end = buckets.len();
    while end > 0 {
        ends.put(end);
        end = starts[end];
    }
    ends.reverse();
    (costs[buckets.len()], ends)
}

/// About the most buckets of a bin. More save less than 0.1 % of the bytes, and take time in proportion.
const WINDOW: usize = 32;
/// The number of starts that are examined at once.
const LANES: usize = 8;

/// The start at which a bin costs least, with all before it, and that cost without its tables. The bin ends before row `end`, and
/// each of c rows in it takes `of_row - log2(c)` bits.
fn cheapest(costs: &[f32], before: &[f32], of_row: &[f32], end: f32) -> (f32, usize) {
    let mut least = [f32::INFINITY; LANES];
    let mut chunks = [0_u32; LANES];
    let (before, of_row) = (before.as_chunks::<LANES>().0, of_row.as_chunks::<LANES>().0);
    let each = costs.as_chunks::<LANES>().0.iter().zip(before).zip(of_row);
    for (chunk, ((costs, before), of_row)) in each.enumerate() {
        for lane in 0..LANES {
            let count = end - before[lane];
            let cost = costs[lane] + count * (of_row[lane] - log2(count));
            // Without a branch, so that compilers vectorize it.
            let is_less = cost < least[lane];
            least[lane] = if is_less { cost } else { least[lane] };
            chunks[lane] = if is_less { chunk as u32 } else { chunks[lane] };
        }
    }
    let lanes = (0..LANES).map(|lane| (least[lane], chunks[lane] as usize * LANES + lane));
    lanes.fold((f32::INFINITY, 0), |best, one| if one.0 < best.0 { one } else { best })
}

/// The base-2 logarithm of a number from 1 on, exact to 0.0001.
#[inline(always)]
fn log2(number: f32) -> f32 {
    let bits = number.to_bits();
    let exponent = (bits >> 23) as f32 - 127.0;
    let x = f32::from_bits(bits & 0x7F_FFFF | 0x3F80_0000) - 1.0;
    // Fitted by least squares; exact at both ends.
    let curve = 0.441_740_3 + x * (-0.266_029_9 + x * (0.146_314_3 - x * 0.044_004_7));
    exponent + x + x * (1.0 - x) * curve
}

/// The number of bits of the sum of weights.
fn weight_bits(rows: u64) -> u32 {
    (64 - rows.saturating_sub(1).leading_zeros()).min(MOST_BITS)
}

/// Weights proportional to the counts, each at least 1, and the number of bits of their sum.
fn weights(counts: &[u64], rows: u64) -> (Vec<u64>, u32) {
    // There are at most as many counts as rows, and at most 2^12.
    let bits = weight_bits(rows);
    let total = 1_u64 << bits;
    let exact = |count: u64| u128::from(count) << bits;
    let mut weights: Vec<u64> =
        counts.iter().map(|&count| ((exact(count) / u128::from(rows)) as u64).max(1)).collected();
    let sum: u64 = weights.iter().sum();
    let mut order: Vec<usize> = (0..counts.len()).collected();
    if sum < total {
        // Adds to the weights that rounding reduced most.
        order
            .sort_unstable_by_key(|&bin| core::cmp::Reverse(exact(counts[bin]) % u128::from(rows)));
        order.iter().take((total - sum) as usize).for_each(|&bin| weights[bin] += 1);
    } else {
        // Takes from the largest weights, which lose least by it.
        let mut heap: alloc::collections::BinaryHeap<(u64, usize)> =
            weights.iter().copied().zip(0..).collect();
        for _ in total..sum {
            let Some((weight, bin)) = heap.pop() else { break };
            weights[bin] = weight - 1;
            heap.push((weight - 1, bin));
        }
    }
    (weights, bits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn weights_add_up(counts in prop::collection::vec(1_u64..5000, 1..4096)) {
            let (weights, bits) = weights(&counts, counts.iter().sum());
            prop_assert_eq!(weights.iter().sum::<u64>(), 1 << bits);
            prop_assert!(weights.iter().all(|weight| *weight > 0));
        }

        #[test]
        fn each_row_is_in_a_bin(
            rows in prop::collection::vec((any::<u64>(), 0_u32..64), 1..3000),
            signed in any::<bool>(),
        ) {
            let rows: Vec<u64> = rows.into_iter().map(|(row, bits)| row >> bits).collect();
            let Binning { bins, counts } = choose(&rows, signed);
            prop_assert_eq!(counts.iter().sum::<u64>(), rows.len() as u64);
            for row in rows {
                let holds = |bin: &Bin| {
                    let offset = row.wrapping_sub(bin.lower);
                    offset.checked_shr(u32::from(bin.width)).unwrap_or(0) == 0
                };
                prop_assert!(bins.bins.iter().any(holds));
            }
        }
    }

    #[test]
    fn the_logarithm_is_right() {
        for number in (1..20_000_u32).chain([1 << 20, u32::MAX]) {
            let error = (f64::from(log2(number as f32)) - f64::from(number).log2()).abs();
            assert!(error < 0.0001, "{number}: {error}");
        }
    }
}
