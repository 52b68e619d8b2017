//! A scale: what all differences of rows are multiples of (F-29, F-92).

use super::flip;
use crate::kernel::Word;

/// The greatest common divisor of the differences between rows, as numbers below 2^64: 0 if all are equal.
///
/// Most columns have none but 1, and a few rows show it.
pub(super) fn factor<W: Word>(values: &[W], signed: bool) -> u64 {
    let in_order = |value: &W| value.widen_as(signed) ^ flip(signed);
    // From whichever row the differences are taken, they have the same divisors.
    let Some(first) = values.first().map(in_order) else { return 0 };
    let mut divisor = Divisor::of(0);
    for value in values {
        let difference = in_order(value).abs_diff(first);
        if divisor.quotient(difference).is_none() {
            let common = gcd(divisor.number, difference);
            if common == 1 {
                return 1;
            }
            divisor = Divisor::of(common);
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

/// A number by which others are divided, if they are multiples: a product with the inverse modulo 2^64 takes a tenth of a
/// division.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divisor {
    number: u64,
    /// Of the number without its lowest zero bits,
    inverse: u64,
    /// which are so many.
    zeros: u32,
    /// The greatest quotient.
    most: u64,
}

impl Divisor {
    pub(super) fn of(number: u64) -> Divisor {
        let zeros = if number == 0 { 0 } else { number.trailing_zeros() };
        let odd = number >> zeros;
        // Right in the lowest 3 bits; each step doubles them.
        let mut inverse = odd;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        // Of 0 only 0 is a multiple.
        Divisor { number, inverse, zeros, most: u64::MAX.checked_div(number).unwrap_or(0) }
    }

    /// The quotient, if there is no remainder.
    #[inline(always)]
    pub(super) fn quotient(self, multiple: u64) -> Option<u64> {
        // Bits that a shift by the zeros would lose are the highest of the quotient now, which is too great by them.
        let quotient = multiple.wrapping_mul(self.inverse).rotate_right(self.zeros);
        (quotient <= self.most && (self.number != 0 || multiple == 0)).then_some(quotient)
    }

    /// The quotients of the differences from a base, all of which are multiples.
    pub(super) fn quotients(self, values: &[u64], base: u64) -> Vec<u64> {
        let quotient = |value: &u64| {
            value.wrapping_sub(base).wrapping_mul(self.inverse).rotate_right(self.zeros)
        };
        values.iter().map(quotient).collect()
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
                let expected = (multiple % divisor.number == 0).then(|| multiple / divisor.number);
                prop_assert_eq!(divisor.quotient(multiple), expected);
            }
        }

        #[test]
        fn the_factor_is_that_of_the_differences_from_the_least(
            rows in prop::collection::vec(-1000_i64..1000, 0..9),
            scale in prop::sample::select(vec![1_i64, 2, 3, 64, 1000, 1 << 50]),
            base in any::<i64>(),
        ) {
            let values: Vec<i64> = rows.iter().map(|row| base.saturating_add(row * scale)).collect();
            let least = values.iter().min().copied().unwrap_or(0);
            let expected = values.iter().fold(0, |all, value| gcd(all, value.abs_diff(least)));
            let values: Vec<u64> = values.iter().map(|value| value.cast_unsigned()).collect();
            prop_assert_eq!(factor(&values, true), expected);
        }
    }

    #[test]
    fn differences_are_below_two_to_the_64() {
        let rows = [i64::MIN, i64::MAX, 0].map(i64::cast_unsigned);
        assert_eq!(factor(&rows, true), 1);
        assert_eq!(factor(&[0, u64::MAX, 5 * 17], false), 85);
        assert_eq!(factor(&[7_u8, 7, 7], false), 0);
        assert_eq!(factor(&[0xF0_u8, 0x10], true), 32);
    }
}
