//! The functions and classes that Python calls. They are thin: the documented interface is in
//! Python.

use std::ffi::OsString;
use std::io::{self, IsTerminal, stderr, stdin, stdout};
use std::sync::Arc;

use holdall::bindings::Pieces;
use holdall::bindings::memory::Collect;
use holdall::{Header, Limits, Profile};
use holdall_cli::{RemoteFile, Shows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyList};

use crate::between_calls::BetweenCalls;
use crate::bytes::LentBytes;
use crate::calls::{dumps, loads};
use crate::collector::{self, MANY_CONTAINERS, WithoutCollector};
use crate::fault::{Side, exception, guarded};
use crate::layouts::used_layouts;
use crate::messages::{
    Dictionaries, Dictionary, MessageInput, Schema, Store, decoder_of, error, metadata_from,
};
use crate::sink::{
    Account, BUDGET, Builder, Form, Kept, Samples, Settings, Types, charge, forget, notes,
};
use crate::small::{DOCUMENT, Learning, SmallPacker, SmallUnpacker, VALUES};
use crate::source::{CachedMemory, Object, Options, Passed, WalkLimits};
use crate::stream::FileInput;
use crate::{bytes, raw};

/// From this many values on, the bytes are written without the interpreter.
const LARGE_VALUES: u64 = 4096;
/// From this many bytes on, they are checked without the interpreter.
const LARGE_BYTES: usize = 1 << 14;

pub fn limits(budget: Option<u64>, output: Option<usize>) -> Limits {
    let limits = Limits::new();
    let limits = budget.map_or(limits, |budget| limits.budget(budget));
    output.map_or(limits, |output| limits.output(output))
}

pub fn profile_of(name: &str) -> PyResult<Profile> {
    match name {
        "fast" => Ok(Profile::Fast),
        "balanced" => Ok(Profile::Balanced),
        "small" => Ok(Profile::Small),
        other => Err(PyValueError::new_err(format!("no profile: {other:?}"))),
    }
}

/// Packs objects.
#[pyclass(frozen, module = "holdall._holdall", name = "Packer")]
pub struct Packer {
    make: Box<dyn Fn() -> holdall::Encoder + Send + Sync>,
    options: Options,
    make_small: Box<dyn Fn() -> Option<SmallPacker> + Send + Sync>,
    /// Taken out while in use: a hook that packs, or another thread, gets its own.
    kept: BetweenCalls<Box<Packing>>,
}

/// What a packer keeps between messages.
struct Packing {
    encoder: holdall::Encoder,
    /// None if messages have more than a header and the block, or the caller sets limits.
    small: Option<SmallPacker>,
    memory: CachedMemory,
    /// The elements that arrays lend to the message, until it is written.
    lent: Vec<Arc<LentBytes>>,
}

#[pymethods]
impl Packer {
    #[new]
    #[pyo3(signature = (profile, header, references, tracks_atoms, canonical, checksum, metadata, dictionary, store, limit, walk, enc_hook, hands_out, threads))]
    #[expect(clippy::too_many_arguments, reason = "called by one function, by place")]
    fn new(
        py: Python<'_>,
        profile: &str,
        header: &str,
        references: bool,
        tracks_atoms: bool,
        canonical: bool,
        checksum: bool,
        metadata: Vec<(PyBackedStr, PyBackedStr)>,
        dictionary: Option<Py<Dictionary>>,
        store: Option<Py<Store>>,
        limit: Option<usize>,
        walk: Passed,
        enc_hook: Option<Py<PyAny>>,
        hands_out: bool,
        threads: usize,
    ) -> PyResult<Packer> {
        let profile = profile_of(profile)?;
        let header = match header {
            "inline" => Header::Schema,
            "fingerprint" => Header::Fingerprint,
            "none" => Header::Bare,
            other => {
                return Err(PyValueError::new_err(format!("unknown kind of schema: {other:?}")));
            }
        };
        let metadata = metadata_from(py, &metadata)?;
        let dictionary = dictionary.map(|dictionary| dictionary.get().0.clone());
        let store = store.map(|store| store.get().0.clone());
        let limits = limits(None, limit);
        let is_limited = limit.is_some() || walk != (None, None, None);
        let has_more = checksum || store.is_some() || metadata.iter().next().is_some();
        let is_plain = !is_limited && !has_more && profile != Profile::Small;
        // Several threads encode the columns of a document.
        let values = if threads == 1 { DOCUMENT } else { VALUES };
        let has_dictionary = dictionary.is_some();
        let own = dictionary.clone();
        let make_small = move || {
            is_plain.then(|| SmallPacker::new(profile, header, own.clone(), references, values))
        };
        let make = move || {
            let encoder = match &dictionary {
                Some(dictionary) => holdall::Encoder::new().dictionary(dictionary),
                None => holdall::Encoder::new(),
            };
            let encoder = encoder
                .profile(profile)
                .header(header)
                .checksum(checksum)
                .metadata(metadata.clone())
                .threads(threads)
                .limits(limits);
            match &store {
                Some(store) => encoder.store(store),
                None => encoder,
            }
        };
        let limits = WalkLimits::new(walk);
        // What reads the elements while other threads run needs them as they are now.
        let lends = profile != Profile::Small && !checksum && !has_dictionary && threads == 1;
        let options =
            Options { references, tracks_atoms, lends, hands_out, canonical, enc_hook, limits };
        let (make, make_small) = (Box::new(make), Box::new(make_small));
        Ok(Packer { make, options, make_small, kept: BetweenCalls::new() })
    }

