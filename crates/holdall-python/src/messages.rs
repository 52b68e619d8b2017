//! What Python asks about a message without its values: the schema, the metadata, the length, the meaning of each piece.

use std::collections::HashSet;

use holdall::bindings::Type;
use holdall::bindings::memory::{self, Collect, GrowSet};
use holdall::schema_text::SchemaText;
use holdall::{Limits, Metadata, SchemaStore};
use holdall_inspect::{Inspection, View};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyList};

use crate::bytes;
use crate::fault::{Side, exception, guarded};
use crate::raw;

pub fn error(py: Python<'_>, error: &holdall::Error, side: Side) -> PyErr {
    exception(py, error, None, side)
}

/// Bytes that cannot change while they are read without the interpreter.
pub enum MessageInput<'py> {
    Bytes(Bound<'py, PyBytes>),
    Copy(Vec<u8>),
}

/// Metadata of pairs of strings, as a packer and a writer take them.
pub fn metadata_from(py: Python<'_>, pairs: &[(PyBackedStr, PyBackedStr)]) -> PyResult<Metadata> {
    let made = memory::guarded(|| {
        let pairs = pairs.iter().map(|(key, value)| (memory::text(key), memory::text(value)));
        Metadata::new(pairs)
    });
    made.map_err(|fault| error(py, &fault, Side::Encode))
}

impl<'py> MessageInput<'py> {
    pub fn of(data: &Bound<'py, PyAny>) -> PyResult<MessageInput<'py>> {
        if let Ok(bytes) = data.cast::<PyBytes>() {
            return Ok(MessageInput::Bytes(bytes.clone()));
        }
        // Another thread could change a bytearray, so it is copied.
        Ok(MessageInput::Copy(bytes::copy_of(data, Side::Decode)?))
    }

    pub fn as_slice(&self) -> &[u8] {
        match self {
            MessageInput::Bytes(bytes) => bytes.as_bytes(),
            MessageInput::Copy(bytes) => bytes,
        }
    }
}

/// A schema.
#[pyclass(frozen, module = "holdall._holdall", name = "Schema")]
pub struct Schema(pub holdall::Schema);

#[pymethods]
impl Schema {
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Schema> {
        let data = MessageInput::of(data)?;
        let schema = holdall::Schema::from_bytes(data.as_slice());
        schema.map(Schema).map_err(|fault| error(py, &fault, Side::Decode))
    }

    /// Reads schema text (F-99).
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str) -> PyResult<Schema> {
        let schema = text.parse::<holdall::Schema>();
        schema.map(Schema).map_err(|fault| error(py, &fault, Side::Decode))
    }

    /// Lays schema text out.
    #[staticmethod]
    fn format(py: Python<'_>, text: &str) -> PyResult<String> {
        let text = SchemaText::parse(text);
        text.and_then(|text| text.to_layout()).map_err(|fault| error(py, &fault, Side::Decode))
    }

    fn as_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        raw::bytes(py, self.0.as_bytes())
    }

    fn text(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, Side::Decode, || Ok(memory::shown(&self.0)))
    }

    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }

    fn sites(&self) -> usize {
        self.0.sites()
    }

    /// Returns the names of structs and extensions, each once, in the order of the schema.
    fn names(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let named = self.0.types().iter().filter_map(|ty| match ty {
            Type::Struct(name, _) | Type::Extension(name, _) => Some(&**name),
            _ => None,
        });
        named.filter(|name| seen.put(*name)).collected()
    }

    /// Returns for each change its kind, its path, both types, and its effect on readers.
    fn changes(&self, newer: &Schema) -> (Vec<String>, String, String, bool) {
        let diff = holdall::Diff::between(&self.0, &newer.0);
        let changes = diff.changes.iter().map(ToString::to_string).collected();
        let (new_reads_old, old_reads_new) =
            (diff.new_reads_old.to_string(), diff.old_reads_new.to_string());
        let is_empty = diff.changes.is_empty();
        (changes, new_reads_old, old_reads_new, is_empty)
    }
}

/// Schemas by their fingerprints.
#[pyclass(frozen, module = "holdall._holdall", name = "Store")]
pub struct Store(pub SchemaStore);

#[pymethods]
impl Store {
    #[new]
    #[pyo3(signature = (folder=None))]
    fn new(folder: Option<std::path::PathBuf>) -> Store {
        Store(folder.map_or_else(SchemaStore::new, SchemaStore::folder))
    }

    fn put(&self, py: Python<'_>, schema: &Schema) -> PyResult<()> {
        self.0.put(&schema.0).map_err(|fault| error(py, &fault, Side::Decode))
    }

    fn get(&self, py: Python<'_>, fingerprint: u64) -> PyResult<Option<Schema>> {
        let found = self.0.get(fingerprint).map_err(|fault| error(py, &fault, Side::Decode))?;
        Ok(found.map(Schema))
    }

    fn fingerprints(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        self.0.fingerprints().map_err(|fault| error(py, &fault, Side::Decode))
    }
}

