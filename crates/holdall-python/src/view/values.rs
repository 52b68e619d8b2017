//! Values of columns for Python.

use std::sync::Arc;

use holdall::DType;
use holdall::bindings::memory::{self, Collect};
use holdall::view::{Values, packed_message};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::buffer::{AsBytes, Buffer};
use super::fault;
use super::text::{ByteRows, StringRows};
use crate::bytes;
use crate::raw;
use crate::tensor::describe;

/// Packed values: their bytes for numpy, or a message for what numpy has no type for.
#[pyclass(frozen, module = "holdall._holdall", name = "Packed")]
pub struct Packed {
    dtype: DType,
    bytes: Arc<Vec<u8>>,
}

#[pymethods]
impl Packed {
    fn buffer(&self) -> Buffer {
        Buffer::of_numbers(Arc::clone(&self.bytes))
    }

    /// Returns a message with the values as a list.
    fn message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        raw::bytes(py, &packed_message(&self.dtype, &self.bytes))
    }
}

fn numbers<'py, T>(
    py: Python<'py>,
    rows: std::borrow::Cow<'_, [T]>,
    name: &'static str,
) -> PyResult<(&'static str, Bound<'py, PyAny>)>
where
    T: Clone + 'static,
    Vec<T>: AsBytes,
{
    let numbers = (Buffer::of_numbers(memory::owned(rows)), name).into_pyobject(py)?;
    Ok(("numbers", numbers.into_any()))
}

/// Converts values for Python: their kind, and what `holdall._impl._view` makes them from.
pub fn given<'py>(
    py: Python<'py>,
    values: Values<'_>,
) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
    let object =
        |count: usize| -> PyResult<Bound<'py, PyAny>> { Ok(count.into_pyobject(py)?.into_any()) };
    Ok(match values {
        Values::Null(rows) => ("null", object(rows)?),
        Values::Unknown(rows) => ("unknown", object(rows)?),
        Values::Bools(rows) => return numbers(py, rows.into(), "?"),
        Values::U8(rows) => return numbers(py, rows, "u1"),
        Values::U16(rows) => return numbers(py, rows, "u2"),
        Values::U32(rows) => return numbers(py, rows, "u4"),
        Values::U64(rows) => return numbers(py, rows, "u8"),
        Values::I8(rows) => return numbers(py, rows, "i1"),
        Values::I16(rows) => return numbers(py, rows, "i2"),
        Values::I32(rows) => return numbers(py, rows, "i4"),
        Values::I64(rows) | Values::Int(rows) => return numbers(py, rows, "i8"),
        Values::F16(rows) => return numbers(py, rows, "f2"),
        Values::F32(rows) => return numbers(py, rows, "f4"),
        Values::F64(rows) => return numbers(py, rows, "f8"),
        // numpy has no bf16; all its values are f32.
        Values::Bf16(rows) => {
            let rows: Vec<f32> = rows.iter().map(|row| row.to_f32()).collected();
            return numbers(py, rows.into(), "f4");
        }
        Values::Wide(rows) => {
            let list = raw::list(py)?;
            for row in (0..rows.len()).filter_map(|row| rows.get(row)) {
                list.append(raw::int_of_bytes(py, &row)?)?;
            }
            ("list", list.into_any())
        }
        Values::Strings(rows) => {
            ("text", StringRows(rows.into_owned()).into_pyobject(py)?.into_any())
        }
        Values::Bytes(rows) => ("text", ByteRows(rows.into_owned()).into_pyobject(py)?.into_any()),
        Values::Fixed { rows, width, bytes } => {
            let list = raw::list(py)?;
            for row in 0..rows {
                list.append(raw::bytes(py, &bytes[row * width..(row + 1) * width])?)?;
            }
            ("list", list.into_any())
        }
        Values::Packed { dtype, bytes } => {
            let description = describe(py, &dtype)?;
            let packed = Packed { dtype, bytes: Arc::new(memory::owned(bytes)) };
            ("packed", (packed, description).into_pyobject(py)?.into_any())
        }
        Values::Tensors(tensors) => {
            let list = raw::list(py)?;
            for tensor in (0..tensors.len()).filter_map(|row| tensors.get(row)) {
                let buffer = Buffer::of_bytes(bytes::copied(tensor.elements)?);
                let dtype = describe(py, tensor.dtype)?;
                list.append((dtype, tensor.shape.to_vec(), tensor.column_major, buffer))?;
            }
            ("tensors", list.into_any())
        }
        Values::Lists { offsets } => {
            ("offsets", Buffer::of_numbers(offsets).into_pyobject(py)?.into_any())
        }
        Values::Arrays { rows, len } => ("arrays", (rows, len).into_pyobject(py)?.into_any()),
        Values::Variants(which) => {
            ("variants", Buffer::of_numbers(which).into_pyobject(py)?.into_any())
        }
        other => {
            let error = holdall::Error::new(holdall::Code::Unsupported)
                .expected("a column that Python has a form for")
                .got(format!("{} rows", other.len()));
            return Err(fault(py, &error));
        }
    })
}
