//! What a reader tells of a message, kept so that it can be told again from any place.
//!
//! A value that comes again can be read into several types, also while it is not yet whole; fields change their places. So
//! the values of a message are looked at in another order than that of its bytes, and more than once. An entry takes 24
//! bytes, a container one more than what is inside.

use std::collections::HashMap;
use std::sync::Arc;

use half::{bf16, f16};

use super::convert::charge;
use super::floats::FloatKind;
use super::integers::Integer;
use crate::dynamic::{RowId, Sink, TensorRef};
use crate::error::{Code, Error, Result};
use crate::limits::Budget;
use crate::number::IntKind;
use crate::schema::{DType, LogicalType, Shape};

/// Bytes of the tape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Null,
    Bool(bool),
    Int(IntKind, u64),
    Big(Span),
    Float(FloatKind, u64),
    String(Span),
    Bytes(Span),
    Fixed(Span),
    /// By its number.
    Tensor(usize),
    Unknown,
    /// A list, array or tuple, and the place behind it.
    Items {
        len: usize,
        end: usize,
    },
    /// A struct or record of a shape.
    Row {
        shape: usize,
        end: usize,
    },
    Map {
        len: usize,
        end: usize,
    },
    /// A named variant, by the number of its name.
    Variant {
        name: usize,
        end: usize,
    },
    /// A logical value or an extension.
    Wrapped {
        end: usize,
    },
    /// The variant of an unnamed union that comes now, or that an option is present.
    Choice(usize),
    /// The identity of what comes now.
    Id,
    /// What has this identity.
    Ref(RowId),
}

/// A tensor.
#[derive(Clone)]
pub(super) struct TensorEntry {
    pub(super) dtype: Arc<DType>,
    pub(super) shape: Box<[u64]>,
    pub(super) column_major: bool,
    pub(super) elements: Span,
}

/// All that a message tells.
#[derive(Clone, Default)]
pub(super) struct Tape {
    pub(super) entries: Vec<Entry>,
    pub(super) bytes: Vec<u8>,
    tensors: Vec<TensorEntry>,
    pub(super) shapes: Vec<Arc<[Arc<str>]>>,
    names: Vec<Arc<str>>,
    name_numbers: HashMap<Arc<str>, usize>,
    /// Where the values with an identity are.
    rows: HashMap<RowId, usize>,
    open: Vec<usize>,
    /// The shapes of elements of tensors, by where their types are.
    pub(super) element_shapes: HashMap<usize, usize>,
    /// What the numbers of this message's shapes and definitions begin with, behind those of messages before.
    first_shape: usize,
    first_definition: usize,
}

impl Tape {
    /// Where the next value will be; one of another message.
    pub(super) fn begin_message(&mut self, definitions: usize) -> usize {
        self.first_shape = self.shapes.len();
        self.first_definition += definitions;
        self.entries.len()
    }

    pub(super) fn bytes_of(&self, span: Span) -> &[u8] {
        &self.bytes[span.start..span.end]
    }

    /// Strings are checked when they are told.
    pub(super) fn text(&self, span: Span) -> &str {
        std::str::from_utf8(self.bytes_of(span)).unwrap_or_default()
    }

    pub(super) fn tensor_of(&self, number: usize) -> &TensorEntry {
        &self.tensors[number]
    }

    pub(super) fn keys(&self, shape: usize) -> &Arc<[Arc<str>]> {
        &self.shapes[shape]
    }

    pub(super) fn name(&self, number: usize) -> &Arc<str> {
        &self.names[number]
    }

    pub(super) fn row(&self, row: RowId) -> Option<usize> {
        self.rows.get(&row).copied()
    }

    pub(super) fn has_identities(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The place behind a value. As many choices and identities as one likes can stand before it: each is charged.
    pub(super) fn behind(&self, at: usize, budget: &mut Budget) -> Result<usize> {
        let is_before = |entry: &&Entry| matches!(entry, Entry::Choice(_) | Entry::Id);
        let before = self.entries[at..].iter().take_while(is_before).count();
        charge(budget, before)?;
        let at = at + before;
        Ok(match self.entries[at] {
            Entry::Items { end, .. }
            | Entry::Row { end, .. }
            | Entry::Map { end, .. }
            | Entry::Variant { end, .. }
            | Entry::Wrapped { end } => end,
            _ => at + 1,
        })
    }

    /// The integer that is told at a place.
    pub(super) fn integer(&self, entry: Entry) -> Option<Integer<'_>> {
        match entry {
            Entry::Int(kind, bits) => Some(Integer::of_bits(kind, bits)),
            Entry::Big(span) => Some(Integer::of_big(self.bytes_of(span))),
            _ => None,
        }
    }

    fn push(&mut self, entry: Entry) -> Result<()> {
        self.entries.push(entry);
        Ok(())
    }

    pub(super) fn keep(&mut self, bytes: &[u8]) -> Span {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Span { start, end: self.bytes.len() }
    }

    fn begin(&mut self, entry: Entry) -> Result<()> {
        self.open.push(self.entries.len());
        self.push(entry)
    }

    fn own(&self, row: RowId) -> RowId {
        RowId { definition: row.definition + self.first_definition, row: row.row }
    }

