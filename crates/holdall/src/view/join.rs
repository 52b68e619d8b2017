//! Joins the columns of several blocks.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::column::{Column, Spans, Strings, TextBytes, Values, WideInts};
use crate::column::ints::IntBuffer;
use crate::error::{Code, Error, Result};
use crate::memory::{self, Grow, GrowVec};
use crate::number::IntKind;

impl Column<'_> {
    /// Appends the entries of another block.
    pub(super) fn append(&mut self, mut other: Column<'_>) -> Result<()> {
        // A block of nulls alone has no other type: next to values, its entries are absent.
        match (&self.values, &other.values) {
            (Values::Null(_), Values::Null(_)) => {}
            (Values::Null(1..), _) => *self = Column::absent(self.len),
            (_, Values::Null(1..)) => other = Column::absent(other.len),
            _ => {}
        }
        let (own, more) = (self.present.take(), other.present);
        if own.is_some() || more.is_some() {
            let mut present = own.unwrap_or_else(|| memory::filled(true, self.len));
            match more {
                Some(more) => present.put_each(more),
                None => present.put_fill(self.len + other.len, true),
            }
            self.present = Some(present);
        }
        self.len += other.len;
        append(&mut self.values, other.values)
    }
}

/// Converts numbers of type int to the kind that holds more than 64 bits.
fn widened(rows: &[i64]) -> WideInts {
    let values = memory::collected(rows.iter().map(|row| row.cast_unsigned()));
    WideInts { kind: IntKind::Int, ints: IntBuffer::of(values) }
}

fn append(own: &mut Values<'_>, more: Values<'_>) -> Result<()> {
    macro_rules! same {
        ($($variant:ident)*) => {
            match (own, more) {
                // Without numbers there is no type.
                (_, more) if more.is_empty() => {}
                $((Values::$variant(rows), Values::$variant(more)) => {
                    memory::to_mut(rows).put_slice(&more);
                })*
                (Values::Null(rows), Values::Null(more)) | (Values::Unknown(rows), Values::Unknown(more)) => *rows += more,
                (Values::Bools(rows), Values::Bools(more)) => rows.put_each(more),
                (Values::Variants(rows), Values::Variants(more)) => rows.put_each(more),
                (Values::Wide(rows), Values::Wide(more)) if rows.kind == more.kind => rows.append(&more),
                (Values::Wide(rows), Values::Int(more)) if rows.kind == IntKind::Int => {
                    rows.append(&widened(&more));
                }
                (own @ Values::Int(_), Values::Wide(more)) if more.kind == IntKind::Int => {
                    let mut rows = match &own {
                        Values::Int(rows) => widened(rows),
                        _ => widened(&[]),
                    };
                    rows.append(&more);
                    *own = Values::Wide(rows);
                }
                (Values::Strings(rows), Values::Strings(more)) => rows.append(&more),
                (Values::Bytes(rows), Values::Bytes(more)) => rows.append(&more),
                (
                    Values::Fixed { rows, width, bytes },
                    Values::Fixed { rows: count, width: other, bytes: more },
                ) if *width == other => {
                    *rows += count;
                    memory::to_mut(bytes).put_slice(&more);
                }
                (Values::Packed { dtype, bytes }, Values::Packed { dtype: other, bytes: more }) if *dtype == other => {
                    memory::to_mut(bytes).put_slice(&more);
                }
                (Values::Tensors(rows), Values::Tensors(more)) if rows.dtype == more.dtype => {
                    let owned = more.rows.into_iter().map(|(shape, order, elements)| {
                        (shape, order, Cow::Owned(memory::owned(elements)))
                    });
                    rows.rows.put_each(owned);
                }
                (Values::Lists { offsets }, Values::Lists { offsets: more }) => {
                    let end = offsets.last().copied().unwrap_or(0);
                    offsets.put_each(more.iter().skip(1).map(|offset| end + offset));
                }
                (Values::Arrays { rows, len }, Values::Arrays { rows: more, len: other }) if *len == other => *rows += more,
                (own, more) if own.is_empty() => *own = more.into_owned(),
                (_, _) => return Err(other_type()),
            }
        };
    }
    same!(U8 U16 U32 U64 I8 I16 I32 I64 Int F16 Bf16 F32 F64);
    Ok(())
}

