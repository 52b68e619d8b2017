//! Passes scalars to a visitor.

use alloc::borrow::ToOwned;
use alloc::string::ToString;

use serde::de::{Error as _, Unexpected, Visitor};

use super::error::unrepresentable;
use crate::dynamic::{Entry, OtherTypes, Tape, TextKind};
use crate::error::{Code, Error, Result};
use crate::kernel::text::short_utf8;
use crate::number::{IntKind, wide_of_big};
use crate::resolution::{
    FloatKind, Integer, narrow_exactly, nearest, nearest_of_integer, of_integer,
};

/// Shows a scalar as its own type; a container is an error.
pub(super) fn scalar<'de, V: Visitor<'de>>(
    tape: &Tape<'de>,
    node: Entry,
    visitor: V,
) -> Result<V::Value> {
    match node {
        Entry::Null => visitor.visit_unit(),
        Entry::Bool(value) => visitor.visit_bool(value),
        Entry::Int(kind, bits) => integer(kind, bits, visitor),
        Entry::Big(kind, span) => big(kind, tape.bytes_of(span), visitor),
        Entry::F16(value) => visitor.visit_f32(value.to_f32()),
        Entry::Bf16(value) => visitor.visit_f32(value.to_f32()),
        Entry::F32(value) => visitor.visit_f32(value),
        Entry::F64(value) => visitor.visit_f64(value),
        Entry::Char(value) => visitor.visit_char(value),
        Entry::Text(TextKind::String, span) => match tape.borrowed(span).map(short_utf8) {
            Some(Some(text)) => visitor.visit_borrowed_str(text),
            Some(None) => Err(Error::new(Code::InvalidUtf8)),
            None => visitor.visit_str(tape.text_of(span)),
        },
        Entry::Text(_, span) => match tape.borrowed(span) {
            Some(bytes) => visitor.visit_borrowed_bytes(bytes),
            None => visitor.visit_bytes(tape.bytes_of(span)),
        },
        Entry::Unknown => Err(unrepresentable("a value that this version knows", "another")),
        Entry::Items { .. } | Entry::Tensor { .. } => {
            Err(Error::invalid_type(Unexpected::Seq, &visitor))
        }
        Entry::Row { .. } | Entry::Map { .. } => {
            Err(Error::invalid_type(Unexpected::Map, &visitor))
        }
        Entry::Variant { .. } => Err(Error::invalid_type(Unexpected::Enum, &visitor)),
        // Handled before.
        Entry::Present
        | Entry::Choice(_)
        | Entry::Identity
        | Entry::Kept(_)
        | Entry::UnitVariant(_)
        | Entry::UnitStruct(_)
        | Entry::Some { .. }
        | Entry::Ref(_)
        | Entry::Logical { .. }
        | Entry::Extension { .. } => Err(Error::new(Code::BadSource)),
    }
}

fn integer<'de, V: Visitor<'de>>(kind: IntKind, bits: u64, visitor: V) -> Result<V::Value> {
    let signed = bits.cast_signed();
    match kind {
        IntKind::U8 => visitor.visit_u8(bits as u8),
        IntKind::U16 => visitor.visit_u16(bits as u16),
        IntKind::U32 => visitor.visit_u32(bits as u32),
        // Few visitors of any value accept numbers of 128 bits, so small ones are passed as 64 bits.
        IntKind::U64 | IntKind::U128 => visitor.visit_u64(bits),
        IntKind::I8 => visitor.visit_i8(signed as i8),
        IntKind::I16 => visitor.visit_i16(signed as i16),
        IntKind::I32 => visitor.visit_i32(signed as i32),
        IntKind::I64 | IntKind::I128 | IntKind::Int => visitor.visit_i64(signed),
    }
}

fn big<'de, V: Visitor<'de>>(kind: IntKind, bytes: &[u8], visitor: V) -> Result<V::Value> {
    if let Some(bits) = IntKind::U64.bits_of_big(bytes) {
        return visitor.visit_u64(bits);
    }
    let wide = wide_of_big(bytes);
    if kind != IntKind::U128 && IntKind::I128.holds_big(bytes) {
        return visitor.visit_i128(i128::from_le_bytes(wide));
    }
    if IntKind::U128.holds_big(bytes) {
        return visitor.visit_u128(u128::from_le_bytes(wide));
    }
    Err(unrepresentable("an integer of at most 128 bits", "a larger one"))
}

/// Shows a number as a float, if that is the same number. Text does not say whether digits without a fraction are of a float, so
/// the float is the nearest to them there.
pub(super) fn float<'de, V: Visitor<'de>>(
    tape: &Tape<'de>,
    node: Entry,
    kind: FloatKind,
    visitor: V,
) -> Result<V::Value> {
    let is_text = tape.other_types == OtherTypes::Text;
    let of_integer = |integer: Integer<'_>| match is_text {
        true => nearest_of_integer(kind, &integer),
        false => of_integer(kind, &integer),
    };
    let bits = match node {
        Entry::Int(of, bits) => of_integer(Integer::of_bits(of, bits)),
        Entry::Big(_, span) => of_integer(Integer::of_big(tape.bytes_of(span))),
        Entry::F64(value) if kind == FloatKind::F32 => match is_text {
            true => nearest(kind, value.to_bits()),
            false => narrow_exactly(kind, value.to_bits()),
        },
        _ => return scalar(tape, node, visitor),
    };
    match (bits, kind) {
        (Some(bits), FloatKind::F32) => visitor.visit_f32(f32::from_bits(bits as u32)),
        (Some(bits), _) => visitor.visit_f64(f64::from_bits(bits)),
        (None, _) => Err(inexact(node, kind)),
    }
}

#[cold]
fn inexact(node: Entry, kind: FloatKind) -> Error {
    Error::new(Code::Unconvertible)
        .expected(format!("a number that can be stored exactly as {kind:?}").to_lowercase())
        .got(match node {
            Entry::Int(of, bits) => Integer::of_bits(of, bits).to_string(),
            Entry::F64(value) => value.to_string(),
            _ => "a large integer".to_owned(),
        })
}
