//! Columns for Arrow's consumers, by its PyCapsule interface.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_buffer::Buffer;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use holdall_arrow::{Batches, Memory, OnUnmappable, Scan};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::map::Map;
use super::{CallLock, MAPPED, OrRaise, View, fault, locked};
use holdall::bindings::memory::Collect;

/// The rows at a place of a view, as tables.
#[pyclass(frozen, module = "holdall._holdall", name = "Scan")]
pub struct ScanRows {
    scan: Scan,
    lock: CallLock,
}

/// Parts of a mapped file.
struct Mapped(Arc<Map>);

impl Memory for Mapped {
    #[allow(unsafe_code, reason = "the map's address as a buffer")]
    fn part(&self, part: Range<u64>) -> Option<Buffer> {
        let len =
            usize::try_from(part.end - part.start).ok().filter(|len| *len as u64 >= MAPPED)?;
        let address = NonNull::new(self.0.address(&part)?.cast_mut())?;
        // SAFETY: `len` bytes start at the address and stay there as long as the map, which the buffer keeps alive. The file
        // can change under them, as it can under numpy's arrays: the numbers may, but no reference to them is made here, because
        // only the consumer reads them.
        Some(unsafe { Buffer::from_custom_allocation(address, len, Arc::new(Arc::clone(&self.0))) })
    }
}

/// Batches that are made without the interpreter, which threads that make them may need: the consumer can hold it. A panic
/// would end the process, because the consumer calls from C.
struct Detached {
    batches: Batches,
    lock: CallLock,
}

impl Iterator for Detached {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Python::attach(|py| {
            let _guard = match locked(py, &self.lock) {
                Ok(guard) => guard,
                Err(failed) => return Some(Err(ArrowError::ExternalError(Box::new(failed)))),
            };
            let batch = catch_unwind(AssertUnwindSafe(|| py.detach(|| self.batches.next())));
            batch.unwrap_or_else(|_| {
                Some(Err(ArrowError::ComputeError("a panic, which is a defect of holdall".into())))
            })
        })
    }
}

impl RecordBatchReader for Detached {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }
}

impl View {
    fn table(&self, site: usize) -> Scan {
        let scan = Scan::new(Arc::clone(&self.view)).at(site);
        match self.map() {
            Some(map) => scan.memory(Arc::new(Mapped(Arc::clone(map)))),
            None => scan,
        }
    }
}

#[pymethods]
impl ScanRows {
    /// Returns the rows at a site of a view.
    #[staticmethod]
    #[pyo3(signature = (view, site, columns, start, stop, on_unmappable))]
    fn of(
        view: &Bound<'_, View>,
        site: usize,
        columns: Option<Vec<String>>,
        start: u64,
        stop: u64,
        on_unmappable: &str,
    ) -> ScanRows {
        // Python has checked the word.
        let on_unmappable = match on_unmappable {
            "drop" => OnUnmappable::Drop,
            "json" => OnUnmappable::Json,
            "binary" => OnUnmappable::Binary,
            _ => OnUnmappable::Error,
        };
        let scan = view.get().table(site).rows(start..stop).on_unmappable(on_unmappable);
        let scan = match columns {
            Some(columns) => scan.columns(columns),
            None => scan,
        };
        ScanRows { scan, lock: view.get().lock.clone() }
    }

    /// Returns some columns of some rows. What is known of the schema stays known.
    #[pyo3(signature = (columns, start, stop))]
    fn part(&self, columns: Option<Vec<String>>, start: u64, stop: u64) -> ScanRows {
        let scan = self.scan.clone().rows(start..stop);
        let scan = match columns {
            Some(columns) => scan.columns(columns),
            None => scan,
        };
        ScanRows { scan, lock: self.lock.clone() }
    }

    /// Returns a capsule with a stream of all batches.
    fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let _guard = locked(py, &self.lock)?;
        let batches = py.detach(|| self.scan.batches()).or_raise(py)?;
        let detached = Detached { batches, lock: self.lock.clone() };
        let stream = FFI_ArrowArrayStream::new(Box::new(detached));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Returns a capsule with the schema.
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let _guard = locked(py, &self.lock)?;
        let schema = py.detach(|| self.scan.schema()).or_raise(py)?;
        let schema = FFI_ArrowSchema::try_from(&*schema).map_err(|error| refused(py, &error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Returns capsules with the type and the values of all rows.
    fn array<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _guard = locked(py, &self.lock)?;
        let (field, array) = py.detach(|| self.scan.array()).or_raise(py)?;
        let schema = FFI_ArrowSchema::try_from(&*field).map_err(|error| refused(py, &error))?;
        let array = FFI_ArrowArray::new(&array.to_data());
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    /// Returns the names and types of the columns.
    fn fields(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let _guard = locked(py, &self.lock)?;
        let schema = py.detach(|| self.scan.schema()).or_raise(py)?;
        let fields = schema.fields().iter();
        Ok(fields.map(|field| (field.name().clone(), field.data_type().to_string())).collected())
    }
}

#[cold]
fn refused(py: Python<'_>, error: &ArrowError) -> PyErr {
    let error = holdall::Error::new(holdall::Code::Unconvertible).got(error.to_string());
    fault(py, &error)
}