    pub fn pack<'py>(&self, py: Python<'py>, object: Py<PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        guarded(py, Side::Encode, || {
            let mut packing = self.take();
            let packed = self.packed(py, &mut packing, &object);
            self.keep(packing);
            packed
        })
    }

    /// Appends a message to a bytearray.
    fn pack_into(
        &self,
        py: Python<'_>,
        object: Py<PyAny>,
        buffer: &Bound<'_, pyo3::types::PyByteArray>,
    ) -> PyResult<usize> {
        let packed = self.pack(py, object)?;
        buffer.call_method1("extend", (&packed,))?;
        Ok(packed.as_bytes().len())
    }

    /// Returns the length of an object's message.
    fn size(&self, py: Python<'_>, object: Py<PyAny>) -> PyResult<usize> {
        guarded(py, Side::Encode, || {
            let mut packing = self.take();
            let pieces = self.encoded(py, &mut packing, &object);
            self.keep(packing);
            Ok(pieces?.len())
        })
    }

    /// Returns the schema of an object.
    fn schema(&self, py: Python<'_>, object: Py<PyAny>) -> PyResult<Schema> {
        guarded(py, Side::Encode, || {
            let mut packing = self.take();
            let mut source = Object::new(&object, &self.options);
            let schema = loop {
                match packing.encoder.take(&mut source) {
                    Ok(taken) => break taken.schema(),
                    Err(_) if source.repeats() => {}
                    Err(fault) => break Err(fault),
                }
            };
            let schema =
                schema.map_err(|fault| exception(py, &fault, source.raised.take(), Side::Encode));
            self.keep(packing);
            schema.map(Schema)
        })
    }
}

impl Packer {
    fn take(&self) -> Box<Packing> {
        self.kept.take().unwrap_or_else(|| {
            let (encoder, small) = ((self.make)(), (self.make_small)());
            Box::new(Packing { encoder, small, memory: CachedMemory::default(), lent: Vec::new() })
        })
    }

    fn keep(&self, mut packing: Box<Packing>) {
        packing.lent.clear();
        packing.encoder.release_shared();
        self.kept.put_back(packing);
    }

    fn packed<'py>(
        &self,
        py: Python<'py>,
        packing: &mut Packing,
        object: &Py<PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if let Some(small) = &mut packing.small
            && let Some(message) = small.pack(object.bind(py))
        {
            return message;
        }
        let pieces = self.encoded(py, packing, object)?;
        if let Some(small) = &mut packing.small {
            small.learn(py);
        }
        // Code of the program may have run since the pieces were made.
        bytes::check_lent(py, &packing.lent).map_err(|fault| error(py, &fault, Side::Encode))?;
        bytes::joined(py, &pieces)
    }

    /// Packs an object of any size.
    #[inline(never)]
    fn encoded(
        &self,
        py: Python<'_>,
        packing: &mut Packing,
        object: &Py<PyAny>,
    ) -> PyResult<Pieces> {
        let Packing { encoder, memory, lent, .. } = packing;
        let mut source = Object::after(object, &self.options, memory);
        let packed = loop {
            match encoder.take(&mut source) {
                Ok(taken) if source.lent.is_empty() => {
                    break match source.values >= LARGE_VALUES {
                        true => py.detach(|| taken.pieces()),
                        false => taken.pieces(),
                    };
                }
                // Other threads must not run meanwhile.
                Ok(taken) => {
                    break bytes::check_lent(py, &source.lent).and_then(|()| taken.pieces());
                }
                Err(_) if source.repeats() => {}
                Err(fault) => break Err(fault),
            }
        };
        *lent = std::mem::take(&mut source.lent);
        packed.map_err(|fault| exception(py, &fault, source.raised.take(), Side::Encode))
    }
}

