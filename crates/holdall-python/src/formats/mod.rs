//! Other formats: their bytes to messages and back, and plain objects to their bytes.

mod plain_build;
mod plain_walk;

use std::cell::RefCell;

use holdall::bindings::Refused;
use holdall::bindings::memory::Collect;
use holdall::{Code, Decoder, Encoder, Limits};
use holdall_convert::cbor::{CborSink, CborSource};
use holdall_convert::json::{JsonSink, JsonSource};
use holdall_convert::msgpack::{MsgpackSink, MsgpackSource};
use holdall_convert::ndjson::NdjsonSource;
use holdall_convert::{Format, Packer, Unpacker};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fault::{Side, guarded};
use crate::messages::{MessageInput, Schema, error};
use crate::once::intern;
use crate::raw;
use crate::small::Attempts;

/// The most bytes of a value after which the encoder and decoder of a thread are kept.
const KEPT_BYTES: usize = 1 << 16;

/// The most bytes that are read without a message: meanwhile other threads and signals wait.
const MAX_PLAIN_BYTES: usize = 1 << 24;

/// The formats that plain data are read from.
const PLAIN: [&str; 4] = ["json", "ndjson", "msgpack", "cbor"];

thread_local! {
    /// For each of them, whether to try the next data.
    static ATTEMPTS: RefCell<[Attempts; PLAIN.len()]> = RefCell::default();
    /// Of small values most of the time is theirs.
    static KEPT: RefCell<Option<(Encoder, Decoder)>> = const { RefCell::new(None) };
}

/// Calls a function with an encoder and a decoder that converts values between messages and bytes of this length. The decoder
/// reads what the program has just made itself, so it has no limits.
fn with_kept<T>(len: usize, convert: impl FnOnce(&mut Encoder, &mut Decoder) -> T) -> T {
    let (mut encoder, mut decoder) = KEPT.take().unwrap_or_else(|| {
        let limits = Limits::new().budget(u64::MAX).output(usize::MAX);
        (Encoder::new(), Decoder::new().limits(limits))
    });
    let converted = convert(&mut encoder, &mut decoder);
    if len <= KEPT_BYTES {
        KEPT.set(Some((encoder, decoder)));
    }
    converted
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(format_names, module)?)?;
    module.add_function(wrap_pyfunction!(read_format, module)?)?;
    module.add_function(wrap_pyfunction!(read_plain, module)?)?;
    module.add_function(wrap_pyfunction!(write_format, module)?)?;
    module.add_function(wrap_pyfunction!(write_plain, module)?)
}

/// The names of all formats.
#[pyfunction]
fn format_names() -> Vec<&'static str> {
    Format::ALL.iter().map(|format| format.name()).collected()
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
    guarded(py, Side::Decode, || {
        let mut packer = Packer::new(named(name)?).infer(infer);
        if let Some(schema) = names {
            packer = packer.names(&schema.0);
        }
        let data = MessageInput::of(data)?;
        let bytes = data.as_slice();
        let message =
            py.detach(|| with_kept(bytes.len(), |encoder, _| packer.pack(encoder, bytes)));
        let message = message.map_err(|fault| error(py, &fault, Side::Decode))?;
        raw::bytes(py, &message)
    })
}

/// The list or dict of plain data of a format. None for other data, and where the message that [`read_format`] makes is needed.
#[pyfunction]
pub fn read_plain<'py>(
    py: Python<'py>,
    name: &str,
    data: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(place) = PLAIN.iter().position(|known| *known == name) else { return Ok(None) };
    // Other buffers are copied first, which the message needs, too.
    let Ok(bytes) = data.cast_exact::<PyBytes>() else { return Ok(None) };
    let bytes = bytes.as_bytes();
    if bytes.len() > MAX_PLAIN_BYTES || !ATTEMPTS.with_borrow_mut(|all| all[place].begins()) {
        return Ok(None);
    }
    let object = match name {
        "json" => plain_build::read(py, |build| JsonSource::new(bytes)?.emit(build)),
        "ndjson" => plain_build::read(py, |build| NdjsonSource::new(bytes).emit(build)),
        "msgpack" => plain_build::read(py, |build| MsgpackSource::new(bytes)?.emit(build)),
        _ => plain_build::read(py, |build| CborSource::new(bytes)?.emit(build)),
    };
    ATTEMPTS.with_borrow_mut(|all| all[place].ended(object.is_some()));
    Ok(object)
}

/// A message in a format.
#[pyfunction]
fn write_format<'py>(
    py: Python<'py>,
    name: &str,
    message: &Bound<'py, PyBytes>,
    storage: bool,
    copies: bool,
    limit: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(py, Side::Encode, || {
        let unpacker = Unpacker::new(named(name)?).storage(storage).copies(copies).of_values(true);
        let message = message.as_bytes();
        let data = py.detach(|| match limit {
            None => with_kept(message.len(), |_, decoder| unpacker.unpack(decoder, message)),
            Some(limit) => {
                let limits = Limits::new().budget(u64::MAX).output(limit);
                unpacker.unpack(&mut Decoder::new().limits(limits), message)
            }
        });
        let data = data.map_err(|fault| refusal(py, &fault))?;
        // The last value that was written can be beyond it.
        if let Some(limit) = limit.filter(|limit| data.len() > *limit) {
            let fault = holdall::Error::new(Code::LimitOutput);
            let fault = fault.expected(format!("at most {limit} bytes"));
            return Err(error(py, &fault.got(data.len().to_string()), Side::Encode));
        }
        raw::bytes(py, &data)
    })
}

/// A plain object in a format that has all its values. None for another object, and where the message that
/// [`write_format`] takes is needed.
#[pyfunction]
pub fn write_plain<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let bytes = match name {
        "json" => plain_walk::write(object, JsonSink::new(), JsonSink::take),
        "ndjson" => plain_walk::write(object, JsonSink::new().lines(), JsonSink::take),
        "msgpack" => plain_walk::write(object, MsgpackSink::new(), MsgpackSink::take),
        "cbor" => plain_walk::write(object, CborSink::new(), CborSink::take),
        _ => None,
    };
    bytes.map(|bytes| raw::bytes(object.py(), &bytes)).transpose()
}

/// The exception for a value that the format cannot hold, with what it is, by which the package gives advice.
fn refusal(py: Python<'_>, fault: &holdall::Error) -> PyErr {
    let exception = error(py, fault, Side::Encode);
    let refused = match fault.refused() {
        None => return exception,
        Some(Refused::Shared) => vec!["shared"],
        Some(Refused::Cycle) => vec!["cycle"],
        Some(Refused::Type(name)) => vec!["type", name],
        Some(Refused::Keys) => vec!["keys"],
        Some(Refused::EmptyText) => vec!["empty"],
        Some(Refused::Tensor) => vec!["tensor"],
    };
    let set = raw::tuple_of(py, refused.into_iter().map(|part| raw::text(py, part)))
        .and_then(|refused| exception.value(py).setattr(intern!(py, "_refused"), refused));
    match set {
        Ok(()) => exception,
        Err(failed) => failed,
    }
}
