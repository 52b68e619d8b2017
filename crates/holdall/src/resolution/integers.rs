//! Converts integers between types (F-78, line 17), and times between units (line 13).

use alloc::vec::Vec;
use core::fmt;

use crate::dynamic::Event;
use crate::memory::GrowVec;
use crate::number::{IntKind, shorten_big};

/// An integer of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Integer<'a> {
    Small(i128),
    /// Two's complement, little-endian, in the shortest form. Only for numbers beyond 128 bits.
    Big(alloc::borrow::Cow<'a, [u8]>),
}

impl<'a> Integer<'a> {
    /// Returns the integer of a kind from its 64-bit pattern.
    pub(crate) fn of_bits(kind: IntKind, bits: u64) -> Integer<'a> {
        Integer::Small(match kind.is_signed() {
            true => i128::from(bits.cast_signed()),
            false => i128::from(bits),
        })
    }

    /// Returns the integer from its two's complement bytes.
    pub(crate) fn of_big(bytes: &'a [u8]) -> Integer<'a> {
        let bytes = shorten_big(bytes);
        match small(bytes) {
            Some(value) => Integer::Small(value),
            None => Integer::Big(bytes.into()),
        }
    }

    fn of_owned(bytes: Vec<u8>) -> Integer<'a> {
        match small(shorten_big(&bytes)) {
            Some(value) => Integer::Small(value),
            None => Integer::Big(shorten_big(&bytes).to_vec().into()),
        }
    }

    /// Whether the integer is within a kind's range.
    pub(super) fn fits(&self, kind: IntKind) -> bool {
        match self {
            Integer::Big(bytes) => kind.holds_big(bytes),
            Integer::Small(value) => match kind {
                IntKind::Int | IntKind::I128 => true,
                IntKind::U128 => *value >= 0,
                IntKind::U64 => u64::try_from(*value).is_ok(),
                IntKind::I64 => i64::try_from(*value).is_ok(),
                _ => kind.bounds().is_some_and(|(low, high)| {
                    let (low, high) = (low.cast_signed(), high.cast_signed());
                    (i128::from(low)..=i128::from(high)).contains(value)
                }),
            },
        }
    }

    /// Returns the event for this integer as a kind whose range includes it.
    pub(super) fn event<'b>(&'b self, kind: IntKind, buffer: &'b mut [u8; 17]) -> Event<'b> {
        let value = match self {
            Integer::Big(bytes) => return Event::BigInt(kind, bytes),
            Integer::Small(value) => *value,
        };
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) if kind == IntKind::Int => Event::Int(value),
            (Ok(bits), _) if kind.is_signed() => Event::FixedInt(kind, bits.cast_unsigned()),
            (_, Ok(bits)) if !kind.is_signed() => Event::FixedInt(kind, bits),
            _ => {
                // A u128 with the highest bit set is an `Integer::Big`, so here this bit is always the sign.
                buffer[..16].copy_from_slice(&value.to_le_bytes());
                buffer[16] = if value < 0 { 0xFF } else { 0 };
                Event::BigInt(kind, shorten_big(buffer))
            }
        }
    }

    /// Appends the integer in `width` bytes, little-endian.
    pub(super) fn write(&self, width: usize, out: &mut Vec<u8>) {
        match self {
            Integer::Small(value) => out.put_slice(&value.to_le_bytes()[..width.min(16)]),
            // The 17th byte of a u128 is zero.
            Integer::Big(bytes) => {
                out.put_each(bytes.iter().copied().chain(core::iter::repeat(0)).take(width));
            }
        }
    }

    fn magnitude(&self) -> (bool, Vec<u8>) {
        match self {
            Integer::Small(value) => (*value < 0, value.unsigned_abs().to_le_bytes().to_vec()),
            Integer::Big(bytes) => {
                let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
                let mut bytes = bytes.to_vec();
                if negative {
                    negate(&mut bytes);
                }
                (negative, bytes)
            }
        }
    }

    fn of_magnitude(negative: bool, mut magnitude: Vec<u8>) -> Integer<'a> {
        magnitude.put(0);
        if negative {
            negate(&mut magnitude);
        }
        Integer::of_owned(magnitude)
    }

    /// Returns the sign, the digits (at most 53 bits), and the number of zero bits after them; `None` if there are more digits, or
    /// the number has 1024 bits or more.
    pub(super) fn significant(&self) -> Option<(bool, u64, u32)> {
        let (negative, head, below) = self.head();
        if head == 0 {
            return Some((false, 0, 0));
        }
        // If bits below the head are set, its lowest is, too, and the digits have 64 bits.
        let (digits, zeros) =
            (head >> head.trailing_zeros(), below.checked_add(head.trailing_zeros())?);
        let bits = u64::BITS - digits.leading_zeros();
        (bits <= 53 && zeros <= 1024 - bits).then_some((negative, digits, zeros))
    }

    /// Returns the sign, the highest 64 bits, of which the lowest is set if any bit below them is, and the number of bits below them.
    pub(super) fn head(&self) -> (bool, u64, u32) {
        let (negative, magnitude) = self.magnitude();
        let len = magnitude.len() - magnitude.iter().rev().take_while(|byte| **byte == 0).count();
        let (below, head) = magnitude[..len].split_at(len.saturating_sub(9));
        let mut wide = [0; 16];
        wide[..head.len()].copy_from_slice(head);
        let wide = u128::from_le_bytes(wide);
        let drop = (128 - wide.leading_zeros()).saturating_sub(64);
        let is_more = wide & ((1 << drop) - 1) != 0 || below.iter().any(|byte| *byte != 0);
        let zeros = u32::try_from(8 * below.len()).unwrap_or(u32::MAX).saturating_add(drop);
        (negative, (wide >> drop) as u64 | u64::from(is_more), zeros)
    }

    /// Returns the product with a power of ten.
    pub(super) fn times(&self, factor: u32) -> Integer<'static> {
        if let Integer::Small(value) = self
            && let Some(product) = value.checked_mul(i128::from(factor))
        {
            return Integer::Small(product);
        }
        let (negative, mut magnitude) = self.magnitude();
        let mut carry = 0;
        for byte in &mut magnitude {
            let product = u64::from(*byte) * u64::from(factor) + carry;
            *byte = product as u8;
            carry = product >> 8;
        }
        magnitude.put_slice(&carry.to_le_bytes());
        Integer::of_magnitude(negative, magnitude)
    }

    /// Adds a number below the power of ten that this was multiplied by.
    pub(super) fn plus(&self, more: u32) -> Integer<'static> {
        if let Integer::Small(value) = self
            && let Some(sum) = value.checked_add(i128::from(more))
        {
            return Integer::Small(sum);
        }
        let mut bytes = match self {
            Integer::Small(value) => value.to_le_bytes().to_vec(),
            Integer::Big(bytes) => bytes.to_vec(),
        };
        // An extra sign byte makes room for the carry.
        let sign = if bytes.last().is_some_and(|last| last & 0x80 != 0) { 0xFF } else { 0 };
        bytes.put(sign);
        let mut carry = u64::from(more);
        for byte in &mut bytes {
            carry += u64::from(*byte);
            *byte = carry as u8;
            carry >>= 8;
        }
        Integer::of_owned(bytes)
    }

    /// Returns the quotient, rounded down, and the remainder.
    pub(super) fn divided_down(&self, divisor: u32) -> (Integer<'static>, u32) {
        if let Integer::Small(value) = self {
            let wide = i128::from(divisor);
            return (Integer::Small(value.div_euclid(wide)), value.rem_euclid(wide) as u32);
        }
        let (negative, mut magnitude) = self.magnitude();
        let left = divide(&mut magnitude, divisor);
        if !negative || left == 0 {
            return (Integer::of_magnitude(negative, magnitude), left);
        }
        // -n - 1 is n with all bits inverted.
        magnitude.put(0);
        magnitude.iter_mut().for_each(|byte| *byte = !*byte);
        (Integer::of_owned(magnitude), divisor - left)
    }

    /// Returns the quotient, if there is no remainder.
    pub(super) fn divided(&self, divisor: u32) -> Option<Integer<'static>> {
        if let Integer::Small(value) = self {
            let divisor = i128::from(divisor);
            return (value % divisor == 0).then(|| Integer::Small(value / divisor));
        }
        let (negative, mut magnitude) = self.magnitude();
        (divide(&mut magnitude, divisor) == 0).then(|| Integer::of_magnitude(negative, magnitude))
    }
}

