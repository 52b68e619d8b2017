//! Sources whose parts Python reads: file objects, URLs, file systems of other packages.

use std::io;
use std::ops::Range;

use holdall::bindings::memory::Collect;
use holdall::view::ReadAt;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes;
use crate::fault::{Side, text_of};

/// Reads by the methods of `holdall._impl._parts.Parts`.
pub struct Parts {
    pub size: u64,
    /// A function of an offset and a length.
    pub read: Py<PyAny>,
    /// A function of a list of beginnings and ends.
    pub announce: Py<PyAny>,
}

fn call<T>(call: impl FnOnce(Python<'_>) -> PyResult<T>) -> io::Result<T> {
    Python::attach(|py| {
        call(py).map_err(|exception| {
            let kind = match exception.is_instance_of::<pyo3::exceptions::PyEOFError>(py) {
                true => io::ErrorKind::UnexpectedEof,
                false => io::ErrorKind::Other,
            };
            io::Error::new(kind, text_of(&exception))
        })
    })
}

impl ReadAt for Parts {
    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        call(|py| {
            let answer = self.read.bind(py).call1((offset, bytes.len()))?;
            let copied;
            let got = match answer.cast::<PyBytes>() {
                Ok(got) => got.as_bytes(),
                Err(_) => {
                    copied = bytes::copy_of(&answer, Side::Decode)?;
                    &copied
                }
            };
            if got.len() != bytes.len() {
                let text = format!("{} bytes were read instead of {}", got.len(), bytes.len());
                return Err(PyOSError::new_err(text));
            }
            bytes.copy_from_slice(got);
            Ok(())
        })
    }

    fn wants_announcements(&self) -> bool {
        true
    }

    fn announce(&self, parts: &[Range<u64>]) -> io::Result<()> {
        let parts: Vec<(u64, u64)> = parts.iter().map(|part| (part.start, part.end)).collected();
        call(|py| self.announce.bind(py).call1((parts,)).map(|_| ()))
    }
}
