//! Many short strings, few of them equal.

use holdall_bench_measure::random::Random;

#[must_use]
pub fn make(count: usize, seed: u64) -> Vec<String> {
    let random = &mut Random(seed);
    let letter = |random: &mut Random| char::from(b'a' + random.skewed(26) as u8);
    (0..count).map(|_| (0..random.skewed(14)).map(|_| letter(random)).collect()).collect()
}
