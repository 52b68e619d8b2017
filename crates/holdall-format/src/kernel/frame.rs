//! Fields of any width, packed from the low bit.

use alloc::vec::Vec;

use super::narrow::{Shifts, Steps};
use super::{Machine, Word, narrow, short};
use crate::memory::GrowVec;

/// The widest fields that one 8-byte word holds, whichever bit of its first byte they start at. Used for fields of 9
/// bits and more whose width is not that of a word.
const WIDEST: u32 = 57;
/// Any group of this many rows begins and ends at a byte, whatever their width.
pub(super) const GROUP: usize = 8;
/// The bytes that a group's loads and stores touch: the last one begins at byte 7 * 57 / 8 and takes 8 bytes.
pub(super) const WINDOW: usize = 64;

/// This many rows become rows of 64 bits at a time. Their fields end at a byte.
const PART: usize = 128;

/// Up to this many rows are processed one by one, because setting up blocks would take 20 to 60 ns.
pub const MAX_SINGLE_ROWS: usize = 16;

/// The bytes that `rows` fields take, in 128 bits, so that no product overflows.
#[inline]
#[must_use]
pub fn payload_len(rows: usize, width: u32) -> u128 {
    (rows as u128 * u128::from(width)).div_ceil(8)
}

/// Unpacks row i as `base` + field i, modulo 2^N for rows of N bits.
///
/// # Panics
/// If the payload is not [`payload_len`] bytes, or the width not 0 to 57 or 64.
#[inline]
pub fn unpack<W: Word>(rows: &mut [W], payload: &[u8], base: u64, width: u32) {
    unpack_on(Machine::here(), rows, payload, base, width);
}

/// Appends a payload: field i is the lowest `width` bits of row i - `base`, modulo 2^N for rows of N bits. Padding is
/// 0.
///
/// # Panics
/// If the width is not 0 to 57 or 64.
#[inline]
pub fn append<W: Word>(out: &mut Vec<u8>, rows: &[W], base: u64, width: u32) {
    if rows.len() <= MAX_SINGLE_ROWS {
        return append_few(out, rows, W::truncate(base), width);
    }
    let start = out.len();
    // The rows are in memory, so their payload is smaller than the address space.
    out.put_fill(start + payload_len(rows.len(), width) as usize, 0);
    pack_on(Machine::here(), &mut out[start..], rows, base, width);
}

/// [`unpack`] in the version for a machine.
#[inline]
pub fn unpack_on<W: Word>(machine: Machine, rows: &mut [W], payload: &[u8], base: u64, width: u32) {
    check(rows.len(), payload.len(), width);
    if rows.len() <= MAX_SINGLE_ROWS {
        return unpack_few(rows, payload, W::truncate(base), width);
    }
    W::unpack_many(machine, rows, payload, base, width);
}

#[inline(always)]
pub(super) fn unpack_many<W: Word>(
    machine: Machine,
    rows: &mut [W],
    payload: &[u8],
    base: u64,
    width: u32,
) {
    if width > W::BITS {
        return unpack_wide(machine, rows, payload, base, width);
    }
    match machine {
        // Whole words of 64 bits gain 10 % by this.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(avx2) if width != 64 => avx2.unpack(rows, payload, base, width),
        _ => unpack_plain(Shifts, rows, payload, base, width),
    }
}

/// Packs the payload of [`append`] in the version for a machine.
///
/// # Panics
/// If the payload is not [`payload_len`] bytes, or the width not 0 to 57 or 64.
#[inline]
pub fn pack_on<W: Word>(machine: Machine, payload: &mut [u8], rows: &[W], base: u64, width: u32) {
    check(rows.len(), payload.len(), width);
    W::pack_many(machine, payload, rows, base, width);
}

#[inline(always)]
pub(super) fn pack_many<W: Word>(
    machine: Machine,
    payload: &mut [u8],
    rows: &[W],
    base: u64,
    width: u32,
) {
    if width > W::BITS {
        return pack_wide(machine, payload, rows, base, width);
    }
    match machine {
        // Bytes of 64-bit rows gain 3 % by this, 32-bit words of 32-bit rows 8 %.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(avx2) if !matches!((width, W::BITS), (8, 64) | (32, 32)) => {
            avx2.pack(payload, rows, base, width);
        }
        _ => pack_plain(Shifts, payload, rows, base, width),
    }
}

/// Rows of fewer bits than their fields are rare. They become rows of 64 bits first, so that no loop is compiled for them.
fn unpack_wide<W: Word>(machine: Machine, rows: &mut [W], payload: &[u8], base: u64, width: u32) {
    let mut wide = [0; PART];
    let parts = payload.chunks(PART / 8 * width as usize);
    for (rows, payload) in rows.chunks_mut(PART).zip(parts) {
        let wide = &mut wide[..rows.len()];
        u64::unpack_many(machine, wide, payload, base, width);
        rows.iter_mut().zip(wide).for_each(|(row, wide)| *row = W::truncate(*wide));
    }
}

