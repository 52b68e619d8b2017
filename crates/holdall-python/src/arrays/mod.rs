//! Arrow's arrays for Python: taken from other packages, packed, and handed over.

mod import;

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use holdall::bindings::memory::{Collect, GrowVec};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyCapsule};

use crate::fault::{Side, exception};
use crate::{bytes, raw, support};

/// Arrays of one type.
#[pyclass(frozen, module = "holdall._holdall", name = "Arrays")]
pub struct Arrays(pub holdall_arrow::Arrays);

/// The arrays of a stream, one after the other, each made when it is asked for.
#[pyclass(frozen, module = "holdall._holdall", name = "ArrayStream")]
struct ArrayStream(Mutex<ArrayStreamReader>);

#[pymethods]
impl ArrayStream {
    /// Takes the capsule of a stream.
    #[new]
    fn new(py: Python<'_>, capsule: &Bound<'_, PyCapsule>) -> PyResult<ArrayStream> {
        let reader = import::stream_of(capsule)?.map_err(|error| refused(py, &error))?;
        Ok(ArrayStream(Mutex::new(reader)))
    }

    fn __iter__(slf: Py<ArrayStream>) -> Py<ArrayStream> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Arrays>> {
        // The stream may need the interpreter, which another thread that waits here must not hold.
        let (next, field) = py.detach(|| {
            let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let field = Arc::clone(arrow_array::ArrayReader::field(&*reader));
            (import::next(&mut reader), field)
        });
        let Some(array) = next else { return Ok(None) };
        let array = array.map_err(|error| refused(py, &error))?;
        Ok(Some(Arrays(holdall_arrow::Arrays::of_arrays(field, vec![array]))))
    }
}

/// Adds the classes to the module.
pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Arrays>()?;
    module.add_class::<ArrayStream>()
}

