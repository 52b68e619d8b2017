//! Numbers for generated data, the same on every machine.

/// SplitMix64: small, fast, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// 64 bits, each value as likely as the others.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is small enough for the bias not to matter.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }

    /// Returns true once in `count` times on average.
    pub fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// Small numbers more often than large ones, as in data that people make.
    pub fn skewed(&mut self, bound: u64) -> u64 {
        let limit = self.below(bound) + 1;
        self.below(limit)
    }

    /// One of these, each as likely as the others.
    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len() as u64) as usize]
    }

    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_everywhere() {
        let mut random = Random(0);
        assert_eq!(random.bits(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.bits(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn small_numbers_come_more_often() {
        let mut random = Random(1);
        let small = (0..1000).filter(|_| random.skewed(100) < 50).count();
        assert!((750..950).contains(&small), "{small} of 1000");
    }
}
