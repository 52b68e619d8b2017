//! Python objects as a source of values: a walk that calls only those functions of a class that its
//! plan names, and never recurses.

mod direct_rows;
mod direct_sets;
mod direct_walk;
mod exceptions;
mod hook;
mod leaves;
mod limits;
mod memory;
mod order;
mod own_form;
mod plan;
mod planned;
mod rows;
mod runs;
mod scalars;
mod shapes;
mod tensors;
mod times;

pub use leaves::{LeafClass, LeafForm, LeafPart, WORDS, words_of};
pub use limits::{Passed, WalkLimits};
pub use memory::CachedMemory;
pub use order::sort;
pub use plan::{Native, Plan};
pub use scalars::{POSIX, WINDOWS};
pub use times::civil_from_days;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use holdall::bindings::Row;
use holdall::bindings::memory::{GrowMap, shared};
use holdall::events::{Shredder, Source};
use holdall::{Code, Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::bytes::LentBytes;
use crate::fault::{Raised, text_of};
use crate::raw;
use crate::signals::Signals;
use direct_walk::Waiting;
use hook::{Answers, Asking};
use memory::Memory;
use order::Orders;

/// Tuples of up to this many scalars have no identity (F-45).
const CONSTANT_TUPLE: usize = 8;
/// In lists of up to this many items, numbers are encoded one by one.
const MAX_ITEMS_ONE_BY_ONE: usize = 8;

/// The caller's options.
#[derive(Default)]
pub struct Options {
    pub references: bool,
    /// Whether atoms have an identity, too; see [`Plan::is_atom`].
    pub tracks_atoms: bool,
    /// Whether the message is written in the same call, and by copies of the elements of arrays alone: then their objects lend them.
    pub lends: bool,
    /// Whether the program takes the buffers of objects itself, which Python code hands to it.
    pub hands_out: bool,
    /// Whether sets are written in canonical order (F-96).
    pub canonical: bool,
    pub enc_hook: Option<Py<PyAny>>,
    pub limits: WalkLimits,
}

/// A Python object to be encoded.
pub struct Object<'o> {
    object: &'o Py<PyAny>,
    options: &'o Options,
    /// Knowledge from earlier objects for the same shredder.
    cached: Option<&'o mut CachedMemory>,
    /// The orders of the sets in the value that contains this one as a set's member.
    orders: Option<Rc<RefCell<Orders>>>,
    /// What the caller's hook has answered, if there is one.
    answers: Option<Rc<RefCell<Answers>>>,
    pub raised: Raised,
    /// How many values were encoded.
    pub values: u64,
    /// The elements that arrays lend to the message. They are checked before each time it reads them.
    pub lent: Vec<Arc<LentBytes>>,
}

impl<'o> Object<'o> {
    pub fn new(object: &'o Py<PyAny>, options: &'o Options) -> Self {
        let answers = options.enc_hook.as_ref().map(|_| Rc::default());
        let (cached, orders, raised) = (None, None, Raised::default());
        Object { object, options, cached, orders, answers, raised, values: 0, lent: Vec::new() }
    }

    /// Makes a source for a member of a set, encoded by itself.
    fn within(
        object: &'o Py<PyAny>,
        options: &'o Options,
        orders: Rc<RefCell<Orders>>,
        answers: Option<Rc<RefCell<Answers>>>,
    ) -> Self {
        Object { orders: Some(orders), answers, ..Object::new(object, options) }
    }

    /// Makes a source that uses and extends what earlier objects left.
    pub fn after(
        object: &'o Py<PyAny>,
        options: &'o Options,
        cached: &'o mut CachedMemory,
    ) -> Self {
        Object { cached: Some(cached), ..Object::new(object, options) }
    }
}

