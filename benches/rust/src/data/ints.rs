//! Small integers, as of counters and categories, in 64 bits.

use holdall_bench_measure::random::Random;

/// From -8 to 999, small ones more often.
#[must_use]
pub fn make(count: usize, seed: u64) -> Vec<i64> {
    let random = &mut Random(seed);
    (0..count).map(|_| random.skewed(1008) as i64 - 8).collect()
}
