//! Damages bytes.

use super::chance::Chance;
use super::varint;

/// Bytes that have a meaning somewhere: ends of ranges, heads, encodings, types, reserved codes.
const SPECIAL: &[u8] = &[
    0x00, 0x01, 0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x0D, 0x0E, 0x0F, 0x10, 0x12, 0x13, 0x14, 0x15,
    0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x22, 0x23, 0x39, 0x3A, 0x40,
    0x41, 0x44, 0x45, 0x50, 0x51, 0x52, 0x58, 0x59, 0x5A, 0x60, 0x61, 0x70, 0x7F, 0x80, 0x88, 0xB9,
    0xBA, 0xC0, 0xC1, 0xE0, 0xFE, 0xFF,
];

/// Numbers at the ends of ranges.
const EDGES: &[u64] = &[
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    9,
    16,
    17,
    63,
    64,
    127,
    128,
    255,
    256,
    257,
    1 << 14,
    1 << 16,
    1 << 21,
    1 << 32,
    1 << 56,
    1 << 60,
    1 << 61,
    1 << 63,
    u64::MAX,
];

/// Damages bytes in one place; `other` provides parts of another input.
pub fn mutate(chance: &mut Chance, bytes: &mut Vec<u8>, other: &[u8]) {
    let at = chance.below(bytes.len() + 1);
    let end = (at + *chance.pick(&[1, 1, 2, 3, 8])).min(bytes.len());
    let byte = if chance.below(2) == 0 { *chance.pick(SPECIAL) } else { chance.word() as u8 };
    match chance.below(16) {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, byte),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again).for_each(drop);
        }
        4 => {
            bytes.truncate(at);
            bytes.extend_from_slice(&other[chance.below(other.len() + 1)..]);
        }
        5 => {
            let start = chance.below(other.len() + 1);
            let part = &other[start..(start + 1 + chance.below(8)).min(other.len())];
            bytes.splice(at..at, part.iter().copied()).for_each(drop);
        }
        6..=9 => edit_varint(chance, bytes, at),
        10 if end < bytes.len() => bytes.swap(at, end),
        11 | 12 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
        13 if at < bytes.len() => {
            bytes[at] = bytes[at].wrapping_add(if byte < 128 { 1 } else { 255 });
        }
        _ if at < bytes.len() => bytes[at] = byte,
        _ => bytes.push(byte),
    }
}

/// Replaces a number by another one, in as many bytes as it needs.
fn edit_varint(chance: &mut Chance, bytes: &mut Vec<u8>, at: usize) {
    let len = bytes.get(at).map_or(0, |first| first.trailing_ones() as usize + 1);
    let end = (at + len).min(bytes.len());
    let mut word = [0; 16];
    word[..end - at].copy_from_slice(&bytes[at..end]);
    let value = (u128::from_le_bytes(word) >> len.min(8)) as u64;
    let value = match chance.below(5) {
        0 => value.wrapping_add(1),
        1 => value.wrapping_sub(1),
        2 => value.wrapping_mul(2),
        3 => chance.word() >> chance.below(64),
        _ => *chance.pick(EDGES),
    };
    bytes.splice(at..end, varint(value)).for_each(drop);
}
