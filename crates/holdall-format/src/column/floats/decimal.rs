//! Decimal: digits and a common exponent, for columns of mostly decimal numbers (F-30, F-93). The idea is from ALP
//! (Afroozeh, Kuffo and Boncz, "ALP: Adaptive Lossless floating-Point Compression", 2023), but with a division, which
//! is rounded correctly.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::DECIMAL;
use crate::column::Profile;
use crate::column::ints::{self, Candidates, read_count, read_inner, read_positions};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::field;
use crate::kernel;
use crate::memory::{self, GrowVec};
use crate::number::write_varint;

/// 10 to the power of the index: all powers that are exact as f64.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Whole numbers up to this are exact in f64.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// The number of rows that the exponent is guessed from (F-93).
const SAMPLE: usize = 64;
/// The number of rows whose digits are computed in one pass, if each row has some.
const BLOCK: usize = 64;

/// The digits of rows at an exponent, and the rows without digits.
pub struct Decimal {
    exponent: u8,
    digits: Vec<u64>,
    positions: Vec<u64>,
    exceptions: Vec<f64>,
}

impl Decimal {
    /// Returns none unless 3/4 of a sample have digits at one exponent (F-93).
    pub(super) fn of(values: &[f64]) -> Option<Decimal> {
        let (exponent, filler) = exponent(values)?;
        let mut digits = memory::zeros(values.len());
        let (mut positions, mut exceptions) = (Vec::new(), Vec::new());
        let blocks = digits.chunks_mut(BLOCK).zip(values.chunks(BLOCK));
        for (block, (places, rows)) in blocks.enumerate() {
            if kernel::digits::digits(places, rows, POWERS[usize::from(exponent)]) {
                continue;
            }
            for (at, (place, &row)) in places.iter_mut().zip(rows).enumerate() {
                *place = digits_at(row, exponent).unwrap_or_else(|| {
                    positions.put((block * BLOCK + at) as u64);
                    exceptions.put(row);
                    filler
                });
            }
        }
        Some(Decimal { exponent, digits, positions, exceptions })
    }

    /// Appends it in profile balanced, if it is an eighth smaller than `raw` bytes (F-93).
    pub(super) fn write_below(&self, out: &mut Vec<u8>, raw: usize) -> bool {
        let column = ints::choose_balanced(&self.digits, true);
        let start = out.len();
        self.write_positions(out, Profile::Balanced);
        let rest = memory::copied(&out[start..]);
        out.truncate(start);
        if !ints::saves(2 + column.size() + rest.len() as u128, raw as u128) {
            return false;
        }
        out.put_slice(&[DECIMAL, self.exponent]);
        column.write_inner(out, &self.digits);
        out.put_slice(&rest);
        true
    }

    /// Appends the smallest column of profile small.
    pub(super) fn write_small(&self, out: &mut Vec<u8>) {
        let mut behind = Vec::new();
        self.write_positions(&mut behind, Profile::Small);
        Candidates::of(&self.digits, true).wrap_smallest(out, &[DECIMAL, self.exponent], &behind);
    }

    fn write_positions(&self, out: &mut Vec<u8>, profile: Profile) {
        write_varint(out, self.positions.len() as u64);
        if !self.positions.is_empty() {
            ints::write_inner(out, &self.positions, false, profile);
            self.exceptions.iter().for_each(|value| out.put_slice(&value.to_le_bytes()));
        }
    }
}

/// The smallest exponent at which the most rows of a sample have digits, and the digits of the first such row; none if
/// these rows are less than 3/4 of the sample (F-93).
fn exponent(values: &[f64]) -> Option<(u8, u64)> {
    let count = values.len().min(SAMPLE);
    let mut sample = [0.0; SAMPLE];
    for (at, place) in sample.iter_mut().enumerate().take(count) {
        *place = values[(at as u64 * values.len() as u64 / count as u64) as usize];
    }
    let sample = &sample[..count];
    if let Some(found) = of_all(sample) {
        return Some(found);
    }
    let mut best = None;
    // This many rows may lack digits; an exponent is abandoned as soon as more do.
    let mut without = count / 4;
    if sample.iter().filter(|value| has_none(**value)).nth(without).is_some() {
        return None;
    }
    for exponent in 0..POWERS.len() as u8 {
        let mut left = without;
        let all_fit = sample.iter().all(|value| {
            digits_at(*value, exponent).is_some() || {
                let fits = left > 0;
                left = left.saturating_sub(1);
                fits
            }
        });
        if all_fit {
            best = Some(exponent);
            // A later exponent must fit more rows.
            match (without - left).checked_sub(1) {
                Some(fewer) => without = fewer,
                None => break,
            }
        }
    }
    let exponent = best?;
    let first = sample.iter().find_map(|value| digits_at(*value, exponent))?;
    Some((exponent, first))
}

/// The same if all rows have digits at one exponent, as in most columns that are decimal: one pass tests all of them, which
/// takes a tenth of the time for each row and exponent.
fn of_all(sample: &[f64]) -> Option<(u8, u64)> {
    let mut digits = [0; SAMPLE];
    let digits = &mut digits[..sample.len()];
    let (mut exponent, mut row) = (0, *sample.first()?);
    if has_none(row) {
        return None;
    }
    loop {
        // At each lower exponent, this row or one before it has none.
        exponent = (exponent..POWERS.len() as u8).find(|at| digits_at(row, *at).is_some())?;
        if kernel::digits::digits(digits, sample, POWERS[usize::from(exponent)]) {
            return Some((exponent, digits[0]));
        }
        row = *sample.iter().find(|row| digits_at(**row, exponent).is_none())?;
    }
}

