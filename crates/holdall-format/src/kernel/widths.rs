//! Rows in as many bits as each needs: the bits below the highest one of each row, packed from the low bit.
//!
//! A row's *width* is the number of bits of its pattern, which is the row, or its zigzag if rows are signed.

use alloc::vec::Vec;

use super::{Machine, Word};
use crate::memory::GrowVec;

/// This many rows are packed through one buffer.
const ROWS_AT_A_TIME: usize = 128;

/// The pattern of a row.
#[inline(always)]
fn pattern(row: u64, signed: bool) -> u64 {
    if signed { row << 1 ^ (row.cast_signed() >> 63).cast_unsigned() } else { row }
}

/// The row of a pattern.
#[inline(always)]
fn row_of(pattern: u64, signed: bool) -> u64 {
    if signed { pattern >> 1 ^ (pattern & 1).wrapping_neg() } else { pattern }
}

/// The number of bits of a row, 0 to 64.
#[inline]
#[must_use]
pub fn width(row: u64, signed: bool) -> u8 {
    (64 - pattern(row, signed).leading_zeros()) as u8
}

/// The bits that rows need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The least width.
    pub low: u8,
    /// The greatest.
    pub high: u8,
    /// The bits of all rows together, without the highest one of each, which its width implies.
    pub bits: u64,
}

/// The widths of rows and their bits.
#[must_use]
pub fn measure(rows: &[u64], signed: bool) -> Need {
    measure_on(Machine::here(), rows, signed)
}

/// [`measure`] in the version for a machine.
#[must_use]
pub fn measure_on(machine: Machine, rows: &[u64], signed: bool) -> Need {
    match machine {
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(avx2) => avx2.measure(rows, signed),
        Machine::Plain => measure_plain(rows, signed),
    }
}

#[inline(always)]
pub(super) fn measure_plain(rows: &[u64], signed: bool) -> Need {
    let (mut low, mut high, mut bits) = (64, 0, 0);
    for &row in rows {
        let width = width(row, signed);
        low = width.min(low);
        high = width.max(high);
        bits += u64::from(width.saturating_sub(1));
    }
    Need { low, high, bits }
}

/// The greatest of some widths, and the sum of the rows' bits modulo 2^64; the sum is exact if no width exceeds 64.
#[must_use]
pub fn sum<W: Word>(widths: &[W]) -> (u64, u64) {
    if W::BITS > u8::BITS {
        return widths.iter().fold((0, 0), |(high, bits): (u64, u64), width| {
            let width = width.widen();
            (high.max(width), bits.wrapping_add(width.saturating_sub(1)))
        });
    }
    // The sum of this many fits 16 bits, which compilers vectorize.
    widths.chunks(ROWS_AT_A_TIME).fold((0, 0), |(high, bits), widths| {
        let (most, sum) = widths.iter().fold((0, 0), |(most, sum): (u8, u16), width| {
            let width = width.widen() as u8;
            (most.max(width), sum + u16::from(width.saturating_sub(1)))
        });
        (high.max(u64::from(most)), bits + u64::from(sum))
    })
}

/// Appends the bits of rows. Unused bits of the last byte become 0.
pub fn pack(out: &mut Vec<u8>, rows: &[u64], signed: bool) {
    // Bits that do not fill a word yet.
    let (mut word, mut used) = (0, 0);
    for rows in rows.chunks(ROWS_AT_A_TIME) {
        // A row has at most 63 bits, so there are fewer words than rows.
        let (mut words, mut len) = ([0; ROWS_AT_A_TIME], 0);
        for &row in rows {
            let pattern = pattern(row, signed);
            let top = 63 - (pattern | 1).leading_zeros();
            let field = pattern & !(1 << top);
            word |= field << used;
            // Bits that exceed the word start the next one. Both words are computed, so that there is no branch to
            // predict.
            words[len % ROWS_AT_A_TIME] = word;
            let next = field >> 1 >> (63 - used);
            used += top;
            let is_full = used >= 64;
            len += usize::from(is_full);
            word = if is_full { next } else { word };
            used %= 64;
        }
        for word in &words[..len] {
            out.put_slice(&word.to_le_bytes());
        }
    }
    out.put_slice(&word.to_le_bytes()[..used.div_ceil(8) as usize]);
}

