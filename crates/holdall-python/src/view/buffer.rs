//! Bytes for numpy: of a decoded column, or of a mapped file.

use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

use pyo3::ffi;
use pyo3::prelude::*;

use super::map::Map;
use crate::raw;

/// Constant bytes, and their owner.
#[pyclass(frozen, module = "holdall._holdall", name = "Buffer")]
pub struct Buffer(Owner);

enum Owner {
    Bytes(Vec<u8>),
    Numbers(Box<dyn AsBytes>),
    Map(Arc<Map>, Range<u64>),
}

/// A vector of numbers, as its bytes.
pub trait AsBytes: Send + Sync {
    fn as_bytes(&self) -> &[u8];
}

impl<T: bytemuck::NoUninit + Send + Sync> AsBytes for Vec<T> {
    fn as_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }
}

impl AsBytes for Arc<Vec<u8>> {
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

impl Buffer {
    pub fn of_bytes(bytes: Vec<u8>) -> Buffer {
        Buffer(Owner::Bytes(bytes))
    }

    pub fn of_numbers(numbers: impl AsBytes + 'static) -> Buffer {
        Buffer(Owner::Numbers(Box::new(numbers)))
    }

    /// Returns a part of a map, if the map contains it.
    pub fn of_map(map: &Arc<Map>, part: Range<u64>) -> Option<Buffer> {
        map.address(&part)?;
        Some(Buffer(Owner::Map(Arc::clone(map), part)))
    }
}

#[pymethods]
impl Buffer {
    fn __len__(&self) -> usize {
        match &self.0 {
            Owner::Bytes(bytes) => bytes.len(),
            Owner::Numbers(numbers) => numbers.as_bytes().len(),
            Owner::Map(_, part) => (part.end - part.start) as usize,
        }
    }

    /// Returns whether the bytes are those of a mapped file.
    #[getter]
    fn mapped(&self) -> bool {
        matches!(self.0, Owner::Map(..))
    }

    /// Returns whether bytes were read that the file no longer has.
    #[getter]
    fn lost(&self) -> bool {
        matches!(&self.0, Owner::Map(map, _) if map.is_lost())
    }

    #[allow(unsafe_code, reason = "the buffer protocol")]
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let own = slf.get();
        let address = match &own.0 {
            Owner::Bytes(bytes) => bytes.as_ptr(),
            Owner::Numbers(numbers) => numbers.as_bytes().as_ptr(),
            Owner::Map(map, part) => map.address(part).unwrap_or(std::ptr::null()),
        };
        let len = own.__len__();
        // SAFETY: the interpreter passes a location for a view. `len` bytes start at the address, stay there as long as the
        // object, which the view keeps alive, and are never written to.
        unsafe { raw::fill_buffer(slf.into_any(), address, len, view, flags) }
    }
}
