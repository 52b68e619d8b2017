//! Messages as `bytes` objects.
#![allow(
    unsafe_code,
    reason = "a new object is filled that is not shared yet; each block has its proof"
)]

use std::sync::Arc;

use holdall::bindings::memory::GrowVec;
use holdall::bindings::{Pieces, SmallWriter, memory};
use holdall::{Code, Dictionary, Error};
use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyMemoryError, PyOverflowError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fault::Side;
use crate::messages::error;
use crate::raw;

/// From this many bytes on, memory is requested in large pages, as numpy does.
#[cfg(target_os = "linux")]
const LARGE_PAGES_FROM: usize = 4 << 20;

/// Asks the system for large pages for these bytes, so that it need not map small ones one by one:
/// 8 MB take two thirds of the time.
#[cfg(target_os = "linux")]
fn in_large_pages(buffer: *mut u8, len: usize) {
    if len < LARGE_PAGES_FROM {
        return;
    }
    // SAFETY: it runs no code.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let Ok(page) = usize::try_from(page) else { return };
    let ahead = buffer.align_offset(page);
    if ahead < len {
        // SAFETY: this is advice: the contents of the pages stay, also behind the bytes in the last
        // one, and the system may refuse.
        unsafe { libc::madvise(buffer.add(ahead).cast(), len - ahead, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn in_large_pages(_buffer: *mut u8, _len: usize) {}

/// Joins a message into one object; each piece is copied once.
///
/// # Errors
/// `OverflowError` for more bytes than an object can have.
pub fn joined<'py>(py: Python<'py>, message: &Pieces) -> PyResult<Bound<'py, PyBytes>> {
    if let Some(message) = message.whole() {
        return of_pieces(py, message.len(), std::iter::once(message));
    }
    of_pieces(py, message.len(), message.iter())
}

/// Joins a small message in two parts, compressed with a dictionary if there is one and that helps.
///
/// # Errors
/// As [`joined`], and those of the dictionary.
pub fn of_small<'py>(
    py: Python<'py>,
    parts: &[&[u8]; 2],
    dictionary: Option<&Dictionary>,
) -> PyResult<Bound<'py, PyBytes>> {
    if let Some(dictionary) = dictionary {
        let compressed = SmallWriter::compressed(parts, dictionary);
        if let Some(bytes) = compressed.map_err(|fault| error(py, &fault, Side::Encode))? {
            return raw::bytes(py, &bytes);
        }
    }
    of_pieces(py, parts[0].len() + parts[1].len(), parts.iter().copied())
}

fn of_pieces<'py, 'p>(
    py: Python<'py>,
    len: usize,
    pieces: impl Iterator<Item = &'p [u8]>,
) -> PyResult<Bound<'py, PyBytes>> {
    let too_long = || PyOverflowError::new_err("more bytes than an object can have");
    let size = ffi::Py_ssize_t::try_from(len).map_err(|_| too_long())?;
    // SAFETY: without bytes to copy this creates an object whose `len` bytes are to be written, or
    // raises.
    let (bytes, buffer) = unsafe {
        let bytes = raw::made(py, || ffi::PyBytes_FromStringAndSize(std::ptr::null(), size))?;
        let bytes = bytes.cast_into_unchecked::<PyBytes>();
        let buffer = ffi::PyBytes_AsString(bytes.as_ptr()).cast::<u8>();
        (bytes, buffer)
    };
    in_large_pages(buffer, len);
    let mut at = 0;
    for piece in pieces {
        assert!(piece.len() <= len - at, "pieces that are longer than they are together");
        // SAFETY: there is room for it behind `at`, and nothing else has the new object yet.
        unsafe { buffer.add(at).copy_from_nonoverlapping(piece.as_ptr(), piece.len()) };
        at += piece.len();
    }
    assert_eq!(at, len, "pieces that are shorter than they are together");
    Ok(bytes)
}

/// The elements of an array in its own memory, which it keeps meanwhile. Other Python code may change them.
#[derive(Debug)]
pub struct LentBytes {
    elements: PyUntypedBuffer,
    /// That of the array which owns the memory, if it is another one.
    owner: Option<PyUntypedBuffer>,
}

impl LentBytes {
    /// The elements of a buffer that are one after the other in memory, and the buffer of their owner.
    pub fn of(elements: PyUntypedBuffer, owner: Option<PyUntypedBuffer>) -> LentBytes {
        assert!(elements.is_c_contiguous() || elements.is_fortran_contiguous(), "gaps in a buffer");
        LentBytes { elements, owner }
    }

    /// Whether they are still there: `resize` of numpy can free memory of which a buffer was handed out.
    pub fn is_in_place(&self, py: Python<'_>) -> bool {
        let before = self.owner.as_ref().unwrap_or(&self.elements);
        let Some(object) = before.obj(py) else { return true };
        PyUntypedBuffer::get(object).is_ok_and(|now| {
            now.buf_ptr() == before.buf_ptr() && now.len_bytes() == before.len_bytes()
        })
    }
}

impl AsRef<[u8]> for LentBytes {
    fn as_ref(&self) -> &[u8] {
        let len = self.elements.len_bytes();
        if len == 0 {
            return &[];
        }
        // SAFETY: the buffer had this many consecutive bytes when it was made. They are read at once, or as parts of a message: right after
        // `is_in_place`, by code that calls no Python code and keeps the interpreter lock (`Packer::encoded` and `packed`), so that
        // nothing changes or frees them meanwhile. Code that does so without the lock must not run beside any reader of the
        // array, such as numpy's own.
        unsafe { std::slice::from_raw_parts(self.elements.buf_ptr().cast(), len) }
    }
}

/// Checks that the elements which arrays lend are still there.
///
/// # Errors
/// `unsupported_value` if one was resized.
pub fn check_lent(py: Python<'_>, lent: &[Arc<LentBytes>]) -> holdall::Result<()> {
    if lent.iter().all(|lent| lent.is_in_place(py)) {
        return Ok(());
    }
    let expected = "arrays that keep their memory while they are packed";
    Err(Error::new(Code::UnsupportedValue).expected(expected).got("one that was resized"))
}

/// Copies the bytes of a buffer. Memory that is missing unwinds to the call of the library.
///
/// # Errors
/// `BufferError` for an object without a buffer of bytes.
pub fn of_buffer(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let buffer = PyBuffer::<u8>::get(object)?;
    let mut bytes = memory::zeros(buffer.item_count());
    buffer.copy_to_slice(object.py(), &mut bytes)?;
    Ok(bytes)
}

/// Copies the bytes of a buffer outside calls of the library.
///
/// # Errors
/// As [`of_buffer`]; `OutOfMemoryError`.
pub fn copy_of(object: &Bound<'_, PyAny>, side: Side) -> PyResult<Vec<u8>> {
    let copied = memory::catch(|| of_buffer(object));
    copied.map_err(|fault| error(object.py(), &fault, side))?
}

/// Copies bytes.
///
/// # Errors
/// `MemoryError`.
pub fn copied(source: &[u8]) -> PyResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let reserved = bytes.try_reserve_exact(source.len());
    reserved.map_err(|_| PyMemoryError::new_err("no memory for the elements of an array"))?;
    bytes.put_slice(source);
    Ok(bytes)
}
