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
        // A type without a width has no values here.
        let Some(width) = dtype.width() else { return usize::MAX };
        let end = at + width as usize;
        let mut word = [0; 8];
        let low = &self.bytes[at..end.min(at + 8)];
        word[..low.len()].copy_from_slice(low);
        let bits = u64::from_le_bytes(word);
        let entry = match dtype {
            DType::Bool => Entry::Bool(bits != 0),
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
            DType::Array(len, item) => {
                let len = *len as usize;
                return self.expand_all(
                    Entry::Items { len, end: 0 },
                    (0..len).map(|_| &**item),
                    at,
                );
            }
            DType::Tuple(items) => {
                let entry = Entry::Items { len: items.len(), end: 0 };
                return self.expand_all(entry, items.iter(), at);
            }
            DType::Record(fields) | DType::Struct(_, fields) => {
                let keys: Arc<[_]> = fields.iter().map(|(name, _)| Arc::clone(name)).collect();
                let new = self.shapes.len();
                let shape = *self.element_shapes.entry(Arc::clone(&keys)).or_insert(new);
                if shape == new {
                    self.shapes.push(keys);
                }
                let entry = Entry::Row { shape, end: 0 };
                return self.expand_all(entry, fields.iter().map(|(_, field)| field), at);
            }
            DType::Logical(_, inner) | DType::Extension(_, inner) => {
                return self.expand_all(Entry::Wrapped { end: 0 }, std::iter::once(&**inner), at);
            }
        };
        self.entries.push(entry);
        end
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
