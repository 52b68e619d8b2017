//! What walks learn, kept from one object to the next where many are told to the same shredder.
#![allow(
    unsafe_code,
    reason = "objects that outlive one hold of the interpreter; each block has its proof"
)]

use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashMap;
use holdall::{LogicalType, Result};
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::inside::Waiting;
use super::plan::Plan;
use super::shapes::Shapes;
use super::{Frame, times};
use crate::layouts;
use crate::sink::changes;

/// After so many names, classes and time zones all is learned anew: programs can make ever more of them.
const MOST: usize = 1000;

/// A kind of logical type and its parameters.
type Kind = (u8, [u8; 2]);

/// What one walk leaves to the next.
#[derive(Default)]
pub(super) struct Memory<'py> {
    /// The shredder that places and shapes belong to, and how often classes had changed.
    mark: u64,
    changes: u64,
    /// The fields that mappings had, by their place.
    pub(super) shapes: Vec<Shapes<'py>>,
    pub(super) plans: HashMap<usize, (Rc<Plan<'py>>, Bound<'py, PyType>)>,
    /// The plan used last, and the address of its class.
    pub(super) latest_plan: Option<(usize, Rc<Plan<'py>>)>,
    /// Logical types by kind and parameters: a message has few.
    logical: Vec<(Kind, Arc<LogicalType>)>,
    pub(super) names: HashMap<usize, (Arc<str>, Bound<'py, PyAny>)>,
    /// How the datetimes of each time zone are told.
    pub(super) zones: HashMap<usize, (times::Zone, Bound<'py, PyAny>)>,
    /// The address of the one of UTC found last.
    pub(super) utc: usize,
    /// Room that is used again; empty.
    pub(super) stack: Vec<Frame<'py>>,
    pub(super) pending: Vec<Option<Bound<'py, PyAny>>>,
    pub(super) waiting: Vec<Waiting<'py>>,
}

impl Memory<'_> {
    /// A logical type, the same object each time.
    #[inline]
    pub(super) fn logical_type(
        &mut self,
        kind: u8,
        parameters: &[u8],
    ) -> Result<&Arc<LogicalType>> {
        // Each kind has as many parameters each time.
        let key = match *parameters {
            [] => [0, 0],
            [one] => [one, 0],
            [one, two, ..] => [one, two],
        };
        let known = self.logical.iter().position(|(own, _)| *own == (kind, key));
        let at = known.unwrap_or(self.logical.len());
        if known.is_none() {
            self.logical.push(((kind, key), Arc::new(LogicalType::new(kind, parameters)?)));
        }
        Ok(&self.logical[at].1)
    }

    /// For a walk that tells a shredder with this mark: without what may not be true of it.
    fn refresh(&mut self, mark: u64) {
        let changes = changes();
        let learned = self.names.len() + self.plans.len() + self.zones.len() + self.logical.len();
        if self.mark != mark || self.changes != changes || learned > MOST {
            *self = Memory { mark, changes, ..Memory::default() };
        }
    }
}

/// The memory between two walks. Nothing of it is reached but by [`CachedMemory::attach`]. Where objects are used by functions alone
/// (see [`layouts`]), there is none.
#[derive(Default)]
pub struct CachedMemory(Option<Box<Memory<'static>>>);

// SAFETY: what stops a memory from going to another thread are its objects, which count their references without locks, and its
// `Rc`s. Both are touched only by who holds the interpreter: `attach` and `detach` ask for proof, and `drop` attaches. An `Rc` of
// it is held by nothing outside: `Plan`s and keys are shared among the memory's own fields, and frames that hold them are gone when
// it is detached, as its stack is empty. So all counts of one go to the other thread together.
unsafe impl Send for CachedMemory {}

impl CachedMemory {
    /// The memory for a walk, until it is detached again.
    pub(super) fn attach<'py>(&mut self, _: Python<'py>, mark: u64) -> Box<Memory<'py>> {
        let memory = self.0.take().unwrap_or_default();
        // SAFETY: the lifetime of a `Bound` says how long the interpreter is held, which the token proves for 'py; its object is
        // kept alive by the reference that it owns, however long that is. `Memory` is the same type but for the lifetime.
        let mut memory: Box<Memory<'py>> = unsafe { std::mem::transmute(memory) };
        memory.refresh(mark);
        memory
    }

    /// Keeps the memory of a walk that has ended.
    pub(super) fn detach(&mut self, mut memory: Box<Memory<'_>>) {
        if !layouts::are_trusted() {
            return;
        }
        memory.stack.clear();
        memory.pending.clear();
        memory.waiting.clear();
        // SAFETY: as in `attach`; the objects are not touched before a token proves that the interpreter is held again.
        self.0 =
            Some(unsafe { std::mem::transmute::<Box<Memory<'_>>, Box<Memory<'static>>>(memory) });
    }
}

impl Drop for CachedMemory {
    fn drop(&mut self) {
        if let Some(memory) = self.0.take() {
            let mut memory = Some(memory);
            Python::try_attach(|_| drop(memory.take()));
            // Where there is no interpreter any more its objects are not to be touched.
            std::mem::forget(memory);
        }
    }
}
