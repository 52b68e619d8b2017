//! Reads tensors one dimension at a time, and records their elements as entries.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::super::assembler::packed_scalar;
use super::{Entry, ItemsKind, Span, Tape};
use crate::dynamic::{Event, Sink, TensorRef};
use crate::error::{Code, Error, Result};
use crate::memory::{self, Collect, GrowMap, GrowVec};
use crate::number::IntKind;
use crate::schema::DType;

/// A tensor, or the part of one selected by its first indices.
#[derive(Clone)]
pub(crate) struct SubTensor<'m> {
    dtype: Arc<DType>,
    shape: Arc<[u64]>,
    /// The distance between elements along each dimension.
    strides: Arc<[u64]>,
    column_major: bool,
    elements: Elements<'m>,
    /// How many indices are fixed, and the first element they select.
    level: usize,
    offset: u64,
}

#[derive(Clone)]
enum Elements<'m> {
    Borrowed(&'m [u8]),
    Kept(Arc<[u8]>),
}

impl Elements<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Elements::Borrowed(bytes) => bytes,
            Elements::Kept(bytes) => bytes,
        }
    }
}

impl<'m> SubTensor<'m> {
    /// Makes a tensor that borrows its elements from the message if possible.
    pub(crate) fn new(tensor: TensorRef<'_>, elements: Option<&'m [u8]>) -> SubTensor<'m> {
        let mut strides = memory::filled(1_u64, tensor.shape.len());
        let mut step = 1_u64;
        let mut set = |dimension: usize| {
            strides[dimension] = step;
            // If a dimension is 0, there are no elements to find and the stride does not matter.
            step = step.saturating_mul(tensor.shape[dimension]);
        };
        match tensor.column_major {
            true => (0..tensor.shape.len()).for_each(&mut set),
            false => (0..tensor.shape.len()).rev().for_each(&mut set),
        }
        SubTensor {
            dtype: Arc::clone(tensor.dtype),
            shape: tensor.shape.into(),
            strides: strides.into(),
            column_major: tensor.column_major,
            elements: match elements {
                Some(elements) => Elements::Borrowed(elements),
                None => Elements::Kept(memory::shared_list(memory::copied(tensor.elements))),
            },
            level: 0,
            offset: 0,
        }
    }

    /// Returns all dimensions, and whether the first varies fastest.
    pub(crate) fn dimensions(&self) -> (&Arc<[u64]>, bool) {
        (&self.shape, self.column_major)
    }

    /// Returns the bytes of all elements.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.elements.bytes()
    }

    /// Returns how many values recording all elements takes (F-26).
    pub(crate) fn values(&self) -> usize {
        // Types can be wide, and tensors empty.
        let bytes = self.bytes().len();
        if bytes == 0 {
            return 0;
        }
        let count = bytes as u128 / u128::from(self.dtype.width().unwrap_or(1));
        usize::try_from(count.saturating_mul(self.dtype.values())).unwrap_or(usize::MAX)
    }

    /// Returns the number of remaining dimensions.
    pub(crate) fn rank(&self) -> usize {
        self.shape.len() - self.level
    }

    /// Returns the length of the first remaining dimension.
    pub(crate) fn len(&self) -> usize {
        let len = self.shape.get(self.level).copied().unwrap_or(0);
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    /// Returns the units for recording one element, including elements of a struct or array.
    pub(crate) fn cost(&self) -> u64 {
        u64::try_from(self.dtype.values().saturating_mul(8)).unwrap_or(u64::MAX)
    }

    /// Returns the part at an index of the first remaining dimension.
    pub(crate) fn part(&self, index: usize) -> SubTensor<'m> {
        let offset = self.offset.saturating_add(self.element_at(index));
        SubTensor { level: self.level + 1, offset, ..self.clone() }
    }

    fn element_at(&self, index: usize) -> u64 {
        let stride = self.strides.get(self.level).copied().unwrap_or(1);
        stride.saturating_mul(index as u64)
    }

    /// Records the element at an index of the last dimension or, without dimensions, the only element.
    pub(crate) fn element(&self, index: usize, tape: &mut Tape<'m>) -> Result<()> {
        let number = self.offset.saturating_add(self.element_at(index));
        let width = self.dtype.width().unwrap_or(0);
        let start = number.checked_mul(width).and_then(|start| usize::try_from(start).ok());
        let own = start.and_then(|start| {
            let end = start.checked_add(width as usize)?;
            match &self.elements {
                Elements::Borrowed(bytes) => bytes.get(start..end),
                Elements::Kept(bytes) => bytes.get(start..end),
            }
        });
        let own = own.ok_or_else(short)?;
        tape.push_element(&self.dtype, own).map(|_| ())
    }

    /// Emits the remaining part as a tensor.
    pub(crate) fn emit(&self, sink: &mut impl Sink) -> Result<()> {
        if self.level == 0 {
            return sink.event(Event::Tensor(
                TensorRef {
                    dtype: &self.dtype,
                    shape: &self.shape,
                    column_major: self.column_major,
                    elements: self.elements.bytes(),
                },
                None,
            ));
        }
        let mut elements = Vec::new();
        self.gather(&mut elements);
        sink.event(Event::Tensor(
            TensorRef {
                dtype: &self.dtype,
                shape: &self.shape[self.level..],
                column_major: false,
                elements: &elements,
            },
            None,
        ))
    }

    /// Appends the bytes of the remaining part, the last dimension varying fastest. The recursion is as deep as the rank, which is
    /// at most 32.
    fn gather(&self, to: &mut Vec<u8>) {
        if self.rank() == 0 {
            let width = self.dtype.width().unwrap_or(0) as usize;
            let start = usize::try_from(self.offset).unwrap_or(usize::MAX).saturating_mul(width);
            let own = self.elements.bytes().get(start..start.saturating_add(width));
            to.put_slice(own.unwrap_or_default());
            return;
        }
        // If any dimension is 0, there is nothing to visit, however long the others are.
        if !self.shape[self.level..].contains(&0) {
            (0..self.len()).for_each(|index| self.part(index).gather(to));
        }
    }
}