fn pack_wide<W: Word>(machine: Machine, payload: &mut [u8], rows: &[W], base: u64, width: u32) {
    let (mut wide, base) = ([0; PART], W::truncate(base));
    let parts = payload.chunks_mut(PART / 8 * width as usize);
    for (rows, payload) in rows.chunks(PART).zip(parts) {
        let wide = &mut wide[..rows.len()];
        wide.iter_mut().zip(rows).for_each(|(wide, row)| *wide = row.minus(base).widen());
        u64::pack_many(machine, payload, wide, 0, width);
    }
}

#[inline]
fn check(rows: usize, bytes: usize, width: u32) {
    assert!(width <= WIDEST || width == 64, "no width of a frame");
    // In 64 bits, because memory of a 32-bit machine can hold more bits than 32 bits count.
    let expected = (rows as u64).checked_mul(u64::from(width)).map(|bits| bits.div_ceil(8));
    assert_eq!(expected, Some(bytes as u64), "bytes of a frame's payload");
}

fn unpack_few<W: Word>(rows: &mut [W], payload: &[u8], base: W, width: u32) {
    if width == 8 {
        return unpack_whole(rows, payload, base, |[byte]| W::truncate(u64::from(byte)));
    }
    // 8 bytes longer, so that one load covers each row.
    let mut bytes = [0; 8 * MAX_SINGLE_ROWS + 8];
    bytes[..payload.len()].copy_from_slice(payload);
    let width = width as usize;
    for (index, row) in rows.iter_mut().enumerate() {
        let bit = index * width;
        let word = bytes[bit / 8..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
        *row = W::truncate(word >> (bit % 8) & mask(width)).plus(base);
    }
}

/// Gathers fields in words on the stack, where no word checks for room.
fn append_few<W: Word>(out: &mut Vec<u8>, rows: &[W], base: W, width: u32) {
    assert!(width <= WIDEST || width == 64, "no width of a frame");
    let len = (rows.len() * width as usize).div_ceil(8);
    let mut words = [0_u64; MAX_SINGLE_ROWS + 1];
    // Bits that exceed a word start the next.
    let (mut word, mut used, mut full) = (0, 0, 0);
    for row in rows {
        let field = row.minus(base).widen() & mask(width as usize);
        word |= field << used;
        used += width;
        if used >= 64 {
            words[full] = word.to_le();
            full += 1;
            used -= 64;
            word = if used == 0 { 0 } else { field >> (width - used) };
        }
    }
    words[full] = word.to_le();
    short::append(out, core::iter::once(&bytemuck::cast_slice(&words)[..len]));
}

#[inline(always)]
pub(super) fn unpack_plain<W: Word>(
    steps: impl Steps,
    rows: &mut [W],
    payload: &[u8],
    base: u64,
    width: u32,
) {
    let base = W::truncate(base);
    // No field is wider: the compiler leaves out loops for those.
    match width.min(W::BITS) {
        0 => rows.fill(base),
        1..=7 => narrow::unpack(rows, payload, base, width, steps),
        8 => unpack_whole(rows, payload, base, |[byte]| W::truncate(u64::from(byte))),
        16 => {
            unpack_whole(rows, payload, base, |b| W::truncate(u64::from(u16::from_le_bytes(b))));
        }
        32 => {
            unpack_whole(rows, payload, base, |b| W::truncate(u64::from(u32::from_le_bytes(b))));
        }
        64 => unpack_whole(rows, payload, base, |b| W::truncate(u64::from_le_bytes(b))),
        _ => unpack_any(steps, rows, payload, base, width as usize),
    }
}

#[inline(always)]
pub(super) fn pack_plain<W: Word>(
    steps: impl Steps,
    payload: &mut [u8],
    rows: &[W],
    base: u64,
    width: u32,
) {
    let base = W::truncate(base);
    // No field is wider: the compiler leaves out loops for those.
    match width.min(W::BITS) {
        0 => {}
        1..=7 => narrow::pack(payload, rows, base, width, steps),
        8 => pack_whole(payload, rows, base, |field| [field as u8]),
        16 => pack_whole(payload, rows, base, |field| (field as u16).to_le_bytes()),
        32 => pack_whole(payload, rows, base, |field| (field as u32).to_le_bytes()),
        64 => pack_whole(payload, rows, base, u64::to_le_bytes),
        9..=14 => pack_any::<W, 4>(payload, rows, base, width as usize),
        15..=28 => pack_any::<W, 2>(payload, rows, base, width as usize),
        _ => pack_any::<W, 1>(payload, rows, base, width as usize),
    }
}

#[inline(always)]
fn unpack_whole<W: Word, const N: usize>(
    rows: &mut [W],
    payload: &[u8],
    base: W,
    field: impl Fn([u8; N]) -> W,
) {
    for (row, bytes) in rows.iter_mut().zip(payload.as_chunks().0) {
        *row = field(*bytes).plus(base);
    }
}

#[inline(always)]
fn pack_whole<W: Word, const N: usize>(
    payload: &mut [u8],
    rows: &[W],
    base: W,
    bytes: impl Fn(u64) -> [u8; N],
) {
    for (place, row) in payload.as_chunks_mut().0.iter_mut().zip(rows) {
        *place = bytes(row.minus(base).widen());
    }
}

/// The byte and the bit where each row of a group starts.
#[inline(always)]
fn starts(width: usize) -> [(usize, usize); GROUP] {
    // The bound is known to hold. Repeating it here saves a check at every row.
    core::array::from_fn(|row| ((row * width / 8).min(WINDOW - 8), row * width % 8))
}

#[inline(always)]
fn unpack_any<W: Word>(steps: impl Steps, rows: &mut [W], payload: &[u8], base: W, width: usize) {
    let starts = starts(width);
    let (groups, rest) = rows.as_chunks_mut();
    let unpacked = steps.unpack_groups(groups, payload, base, width);
    let mut groups = groups[unpacked..].iter_mut();
    let mut at = unpacked * width;
    while let Some(window) = payload[at..].first_chunk() {
        let Some(rows) = groups.next() else { break };
        unpack_group(rows, window, base, width, starts);
        at += width;
    }
    // The rest is shorter than a window and a group, so each group gets its own window here.
    let mut last = [0; 2 * WINDOW];
    last[..payload.len() - at].copy_from_slice(&payload[at..]);
    let groups = groups.into_slice();
    let unpacked = steps.unpack_groups(groups, &last, base, width);
    let groups = groups[unpacked..].iter_mut();
    let last = &last[unpacked * width..];
    let mut windows = (0..).map_while(|group| last[group * width..].first_chunk());
    for (rows, window) in groups.zip(&mut windows) {
        unpack_group(rows, window, base, width, starts);
    }
    if let (false, Some(window)) = (rest.is_empty(), windows.next()) {
        let mut rows = [base; GROUP];
        unpack_group(&mut rows, window, base, width, starts);
        rest.copy_from_slice(&rows[..rest.len()]);
    }
}

#[inline(always)]
fn unpack_group<W: Word>(
    rows: &mut [W; GROUP],
    window: &[u8; WINDOW],
    base: W,
    width: usize,
    starts: [(usize, usize); GROUP],
) {
    for (row, (byte, bit)) in rows.iter_mut().zip(starts) {
        let word = window[byte..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
        *row = W::truncate(word >> bit & mask(width)).plus(base);
    }
}

/// This many fields are gathered in a word before it is stored: their bits are at most [`WIDEST`].
#[inline(always)]
fn pack_any<W: Word, const TOGETHER: usize>(payload: &mut [u8], rows: &[W], base: W, width: usize) {
    let starts = starts(TOGETHER * width);
    let (groups, rest) = rows.as_chunks();
    let mut groups = groups.iter();
    let mut at = 0;
    while let Some(window) = payload[at..].first_chunk_mut() {
        let Some(rows) = groups.next() else { break };
        pack_group::<W, TOGETHER>(window, rows, base, width, starts);
        at += width;
    }
    // Padding is 0 because the field of the base is.
    let mut rows = [base; GROUP];
    rows[..rest.len()].copy_from_slice(rest);
    let (mut last, mut end) = ([0; 2 * WINDOW], 0);
    for rows in groups.chain([&rows]) {
        if let Some(window) = last[end..].first_chunk_mut() {
            pack_group::<W, TOGETHER>(window, rows, base, width, starts);
        }
        end += width;
    }
    let place = &mut payload[at..];
    place.copy_from_slice(&last[..place.len()]);
}

/// A word of fields begins with the byte that it shares with the word before, and repeats its last bits, so that no
/// word waits for another. The bits after its own are 0, and the next word overwrites them.
#[inline(always)]
fn pack_group<W: Word, const TOGETHER: usize>(
    window: &mut [u8; WINDOW],
    rows: &[W; GROUP],
    base: W,
    width: usize,
    starts: [(usize, usize); GROUP],
) {
    let mut before = 0;
    for (rows, (byte, bit)) in rows.as_chunks::<TOGETHER>().0.iter().zip(starts) {
        let fields = rows
            .iter()
            .rev()
            .fold(0, |fields, row| fields << width | row.minus(base).widen() & mask(width));
        let word = fields << bit | before >> (TOGETHER * width - bit);
        before = fields;
        if let Some(place) = window[byte..].first_chunk_mut() {
            *place = word.to_le_bytes();
        }
    }
}

#[inline(always)]
fn mask(width: usize) -> u64 {
    if width == 64 { u64::MAX } else { (1 << width) - 1 }
}
