//! Floats to bytes, in the encoding that the profile chooses.

use super::{CONSTANT, DECIMAL, NARROWED, PLANES, POWERS, RAW, widen};
use crate::column::FEW;
use crate::column::frame::{Widths, write_inner};
use crate::column::zstd;
use crate::message::Profile;
use crate::number::write_varint;

/// Numbers whose digits are whole numbers up to this are exact in f64.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Rows from which an exponent is guessed.
const SAMPLE: usize = 64;

/// A float as its bytes on the wire.
pub(crate) trait Float: Copy {
    type Bytes: AsRef<[u8]> + PartialEq;
    fn wire(self) -> Self::Bytes;
    /// Appends encodings of profile small that only this width has, if they are smaller than raw.
    fn write_special(values: &[Self], candidates: &mut Vec<Vec<u8>>);
}

impl Float for f32 {
    type Bytes = [u8; 4];
    fn wire(self) -> [u8; 4] {
        self.to_le_bytes()
    }
    fn write_special(_values: &[f32], _candidates: &mut Vec<Vec<u8>>) {}
}

impl Float for f64 {
    type Bytes = [u8; 8];
    fn wire(self) -> [u8; 8] {
        self.to_le_bytes()
    }
    fn write_special(values: &[f64], candidates: &mut Vec<Vec<u8>>) {
        candidates.extend(narrowed(values));
        candidates.extend(decimal(values));
    }
}

/// Appends a column.
pub(crate) fn write<F: Float>(out: &mut Vec<u8>, values: &[F], profile: Profile) {
    let Some(&first) = values.first() else { return };
    let start = out.len();
    if values.len() >= FEW {
        let first = first.wire();
        if values.iter().all(|value| value.wire() == first) {
            out.push(CONSTANT);
            return out.extend_from_slice(first.as_ref());
        }
        out.push(RAW);
    }
    out.reserve(size_of_val(values));
    values.iter().for_each(|value| out.extend_from_slice(value.wire().as_ref()));
    if values.len() >= FEW && profile == Profile::Small {
        write_small(out, start, values);
    }
}

/// Puts the smallest of all encodings in the place of a raw column (F-63).
fn write_small<F: Float>(out: &mut Vec<u8>, start: usize, values: &[F]) {
    let mut candidates = vec![planes(&out[start + 1..], values.len())];
    F::write_special(values, &mut candidates);
    zstd::wrap(out, start);
    for mut candidate in candidates {
        zstd::wrap(&mut candidate, 0);
        if candidate.len() < out.len() - start {
            out.truncate(start);
            out.extend_from_slice(&candidate);
        }
    }
}

fn planes(raw: &[u8], rows: usize) -> Vec<u8> {
    let width = raw.len() / rows;
    let mut out = vec![PLANES];
    for byte in 0..width {
        let plane = || raw.iter().skip(byte).step_by(width);
        match plane().next() {
            Some(first) if plane().all(|byte| byte == first) => out.extend([1, *first]),
            _ => {
                out.push(0);
                out.extend(plane());
            }
        }
    }
    out
}

fn narrowed(values: &[f64]) -> Option<Vec<u8>> {
    let mut out = vec![NARROWED];
    for value in values {
        let narrow = narrow(value.to_bits())?;
        out.extend_from_slice(&narrow.to_le_bytes());
    }
    Some(out)
}

/// The f32 that widens to just these bits.
fn narrow(bits: u64) -> Option<u32> {
    let float = f64::from_bits(bits);
    let narrow = if float.is_nan() {
        ((bits >> 63) as u32) << 31 | 0xFF << 23 | (bits >> 29) as u32 & 0x7F_FFFF
    } else {
        (float as f32).to_bits()
    };
    (widen(narrow) == bits).then_some(narrow)
}

/// Digits and a common exponent, where most rows are decimal numbers; the idea is that of ALP (Afroozeh, Kuffo and Boncz,
/// "ALP: Adaptive Lossless floating-Point Compression", 2023), with a division, which is rounded correctly.
fn decimal(values: &[f64]) -> Option<Vec<u8>> {
    let step = (values.len() / SAMPLE).max(1);
    let sample: Vec<f64> = values.iter().copied().step_by(step).take(SAMPLE).collect();
    let fitting = |exponent: &u8| {
        let fits = sample.iter().filter(|value| digits(**value, *exponent).is_some()).count();
        // Of equal ones the smaller exponent: its digits are fewer.
        (fits, u8::MAX - exponent)
    };
    let exponent = (0..POWERS.len() as u8).max_by_key(fitting)?;
    if fitting(&exponent).0 * 4 < sample.len() * 3 {
        return None;
    }
    let (mut rows, mut positions, mut exceptions) =
        (Vec::with_capacity(values.len()), Vec::new(), Vec::new());
    let filler = sample.iter().find_map(|value| digits(*value, exponent)).unwrap_or(0);
    for (position, &value) in (0u64..).zip(values) {
        rows.push(digits(value, exponent).unwrap_or_else(|| {
            positions.push(position);
            exceptions.push(value);
            filler
        }));
    }
    let mut out = vec![DECIMAL, exponent];
    write_inner(&mut out, &rows, true, Widths::Any);
    write_varint(&mut out, positions.len() as u64);
    if !positions.is_empty() {
        write_inner(&mut out, &positions, false, Widths::Any);
        exceptions.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
    }
    Some(out)
}

/// The whole number that, divided by the power of ten, is just this float.
fn digits(value: f64, exponent: u8) -> Option<u64> {
    let power = POWERS[usize::from(exponent)];
    let scaled = (value * power).round_ties_even();
    // By way of the integer, which has no -0.
    let whole = scaled as i64;
    let exact = scaled.abs() <= EXACT && (whole as f64 / power).to_bits() == value.to_bits();
    exact.then_some(whole.cast_unsigned())
}
