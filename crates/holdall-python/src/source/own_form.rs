//! Objects with more state than their attributes: the results of their own methods for pickle, and
//! the content of builtin classes in objects of subclasses.

use holdall::bindings::memory::GrowVec;
use std::sync::Arc;

use arrayvec::ArrayVec;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyList, PySet, PyString, PyTuple, PyType,
};

use super::limits::WalkLimits;
use super::shapes::LearnedShapes;
use crate::once::{Once, intern};
use crate::{raw, support};

/// Names and values of fields, alternating.
pub type Pending<'py> = Vec<Option<Bound<'py, PyAny>>>;

/// Objects that hold the values of an object's fields, if the object does not: what it reduces to, its state, a copy of that,
/// and what caused an exception.
pub type Holders<'py> = ArrayVec<Bound<'py, PyAny>, 4>;

/// What precedes the attributes of an object.
pub enum Lead<'py> {
    None,
    /// The content of a builtin class.
    Payload(Payload<'py>),
    /// The result of `__getnewargs_ex__`, or else of `__getnewargs__`.
    NewArguments {
        with_keywords: bool,
    },
}

/// The content that a builtin class stores in an object.
pub struct Payload<'py> {
    field: Bound<'py, PyAny>,
    kind: Held,
    /// Returns the content, where this crate cannot read it.
    get: Option<Bound<'py, PyAny>>,
}

#[derive(Clone, Copy)]
enum Held {
    List,
    Dict,
    DefaultDict,
    Deque,
    Set,
    FrozenSet,
    Tuple,
    Int,
    Float,
    Text,
    Bytes,
    ByteArray,
    Other,
}

const HELD: [(&str, Held); 13] = [
    ("list", Held::List),
    ("dict", Held::Dict),
    ("defaultdict", Held::DefaultDict),
    ("deque", Held::Deque),
    ("set", Held::Set),
    ("frozenset", Held::FrozenSet),
    ("tuple", Held::Tuple),
    ("int", Held::Int),
    ("float", Held::Float),
    ("str", Held::Text),
    ("bytes", Held::Bytes),
    ("bytearray", Held::ByteArray),
    ("other", Held::Other),
];

