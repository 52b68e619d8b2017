//! Tensors: numbers in any number of dimensions.

use std::sync::Arc;

use crate::dynamic::TensorRef;
use crate::error::Result;
use crate::schema::{DType, Element};

/// Numbers, or other values of a fixed width, in any number of dimensions. Elements are kept as the bytes that they have in a
/// message: little-endian, one after the other.
///
/// Two tensors are equal if type, shape, order and bytes are.
///
/// ```
/// use holdall::{Tensor, Value};
///
/// let matrix = Tensor::of([2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let bytes = holdall::to_vec(&Value::from(matrix))?;
/// let Value::Tensor(matrix) = holdall::from_slice::<holdall::Value>(&bytes)? else { panic!() };
/// assert_eq!(matrix.shape(), [2, 3]);
/// assert_eq!(matrix.to_vec::<f32>().unwrap()[5], 6.0);
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Tensor {
    dtype: Arc<DType>,
    shape: Box<[u64]>,
    column_major: bool,
    /// Shared with clones, and with a writer.
    elements: Arc<Vec<u8>>,
}

impl Tensor {
    /// A tensor of these bytes; `column_major` says that the first dimension runs fastest through them, else the last. With
    /// fewer than two dimensions that is the same, and never said.
    ///
    /// # Errors
    /// `unsupported_value` if the bytes are not as many as shape and type say, the type has no fixed width, or the rank is
    /// above 32.
    pub fn new(
        dtype: impl Into<Arc<DType>>,
        shape: impl Into<Box<[u64]>>,
        column_major: bool,
        elements: Vec<u8>,
    ) -> Result<Tensor> {
        let (dtype, shape) = (dtype.into(), shape.into());
        let column_major = column_major && shape.len() > 1;
        let tensor = Tensor { dtype, shape, column_major, elements: Arc::new(elements) };
        tensor.by_ref().check()?;
        Ok(tensor)
    }

    /// A tensor of these elements, the last dimension running fastest.
    ///
    /// # Errors
    /// `unsupported_value` if they are not as many as the shape says, or the rank is above 32.
    pub fn of<E: Element>(shape: impl Into<Box<[u64]>>, elements: &[E]) -> Result<Tensor> {
        let mut bytes = Vec::with_capacity(size_of_val(elements));
        elements.iter().for_each(|element| element.write(&mut bytes));
        Tensor::new(E::DTYPE, shape, false, bytes)
    }

    /// The type of the elements.
    #[must_use]
    pub fn dtype(&self) -> &Arc<DType> {
        &self.dtype
    }

    /// The dimensions; none for a single element.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Whether the first dimension runs fastest through the elements, else the last.
    #[must_use]
    pub fn is_column_major(&self) -> bool {
        self.column_major
    }

    /// The elements' bytes, little-endian, one element after the other.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.elements
    }

    /// The elements in their stored order, if they are of this type.
    #[must_use]
    pub fn to_vec<E: Element>(&self) -> Option<Vec<E>> {
        if *self.dtype != E::DTYPE {
            return None;
        }
        self.elements.chunks_exact(self.dtype.width()? as usize).map(E::read).collect()
    }

    pub(super) fn by_ref(&self) -> TensorRef<'_> {
        TensorRef {
            dtype: &self.dtype,
            shape: &self.shape,
            column_major: self.column_major,
            elements: &self.elements,
        }
    }

    pub(super) fn from_ref(tensor: TensorRef<'_>, elements: Arc<Vec<u8>>) -> Tensor {
        Tensor {
            dtype: Arc::clone(tensor.dtype),
            shape: tensor.shape.into(),
            column_major: tensor.column_major && tensor.shape.len() > 1,
            elements,
        }
    }

    pub(super) fn elements(&self) -> &Arc<Vec<u8>> {
        &self.elements
    }
}
