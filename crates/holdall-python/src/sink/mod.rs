//! Python objects from values.
//!
//! Lists, dicts, sets, tuples and objects with attributes exist before their contents, so a
//! reference to an enclosing value is a reference to an object that exists. A frozen set or the
//! result of a function does not: it is *late*. Where it is needed before it exists, a slot is kept
//! for it and filled later.
//!
//! Most values need none of this: they are built directly from rows (`direct_build`).
//!
//! Work that hashes contents, or runs code on them, waits until they are complete, which is at the
//! end of the outermost value of their cycle. An `OpenContainer` records that one as `low`, as in
//! Tarjan's algorithm for components.

mod begin;
mod charges;
mod choice;
mod class;
mod close;
mod depth;
mod direct_build;
mod direct_containers;
mod direct_lists;
mod direct_objects;
mod events;
mod flags;
mod jobs;
mod kept;
mod known;
mod logical;
mod order;
mod own_exception;
mod own_form;
mod own_needs;
mod own_state;
mod place;
mod row_steps;
mod samples;
mod several;
mod steps;
mod stop;
mod types;
mod wrapped_steps;

use foldhash::HashMap;
use std::sync::Arc;

use holdall::bindings::memory::{self, GrowVec};
use holdall::events::RowId;
use holdall::{Code, Error, LogicalType, Result};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

use crate::ALLOCATOR;
use crate::fault::{Raised, text_of};
use crate::raw::NewTuple;
use crate::signals::Signals;
pub use charges::{Account, charge, notes};
pub use choice::choose;
pub use class::{Class, How, Layout};
use depth::{Depth, Loops, Weight};
pub use events::wide;
pub use flags::{KnownFlags, shared};
use kept::LayoutId;
pub use kept::{Kept, changes, forget};
use known::KnownRows;
pub use logical::{has_leaves, leaf};
pub use own_form::Form;
use samples::SampledClass;
pub use samples::Samples;
use stop::DirectBuild;
pub use types::{ANY, Node, NodeId, Types};

/// A value that goes into a container: it exists now, or is late.
enum Content<'py> {
    Now(Bound<'py, PyAny>),
    Late(usize),
}

/// A value that does not exist yet.
#[derive(Default)]
struct Late<'py> {
    value: Option<Bound<'py, PyAny>>,
    fixes: Vec<Fix<'py>>,
}

/// A slot kept for a late value.
enum Fix<'py> {
    Item(Bound<'py, PyList>, usize),
    Member(NewTuple<'py>, usize),
    Entry(Bound<'py, PyDict>, Bound<'py, PyString>),
    Attribute(Bound<'py, PyAny>, Bound<'py, PyString>),
}

/// A value with identity.
struct Known<'py> {
    value: Content<'py>,
    node: NodeId,
    depth: Depth,
    /// The container that has to end before the value is complete, by depth and number.
    open: Option<(usize, u64)>,
}

/// Work that waits until contents are complete.
enum Job<'py> {
    /// Fills a mapping.
    Entries(Bound<'py, PyAny>, Vec<(Content<'py>, Content<'py>)>),
    /// Fills a set.
    Members(Bound<'py, PyAny>, Vec<Content<'py>>),
    /// Makes a late value.
    Make {
        late: usize,
        recipe: Recipe<'py>,
        inputs: Vec<Content<'py>>,
        needs: Vec<usize>,
        fit: NodeId,
    },
    /// Calls a function with an object and its content.
    Fill {
        function: Bound<'py, PyAny>,
        object: Content<'py>,
        value: Content<'py>,
        needs: Vec<usize>,
        /// Of an object of a class, whose content is its fields; none for an extension.
        layout: Option<LayoutId>,
    },
    /// Calls a function with a complete object. It can set fields that the data lack, if there is a layout.
    Post(Bound<'py, PyAny>, Content<'py>, Option<LayoutId>),
}

