//! Verification of streams, and recovery of their intact parts.

use std::path::PathBuf;

use holdall::bindings::memory::Collect;
use holdall::stream::{self, Report};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::object::{Failure, Output};
use super::reader::{Functions, input};
use super::writer::of;
use crate::fault::Side;
use crate::messages::Schema;
use crate::raw;

/// Checks a stream.
#[pyfunction]
#[pyo3(signature = (path, functions, budget, frame))]
pub fn verify<'py>(
    py: Python<'py>,
    path: Option<PathBuf>,
    functions: Option<Functions>,
    budget: Option<u64>,
    frame: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let failure = Failure::default();
    let input = input(py, path, functions, &failure)?;
    let limits = super::limits(budget, frame);
    let report = py.detach(|| stream::verify(input, limits));
    report_dict(py, report, &failure)
}

/// Writes the intact parts of a stream by a function.
#[pyfunction]
#[pyo3(signature = (path, functions, write, schemas, budget, frame))]
pub fn recover<'py>(
    py: Python<'py>,
    path: Option<PathBuf>,
    functions: Option<Functions>,
    write: (Py<PyAny>, Option<Py<PyAny>>, bool),
    schemas: Vec<Py<Schema>>,
    budget: Option<u64>,
    frame: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let failure = Failure::default();
    let input = input(py, path, functions, &failure)?;
    let limits = super::limits(budget, frame);
    let schemas: Vec<_> = schemas.iter().map(|schema| schema.get().0.clone()).collected();
    let (write, flush, is_raw) = write;
    let output = Output { write, flush, is_raw, failure: failure.clone() };
    let report = py.detach(|| stream::recover(input, output, &schemas, limits));
    report_dict(py, report, &failure)
}

fn report_dict<'py>(
    py: Python<'py>,
    report: holdall::Result<Report>,
    failure: &Failure,
) -> PyResult<Bound<'py, PyDict>> {
    let report = report.map_err(|fault| of(py, &fault, failure, Side::Decode))?;
    let dict = raw::dict(py)?;
    dict.set_item("values", report.values())?;
    dict.set_item("blocks", report.blocks())?;
    dict.set_item("bytes", report.bytes())?;
    dict.set_item("finished", report.is_finished())?;
    let damage = report.damage().iter().map(|each| super::damage(py, each));
    dict.set_item("damage", damage.collected::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}
