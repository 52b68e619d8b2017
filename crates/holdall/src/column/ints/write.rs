//! Integers to bytes: few as varints, more in the encoding that the profile chooses.

use super::{BIG, DELTA, IntBuffer, PATCHED, RUNS};
use crate::column::FEW;
use crate::column::frame::{Choice, Widths, write_inner};
use crate::column::zstd;
use crate::message::Profile;
use crate::number::{IntKind, big_of_bits, varint_len, write_varint, zigzag};

/// Appends a column.
pub(crate) fn write(out: &mut Vec<u8>, kind: IntKind, ints: &IntBuffer, profile: Profile) {
    if ints.values.len() < FEW {
        write_few(out, kind, ints);
    } else if ints.bigs.is_empty() {
        write_many(out, &ints.values, kind.is_signed(), profile);
    } else {
        let start = out.len();
        write_big(out, kind, ints);
        if profile == Profile::Small {
            zstd::wrap(out, start);
        }
    }
}

/// Appends a column of unsigned 64-bit numbers (lengths, indices).
pub(crate) fn write_u64(out: &mut Vec<u8>, values: &[u64], profile: Profile) {
    if values.len() < FEW {
        values.iter().for_each(|&value| write_varint(out, value));
    } else {
        write_many(out, values, false, profile);
    }
}

fn write_few(out: &mut Vec<u8>, kind: IntKind, ints: &IntBuffer) {
    let mut bigs = ints.bigs.iter().peekable();
    for (row, &bits) in ints.values.iter().enumerate() {
        match bigs.next_if(|(at, _)| *at == row) {
            Some((_, big)) => {
                out.push(0xFF);
                out.extend_from_slice(&(big.len() as u64).to_le_bytes());
                out.extend_from_slice(big);
            }
            None if kind.is_byte() => out.push(bits as u8),
            None => write_varint(out, varint_of(kind.is_signed(), bits)),
        }
    }
}

fn varint_of(signed: bool, bits: u64) -> u64 {
    if signed { zigzag(bits.cast_signed()) } else { bits }
}

fn write_big(out: &mut Vec<u8>, kind: IntKind, ints: &IntBuffer) {
    let (mut lengths, mut bytes) = (Vec::with_capacity(ints.values.len()), Vec::new());
    let mut bigs = ints.bigs.iter().peekable();
    let mut buffer = [0; 9];
    for (row, &bits) in ints.values.iter().enumerate() {
        let big = match bigs.next_if(|(at, _)| *at == row) {
            Some((_, big)) => big,
            None => big_of_bits(kind, bits, &mut buffer),
        };
        lengths.push(big.len() as u64);
        bytes.extend_from_slice(big);
    }
    out.push(BIG);
    write_inner(out, &lengths, false, Widths::Fast);
    out.extend_from_slice(&bytes);
}

/// Appends 4 or more rows that fit 64 bits.
fn write_many(out: &mut Vec<u8>, values: &[u64], signed: bool, profile: Profile) {
    match profile {
        Profile::Fast => Choice::of(values, signed, Widths::Fast).write(out, values),
        Profile::Balanced => write_balanced(out, values, signed),
        Profile::Small => write_small(out, values, signed),
    }
}

/// A frame, or delta where the rows are sorted and it is smaller (F-61).
fn write_balanced(out: &mut Vec<u8>, values: &[u64], signed: bool) {
    let frame = Choice::of(values, signed, Widths::Fast);
    let flip = if signed { 1 << 63 } else { 0 };
    if values.is_sorted_by_key(|value| value ^ flip) {
        let delta = Delta::of(values, signed, Widths::Fast);
        if delta.size() < frame.size() {
            return delta.write(out);
        }
    }
    frame.write(out, values);
}

/// Differences from row to row, as a writer would write them.
struct Delta {
    first: u64,
    differences: Vec<u64>,
    frame: Choice,
}

