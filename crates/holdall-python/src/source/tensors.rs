//! Arrays of elements of a fixed width: those of numpy by the buffers that they export, and the values of `holdall.Tensor`.

use std::ffi::CStr;
use std::sync::Arc;

use holdall::bindings::SharedBytes;
use holdall::bindings::memory::{self, Collect, GrowVec};
use holdall::events::TensorRef;
use holdall::{DType, IntKind};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::Walker;
use crate::bytes::{self, LentBytes};
use crate::once::intern;
use crate::tensor;

/// From this many bytes on, it pays to keep the object that has the elements.
const MIN_LENT: usize = 4096;
/// A view has the owner of its memory as its base, or one that does after a few others.
const MAX_BASES: usize = 8;

impl<'py> Walker<'py, '_> {
    /// Encodes an array of numpy; not one whose elements the format lacks, or are not one after the other in memory.
    pub(super) fn ndarray(&mut self, array: &Bound<'py, PyAny>) -> holdall::Result<bool> {
        // numpy raises an exception where a buffer cannot describe the elements.
        let Ok(buffer) = PyUntypedBuffer::get(array) else { return Ok(false) };
        let Some(dtype) = dtype_of(buffer.format(), buffer.item_size()) else { return Ok(false) };
        let rank = buffer.dimensions();
        let is_row_major = buffer.is_c_contiguous();
        if !is_row_major && !buffer.is_fortran_contiguous() {
            return Ok(false);
        }
        // Without dimensions there is no shape.
        let sizes = if rank == 0 { &[] } else { buffer.shape() };
        let shape: Vec<u64> = sizes.iter().map(|&size| size as u64).collected();
        let (dtype, column_major) = (Arc::new(dtype), !is_row_major && rank > 1);
        if buffer.len_bytes() < MIN_LENT {
            let lent = LentBytes::of(buffer, None);
            let elements = lent.as_ref();
            let tensor = TensorRef { dtype: &dtype, shape: &shape, column_major, elements };
            self.shredder.tensor(tensor)?;
            return Ok(true);
        }
        // Bools are checked now, and must stay valid.
        let lent = match self.lends && !dtype.has_bool() {
            true => lent_by(array, buffer),
            false => Err(buffer),
        };
        let elements: Arc<dyn SharedBytes> = match lent {
            Ok(lent) => {
                let lent = Arc::new(lent);
                self.lent.put(Arc::clone(&lent));
                lent
            }
            Err(buffer) => copied(&LentBytes::of(buffer, None)),
        };
        self.shredder.tensor_of(&dtype, &shape, column_major, elements)?;
        Ok(true)
    }

    /// Encodes a `holdall.Tensor`.
    pub(super) fn tensor(&mut self, object: &Bound<'py, PyAny>) -> holdall::Result<()> {
        let parts = (|| {
            let dtype = tensor::dtype(&object.getattr("dtype")?)?;
            let shape: Vec<u64> = object.getattr("shape")?.extract()?;
            let column_major: bool = object.getattr("column_major")?.extract()?;
            Ok((dtype, shape, column_major, object.getattr("data")?))
        })();
        let (dtype, shape, column_major, data) = self.py_check(parts)?;
        match data.cast::<PyBytes>() {
            Ok(bytes) if bytes.as_bytes().len() < MIN_LENT => {
                let elements = bytes.as_bytes();
                let tensor = TensorRef { dtype: &dtype, shape: &shape, column_major, elements };
                self.shredder.tensor(tensor)
            }
            Ok(bytes) => {
                let elements = Arc::new(PyBackedBytes::from(bytes.clone()));
                self.shredder.tensor_of(&dtype, &shape, column_major, elements)
            }
            Err(_) => {
                let copy = bytes::of_buffer(&data);
                let copy = Arc::new(self.py_check(copy)?);
                self.shredder.tensor_of(&dtype, &shape, column_major, copy)
            }
        }
    }
}

fn copied(lent: &LentBytes) -> Arc<dyn SharedBytes> {
    let elements = lent.as_ref();
    let mut copy = memory::with_capacity(elements.len());
    copy.put_slice(elements);
    Arc::new(copy)
}

/// The elements of an array as it lends them; the buffer, if it is not known who frees its memory.
fn lent_by(
    array: &Bound<'_, PyAny>,
    buffer: PyUntypedBuffer,
) -> Result<LentBytes, PyUntypedBuffer> {
    let mut owner = array.clone();
    for _ in 0..MAX_BASES {
        let Ok(base) = owner.getattr(intern!(array.py(), "base")) else { return Err(buffer) };
        // The bytes of an object never move.
        if base.is_exact_instance_of::<PyBytes>() {
            return Ok(LentBytes::of(buffer, None));
        }
        if base.is_none() {
            if owner.is(array) {
                return Ok(LentBytes::of(buffer, None));
            }
            return match PyUntypedBuffer::get(&owner) {
                Ok(own) => Ok(LentBytes::of(buffer, Some(own))),
                Err(_) => Err(buffer),
            };
        }
        if !base.get_type().is(array.get_type()) {
            return Err(buffer);
        }
        owner = base;
    }
    Err(buffer)
}

/// The type of elements in the machine's form, by the character that PEP 3118 has for them and their size.
fn dtype_of(format: &CStr, size: usize) -> Option<DType> {
    let &[kind] = format.to_bytes() else { return None };
    let ints = |kinds: [IntKind; 4]| {
        let place = [1, 2, 4, 8].iter().position(|known| *known == size)?;
        Some(DType::Int(kinds[place]))
    };
    match kind {
        b'b' | b'h' | b'i' | b'l' | b'q' => {
            ints([IntKind::I8, IntKind::I16, IntKind::I32, IntKind::I64])
        }
        b'B' | b'H' | b'I' | b'L' | b'Q' => {
            ints([IntKind::U8, IntKind::U16, IntKind::U32, IntKind::U64])
        }
        b'?' => Some(DType::Bool),
        b'e' => Some(DType::F16),
        b'f' => Some(DType::F32),
        b'd' => Some(DType::F64),
        _ => None,
    }
    .filter(|_| cfg!(target_endian = "little"))
}