#[cold]
fn other_type() -> Error {
    Error::new(Code::Incompatible)
        .expected("a column with the same type in all blocks; read the blocks one by one")
        .got("a different type in a later block")
}

impl Values<'_> {
    /// Returns a copy that owns its memory.
    #[must_use]
    pub fn into_owned(self) -> Values<'static> {
        macro_rules! owned {
            ($($variant:ident)*) => {
                match self {
                    $(Values::$variant(rows) => Values::$variant(Cow::Owned(memory::owned(rows))),)*
                    Values::Null(rows) => Values::Null(rows),
                    Values::Unknown(rows) => Values::Unknown(rows),
                    Values::Bools(rows) => Values::Bools(rows),
                    Values::Variants(rows) => Values::Variants(rows),
                    Values::Wide(rows) => Values::Wide(rows),
                    Values::Strings(rows) => Values::Strings(rows.into_owned()),
                    Values::Bytes(rows) => Values::Bytes(rows.into_owned()),
                    Values::Fixed { rows, width, bytes } => {
                        Values::Fixed { rows, width, bytes: Cow::Owned(memory::owned(bytes)) }
                    }
                    Values::Packed { dtype, bytes } => {
                        Values::Packed { dtype, bytes: Cow::Owned(memory::owned(bytes)) }
                    }
                    Values::Tensors(rows) => Values::Tensors(rows.into_owned()),
                    Values::Lists { offsets } => Values::Lists { offsets },
                    Values::Arrays { rows, len } => Values::Arrays { rows, len },
                }
            };
        }
        owned!(U8 U16 U32 U64 I8 I16 I32 I64 Int F16 Bf16 F32 F64)
    }
}

impl Column<'_> {
    /// Returns a copy that owns its memory.
    #[must_use]
    pub fn into_owned(self) -> Column<'static> {
        Column { len: self.len, present: self.present, values: self.values.into_owned() }
    }
}

impl WideInts {
    fn append(&mut self, more: &WideInts) {
        self.ints.append(&more.ints);
    }
}

impl Strings<'_> {
    fn append(&mut self, more: &Strings<'_>) {
        self.spans.append(&more.spans, self.text.len());
        if let Cow::Borrowed(text) = self.text {
            self.text = Cow::Owned(memory::text(text));
        }
        let text = self.text.to_mut();
        text.room(more.text.len());
        text.room(more.text.len());
        text.push_str(&more.text);
    }
}

impl TextBytes<'_> {
    fn append(&mut self, more: &TextBytes<'_>) {
        self.spans.append(&more.spans, self.bytes.len());
        memory::to_mut(&mut self.bytes).put_slice(&more.bytes);
    }
}

impl Spans {
    /// Appends rows whose bytes begin at this offset.
    fn append(&mut self, more: &Spans, len: usize) {
        if let (Spans::Plain(bounds), Spans::Plain(more)) = (&mut *self, more) {
            let skip = usize::from(!bounds.is_empty());
            return bounds.put_each(more.iter().skip(skip).map(|bound| len + bound));
        }
        let (mut bounds, mut entries) =
            core::mem::replace(self, Spans::Plain(Vec::new())).into_entries();
        let (more_bounds, more_entries) = more.clone().into_entries();
        // The gap between the last bound and the first new one is an entry that no row uses.
        let before = bounds.len() as u64;
        bounds.put_each(more_bounds.iter().map(|bound| len + bound));
        entries.put_each(more_entries.iter().map(|entry| before + entry));
        *self = Spans::Entries { bounds, entries };
    }

    fn into_entries(self) -> (Vec<usize>, Vec<u64>) {
        match self {
            Spans::Plain(bounds) => {
                let rows = bounds.len().saturating_sub(1) as u64;
                (bounds, memory::collected(0..rows))
            }
            Spans::Entries { bounds, entries } => (bounds, entries),
        }
    }
}
