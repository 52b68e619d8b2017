//! A scale: a factor of all differences between rows (F-29, F-92).

use alloc::vec::Vec;

use crate::kernel::Word;
use crate::memory;

/// The number of rows that are divided without testing each result.
const BLOCK: usize = 64;

/// The greatest common divisor of the differences between the least row and each row, as numbers below 2^64; 0 if all
/// rows are equal.
///
/// Most columns have only the divisor 1, and a few rows show it. In other columns, most blocks keep the divisor of the
/// blocks before.
pub(super) fn factor<W: Word>(values: &[W], low: u64, signed: bool) -> u64 {
    let mut divisor = Divisor::of(0);
    for rows in values.chunks(BLOCK) {
        let differences = rows.iter().map(|row| row.widen_as(signed).wrapping_sub(low));
        if differences.clone().fold(true, |all, each| all & divisor.divides(each)) {
            continue;
        }
        for difference in differences {
            if !divisor.divides(difference) {
                let common = gcd(divisor.number, difference);
                if common == 1 {
                    return 1;
                }
                divisor = Divisor::of(common);
            }
        }
    }
    divisor.number
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A divisor of numbers that are multiples of it. Multiplying by the inverse modulo 2^64 takes a tenth of the time of a
/// division.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divisor {
    number: u64,
    /// The inverse of the number without its lowest zero bits.
    inverse: u64,
    /// The number of these zero bits.
    zeros: u32,
    /// The greatest possible quotient.
    most: u64,
}

impl Divisor {
    pub(super) fn of(number: u64) -> Divisor {
        let zeros = if number == 0 { 0 } else { number.trailing_zeros() };
        let odd = number >> zeros;
        // The lowest 3 bits are correct; each step doubles the number of correct bits.
        let mut inverse = odd;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        Divisor { number, inverse, zeros, most: u64::MAX.checked_div(number).unwrap_or(0) }
    }

    /// Whether a number is a multiple.
    #[inline(always)]
    fn divides(self, multiple: u64) -> bool {
        // If bits other than 0 are rotated out at the bottom, they become the highest bits of the quotient, and make it
        // too large. The only multiple of 0 is 0.
        (self.quotient(multiple) <= self.most) & ((self.number != 0) | (multiple == 0))
    }

    /// The quotient of a multiple.
    #[inline(always)]
    pub(super) fn quotient(self, multiple: u64) -> u64 {
        multiple.wrapping_mul(self.inverse).rotate_right(self.zeros)
    }

    /// The quotients of the differences from a base; all differences are multiples.
    pub(super) fn quotients(self, values: &[u64], base: u64) -> Vec<u64> {
        memory::collected(values.iter().map(|value| self.quotient(value.wrapping_sub(base))))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_quotient_is_that_of_a_division(number in any::<u64>(), shift in 0..64_u32, by in 1_u64..) {
            let divisor = Divisor::of((by >> shift).max(1));
            for multiple in [number, number / divisor.number * divisor.number] {
                let divides = multiple % divisor.number == 0;
                prop_assert_eq!(divisor.divides(multiple), divides);
                prop_assert!(!divides || divisor.quotient(multiple) == multiple / divisor.number);
            }
        }

        #[test]
        fn the_factor_is_that_of_the_differences_from_the_least(
            rows in prop::collection::vec(-1000_i64..1000, 0..200),
            scale in prop::sample::select(vec![1_i64, 2, 3, 64, 1000, 1 << 50]),
            base in any::<i64>(),
        ) {
            let values: Vec<i64> = rows.iter().map(|row| base.saturating_add(row * scale)).collect();
            let least = values.iter().min().copied().unwrap_or(0);
            let expected = values.iter().fold(0, |all, value| gcd(all, value.abs_diff(least)));
            let values: Vec<u64> = values.iter().map(|value| value.cast_unsigned()).collect();
            prop_assert_eq!(factor(&values, least.cast_unsigned(), true), expected);
        }
    }

    #[test]
    fn differences_are_below_two_to_the_64() {
        let rows = [i64::MIN, i64::MAX, 0].map(i64::cast_unsigned);
        assert_eq!(factor(&rows, rows[0], true), 1);
        assert_eq!(factor(&[0, u64::MAX, 5 * 17], 0, false), 85);
        assert_eq!(factor(&[7_u8, 7, 7], 7, false), 0);
        assert_eq!(factor(&[0xF0_u8, 0x10], -16_i64 as u64, true), 32);
    }
}
