//! `holdall.dumps` and `holdall.loads`, which most programs call: without options directly, with
//! options through Python.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::api::{Packer, Unpacker};
use crate::formats;
use crate::once::{Once, intern};
use crate::raw;

static PACKER: Once<Py<Packer>> = Once::new();
static UNPACKER: Once<Py<Unpacker>> = Once::new();
static DUMPS_WITH: Once<Py<PyAny>> = Once::new();
static LOADS_WITH: Once<Py<PyAny>> = Once::new();

/// Returns a function of the package, which is found once.
fn function<'py>(
    py: Python<'py>,
    found: &'static Once<Py<PyAny>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    Ok(found.get_or_try_init(py, || of_api(py, name).map(Bound::unbind))?.bind(py))
}

/// The format that options name, if they name nothing else.
fn only_format<'py>(options: Option<&Bound<'py, PyDict>>) -> PyResult<Option<Bound<'py, PyAny>>> {
    match options {
        Some(options) if options.len() == 1 => options.get_item(intern!(options.py(), "format")),
        _ => Ok(None),
    }
}

fn of_api<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("holdall._impl._api")?.getattr(name)
}

/// Packs an object as bytes.
///
/// >>> holdall.dumps({"a": 1}).hex(" ")
/// 'c1 10 1a 08 04 61 03 04'
///
/// The options are those of `Encoder`; `help(holdall.Encoder)` explains each, with its default, its unit and an example. `format`
/// names another format, such as "msgpack" (`holdall.formats`); for those, `storage` writes types that the format lacks as what
/// stores them, and `copies` writes shared values once for each use.
#[pyfunction]
#[pyo3(
    signature = (obj, *surplus, **options),
    text_signature = "(obj, *, profile='balanced', header='inline', references=True, canonical=False, checksum=False, \
        metadata=None, compress=None, dictionary=None, store=None, enc_hook=None, buffer_callback=None, threads=1, limits=None, format='holdall', storage=False, copies=False)"
)]
pub fn dumps<'py>(
    py: Python<'py>,
    obj: Py<PyAny>,
    surplus: &Bound<'py, PyTuple>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyBytes>> {
    if !surplus.is_empty() {
        return Err(PyTypeError::new_err(
            "dumps() takes the object alone: there is no protocol number as in pickle, and options have names, \
             such as profile='small'",
        ));
    }
    if let Some(format) = only_format(options)?
        && let Some(name) = raw::text_of(format.as_borrowed())
        && let Some(bytes) = formats::write_plain(name, obj.bind(py))?
    {
        return Ok(bytes);
    }
    if options.is_some() {
        return Ok(function(py, &DUMPS_WITH, "dumps_with")?.call((obj,), options)?.cast_into()?);
    }
    let packer = PACKER.get_or_try_init(py, || {
        let encoder = of_api(py, "default_encoder")?;
        PyResult::Ok(encoder.getattr("_raw")?.cast_into::<Packer>()?.unbind())
    })?;
    packer.get().pack(py, obj)
}

/// Unpacks the object in bytes, as `type` if given.
///
/// >>> holdall.loads(bytes.fromhex("c1 10 1a 08 04 61 03 04"))
/// {'a': 1}
///
/// The options are those of `Decoder`; `help(holdall.Decoder)` explains each, with its default, its unit and an example. `format`
/// names another format, as in `dumps`; for "csv", `infer` reads numbers and booleans.
#[pyfunction]
#[pyo3(
    signature = (data, r#type=None, **options),
    text_signature = "(data, type=None, *, types=(), trust=False, schema=None, missing='record', extra='ignore', \
        renames=None, strict=True, dec_hook=None, dictionaries=(), store=None, buffers=None, limits=None, format='holdall', infer=False)"
)]
pub fn loads<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    r#type: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if r#type.is_none()
        && let Some(format) = only_format(options)?
        && let Some(name) = raw::text_of(format.as_borrowed())
        && let Some(object) = formats::read_plain(py, name, data)?
    {
        return Ok(object);
    }
    if r#type.is_some() || options.is_some() {
        return function(py, &LOADS_WITH, "loads_with")?.call((data, r#type), options);
    }
    let unpacker = UNPACKER.get_or_try_init(py, || {
        let decoder = of_api(py, "default_decoder")?;
        PyResult::Ok(decoder.getattr("_raw")?.cast_into::<Unpacker>()?.unbind())
    })?;
    unpacker.get().unpack(py, data)
}
