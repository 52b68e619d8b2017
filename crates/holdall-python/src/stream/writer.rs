//! Writes streams of objects.

use std::fs::File;
use std::path::PathBuf;

use holdall::{Code, WriterOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use super::gil_mutex::GilMutex;
use super::object::{Failure, Output};
use crate::api::profile_of;
use crate::arrays::Arrays;
use crate::fault::{Raised, Side, exception, guarded};
use crate::messages::metadata_from;
use crate::signals::Signals;
use crate::source::{CachedMemory, Object, Options, Passed, WalkLimits};

/// A file, opened by the library and locked against other writers; or a Python object.
enum Writer {
    File(holdall::Writer<File>),
    Object(holdall::Writer<Output>),
}

macro_rules! of_either {
    ($writer:expr, $own:ident => $work:expr) => {
        match $writer {
            Writer::File($own) => $work,
            Writer::Object($own) => $work,
        }
    };
}

struct WriterState {
    /// None once it is closed.
    writer: Option<Writer>,
    /// An earlier write failed and raised: nothing can follow what was written.
    has_failed: bool,
    /// Knowledge from the objects so far.
    cached: CachedMemory,
}

/// Writes objects as a stream.
#[pyclass(frozen, module = "holdall._holdall", name = "StreamWriter")]
pub struct StreamWriter {
    shared: GilMutex<WriterState>,
    options: Options,
    failure: Failure,
}

#[pymethods]
impl StreamWriter {
    /// Opens a path, or takes two functions and a flag: whether None means that nothing was written.
    #[new]
    #[pyo3(signature = (path, functions, append, profile, block_bytes, block_rows, metadata, sync, limit, walk, references, canonical, enc_hook, threads, statistics))]
    #[expect(clippy::too_many_arguments, reason = "called by one function, by place")]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        functions: Option<(Py<PyAny>, Option<Py<PyAny>>, bool)>,
        append: bool,
        profile: &str,
        block_bytes: usize,
        block_rows: Option<u64>,
        metadata: Vec<(PyBackedStr, PyBackedStr)>,
        sync: Option<[u8; 8]>,
        limit: Option<usize>,
        walk: Passed,
        references: bool,
        canonical: bool,
        enc_hook: Option<Py<PyAny>>,
        threads: usize,
        statistics: bool,
    ) -> PyResult<StreamWriter> {
        let failure = Failure::default();
        let metadata = metadata_from(py, &metadata)?;
        let mut options = WriterOptions::new()
            .profile(profile_of(profile)?)
            .block_bytes(block_bytes)
            .metadata(metadata)
            .threads(threads)
            .statistics(statistics)
            .limits(crate::api::limits(None, limit));
        if let Some(rows) = block_rows {
            options = options.block_values(rows);
        }
        if let Some(sync) = sync {
            options = options.sync(sync);
        }
        let begun = match (path, functions) {
            (Some(path), _) => {
                let begin = || if append { options.append(path) } else { options.create(path) };
                py.detach(begin).map(Writer::File)
            }
            (None, Some((write, flush, is_raw))) => {
                let failure = failure.clone();
                options.to(Output { write, flush, is_raw, failure }).map(Writer::Object)
            }
            (None, None) => return Err(PyValueError::new_err("a path or functions")),
        };
        // Existing content is read.
        let writer = begun.map_err(|fault| of(py, &fault, &failure, Side::Decode))?;
        let state = WriterState {
            writer: Some(writer),
            has_failed: false,
            cached: CachedMemory::default(),
        };
        let limits = WalkLimits::new(walk);
        let options = Options {
            references,
            tracks_atoms: true,
            lends: false,
            hands_out: false,
            canonical,
            enc_hook,
            limits,
        };
        Ok(StreamWriter { shared: GilMutex::new(state), options, failure })
    }

    fn write(&self, py: Python<'_>, object: Py<PyAny>) -> PyResult<()> {
        guarded(py, Side::Encode, || {
            let mut held = self.shared.lock(py)?;
            let WriterState { writer, cached, has_failed } = &mut *held.state;
            let writer = open(writer)?;
            let mut source = Object::after(&object, &self.options, cached);
            let gathered = loop {
                let gathered = of_either!(&mut *writer, own => own.gather(&mut source));
                if gathered.is_ok() || !source.repeats() {
                    break gathered;
                }
            };
            let raised = source.raised.take();
            let is_full = gathered.map_err(|fault| {
                *has_failed |= fault.code() == Code::OutOfMemory;
                exception(py, &fault, raised, Side::Encode)
            })?;
            if !is_full {
                return Ok(());
            }
            let written = py.detach(|| of_either!(writer, own => own.write_block()));
            self.done(py, &mut held.state, written)
        })
    }

    /// Writes each row of arrays as a value.
    fn write_arrays(&self, py: Python<'_>, arrays: &Bound<'_, Arrays>) -> PyResult<()> {
        let mut held = self.shared.lock(py)?;
        let (mut signals, mut raised) = (Signals::default(), Raised::default());
        for mut row in arrays.get().0.rows() {
            let WriterState { writer, has_failed, .. } = &mut *held.state;
            let writer = open(writer)?;
            let gathered = signals
                .after(1, py, &mut raised)
                .and_then(|()| of_either!(&mut *writer, own => own.gather(&mut row)));
            let is_full = gathered.map_err(|fault| {
                *has_failed |= fault.code() == Code::OutOfMemory;
                exception(py, &fault, raised.take(), Side::Encode)
            })?;
            if is_full {
                let written = py.detach(|| of_either!(writer, own => own.write_block()));
                self.done(py, &mut held.state, written)?;
            }
        }
        Ok(())
    }

    fn flush(&self, py: Python<'_>, sync: bool) -> PyResult<()> {
        let mut held = self.shared.lock(py)?;
        let writer = open(&mut held.state.writer)?;
        let flushed = py.detach(|| match writer {
            Writer::File(own) if sync => own.sync(),
            Writer::File(own) => own.flush(),
            Writer::Object(own) => own.flush(),
        });
        self.done(py, &mut held.state, flushed)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let mut held = self.shared.lock(py)?;
        let Some(writer) = held.state.writer.take() else { return Ok(()) };
        if held.state.has_failed {
            return Ok(());
        }
        let finished = py.detach(|| of_either!(writer, own => own.finish().map(drop)));
        self.done(py, &mut held.state, finished)
    }

    /// Returns whether it is closed, without waiting.
    fn is_closed(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.shared.lock(py)?.state.writer.is_none())
    }

    /// Returns how many values the stream has.
    fn len(&self, py: Python<'_>) -> PyResult<u64> {
        let mut held = self.shared.lock(py)?;
        Ok(of_either!(open(&mut held.state.writer)?, own => own.len()))
    }
}

/// Returns the writer, unless it is closed.
fn open(writer: &mut Option<Writer>) -> PyResult<&mut Writer> {
    writer.as_mut().ok_or_else(|| PyValueError::new_err("write to a closed stream"))
}

impl StreamWriter {
    fn done(
        &self,
        py: Python<'_>,
        state: &mut WriterState,
        done: holdall::Result<()>,
    ) -> PyResult<()> {
        done.map_err(|fault| {
            state.has_failed |= matches!(fault.code(), Code::Io | Code::OutOfMemory);
            of(py, &fault, &self.failure, Side::Encode)
        })
    }
}

/// Returns the exception of an error; one of a file object unchanged.
pub fn of(py: Python<'_>, fault: &holdall::Error, failure: &Failure, side: Side) -> PyErr {
    failure.take().unwrap_or_else(|| exception(py, fault, None, side))
}
