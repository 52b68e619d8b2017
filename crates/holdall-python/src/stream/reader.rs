//! Reads streams as objects.

use std::collections::VecDeque;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use holdall::bindings::memory::Collect;
use holdall::stream::Block;
use holdall::{Code, Error, OnDamage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::gil_mutex::GilMutex;
use super::object::{Failure, FileObject, Input};
use super::values::{MadeValues, make};
use super::writer::of;
use crate::collector::Cycles;
use crate::fault::{Side, exception, guarded};
use crate::messages::Schema;
use crate::sink::{BUDGET, Kept, Settings, Types};

/// The pause between two checks whether another process has appended something.
const PAUSE: Duration = Duration::from_millis(10);

/// A file object: functions to read and to seek, and the position at which the stream begins.
pub type Functions = (Py<PyAny>, Option<Py<PyAny>>, u64);

struct ReaderState {
    /// None once it is closed.
    reader: Option<holdall::Reader<Input>>,
    kept: Kept,
    /// Objects that are made and not returned yet.
    ready: VecDeque<Py<PyAny>>,
    /// Why the value after them could not be made.
    failed: Option<PyErr>,
    /// A block whose values from this number on are still to be made.
    rest: Option<(Block, u64)>,
    /// How many values were returned.
    position: u64,
    /// The last progress was reported.
    is_done: bool,
    cycles: Cycles,
}

/// Reads a stream as objects.
#[pyclass(frozen, module = "holdall._holdall", name = "StreamReader")]
pub struct StreamReader {
    shared: GilMutex<ReaderState>,
    failure: Failure,
    stops: Arc<AtomicBool>,
    resolver: Py<PyAny>,
    types: Types,
    /// Whether a name in data means the same class in the next block.
    keeps_names: bool,
    /// A function that is called with the number of bytes read so far.
    progress: Option<Py<PyAny>>,
}

#[pymethods]
impl StreamReader {
    #[new]
    #[pyo3(signature = (path, functions, follow, skips, unfinished, resolver, nodes, schemas, budget, frame, progress, threads))]
    #[expect(clippy::too_many_arguments, reason = "called by one function, by place")]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        functions: Option<Functions>,
        follow: bool,
        skips: bool,
        unfinished: bool,
        resolver: Bound<'_, PyAny>,
        nodes: Option<Bound<'_, PyList>>,
        schemas: Vec<Py<Schema>>,
        budget: Option<u64>,
        frame: Option<u64>,
        progress: Option<Py<PyAny>>,
        threads: usize,
    ) -> PyResult<StreamReader> {
        let (failure, is_file) = (Failure::default(), path.is_some());
        let input = input(py, path, functions, &failure)?;
        let on_damage = if skips { OnDamage::Skip } else { OnDamage::Error };
        let mut reader = holdall::Reader::new(input)
            .on_damage(on_damage)
            .unfinished(unfinished)
            .whole(is_file)
            .threads(threads)
            .limits(super::limits(budget, frame));
        schemas.iter().for_each(|schema| reader.add_schema(&schema.get().0));
        let stops = Arc::new(AtomicBool::new(false));
        if follow {
            reader = reader.follow(waiting(Arc::clone(&stops), failure.clone()));
        }
        let keeps_names = !resolver.getattr("missing")?.is_callable();
        Ok(StreamReader {
            shared: GilMutex::new(ReaderState {
                reader: Some(reader),
                kept: Kept::default(),
                ready: VecDeque::new(),
                failed: None,
                rest: None,
                position: 0,
                is_done: false,
                cycles: Cycles::default(),
            }),
            failure,
            stops,
            keeps_names,
            types: Types::of(nodes.as_ref())?,
            resolver: resolver.unbind(),
            progress,
        })
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        guarded(py, Side::Decode, || {
            let mut held = self.shared.lock(py)?;
            let state = &mut *held.state;
            loop {
                if let Some(object) = state.ready.pop_front() {
                    state.position += 1;
                    return Ok(Some(object));
                }
                if let Some(failed) = state.failed.take() {
                    state.position += 1;
                    return Err(failed);
                }
                if !self.load(py, state)? {
                    return Ok(None);
                }
            }
        })
    }

    /// Ends a wait for more data.
    fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.stop();
        let closed = {
            let mut held = self.shared.lock(py)?;
            let state = &mut *held.state;
            state.rest = None;
            (state.reader.take(), std::mem::take(&mut state.ready), state.failed.take())
        };
        // Released first: an object that ends with its last reference can run code that calls this
        // reader.
        drop(closed);
        Ok(())
    }

    fn is_closed(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.shared.lock(py)?.state.reader.is_none())
    }

    /// Returns the number of the next value.
    fn position(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.shared.lock(py)?.state.position)
    }

    fn damage<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut held = self.shared.lock(py)?;
        let reader = held.state.open()?;
        reader.damage().iter().map(|each| super::damage(py, each)).collected()
    }

    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.shared.lock(py)?.state.open()?.is_finished())
    }

    fn metadata(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let mut held = self.shared.lock(py)?;
        let reader = held.state.open()?;
        let metadata = py.detach(|| reader.metadata().cloned());
        let metadata = self.checked(py, metadata)?;
        Ok(metadata.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collected())
    }

    /// Returns the schema of the next values.
    fn schema(&self, py: Python<'_>) -> PyResult<Option<Schema>> {
        let mut held = self.shared.lock(py)?;
        if let Some((block, _)) = &held.state.rest {
            return Ok(Some(Schema(block.schema().clone())));
        }
        let reader = held.state.open()?;
        let schema = py.detach(|| reader.schema().map(Option::<&_>::cloned));
        Ok(self.checked(py, schema)?.map(Schema))
    }

    fn len(&self, py: Python<'_>) -> PyResult<u64> {
        let mut held = self.shared.lock(py)?;
        let reader = held.state.open()?;
        let len = py.detach(|| reader.len());
        self.checked(py, len)
    }

    /// Returns `count` values, by their numbers from the first on, in steps.
    fn several(
        &self,
        py: Python<'_>,
        first: u64,
        count: u64,
        step: u64,
    ) -> PyResult<Vec<Py<PyAny>>> {
        guarded(py, Side::Decode, || {
            let mut held = self.shared.lock(py)?;
            let state = &mut *held.state;
            let mut objects = VecDeque::new();
            while (objects.len() as u64) < count {
                let next = first + objects.len() as u64 * step;
                let reader = state.open()?;
                let found = py.detach(|| reader.block_of(next));
                let Some((block, number)) = self.checked(py, found)? else {
                    return Err(PyValueError::new_err(
                        "the stream was truncated while it was being read",
                    ));
                };
                // The index can be wrong, which shows here.
                if number >= block.len() {
                    let fault = Error::new(Code::BadIndex)
                        .expected(format!("value {next} in the block of {} values", block.len()))
                        .got("none");
                    return Err(exception(py, &fault, None, Side::Decode));
                }
                let left = count - objects.len() as u64;
                let wanted = move |at: u64| {
                    let by = at.wrapping_sub(number);
                    at >= number && by % step == 0 && by / step < left
                };
                match self.make(
                    py,
                    &mut state.kept,
                    &block,
                    &wanted,
                    &mut objects,
                    &mut state.cycles,
                ) {
                    MadeValues::All => {}
                    MadeValues::Failed(at, failed) => {
                        return Err(noted(py, failed, block.first() + at));
                    }
                    MadeValues::Fault(fault) => {
                        return Err(exception(py, &fault, None, Side::Decode));
                    }
                }
            }
            Ok(objects.into())
        })
    }
}

