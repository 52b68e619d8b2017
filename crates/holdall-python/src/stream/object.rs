//! Python's file objects, and files with Python's signals, as input and output of the library.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyBlockingIOError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes;
use crate::fault::{Side, text_of};
use crate::raw;

/// Holds the exception that an I/O error stands for.
#[derive(Clone, Default)]
pub struct Failure(Arc<Mutex<Option<PyErr>>>);

impl Failure {
    #[cold]
    pub fn keep(&self, exception: PyErr) -> io::Error {
        let error = io::Error::other(text_of(&exception));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(exception);
        error
    }

    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls Python, and keeps an exception as an error.
    fn call<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> io::Result<T> {
        Python::attach(|py| call(py).map_err(|exception| self.keep(exception)))
    }
}

/// The error for a file object that has nothing, or no room, now.
fn would_block(what: &str) -> PyErr {
    PyBlockingIOError::new_err(format!(
        "the file object is not ready to {what}; use one in blocking mode"
    ))
}

/// An output that is written by calls.
pub struct Output {
    pub write: Py<PyAny>,
    pub flush: Option<Py<PyAny>>,
    /// Whether None means that nothing was written, as with `io.RawIOBase`; otherwise it means
    /// everything.
    pub is_raw: bool,
    pub failure: Failure,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.failure.call(|py| {
            let answer = self.write.bind(py).call1((raw::bytes(py, bytes)?,))?;
            if answer.is_none() {
                return if self.is_raw { Err(would_block("write")) } else { Ok(bytes.len()) };
            }
            let written: usize = answer.extract()?;
            if written == 0 || written > bytes.len() {
                let text = format!("write() returned {written} for {} bytes", bytes.len());
                return Err(PyOSError::new_err(text));
            }
            Ok(written)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(flush) = &self.flush else { return Ok(()) };
        self.failure.call(|py| flush.bind(py).call0().map(|_| ()))
    }
}

/// The input of a reader.
pub enum Input {
    File(File, Failure),
    Object(FileObject),
}

/// An input that is read by calls.
pub struct FileObject {
    pub read: Py<PyAny>,
    pub seek: Option<Py<PyAny>>,
    /// The position at which the stream begins.
    pub start: u64,
    pub failure: Failure,
}

impl Input {
    /// The file object that a function returns for a name.
    pub fn opened_by(open: &Py<PyAny>, name: &str) -> io::Result<Input> {
        let failure = Failure::default();
        let (read, seek) = failure.call(|py| {
            let file = open.bind(py).call1((name,))?;
            Ok((file.getattr("read")?.unbind(), Some(file.getattr("seek")?.unbind())))
        })?;
        Ok(Input::Object(FileObject { read, seek, start: 0, failure }))
    }
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::File(file, failure) => loop {
                match file.read(bytes) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {
                        failure.call(|py| py.check_signals())?;
                    }
                    read => return read,
                }
            },
            Input::Object(object) => object.read(bytes),
        }
    }
}

impl FileObject {
    fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.failure.call(|py| {
            let answer = self.read.bind(py).call1((bytes.len(),))?;
            if answer.is_none() {
                return Err(would_block("read"));
            }
            let copy = |got: &[u8], bytes: &mut [u8]| match bytes.get_mut(..got.len()) {
                Some(place) => {
                    place.copy_from_slice(got);
                    Ok(got.len())
                }
                None => {
                    let text = format!("read({}) returned {} bytes", bytes.len(), got.len());
                    Err(PyOSError::new_err(text))
                }
            };
            match answer.cast::<PyBytes>() {
                Ok(got) => copy(got.as_bytes(), bytes),
                Err(_) => copy(&bytes::copy_of(&answer, Side::Decode)?, bytes),
            }
        })
    }
}

/// `os.SEEK_SET` and the others.
const FROM_START: u8 = 0;
const FROM_HERE: u8 = 1;
const FROM_END: u8 = 2;

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let object = match self {
            Input::File(file, _) => return file.seek(to),
            Input::Object(object) => object,
        };
        let Some(seek) = &object.seek else {
            return Err(object.failure.keep(io_unsupported()));
        };
        object.failure.call(|py| {
            let seek = seek.bind(py);
            let at: u64 = match to {
                SeekFrom::Start(at) => seek.call1((at.saturating_add(object.start), FROM_START)),
                SeekFrom::Current(by) => seek.call1((by, FROM_HERE)),
                SeekFrom::End(by) => seek.call1((by, FROM_END)),
            }?
            .extract()?;
            Ok(at.saturating_sub(object.start))
        })
    }
}

#[cold]
fn io_unsupported() -> PyErr {
    Python::attach(|py| {
        let kind = py.import("io").and_then(|io| io.getattr("UnsupportedOperation"));
        let made = kind.and_then(|kind| kind.call1(("the file object does not support seeking",)));
        made.map_or_else(|failed| failed, PyErr::from_value)
    })
}