/// How a late value is made from its inputs.
enum Recipe<'py> {
    FrozenSet,
    Set,
    /// The input itself, checked by Python's side.
    Same,
    Logical(Arc<LogicalType>),
    /// A function of one value, or of the fields of an object.
    Call(Bound<'py, PyAny>, Option<LayoutId>),
    /// An object of those fields that it needs; the others follow.
    Bare(Bound<'py, Form>),
    /// A function of a dict's entries, as keywords.
    CallByKeywords(Bound<'py, PyType>, LayoutId),
}

/// An open container.
struct OpenContainer<'py> {
    number: u64,
    body: Body<'py>,
    /// The requested type of the value.
    node: NodeId,
    /// The requested type of its items, where they share one.
    child: NodeId,
    /// Whether Python's side checks the complete value.
    fit: bool,
    /// The depth of the outermost container that has to end before the contents are complete;
    /// `usize::MAX` if it is this one.
    low: usize,
    /// How many jobs there were when the container began: later ones are of its contents.
    jobs: usize,
    /// How deep the contents are.
    depth: Depth,
    loops: Loops,
    ids: Vec<RowId>,
    /// The number among the late values, if references to the value can follow.
    late: Option<usize>,
}

enum Body<'py> {
    List(Bound<'py, PyList>),
    Tuple {
        tuple: NewTuple<'py>,
        next: usize,
    },
    Dict {
        dict: Bound<'py, PyDict>,
        /// The number of its shape.
        shape: usize,
        next: usize,
    },
    Map {
        map: Bound<'py, PyAny>,
        key: Option<Content<'py>>,
        /// All entries from the first one that has to wait.
        waiting: Vec<(Content<'py>, Content<'py>)>,
        nodes: (NodeId, NodeId),
        /// How many entries were put in.
        count: usize,
    },
    /// Values that wait for the end.
    Items {
        recipe: Recipe<'py>,
        items: Vec<Content<'py>>,
        is_storage: bool,
    },
    Struct {
        layout: LayoutId,
        next: usize,
        /// The object, unless it is created at the end.
        object: Option<Bound<'py, PyAny>>,
        /// The dict for fields that are not attributes, if there are any.
        fields: Option<Bound<'py, PyDict>>,
        needs: Vec<usize>,
    },
    /// A logical value that gets its contents from its storage: a set, an ordered dict or, without
    /// an object, a frozen set.
    Holder {
        object: Option<Bound<'py, PyAny>>,
        ty: Arc<LogicalType>,
        items: Option<Vec<Content<'py>>>,
    },
    /// A value made from one other.
    Wrap {
        recipe: Recipe<'py>,
        value: Option<Content<'py>>,
    },
    /// An object that exists, filled with one value.
    Filled {
        object: Bound<'py, PyAny>,
        fill: Bound<'py, PyAny>,
        value: Option<Content<'py>>,
    },
    /// The inner value itself.
    Through(Option<Content<'py>>),
}

/// The caller's options, and Python's side of reading.
pub struct Settings<'py, 's> {
    /// A `holdall._impl._classes.Resolver`: finds classes by the names in data.
    pub resolver: Bound<'py, PyAny>,
    pub types: &'s Types,
    /// The most bytes of those rows of Arrow's arrays that take no bytes in the data, such as nulls.
    pub budget: u64,
}

/// The budget for values whose message has an unknown length.
pub const BUDGET: u64 = 1 << 28;

pub struct Builder<'py, 's> {
    py: Python<'py>,
    settings: Settings<'py, 's>,
    kept: &'s mut Kept,
    empty: Bound<'py, PyTuple>,
    stack: Vec<OpenContainer<'py>>,
    root: Option<Content<'py>>,
    pending_ids: Vec<RowId>,
    known: KnownRows<'py>,
    lates: Vec<Late<'py>>,
    jobs: Vec<Job<'py>>,
    /// The strings of dictionaries seen so far, by table and number.
    tables: Vec<Vec<Option<Bound<'py, PyAny>>>>,
    zones: HashMap<String, Bound<'py, PyAny>>,
    frames: u64,
    direct: DirectBuild<'py>,
    /// By the addresses of the classes.
    sampled: HashMap<usize, SampledClass>,
    _account: Account,
    /// Whether cycles are possible: there were values with identity, or code of a class or hook
    /// ran.
    may_cycle: bool,
    /// How deep the cycles are.
    cyclic: u32,
    /// The class that was weighed last.
    weighed: Option<(Bound<'py, PyType>, Weight)>,
    signals: Signals,
    pub raised: Raised,
}

impl<'py, 's> Builder<'py, 's> {
    pub fn new(py: Python<'py>, settings: Settings<'py, 's>, kept: &'s mut Kept) -> Self {
        ALLOCATOR.fill_reserve();
        Builder {
            py,
            settings,
            kept,
            empty: PyTuple::empty(py),
            stack: Vec::new(),
            root: None,
            pending_ids: Vec::new(),
            known: KnownRows::default(),
            lates: Vec::new(),
            jobs: Vec::new(),
            tables: Vec::new(),
            zones: HashMap::default(),
            frames: 0,
            direct: DirectBuild::default(),
            sampled: HashMap::default(),
            _account: Account::of(BUDGET),
            may_cycle: false,
            cyclic: 0,
            weighed: None,
            signals: Signals::default(),
            raised: Raised::default(),
        }
    }

    /// Returns how many containers were made.
    pub fn containers(&self) -> u64 {
        self.frames
    }

    /// Whether nothing that was made can refer to itself.
    pub fn makes_no_cycles(&self) -> bool {
        !self.may_cycle
    }

    /// Returns the object of one complete value. No identity crosses from one value of a block to
    /// the next (F-87).
    pub fn take(&mut self) -> Result<Bound<'py, PyAny>> {
        self.known.clear();
        self.lates.clear();
        self.cyclic = 0;
        if let Some(exception) = self.exception_of_direct_build() {
            return Err(self.fail(exception));
        }
        match self.root.take() {
            Some(Content::Now(value)) => Ok(value),
            _ => Err(Error::new(Code::BadSource).expected("one complete value")),
        }
    }

    fn node(&self, node: NodeId) -> Option<&'s Node> {
        self.settings.types.get(node)
    }

    /// Returns the requested type of the next value.
    #[inline]
    fn expected(&self) -> NodeId {
        if !self.settings.types.are_asked() {
            return ANY;
        }
        let Some(frame) = self.stack.last() else { return self.settings.types.root() };
        match &frame.body {
            Body::Tuple { next, .. } => {
                let own = self.node(frame.node).and_then(|node| node.tuple.as_ref());
                own.and_then(|items| items.get(*next)).copied().unwrap_or(frame.child)
            }
            Body::Map { key, nodes, .. } => {
                if key.is_some() {
                    nodes.1
                } else {
                    nodes.0
                }
            }
            Body::Struct { layout, next, .. } => {
                self.kept.layout(*layout).places.get(*next).map_or(ANY, |(_, node)| *node)
            }
            _ => frame.child,
        }
    }

    /// Begins a container.
    fn begin(&mut self, body: Body<'py>, node: NodeId, child: NodeId) -> Result<()> {
        self.begin_with(body, node, child, false)
    }

    fn begin_with(
        &mut self,
        body: Body<'py>,
        node: NodeId,
        child: NodeId,
        fit: bool,
    ) -> Result<()> {
        self.frames += 1;
        self.tick()?;
        let (depth, number) = (self.stack.len(), self.frames);
        let mut late = None;
        let ids = std::mem::take(&mut self.pending_ids);
        if !ids.is_empty() {
            self.may_cycle = true;
            // An object that is still to be checked may be replaced, so no reference may use it
            // yet.
            let value = match body.object().filter(|_| !fit) {
                Some(object) => Content::Now(object),
                None => {
                    self.lates.put(Late::default());
                    late = Some(self.lates.len() - 1);
                    Content::Late(self.lates.len() - 1)
                }
            };
            for id in &ids {
                let known = Known {
                    value: value.share(),
                    node,
                    depth: Depth::default(),
                    open: Some((depth, number)),
                };
                self.known.put(*id, known);
            }
        }
        let jobs = self.jobs.len();
        let frame = OpenContainer {
            number,
            body,
            node,
            child,
            fit,
            low: usize::MAX,
            jobs,
            depth: Depth::default(),
            loops: Loops::default(),
            ids,
            late,
        };
        self.stack.put(frame);
        Ok(())
    }

    /// Begins a container that Python's side checks when it is complete.
    fn begin_fitted(&mut self, body: Body<'py>, node: NodeId) -> Result<()> {
        self.begin_with(body, node, ANY, true)
    }

    #[inline]
    fn tick(&mut self) -> Result<()> {
        self.ticks(1)
    }

    /// Counts values; from time to time checks for signals.
    #[inline]
    fn ticks(&mut self, values: usize) -> Result<()> {
        self.signals.after(values, self.py, &mut self.raised)
    }

    /// Keeps an exception and converts it to an error.
    #[inline]
    fn check<T>(&mut self, result: PyResult<T>) -> Result<T> {
        match result {
            Ok(value) => Ok(value),
            Err(exception) => Err(self.fail(exception)),
        }
    }

    #[cold]
    fn fail(&mut self, exception: PyErr) -> Error {
        // Its text would take memory.
        if exception.is_instance_of::<PyMemoryError>(self.py) {
            memory::fail();
        }
        let what = text_of(&exception);
        self.raised.keep(exception).got(what)
    }

    /// The error for a value that is not of the requested type.
    #[cold]
    fn mismatch(&self, node: NodeId, got: &str) -> Error {
        let text = self.node(node).map_or_else(String::new, |node| node.text.clone());
        Error::new(Code::Unconvertible).expected(text).got(got.to_owned())
    }
}

impl<'py> Body<'py> {
    /// Returns the object, if it exists before its contents.
    fn object(&self) -> Option<Bound<'py, PyAny>> {
        match self {
            Body::List(list) => Some(list.clone().into_any()),
            Body::Tuple { tuple, .. } => Some(tuple.tuple().clone().into_any()),
            Body::Dict { dict, .. } => Some(dict.clone().into_any()),
            Body::Map { map, .. } => Some(map.clone()),
            Body::Struct { object, .. } => object.clone(),
            Body::Holder { object, .. } => object.clone(),
            Body::Filled { object, .. } => Some(object.clone()),
            Body::Items { .. } | Body::Wrap { .. } | Body::Through(_) => None,
        }
    }
}

impl<'py> Content<'py> {
    fn share(&self) -> Content<'py> {
        match self {
            Content::Now(value) => Content::Now(value.clone()),
            Content::Late(late) => Content::Late(*late),
        }
    }
}
