//! Reads scalars from the tape, emits them to a sink, and writes them as bytes.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use half::{bf16, f16};

use super::floats::{self, FloatKind};
use super::integers::Integer;
use super::plan::{PlanStep, ResolutionPlan, StepId};
use super::rules::{Rule, Scale};
use crate::dynamic::{Entry, Event, Tape, TextKind};
use crate::memory::GrowVec;
use crate::number::IntKind;
use crate::schema::Type;

/// A scalar to emit for r.
pub(super) enum ScalarOut<'t> {
    Null,
    Bool(bool),
    Int(IntKind, Integer<'t>),
    Float(FloatKind, u64),
    String(&'t str),
    Bytes(&'t [u8]),
    Fixed(&'t [u8]),
    Unknown,
}

impl ResolutionPlan {
    /// Reads the scalar at a position of the tape as a type of r. Returns `None` if it does not fit.
    pub(super) fn scalar<'t>(
        &self,
        tape: &'t Tape<'static>,
        at: usize,
        step: StepId,
        scale: Option<Scale>,
    ) -> Option<ScalarOut<'t>> {
        let entry = tape.entries[at];
        let rule = match self.step(step) {
            PlanStep::Null => return Some(ScalarOut::Null),
            PlanStep::Rule(rule) => rule,
            _ => return None,
        };
        Some(match (rule, entry) {
            (Rule::Same | Rule::Options(_) | Rule::SerdeOptions(_), Entry::Null) => ScalarOut::Null,
            (Rule::Same, Entry::Bool(value)) => ScalarOut::Bool(value),
            (Rule::Same, Entry::Text(TextKind::String, span)) => {
                ScalarOut::String(tape.text_of(span))
            }
            (Rule::Same, Entry::Text(TextKind::Bytes, span)) => {
                ScalarOut::Bytes(tape.bytes_of(span))
            }
            (Rule::Same, Entry::Unknown)
                if matches!(self.types.get(self.sides(step).1), Type::Unknown(..)) =>
            {
                ScalarOut::Unknown
            }
            (Rule::Int(kind), entry) => {
                let integer = integer(tape, entry)?;
                let integer = match scale {
                    None => integer,
                    Some(Scale::Times(factor)) => integer.times(factor),
                    Some(Scale::Divided(divisor)) => integer.divided(divisor)?,
                };
                if !integer.fits(*kind) {
                    return None;
                }
                ScalarOut::Int(*kind, integer)
            }
            (Rule::IntAsFloat(kind), entry) => {
                ScalarOut::Float(*kind, floats::of_integer(*kind, &integer(tape, entry)?)?)
            }
            (Rule::Float(kind), entry) => {
                let (from, bits) = float(entry)?;
                let wide = floats::widen(from, bits);
                ScalarOut::Float(
                    *kind,
                    match self.round {
                        true => floats::round(*kind, wide),
                        false => floats::narrow_exactly(*kind, wide)?,
                    },
                )
            }
            (Rule::Blob(len), Entry::Text(TextKind::Bytes | TextKind::Fixed, span)) => {
                let bytes = tape.bytes_of(span);
                match len {
                    None => ScalarOut::Bytes(bytes),
                    Some(len) if *len == bytes.len() as u64 => ScalarOut::Fixed(bytes),
                    Some(_) => return None,
                }
            }
            _ => return None,
        })
    }
}

impl ScalarOut<'_> {
    /// Returns the event that emits it; `buffer` is for the bytes of a big integer.
    pub(super) fn event<'e>(&'e self, buffer: &'e mut [u8; 17]) -> Event<'e> {
        match self {
            ScalarOut::Null => Event::Null,
            ScalarOut::Bool(value) => Event::Bool(*value),
            ScalarOut::Int(kind, integer) => integer.event(*kind, buffer),
            ScalarOut::Float(FloatKind::F16, bits) => Event::F16(f16::from_bits(*bits as u16)),
            ScalarOut::Float(FloatKind::Bf16, bits) => Event::Bf16(bf16::from_bits(*bits as u16)),
            ScalarOut::Float(FloatKind::F32, bits) => Event::F32(f32::from_bits(*bits as u32)),
            ScalarOut::Float(FloatKind::F64, bits) => Event::F64(f64::from_bits(*bits)),
            ScalarOut::String(text) => Event::String(text),
            ScalarOut::Bytes(bytes) => Event::Bytes(bytes),
            ScalarOut::Fixed(bytes) => Event::Fixed(bytes),
            ScalarOut::Unknown => Event::Unknown,
        }
    }

    /// Returns the units that it costs in addition to those of its row.
    pub(super) fn units(&self) -> usize {
        match self {
            ScalarOut::String(text) => text.len(),
            ScalarOut::Bytes(bytes) | ScalarOut::Fixed(bytes) => bytes.len(),
            ScalarOut::Int(_, Integer::Big(bytes)) => bytes.len(),
            _ => 0,
        }
    }

    /// Appends the bytes it has in a tensor or byte string (F-70).
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            ScalarOut::Bool(value) => out.put(u8::from(*value)),
            ScalarOut::Int(kind, integer) => integer.write(kind.width().unwrap_or(0) as usize, out),
            ScalarOut::Float(kind, bits) => {
                out.put_slice(&bits.to_le_bytes()[..kind.width()]);
            }
            ScalarOut::Fixed(bytes) => out.put_slice(bytes),
            // No other type can be the element of a tensor.
            ScalarOut::Null | ScalarOut::String(_) | ScalarOut::Bytes(_) | ScalarOut::Unknown => {}
        }
    }
}

/// Returns an entry as an integer.
pub(super) fn integer<'t>(tape: &'t Tape<'_>, entry: Entry) -> Option<Integer<'t>> {
    match entry {
        Entry::Int(kind, bits) => Some(Integer::of_bits(kind, bits)),
        Entry::Big(_, span) => Some(Integer::of_big(tape.bytes_of(span))),
        _ => None,
    }
}

/// Returns an entry as a kind of float, and its bits.
fn float(entry: Entry) -> Option<(FloatKind, u64)> {
    Some(match entry {
        Entry::F16(value) => (FloatKind::F16, value.to_bits().into()),
        Entry::Bf16(value) => (FloatKind::Bf16, value.to_bits().into()),
        Entry::F32(value) => (FloatKind::F32, value.to_bits().into()),
        Entry::F64(value) => (FloatKind::F64, value.to_bits()),
        _ => return None,
    })
}

/// Describes an entry for errors.
pub(super) fn describe(tape: &Tape<'_>, entry: Entry) -> String {
    match entry {
        Entry::Null => "null".to_owned(),
        Entry::Bool(value) => value.to_string(),
        Entry::Int(..) | Entry::Big(..) => {
            integer(tape, entry).map_or_else(String::new, |integer| integer.to_string())
        }
        Entry::Items { len, .. } => format!("{len} items"),
        Entry::Text(TextKind::Bytes | TextKind::Fixed, span) => {
            format!("{} bytes", tape.bytes_of(span).len())
        }
        Entry::Tensor { number, .. } => format!("rank {}", tape.tensor_at(number).rank()),
        Entry::Unknown => "a value that this version does not know".to_owned(),
        entry => match float(entry) {
            Some((kind, bits)) => f64::from_bits(floats::widen(kind, bits)).to_string(),
            None => "a value".to_owned(),
        },
    }
}
