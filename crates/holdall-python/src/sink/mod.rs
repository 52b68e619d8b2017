//! Python objects from values.
//!
//! What can exist before its contents does: lists, dicts, sets, tuples, objects with attributes. So a value inside itself
//! is no more than a reference to what is there. What cannot (a frozen set, the result of a function) is *late*: where it is needed
//! before it exists, a place is kept for it and filled later.
//!
//! Most values need none of that: they are made in place, from the rows where they are (`inside`).
//!
//! What hashes its contents, or runs code on them, waits until they are complete: until the end of the outermost value
//! that is inside itself through them. Frames know that as `low`, the way Tarjan's algorithm finds components.

mod begin;
mod class;
mod close;
mod events;
mod inside;
mod jobs;
mod kept;
mod logical;
mod place;
mod steps;
mod stop;
mod types;

use foldhash::HashMap;
use std::sync::Arc;

use holdall::events::RowId;
use holdall::{Code, Error, LogicalType, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::fault::Raised;
use crate::raw::NewTuple;
use crate::signals::Signals;
pub use class::{Class, How, Layout, choose};
use kept::LayoutId;
pub use kept::{Kept, changes, forget};
use stop::Inside;
pub use types::{ANY, Node, NodeId, Types};

/// A value that goes into a container: there already, or late.
enum Slot<'py> {
    Now(Bound<'py, PyAny>),
    Late(usize),
}

/// A value that does not exist yet.
#[derive(Default)]
struct Late<'py> {
    value: Option<Bound<'py, PyAny>>,
    fixes: Vec<Fix<'py>>,
}

/// A place that was kept for a late value.
enum Fix<'py> {
    Item(Bound<'py, PyList>, usize),
    Member(NewTuple<'py>, usize),
    Entry(Bound<'py, PyDict>, Bound<'py, PyString>),
    Attribute(Bound<'py, PyAny>, Bound<'py, PyString>),
}

/// A value with identity.
struct Known<'py> {
    value: Slot<'py>,
    node: NodeId,
    /// The frame that has to end before it is complete, by depth and number.
    open: Option<(usize, u64)>,
}

/// What is left to do when contents are complete.
enum Job<'py> {
    /// Fills a mapping.
    Entries(Bound<'py, PyAny>, Vec<(Slot<'py>, Slot<'py>)>),
    /// Fills a set.
    Members(Bound<'py, PyAny>, Vec<Slot<'py>>),
    /// Makes a late value.
    Make {
        late: usize,
        recipe: Recipe<'py>,
        inputs: Vec<Slot<'py>>,
        needs: Vec<usize>,
        fit: NodeId,
    },
    /// Calls a function with an object and what it takes.
    Fill {
        function: Bound<'py, PyAny>,
        object: Bound<'py, PyAny>,
        value: Slot<'py>,
        needs: Vec<usize>,
    },
    /// Calls a function with a complete object.
    Post(Bound<'py, PyAny>, Slot<'py>),
}

/// How a late value is made of its inputs.
enum Recipe<'py> {
    FrozenSet,
    Set,
    /// What came, checked by Python's side.
    Same,
    Logical(Arc<LogicalType>),
    /// A function of one value.
    Call(Bound<'py, PyAny>),
    /// A function of what a dict holds, by keywords.
    CallByKeywords(Bound<'py, PyAny>),
}

/// A container that is begun and not ended.
struct Frame<'py> {
    number: u64,
    body: Body<'py>,
    /// The node of the value, and of what is in it where all is of one.
    node: NodeId,
    child: NodeId,
    /// Python's side has to look at the whole value.
    fit: bool,
    /// The outermost frame that has to end before the contents are complete; none if it is this one.
    low: usize,
    /// The jobs from here on are those of the contents.
    jobs: usize,
    ids: Vec<RowId>,
    /// Its number among the late values, if it is one that can come again.
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
        key: Option<Slot<'py>>,
        /// From the first entry on that has to wait.
        waiting: Vec<(Slot<'py>, Slot<'py>)>,
        nodes: (NodeId, NodeId),
        /// How many entries were put in.
        count: usize,
    },
    /// Values that wait for the end.
    Items {
        recipe: Recipe<'py>,
        items: Vec<Slot<'py>>,
        is_storage: bool,
    },
    Struct {
        layout: LayoutId,
        next: usize,
        /// The object, unless it is made at the end.
        object: Option<Bound<'py, PyAny>>,
        /// Where fields go that are no attributes, if there are such.
        fields: Option<Bound<'py, PyDict>>,
        needs: Vec<usize>,
    },
    /// A logical value that gets what its storage has: a set, an ordered dict; without an object, a frozen set.
    Holder {
        object: Option<Bound<'py, PyAny>>,
        ty: Arc<LogicalType>,
        items: Option<Vec<Slot<'py>>>,
    },
    /// What is made of one value.
    Wrap {
        recipe: Recipe<'py>,
        value: Option<Slot<'py>>,
    },
    /// An object that exists, filled with one value.
    Filled {
        object: Bound<'py, PyAny>,
        fill: Bound<'py, PyAny>,
        value: Option<Slot<'py>>,
    },
    /// What comes inside is the value.
    Through(Option<Slot<'py>>),
}