impl<'py> Lead<'py> {
    /// Reads the part of a plan.
    pub fn of(plan: &Bound<'py, PyAny>) -> PyResult<Lead<'py>> {
        if plan.is_none() {
            return Ok(Lead::None);
        }
        let plan = plan.cast::<PyTuple>()?;
        let item = |at: usize| plan.get_item(at);
        match &*item(0)?.extract::<String>()? {
            "newargs" => Ok(Lead::NewArguments { with_keywords: item(1)?.extract()? }),
            "payload" => {
                let name = item(2)?.extract::<String>()?;
                let kind = HELD.iter().find(|(own, _)| **own == *name);
                let (_, kind) = kind.ok_or_else(|| PyTypeError::new_err(name))?;
                Ok(Lead::Payload(Payload {
                    field: item(1)?,
                    kind: *kind,
                    get: item(3)?.extract()?,
                }))
            }
            other => Err(PyTypeError::new_err(other.to_owned())),
        }
    }

    /// Appends the names and values of its fields. `holders` gets what holds the values, if the
    /// object does not.
    pub fn fields(
        &self,
        object: &Bound<'py, PyAny>,
        pending: &mut Pending<'py>,
        holders: &mut Holders<'py>,
    ) -> PyResult<()> {
        let py = object.py();
        match self {
            Lead::None => {}
            Lead::Payload(payload) => payload.fields(object, pending)?,
            Lead::NewArguments { with_keywords: true } => {
                let answer = object.call_method0(intern!(py, "__getnewargs_ex__"));
                let answer = answer.and_then(|answer| {
                    let (arguments, keywords) = answer.extract()?;
                    Ok((answer, arguments, keywords))
                });
                let (answer, arguments, keywords): (_, Bound<'py, PyAny>, Bound<'py, PyAny>) =
                    answer.map_err(|exception| no_state(object, exception))?;
                push(pending, intern!(py, "<newargs>"), arguments);
                push(pending, intern!(py, "<newkeywords>"), keywords);
                holders.push(answer);
            }
            Lead::NewArguments { with_keywords: false } => {
                let arguments = object.call_method0(intern!(py, "__getnewargs__"));
                let arguments = arguments.map_err(|exception| no_state(object, exception))?;
                holders.push(arguments.clone());
                push(pending, intern!(py, "<newargs>"), arguments);
            }
        }
        Ok(())
    }
}

impl<'py> Payload<'py> {
    fn fields(&self, object: &Bound<'py, PyAny>, pending: &mut Pending<'py>) -> PyResult<()> {
        let py = object.py();
        pending.put_each([Some(self.field.clone()), Some(self.held(object)?)]);
        match self.kind {
            Held::DefaultDict => {
                let factory = object.getattr(intern!(py, "default_factory"))?;
                push(pending, intern!(py, "<factory>"), factory_name(&factory)?);
            }
            Held::Deque => {
                let most = object.getattr(intern!(py, "maxlen"))?;
                push(pending, intern!(py, "<maxlen>"), most);
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns a copy of the builtin class's content without calling methods of the object's class.
    fn held(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = object.py();
        Ok(match self.kind {
            Held::List => {
                let list = object.cast::<PyList>()?;
                list.get_slice(0, list.len()).into_any()
            }
            Held::Tuple => {
                let tuple = object.cast::<PyTuple>()?;
                tuple.get_slice(0, tuple.len()).into_any()
            }
            Held::Dict | Held::DefaultDict => copied(object.cast::<PyDict>()?)?.into_any(),
            Held::Set => py.get_type::<PySet>().call1((object,))?,
            Held::FrozenSet => py.get_type::<PyFrozenSet>().call1((object,))?,
            Held::Int => match raw::int_bits(object)? {
                Some(bits) => raw::int(py, bits)?,
                None => self.got(object)?,
            },
            Held::Float => raw::float(py, object.cast::<PyFloat>()?.value())?,
            Held::Text => raw::exact_text(object.cast::<PyString>()?)?,
            Held::Bytes => raw::bytes(py, object.cast::<PyBytes>()?.as_bytes())?.into_any(),
            Held::ByteArray => raw::bytes_of(object.cast::<PyByteArray>()?.as_any())?.into_any(),
            Held::Deque | Held::Other => self.got(object)?,
        })
    }

    fn got(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match &self.get {
            Some(get) => get.call1((object,)),
            None => Err(PyTypeError::new_err("a plan without a function")),
        }
    }
}

/// Objects packed from the result of `__reduce_ex__`.
pub struct Reduce<'py> {
    pub name: Arc<str>,
    pub class: Bound<'py, PyType>,
    /// The function registered with `copyreg` for the class.
    pub reducer: Option<Bound<'py, PyAny>>,
    /// For exceptions, a function that returns fields with what caused one.
    pub origin: Option<Bound<'py, PyAny>>,
    pub shapes: LearnedShapes<'py>,
}

impl<'py> Reduce<'py> {
    /// Appends the names and values of an object's fields. Returns what holds the values.
    pub fn fields(
        &self,
        object: &Bound<'py, PyAny>,
        limits: &WalkLimits,
        pending: &mut Pending<'py>,
    ) -> PyResult<Holders<'py>> {
        let py = object.py();
        let answer = match &self.reducer {
            Some(reducer) => reducer.call1((object,)),
            None => object.call_method1(intern!(py, "__reduce_ex__"), (4,)),
        };
        let answer = answer.map_err(|exception| no_state(object, exception))?;
        let parts = answer.cast::<PyTuple>().ok().filter(|parts| (2..=6).contains(&parts.len()));
        let Some(parts) = parts else {
            return Err(self.refused("returns the name of a global")?);
        };
        let parts = if parts.get_item(0)?.is(constructors(py)?.of_base.bind(py)) {
            &encode_plans(py, "without_base")?.call1((parts,))?.cast_into()?
        } else {
            parts
        };
        // An index beyond the end would raise an exception.
        let given = |at: &usize| *at < parts.len();
        let part = |at: usize| {
            let at = Some(at).filter(given)?;
            parts.get_item(at).ok().filter(|part| !part.is_none())
        };
        self.call(&parts.get_item(0)?, parts.get_item(1)?, pending)?;
        if part(5).is_some() {
            return Err(self.refused("returns a function to set the state")?);
        }
        let mut holders = Holders::new();
        if let Some(state) = part(2) {
            let start = pending.len();
            push_state(state, pending, &mut holders)?;
            let text = intern!(py, "__traceback_text__");
            let is_text = |name: &Option<Bound<'py, PyAny>>| {
                name.as_ref().is_some_and(|name| name.eq(text).unwrap_or(false))
            };
            // Of an exception that was read: it follows with its origin.
            if self.origin.is_some()
                && let Some(at) = pending[start..].iter().step_by(2).position(is_text)
            {
                pending.drain(start + 2 * at..start + 2 * at + 2);
            }
        }
        if let Some(origin) = &self.origin {
            let origin = origin.call1((object,))?.cast_into::<PyDict>()?;
            push_entries(&origin, pending);
            holders.push(origin.into_any());
        }
        if let Some(items) = part(3) {
            let items = limits.items_of(&items, Ok)?;
            push(
                pending,
                intern!(py, "<items>"),
                raw::list_of(py, items.into_iter().map(Ok))?.into_any(),
            );
        }
        if let Some(entries) = part(4) {
            let entries = limits.items_of(&entries, to_tuple)?;
            push(
                pending,
                intern!(py, "<entries>"),
                raw::list_of(py, entries.into_iter().map(|entry| Ok(entry.into_any())))?.into_any(),
            );
        }
        holders.push(answer);
        Ok(holders)
    }