impl Delta {
    fn of(values: &[u64], signed: bool, widths: Widths) -> Delta {
        let differences: Vec<u64> =
            values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
        let first = varint_of(signed, values.first().copied().unwrap_or(0));
        let frame = Choice::of(&differences, true, widths);
        Delta { first, differences, frame }
    }

    /// The bytes behind the encoding byte.
    fn size(&self) -> u128 {
        varint_len(self.first) as u128 + 1 + self.frame.size()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(DELTA);
        write_varint(out, self.first);
        self.frame.write(out, &self.differences);
    }
}

/// The smallest of all encodings (F-63); then zstd over that, or over a frame of whole bytes, which it packs better.
fn write_small(out: &mut Vec<u8>, values: &[u64], signed: bool) {
    let start = out.len();
    write_smallest(out, values, signed);
    let mut bytes = Vec::new();
    Choice::of(values, signed, Widths::Bytes).write(&mut bytes, values);
    zstd::wrap(&mut bytes, 0);
    zstd::wrap(out, start);
    if bytes.len() < out.len() - start {
        out.truncate(start);
        out.extend_from_slice(&bytes);
    }
}

fn write_smallest(out: &mut Vec<u8>, values: &[u64], signed: bool) {
    let start = out.len();
    Choice::of(values, signed, Widths::Any).write(out, values);
    let mut keep_smaller = |other: Vec<u8>| {
        if other.len() < out.len() - start {
            out.truncate(start);
            out.extend_from_slice(&other);
        }
    };
    let mut bytes = Vec::new();
    Delta::of(values, signed, Widths::Any).write(&mut bytes);
    keep_smaller(bytes);
    let runs = 1 + values.windows(2).filter(|pair| pair[0] != pair[1]).count();
    if runs <= values.len() / 2 {
        keep_smaller(write_runs(values, signed));
    }
    if let Some(patched) = write_patched(values, signed) {
        keep_smaller(patched);
    }
}

fn write_runs(values: &[u64], signed: bool) -> Vec<u8> {
    let (rows, lengths): (Vec<u64>, Vec<u64>) =
        values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).unzip();
    let mut out = vec![RUNS];
    write_varint(&mut out, rows.len() as u64);
    write_inner(&mut out, &rows, signed, Widths::Any);
    write_inner(&mut out, &lengths, false, Widths::Any);
    out
}

/// A frame for most rows and patches for the others, where the widths of the rows say that this can be smaller.
fn write_patched(values: &[u64], signed: bool) -> Option<Vec<u8>> {
    let flip = if signed { 1 << 63 } else { 0 };
    let low = values.iter().map(|value| value ^ flip).min()?;
    let mut counts = [0; 65];
    for value in values {
        counts[64 - ((value ^ flip) - low).leading_zeros() as usize] += 1;
    }
    let widest = counts.iter().rposition(|count| *count > 0)?;
    // A patch costs a position and a field of the widest.
    let position = 64 - (values.len() as u64).leading_zeros() as usize;
    let mut wider = 0;
    let mut best = (values.len() * widest, widest);
    for width in (0..widest).rev() {
        wider += counts[width + 1];
        let bits = values.len() * width + wider * (position + widest);
        best = best.min((bits, width));
    }
    let (_, width) = best;
    if width == widest {
        return None;
    }
    let fits = |value: &u64| ((value ^ flip) - low).leading_zeros() as usize >= 64 - width;
    let framed: Vec<u64> = values.iter().map(|v| if fits(v) { *v } else { low ^ flip }).collect();
    let (positions, patches): (Vec<u64>, Vec<u64>) =
        (0..).zip(values).filter(|(_, value)| !fits(value)).unzip();
    let mut out = vec![PATCHED];
    Choice::of(&framed, signed, Widths::Any).write(&mut out, &framed);
    write_varint(&mut out, positions.len() as u64);
    write_inner(&mut out, &positions, false, Widths::Any);
    write_inner(&mut out, &patches, signed, Widths::Any);
    Some(out)
}