/// The text for errors.
impl fmt::Display for Integer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Integer::Small(value) => value.fmt(f),
            Integer::Big(bytes) => write!(f, "an integer of {} bytes", bytes.len()),
        }
    }
}

/// The value of two's complement bytes, if it fits.
fn small(bytes: &[u8]) -> Option<i128> {
    if bytes.len() > 16 {
        return None;
    }
    let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
    let mut wide = [if negative { 0xFF } else { 0 }; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    Some(i128::from_le_bytes(wide))
}

/// Divides little-endian bytes; returns the remainder.
fn divide(magnitude: &mut [u8], divisor: u32) -> u32 {
    let mut left = 0;
    for byte in magnitude.iter_mut().rev() {
        let part = left << 8 | u64::from(*byte);
        *byte = (part / u64::from(divisor)) as u8;
        left = part % u64::from(divisor);
    }
    left as u32
}

/// Negates in two's complement: inverts all bits, and adds one.
fn negate(bytes: &mut [u8]) {
    let mut carry = true;
    for byte in bytes {
        (*byte, carry) = (!*byte).overflowing_add(u8::from(carry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_divided_undo_each_other() {
        let numbers = [0, 1, -1, 255, -256, i128::MAX, i128::MIN, i128::MAX / 1000, 1 << 100];
        for number in numbers {
            let number = Integer::Small(number);
            let product = number.times(1_000_000_000);
            let more = product.times(1_000_000_000);
            assert_eq!(more.divided(1_000_000_000), Some(product.clone()));
            assert_eq!(product.divided(1_000_000_000), Some(number));
        }
        assert_eq!(Integer::Small(i128::MAX).times(1000).divided(1009), None);
    }

    #[test]
    fn a_sum_is_split_into_its_parts() {
        assert_eq!(Integer::Small(-1).plus(999_999_999), Integer::Small(999_999_998));
        for number in [0, -1, 1, i128::MAX, i128::MIN, i128::MAX / 1000, i128::MIN / 1000] {
            let wide = Integer::Small(number).times(1_000_000_000);
            for number in [Integer::Small(number), wide] {
                for more in [0, 1, 999_999_999] {
                    let sum = number.times(1_000_000_000).plus(more);
                    assert_eq!(sum.divided_down(1_000_000_000), (number.plus(0), more));
                }
            }
        }
    }

    #[test]
    fn significant_digits_are_counted() {
        assert_eq!(Integer::Small(-12).significant(), Some((true, 3, 2)));
        assert_eq!(Integer::Small((1 << 53) + 1).significant(), None);
        assert_eq!(Integer::Small(i128::MIN).significant(), Some((true, 1, 127)));
        let mut wide = vec![0; 127];
        wide.push(0x40);
        assert_eq!(Integer::of_big(&wide).significant(), Some((false, 1, 1022)));
        wide.insert(0, 0);
        assert_eq!(Integer::of_big(&wide).significant(), None);
    }
}