/// A dictionary that small messages are compressed with.
#[pyclass(frozen, module = "holdall._holdall", name = "Dictionary")]
pub struct Dictionary(pub holdall::Dictionary);

#[pymethods]
impl Dictionary {
    #[new]
    fn new(py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Dictionary> {
        let data = MessageInput::of(data)?;
        let dictionary = holdall::Dictionary::from_bytes(data.as_slice());
        dictionary.map(Dictionary).map_err(|fault| error(py, &fault, Side::Decode))
    }

    /// Trains a dictionary, without the interpreter.
    #[staticmethod]
    fn train(py: Python<'_>, samples: &Bound<'_, PyAny>, size: usize) -> PyResult<Dictionary> {
        let samples = samples.try_iter()?.map(|sample| MessageInput::of(&sample?));
        let samples = samples.collected::<PyResult<Vec<MessageInput<'_>>>>()?;
        let slices: Vec<&[u8]> = samples.iter().map(MessageInput::as_slice).collected();
        let dictionary = py.detach(|| holdall::Dictionary::train(slices, size));
        dictionary.map(Dictionary).map_err(|fault| error(py, &fault, Side::Encode))
    }

    fn as_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        raw::bytes(py, self.0.as_bytes())
    }

    fn hash(&self) -> u64 {
        self.0.hash()
    }
}

pub type Dictionaries = Vec<Py<Dictionary>>;

/// A decoder that knows dictionaries, and schemas of a store.
pub fn decoder_of(
    dictionaries: &Dictionaries,
    store: Option<&Py<Store>>,
    limits: Limits,
) -> holdall::Decoder {
    let mut decoder = holdall::Decoder::new().limits(limits);
    dictionaries.iter().for_each(|each| decoder.add_dictionary(&each.get().0));
    match store {
        Some(store) => decoder.store(&store.get().0),
        None => decoder,
    }
}

/// Returns the schema of a message.
#[pyfunction]
#[pyo3(signature = (data, dictionaries=Vec::new(), store=None))]
fn schema_of(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    dictionaries: Dictionaries,
    store: Option<Py<Store>>,
) -> PyResult<Schema> {
    let data = MessageInput::of(data)?;
    let mut decoder = decoder_of(&dictionaries, store.as_ref(), Limits::new());
    let schema = decoder.schema(data.as_slice());
    schema.map(Schema).map_err(|fault| error(py, &fault, Side::Decode))
}

/// Returns the metadata of a message, in order.
#[pyfunction]
fn metadata_of<'py>(py: Python<'py>, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let data = MessageInput::of(data)?;
    let metadata = Metadata::of_message(data.as_slice());
    let metadata = metadata.map_err(|fault| error(py, &fault, Side::Decode))?;
    let pairs = raw::list(py)?;
    for (key, value) in metadata.iter() {
        pairs.append((raw::text(py, key)?, raw::text(py, value)?))?;
    }
    Ok(pairs)
}

/// Returns the length of a message, if it records one and enough of it is there.
#[pyfunction]
fn message_len(py: Python<'_>, prefix: &[u8]) -> PyResult<Option<usize>> {
    holdall::message_len(prefix).map_err(|fault| error(py, &fault, Side::Decode))
}

/// Returns the position and meaning of each piece of a message, and its fault.
#[pyfunction]
#[pyo3(signature = (data, path, redact, dictionaries=Vec::new(), store=None))]
fn inspect<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    path: Option<&str>,
    redact: bool,
    dictionaries: Dictionaries,
    store: Option<Py<Store>>,
) -> PyResult<(Bound<'py, PyList>, Vec<String>)> {
    guarded(py, Side::Decode, || {
        let data = MessageInput::of(data)?;
        let decoder = decoder_of(&dictionaries, store.as_ref(), Limits::new());
        let inspection = Inspection::of(data.as_slice(), &decoder);
        let view = View::default().redact(redact);
        let view = path.map_or(view.clone(), |path| view.path(path));
        let items = raw::list(py)?;
        for item in inspection.items(&view) {
            let row = raw::dict(py)?;
            row.set_item("start", item.range.start)?;
            row.set_item("stop", item.range.end)?;
            row.set_item("bytes", raw::bytes(py, item.bytes)?)?;
            row.set_item("path", &item.path)?;
            row.set_item("meaning", &item.meaning)?;
            row.set_item("rule", item.rule())?;
            row.set_item("faults", &item.faults)?;
            row.set_item("in_content", item.is_in_content)?;
            items.append(row)?;
        }
        let errors = inspection.errors().iter();
        let errors = errors.map(|fault| {
            if redact { holdall_inspect::redacted(fault).to_string() } else { format!("{fault:#}") }
        });
        Ok((items, errors.collected()))
    })
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Schema>()?;
    module.add_class::<Store>()?;
    module.add_class::<Dictionary>()?;
    module.add_function(wrap_pyfunction!(schema_of, module)?)?;
    module.add_function(wrap_pyfunction!(metadata_of, module)?)?;
    module.add_function(wrap_pyfunction!(message_len, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)
}
