//! What walks learn, kept between the objects that go to the same shredder.
#![allow(
    unsafe_code,
    reason = "objects that outlive one hold of the interpreter; each block has its proof"
)]

use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashMap;
use holdall::bindings::memory::{GrowMap, GrowVec};
use holdall::{LogicalType, Result};
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::direct_walk::Waiting;
use super::plan::Plan;
use super::shapes::Shapes;
use super::{Rest, own_form};
use crate::layouts;
use crate::sink::changes;

/// The number of names, classes and time zones after which everything is learned anew: programs can
/// create ever more of them.
const MOST_LEARNED: usize = 1000;

/// A kind of logical type and its parameters.
type LogicalKind = (u8, [u8; 2]);

/// How a member of an enum is encoded.
#[derive(Clone)]
pub(super) enum Member {
    Variant(Arc<str>),
    /// The bits of flags.
    Flag(i64),
    /// The bits of flags, more than 64 of them.
    BigFlag(Arc<[u8]>),
}

/// What one walk leaves to the next.
#[derive(Default)]
pub(super) struct Memory<'py> {
    /// The shredder to which slots and shapes belong.
    mark: u64,
    /// How often registered classes had changed when the plans were made.
    changes: u64,
    /// The shapes of mappings, by their slot.
    pub(super) shapes: Vec<Shapes<'py>>,
    pub(super) plans: HashMap<usize, (Rc<Plan<'py>>, Bound<'py, PyType>)>,
    /// The plan used last, and the address of its class.
    pub(super) latest_plan: Option<(usize, Rc<Plan<'py>>)>,
    /// Logical types by kind and parameters: a message has few.
    logical: Vec<(LogicalKind, Arc<LogicalType>)>,
    pub(super) names: HashMap<usize, (Arc<str>, Bound<'py, PyAny>)>,
    /// Members of enums.
    pub(super) members: HashMap<usize, (Member, Bound<'py, PyAny>)>,
    /// The names of the factories of defaultdicts.
    factories: HashMap<usize, (Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    /// The names of time zones, if they are those of their names.
    pub(super) zones: HashMap<usize, (Option<Arc<str>>, Bound<'py, PyAny>)>,
    /// Empty vectors, kept for their memory.
    pub(super) stack: Vec<Rest<'py>>,
    pub(super) pending: Vec<Option<Bound<'py, PyAny>>>,
    pub(super) waiting: Vec<Waiting<'py>>,
}

impl<'py> Memory<'py> {
    /// Returns the name of the factory of a defaultdict, or None.
    pub(super) fn factory_name(
        &mut self,
        factory: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let address = factory.as_ptr() as usize;
        if let Some((name, _)) = self.factories.get(&address) {
            return Ok(name.clone());
        }
        let name = own_form::factory_name(&factory)?;
        self.factories.put(address, (name.clone(), factory));
        Ok(name)
    }

    /// Returns the same if it was asked for before.
    pub(super) fn known_factory(&self, factory: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
        self.factories.get(&(factory.as_ptr() as usize)).map(|(name, _)| name.clone())
    }

    /// Returns a logical type, the same object each time.
    #[inline]
    pub(super) fn logical_type(
        &mut self,
        kind: u8,
        parameters: &[u8],
    ) -> Result<&Arc<LogicalType>> {
        // A kind has the same number of parameters each time.
        let key = match *parameters {
            [] => [0, 0],
            [one] => [one, 0],
            [one, two, ..] => [one, two],
        };
        let known = self.logical.iter().position(|(own, _)| *own == (kind, key));
        let at = known.unwrap_or(self.logical.len());
        if known.is_none() {
            self.logical.put(((kind, key), Arc::new(LogicalType::new(kind, parameters)?)));
        }
        Ok(&self.logical[at].1)
    }

    /// Prepares for a walk to the shredder with this mark: drops what may be wrong for it.
    ///
    /// Knowledge of classes and names is valid for any shredder; slots and shapes belong to one.
    fn refresh(&mut self, mark: u64) {
        let changes = changes();
        let learned = self.names.len()
            + self.plans.len()
            + self.members.len()
            + self.factories.len()
            + self.zones.len()
            + self.logical.len();
        if self.changes != changes || learned > MOST_LEARNED {
            *self = Memory { mark, changes, ..Memory::default() };
        }
        if self.mark != mark {
            self.mark = mark;
            self.shapes.clear();
            let plans = self.plans.values().filter_map(|(plan, _)| plan.shapes());
            plans.for_each(|shapes| shapes.borrow_mut().forget());
        }
    }
}

/// The memory between two walks, reached only by [`CachedMemory::attach`]. There is none where
/// objects are used only by functions of the API (see [`layouts`]).
#[derive(Default)]
pub struct CachedMemory(Option<Box<Memory<'static>>>);

// SAFETY: a memory cannot go to another thread because of its objects, which count their references
// without locks, and its `Rc`s. Both are touched only by a thread that holds the interpreter:
// `attach` and `detach` ask for proof, and `drop` attaches. Nothing outside holds one of its `Rc`s:
// `Plan`s and keys are shared among the memory's own fields, and frames that hold them are gone
// when it is detached, as its stack is empty. So all counts of one go to the other thread together.
unsafe impl Send for CachedMemory {}

impl CachedMemory {
    /// Returns the memory for a walk, until it is detached.
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
            // Without an interpreter its objects must not be touched.
            std::mem::forget(memory);
        }
    }
}
