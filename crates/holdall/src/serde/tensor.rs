//! Tensors, dimension by dimension.

use std::sync::Arc;

use super::tape::Tape;
use crate::dynamic::{Sink, TensorRef, packed_scalar};
use crate::error::{Code, Error, Result};
use crate::schema::{DType, Shape};

/// A tensor, or the part of one that has some of its indices.
#[derive(Clone)]
pub(super) struct Tensor<'de> {
    dtype: Arc<DType>,
    shape: Arc<[u64]>,
    /// How far apart elements are along each dimension.
    strides: Arc<[u64]>,
    column_major: bool,
    elements: Elements<'de>,
    /// How many indices are given, and the first element of what they leave.
    level: usize,
    offset: u64,
}

#[derive(Clone)]
enum Elements<'de> {
    Borrowed(&'de [u8]),
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

impl<'de> Tensor<'de> {
    /// A tensor with its elements where they lie in the message, if they do.
    pub(super) fn new(tensor: TensorRef<'_>, elements: Option<&'de [u8]>) -> Tensor<'de> {
        let mut strides = vec![1_u64; tensor.shape.len()];
        let mut step = 1_u64;
        let mut set = |dimension: usize| {
            strides[dimension] = step;
            // Where a dimension is 0 there are no elements to find.
            step = step.saturating_mul(tensor.shape[dimension]);
        };
        match tensor.column_major {
            true => (0..tensor.shape.len()).for_each(&mut set),
            false => (0..tensor.shape.len()).rev().for_each(&mut set),
        }
        Tensor {
            dtype: Arc::clone(tensor.dtype),
            shape: tensor.shape.into(),
            strides: strides.into(),
            column_major: tensor.column_major,
            elements: match elements {
                Some(elements) => Elements::Borrowed(elements),
                None => Elements::Kept(tensor.elements.into()),
            },
            level: 0,
            offset: 0,
        }
    }

    /// The number of dimensions that are left.
    pub(super) fn rank(&self) -> usize {
        self.shape.len() - self.level
    }

    /// The length of the first of them.
    pub(super) fn len(&self) -> usize {
        let len = self.shape.get(self.level).copied().unwrap_or(0);
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    /// Units for one element that is told, of a type with others inside it.
    pub(super) fn cost(&self) -> u64 {
        u64::try_from(self.dtype.values().saturating_mul(8)).unwrap_or(u64::MAX)
    }

    /// The part at an index of the first dimension.
    pub(super) fn part(&self, index: usize) -> Tensor<'de> {
        let offset = self.offset.saturating_add(self.element_at(index));
        Tensor { level: self.level + 1, offset, ..self.clone() }
    }

    fn element_at(&self, index: usize) -> u64 {
        let stride = self.strides.get(self.level).copied().unwrap_or(1);
        stride.saturating_mul(index as u64)
    }

    /// Tells the element at an index of the only dimension, or the one that there is.
    pub(super) fn element(&self, index: usize, tape: &mut Tape<'de>) -> Result<()> {
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
        tell(&self.dtype, own, tape).map(|_| ())
    }

    /// Tells all that is left as a tensor.
    pub(super) fn tell(&self, sink: &mut impl Sink) -> Result<()> {
        if self.level == 0 {
            return sink.tensor(TensorRef {
                dtype: &self.dtype,
                shape: &self.shape,
                column_major: self.column_major,
                elements: self.elements.bytes(),
            });
        }
        let mut elements = Vec::new();
        self.gather(&mut elements);
        sink.tensor(TensorRef {
            dtype: &self.dtype,
            shape: &self.shape[self.level..],
            column_major: false,
            elements: &elements,
        })
    }

    /// The bytes of what is left, the last dimension running fastest.
    // The recursion ends at the rank, which is at most 32.
    fn gather(&self, to: &mut Vec<u8>) {
        if self.rank() == 0 {
            let width = self.dtype.width().unwrap_or(0) as usize;
            let start = usize::try_from(self.offset).unwrap_or(usize::MAX).saturating_mul(width);
            let own = self.elements.bytes().get(start..start.saturating_add(width));
            to.extend_from_slice(own.unwrap_or_default());
            return;
        }
        // Of none there is nothing to go through, however many others there are.
        if !self.shape[self.level..].contains(&0) {
            (0..self.len()).for_each(|index| self.part(index).gather(to));
        }
    }
}

/// Tells a value of a fixed width; answers the bytes behind it.
// The recursion ends at the nesting limit of schemas.
fn tell<'b>(dtype: &DType, bytes: &'b [u8], to: &mut impl Sink) -> Result<&'b [u8]> {
    let shape = |fields: &[(Arc<str>, DType)]| {
        Shape::new(0, fields.iter().map(|(name, _)| Arc::clone(name)).collect())
    };
    let rest = match dtype {
        DType::Array(len, item) => {
            to.begin_array(*len as usize)?;
            members((0..*len).map(|_| &**item), bytes, to)?
        }
        DType::Tuple(items) => {
            to.begin_tuple(items.len())?;
            members(items.iter(), bytes, to)?
        }
        DType::Record(fields) => {
            to.begin_record(&shape(fields))?;
            members(fields.iter().map(|(_, ty)| ty), bytes, to)?
        }
        DType::Struct(name, fields) => {
            to.begin_struct(name, &shape(fields))?;
            members(fields.iter().map(|(_, ty)| ty), bytes, to)?
        }
        DType::Logical(ty, storage) => {
            to.begin_logical(&Arc::new(ty.clone()))?;
            members(std::iter::once(&**storage), bytes, to)?
        }
        DType::Extension(name, inside) => {
            to.begin_extension(name)?;
            members(std::iter::once(&**inside), bytes, to)?
        }
        scalar => {
            let width = scalar.width().unwrap_or(0) as usize;
            return match scalar.scalar() {
                Some(scalar) if bytes.len() >= width => packed_scalar(scalar, bytes, to),
                _ => Err(short()),
            };
        }
    };
    to.end()?;
    Ok(rest)
}

fn members<'d, 'b>(
    mut types: impl Iterator<Item = &'d DType>,
    bytes: &'b [u8],
    to: &mut impl Sink,
) -> Result<&'b [u8]> {
    types.try_fold(bytes, |rest, ty| tell(ty, rest, to))
}

#[cold]
fn short() -> Error {
    Error::new(Code::BadSource).expected("elements by the shape")
}

impl std::fmt::Debug for Tensor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "tensor({}) {:?}", self.dtype, &self.shape[self.level..])
    }
}
