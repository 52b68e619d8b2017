//! Digits of decimal numbers: whole numbers that, divided by a power of ten, are exactly the rows.

use super::Machine;

/// Adding this number rounds numbers of up to half its size to whole numbers, ties to even: their sum's lowest bit
/// counts 1.
const ROUND: f64 = 6_755_399_441_055_744.0;
const HALF: u64 = 1 << 51;

/// Writes the digits of each row to its slot. Returns whether all rows have digits below 2^51 in size; otherwise the
/// slots hold any values.
///
/// Each row costs a product, two sums and a quotient, which compilers vectorize. They do not vectorize a conversion to
/// integers, which took 4 times as long, and 7 times as long as the version for AVX2.
#[inline]
#[must_use]
pub fn digits(places: &mut [u64], rows: &[f64], power: f64) -> bool {
    digits_on(Machine::here(), places, rows, power)
}

/// [`digits`] in the version for a machine.
#[inline]
#[must_use]
pub fn digits_on(machine: Machine, places: &mut [u64], rows: &[f64], power: f64) -> bool {
    match machine {
        Machine::Plain => digits_plain(places, rows, power),
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(avx2) => avx2.digits(places, rows, power),
    }
}

#[inline(always)]
pub(super) fn digits_plain(places: &mut [u64], rows: &[f64], power: f64) -> bool {
    let mut wrong = 0;
    for (place, row) in places.iter_mut().zip(rows) {
        let sum = row * power + ROUND;
        let digits = sum.to_bits().wrapping_sub(ROUND.to_bits());
        // Digits of 2^51 or more change the sum's exponent or sign. Whole numbers have no -0.
        let too_large = digits.wrapping_add(HALF) & !(2 * HALF - 1);
        wrong |= too_large | ((sum - ROUND) / power).to_bits() ^ row.to_bits();
        *place = digits;
    }
    wrong == 0
}
