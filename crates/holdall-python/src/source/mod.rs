//! Python objects as a source of values: a walk that calls nothing of a class but what its plan says, and never recurses.

mod order;
mod plan;
mod scalars;
mod times;

pub use times::civil_from_days;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use holdall::{Code, Error, LogicalType, Result, Row, Shredder, Sink, Source};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyNone, PyString, PyTuple, PyType,
};

use crate::fault::{Raised, is_refusal};
use crate::raw;
use plan::{Native, Plan};

/// So many hooks may answer with an object that needs a hook itself.
const HOOKS: usize = 100;
/// After so many values the walk looks for signals: a tenth of a second at worst.
const SIGNALS: u32 = 1 << 16;
/// Tuples of up to this many scalars have no identity (F-45).
const CONSTANT_TUPLE: usize = 8;

/// What a caller can choose.
#[derive(Default)]
pub struct Options {
    pub references: bool,
    pub enc_hook: Option<Py<PyAny>>,
}

/// A Python object that is told.
pub struct Object<'o> {
    object: &'o Py<PyAny>,
    options: &'o Options,
    pub raised: Raised,
    /// How many values were told.
    pub values: u64,
}

impl<'o> Object<'o> {
    pub fn new(object: &'o Py<PyAny>, options: &'o Options) -> Self {
        Object { object, options, raised: Raised::default(), values: 0 }
    }
}

impl Source for Object<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        Python::attach(|py| {
            let mut walker = Walker::new(py, self.options, shredder);
            let root = self.object.bind(py).clone();
            let told = walker.walk(root);
            self.values = walker.values;
            self.raised = std::mem::take(&mut walker.raised);
            told
        })
    }
}