/// Packed rows, read in order.
#[derive(Clone, Debug)]
pub struct Unpack<'a> {
    payload: &'a [u8],
    /// How many bits of the first byte belong to earlier rows.
    used: usize,
}

impl<'a> Unpack<'a> {
    /// Starts at a bit of the first byte.
    #[must_use]
    pub fn new(payload: &'a [u8], used: usize) -> Unpack<'a> {
        Unpack { payload, used }
    }

    /// Unpacks the next rows, modulo 2^N for rows of N bits, by their widths of at most 64. Bits beyond the payload
    /// are 0.
    ///
    /// There must be fewer than 2^20 rows, so that their bits can be counted on every machine.
    pub fn take<W: Word>(&mut self, rows: &mut [W], widths: &[u8], signed: bool) {
        self.take_on(Machine::here(), rows, widths, signed);
    }

    /// [`take`](Unpack::take) in the version for a machine.
    pub fn take_on<W: Word>(
        &mut self,
        machine: Machine,
        rows: &mut [W],
        widths: &[u8],
        signed: bool,
    ) {
        let end = W::unpack_widths(machine, rows, widths, self.payload, self.used, signed);
        self.payload = &self.payload[self.payload.len().min(end / 8)..];
        self.used = end % 8;
    }
}

#[inline(always)]
pub(super) fn unpack<W: Word>(
    machine: Machine,
    rows: &mut [W],
    widths: &[u8],
    payload: &[u8],
    bit: usize,
    signed: bool,
) -> usize {
    match machine {
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(avx2) => avx2.unpack_widths(rows, widths, payload, bit, signed),
        Machine::Plain => unpack_plain(rows, widths, payload, bit, signed),
    }
}

/// Rows whose loads are checked together to lie within the payload: that takes half the time with AVX2, 85 % without.
const GROUP: usize = 8;
/// The bytes that a group's loads touch: the last row begins in byte (7 + 7 * 63) / 8 at most, and each load takes 9
/// bytes.
const WINDOW: usize = 72;

/// Unpacks from a bit on. Returns the bit after the last row.
#[inline(always)]
pub(super) fn unpack_plain<W: Word>(
    rows: &mut [W],
    widths: &[u8],
    payload: &[u8],
    mut bit: usize,
    signed: bool,
) -> usize {
    let (row_groups, rows) = rows.as_chunks_mut::<GROUP>();
    let (width_groups, widths) = widths.as_chunks::<GROUP>();
    for (rows, widths) in row_groups.iter_mut().zip(width_groups) {
        match payload.get(bit / 8..).and_then(<[u8]>::first_chunk::<WINDOW>) {
            Some(window) => {
                let mut at = bit % 8;
                for (row, &width) in rows.iter_mut().zip(widths) {
                    let (own, len) = unpack_row(window, at / 8 % 64, at, width, signed);
                    *row = W::truncate(own);
                    at += len;
                }
                bit += at - bit % 8;
            }
            None => bit = unpack_last(rows, widths, payload, bit, signed),
        }
    }
    unpack_last(rows, widths, payload, bit, signed)
}

/// The row at a bit, which is in the byte at an index, and the width of the row there.
#[inline(always)]
fn unpack_row(
    window: &[u8; WINDOW],
    index: usize,
    bit: usize,
    width: u8,
    signed: bool,
) -> (u64, usize) {
    let word = window[index..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let (at, len) = (bit % 8, width.saturating_sub(1) % 64);
    // A field of more than 57 bits can reach into a ninth byte.
    let bits = word >> at | u64::from(window[index + 8]) << 1 << (63 - at);
    let top = 1 << len;
    let pattern = bits & (top - 1) | if width == 0 { 0 } else { top };
    (row_of(pattern, signed), usize::from(len))
}

/// Does the same where a window may reach beyond the payload.
fn unpack_last<W: Word>(
    rows: &mut [W],
    widths: &[u8],
    payload: &[u8],
    mut bit: usize,
    signed: bool,
) -> usize {
    for (row, &width) in rows.iter_mut().zip(widths) {
        let mut window = [0; WINDOW];
        let rest = payload.get(bit / 8..).unwrap_or_default();
        let len = rest.len().min(9);
        window[..len].copy_from_slice(&rest[..len]);
        let (own, len) = unpack_row(&window, 0, bit, width, signed);
        *row = W::truncate(own);
        bit += len;
    }
    bit
}
