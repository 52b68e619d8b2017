//! Measurements: 64-bit floats of which no two are the same.

use holdall_bench_measure::random::Random;

use super::Lend;

impl Lend for Vec<f64> {
    type Lent<'a> = &'a [f64];
}

/// A walk, as of a price or a temperature.
#[must_use]
pub fn make(count: usize, seed: u64) -> Vec<f64> {
    let random = &mut Random(seed);
    let mut at = 100.0;
    let step = |_| {
        at += random.unit() - 0.5;
        at
    };
    (0..count).map(step).collect()
}
