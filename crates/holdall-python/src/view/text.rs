//! Columns of text whose rows are made when they are used.

use holdall::view::{Strings, TextBytes};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::raw;

/// Strings, each made when it is requested.
#[pyclass(frozen, module = "holdall._holdall", name = "Strings")]
pub struct StringRows(pub Strings<'static>);

#[pymethods]
impl StringRows {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyString>> {
        let text = self.0.get(row).ok_or_else(|| PyIndexError::new_err("no such row"))?;
        Ok(raw::text(py, text)?.cast_into()?)
    }

    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = raw::list(py)?;
        self.0.iter().try_for_each(|text| list.append(raw::text(py, text)?))?;
        Ok(list)
    }
}

/// Byte strings, each made when it is requested.
#[pyclass(frozen, module = "holdall._holdall", name = "ByteStrings")]
pub struct ByteRows(pub TextBytes<'static>);

#[pymethods]
impl ByteRows {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.0.get(row).ok_or_else(|| PyIndexError::new_err("no such row"))?;
        raw::bytes(py, bytes)
    }

    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = raw::list(py)?;
        self.0.iter().try_for_each(|bytes| list.append(raw::bytes(py, bytes)?))?;
        Ok(list)
    }
}
