//! Converts floats of one width to another (F-78, line 19), and integers to floats (line 18).
//!
//! All conversions go through f64, which holds every number of the other kinds.

use half::{bf16, f16};

use super::integers::Integer;
use crate::dynamic::Event;
use crate::schema::Scalar;

/// The kinds of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatKind {
    F16,
    Bf16,
    F32,
    F64,
}

/// The number of bits in an f64's fraction.
const FRACTION: u32 = 52;
const FRACTION_MASK: u64 = (1 << FRACTION) - 1;
const EXPONENT_MASK: u64 = 0x7FF;
/// The highest bit of a fraction: it makes a NaN quiet.
const QUIET: u64 = 1 << (FRACTION - 1);

impl FloatKind {
    pub(super) fn of(scalar: Scalar) -> Option<FloatKind> {
        Some(match scalar {
            Scalar::F16 => FloatKind::F16,
            Scalar::Bf16 => FloatKind::Bf16,
            Scalar::F32 => FloatKind::F32,
            Scalar::F64 => FloatKind::F64,
            _ => return None,
        })
    }

    /// The number of bits in the fraction and in the exponent.
    fn layout(self) -> (u32, u32) {
        match self {
            FloatKind::F16 => (10, 5),
            FloatKind::Bf16 => (7, 8),
            FloatKind::F32 => (23, 8),
            FloatKind::F64 => (52, 11),
        }
    }

    /// The number of bytes of a float.
    pub(super) fn width(self) -> usize {
        match self {
            FloatKind::F16 | FloatKind::Bf16 => 2,
            FloatKind::F32 => 4,
            FloatKind::F64 => 8,
        }
    }

    /// Whether this kind has every number of another kind.
    pub(super) fn holds_all(self, other: FloatKind) -> bool {
        let ((own, range), (fraction, exponent)) = (self.layout(), other.layout());
        own >= fraction && range >= exponent
    }

    /// Whether this kind has every integer of this many bits, not counting the sign.
    pub(super) fn holds_integers(self, bits: u32) -> bool {
        // It also has -2^bits, which is finite: for f16, `bits` is at most 11.
        bits <= self.layout().0 + 1
    }
}

/// Widens a float to the same number as an f64; the fraction of a NaN is shifted up.
pub(super) fn widen(kind: FloatKind, bits: u64) -> u64 {
    let (fraction_bits, exponent_bits) = kind.layout();
    let fraction = bits & ((1 << fraction_bits) - 1);
    let exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    let sign = bits >> (fraction_bits + exponent_bits) << 63;
    let bias = (1_u64 << (exponent_bits - 1)) - 1;
    let fraction_up = fraction << (FRACTION - fraction_bits);
    if exponent == (1 << exponent_bits) - 1 {
        return sign | EXPONENT_MASK << FRACTION | fraction_up;
    }
    if kind == FloatKind::F64 || (exponent == 0 && fraction == 0) {
        return sign | exponent << FRACTION | fraction_up;
    }
    if exponent == 0 {
        // A subnormal number: its highest bit becomes the implicit one.
        let shift = fraction.leading_zeros() - (63 - fraction_bits);
        let exponent = 1023 - bias + 1 - u64::from(shift);
        return sign | exponent << FRACTION | (fraction_up << shift & FRACTION_MASK);
    }
    sign | (exponent + 1023 - bias) << FRACTION | fraction_up
}