    /// Appends the fields of the function to call and its arguments.
    fn call(
        &self,
        function: &Bound<'py, PyAny>,
        arguments: Bound<'py, PyAny>,
        pending: &mut Pending<'py>,
    ) -> PyResult<()> {
        let py = function.py();
        if function.is(&self.class) {
            let arguments = to_tuple(arguments)?;
            if self.origin.is_some() {
                // Without a function, the arguments are those of the builtin class.
                push(pending, intern!(py, "<call>"), py.None().into_bound(py));
                push(pending, intern!(py, "<args>"), arguments.into_any());
            } else if arguments.is_empty() {
                // Without arguments the object can exist before its contents, so it can contain
                // itself.
                push(pending, intern!(py, "<init>"), py.None().into_bound(py));
            } else {
                push(pending, intern!(py, "<args>"), arguments.into_any());
            }
            return Ok(());
        }
        let Constructors { new, new_with_keywords, .. } = constructors(py)?;
        let is_new = function.is(new.bind(py));
        if (is_new || function.is(new_with_keywords.bind(py)))
            && arguments.get_item(0)?.is(&self.class)
        {
            if is_new {
                let arguments = to_tuple(arguments)?;
                if arguments.len() > 1 {
                    let arguments = arguments.get_slice(1, arguments.len());
                    push(pending, intern!(py, "<newargs>"), arguments.into_any());
                }
                return Ok(());
            }
            let keywords = py.get_type::<PyDict>().call1((arguments.get_item(2)?,))?;
            let arguments = to_tuple(arguments.get_item(1)?)?;
            push(pending, intern!(py, "<newargs>"), arguments.into_any());
            push(pending, intern!(py, "<newkeywords>"), keywords);
            return Ok(());
        }
        let called =
            py.import("holdall._impl._callables")?.getattr("called_name")?.call1((function,))?;
        if called.is_none() {
            let function = function.repr()?;
            let calls = format!("calls {function}, which no module has under its name");
            return Err(self.refused(&calls)?);
        }
        push(pending, intern!(py, "<call>"), called);
        push(pending, intern!(py, "<args>"), to_tuple(arguments)?.into_any());
        Ok(())
    }

    #[cold]
    fn refused(&self, what: &str) -> PyResult<PyErr> {
        let class = self.class.repr()?;
        Ok(refused(self.class.py(), &format!("the __reduce__ of {class} {what}")))
    }
}

/// Returns the result of an object's `__getstate__`.
pub fn state_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let state = object.call_method0(intern!(object.py(), "__getstate__"));
    state.map_err(|exception| no_state(object, exception))
}