/// A container that is begun and not ended.
enum Frame<'py> {
    List(Bound<'py, PyList>, usize),
    Tuple(Bound<'py, PyTuple>, usize),
    /// Values that wait among the pending ones.
    Values {
        start: usize,
        next: usize,
        end: usize,
        ends: u8,
    },
    /// The same, each after the name of its field.
    Fields {
        start: usize,
        next: usize,
        end: usize,
    },
}

struct Walker<'py, 'w> {
    py: Python<'py>,
    shredder: &'w mut Shredder,
    options: &'w Options,
    stack: Vec<Frame<'py>>,
    /// The addresses of the containers on the stack: without references, one that comes inside itself has no end.
    open: Vec<usize>,
    is_open: HashSet<usize>,
    /// Values and names of the containers on the stack, in order.
    pending: Vec<Option<Bound<'py, PyAny>>>,
    /// The rows of objects that could come again, which are kept alive: an address names no other object until the end.
    seen: HashMap<usize, (Row, Bound<'py, PyAny>)>,
    /// What hooks answered: their parts could have the address of another, once they are gone.
    kept: Vec<Bound<'py, PyAny>>,
    keys: Vec<Bound<'py, PyString>>,
    plans: HashMap<usize, (Rc<Plan<'py>>, Bound<'py, PyType>)>,
    logical: HashMap<(u8, [u8; 2]), Arc<LogicalType>>,
    names: HashMap<usize, (Arc<str>, Bound<'py, PyAny>)>,
    /// How the datetimes of each time zone are told.
    zones: HashMap<usize, (times::Zone, Bound<'py, PyAny>)>,
    /// The row of the logical value that was begun: its identity is its own, not that of its storage.
    logical_row: Option<Row>,
    values: u64,
    until_signals: u32,
    raised: Raised,
}

impl<'py, 'w> Walker<'py, 'w> {
    fn new(py: Python<'py>, options: &'w Options, shredder: &'w mut Shredder) -> Self {
        Walker {
            py,
            shredder,
            options,
            stack: Vec::new(),
            open: Vec::new(),
            is_open: HashSet::new(),
            pending: Vec::new(),
            seen: HashMap::new(),
            kept: Vec::new(),
            keys: Vec::new(),
            plans: HashMap::new(),
            logical: HashMap::new(),
            names: HashMap::new(),
            zones: HashMap::new(),
            logical_row: None,
            values: 0,
            until_signals: SIGNALS,
            raised: Raised::default(),
        }
    }

    fn walk(&mut self, root: Bound<'py, PyAny>) -> Result<()> {
        self.value(root, true)?;
        while let Some(frame) = self.stack.last_mut() {
            let (next, ends) = match frame {
                Frame::List(list, at) => {
                    // A hook may have made it shorter.
                    let item = if *at < list.len() { list.get_item(*at).ok() } else { None };
                    *at += 1;
                    (item, 1)
                }
                Frame::Tuple(tuple, at) => {
                    let item = tuple.get_item(*at).ok();
                    *at += 1;
                    (item, 1)
                }
                Frame::Values { start, next, end, ends } => {
                    if next == end {
                        let (start, ends) = (*start, *ends);
                        self.pending.truncate(start);
                        (None, ends)
                    } else {
                        *next += 1;
                        (self.pending[*next - 1].take(), *ends)
                    }
                }
                Frame::Fields { start, next, end } => {
                    if next == end {
                        let start = *start;
                        self.pending.truncate(start);
                        (None, 1)
                    } else {
                        *next += 2;
                        let at = *next;
                        let name = self.pending[at - 2].take();
                        let value = self.pending[at - 1].take();
                        if let Some(name) = name {
                            let name = self.text(&name)?;
                            self.shredder.field_of_struct(&name)?;
                        }
                        (value, 1)
                    }
                }
            };
            match next {
                Some(value) => self.value(value, false)?,
                None => {
                    for _ in 0..ends {
                        self.shredder.end()?;
                    }
                    self.stack.pop();
                    if !self.options.references
                        && let Some(address) = self.open.pop()
                    {
                        self.is_open.remove(&address);
                    }
                }
            }
        }
        Ok(())
    }

    /// One value: a scalar is told at once, a container begun.
    #[inline]
    fn value(&mut self, object: Bound<'py, PyAny>, is_root: bool) -> Result<()> {
        self.values += 1;
        self.until_signals -= 1;
        if self.until_signals == 0 {
            self.until_signals = SIGNALS;
            let signals = self.py.check_signals();
            self.raised.check(signals)?;
        }
        if let Ok(text) = object.cast_exact::<PyString>() {
            return self.string(text);
        }
        if object.is_exact_instance_of::<PyInt>() {
            return self.int(&object);
        }
        if let Ok(float) = object.cast_exact::<PyFloat>() {
            return self.shredder.f64(float.value());
        }
        if object.is_exact_instance_of::<PyNone>() {
            return self.shredder.null();
        }
        if let Ok(bool) = object.cast_exact::<PyBool>() {
            return self.shredder.bool(bool.is_true());
        }
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            return self.shredder.bytes(bytes.as_bytes());
        }
        self.container(object, is_root)
    }

    /// A value that may come again.
    fn container(&mut self, object: Bound<'py, PyAny>, is_root: bool) -> Result<()> {
        if let Ok(tuple) = object.cast_exact::<PyTuple>()
            && is_constant(tuple)
        {
            return self.tuple(tuple);
        }
        // One reference is that of the container that holds it, one is ours.
        let tracked = is_root || raw::refcount(&object) > 2;
        let address = object.as_ptr() as usize;
        if self.options.references {
            if tracked && let Some(&(row, _)) = self.seen.get(&address) {
                return self.shredder.row_again(row);
            }
        } else if self.is_open.contains(&address) {
            let error = Error::new(Code::UnsupportedValue)
                .expected("values that are not inside themselves, as references are off")
                .got(type_name(&object));
            return Err(self.shredder.refuse(error));
        }
        let depth = self.stack.len();
        if let Ok(list) = object.cast_exact::<PyList>() {
            self.shredder.begin_list(list.len())?;
            self.stack.push(Frame::List(list.clone(), 0));
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            self.dict(dict)?;
        } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            self.tuple(tuple)?;
        } else {
            return self.planned(object, tracked);
        }
        self.begun(object, tracked, depth);
        Ok(())
    }

    /// A container or logical value has begun.
    #[inline]
    fn begun(&mut self, object: Bound<'py, PyAny>, tracked: bool, depth: usize) {
        let row = self.logical_row.take().or_else(|| self.shredder.latest_row());
        if self.options.references {
            if tracked && let Some(row) = row {
                self.seen.insert(object.as_ptr() as usize, (row, object));
            }
        } else if self.stack.len() > depth {
            let address = object.as_ptr() as usize;
            self.open.push(address);
            self.is_open.insert(address);
        }
    }

    fn tuple(&mut self, tuple: &Bound<'py, PyTuple>) -> Result<()> {
        self.shredder.begin_tuple(tuple.len())?;
        if !self.options.references && is_constant(tuple) {
            self.open.push(0);
        }
        self.stack.push(Frame::Tuple(tuple.clone(), 0));
        Ok(())
    }

    fn dict(&mut self, dict: &Bound<'py, PyDict>) -> Result<()> {
        let start = self.pending.len();
        let mut position = 0;
        self.keys.clear();
        let mut are_names = true;
        while let Some((key, value)) = raw::next_entry(dict, &mut position) {
            match key.cast_into_exact::<PyString>() {
                Ok(key) if key.to_str().is_ok() => self.keys.push(key),
                _ => {
                    are_names = false;
                    break;
                }
            }
            self.pending.push(Some(value));
        }
        if !are_names {
            self.pending.truncate(start);
            return self.map(dict, 1);
        }
        let keys = std::mem::take(&mut self.keys);
        let begun =
            self.shredder.begin_mapping(keys.iter().map(|key| key.to_str().unwrap_or_default()));
        self.keys = keys;
        begun?;
        let end = self.pending.len();
        self.stack.push(Frame::Values { start, next: start, end, ends: 1 });
        Ok(())
    }

    /// A dict with keys of any type, or one whose order counts.
    fn map(&mut self, dict: &Bound<'py, PyDict>, ends: u8) -> Result<()> {
        let start = self.pending.len();
        let mut position = 0;
        while let Some((key, value)) = raw::next_entry(dict, &mut position) {
            self.pending.extend([Some(key), Some(value)]);
        }
        let end = self.pending.len();
        self.shredder.begin_map((end - start) / 2)?;
        self.stack.push(Frame::Values { start, next: start, end, ends });
        Ok(())
    }

    /// An object of another type: as its plan says.
    fn planned(&mut self, object: Bound<'py, PyAny>, tracked: bool) -> Result<()> {
        let depth = self.stack.len();
        let mut at = object.clone();
        for _ in 0..HOOKS {
            let plan = self.plan(&at)?;
            let answer = match &*plan {
                Plan::Hook(hook) => match (hook.call1((&at,)), &self.options.enc_hook) {
                    (Err(refused), Some(hook)) if is_refusal(self.py, &refused) => {
                        hook.bind(self.py).call1((&at,))
                    }
                    (answer, _) => answer,
                },
                Plan::Unsupported(reason) => match &self.options.enc_hook {
                    Some(hook) => hook.bind(self.py).call1((&at,)),
                    None => {
                        let error = Error::new(Code::UnsupportedValue)
                            .expected("a value that can be packed")
                            .got(reason.clone());
                        return Err(self.shredder.refuse(error));
                    }
                },
                plan => match self.tell(&at, plan)? {
                    Told::Row => {
                        self.begun(object, tracked, depth);
                        return Ok(());
                    }
                    Told::Scalar => return Ok(()),
                    Told::Instead(other) => Ok(other),
                },
            };
            let answer = self.py_check(answer)?;
            self.kept.push(answer.clone());
            at = answer;
            if is_plain(&at) {
                let rows = self.shredder.latest_row();
                self.value(at, true)?;
                if self.shredder.latest_row() != rows {
                    self.begun(object, tracked, depth);
                }
                return Ok(());
            }
            if self.options.references
                && let Some((row, _)) = self.seen.get(&(at.as_ptr() as usize))
            {
                let row = *row;
                self.seen.insert(object.as_ptr() as usize, (row, object));
                return self.shredder.row_again(row);
            }
        }
        let error = Error::new(Code::Custom)
            .expected("a hook that answers with something that can be packed")
            .got(type_name(&object));
        Err(self.shredder.refuse(error))
    }

    /// An exception in the value that would come now.
    #[cold]
    fn refuse_with(&mut self, exception: PyErr) -> Error {
        let what = exception.to_string();
        let error = self.raised.keep(exception).got(what);
        self.shredder.refuse(error)
    }

    #[inline]
    fn py_check<T>(&mut self, result: PyResult<T>) -> Result<T> {
        result.map_err(|exception| self.refuse_with(exception))
    }

    fn plan(&mut self, object: &Bound<'py, PyAny>) -> Result<Rc<Plan<'py>>> {
        let address = object.get_type_ptr() as usize;
        if let Some((plan, _)) = self.plans.get(&address) {
            return Ok(Rc::clone(plan));
        }
        let class = object.get_type();
        let plan = Plan::of(&class);
        let plan = Rc::new(self.py_check(plan)?);
        self.plans.insert(address, (Rc::clone(&plan), class));
        Ok(plan)
    }

    /// Tells an object by its plan.
    fn tell(&mut self, object: &Bound<'py, PyAny>, plan: &Plan<'py>) -> Result<Told<'py>> {
        match plan {
            Plan::Native(native) => self.native(object, *native),
            Plan::Instance(instance) => {
                let start = self.pending.len();
                let fields = instance.fields(object, &mut self.pending);
                if let Err(exception) = fields {
                    self.pending.truncate(start);
                    return Err(self.refuse_with(exception));
                }
                self.shredder.begin_open_struct(&instance.name)?;
                let end = self.pending.len();
                self.stack.push(Frame::Fields { start, next: start, end });
                Ok(Told::Row)
            }
            Plan::NamedTuple(name, fields) => {
                let Ok(tuple) = object.cast::<PyTuple>() else { return Ok(Told::Scalar) };
                let start = self.pending.len();
                for (name, value) in fields.iter().zip(tuple.iter()) {
                    self.pending.extend([Some(name.clone()), Some(value)]);
                }
                self.shredder.begin_open_struct(name)?;
                let end = self.pending.len();
                self.stack.push(Frame::Fields { start, next: start, end });
                Ok(Told::Row)
            }
            Plan::Enum(name, attribute) => {
                let member = object.getattr(attribute);
                let member = self.py_check(member)?;
                let member = self.text(&member)?;
                self.shredder.begin_extension(name)?;
                self.shredder.begin_variant(&member)?;
                self.shredder.null()?;
                self.shredder.end()?;
                self.shredder.end()?;
                // Members are one object each, however they come.
                Ok(Told::Scalar)
            }
            Plan::Hook(_) | Plan::Unsupported(_) => Ok(Told::Scalar),
        }
    }

    /// A name as the library has it; each string object is looked at once.
    fn text(&mut self, name: &Bound<'py, PyAny>) -> Result<Arc<str>> {
        let address = name.as_ptr() as usize;
        if let Some((text, _)) = self.names.get(&address) {
            return Ok(Arc::clone(text));
        }
        let text = name.cast::<PyString>().ok().and_then(|text| text.to_str().ok().map(Arc::from));
        let Some(text) = text else {
            let error = Error::new(Code::UnsupportedValue)
                .expected("fields whose names are text")
                .got(name.repr().map_or_else(|_| "another".to_owned(), |text| text.to_string()));
            return Err(self.shredder.refuse(error));
        };
        let text: Arc<str> = text;
        self.names.insert(address, (Arc::clone(&text), name.clone()));
        Ok(text)
    }

    fn begin_logical(&mut self, kind: u8, parameters: &[u8]) -> Result<()> {
        let mut key = [0; 2];
        key[..parameters.len()].copy_from_slice(parameters);
        let ty = match self.logical.get(&(kind, key)) {
            Some(ty) => Arc::clone(ty),
            None => {
                let ty = Arc::new(LogicalType::new(kind, parameters)?);
                self.logical.insert((kind, key), Arc::clone(&ty));
                ty
            }
        };
        self.shredder.begin_logical(&ty)?;
        self.logical_row = self.shredder.latest_row();
        Ok(())
    }
}

/// What the class of an object is called.
fn type_name(object: &Bound<'_, PyAny>) -> String {
    object
        .get_type()
        .fully_qualified_name()
        .map_or_else(|_| "an object".into(), |name| name.to_string())
}

/// A tuple of few scalars: compilers share those, programs mean nothing by it (F-45).
fn is_constant(tuple: &Bound<'_, PyTuple>) -> bool {
    tuple.len() <= CONSTANT_TUPLE && tuple.iter_borrowed().all(|item| is_scalar(&item))
}

fn is_scalar(object: &Bound<'_, PyAny>) -> bool {
    match object.cast_exact::<PyString>() {
        // Lone surrogates make it a logical value.
        Ok(text) => text.to_str().is_ok(),
        Err(_) => {
            object.is_exact_instance_of::<PyInt>()
                || object.is_exact_instance_of::<PyFloat>()
                || object.is_exact_instance_of::<PyNone>()
                || object.is_exact_instance_of::<PyBool>()
                || object.is_exact_instance_of::<PyBytes>()
        }
    }
}

/// A type that needs no plan.
fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyString>()
        || is_scalar(object)
        || object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyDict>()
        || object.is_exact_instance_of::<PyTuple>()
}

/// What telling an object came to.
pub(crate) enum Told<'py> {
    /// A row was begun.
    Row,
    /// None was.
    Scalar,
    /// Another object stands for it.
    Instead(Bound<'py, PyAny>),
}