/// What a caller can choose, and Python's side of reading.
pub struct Settings<'py, 's> {
    /// An object of `holdall._classes.Resolver`: finds classes by the names in data.
    pub resolver: Bound<'py, PyAny>,
    pub types: &'s Types,
}

pub struct Builder<'py, 's> {
    py: Python<'py>,
    settings: Settings<'py, 's>,
    kept: &'s mut Kept,
    empty: Bound<'py, PyTuple>,
    stack: Vec<Frame<'py>>,
    root: Option<Slot<'py>>,
    told: Vec<RowId>,
    known: HashMap<RowId, Known<'py>>,
    lates: Vec<Late<'py>>,
    jobs: Vec<Job<'py>>,
    /// The strings of dictionaries that came, by table and number.
    tables: Vec<Vec<Option<Bound<'py, PyAny>>>>,
    zones: HashMap<String, Bound<'py, PyAny>>,
    frames: u64,
    inside: Inside<'py>,
    /// Whether there were values with identity, or code of a class or hook ran: then there may be cycles.
    may_cycle: bool,
    signals: Signals,
    pub raised: Raised,
}

impl<'py, 's> Builder<'py, 's> {
    pub fn new(py: Python<'py>, settings: Settings<'py, 's>, kept: &'s mut Kept) -> Self {
        Builder {
            py,
            settings,
            kept,
            empty: PyTuple::empty(py),
            stack: Vec::new(),
            root: None,
            told: Vec::new(),
            known: HashMap::default(),
            lates: Vec::new(),
            jobs: Vec::new(),
            tables: Vec::new(),
            zones: HashMap::default(),
            frames: 0,
            inside: Inside::default(),
            may_cycle: false,
            signals: Signals::default(),
            raised: Raised::default(),
        }
    }

    /// How many containers were made.
    pub fn containers(&self) -> u64 {
        self.frames
    }

    /// Whether nothing that was made can refer to itself.
    pub fn makes_no_cycles(&self) -> bool {
        !self.may_cycle
    }

    /// The object, once one whole value has come. Where more of one block come, no identity crosses from one to the next (F-87).
    pub fn take(&mut self) -> Result<Bound<'py, PyAny>> {
        self.known.clear();
        self.lates.clear();
        if let Some(exception) = self.exception_inside() {
            return Err(self.fail(exception));
        }
        match self.root.take() {
            Some(Slot::Now(value)) => Ok(value),
            _ => Err(Error::new(Code::BadSource).expected("one whole value")),
        }
    }

    fn node(&self, node: NodeId) -> Option<&'s Node> {
        self.settings.types.get(node)
    }

    /// The type that the value to come should have.
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
        let ids = std::mem::take(&mut self.told);
        if !ids.is_empty() {
            self.may_cycle = true;
            // An object that is still to be looked at could be referred to as what it will not be.
            let value = match body.object().filter(|_| !fit) {
                Some(object) => Slot::Now(object),
                None => {
                    self.lates.push(Late::default());
                    late = Some(self.lates.len() - 1);
                    Slot::Late(self.lates.len() - 1)
                }
            };
            for id in &ids {
                let known = Known { value: value.again(), node, open: Some((depth, number)) };
                self.known.insert(*id, known);
            }
        }
        let jobs = self.jobs.len();
        let frame = Frame { number, body, node, child, fit, low: usize::MAX, jobs, ids, late };
        self.stack.push(frame);
        Ok(())
    }

    /// Begins a container of which Python's side has to look at the whole value.
    fn begin_fitted(&mut self, body: Body<'py>, node: NodeId) -> Result<()> {
        self.begin_with(body, node, ANY, true)
    }

    #[inline]
    fn tick(&mut self) -> Result<()> {
        self.ticks(1)
    }

    /// So many values more: from time to time the builder looks for signals.
    #[inline]
    fn ticks(&mut self, values: usize) -> Result<()> {
        self.signals.after(values, self.py, &mut self.raised)
    }

    /// An answer of Python, or its exception.
    #[inline]
    fn check<T>(&mut self, result: PyResult<T>) -> Result<T> {
        match result {
            Ok(value) => Ok(value),
            Err(exception) => Err(self.fail(exception)),
        }
    }

    #[cold]
    fn fail(&mut self, exception: PyErr) -> Error {
        let what = exception.to_string();
        self.raised.keep(exception).got(what)
    }

    /// The value is of another type than was asked for.
    #[cold]
    fn mismatch(&self, node: NodeId, got: &str) -> Error {
        let text = self.node(node).map_or_else(String::new, |node| node.text.clone());
        Error::new(Code::Unconvertible).expected(text).got(got.to_owned())
    }
}

impl<'py> Body<'py> {
    /// The object, if it exists before its contents.
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

impl<'py> Slot<'py> {
    fn again(&self) -> Slot<'py> {
        match self {
            Slot::Now(value) => Slot::Now(value.clone()),
            Slot::Late(late) => Slot::Late(*late),
        }
    }
}
