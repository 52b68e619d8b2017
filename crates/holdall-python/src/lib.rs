//! Python objects to holdall and back: the compiled half of the package `holdall`.
//!
//! It knows Python's objects and nothing of the format: `source` tells an object's values, `sink` makes objects of values, and the
//! library does the rest.

mod api;
mod collector;
mod fault;
mod raw;
mod sink;
mod source;
mod tensor;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

static SUPPORT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Something of `holdall._plain`, where what is rare enough is done in Python.
fn support<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let module = SUPPORT.get_or_try_init(py, || {
        py.import("holdall._plain").map(|module| module.into_any().unbind())
    })?;
    module.bind(py).getattr(name)
}

#[pymodule]
fn _holdall(module: &Bound<'_, PyModule>) -> PyResult<()> {
    api::fill(module)
}
