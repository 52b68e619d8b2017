//! Entries as the events that they record.

use super::{Entry, ItemsKind, Tape, TextKind};
use crate::dynamic::{Event, Sink};
use crate::error::{Code, Error, Result};

impl Entry {
    /// Returns the position after the contents of a container that [`Tape::emit`] only begins.
    #[inline]
    pub(crate) fn end_of_begun(mut self) -> Option<usize> {
        match self {
            Entry::Tensor { .. } => None,
            _ => self.end_mut().copied(),
        }
    }
}

impl Tape<'_> {
    /// Emits a scalar, a tensor, or the begin of a container. References, choices and identities, and what serde alone
    /// records, are up to the caller.
    // Each arm names one event, so inlining reduces it to one call.
    #[inline(always)]
    pub(crate) fn emit(&self, entry: Entry, to: &mut impl Sink) -> Result<()> {
        match entry {
            // A present option of null; values have one null.
            Entry::Null | Entry::Present => to.event(Event::Null),
            Entry::Bool(value) => to.event(Event::Bool(value)),
            Entry::Int(kind, bits) => to.event(Event::FixedInt(kind, bits)),
            Entry::Big(kind, span) => to.event(Event::BigInt(kind, self.bytes_of(span))),
            Entry::F16(value) => to.event(Event::F16(value)),
            Entry::Bf16(value) => to.event(Event::Bf16(value)),
            Entry::F32(value) => to.event(Event::F32(value)),
            Entry::F64(value) => to.event(Event::F64(value)),
            Entry::Text(TextKind::String, span) => to.event(Event::String(self.text_of(span))),
            Entry::Text(TextKind::Bytes, span) => to.event(Event::Bytes(self.bytes_of(span))),
            Entry::Text(TextKind::Fixed, span) => to.event(Event::Fixed(self.bytes_of(span))),
            Entry::Unknown => to.event(Event::Unknown),
            Entry::Items { kind: ItemsKind::List, len, .. } => to.event(Event::List(len)),
            Entry::Items { kind: ItemsKind::Tuple, len, .. } => to.event(Event::Tuple(len)),
            Entry::Items { kind: ItemsKind::Array, len, .. } => to.event(Event::Array(len)),
            Entry::Row { shape, .. } => {
                let row = self.shape(shape);
                match &row.name {
                    Some(name) => to.event(Event::Struct(name, &row.shape)),
                    None => to.event(Event::Record(&row.shape)),
                }
            }
            Entry::Map { len, .. } => to.event(Event::Map(len)),
            Entry::Variant { name, .. } => to.event(Event::Variant(self.name(name))),
            Entry::Logical { ty, .. } => to.event(Event::Logical(self.ty(ty))),
            Entry::Extension { name, .. } => to.event(Event::Extension(self.name(name))),
            Entry::Tensor { number, .. } => self.tensor_at(number).emit(to),
            Entry::Ref(_)
            | Entry::Choice(_)
            | Entry::Identity
            | Entry::Char(_)
            | Entry::Kept(_)
            | Entry::UnitVariant(_)
            | Entry::UnitStruct(_)
            | Entry::Some { .. } => Err(Error::new(Code::BadSource).expected("an event")),
        }
    }
}
