//! Views for Python. Sites are numbers here, and columns are returned as buffers for numpy;
//! `holdall._impl._view` does the rest.

mod arrow;
mod buffer;
mod lists;
mod map;
mod parts;
mod text;
mod values;

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use holdall::bindings::Type;
use holdall::bindings::kernel::IS_FORMAT_ORDER;
use holdall::bindings::memory::{self, Collect, GrowVec};
use holdall::view::{SomeRows, ViewSite};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::api::{Unpacker, limits};
use crate::fault::{Side, exception, guarded};
use crate::messages::{Dictionaries, MessageInput, Schema, Store, decoder_of};
use crate::raw;
use crate::sink::Builder;
use crate::stream::gil_mutex::{GilMutex, Guard};
use crate::tensor::describe;
use buffer::Buffer;
use lists::{joined, spread};
use map::Map;
use parts::Parts;
use text::{ByteRows, StringRows};
use values::{Packed, given};

/// Arrays of fewer bytes are copied: mapping a file costs more than reading them.
const MAPPED: u64 = 1 << 16;

/// An open message whose columns and rows can be requested.
#[pyclass(frozen, module = "holdall._holdall", name = "View")]
struct View {
    view: Arc<holdall::View<'static>>,
    /// The file, and its map once one was needed.
    file: Option<(File, OnceLock<Option<Arc<Map>>>)>,
    lock: CallLock,
}

/// One thread at a time uses a view whose parts Python reads. Otherwise a thread that holds the interpreter could wait for another
/// one, which waits for the interpreter in order to read.
type CallLock = Option<Arc<GilMutex<()>>>;

/// Waits until no other thread uses the view.
fn locked<'l>(py: Python<'_>, lock: &'l CallLock) -> PyResult<Option<Guard<'l, ()>>> {
    lock.as_ref().map(|lock| lock.lock(py)).transpose()
}

fn fault(py: Python<'_>, error: &holdall::Error) -> PyErr {
    exception(py, error, None, Side::Decode)
}

/// Converts results of the library for Python.
trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for holdall::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| fault(py, &error))
    }
}

impl View {
    fn site(&self, number: usize) -> PyResult<ViewSite<'_>> {
        self.view.numbered(number).ok_or_else(|| PyIndexError::new_err("no such site"))
    }

    /// Returns the map of the file, if there is one.
    fn map(&self) -> Option<&Arc<Map>> {
        let (file, map) = self.file.as_ref()?;
        // Where a file cannot be mapped (an empty one, a pipe, too many maps) its parts are read.
        map.get_or_init(|| Map::new(file).ok().flatten().map(Arc::new)).as_ref()
    }

    /// Returns a part of the file, mapped; `None` if it is small or cannot be mapped.
    fn mapped(&self, part: std::ops::Range<u64>) -> Option<Buffer> {
        if part.end - part.start < MAPPED {
            return None;
        }
        Buffer::of_map(self.map()?, part)
    }

    /// Returns numbers that the file stores unencoded: the part, and numpy's name of their type.
    fn mapped_numbers(
        &self,
        site: ViewSite<'_>,
    ) -> holdall::Result<Option<(Buffer, &'static str)>> {
        if self.file.is_none() || !IS_FORMAT_ORDER {
            return Ok(None);
        }
        let name = match &*site.plain().type_text() {
            "f16" => "f2",
            "f32" => "f4",
            "f64" => "f8",
            "u8" => "u1",
            "u16" => "u2",
            "u32" => "u4",
            "u64" => "u8",
            "i64" | "int" => "i8",
            _ => return Ok(None),
        };
        let Some(part) = site.place()? else { return Ok(None) };
        Ok(self.mapped(part).map(|buffer| (buffer, name)))
    }
}