    /// Forgets what was told from a place on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
    }

    pub(super) fn close(&mut self, at: usize) {
        let behind = self.entries.len();
        match &mut self.entries[at] {
            Entry::Items { end, .. }
            | Entry::Row { end, .. }
            | Entry::Map { end, .. }
            | Entry::Variant { end, .. }
            | Entry::Wrapped { end } => *end = behind,
            _ => {}
        }
    }
}

impl Sink for Tape {
    fn null(&mut self) -> Result<()> {
        self.push(Entry::Null)
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.push(Entry::Bool(value))
    }

    fn int(&mut self, value: i64) -> Result<()> {
        self.push(Entry::Int(IntKind::Int, value.cast_unsigned()))
    }

    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        self.push(Entry::Int(kind, bits))
    }

    fn big_int(&mut self, _kind: IntKind, twos_complement: &[u8]) -> Result<()> {
        let span = self.keep(twos_complement);
        self.push(Entry::Big(span))
    }

    fn f16(&mut self, value: f16) -> Result<()> {
        self.push(Entry::Float(FloatKind::F16, value.to_bits().into()))
    }

    fn bf16(&mut self, value: bf16) -> Result<()> {
        self.push(Entry::Float(FloatKind::Bf16, value.to_bits().into()))
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        self.push(Entry::Float(FloatKind::F32, value.to_bits().into()))
    }

    fn f64(&mut self, value: f64) -> Result<()> {
        self.push(Entry::Float(FloatKind::F64, value.to_bits()))
    }

    fn string(&mut self, value: &str) -> Result<()> {
        let span = self.keep(value.as_bytes());
        self.push(Entry::String(span))
    }

    fn bytes(&mut self, value: &[u8]) -> Result<()> {
        let span = self.keep(value);
        self.push(Entry::Bytes(span))
    }

    fn fixed(&mut self, value: &[u8]) -> Result<()> {
        let span = self.keep(value);
        self.push(Entry::Fixed(span))
    }

    fn tensor(&mut self, tensor: TensorRef<'_>) -> Result<()> {
        let elements = self.keep(tensor.elements);
        self.tensors.push(TensorEntry {
            dtype: Arc::clone(tensor.dtype),
            shape: tensor.shape.into(),
            column_major: tensor.column_major,
            elements,
        });
        self.push(Entry::Tensor(self.tensors.len() - 1))
    }

    fn unknown(&mut self) -> Result<()> {
        self.push(Entry::Unknown)
    }

    fn begin_list(&mut self, len: usize) -> Result<()> {
        self.begin(Entry::Items { len, end: 0 })
    }

    fn begin_tuple(&mut self, len: usize) -> Result<()> {
        self.begin(Entry::Items { len, end: 0 })
    }

    fn begin_array(&mut self, len: usize) -> Result<()> {
        self.begin(Entry::Items { len, end: 0 })
    }

    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        let number = self.first_shape + shape.id();
        while self.shapes.len() <= number {
            self.shapes.push(Arc::clone(shape.keys()));
        }
        self.shapes[number] = Arc::clone(shape.keys());
        self.begin(Entry::Row { shape: number, end: 0 })
    }

    fn begin_struct(&mut self, _name: &Arc<str>, shape: &Shape) -> Result<()> {
        self.begin_record(shape)
    }

    fn begin_map(&mut self, len: usize) -> Result<()> {
        self.begin(Entry::Map { len, end: 0 })
    }

    fn begin_variant(&mut self, name: &Arc<str>) -> Result<()> {
        let new = self.names.len();
        let number = *self.name_numbers.entry(Arc::clone(name)).or_insert(new);
        if number == new {
            self.names.push(Arc::clone(name));
        }
        self.begin(Entry::Variant { name: number, end: 0 })
    }

    fn begin_logical(&mut self, _ty: &Arc<LogicalType>) -> Result<()> {
        self.begin(Entry::Wrapped { end: 0 })
    }

    fn begin_extension(&mut self, _name: &Arc<str>) -> Result<()> {
        self.begin(Entry::Wrapped { end: 0 })
    }

    fn end(&mut self) -> Result<()> {
        match self.open.pop() {
            Some(at) => {
                self.close(at);
                Ok(())
            }
            None => Err(Error::new(Code::BadSource)),
        }
    }

    fn identify(&mut self, row: RowId) -> Result<()> {
        let row = self.own(row);
        self.rows.insert(row, self.entries.len());
        self.push(Entry::Id)
    }

    fn reference(&mut self, row: RowId) -> Result<()> {
        self.push(Entry::Ref(self.own(row)))
    }

    fn choice(&mut self, variant: usize) -> Result<()> {
        self.push(Entry::Choice(variant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn what_stands_before_a_value_is_charged_where_it_is_passed_by() {
        let mut tape = Tape::default();
        for _ in 0..3 {
            tape.choice(0).unwrap();
        }
        tape.null().unwrap();
        let budget = |units| Limits::new().budget(units).budget_for(0);
        assert_eq!(tape.behind(0, &mut budget(3)).unwrap(), 4);
        let error = tape.behind(0, &mut budget(2)).unwrap_err();
        assert_eq!(error.code(), Code::LimitBudget);
    }
}
