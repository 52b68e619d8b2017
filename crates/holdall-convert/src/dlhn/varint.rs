//! DLHN's numbers of several bytes: the first byte's leading ones are the number of bytes after it.

use holdall::bindings::memory::GrowVec;

/// The longest form whose bits are shared with the first byte: beyond it, all bits follow the first byte.
fn longest(bits: u32) -> u32 {
    match bits {
        16 => 2,
        32 => 4,
        _ => 8,
    }
}

/// A byte that begins with this many ones.
fn ones(count: u32) -> u8 {
    !0xFF_u8.checked_shr(count).unwrap_or(0)
}

/// Appends a number of 16, 32 or 64 bits in the fewest bytes.
pub(super) fn write(out: &mut Vec<u8>, bits: u32, value: u64) {
    let used = 64 - value.leading_zeros();
    // Each byte holds 7 bits of the number, since one goes to the length.
    let len = used.div_ceil(7).max(1);
    if len > longest(bits) {
        out.put(ones(longest(bits)));
        out.put_slice(&value.to_le_bytes()[..bits as usize / 8]);
        return;
    }
    // The first byte: ones for the bytes after it, a zero, and the lowest bits.
    let low = 8 - len;
    let mask = (1_u64 << low) - 1;
    out.put(ones(len - 1) | (value & mask) as u8);
    out.put_slice(&(value >> low).to_le_bytes()[..len as usize - 1]);
}

/// The number of bytes of a number of this many bits that begins with a byte.
pub(super) fn len(first: u8, bits: u32) -> usize {
    match first.leading_ones() {
        after if after >= longest(bits) => bits as usize / 8 + 1,
        after => after as usize + 1,
    }
}

/// Reads a number from exactly its bytes.
pub(super) fn read(bytes: &[u8], bits: u32) -> u64 {
    let number =
        |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let Some((first, rest)) = bytes.split_first() else { return 0 };
    let after = first.leading_ones();
    if after >= longest(bits) {
        return number(rest);
    }
    let low = 7 - after;
    let own = u64::from(*first) & ((1 << low) - 1);
    own | number(rest) << low
}

/// Signed numbers, so that those near zero take few bytes.
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

pub(super) fn of_zigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(bits: u32, value: u64) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, bits, value);
        out
    }

    #[test]
    fn numbers_take_the_fewest_bytes_and_come_back() {
        let cases: [(u32, u64, &[u8]); 12] = [
            (16, 0, &[0]),
            (16, 127, &[127]),
            (16, 128, &[0x80, 2]),
            (16, 0x3FFF, &[0xBF, 0xFF]),
            (16, 0x4000, &[0xC0, 0, 0x40]),
            (16, 0xFFFF, &[0xC0, 0xFF, 0xFF]),
            (32, 0x4000, &[0xC0, 0, 2]),
            (32, 0xFFF_FFFF, &[0xEF, 0xFF, 0xFF, 0xFF]),
            (32, 0x1000_0000, &[0xF0, 0, 0, 0, 0x10]),
            (64, 0x1000_0000, &[0xF0, 0, 0, 0, 2]),
            (64, 1 << 49, &[0xFE, 0, 0, 0, 0, 0, 0, 2]),
            (64, u64::MAX, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ];
        for (bits, value, expected) in cases {
            assert_eq!(bytes(bits, value), expected, "{value:x}");
        }
        for bits in [16, 32, 64] {
            for shift in 0..bits {
                for value in [1 << shift, (1_u64 << shift) - 1, (1 << shift) | 1] {
                    let bytes = bytes(bits, value);
                    assert_eq!(len(bytes[0], bits), bytes.len(), "{bits} {value:x}");
                    assert_eq!(read(&bytes, bits), value, "{bits}");
                }
            }
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(of_zigzag(zigzag(value)), value);
        }
    }
}