impl<'m> Tape<'m> {
    /// Records a tensor. Without inline marks, a tensor without dimensions is followed by its only element.
    pub(crate) fn push_tensor(&mut self, tensor: SubTensor<'m>) -> Result<()> {
        let number = self.tensors.len();
        self.begin(Entry::Tensor { number, end: usize::MAX })?;
        if tensor.rank() == 0 && !self.is_detailed {
            let left = self.left.checked_sub(tensor.cost());
            let over = || Error::over_budget(u128::from(tensor.cost()), self.left);
            self.left = left.ok_or_else(over)?;
            tensor.element(0, self)?;
        }
        self.tensors.put(tensor);
        self.end()
    }

    /// Records the elements of a tensor of this tape, in the order of their bytes.
    pub(crate) fn expand_tensor(&mut self, number: usize) -> Result<()> {
        let tensor = self.tensors[number].clone();
        let mut rest = tensor.bytes();
        while !rest.is_empty() {
            rest = self.push_element(&tensor.dtype, rest)?;
        }
        Ok(())
    }

    /// Records the items of a byte string.
    pub(crate) fn expand_bytes(&mut self, span: Span) {
        let base = self.message.len();
        let bytes = match self.borrowed(span) {
            Some(bytes) => bytes,
            None => &self.bytes[span.start - base..span.end - base],
        };
        self.entries.put_each(bytes.iter().map(|byte| Entry::Int(IntKind::U8, u64::from(*byte))));
    }

    /// Records a value of a fixed width and returns the bytes after it. The nesting limit of schemas bounds the recursion.
    fn push_element<'b>(&mut self, dtype: &DType, bytes: &'b [u8]) -> Result<&'b [u8]> {
        let end = usize::MAX;
        match dtype {
            DType::Array(len, item) => {
                let len = *len as usize;
                self.begin_items(ItemsKind::Array, len)?;
                self.push_members((0..len).map(|_| &**item), bytes)
            }
            DType::Tuple(items) => {
                self.begin_items(ItemsKind::Tuple, items.len())?;
                self.push_members(items.iter(), bytes)
            }
            DType::Record(fields) | DType::Struct(_, fields) => {
                let shape = self.number_of(dtype, |tape| {
                    let name = match dtype {
                        DType::Struct(name, _) => Some(name),
                        _ => None,
                    };
                    tape.push_shape(
                        name,
                        fields.iter().map(|(name, _)| Arc::clone(name)).collected(),
                    )
                });
                self.begin(Entry::Row { shape, end })?;
                self.push_members(fields.iter().map(|(_, ty)| ty), bytes)
            }
            DType::Logical(ty, storage) => {
                let ty = self.number_of(dtype, |tape| {
                    tape.types.put(Arc::new(ty.clone()));
                    tape.types.len() - 1
                });
                self.begin(Entry::Logical { ty, end })?;
                self.push_members(core::iter::once(&**storage), bytes)
            }
            DType::Extension(name, inside) => {
                self.event(Event::Extension(name))?;
                self.push_members(core::iter::once(&**inside), bytes)
            }
            scalar => {
                let width = scalar.width().unwrap_or(0) as usize;
                match scalar.scalar() {
                    Some(scalar) if bytes.len() >= width => packed_scalar(scalar, bytes, self),
                    _ => Err(short()),
                }
            }
        }
    }

    fn push_members<'d, 'b>(
        &mut self,
        mut types: impl Iterator<Item = &'d DType>,
        bytes: &'b [u8],
    ) -> Result<&'b [u8]> {
        let rest = types.try_fold(bytes, |rest, ty| self.push_element(ty, rest))?;
        self.end()?;
        Ok(rest)
    }

    /// Returns the index of an element's shape or type. Each is made only once, because names can be long.
    fn number_of(&mut self, dtype: &DType, make: impl FnOnce(&mut Self) -> usize) -> usize {
        let address = core::ptr::from_ref(dtype).addr();
        if let Some(number) = self.element_types.get(&address) {
            return *number;
        }
        let number = make(self);
        self.element_types.put(address, number);
        number
    }
}

#[cold]
fn short() -> Error {
    Error::new(Code::BadSource).expected("as many elements as the shape has")
}

impl core::fmt::Debug for SubTensor<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "tensor({}) {:?}", self.dtype, &self.shape[self.level..])
    }
}
