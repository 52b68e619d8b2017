//! Python objects to holdall and back: the compiled half of the package `holdall`.
//!
//! It knows Python's objects and nothing of the format: `source` encodes an object's values, `sink`
//! builds objects from values, and the library does the rest. `small` packs and unpacks small
//! messages without the library's tables.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod api;
mod arrays;
mod attributes;
mod between_calls;
mod bytes;
mod calls;
mod collector;
mod decimals;
mod entries;
mod fault;
mod formats;
mod large_blocks;
mod layouts;
mod messages;
mod once;
mod raw;
mod signals;
mod sink;
mod small;
mod source;
mod stream;
mod tensor;
mod uuid;
mod view;

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::once::Once;

#[global_allocator]
static ALLOCATOR: large_blocks::LargeBlocks = large_blocks::LargeBlocks::new();

static SUPPORT: Once<Py<PyAny>> = Once::new();

/// Returns a name of `holdall._impl._plain`, the Python code for rare types.
fn support<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let module = SUPPORT.get_or_try_init(py, || {
        py.import("holdall._impl._plain").map(|module| module.into_any().unbind())
    })?;
    module.bind(py).getattr(name)
}

/// Returns `holdall.UNKNOWN`.
fn unknown(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static UNKNOWN: Once<Py<PyAny>> = Once::new();
    UNKNOWN.get_or_try_init(py, || Ok(support(py, "UNKNOWN")?.unbind())).map(|it| it.bind(py))
}

/// Returns the class `holdall.Record`.
fn record_class<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyType>> {
    static RECORD: Once<Py<PyType>> = Once::new();
    RECORD.import(py, "holdall._impl._values", "Record")
}

// Requires the interpreter lock, even in a Python that can run without it: `raw` borrows references
// from dicts, lists and slots, which another thread could release.
#[pymodule(gil_used = true)]
fn _holdall(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ALLOCATOR.read_environment();
    layouts::self_check(module.py());
    api::fill(module)?;
    messages::fill(module)?;
    formats::fill(module)?;
    view::fill(module)?;
    arrays::fill(module)?;
    stream::fill(module)
}
