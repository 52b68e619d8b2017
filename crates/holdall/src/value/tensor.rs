//! Tensors: numbers in any number of dimensions.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::dynamic::TensorRef;
use crate::error::Result;
use crate::memory::{self, Collect};
use crate::schema::{DType, Element};

/// Numbers, or other values of a fixed width, in any number of dimensions. Elements are kept as their bytes in a
/// message: little-endian, one after the other.
///
/// Two tensors are equal if their type, shape, order and bytes are equal.
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
    /// Shared with clones and with a writer.
    elements: Arc<Vec<u8>>,
}

impl Tensor {
    /// Creates a tensor from bytes. With `column_major` the first dimension varies fastest, otherwise the last. With
    /// fewer than two dimensions both are the same, and it is stored as row-major.
    ///
    /// # Errors
    /// `unsupported_value` if the number of bytes does not match shape and type, the type has no fixed width, or the
    /// rank is above 32.
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

    /// Creates a tensor from elements, in which the last dimension varies fastest.
    ///
    /// # Errors
    /// `unsupported_value` if their number does not match the shape, or the rank is above 32.
    pub fn of<E: Element>(shape: impl Into<Box<[u64]>>, elements: &[E]) -> Result<Tensor> {
        let mut bytes = memory::with_capacity(size_of_val(elements));
        elements.iter().for_each(|element| element.write(&mut bytes));
        Tensor::new(E::DTYPE, shape, false, bytes)
    }

    /// Returns the type of the elements.
    #[must_use]
    pub fn dtype(&self) -> &Arc<DType> {
        &self.dtype
    }

    /// Returns the dimensions; none for a single element.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Whether the first dimension varies fastest, otherwise the last.
    #[must_use]
    pub fn is_column_major(&self) -> bool {
        self.column_major
    }

    /// Returns the elements' bytes, little-endian, one element after the other.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.elements
    }

    /// Returns the elements in their stored order, if they are of this type.
    #[must_use]
    pub fn to_vec<E: Element>(&self) -> Option<Vec<E>> {
        if *self.dtype != E::DTYPE {
            return None;
        }
        self.elements.chunks_exact(self.dtype.width()? as usize).map(E::read).collected()
    }

    pub(crate) fn by_ref(&self) -> TensorRef<'_> {
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