impl ReaderState {
    fn open(&mut self) -> PyResult<&mut holdall::Reader<Input>> {
        self.reader.as_mut().ok_or_else(|| PyValueError::new_err("read of a closed stream"))
    }
}

impl StreamReader {
    /// Makes the objects of the next block; returns `false` if there is none.
    fn load(&self, py: Python<'_>, state: &mut ReaderState) -> PyResult<bool> {
        let (block, from) = match state.rest.take() {
            Some(rest) => rest,
            None => {
                let reader = state.open()?;
                let block = py.detach(|| reader.next_block());
                let offset = reader.offset();
                let block = self.checked(py, block)?;
                // An interrupted wait ends without a block, and reading can continue.
                if let Some(raised) = self.failure.take() {
                    state.rest = block.map(|block| (block, 0));
                    return Err(raised);
                }
                let Some(block) = block else {
                    if !std::mem::replace(&mut state.is_done, true) {
                        self.progress(py, offset)?;
                    }
                    return Ok(false);
                };
                state.is_done = false;
                (block, 0)
            }
        };
        match self.make(
            py,
            &mut state.kept,
            &block,
            &|at| at >= from,
            &mut state.ready,
            &mut state.cycles,
        ) {
            MadeValues::All => {}
            MadeValues::Fault(fault) => self.fault(py, state, &block, fault)?,
            MadeValues::Failed(at, failed) => {
                // A fault after the value that could not be made concerns the entire block.
                if let Err(fault) = py.detach(|| block.check()) {
                    state.ready.clear();
                    self.fault(py, state, &block, fault)?;
                } else if !failed.is_instance_of::<pyo3::exceptions::PyException>(py) {
                    state.ready.clear();
                    state.rest = Some((block, from));
                    return Err(failed);
                } else {
                    state.failed = Some(noted(py, failed, state.position + at - from));
                    if at + 1 < block.len() {
                        state.rest = Some((block, at + 1));
                    }
                }
            }
        }
        let offset = state.open()?.offset();
        self.progress(py, offset)?;
        Ok(true)
    }