/// Whether a row has no digits at any exponent, by a test of three exponents. This rejects most columns that are not
/// decimal, in a fifth of the time.
///
/// Let E be an exponent with |row| * 10^E up to 2^50. A row with digits d at a lower exponent e has digits d * 10^(E-e)
/// at E: that number is exact, differs by less than 1/4 from the product, which was rounded twice, and has the same
/// quotient as d. Above E + 2 the digits would exceed 2^53.
fn has_none(value: f64) -> bool {
    let power_of_2 = (value.to_bits() >> 52 & 0x7FF) as i32 - 1023;
    // 1233 / 4096 is slightly less than the base-10 logarithm of 2.
    let exponent = ((49 - power_of_2) * 1233) >> 12;
    let last = POWERS.len() as i32 - 1;
    let mut some = exponent.clamp(0, last)..=(exponent + 2).min(last);
    some.all(|exponent| digits_at(value, exponent as u8).is_none())
}

#[cfg(feature = "std")]
#[inline]
fn round_ties_even(value: f64) -> f64 {
    value.round_ties_even()
}

/// From 2^52 on floats are whole, so the addition rounds as the processor does: to the nearest, of two to the even one.
#[cfg(not(feature = "std"))]
#[inline]
fn round_ties_even(value: f64) -> f64 {
    const WHOLE: f64 = (1_u64 << 52) as f64;
    // Beyond are no digits, and no number at all.
    if value.abs() < WHOLE { ((value.abs() + WHOLE) - WHOLE).copysign(value) } else { value }
}

/// The whole number that, divided by the power of ten, is exactly this float.
#[inline]
fn digits_at(value: f64, exponent: u8) -> Option<u64> {
    let power = POWERS[usize::from(exponent)];
    let scaled = round_ties_even(value * power);
    // By way of an integer, which has no -0.
    let whole = scaled as i64;
    let exact = scaled.abs() <= EXACT && (whole as f64 / power).to_bits() == value.to_bits();
    exact.then_some(whole.cast_unsigned())
}

pub(super) fn read(input: &mut Input<'_>, rows: usize) -> Result<Vec<u8>> {
    let at = input.position();
    let exponent = input.byte(field("an exponent", "F-30"))?;
    let Some(&power) = POWERS.get(usize::from(exponent)) else {
        return Err(Error::at(Code::BadDecimal, at)
            .expected("an exponent up to 22")
            .got(exponent.to_string()));
    };
    let digits = read_inner(input, "digits", rows, true)?;
    let mut floats: Vec<[u8; 8]> = memory::collected(
        digits.iter().map(|digits| (digits.cast_signed() as f64 / power).to_le_bytes()),
    );
    input.scratch().take_back(digits);
    let count =
        read_count(input, field("the number of exceptions", "F-30"), Code::BadPatches, 0, rows)?;
    if count > 0 {
        let positions = read_positions(input, count, rows)?;
        let exceptions = input.payload(8 * count as u128, field("floats", "F-30"))?.as_chunks().0;
        for (&position, exception) in positions.iter().zip(exceptions) {
            floats[position as usize] = *exception;
        }
    }
    Ok(floats.into_flattened())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// F-93 word by word.
    fn by_the_rule(values: &[f64]) -> Option<(u8, u64)> {
        let m = values.len().min(64);
        let sample: Vec<f64> = (0..m).map(|k| values[k * values.len() / m]).collect();
        let fitting = |e: u8| sample.iter().filter(|row| digits_at(**row, e).is_some()).count();
        let exponent = (0..=22).max_by_key(|e| (fitting(*e), 22 - e))?;
        let first = sample.iter().find_map(|row| digits_at(*row, exponent))?;
        (4 * fitting(exponent) >= 3 * m).then_some((exponent, first))
    }

    proptest! {
        #[test]
        fn the_exponent_is_that_of_the_rule(
            rows in prop::collection::vec((-9999_i32..9999, any::<u64>(), 0_u8..10), 1..200),
            exponent in 0_i32..6,
            noise in 0_u8..8,
            shift in 0_u32..50,
        ) {
            let row = |(digits, bits, kind): (i32, u64, u8)| match kind {
                kind if kind < noise && kind % 2 == 0 => f64::from_bits(bits),
                kind if kind < noise => (bits >> 11) as f64 / f64::from(1 << 30) / f64::from(1 << 23),
                8 => f64::from(digits),
                9 => (bits >> 11 >> shift) as f64 / 10_f64.powi(exponent),
                _ => f64::from(digits) / 10_f64.powi(exponent),
            };
            let values: Vec<f64> = rows.into_iter().map(row).collect();
            prop_assert_eq!(exponent_of(&values), by_the_rule(&values));
        }
    }

    fn exponent_of(values: &[f64]) -> Option<(u8, u64)> {
        exponent(values)
    }

    #[test]
    fn three_exponents_show_whether_a_row_has_digits() {
        let mut state = 1_u64;
        for round in 0..400_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let noise = state >> 11;
            let value = match round % 4 {
                0 => f64::from_bits(state),
                1 => noise as f64 / 9_007_199_254_740_992.0,
                2 => (noise >> (state % 50)) as f64 / POWERS[(state >> 5) as usize % 23],
                _ => noise as f64 / POWERS[(state >> 5) as usize % 23] * 3.0,
            };
            let at_none = (0..23).all(|exponent| digits_at(value, exponent).is_none());
            assert_eq!(has_none(value), at_none, "{value:e}");
        }
    }

    #[test]
    fn a_float_that_is_no_quotient_has_no_digits() {
        for value in [-0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 1e300, 0.1 + 0.2] {
            assert_eq!(digits_at(value, 2), None, "{value}");
        }
        assert_eq!(digits_at(-1.25, 2), Some((-125_i64).cast_unsigned()));
        assert_eq!(digits_at(EXACT, 0), Some(1 << 53));
    }
}
