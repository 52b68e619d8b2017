//! Bits, 8 in a byte from the low bit, and one bool for each.

use super::Machine;

/// Gathers the lowest bit of each byte of a word in one byte: bit i of the highest byte comes from byte i.
const TO_ONE_BYTE: u64 = 0x0102_0408_1020_4080;
const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const ONE_BIT_OF_EACH: u64 = 0x8040_2010_0804_0201;

/// Packs row i as bit i.
///
/// # Panics
/// If there are fewer bits than rows.
#[inline]
pub fn expand(rows: &mut [bool], bits: &[u8]) {
    expand_on(Machine::here(), rows, bits);
}

/// Expands bit i to row i. Padding becomes 0.
///
/// # Panics
/// If the number of bytes is not exactly what the rows need.
#[inline]
pub fn pack(bits: &mut [u8], rows: &[bool]) {
    pack_on(Machine::here(), bits, rows);
}

/// Counts the bits that are 1.
#[inline]
#[must_use]
pub fn ones(bits: &[u8]) -> u64 {
    ones_on(Machine::here(), bits)
}

/// [`expand`] in the version for a machine.
#[inline]
pub fn expand_on(machine: Machine, rows: &mut [bool], bits: &[u8]) {
    assert!(rows.len().div_ceil(8) <= bits.len(), "a bit for each row");
    match machine {
        Machine::Plain => expand_plain(rows, bits),
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(avx2) => avx2.expand(rows, bits),
    }
}

/// [`pack`] in the version for a machine.
#[inline]
pub fn pack_on(machine: Machine, bits: &mut [u8], rows: &[bool]) {
    assert_eq!(bits.len(), rows.len().div_ceil(8), "bytes for the rows");
    match machine {
        Machine::Plain => pack_plain(bits, rows),
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(avx2) => avx2.pack_bits(bits, rows),
    }
}

/// [`ones`] in the version for a machine.
#[inline]
#[must_use]
pub fn ones_on(machine: Machine, bits: &[u8]) -> u64 {
    match machine {
        Machine::Plain => ones_plain(bits),
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(avx2) => avx2.ones(bits),
    }
}

#[inline(always)]
pub(super) fn expand_plain(rows: &mut [bool], bits: &[u8]) {
    let (groups, rest) = rows.as_chunks_mut::<8>();
    for (group, byte) in groups.iter_mut().zip(bits) {
        // Each byte of the word is a copy of this one; of each, one bit is kept and carried to bit 0.
        let kept = (u64::from(*byte) * EACH_BYTE) & ONE_BIT_OF_EACH;
        let word = (kept + 0x7F * EACH_BYTE) >> 7 & EACH_BYTE;
        *group = word.to_le_bytes().map(|byte| byte != 0);
    }
    if let Some(byte) = bits.get(groups.len()) {
        for (bit, row) in rest.iter_mut().enumerate() {
            *row = byte >> bit & 1 != 0;
        }
    }
}

#[inline(always)]
pub(super) fn pack_plain(bits: &mut [u8], rows: &[bool]) {
    let (groups, rest) = rows.as_chunks::<8>();
    for (byte, group) in bits.iter_mut().zip(groups) {
        let word = u64::from_le_bytes(group.map(u8::from));
        *byte = (word.wrapping_mul(TO_ONE_BYTE) >> 56) as u8;
    }
    if let Some(byte) = bits.get_mut(groups.len()) {
        *byte = rest.iter().rev().fold(0, |byte, &row| byte << 1 | u8::from(row));
    }
}

#[inline(always)]
pub(super) fn ones_plain(bits: &[u8]) -> u64 {
    let (words, rest) = bits.as_chunks();
    let whole: u64 = words.iter().map(|w| u64::from(u64::from_le_bytes(*w).count_ones())).sum();
    let tail: u64 = rest.iter().map(|b| u64::from(b.count_ones())).sum();
    whole + tail
}
