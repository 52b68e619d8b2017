//! Integers beyond 64 bits, by CPython's own conversions. The public ones are those of 3.13; before, there are only
//! private ones, and methods of `int`.
#![allow(unsafe_code, reason = "CPython's C API; each block has its proof")]

use holdall::bindings::memory::GrowVec;
use holdall::bindings::shorten_big;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt};
use pyo3::{Borrowed, ffi};

#[cfg(not(Py_3_13))]
use crate::layouts;
use crate::once::intern;

/// The bytes to begin with.
const BYTES: usize = 32;

/// Returns an int as the fewest bytes of two's complement, little-endian. They are in the buffer, whose length is that of
/// the ints before, so that similar ones are converted once.
pub fn big_bytes<'b>(int: &Bound<'_, PyAny>, buffer: &'b mut Vec<u8>) -> PyResult<&'b [u8]> {
    let int = int.cast::<PyInt>()?;
    if buffer.len() < BYTES {
        buffer.put_fill(BYTES, 0);
    }
    if let Some(needed) = fill(int.as_borrowed(), buffer)? {
        buffer.clear();
        buffer.put_fill(needed, 0);
        if fill(int.as_borrowed(), buffer)?.is_some() {
            let bytes = by_method(int.as_borrowed(), needed)?;
            buffer.copy_from_slice(bytes.as_bytes());
        }
    }
    Ok(shorten_big(buffer))
}

/// Fills a buffer with all bytes of an int. Returns the number of bytes that it needs, if that is more, or if it cannot be
/// converted here.
#[cfg(Py_3_13)]
fn fill(int: Borrowed<'_, '_, PyInt>, buffer: &mut [u8]) -> PyResult<Option<usize>> {
    let len = ffi::Py_ssize_t::try_from(buffer.len())?;
    // SAFETY: the int is alive, and the buffer has `len` bytes. The result is the number of bytes needed, or -1 with an exception.
    let needed = unsafe {
        let start = buffer.as_mut_ptr().cast();
        ffi::PyLong_AsNativeBytes(int.as_ptr(), start, len, ffi::Py_ASNATIVEBYTES_LITTLE_ENDIAN)
    };
    if needed < 0 {
        return Err(PyErr::fetch(int.py()));
    }
    Ok((needed > len).then_some(needed.cast_unsigned()))
}

#[cfg(not(Py_3_13))]
fn fill(int: Borrowed<'_, '_, PyInt>, buffer: &mut [u8]) -> PyResult<Option<usize>> {
    let py = int.py();
    if layouts::are_trusted() {
        // SAFETY: the int is alive, and the buffer has as many bytes as said. The result is 0, or -1 with an exception, if it
        // needs more.
        let done = unsafe {
            let start = buffer.as_mut_ptr();
            ffi::_PyLong_AsByteArray(int.as_ptr().cast(), start, buffer.len(), 1, 1)
        };
        if done == 0 {
            return Ok(None);
        }
        drop(PyErr::take(py));
    }
    let bits: usize = int.call_method0(intern!(py, "bit_length"))?.extract()?;
    Ok(Some(bits / 8 + 1))
}

fn by_method<'py>(int: Borrowed<'_, 'py, PyInt>, len: usize) -> PyResult<Bound<'py, PyBytes>> {
    let py = int.py();
    let arguments = (len, intern!(py, "little"));
    let bytes = int.call_method(intern!(py, "to_bytes"), arguments, Some(&signed(py)?))?;
    Ok(bytes.cast_into::<PyBytes>()?)
}

fn signed(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let signed = super::dict(py)?;
    signed.set_item(intern!(py, "signed"), true)?;
    Ok(signed)
}

/// Makes an int of bytes of two's complement, little-endian.
pub fn int_of_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the address is that of as many bytes as said. The result is a new reference, or null with an exception.
    #[cfg(Py_3_13)]
    unsafe {
        let start = bytes.as_ptr().cast();
        let made =
            ffi::PyLong_FromNativeBytes(start, bytes.len(), ffi::Py_ASNATIVEBYTES_LITTLE_ENDIAN);
        Bound::from_owned_ptr_or_err(py, made)
    }
    #[cfg(not(Py_3_13))]
    {
        if layouts::are_trusted() {
            // SAFETY: as above.
            unsafe {
                let made = ffi::_PyLong_FromByteArray(bytes.as_ptr(), bytes.len(), 1, 1);
                return Bound::from_owned_ptr_or_err(py, made);
            }
        }
        let class = py.get_type::<PyInt>();
        let arguments = (super::bytes(py, bytes)?, intern!(py, "little"));
        class.call_method(intern!(py, "from_bytes"), arguments, Some(&signed(py)?))
    }
}
