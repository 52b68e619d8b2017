//! Streams that arrive in pieces, as in event loops.

use std::collections::VecDeque;

use holdall::bindings::memory::{self, GrowVec};
use holdall::stream::{Block, Feeder, Item};
use holdall::{Code, Error, LooksLike};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::gil_mutex::GilMutex;
use super::reader::noted;
use super::values::{MadeValues, make};
use crate::collector::Cycles;
use crate::fault::{Side, exception};
use crate::messages::{MessageInput, Schema};
use crate::raw;
use crate::sink::{BUDGET, Kept, Settings, Types};

struct FeederState {
    feeder: Feeder,
    kept: Kept,
    /// The bytes that are not decoded yet.
    unread: Vec<u8>,
    /// A block whose values from this number on are still to be made.
    rest: Option<(Block, u64)>,
    /// Objects that are made: an interrupt leaves them for the next call.
    ready: VecDeque<Py<PyAny>>,
    /// An exception for the next call to raise, because this one had objects to return.
    failed: Option<PyErr>,
    /// How many values were made.
    position: u64,
    is_ended: bool,
    cycles: Cycles,
}

/// Decodes a stream from pieces.
#[pyclass(frozen, module = "holdall._holdall", name = "StreamFeeder")]
pub struct StreamFeeder {
    shared: GilMutex<FeederState>,
    resolver: Py<PyAny>,
    types: Types,
    keeps_names: bool,
}

#[pymethods]
impl StreamFeeder {
    #[new]
    #[pyo3(signature = (resolver, nodes, schemas, budget, frame))]
    fn new(
        resolver: Bound<'_, PyAny>,
        nodes: Option<Bound<'_, PyList>>,
        schemas: Vec<Py<Schema>>,
        budget: Option<u64>,
        frame: Option<u64>,
    ) -> PyResult<StreamFeeder> {
        let mut feeder = Feeder::new().limits(super::limits(budget, frame));
        schemas.iter().for_each(|schema| feeder.add_schema(&schema.get().0));
        let state = FeederState {
            feeder,
            kept: Kept::default(),
            unread: Vec::new(),
            rest: None,
            ready: VecDeque::new(),
            failed: None,
            position: 0,
            is_ended: false,
            cycles: Cycles::default(),
        };
        Ok(StreamFeeder {
            shared: GilMutex::new(state),
            keeps_names: !resolver.getattr("missing")?.is_callable(),
            types: Types::of(nodes.as_ref())?,
            resolver: resolver.unbind(),
        })
    }

    /// Returns the objects that are complete so far.
    fn feed(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Vec<Py<PyAny>>> {
        let data = MessageInput::of(data)?;
        let mut held = self.shared.lock(py)?;
        let state = &mut *held.state;
        memory::catch(|| state.unread.put_slice(data.as_slice()))
            .map_err(|fault| exception(py, &fault, None, Side::Decode))?;
        loop {
            if let Some(failed) = state.failed.take() {
                if state.ready.is_empty() {
                    return Err(failed);
                }
                state.failed = Some(failed);
                return Ok(std::mem::take(&mut state.ready).into());
            }
            let (block, from) = match state.rest.take() {
                Some(rest) => rest,
                None if state.is_ended || state.unread.is_empty() => {
                    return Ok(std::mem::take(&mut state.ready).into());
                }
                None => match self.next_block(py, state) {
                    Ok(Some(block)) => (block, 0),
                    Ok(None) => continue,
                    Err(fault) => {
                        state.failed = Some(exception(py, &fault, None, Side::Decode));
                        continue;
                    }
                },
            };
            self.make(py, state, block, from)?;
        }
    }

    /// Returns whether the stream has ended.
    fn is_ended(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.shared.lock(py)?.state.is_ended)
    }

    /// Returns the bytes after the end of the stream.
    fn unused<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let held = self.shared.lock(py)?;
        let unused = if held.state.is_ended { &held.state.unread[..] } else { &[] };
        raw::bytes(py, unused)
    }

    /// Marks the end of the input.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let mut held = self.shared.lock(py)?;
        if let Some(failed) = held.state.failed.take() {
            return Err(failed);
        }
        if held.state.is_ended {
            return Ok(());
        }
        let fault =
            Error::new(Code::Truncated).expected("the end of the stream").got("no more bytes");
        Err(exception(py, &fault, None, Side::Decode))
    }
}

impl StreamFeeder {
    /// Consumes bytes up to the end of a block.
    fn next_block(
        &self,
        py: Python<'_>,
        state: &mut FeederState,
    ) -> holdall::Result<Option<Block>> {
        let FeederState { feeder, unread, .. } = state;
        let (taken, item) = py.detach(|| feeder.feed(unread)).map_err(|fault| {
            // These codes within the preamble of a stream have no other cause.
            let of_message = matches!(fault.code(), Code::Unsupported | Code::LimitBudget)
                && fault.offset().is_some_and(|offset| offset < 16);
            if of_message { no_stream() } else { fault }
        })?;
        unread.drain(..taken);
        match item {
            None => Ok(None),
            Some(Item::Block(block)) => Ok(Some(block)),
            Some(Item::End) => {
                state.is_ended = true;
                Ok(None)
            }
            Some(Item::Message(_)) => Err(no_stream()),
        }
    }

    fn make(
        &self,
        py: Python<'_>,
        state: &mut FeederState,
        block: Block,
        from: u64,
    ) -> PyResult<()> {
        let resolver = self.resolver.bind(py).clone();
        let settings = Settings { resolver, types: &self.types, budget: BUDGET };
        let before = state.ready.len();
        let wanted = |at| at >= from;
        let made = make(
            py,
            &block,
            settings,
            &mut state.kept,
            &wanted,
            &mut state.ready,
            &mut state.cycles,
        );
        if !self.keeps_names {
            state.kept = Kept::default();
        }
        state.position += (state.ready.len() - before) as u64;
        match made {
            MadeValues::All => {}
            MadeValues::Fault(fault) => {
                state.failed = Some(exception(py, &fault, None, Side::Decode));
            }
            MadeValues::Failed(at, failed) => {
                if let Err(fault) = py.detach(|| block.check()) {
                    state.ready.truncate(before);
                    state.failed = Some(exception(py, &fault, None, Side::Decode));
                    return Ok(());
                }
                if !failed.is_instance_of::<PyException>(py) {
                    // After an interrupt the next call makes the block's objects from the start.
                    state.position -= (state.ready.len() - before) as u64;
                    state.ready.truncate(before);
                    state.rest = Some((block, from));
                    return Err(failed);
                }
                state.failed = Some(noted(py, failed, state.position));
                state.position += 1;
                if at + 1 < block.len() {
                    state.rest = Some((block, at + 1));
                }
            }
        }
        Ok(())
    }
}

#[cold]
fn no_stream() -> Error {
    Error::at(Code::BadVersion, 1)
        .expected("the beginning of a stream")
        .looking_like(LooksLike::Message)
}
