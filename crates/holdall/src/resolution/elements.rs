//! Byte strings and tensors item by item: told on the tape as lists are, and forgotten when they were read.

use std::sync::Arc;

use super::floats::FloatKind;
use super::tape::{Entry, Span, Tape, TensorEntry};
use crate::number::IntKind;
use crate::schema::DType;

impl Tape {
    /// Tells the items of a byte string.
    pub(super) fn expand_bytes(&mut self, span: Span) {
        for at in span.start..span.end {
            self.entries.push(Entry::Int(IntKind::U8, u64::from(self.bytes[at])));
        }
    }

    /// How many values a tensor's elements are told as (F-26), and their bytes.
    pub(super) fn values_of(&self, number: usize) -> (usize, usize) {
        let TensorEntry { dtype, elements, .. } = self.tensor_of(number);
        let bytes = self.bytes_of(*elements).len();
        // Types can be wide, and tensors empty.
        if bytes == 0 {
            return (0, 0);
        }
        let count = bytes as u128 / u128::from(dtype.width().unwrap_or(1));
        let values = count.saturating_mul(dtype.values());
        (usize::try_from(values).unwrap_or(usize::MAX), bytes)
    }

    /// Tells the elements of a tensor.
    pub(super) fn expand_tensor(&mut self, number: usize) {
        let TensorEntry { dtype, elements, .. } = self.tensor_of(number);
        let (dtype, mut at, end) = (Arc::clone(dtype), elements.start, elements.end);
        while at < end {
            at = self.expand(&dtype, at);
        }
    }

    /// Tells one value by its bytes; answers the place behind them.
    // The recursion ends at the nesting limit of schemas.
    fn expand(&mut self, dtype: &DType, at: usize) -> usize {
        match dtype {
            DType::Array(len, item) => {
                let len = *len as usize;
                let entry = Entry::Items { len, end: 0 };
                self.expand_all(entry, (0..len).map(|_| &**item), at)
            }
            DType::Tuple(items) => {
                let entry = Entry::Items { len: items.len(), end: 0 };
                self.expand_all(entry, items.iter(), at)
            }
            DType::Record(fields) | DType::Struct(_, fields) => {
                let entry = Entry::Row { shape: self.shape_of(fields), end: 0 };
                self.expand_all(entry, fields.iter().map(|(_, field)| field), at)
            }
            DType::Logical(_, inner) | DType::Extension(_, inner) => {
                self.expand_all(Entry::Wrapped { end: 0 }, std::iter::once(&**inner), at)
            }
            scalar => self.expand_scalar(scalar, at),
        }
    }

    fn expand_scalar(&mut self, dtype: &DType, at: usize) -> usize {
        // A type without a width has no values here.
        let Some(width) = dtype.width() else { return usize::MAX };
        let end = at + width as usize;
        let mut word = [0; 8];
        let low = &self.bytes[at..end.min(at + 8)];
        word[..low.len()].copy_from_slice(low);
        let bits = u64::from_le_bytes(word);
        let entry = match dtype {
            DType::Int(kind) if width > 8 => {
                let mut big = self.bytes[at..end].to_vec();
                if !kind.is_signed() {
                    big.push(0);
                }
                Entry::Big(self.keep(&big))
            }
            DType::Int(kind) if kind.is_signed() => {
                let unused = 64 - 8 * width as u32;
                Entry::Int(*kind, ((bits << unused).cast_signed() >> unused).cast_unsigned())
            }
            DType::Int(kind) => Entry::Int(*kind, bits),
            DType::F16 => Entry::Float(FloatKind::F16, bits),
            DType::Bf16 => Entry::Float(FloatKind::Bf16, bits),
            DType::F32 => Entry::Float(FloatKind::F32, bits),
            DType::F64 => Entry::Float(FloatKind::F64, bits),
            DType::Fixed(_) => Entry::Fixed(Span { start: at, end }),
            _ => Entry::Bool(bits != 0),
        };
        self.entries.push(entry);
        end
    }

    /// The shape of an element, by the place of its type, which the tape's tensors hold: its names can be long, and are
    /// looked at once.
    fn shape_of(&mut self, fields: &[(Arc<str>, DType)]) -> usize {
        let new = self.shapes.len();
        let shape = *self.element_shapes.entry(fields.as_ptr().addr()).or_insert(new);
        if shape == new {
            self.shapes.push(fields.iter().map(|(name, _)| Arc::clone(name)).collect());
        }
        shape
    }

    fn expand_all<'d>(
        &mut self,
        entry: Entry,
        inside: impl Iterator<Item = &'d DType>,
        at: usize,
    ) -> usize {
        let start = self.entries.len();
        self.entries.push(entry);
        let behind = inside.fold(at, |at, dtype| self.expand(dtype, at));
        self.close(start);
        behind
    }
}
