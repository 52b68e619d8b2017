//! Repeated strings: a few of several thousand are most of them.

use holdall_bench_measure::random::Random;

use super::{Lend, text};

impl Lend for Vec<String> {
    type Lent<'a> = Vec<&'a str>;
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Vec<String> {
    let random = &mut Random(seed);
    let distinct: Vec<String> = (0..2000)
        .map(|_| match random.below(3) {
            0 => text::full_name(random),
            1 => text::slug(random, 100),
            _ => text::word(random),
        })
        .collect();
    (0..count).map(|_| distinct[random.skewed(2000) as usize].clone()).collect()
}
