//! Rows as text for people.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use half::{bf16, f16};

use crate::input::trace::{Tracer, cut, cut_bytes};
use crate::number::IntKind;
use crate::schema::Scalar;

/// A number of 64 bits.
pub fn number_text(bits: u64, signed: bool) -> String {
    if signed { bits.cast_signed().to_string() } else { bits.to_string() }
}

/// A big in two's complement; the bytes of a number that is too long for people.
pub fn big_text(big: &[u8]) -> String {
    if big.len() <= 16 || (big.len() == 17 && big[16] == 0) {
        let is_negative = big.last().is_some_and(|last| last & 0x80 != 0);
        let mut word = [if is_negative { 0xFF } else { 0 }; 16];
        let len = big.len().min(16);
        word[..len].copy_from_slice(&big[..len]);
        return if is_negative {
            i128::from_le_bytes(word).to_string()
        } else {
            u128::from_le_bytes(word).to_string()
        };
    }
    format!("an integer of {} bytes", big.len())
}

pub fn text(value: &str) -> String {
    let (start, is_cut) = cut(value);
    format!("{start:?}{}", if is_cut { "…" } else { "" })
}

pub fn bytes(value: &[u8]) -> String {
    let (start, is_cut) = cut_bytes(value);
    format!("b\"{}\"{}", start.escape_ascii(), if is_cut { "…" } else { "" })
}

pub fn hex(value: &[u8]) -> String {
    let (start, is_cut) = cut_bytes(value);
    let digits: Vec<String> = start.iter().map(|byte| format!("{byte:02X}")).collect();
    digits.join(" ") + if is_cut { "…" } else { "" }
}

/// One value of a scalar type of fixed width.
pub fn scalar_text(scalar: Scalar, value: &[u8]) -> String {
    let word = || {
        let mut word = [0; 8];
        let len = value.len().min(8);
        word[..len].copy_from_slice(&value[..len]);
        u64::from_le_bytes(word)
    };
    match scalar {
        Scalar::Bool => (word() != 0).to_string(),
        Scalar::Int(IntKind::I8) => (word() as i8).to_string(),
        Scalar::Int(IntKind::I16) => (word() as i16).to_string(),
        Scalar::Int(IntKind::I32) => (word() as i32).to_string(),
        Scalar::Int(IntKind::I64) => word().cast_signed().to_string(),
        Scalar::Int(IntKind::U128) => big_text(&[value, &[0]].concat()),
        Scalar::Int(_) if value.len() > 8 => big_text(value),
        Scalar::Int(_) => word().to_string(),
        Scalar::F16 => format!("{:?}", f16::from_bits(word() as u16)),
        Scalar::Bf16 => format!("{:?}", bf16::from_bits(word() as u16)),
        Scalar::F32 => format!("{:?}", f32::from_bits(word() as u32)),
        Scalar::F64 => format!("{:?}", f64::from_bits(word())),
        Scalar::String | Scalar::Bytes | Scalar::Fixed(_) => hex(value),
    }
}

/// Shows consecutive values of a fixed width. Shows nothing for types that are not scalars.
pub fn rows_of(tracer: &Tracer, scalar: Option<Scalar>, width: u64, values: &[u8]) {
    let (Some(scalar), Ok(width @ 1..)) = (scalar, usize::try_from(width)) else { return };
    let value = |row: usize| Some(scalar_text(scalar, &values[row * width..(row + 1) * width]));
    tracer.preview_column(values.len() / width, value);
}

/// Shows the entries of a dictionary.
pub fn entries(tracer: &Tracer, lengths: &[u64], all: &[u8]) {
    let mut rest = all;
    tracer.preview(lengths.len(), |row| {
        let (entry, after) = rest.split_at_checked(usize::try_from(lengths[row]).ok()?)?;
        rest = after;
        Some(core::str::from_utf8(entry).map_or_else(|_| bytes(entry), text))
    });
}