    fn fault(
        &self,
        py: Python<'_>,
        state: &mut ReaderState,
        block: &Block,
        fault: Error,
    ) -> PyResult<()> {
        let noted = state.open()?.note_block(block, fault);
        self.checked(py, noted)
    }

    fn make(
        &self,
        py: Python<'_>,
        kept: &mut Kept,
        block: &Block,
        wanted: &dyn Fn(u64) -> bool,
        objects: &mut VecDeque<Py<PyAny>>,
        cycles: &mut Cycles,
    ) -> MadeValues {
        let resolver = self.resolver.bind(py).clone();
        let settings = Settings { resolver, types: &self.types, budget: BUDGET };
        let made = make(py, block, settings, kept, wanted, objects, cycles);
        if !self.keeps_names {
            *kept = Kept::default();
        }
        made
    }

    fn progress(&self, py: Python<'_>, offset: u64) -> PyResult<()> {
        match &self.progress {
            Some(progress) => progress.bind(py).call1((offset,)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Returns what was read; raises an exception of a file object or signal handler unchanged.
    fn checked<T>(&self, py: Python<'_>, read: holdall::Result<T>) -> PyResult<T> {
        read.map_err(|fault| of(py, &fault, &self.failure, Side::Decode))
    }
}

/// Adds the number of the value in the stream to an exception.
pub fn noted(py: Python<'_>, failed: PyErr, number: u64) -> PyErr {
    // Without the note it is still the right exception.
    let _ = failed.value(py).call_method1("add_note", (format!("value {number} of the stream"),));
    failed
}

/// Waits a moment for more data and checks for signals; `false` ends the wait.
fn waiting(stops: Arc<AtomicBool>, failure: Failure) -> impl FnMut() -> bool + Send + 'static {
    move || {
        if stops.load(Ordering::Relaxed) {
            return false;
        }
        std::thread::sleep(PAUSE);
        match Python::attach(|py| py.check_signals()) {
            Ok(()) => true,
            Err(raised) => {
                let _ = failure.keep(raised);
                false
            }
        }
    }
}

/// Opens the input behind a path or functions.
pub fn input(
    py: Python<'_>,
    path: Option<PathBuf>,
    functions: Option<Functions>,
    failure: &Failure,
) -> PyResult<Input> {
    match (path, functions) {
        (Some(path), _) => match py.detach(|| File::open(path)) {
            Ok(file) => Ok(Input::File(file, failure.clone())),
            Err(error) => Err(exception(py, &error.into(), None, Side::Decode)),
        },
        (None, Some((read, seek, start))) => {
            Ok(Input::Object(FileObject { read, seek, start, failure: failure.clone() }))
        }
        (None, None) => Err(PyValueError::new_err("a path or functions")),
    }
}
