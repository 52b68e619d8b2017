//! Other formats: their bytes to messages and back.

use holdall::{Decoder, Encoder, Limits};
use holdall_convert::{Format, Packer, Unpacker};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fault::Side;
use crate::messages::{Input, Schema, error};

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(format_names, module)?)?;
    module.add_function(wrap_pyfunction!(read_format, module)?)?;
    module.add_function(wrap_pyfunction!(write_format, module)?)
}

/// The names of all formats.
#[pyfunction]
fn format_names() -> Vec<&'static str> {
    Format::ALL.iter().map(|format| format.name()).collect()
}

fn named(name: &str) -> PyResult<Format> {
    Format::named(name).ok_or_else(|| PyValueError::new_err(format!("there is no format {name:?}")))
}

/// The message of data of a format. A schema gives names to a format without names.
#[pyfunction]
fn read_format<'py>(
    py: Python<'py>,
    name: &str,
    data: &Bound<'py, PyAny>,
    infer: bool,
    names: Option<&Schema>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut packer = Packer::new(named(name)?).infer(infer);
    if let Some(schema) = names {
        packer = packer.names(&schema.0);
    }
    let data = Input::of(data)?;
    let bytes = data.as_slice();
    let message = py.detach(|| packer.pack(&mut Encoder::new(), bytes));
    let message = message.map_err(|fault| error(py, &fault, Side::Decode))?;
    Ok(PyBytes::new(py, &message))
}

/// A message in a format.
#[pyfunction]
fn write_format<'py>(
    py: Python<'py>,
    name: &str,
    message: &Bound<'py, PyBytes>,
    storage: bool,
    copies: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let unpacker = Unpacker::new(named(name)?).storage(storage).copies(copies);
    let message = message.as_bytes();
    // The program made the message itself.
    let limits = Limits::new().budget(u64::MAX).output(usize::MAX);
    let data = py.detach(|| unpacker.unpack(&mut Decoder::new().limits(limits), message));
    let data = data.map_err(|fault| error(py, &fault, Side::Encode))?;
    Ok(PyBytes::new(py, &data))
}