/// Makes the object of arrays that data has.
pub fn object(py: Python<'_>, arrays: holdall_arrow::Arrays) -> PyResult<Bound<'_, PyAny>> {
    support(py, "make_arrays")?.call1((Arrays(arrays),))
}

#[cold]
fn refused(py: Python<'_>, error: &ArrowError) -> PyErr {
    failed(py, &holdall::Error::new(holdall::Code::UnsupportedValue).got(error.to_string()))
}

#[cold]
fn failed(py: Python<'_>, error: &holdall::Error) -> PyErr {
    exception(py, error, None, Side::Encode)
}

/// The rows of a buffer that has one item for each.
fn bytes_of(buffer: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    bytes::copy_of(buffer, Side::Encode)
}

impl Arrays {
    /// Returns a column of a table by its number.
    fn at(&self, number: usize) -> PyResult<Arrays> {
        let DataType::Struct(fields) = self.0.field().data_type() else {
            return Err(PyTypeError::new_err("an array has no columns"));
        };
        let field = fields.get(number).ok_or_else(|| PyIndexError::new_err("no such column"))?;
        let column = |chunk: &ArrayRef| Arc::clone(chunk.as_struct().column(number));
        let chunks = self.0.chunks().iter().map(column).collected();
        Ok(Arrays(holdall_arrow::Arrays::of_arrays(Arc::clone(field), chunks)))
    }
}

#[pymethods]
impl Arrays {
    /// Takes the capsule of a stream.
    #[staticmethod]
    fn of_stream(py: Python<'_>, capsule: &Bound<'_, PyCapsule>) -> PyResult<Arrays> {
        let mut reader = import::stream_of(capsule)?.map_err(|error| refused(py, &error))?;
        let field = Arc::clone(arrow_array::ArrayReader::field(&reader));
        let chunks = std::iter::from_fn(|| import::next(&mut reader));
        let chunks = chunks.collected::<Result<_, _>>().map_err(|error| refused(py, &error))?;
        Ok(Arrays(holdall_arrow::Arrays::of_arrays(field, chunks)))
    }

    /// Takes the capsules of an array's type and values.
    #[staticmethod]
    fn of_array(
        py: Python<'_>,
        schema: &Bound<'_, PyCapsule>,
        array: &Bound<'_, PyCapsule>,
    ) -> PyResult<Arrays> {
        let arrays = import::of_array(schema, array)?.map_err(|error| refused(py, &error))?;
        Ok(Arrays(arrays))
    }

    /// Makes an array from the buffers of its values and, if there are nulls, of a byte for each row that is 1 where it has
    /// none. `format` is the type as in Arrow's C data interface.
    #[staticmethod]
    #[pyo3(signature = (format, values, nulls))]
    fn of_buffers(
        py: Python<'_>,
        format: &str,
        values: &Bound<'_, PyAny>,
        nulls: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Arrays> {
        let (values, nulls) = (bytes_of(values)?, nulls.map(bytes_of).transpose()?);
        let make = || {
            let schema = FFI_ArrowSchema::try_new(format, Vec::new(), None)?;
            let data_type = DataType::try_from(&schema)?;
            let nulls = nulls.map(|nulls| {
                NullBuffer::new(nulls.iter().map(|null| *null == 0).collect::<BooleanBuffer>())
            });
            let field = Arc::new(Field::new("", data_type.clone(), nulls.is_some()));
            let array: ArrayRef = match data_type {
                DataType::Boolean => {
                    let bits = values.iter().map(|byte| *byte != 0).collect::<BooleanBuffer>();
                    Arc::new(BooleanArray::new(bits, nulls))
                }
                _ => {
                    let width = data_type.primitive_width().unwrap_or(1);
                    let len = values.len() / width;
                    let data = ArrayData::builder(data_type).len(len).nulls(nulls);
                    let data = data.add_buffer(Buffer::from_vec(values)).align_buffers(true);
                    make_array(data.build()?)
                }
            };
            Ok(holdall_arrow::Arrays::of_arrays(field, vec![array]))
        };
        make().map(Arrays).map_err(|error| refused(py, &error))
    }

    /// Makes a table of named arrays of one length.
    #[staticmethod]
    fn of_columns(
        py: Python<'_>,
        names: Vec<String>,
        columns: Vec<Py<Arrays>>,
        len: usize,
    ) -> PyResult<Arrays> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, column) in names.iter().zip(&columns) {
            let column = &column.get().0;
            fields.put((**column.field()).clone().with_name(name));
            arrays.put(column.array().map_err(|error| failed(py, &error))?);
        }
        let schema = Arc::new(Schema::new(fields));
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(len));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options);
        let batch = batch.map_err(|error| refused(py, &error))?;
        Ok(Arrays(holdall_arrow::Arrays::of_batches(&schema, [batch])))
    }

    /// The rows of structs as a table, if all of them are there.
    fn table(&self) -> Arrays {
        Arrays(self.0.clone().into_table())
    }

    fn is_table(&self) -> bool {
        self.0.is_table()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Returns the names and types of the columns.
    fn fields(&self) -> Vec<(String, String)> {
        let schema = self.0.schema();
        let fields = schema.fields().iter();
        fields.map(|field| (field.name().clone(), field.data_type().to_string())).collected()
    }

    /// Returns a column of a table by its number.
    fn column(&self, number: usize) -> PyResult<Arrays> {
        self.at(number)
    }

    /// Returns some rows.
    fn rows(&self, start: usize, stop: usize) -> Arrays {
        let (mut before, mut chunks) = (0, Vec::new());
        for chunk in self.0.chunks() {
            let from = start.clamp(before, before + chunk.len()) - before;
            let to = stop.clamp(before, before + chunk.len()) - before;
            if to > from {
                chunks.put(chunk.slice(from, to - from));
            }
            before += chunk.len();
        }
        let some = holdall_arrow::Arrays::of_arrays(Arc::clone(self.0.field()), chunks);
        Arrays(if self.0.is_table() { some.into_table() } else { some })
    }

    /// Returns the words of a dictionary, and the array without it; None for other arrays.
    fn words(&self, py: Python<'_>) -> PyResult<Option<(Arrays, Arrays)>> {
        let array = self.0.array().map_err(|error| failed(py, &error))?;
        let Some(dictionary) = array.as_any_dictionary_opt() else { return Ok(None) };
        let of = |array: ArrayRef| {
            let field =
                Arc::new(Field::new(self.0.field().name(), array.data_type().clone(), true));
            Arrays(holdall_arrow::Arrays::of_arrays(field, vec![array]))
        };
        let numbers: ArrayRef = make_array(dictionary.keys().to_data());
        Ok(Some((of(Arc::clone(dictionary.values())), of(numbers))))
    }

    /// Returns copies of the values of numbers, and of a byte for each row that is 1 where it has none, if there are nulls.
    fn buffers<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Option<Bound<'py, PyByteArray>>)> {
        let array = self.0.array().map_err(|error| failed(py, &error))?;
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let nulls = nulls.map(|nulls| {
            let bytes: Vec<u8> = nulls.iter().map(|valid| u8::from(!valid)).collected();
            raw::byte_array(py, &bytes)
        });
        let nulls = nulls.transpose()?;
        let data = array.to_data();
        if let DataType::Boolean = array.data_type() {
            let bytes: Vec<u8> = array.as_boolean().values().iter().map(u8::from).collected();
            return Ok((raw::byte_array(py, &bytes)?, nulls));
        }
        let Some(width) = array.data_type().primitive_width() else {
            return Err(PyTypeError::new_err(format!("{} is no number", array.data_type())));
        };
        let start = data.offset() * width;
        let bytes = &data.buffers()[0].as_slice()[start..start + data.len() * width];
        Ok((raw::byte_array(py, bytes)?, nulls))
    }

    /// Returns a capsule with a stream of all batches.
    fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = self.0.batches().map_err(|error| failed(py, &error))?;
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Returns a capsule with the schema.
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&**self.0.field());
        let schema = schema.map_err(|error| refused(py, &error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Returns capsules with the type and the values of all rows.
    fn array<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let array = self.0.array().map_err(|error| failed(py, &error))?;
        let array = FFI_ArrowArray::new(&array.to_data());
        Ok((self.schema(py)?, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }
}
