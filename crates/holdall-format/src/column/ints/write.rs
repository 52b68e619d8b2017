//! Writes columns of integers (F-29), in the encodings that each profile chooses (F-42, F-61, F-63).

use alloc::vec::Vec;

use super::{BIG, IntBuffer, balanced, small};
use crate::column::frame::{FrameChoice, is_aligned};
use crate::column::{MARKER, MIN_ENCODED_ROWS, Profile, Settings, zstd};
use crate::kernel::Word;
use crate::memory::{self, Collect, GrowVec};
use crate::number::{IntKind, big_of_bits, varint_len, write_varint, zigzag};

/// Appends a column of integers of any size.
pub fn write(out: &mut Vec<u8>, kind: IntKind, ints: &IntBuffer, settings: Settings) {
    if ints.has_bigs() {
        if ints.values.len() < MIN_ENCODED_ROWS {
            out.put_slice(&MARKER);
        }
        let start = out.len();
        write_big(out, kind, ints, settings.profile);
        if settings.profile.is_small() {
            zstd::wrap(out, start);
        }
    } else if ints.values.len() < MIN_ENCODED_ROWS {
        write_few(out, kind, &ints.values);
    } else {
        write_many(out, &ints.values, kind.is_signed(), settings);
    }
}

/// Appends a column of unsigned 64-bit numbers (lengths, indices).
pub fn write_u64(out: &mut Vec<u8>, values: &[u64], settings: Settings) {
    if values.len() < MIN_ENCODED_ROWS {
        values.iter().for_each(|&value| write_varint(out, value));
    } else {
        write_many(out, values, false, settings);
    }
}

/// Appends a column of a kind as wide as a word.
pub fn write_words<W: Word>(out: &mut Vec<u8>, kind: IntKind, values: &[W], settings: Settings) {
    let signed = kind.is_signed();
    if values.len() < MIN_ENCODED_ROWS {
        write_few(out, kind, values);
    } else {
        let frame = match settings.profile {
            Profile::Fast => Some(FrameChoice::of(values, signed)),
            // Rows of 64 bits are examined only once, in every case.
            Profile::Balanced if W::BITS < 64 => balanced::plain_frame(values, signed),
            Profile::Balanced | Profile::Small => None,
        };
        if let Some(frame) = frame {
            return frame.write_column(out, values, settings);
        }
        // Other columns are encoded from 64-bit rows.
        write_many(out, &W::wide(values, signed), signed, settings);
    }
}

/// The number of bytes that a column takes in profile fast, not aligned, if known before it is written; and its frame,
/// if it is one.
pub fn prepare(kind: IntKind, ints: &IntBuffer) -> Option<(usize, Option<FrameChoice>)> {
    (!ints.has_bigs()).then(|| prepare_words(kind, &ints.values))
}

/// The number of bytes that a raw column of u8 takes.
pub fn len_of_bytes(bytes: &[u8]) -> usize {
    usize::from(bytes.len() >= MIN_ENCODED_ROWS) + bytes.len()
}

/// Appends a raw column of u8, even if a smaller frame exists, so that readers can borrow it.
pub fn write_bytes(out: &mut Vec<u8>, bytes: &[u8], settings: Settings) {
    let start = out.len();
    if bytes.len() >= MIN_ENCODED_ROWS {
        out.put(u8::BITS as u8);
    }
    out.put_slice(bytes);
    if bytes.len() >= MIN_ENCODED_ROWS && settings.profile.is_small() {
        zstd::wrap(out, start);
    }
}

/// Like [`prepare`], for a kind as wide as a word.
pub fn prepare_words<W: Word>(kind: IntKind, values: &[W]) -> (usize, Option<FrameChoice>) {
    if values.len() < MIN_ENCODED_ROWS {
        let len = |&value: &W| match kind.is_byte() {
            true => 1,
            false => varint_len(varint_of(kind.is_signed(), value.widen_as(kind.is_signed()))),
        };
        return (values.iter().map(len).sum(), None);
    }
    let frame = FrameChoice::of(values, kind.is_signed());
    // The rows are in memory, so their payload is smaller than the address space.
    (1 + frame.size() as usize, Some(frame))
}

/// Appends fewer than 4 rows that fit 64 bits.
fn write_few<W: Word>(out: &mut Vec<u8>, kind: IntKind, values: &[W]) {
    let signed = kind.is_signed();
    values.iter().for_each(|&value| match kind.is_byte() {
        true => out.put(value.widen() as u8),
        false => write_varint(out, varint_of(signed, value.widen_as(signed))),
    });
}

pub(super) fn varint_of(signed: bool, bits: u64) -> u64 {
    if signed { zigzag(bits.cast_signed()) } else { bits }
}

fn write_big(out: &mut Vec<u8>, kind: IntKind, ints: &IntBuffer, profile: Profile) {
    if let Some((ends, bytes)) = ints.only_bigs() {
        let starts = core::iter::once(&0).chain(ends);
        let lengths: Vec<u64> =
            ends.iter().zip(starts).map(|(end, at)| (end - at) as u64).collected();
        out.put(BIG);
        write_inner(out, &lengths, false, profile);
        return out.put_slice(bytes);
    }
    let (mut lengths, mut bytes) = (memory::with_capacity(ints.values.len()), Vec::new());
    let mut buffer = [0; 9];
    for (row, &bits) in ints.values.iter().enumerate() {
        let big = ints.big(row).unwrap_or_else(|| big_of_bits(kind, bits, &mut buffer));
        lengths.put(big.len() as u64);
        bytes.put_slice(big);
    }
    out.put(BIG);
    write_inner(out, &lengths, false, profile);
    out.put_slice(&bytes);
}

/// Appends 4 or more rows that fit 64 bits.
fn write_many(out: &mut Vec<u8>, values: &[u64], signed: bool, settings: Settings) {
    match settings.profile {
        Profile::Fast => {
            FrameChoice::of(values, signed).write_column(out, values, settings);
        }
        profile if profile.is_small() => {
            let start = out.len();
            small::write(out, values, signed);
            // Only now is the smallest encoding known.
            if is_aligned(out[start]) {
                settings.pad_at(out, start + 1);
            }
        }
        _ => balanced::choose(values, signed).write(out, values, settings),
    }
}

/// Appends an inner column (F-44, F-59).
pub fn write_inner(out: &mut Vec<u8>, values: &[u64], signed: bool, profile: Profile) {
    match profile.is_small() {
        true => small::write_inner(out, values, signed),
        false => FrameChoice::of(values, signed).write(out, values),
    }
}