impl Source for Object<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        Python::attach(|py| {
            let memory = match &mut self.cached {
                Some(cached) => cached.attach(py, shredder.mark()),
                None => Box::default(),
            };
            let mut walker = Walker::new(py, self.options, shredder, memory);
            walker.orders = self.orders.clone();
            let is_inner = self.orders.is_some();
            walker.lends = self.options.lends && !is_inner;
            walker.asking = self.answers.clone().map(|answers| Asking::new(answers, is_inner));
            let root = self.object.bind(py).clone();
            let mut walked = walker.walk(root);
            self.values = walker.values;
            self.raised = std::mem::take(&mut walker.raised);
            if let Some(asking) = walker.asking.take() {
                walked = asking.end_walk(walked, &mut self.raised);
            }
            self.lent = std::mem::take(&mut walker.lent);
            if let Some(cached) = &mut self.cached {
                cached.detach(walker.into_memory());
            }
            walked
        })
    }
}

/// The rest of an open container.
enum Rest<'py> {
    List(Bound<'py, PyList>, usize),
    Tuple(Bound<'py, PyTuple>, usize),
    /// The rest of a row.
    Left(std::vec::IntoIter<Bound<'py, PyAny>>),
    /// Values among the pending ones.
    Values {
        start: usize,
        next: usize,
        end: usize,
        ends: u8,
    },
    /// Values among the pending ones, each after the name of its field; and the plan of the object's
    /// class, if it should learn the fields.
    Fields {
        start: usize,
        next: usize,
        end: usize,
        plan: Option<Rc<Plan<'py>>>,
    },
}

struct Walker<'py, 'w> {
    py: Python<'py>,
    shredder: &'w mut Shredder,
    options: &'w Options,
    stack: Vec<Rest<'py>>,
    /// Without references, or with a hook: the containers on the stack with their depths, in order. A
    /// container inside itself would never end; a hook is asked about what contains a refused object.
    /// They are kept alive, so their addresses stay unique.
    open: Vec<(usize, Bound<'py, PyAny>)>,
    is_open: HashSet<usize>,
    /// Values and names of the containers on the stack, in order.
    pending: Vec<Option<Bound<'py, PyAny>>>,
    /// The rows of objects to which references can follow. They are kept alive, so their addresses
    /// stay unique.
    seen: HashMap<usize, (Row, Bound<'py, PyAny>)>,
    /// Results of hooks, kept alive: otherwise an address of their parts could be reused.
    kept: Vec<Bound<'py, PyAny>>,
    /// What is known of slots, classes and names.
    memory: Box<Memory<'py>>,
    /// The row of the container or logical value begun last. A logical value has an identity of its
    /// own, not that of its storage.
    row: Option<Row>,
    /// Buffers for the numbers of a list.
    ints: Vec<u64>,
    floats: Vec<f64>,
    /// A buffer for the bytes of an int beyond 64 bits.
    big: Vec<u8>,
    /// Whether arrays lend their elements to the message, and those that do.
    lends: bool,
    lent: Vec<Arc<LentBytes>>,
    /// For direct walks: how many values may still be encoded, the addresses of the containers
    /// around them, and what they left undone, the innermost first.
    left: usize,
    path: Vec<usize>,
    waiting: Vec<Waiting<'py>>,
    values: u64,
    /// The bytes of the objects that code of the program has made.
    held: u64,
    signals: Signals,
    raised: Raised,
    /// The orders of sets found so far, once a set has asked for one.
    orders: Option<Rc<RefCell<Orders>>>,
    /// The questions to the caller's hook, if there is one.
    asking: Option<Asking>,
}

impl<'py, 'w> Walker<'py, 'w> {
    fn new(
        py: Python<'py>,
        options: &'w Options,
        shredder: &'w mut Shredder,
        mut memory: Box<Memory<'py>>,
    ) -> Self {
        Walker {
            py,
            shredder,
            options,
            stack: std::mem::take(&mut memory.stack),
            open: Vec::new(),
            is_open: HashSet::default(),
            pending: std::mem::take(&mut memory.pending),
            seen: HashMap::default(),
            kept: Vec::new(),
            row: None,
            ints: Vec::new(),
            floats: Vec::new(),
            big: Vec::new(),
            lends: false,
            lent: Vec::new(),
            left: 0,
            path: Vec::new(),
            waiting: std::mem::take(&mut memory.waiting),
            memory,
            values: 0,
            held: 0,
            signals: Signals::default(),
            raised: Raised::default(),
            orders: None,
            asking: None,
        }
    }
    /// Returns what the walk leaves to the next.
    fn into_memory(self) -> Box<Memory<'py>> {
        let Walker { mut memory, stack, pending, waiting, .. } = self;
        memory.stack = stack;
        memory.pending = pending;
        memory.waiting = waiting;
        memory
    }

    fn walk(&mut self, root: Bound<'py, PyAny>) -> Result<()> {
        self.value(root, true)?;
        while let Some(frame) = self.stack.last_mut() {
            let (next, ends) = match frame {
                Rest::List(list, at) => {
                    let (list, at) = (list.clone(), *at);
                    if self.items(&list, at)? {
                        self.end(1)?;
                    }
                    continue;
                }
                Rest::Tuple(tuple, at) => {
                    let item = tuple.get_item(*at).ok();
                    *at += 1;
                    (item, 1)
                }
                Rest::Left(values) => (values.next(), 1),
                Rest::Values { start, next, end, ends } => {
                    if next == end {
                        let (start, ends) = (*start, *ends);
                        self.pending.truncate(start);
                        (None, ends)
                    } else {
                        *next += 1;
                        (self.pending[*next - 1].take(), *ends)
                    }
                }
                Rest::Fields { start, next, end, .. } => {
                    if next == end {
                        let fields = *start..*end;
                        self.end_fields(fields)?;
                        continue;
                    }
                    *next += 2;
                    let at = *next;
                    let value = self.pending[at - 1].take();
                    if let Some(name) = self.pending[at - 2].clone() {
                        let name = self.text(&name)?;
                        self.shredder.field_of_struct(&name)?;
                    }
                    (value, 1)
                }
            };
            match next {
                Some(value) => {
                    self.check_depth()?;
                    self.value(value, false)?;
                }
                None => self.end(ends)?,
            }
        }
        Ok(())
    }

    /// Ends the container on top of the stack.
    fn end(&mut self, ends: u8) -> Result<()> {
        for _ in 0..ends {
            self.shredder.end()?;
        }
        let depth = self.stack.len();
        self.stack.pop();
        while let Some((_, object)) = self.open.pop_if(|(own, _)| *own >= depth) {
            self.is_open.remove(&(object.as_ptr() as usize));
        }
        if let Some(asking) = &mut self.asking {
            asking.closed(self.open.len());
        }
        Ok(())
    }

    /// Counts values; from time to time checks for signals.
    #[inline]
    fn tick(&mut self, values: usize) -> Result<()> {
        self.values += values as u64;
        self.check_objects()?;
        self.signals.after(values, self.py, &mut self.raised)
    }

    /// Encodes a scalar, or begins a container.
    #[inline]
    fn value(&mut self, object: Bound<'py, PyAny>, is_root: bool) -> Result<()> {
        self.tick(1)?;
        if self.scalar(&object)? { Ok(()) } else { self.container(object, is_root) }
    }

    /// Encodes a value if it is a scalar.
    #[inline]
    fn scalar(&mut self, object: &Bound<'py, PyAny>) -> Result<bool> {
        match scalar_of(object) {
            Some(Scalar::Text(text)) => self.string(text)?,
            Some(Scalar::Int(int)) => self.int(int)?,
            Some(Scalar::Float(float)) => self.shredder.f64(float)?,
            Some(Scalar::Null) => self.shredder.null()?,
            Some(Scalar::Bool(bool)) => self.shredder.bool(bool)?,
            Some(Scalar::Bytes(bytes)) => self.shredder.bytes(bytes)?,
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Remembers the row of a tracked object whose container has just begun.
    #[inline]
    fn identify(&mut self, object: &Bound<'py, PyAny>, tracked: bool) {
        self.row = self.shredder.latest_row();
        self.remember_as(tracked.then_some(object));
    }

    /// Remembers the row begun last as that of a tracked object.
    #[inline]
    fn remember_as(&mut self, tracked: Option<&Bound<'py, PyAny>>) {
        if let (Some(object), Some(row)) = (tracked, self.row) {
            self.remember(row, object);
        }
    }

    fn remember(&mut self, row: Row, object: &Bound<'py, PyAny>) {
        let Options { references, tracks_atoms, .. } = *self.options;
        if references && (tracks_atoms || !self.is_atom(object)) {
            self.seen.put(object.as_ptr() as usize, (row, object.clone()));
        }
    }

    #[cold]
    fn is_atom(&self, object: &Bound<'py, PyAny>) -> bool {
        self.known_plan(object).is_some_and(|plan| plan.is_atom())
    }

    /// Makes the error for an exception in the next value.
    #[cold]
    fn refuse_with(&mut self, exception: PyErr) -> Error {
        let what = text_of(&exception);
        let error = self.raised.keep(exception).got(what);
        self.shredder.refuse(error)
    }

    #[inline]
    fn py_check<T>(&mut self, result: PyResult<T>) -> Result<T> {
        result.map_err(|exception| self.refuse_with(exception))
    }

    /// Returns a name as text. Each string object is converted once.
    fn text(&mut self, name: &Bound<'py, PyAny>) -> Result<Arc<str>> {
        let address = name.as_ptr() as usize;
        if let Some((text, _)) = self.memory.names.get(&address) {
            return Ok(Arc::clone(text));
        }
        let text = name.cast::<PyString>().ok().and_then(|text| text.to_str().ok().map(shared));
        let Some(text) = text else {
            let error = Error::new(Code::UnsupportedValue)
                .expected("fields whose names are text")
                .got(name.repr().map_or_else(|_| "another".to_owned(), |text| text.to_string()));
            return Err(self.shredder.refuse(error));
        };
        let text: Arc<str> = text;
        self.memory.names.put(address, (Arc::clone(&text), name.clone()));
        Ok(text)
    }

    fn begin_logical(&mut self, kind: u8, parameters: &[u8]) -> Result<()> {
        let ty = self.memory.logical_type(kind, parameters)?;
        self.shredder.begin_logical(ty)?;
        self.row = self.shredder.latest_row();
        Ok(())
    }
}

/// Returns the name of an object's class.
fn type_name(object: &Bound<'_, PyAny>) -> String {
    object
        .get_type()
        .fully_qualified_name()
        .map_or_else(|_| "an object".into(), |name| name.to_string())
}

/// Whether a tuple holds only a few scalars. Compilers share such tuples, so their identity means
/// nothing (F-45).
pub fn is_constant(tuple: &Bound<'_, PyTuple>) -> bool {
    tuple.len() <= CONSTANT_TUPLE && tuple.iter_borrowed().all(|item| is_scalar(&item))
}

/// A value without identity.
pub enum Scalar<'o, 'py> {
    Text(&'o Bound<'py, PyString>),
    Int(&'o Bound<'py, PyAny>),
    Float(f64),
    Null,
    Bool(bool),
    Bytes(&'o [u8]),
}

#[inline]
pub fn scalar_of<'o, 'py>(object: &'o Bound<'py, PyAny>) -> Option<Scalar<'o, 'py>> {
    if let Ok(text) = object.cast_exact::<PyString>() {
        Some(Scalar::Text(text))
    } else if object.is_exact_instance_of::<PyInt>() {
        Some(Scalar::Int(object))
    } else if let Ok(float) = object.cast_exact::<PyFloat>() {
        Some(Scalar::Float(float.value()))
    } else if object.is_none() {
        Some(Scalar::Null)
    } else if let Ok(bool) = object.cast_exact::<PyBool>() {
        Some(Scalar::Bool(bool.is_true()))
    } else if let Ok(bytes) = object.cast_exact::<PyBytes>() {
        Some(Scalar::Bytes(bytes.as_bytes()))
    } else {
        None
    }
}

/// Whether a value is a scalar in the data, too.
#[inline]
fn is_scalar(object: &Bound<'_, PyAny>) -> bool {
    match scalar_of(object) {
        // Text with lone surrogates becomes a logical value.
        Some(Scalar::Text(text)) => raw::utf8(text).is_ok(),
        other => other.is_some(),
    }
}

/// Whether a type needs no plan.
fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    scalar_of(object).is_some()
        || object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyDict>()
        || object.is_exact_instance_of::<PyTuple>()
}

/// How an object was encoded.
pub(crate) enum Encoded<'py> {
    /// As a row.
    Row,
    /// As a scalar, without a row.
    Scalar,
    /// Not at all: another object replaces it.
    Instead(Bound<'py, PyAny>),
}