#[pymethods]
impl View {
    /// Opens a view of a file.
    #[staticmethod]
    #[pyo3(signature = (path, dictionaries, store, budget))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        dictionaries: Dictionaries,
        store: Option<Py<Store>>,
        budget: Option<u64>,
    ) -> PyResult<View> {
        let file = File::open(path).map_err(holdall::Error::from).or_raise(py)?;
        let own = file.try_clone()?;
        let bytes = holdall::view::Bytes::reader(file).or_raise(py)?;
        let decoder = decoder_of(&dictionaries, store.as_ref(), limits(budget, None));
        let view = decoder.view(bytes).or_raise(py)?;
        // What a dictionary compressed is in memory, and no part of the file.
        let file = view.bytes().is_none().then(|| (own, OnceLock::new()));
        Ok(View { view: Arc::new(view), file, lock: None })
    }

    /// Opens a view of bytes in memory.
    #[staticmethod]
    #[pyo3(signature = (data, dictionaries, store, budget))]
    fn of(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        dictionaries: Dictionaries,
        store: Option<Py<Store>>,
        budget: Option<u64>,
    ) -> PyResult<View> {
        let bytes = match MessageInput::of(data)? {
            MessageInput::Bytes(bytes) => {
                holdall::view::Bytes::owned(pyo3::pybacked::PyBackedBytes::from(bytes))
            }
            MessageInput::Copy(bytes) => holdall::view::Bytes::owned(bytes),
        };
        let decoder = decoder_of(&dictionaries, store.as_ref(), limits(budget, None));
        let view = decoder.view(bytes).or_raise(py)?;
        Ok(View { view: Arc::new(view), file: None, lock: None })
    }

    /// Opens a view of bytes that Python reads in parts.
    #[staticmethod]
    #[pyo3(signature = (size, read, announce, dictionaries, store, budget))]
    fn of_parts(
        py: Python<'_>,
        size: u64,
        read: Py<PyAny>,
        announce: Py<PyAny>,
        dictionaries: Dictionaries,
        store: Option<Py<Store>>,
        budget: Option<u64>,
    ) -> PyResult<View> {
        let bytes = holdall::view::Bytes::reader(Parts { size, read, announce }).or_raise(py)?;
        let decoder = decoder_of(&dictionaries, store.as_ref(), limits(budget, None));
        let view = decoder.view(bytes).or_raise(py)?;
        Ok(View { view: Arc::new(view), file: None, lock: Some(Arc::new(GilMutex::new(()))) })
    }

    fn schema(&self) -> Schema {
        Schema(self.view.schema().clone())
    }

    fn metadata(&self) -> Vec<(String, String)> {
        let pairs = self.view.metadata().iter();
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collected()
    }

    fn field(&self, py: Python<'_>, site: usize, name: &str) -> PyResult<usize> {
        self.site(site)?.field(name).map(ViewSite::number).or_raise(py)
    }

    /// Returns the site of the items, keys or values inside a site.
    fn inside(&self, py: Python<'_>, site: usize, what: &str) -> PyResult<usize> {
        let site = self.site(site)?;
        let inside = match what {
            "keys" => site.keys(),
            "values" => site.values(),
            _ => site.items(),
        };
        inside.map(ViewSite::number).or_raise(py)
    }

    fn member(&self, py: Python<'_>, site: usize, number: usize) -> PyResult<usize> {
        self.site(site)?.member(number).map(ViewSite::number).or_raise(py)
    }

    /// Whether the values are best read as one column: numbers, text and the like, of which a message has several.
    fn is_column(&self, py: Python<'_>, site: usize) -> PyResult<bool> {
        let _guard = locked(py, &self.lock)?;
        let (site, types) = (self.site(site)?, self.view.schema().types());
        let mut plain = site.number();
        while let Type::Option(inner) = &types[plain] {
            plain = *inner;
        }
        let is_one_column = matches!(
            types[plain],
            Type::Never | Type::Null | Type::Scalar(_) | Type::Tensor(_) | Type::Unknown(..)
        );
        Ok(is_one_column && (self.view.is_stream() || site.rows().or_raise(py)? > 1))
    }

    fn names(&self, site: usize) -> PyResult<Vec<&str>> {
        Ok(self.site(site)?.names())
    }

    /// Returns the path, and a short name of the type.
    fn describe(&self, site: usize) -> PyResult<(String, String)> {
        let site = self.site(site)?;
        Ok((site.path(), site.type_text()))
    }

    /// Returns kind and parameters of the logical type.
    fn logical<'py>(
        &self,
        py: Python<'py>,
        site: usize,
    ) -> PyResult<Option<(u8, Bound<'py, PyBytes>)>> {
        let logical = self.site(site)?.logical();
        logical.map(|ty| Ok((ty.kind(), raw::bytes(py, ty.parameters())?))).transpose()
    }

    /// Returns what a stream says of its blocks, as far as it does: the numbers of the first value and of that after the last one,
    /// and for each column its path, the nulls, and a message with both bounds.
    #[expect(clippy::type_complexity, reason = "read by one function")]
    fn statistics<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Vec<(u64, u64, Vec<(Vec<String>, u64, Bound<'py, PyBytes>)>)>> {
        let _guard = locked(py, &self.lock)?;
        let blocks = py.detach(|| self.view.statistics()).or_raise(py)?;
        let mut found = Vec::new();
        for block in blocks.into_iter().flatten() {
            let mut columns = memory::with_capacity(block.columns.len());
            for column in block.columns {
                let bounds = holdall::Value::tuple([column.lower, column.upper]);
                let bounds = holdall::to_vec(&bounds).or_raise(py)?;
                columns.put((column.path, column.nulls, raw::bytes(py, &bounds)?));
            }
            found.put((block.values.start, block.values.end, columns));
        }
        Ok(found)
    }

    /// Returns the number of the first value of each block; a message is one block.
    fn block_starts(&self) -> Vec<u64> {
        (0..self.view.block_count()).map(|block| self.view.first_value(block)).collected()
    }

    fn columns(&self) -> Vec<usize> {
        self.view.columns().into_iter().map(ViewSite::number).collected()
    }

    fn len(&self, py: Python<'_>, site: usize) -> PyResult<Option<u64>> {
        let _guard = locked(py, &self.lock)?;
        self.site(site)?.len().or_raise(py)
    }

    /// Returns an item of a list as an object, by the options of `unpacker`.
    fn row<'py>(
        &self,
        py: Python<'py>,
        site: usize,
        number: u64,
        unpacker: &Bound<'py, Unpacker>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _guard = locked(py, &self.lock)?;
        let site = self.site(site)?;
        unpacker.get().build(py, self.view.schema(), |builder| site.emit_row(number, builder))
    }

    /// Returns items of a list as a list, `step` apart. Those of a block share one budget.
    #[pyo3(signature = (site, first, count, step, unpacker))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        site: usize,
        first: u64,
        count: u64,
        step: u64,
        unpacker: &Bound<'py, Unpacker>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _guard = locked(py, &self.lock)?;
        let site = self.site(site)?;
        let parts = site.in_blocks(SomeRows { first, count, step }).into_iter();
        joined(
            py,
            parts.map(|part| self.list(py, unpacker, |builder| site.emit_rows(part, builder))),
        )
    }

    /// Returns the values at a site as a list, or those inside options, logical types and extensions, with None for absent ones.
    /// Those of a block share one budget.
    fn values<'py>(
        &self,
        py: Python<'py>,
        site: usize,
        is_plain: bool,
        unpacker: &Bound<'py, Unpacker>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _guard = locked(py, &self.lock)?;
        let site = self.site(site)?;
        joined(
            py,
            (0..self.view.block_count()).map(|block| {
                let mut present = None;
                let list = self.list(py, unpacker, |builder| {
                    present = site.emit_values(block, is_plain, builder)?;
                    Ok(())
                })?;
                spread(list, present)
            }),
        )
    }

    /// Returns the entire object.
    fn value<'py>(
        &self,
        py: Python<'py>,
        unpacker: &Bound<'py, Unpacker>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _guard = locked(py, &self.lock)?;
        unpacker.get().build(py, self.view.schema(), |builder| self.view.emit(builder))
    }

    /// Returns a column: its length, one byte per row that says whether it is present (or None),
    /// the kind of values, and the values.
    fn column<'py>(
        &self,
        py: Python<'py>,
        site: usize,
    ) -> PyResult<(usize, Option<Buffer>, &'static str, Bound<'py, PyAny>)> {
        guarded(py, Side::Decode, || {
            let _guard = locked(py, &self.lock)?;
            let site = self.site(site)?;
            if let Some(tensors) = self.tensors(py, site)? {
                return Ok(tensors);
            }
            let mapped = self.mapped_numbers(site).or_raise(py)?;
            if let Some((buffer, name)) = mapped {
                let (len, present) = py.detach(|| site.presence()).or_raise(py)?;
                let numbers = (buffer, name).into_pyobject(py)?.into_any();
                return Ok((len, present.map(Buffer::of_numbers), "numbers", numbers));
            }
            let column = py.detach(|| site.column()).or_raise(py)?;
            let len = column.len();
            let (present, values) = column.into_parts();
            let (kind, values) = given(py, values)?;
            Ok((len, present.map(Buffer::of_numbers), kind, values))
        })
    }
}

