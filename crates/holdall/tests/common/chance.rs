//! Random numbers, the same in every run.

/// Marsaglia's xorshift64*.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        assert_ne!(seed, 0, "zero stays zero");
        Chance(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Whether laws are tested with everything they have, as in `make test-all`: HOLDALL_ROUNDS is `all`.
pub fn are_all_rounds() -> bool {
    match std::env::var("HOLDALL_ROUNDS").as_deref() {
        Ok("all") => true,
        Ok(other) => panic!("HOLDALL_ROUNDS is {other:?}, not all"),
        Err(_) => false,
    }
}

/// How many random values a law is tested with: a tenth of this number, or all.
pub fn rounds(all: usize) -> usize {
    if are_all_rounds() { all } else { all / 10 }
}

/// Of like cases in a row, a law is tested with every n-th, or with all.
pub fn step(sample: usize) -> usize {
    if are_all_rounds() { 1 } else { sample }
}