/// Rounds an f64 to a kind: to nearest, ties to even. A NaN keeps its sign and the highest bits of its fraction, and
/// becomes quiet if that loses bits.
pub(super) fn round(kind: FloatKind, wide: u64) -> u64 {
    if kind == FloatKind::F64 {
        return wide;
    }
    let (fraction_bits, exponent_bits) = kind.layout();
    let dropped = FRACTION - fraction_bits;
    let sign = wide >> 63 << (fraction_bits + exponent_bits);
    let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    let (exponent, fraction) = (wide >> FRACTION & EXPONENT_MASK, wide & FRACTION_MASK);
    if exponent == EXPONENT_MASK {
        let lost = fraction & ((1 << dropped) - 1) != 0;
        let quiet = if lost { QUIET } else { 0 };
        return sign | infinity | (fraction | quiet) >> dropped;
    }
    let bias = (1_i64 << (exponent_bits - 1)) - 1;
    let own = exponent.cast_signed() - 1023 + bias;
    // The number in units of the last place, as digits and the number of digits to drop. A subnormal f64 is less than
    // half the least number of any other kind.
    let (head, drop) = match own {
        1.. => (own.cast_unsigned() << fraction_bits, dropped),
        _ => (0, dropped.saturating_add(u32::try_from(1 - own).unwrap_or(u32::MAX))),
    };
    let digits = if own > 0 { fraction } else { fraction | 1 << FRACTION };
    if drop > FRACTION + 1 {
        return sign;
    }
    let (kept, rest) = (digits >> drop, digits & ((1 << drop) - 1));
    let half = 1 << (drop - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    // A carry from the fraction increments the exponent, as it should.
    sign | (head + kept + u64::from(up)).min(infinity)
}

/// Narrows an f64 to a float that is the same number; NaNs keep their bits.
pub(crate) fn narrow_exactly(kind: FloatKind, wide: u64) -> Option<u64> {
    let bits = round(kind, wide);
    (widen(kind, bits) == wide).then_some(bits)
}

/// Converts an integer to a float that is the same number.
pub(crate) fn of_integer(kind: FloatKind, integer: &Integer<'_>) -> Option<u64> {
    let (negative, digits, zeros) = integer.significant()?;
    // The digits have at most 53 bits, so both factors are exact, and so is their product if it is finite.
    let scale = f64::from_bits(u64::from(zeros + 1023) << FRACTION);
    let value = digits as f64 * scale;
    let value = if negative { -value } else { value };
    if value.is_finite() { narrow_exactly(kind, value.to_bits()) } else { None }
}

/// Rounds an f64 to a kind. None if it is beyond the range or too small for it.
pub(crate) fn nearest(kind: FloatKind, wide: u64) -> Option<u64> {
    let bits = round(kind, wide);
    let (value, wide) = (f64::from_bits(widen(kind, bits)), f64::from_bits(wide));
    let is_kept = value.is_finite() == wide.is_finite() && (value == 0.0) == (wide == 0.0);
    is_kept.then_some(bits)
}

/// Converts an integer to the nearest float, in a tie to the even one. None if it is beyond the range.
pub(crate) fn nearest_of_integer(kind: FloatKind, integer: &Integer<'_>) -> Option<u64> {
    let (negative, head, zeros) = integer.head();
    let head = match kind {
        FloatKind::F64 => head,
        _ if head >> 53 == 0 => head,
        // To 53 bits, the last of which is set if any bit below is. So what is rounded again is no tie unless the integer is.
        _ => (head >> 11 | u64::from(head & 0x7FF != 0)) << 11,
    };
    if zeros > 1023 {
        return None;
    }
    let value = head as f64 * f64::from_bits(u64::from(zeros + 1023) << FRACTION);
    let value = if negative { -value } else { value };
    if value.is_finite() { nearest(kind, value.to_bits()) } else { None }
}

/// Converts a number to the nearest float of a type. None for other types and values, and if it is beyond the range or too small for it.
pub fn nearest_float(scalar: Scalar, number: Event<'_>) -> Option<Event<'static>> {
    let kind = FloatKind::of(scalar)?;
    let bits = match number {
        Event::F64(value) => nearest(kind, value.to_bits()),
        Event::Int(value) => nearest_of_integer(kind, &Integer::Small(value.into())),
        Event::FixedInt(of, bits) => nearest_of_integer(kind, &Integer::of_bits(of, bits)),
        Event::BigInt(_, bytes) => nearest_of_integer(kind, &Integer::of_big(bytes)),
        _ => None,
    }?;
    Some(match kind {
        FloatKind::F16 => Event::F16(f16::from_bits(bits as u16)),
        FloatKind::Bf16 => Event::Bf16(bf16::from_bits(bits as u16)),
        FloatKind::F32 => Event::F32(f32::from_bits(bits as u32)),
        FloatKind::F64 => Event::F64(f64::from_bits(bits)),
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn the_nearest_float_of_an_integer_is_that_of_its_digits() {
        let mut word = 0x9E37_79B9_7F4A_7C15_u64;
        for step in 0..50_000_u32 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(u64::from(step) | 1);
            // Ties of both kinds, and their neighbours, which random digits never produce.
            let digits = (word >> 40 | 1 << 23) << (step % 60) | u64::from(step % 3);
            let integer = (i128::from(digits) << (step % 63)) - i128::from(step % 5);
            for integer in [integer, -integer, integer + (1 << (step % 100))] {
                let (text, integer) = (integer.to_string(), Integer::Small(integer));
                let wide = text.parse::<f64>().ok().map(f64::to_bits);
                assert_eq!(nearest_of_integer(FloatKind::F64, &integer), wide, "{text}");
                let narrow = text.parse::<f32>().ok().map(|near| near.to_bits().into());
                assert_eq!(nearest_of_integer(FloatKind::F32, &integer), narrow, "{text}");
            }
        }
    }

    #[test]
    fn integers_beyond_the_range_have_no_nearest_float() {
        let mut largest = [0xFF; 129];
        largest[128] = 0;
        assert_eq!(nearest_of_integer(FloatKind::F64, &Integer::of_big(&largest)), None);
        largest[..121].fill(0);
        largest[121] = 0xF8;
        let most = nearest_of_integer(FloatKind::F64, &Integer::of_big(&largest));
        assert_eq!(most, Some(f64::MAX.to_bits()));
        assert_eq!(nearest_of_integer(FloatKind::F64, &Integer::of_big(&[1; 200])), None);
        assert_eq!(nearest_of_integer(FloatKind::F16, &Integer::Small(65_519)), Some(0x7BFF));
        assert_eq!(nearest_of_integer(FloatKind::F16, &Integer::Small(-65_520)), None);
        assert_eq!(
            nearest_of_integer(FloatKind::F32, &Integer::Small(1 << 126)),
            Some(0x7E80_0000)
        );
        assert_eq!(
            nearest_of_integer(FloatKind::F32, &Integer::of_big(&[0xFF; 17])),
            Some(0xBF80_0000)
        );
        assert_eq!(nearest(FloatKind::F32, 1e-50_f64.to_bits()), None);
        assert_eq!(nearest(FloatKind::F32, (-0.0_f64).to_bits()), Some(0x8000_0000));
    }

    #[test]
    fn every_float_of_16_bits_survives() {
        for bits in 0..=u16::MAX {
            let wide = u64::from(bits);
            let f16 = widen(FloatKind::F16, wide);
            assert_eq!(narrow_exactly(FloatKind::F16, f16), Some(wide));
            let bf16 = widen(FloatKind::Bf16, wide);
            assert_eq!(narrow_exactly(FloatKind::Bf16, bf16), Some(wide));
            if !f64::from_bits(f16).is_nan() {
                assert_eq!(f64::from_bits(f16), f64::from(f16::from_bits(bits)));
            }
            if !f64::from_bits(bf16).is_nan() {
                assert_eq!(f64::from_bits(bf16), f64::from(bf16::from_bits(bits)));
            }
        }
    }

    #[test]
    fn f32_is_rounded_as_by_the_machine() {
        let mut word = 0x9E37_79B9_7F4A_7C15_u64;
        for step in 0..200_000_u64 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step | 1);
            // Exponents near those of f32, and ties, which random digits never produce.
            let exponent = 1023 - 160 + (word >> 13) % 320;
            let digits = match step % 3 {
                0 => word & FRACTION_MASK,
                1 => word & FRACTION_MASK & !0x0FFF_FFFF | 1 << 28,
                _ => word & FRACTION_MASK & !0x1FFF_FFFF,
            };
            let wide = word >> 63 << 63 | exponent << FRACTION | digits;
            let machine = (f64::from_bits(wide) as f32).to_bits();
            assert_eq!(round(FloatKind::F32, wide), u64::from(machine), "{wide:x}");
            let back = widen(FloatKind::F32, u64::from(machine));
            assert_eq!(back, f64::from(f32::from_bits(machine)).to_bits());
        }
    }
}