impl View {
    /// Builds a list from the events that `emit` sends.
    fn list<'py>(
        &self,
        py: Python<'py>,
        unpacker: &Bound<'py, Unpacker>,
        emit: impl FnOnce(&mut Builder<'py, '_>) -> holdall::Result<()>,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = unpacker.get().build(py, self.view.schema(), emit)?;
        Ok(list.cast_into::<PyList>()?)
    }

    /// Returns tensors of a file; the elements of large ones are mapped.
    #[expect(clippy::type_complexity, reason = "as `column` answers")]
    fn tensors<'py>(
        &self,
        py: Python<'py>,
        site: ViewSite<'_>,
    ) -> PyResult<Option<(usize, Option<Buffer>, &'static str, Bound<'py, PyAny>)>> {
        if self.file.is_none() {
            return Ok(None);
        }
        let Some(tensors) = site.tensors().or_raise(py)? else { return Ok(None) };
        let list = raw::list(py)?;
        for tensor in tensors {
            // Small ones are read with all others.
            let Some(buffer) = self.mapped(tensor.elements) else { return Ok(None) };
            let dtype = describe(py, &tensor.dtype)?;
            list.append((dtype, tensor.shape.to_vec(), tensor.column_major, buffer))?;
        }
        let (len, present) = site.presence().or_raise(py)?;
        Ok(Some((len, present.map(Buffer::of_numbers), "tensors", list.into_any())))
    }
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<View>()?;
    module.add_class::<arrow::ScanRows>()?;
    module.add_class::<Buffer>()?;
    module.add_class::<StringRows>()?;
    module.add_class::<ByteRows>()?;
    module.add_class::<Packed>()
}
