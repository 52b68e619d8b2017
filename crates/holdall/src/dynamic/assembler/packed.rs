//! Reads values from packed rows (F-70).

use half::{bf16, f16};

use super::Assembler;
use crate::dynamic::{Event, Sink};
use crate::error::{Code, Error, Result};
use crate::number::{IntKind, shorten_big};
use crate::schema::{Scalar, Type, TypeId};

impl<S: Sink> Assembler<'_, '_, '_, S> {
    /// Emits a value from a packed row's bytes and returns the bytes after it. The nesting limit of schemas bounds the recursion.
    pub(super) fn packed<'b>(&mut self, id: TypeId, bytes: &'b [u8]) -> Result<&'b [u8]> {
        let types = self.reader.types;
        match &types[id] {
            Type::Scalar(scalar) => packed_scalar(*scalar, bytes, self.sink),
            Type::Array(len, item) => {
                self.sink.event(Event::Array(*len as usize))?;
                let rest = (0..*len).try_fold(bytes, |rest, _| self.packed(*item, rest))?;
                self.sink.event(Event::End)?;
                Ok(rest)
            }
            Type::Tuple(items) => {
                self.sink.event(Event::Tuple(items.len()))?;
                self.packed_members(items.iter().copied(), bytes)
            }
            Type::Record(fields) => {
                self.sink.event(Event::Record(self.reader.shapes.of_type(id)))?;
                self.packed_members(fields.fields.iter().map(|(_, field)| *field), bytes)
            }
            Type::Struct(name, fields) => {
                self.sink.event(Event::Struct(name, self.reader.shapes.of_type(id)))?;
                self.packed_members(fields.fields.iter().map(|(_, field)| *field), bytes)
            }
            Type::Logical(ty, storage) => {
                self.sink.event(Event::Logical(ty))?;
                self.packed_members(core::iter::once(*storage), bytes)
            }
            Type::Extension(name, inside) => {
                self.sink.event(Event::Extension(name))?;
                self.packed_members(core::iter::once(*inside), bytes)
            }
            // No other type is packable (F-70).
            _ => Err(Error::new(Code::BadPacked)),
        }
    }

    fn packed_members<'b>(
        &mut self,
        mut members: impl Iterator<Item = TypeId>,
        bytes: &'b [u8],
    ) -> Result<&'b [u8]> {
        let rest = members.try_fold(bytes, |rest, member| self.packed(member, rest))?;
        self.sink.event(Event::End)?;
        Ok(rest)
    }
}

/// Emits a scalar of a fixed width and returns the bytes after it.
pub(crate) fn packed_scalar<'b>(
    scalar: Scalar,
    bytes: &'b [u8],
    sink: &mut impl Sink,
) -> Result<&'b [u8]> {
    let (own, rest) = bytes.split_at(scalar.width().unwrap_or(0) as usize);
    let mut wide = [0; 8];
    if own.len() <= 8 {
        wide[..own.len()].copy_from_slice(own);
    }
    let bits = u64::from_le_bytes(wide);
    match scalar {
        Scalar::Bool => sink.event(Event::Bool(bits != 0))?,
        Scalar::Int(kind) => packed_int(kind, own, bits, sink)?,
        Scalar::F16 => sink.event(Event::F16(f16::from_bits(bits as u16)))?,
        Scalar::Bf16 => sink.event(Event::Bf16(bf16::from_bits(bits as u16)))?,
        Scalar::F32 => sink.event(Event::F32(f32::from_bits(bits as u32)))?,
        Scalar::F64 => sink.event(Event::F64(f64::from_bits(bits)))?,
        _ => sink.event(Event::Fixed(own))?,
    }
    Ok(rest)
}

/// Emits an integer, given its bytes and the same bytes zero-extended to 64 bits.
fn packed_int(kind: IntKind, bytes: &[u8], bits: u64, sink: &mut impl Sink) -> Result<()> {
    if bytes.len() <= 8 {
        let unused = 64 - 8 * bytes.len() as u32;
        let bits = match kind.is_signed() {
            true => (bits << unused).cast_signed() >> unused,
            false => bits.cast_signed(),
        };
        return sink.event(Event::FixedInt(kind, bits.cast_unsigned()));
    }
    let mut big = [0; 17];
    big[..16].copy_from_slice(bytes);
    // An unsigned number needs a zero byte in front, because its highest bit is not a sign.
    let len = if kind.is_signed() { 16 } else { 17 };
    let big = shorten_big(&big[..len]);
    match kind.bits_of_big(big) {
        Some(bits) => sink.event(Event::FixedInt(kind, bits)),
        None => sink.event(Event::BigInt(kind, big)),
    }
}
