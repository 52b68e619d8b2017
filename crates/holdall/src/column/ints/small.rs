//! Integers in profile small: whichever encoding is the smallest.

use super::{Delta, PATCHED, RUNS, Widths};
use crate::column::frame::{Choice, write_inner};
use crate::column::zstd;
use crate::number::write_varint;

/// The smallest of all encodings (F-63); then zstd over that, or over a frame of whole bytes, which it packs better.
pub(super) fn write(out: &mut Vec<u8>, values: &[u64], signed: bool) {
    let start = out.len();
    let frame = Choice::of(values, signed);
    let whole = Choice::of_whole_bytes(values, signed);
    let is_frame = write_smallest(out, values, signed, &frame);
    if is_frame && frame == whole {
        return zstd::wrap(out, start);
    }
    let mut bytes = Vec::new();
    whole.write(&mut bytes, values);
    zstd::wrap(&mut bytes, 0);
    zstd::wrap(out, start);
    if bytes.len() < out.len() - start {
        out.truncate(start);
        out.extend_from_slice(&bytes);
    }
}

/// Whether that is the frame.
fn write_smallest(out: &mut Vec<u8>, values: &[u64], signed: bool, frame: &Choice) -> bool {
    let start = out.len();
    let delta = Delta::of(values, signed);
    let mut is_frame = delta.size() >= frame.size();
    match is_frame {
        true => frame.write(out, values),
        false => delta.write(out),
    }
    let mut keep_smaller = |other: Vec<u8>| {
        if other.len() < out.len() - start {
            out.truncate(start);
            out.extend_from_slice(&other);
            is_frame = false;
        }
    };
    let runs = 1 + values.windows(2).filter(|pair| pair[0] != pair[1]).count();
    if runs <= values.len() / 2 {
        keep_smaller(write_runs(values, signed));
    }
    if let Some(patched) = write_patched(values, signed) {
        keep_smaller(patched);
    }
    let widths = Widths::of(values, signed);
    if 1 + widths.size() < (out.len() - start) as u128 {
        out.truncate(start);
        widths.write(out, values, signed);
        is_frame = false;
    }
    is_frame
}

fn write_runs(values: &[u64], signed: bool) -> Vec<u8> {
    let (rows, lengths): (Vec<u64>, Vec<u64>) =
        values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).unzip();
    let mut out = vec![RUNS];
    write_varint(&mut out, rows.len() as u64);
    write_inner(&mut out, &rows, signed);
    write_inner(&mut out, &lengths, false);
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
    Choice::of(&framed, signed).write(&mut out, &framed);
    write_varint(&mut out, positions.len() as u64);
    write_inner(&mut out, &positions, false);
    write_inner(&mut out, &patches, signed);
    Some(out)
}
