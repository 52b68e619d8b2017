//! Digits of decimal numbers: whole numbers that, divided by a power of ten, are just the rows.

use super::Machine;

/// Numbers of half this size, added to this one, end at the bit of 1: they are rounded as it is added, ties to even.
const ROUND: f64 = 6_755_399_441_055_744.0;
const HALF: u64 = 1 << 51;

/// Puts the digits of each row into its place; gives whether all rows have some of less than 2^51 in size. If not, the places have
/// any values.
///
/// Each row costs a product, two sums and a quotient, which compilers vectorize; a conversion to integers they do not: that took 4
/// times as long, and 7 times as long as the version for AVX2.
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
        // As many as 2^51 or more change the sum's exponent or sign. Whole numbers have no -0.
        let too_large = digits.wrapping_add(HALF) & !(2 * HALF - 1);
        wrong |= too_large | ((sum - ROUND) / power).to_bits() ^ row.to_bits();
        *place = digits;
    }
    wrong == 0
}