/// Appends a state: a dict by its entries, if all keys are text and none can be confused with the
/// names used here.
pub fn push_state<'py>(
    state: Bound<'py, PyAny>,
    pending: &mut Pending<'py>,
    holders: &mut Holders<'py>,
) -> PyResult<()> {
    let py = state.py();
    if state.is_none() {
        return Ok(());
    }
    holders.push(state.clone());
    if let Ok(dict) = state.cast::<PyDict>()
        && !dict.is_empty()
    {
        let start = pending.len();
        match dict.cast_exact::<PyDict>() {
            Ok(dict) => push_entries(dict, pending),
            Err(_) => {
                // A subclass decides what its entries are.
                let copy = py.get_type::<PyDict>().call1((dict,))?.cast_into::<PyDict>()?;
                push_entries(&copy, pending);
                holders.push(copy.into_any());
            }
        }
        if pending[start..].iter().step_by(2).flatten().all(is_field) {
            return Ok(());
        }
        pending.truncate(start);
    }
    push(pending, intern!(py, "<state>"), state);
    Ok(())
}

/// Whether a key of a state can be the name of a field.
fn is_field(key: &Bound<'_, PyAny>) -> bool {
    key.cast_exact::<PyString>().is_ok_and(|key| match raw::utf8(key) {
        Ok(name) => !name.starts_with('<'),
        Err(_) => key.get_item(0).is_ok_and(|first| first.ne("<").unwrap_or(true)),
    })
}

fn push<'py>(pending: &mut Pending<'py>, name: &Bound<'py, PyString>, value: Bound<'py, PyAny>) {
    pending.put_each([Some(name.clone().into_any()), Some(value)]);
}

fn push_entries<'py>(dict: &Bound<'py, PyDict>, pending: &mut Pending<'py>) {
    let mut position = 0;
    while let Some((name, value)) = raw::next_entry(dict, &mut position) {
        pending.put_each([Some(name), Some(value)]);
    }
}

/// Returns a dict with the entries of another one, without calling methods of its class.
fn copied<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let copy = raw::dict(dict.py())?;
    let mut position = 0;
    while let Some((key, value)) = raw::next_entry(dict, &mut position) {
        copy.set_item(key, value)?;
    }
    Ok(copy)
}

fn to_tuple(items: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyTuple>> {
    match items.cast_into_exact::<PyTuple>() {
        Ok(tuple) => Ok(tuple),
        Err(other) => {
            let items = other.into_inner();
            let py = items.py();
            Ok(py.get_type::<PyTuple>().call1((items,))?.cast_into::<PyTuple>()?)
        }
    }
}

/// Returns a name of `holdall._impl._encode_plans`.
fn encode_plans<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("holdall._impl._encode_plans")?.getattr(name)
}

/// Returns the name of the factory of a defaultdict, or None.
pub fn factory_name<'py>(factory: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if factory.is_none() {
        return Ok(factory.clone());
    }
    support(factory.py(), "factory_name")?.call1((factory,))
}

/// Functions of `copyreg` by which objects are made again.
struct Constructors {
    new: Py<PyAny>,
    new_with_keywords: Py<PyAny>,
    of_base: Py<PyAny>,
}

fn constructors(py: Python<'_>) -> PyResult<&Constructors> {
    static CONSTRUCTORS: Once<Constructors> = Once::new();
    CONSTRUCTORS.get_or_try_init(py, || {
        let copyreg = py.import("copyreg")?;
        Ok(Constructors {
            new: copyreg.getattr("__newobj__")?.unbind(),
            new_with_keywords: copyreg.getattr("__newobj_ex__")?.unbind(),
            of_base: copyreg.getattr("_reconstructor")?.unbind(),
        })
    })
}

/// Makes the exception for an object that cannot be packed.
#[cold]
fn refused(py: Python<'_>, why: &str) -> PyErr {
    match encode_plans(py, "refused").and_then(|refused| refused.call1((why,))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failed) => failed,
    }
}

/// Returns the exception to raise for one from a pickle method. A TypeError there means no state.
#[cold]
fn no_state(object: &Bound<'_, PyAny>, exception: PyErr) -> PyErr {
    let py = object.py();
    if !exception.is_instance_of::<PyTypeError>(py) {
        return exception;
    }
    let made = encode_plans(py, "no_state")
        .and_then(|no_state| no_state.call1((object.get_type(), exception.value(py))));
    match made {
        Ok(made) => PyErr::from_value(made),
        Err(failed) => failed,
    }
}