/// Unpacks messages.
#[pyclass(frozen, module = "holdall._holdall", name = "Unpacker")]
pub struct Unpacker {
    make: Box<dyn Fn() -> holdall::Decoder + Send + Sync>,
    /// Taken out while in use, as in a packer.
    kept: BetweenCalls<Box<Unpacking>>,
    /// Whether a name in the data means the same class in the next message. A function of the
    /// caller is asked each time instead.
    keeps_names: bool,
    /// The schema of bare bodies.
    bare: Option<holdall::Schema>,
    resolver: Py<PyAny>,
    types: Types,
    /// Whether messages are read without a limit of the caller, which small ones do not count.
    is_plain: bool,
    has_dictionaries: bool,
}

/// What an unpacker keeps between messages.
struct Unpacking {
    decoder: holdall::Decoder,
    kept: Kept,
    small: SmallUnpacker,
}

#[pymethods]
impl Unpacker {
    #[new]
    #[pyo3(signature = (resolver, nodes, bare, known, dictionaries, store, budget))]
    fn new(
        resolver: Bound<'_, PyAny>,
        nodes: Option<Bound<'_, PyList>>,
        bare: Option<&Bound<'_, Schema>>,
        known: Vec<Py<Schema>>,
        dictionaries: Dictionaries,
        store: Option<Py<Store>>,
        budget: Option<u64>,
    ) -> PyResult<Unpacker> {
        let has_dictionaries = !dictionaries.is_empty();
        let known: Vec<holdall::Schema> =
            known.iter().map(|schema| schema.get().0.clone()).collected();
        let limits = limits(budget, None);
        let make = move || {
            let mut decoder = decoder_of(&dictionaries, store.as_ref(), limits);
            known.iter().for_each(|schema| decoder.add_schema(schema));
            decoder
        };
        let bare = bare.map(|schema| schema.get().0.clone());
        let keeps_names = !resolver.getattr("missing")?.is_callable();
        Ok(Unpacker {
            make: Box::new(make),
            kept: BetweenCalls::new(),
            keeps_names,
            is_plain: keeps_names && budget.is_none(),
            has_dictionaries: has_dictionaries && bare.is_none(),
            bare,
            types: Types::of(nodes.as_ref())?,
            resolver: resolver.unbind(),
        })
    }

    pub fn unpack<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, Side::Decode, || self.unpacked(py, data))
    }
}

impl Unpacker {
    fn unpacked<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let data = MessageInput::of(data)?;
        let message = data.as_slice();
        // Small messages are so small that no units are counted.
        let _account = Account::of(u64::MAX);
        let mut unpacking = self.take();
        let Unpacking { decoder, kept, small } = &mut *unpacking;
        let is_bare = self.bare.is_some();
        let learning = Learning { types: &self.types, kept, is_bare };
        let expanded = match self.is_plain && self.has_dictionaries {
            true => decoder.without_dictionary(message).ok().flatten(),
            false => None,
        };
        let plain = expanded.as_deref().unwrap_or(message);
        if self.is_plain
            && let Some(object) = small.unpack(py, plain, &learning)
        {
            self.keep(unpacking);
            return Ok(object);
        }
        let mut raised = None;
        let unpacked = if message.len() >= LARGE_BYTES {
            py.detach(|| self.read(decoder, kept, message, &mut raised))
        } else {
            self.read(decoder, kept, message, &mut raised)
        };
        if self.is_plain
            && unpacked.is_ok()
            && let Some(schema) = kept.schema()
        {
            let learning = Learning { types: &self.types, kept, is_bare };
            small.learn(py, plain, schema, &learning);
        }
        if !self.keeps_names {
            *kept = Kept::default();
        }
        self.keep(unpacking);
        match unpacked {
            Ok(object) => Ok(object.into_bound(py)),
            Err(fault) => Err(exception(py, &fault, raised, Side::Decode)),
        }
    }

    fn take(&self) -> Box<Unpacking> {
        self.kept.take().unwrap_or_else(|| {
            let (decoder, kept) = ((self.make)(), Kept::default());
            Box::new(Unpacking { decoder, kept, small: SmallUnpacker::default() })
        })
    }

    fn keep(&self, unpacking: Box<Unpacking>) {
        self.kept.put_back(unpacking);
    }
}

