//! Writes columns of floats (F-30), in the encodings that each profile chooses (F-43, F-63, F-93).

use alloc::vec::Vec;

use crate::memory::{self, GrowVec};
use core::mem;

use half::{bf16, f16};

use super::decimal::Decimal;
use super::{CONSTANT, PATTERNS, RAW};
use crate::column::ints::{Candidates, keep_smaller};
use crate::column::pieces::{self, Apart, Payload};
use crate::column::{MIN_ENCODED_ROWS, Profile, Settings};
use crate::kernel::{IS_FORMAT_ORDER, raw};

/// A float as its bytes on the wire.
pub trait Float: Copy {
    type Bytes: AsRef<[u8]> + PartialEq;
    fn wire(self) -> Self::Bytes;
    fn bits(self) -> u64;
    /// Appends rows as in a raw column.
    fn write_raw(out: &mut Vec<u8>, values: &[Self]);
    /// The rows as decimals, if their width allows it and most of them are decimal.
    fn decimal(values: &[Self]) -> Option<Decimal>;
}

macro_rules! float {
    ($($float:ty, $decimal:expr;)*) => {
        $(impl Float for $float {
            type Bytes = [u8; size_of::<$float>()];
            fn wire(self) -> Self::Bytes {
                self.to_le_bytes()
            }
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn write_raw(out: &mut Vec<u8>, values: &[$float]) {
                raw::append(out, values);
            }
            fn decimal(values: &[Self]) -> Option<Decimal> {
                let decimal: fn(&[Self]) -> Option<Decimal> = $decimal;
                decimal(values)
            }
        })*
    };
}

float! {
    f16, |_| None;
    bf16, |_| None;
    f32, |_| None;
    f64, Decimal::of;
}

/// The number of bytes that a column takes in profile fast, not aligned.
pub fn len_of<F: Float>(values: &[F]) -> usize {
    match values {
        [first, _, _, _, ..] if is_constant(*first, values) => 1 + size_of::<F>(),
        _ => usize::from(values.len() >= MIN_ENCODED_ROWS) + size_of_val(values),
    }
}

fn is_constant<F: Float>(first: F, values: &[F]) -> bool {
    let first = first.wire();
    values.iter().all(|value| value.wire() == first)
}

/// Appends a column. A large payload whose memory has the written layout becomes a piece of its own, without a copy.
pub fn write_apart(
    out: &mut Vec<u8>,
    values: &mut Vec<f64>,
    settings: Settings,
    apart: &mut Apart,
) {
    let len = size_of_val(&values[..]);
    let is_raw = IS_FORMAT_ORDER && !settings.profile.is_small();
    if len < pieces::MIN_PIECE || !is_raw || is_constant(values[0], values) {
        return write(out, values, settings);
    }
    if !write_decimal(out, values, settings.profile) {
        out.put(RAW);
        settings.pad(out, len);
        apart.push(out, Payload::Doubles(mem::take(values)));
    }
}

/// Appends a column.
pub fn write<F: Float>(out: &mut Vec<u8>, values: &[F], settings: Settings) {
    let Some(&first) = values.first() else { return };
    if values.len() < MIN_ENCODED_ROWS {
        return F::write_raw(out, values);
    }
    if is_constant(first, values) {
        out.put(CONSTANT);
        return out.put_slice(first.wire().as_ref());
    }
    if settings.profile.is_small() {
        return write_small(out, values, settings);
    }
    if !write_decimal(out, values, settings.profile) {
        out.put(RAW);
        settings.pad(out, size_of_val(values));
        F::write_raw(out, values);
    }
}

/// Appends a column of 4 or more rows as decimals, if the profile chooses that (F-93).
fn write_decimal<F: Float>(out: &mut Vec<u8>, values: &[F], profile: Profile) -> bool {
    let raw = 1 + size_of_val(values);
    profile == Profile::Balanced
        && F::decimal(values).is_some_and(|decimal| decimal.write_below(out, raw))
}

/// Appends the smallest of all encodings (F-63).
fn write_small<F: Float>(out: &mut Vec<u8>, values: &[F], settings: Settings) {
    let start = out.len();
    let raw = 1 + size_of_val(values);
    if let Some(decimal) = F::decimal(values) {
        decimal.write_small(out);
        // No other encoding is near that size.
        if out.len() - start <= raw / 2 {
            return;
        }
    }
    let patterns: Vec<u64> = memory::collected(values.iter().map(|value| value.bits()));
    let mut column = Vec::new();
    Candidates::of(&patterns, false).wrap_smallest(&mut column, &[PATTERNS], &[]);
    keep_smaller(out, start, &column);
    if out.len() - start >= raw {
        out.truncate(start);
        out.put(RAW);
        settings.pad(out, size_of_val(values));
        F::write_raw(out, values);
    }
}