impl Unpacker {
    /// Builds an object from the events that `emit` sends to a builder.
    pub fn build<'py>(
        &self,
        py: Python<'py>,
        schema: &holdall::Schema,
        emit: impl FnOnce(&mut Builder<'py, '_>) -> holdall::Result<()>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(py, Side::Decode, || {
            let mut kept = Kept::default();
            kept.refresh(py, schema);
            let off = WithoutCollector::new(py);
            let resolver = self.resolver.bind(py).clone();
            let settings = Settings { resolver, types: &self.types, budget: BUDGET };
            let mut builder = Builder::new(py, settings, &mut kept);
            let object = emit(&mut builder).and_then(|()| builder.take());
            let raised = builder.raised.take();
            let containers = builder.containers();
            let object = object.map_err(|fault| exception(py, &fault, raised, Side::Decode))?;
            if containers >= MANY_CONTAINERS && off.was_on() {
                collector::settle(py);
            }
            Ok(object)
        })
    }

    /// Checks the bytes before it takes the interpreter lock.
    fn read(
        &self,
        decoder: &mut holdall::Decoder,
        kept: &mut Kept,
        message: &[u8],
        raised: &mut Option<PyErr>,
    ) -> holdall::Result<Py<PyAny>> {
        let budget = decoder.output_limit(message) as u64;
        let then = |checked: holdall::bindings::Checked<'_>| {
            Python::attach(|py| {
                kept.refresh(py, checked.schema());
                let off = WithoutCollector::new(py);
                let resolver = self.resolver.bind(py).clone();
                let settings = Settings { resolver, types: &self.types, budget };
                let mut builder = Builder::new(py, settings, kept);
                let object = checked.emit(&mut builder).and_then(|()| builder.take());
                *raised = builder.raised.take();
                let (object, containers) = (object?, builder.containers());
                if containers >= MANY_CONTAINERS && off.was_on() {
                    collector::settle(py);
                }
                Ok(object.unbind())
            })
        };
        match &self.bare {
            Some(schema) => decoder.read_bare(schema, message, then),
            None => decoder.read(message, then),
        }
    }
}

/// Reads a message as the library's `Value` and writes it, for tests to compare.
#[pyfunction]
#[pyo3(signature = (data, profile, canonical=false))]
fn through_value<'py>(
    py: Python<'py>,
    data: &[u8],
    profile: &str,
    canonical: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let profile = if profile == "fast" { Profile::Fast } else { Profile::Balanced };
    let mut encoder = holdall::Encoder::new().profile(profile).canonical(canonical);
    let again =
        holdall::from_slice::<holdall::Value>(data).and_then(|value| encoder.message(&mut &value));
    raw::bytes(py, &again.map_err(|fault| error(py, &fault, Side::Decode))?)
}

/// Runs the command `holdall` with these arguments and the process's streams. `open_url` opens the file at a URL.
#[pyfunction]
fn run(py: Python<'_>, arguments: Vec<OsString>, open_url: Py<PyAny>) -> u8 {
    let open_url = |url: &str| -> io::Result<Box<dyn RemoteFile>> {
        Ok(Box::new(FileInput::opened_by(&open_url, url)?))
    };
    py.detach(|| {
        let (mut stdin, mut stdout, mut stderr) = (stdin().lock(), stdout().lock(), stderr());
        let text_only = stdout.is_terminal();
        let colour = text_only && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let shows = Shows { text_only, colour, progress: true };
        holdall_cli::run_with(arguments, &mut stdin, &mut stdout, &mut stderr, shows, &open_url)
    })
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Packer>()?;
    module.add_class::<Unpacker>()?;
    module.add_class::<Form>()?;
    module.add_function(wrap_pyfunction!(dumps, module)?)?;
    module.add_function(wrap_pyfunction!(loads, module)?)?;
    module.add_function(wrap_pyfunction!(through_value, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(forget, module)?)?;
    module.add_function(wrap_pyfunction!(charge, module)?)?;
    module.add_function(wrap_pyfunction!(notes, module)?)?;
    module.add_class::<Samples>()?;
    module.add_function(wrap_pyfunction!(used_layouts, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
