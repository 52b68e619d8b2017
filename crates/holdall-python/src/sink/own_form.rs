//! Objects with more state than their attributes: named tuples, exceptions, members of enums,
//! containers of `collections`, objects of subclasses of builtin classes, and objects with their own
//! methods for pickle.

use holdall::bindings::memory::{self, GrowVec};
use pyo3::PyTraverseError;
use pyo3::exceptions::{PyBaseException, PyBaseExceptionGroup, PyTypeError};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple, PyType};

use super::charges;
use crate::once::{Once, intern};
use crate::{raw, support};

/// How objects of one class are created from decoded data, or filled with it.
#[pyclass(frozen, module = "holdall._holdall")]
pub struct Form {
    pub(super) kind: ObjectKind,
    pub(super) cls: Py<PyType>,
    /// The builtin class that makes the objects, or holds their content.
    base: Option<Py<PyType>>,
    /// The name of the field with that content, and what kind of content it is.
    pub(super) payload: Py<PyString>,
    pub(super) held: HeldContent,
    /// How many fields a named tuple has that is stored as its items.
    row_len: Option<usize>,
    /// Attributes that are stored in slots.
    pub(super) slots: Option<Py<PyFrozenSet>>,
    /// The `__setstate__` of the class, if it has one.
    pub(super) set_state: Option<Py<PyAny>>,
    /// Calls the function that a `__reduce__` named, if data may name any.
    pub(super) call: Option<Py<PyAny>>,
    /// What Python gives a `__setstate__` as the default state of the class: the attributes, or a tuple of them and those in slots.
    pub(super) splits_state: bool,
    pub(super) is_exception: bool,
    /// Whether its objects are made of a list of exceptions.
    pub(super) is_group: bool,
    /// Whether setting the other attributes runs no code of the class.
    pub(super) has_plain_dict: bool,
}

/// Fields of objects with more state than their attributes.
pub(super) const CALL: &str = "<call>";
pub(super) const ARGUMENTS: &str = "<args>";
pub(super) const NEW_ARGUMENTS: &str = "<newargs>";
pub(super) const NEW_KEYWORDS: &str = "<newkeywords>";
pub(super) const STATE: &str = "<state>";
pub(super) const ITEMS: &str = "<items>";
pub(super) const ENTRIES: &str = "<entries>";

/// The content of a builtin class.
#[derive(Clone, Copy)]
pub(super) enum HeldContent {
    List,
    Dict,
    Set,
    /// A date or time, by the arguments of its constructor.
    Time,
    Other,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum ObjectKind {
    NamedTuple,
    Exception,
    /// The content of a builtin class, and attributes: created from the content.
    Based,
    /// The content of a builtin class, and attributes: filled with the content.
    Filled,
    /// From the result of `__reduce__`.
    Reduced,
    /// From a state alone.
    State,
    /// A member of an enum, by its name.
    Member,
    /// Flags, by their bits.
    Flag,
    Deque,
    DefaultDict,
    Counter,
    PurePath,
}

const KINDS: [(&str, ObjectKind); 12] = [
    ("namedtuple", ObjectKind::NamedTuple),
    ("exception", ObjectKind::Exception),
    ("based", ObjectKind::Based),
    ("filled", ObjectKind::Filled),
    ("reduced", ObjectKind::Reduced),
    ("state", ObjectKind::State),
    ("member", ObjectKind::Member),
    ("flag", ObjectKind::Flag),
    ("deque", ObjectKind::Deque),
    ("defaultdict", ObjectKind::DefaultDict),
    ("counter", ObjectKind::Counter),
    ("pure_path", ObjectKind::PurePath),
];

#[pymethods]
impl Form {
    #[new]
    #[pyo3(signature = (kind, of, base = None, slots = None, set_state = None, *, call = None, splits_state = false))]
    fn new(
        kind: &str,
        of: Bound<'_, PyType>,
        base: Option<Py<PyType>>,
        slots: Option<Py<PyFrozenSet>>,
        set_state: Option<Py<PyAny>>,
        call: Option<Py<PyAny>>,
        splits_state: bool,
    ) -> PyResult<Form> {
        let known = KINDS.iter().find(|(own, _)| *own == kind);
        let (_, kind) = known.ok_or_else(|| PyTypeError::new_err(kind.to_owned()))?;
        let (py, has_plain_dict) = (of.py(), raw::has_plain_dict(&of)?);
        let name = base.as_ref().map(|base| base.bind(py).name()).transpose()?;
        let held = match &base {
            Some(base) if base.is(py.get_type::<PyList>()) => HeldContent::List,
            Some(base) if base.is(py.get_type::<PyDict>()) => HeldContent::Dict,
            Some(base) if base.is(py.get_type::<PySet>()) => HeldContent::Set,
            Some(base) if base.bind(py).module()? == "datetime" => HeldContent::Time,
            _ => HeldContent::Other,
        };
        let payload = name.map_or_else(String::new, |name| format!("<{name}>"));
        let payload = PyString::intern(py, &payload).unbind();
        let fields = of.getattr_opt(intern!(py, "_fields"))?;
        let fields = fields.and_then(|fields| fields.cast_into::<PyTuple>().ok());
        let is_row = base.as_ref().is_some_and(|base| base.is(py.get_type::<PyTuple>()));
        let row_len = fields.filter(|_| is_row).map(|fields| fields.len());
        let is_exception = of.is_subclass_of::<PyBaseException>()?;
        let is_group = of.is_subclass_of::<PyBaseExceptionGroup>()?;
        let (kind, cls) = (*kind, of.unbind());
        Ok(Form {
            kind,
            cls,
            base,
            payload,
            held,
            row_len,
            slots,
            set_state,
            call,
            splits_state,
            is_exception,
            is_group,
            has_plain_dict,
        })
    }

    /// Creates an object from decoded data, or fills an object with it.
    #[pyo3(signature = (first, second = None))]
    fn __call__<'py>(
        &self,
        first: Bound<'py, PyAny>,
        second: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(second) = second else { return self.make(first) };
        self.fill(&first, second)?;
        Ok(first.py().None().into_bound(first.py()))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.cls)?;
        visit.call(&self.base)?;
        visit.call(&self.slots)?;
        visit.call(&self.set_state)?;
        visit.call(&self.call)
    }
}

impl Form {
    /// Whether it is an enum, whose members have names in data.
    pub fn has_members(&self) -> bool {
        self.kind == ObjectKind::Member
    }

    pub fn is_flag(&self) -> bool {
        self.kind == ObjectKind::Flag
    }

    pub fn is_default_dict(&self) -> bool {
        self.kind == ObjectKind::DefaultDict
    }

    pub fn is_counter(&self) -> bool {
        self.kind == ObjectKind::Counter
    }

    pub fn is_pure_path(&self) -> bool {
        self.kind == ObjectKind::PurePath
    }

    /// Returns the member of an enum by its name in data.
    pub fn member<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let members = self.cls.bind(py).getattr(intern!(py, "__members__"))?;
        Ok(members.get_item(name).ok())
    }

    /// Returns the flags that exist already, by their bits.
    pub fn known_flags<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyDict>> {
        let known = self.cls.bind(py).getattr(intern!(py, "_value2member_map_")).ok()?;
        known.cast_into_exact().ok()
    }

    /// Whether these are all fields of the named tuple, in order.
    pub fn is_row_of(&self, keys: &[Py<PyString>], py: Python<'_>) -> bool {
        let all = || {
            let fields = self.cls.bind(py).getattr(intern!(py, "_fields")).ok()?;
            let fields = fields.cast_into::<PyTuple>().ok()?;
            let mut pairs = fields.iter().zip(keys);
            Some(
                fields.len() == keys.len() && pairs.all(|(a, b)| a.eq(b.bind(py)).unwrap_or(false)),
            )
        };
        self.kind == ObjectKind::NamedTuple && all().unwrap_or(false)
    }

    /// Makes a named tuple of its items.
    pub fn make_row<'py>(&self, items: Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = items.py();
        raw::new_of(&py.get_type::<PyTuple>(), self.cls.bind(py), &one(items.into_any())?)
    }

    /// Makes an object that is filled afterwards.
    pub fn new_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cls = self.cls.bind(py);
        match &self.base {
            Some(base) => raw::new_of(base.bind(py), cls, &PyTuple::empty(py)),
            None => cls.call0(),
        }
    }

    /// Makes an empty defaultdict with the factory of a name in data, or an empty counter.
    pub fn new_collection<'py>(
        &self,
        py: Python<'py>,
        factory: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let made = match factory {
            Some(name) => self.cls.bind(py).call1((factory_of(name)?,))?,
            None => self.new_object(py)?,
        };
        Ok(made.cast_into::<PyDict>()?)
    }

    /// Creates an object of the arguments of its class alone, if these are all fields.
    pub fn make_of_arguments<'py>(
        &self,
        key: &Bound<'py, PyString>,
        value: &Bound<'py, PyAny>,
    ) -> Option<PyResult<Bound<'py, PyAny>>> {
        let arguments = value.cast_exact::<PyTuple>().ok()?;
        let is_all = self.kind == ObjectKind::Reduced
            && raw::text_of(key.as_any().as_borrowed()) == Some("<args>");
        is_all.then(|| self.cls.bind(key.py()).call1(arguments))
    }

    /// Creates an object from its fields, or from the content of an extension.
    pub fn make<'py>(&self, held: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = held.py();
        match self.kind {
            ObjectKind::Member => making(py, "enum_member")?.call1((&self.cls, held)),
            ObjectKind::Flag => {
                let is_int = held.is_exact_instance_of::<PyInt>();
                let known = self.known_flags(py).filter(|_| is_int);
                match known.and_then(|known| known.get_item(&held).ok().flatten()) {
                    Some(flags) => Ok(flags),
                    None => self.cls.bind(py).call1((held,)),
                }
            }
            ObjectKind::NamedTuple => self.named_tuple(held.cast::<PyDict>()?),
            ObjectKind::Exception | ObjectKind::Based | ObjectKind::Reduced => {
                let fields = held.cast::<PyDict>()?;
                let object = self.make_bare(fields)?;
                self.complete(&object, fields)?;
                Ok(object)
            }
            ObjectKind::PurePath => support(py, "make_pure_path")?.call1((held,)),
            ObjectKind::Filled
            | ObjectKind::State
            | ObjectKind::Deque
            | ObjectKind::DefaultDict
            | ObjectKind::Counter => {
                let object = self.new_object(py)?;
                self.fill(&object, held)?;
                Ok(object)
            }
        }
    }

    /// Fills an object with its fields, or with the content of an extension.
    pub fn fill<'py>(&self, object: &Bound<'py, PyAny>, held: Bound<'py, PyAny>) -> PyResult<()> {
        let py = object.py();
        match self.kind {
            ObjectKind::Filled => self.fill_based(object, held.cast::<PyDict>()?),
            ObjectKind::State => self.apply_state(object, held.cast::<PyDict>()?),
            ObjectKind::Exception | ObjectKind::Based | ObjectKind::Reduced => {
                let fields = held.cast::<PyDict>()?;
                take(fields, intern!(py, "<init>"))?;
                self.complete(object, fields)
            }
            ObjectKind::Deque => {
                let (items, most): (Bound<'py, PyAny>, Bound<'py, PyAny>) = held.extract()?;
                let items = checked::<PyList>(items)?;
                charges::charge(py, charges::DEQUE)?;
                charges::copied(py, items.len(), charges::ITEM)?;
                let init = self.cls.bind(py).getattr(intern!(py, "__init__"))?;
                init.call1((object, items, most)).map(|_| ())
            }
            ObjectKind::DefaultDict => {
                let (name, items): (Bound<'py, PyAny>, Bound<'py, PyAny>) = held.extract()?;
                object.setattr(intern!(py, "default_factory"), factory_of(name)?)?;
                merge(object, &checked::<PyDict>(items)?)
            }
            ObjectKind::Counter => merge(object, &checked::<PyDict>(held)?),
            _ => Err(PyTypeError::new_err("objects that are made, not filled")),
        }
    }

    fn named_tuple<'py>(&self, fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let py = fields.py();
        let cls = self.cls.bind(py);
        let names = cls.getattr(intern!(py, "_fields"))?.cast_into::<PyTuple>()?;
        let defaults = cls.getattr(intern!(py, "_field_defaults"))?.cast_into::<PyDict>()?;
        let mut items = memory::with_capacity(names.len());
        for name in names.iter() {
            let item = match fields.get_item(&name)? {
                Some(item) => Some(item),
                None => defaults.get_item(&name)?,
            };
            match item {
                Some(item) => items.put(item),
                None => return making(py, "refuse_missing")?.call1((cls, name, fields)),
            }
        }
        self.make_row(raw::tuple_of(py, items.into_iter().map(Ok))?)
    }

    /// Makes an object of the fields that it needs, and removes these.
    pub(super) fn make_bare<'py>(
        &self,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.kind {
            ObjectKind::Exception => self.exception(fields),
            ObjectKind::Based => self.based(fields),
            _ => self.reduced(fields),
        }
    }

    /// Sets what remains of the fields after an object was made.
    fn complete<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        match self.kind {
            ObjectKind::Based => self.apply_state(object, fields),
            ObjectKind::Exception => self.complete_exception(object, fields),
            _ => self.complete_reduced(object, fields),
        }
    }

    fn based<'py>(&self, fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let py = fields.py();
        let base = self.base(py)?;
        let arguments: Bound<'py, PyTuple> = match (take(fields, self.payload.bind(py))?, self.held)
        {
            (held, HeldContent::Time) => {
                making(py, "arguments_of")?.call1((base, held))?.cast_into()?
            }
            (None, _) => PyTuple::empty(py),
            (Some(held), _) if held.get_type().is(base) => one(held)?,
            (Some(held), _) => {
                let checked = py.import("holdall._errors")?.getattr("checked")?;
                one(checked.call1((held, base))?)?
            }
        };
        let cls = self.cls.bind(py);
        if let Some(row_len) = self.row_len {
            let items = arguments.iter().next();
            let len = items.map_or(Ok(0), |items| items.len())?;
            if len != row_len {
                let defaults = py.import("holdall._impl._defaults")?;
                return defaults.getattr("refuse_length")?.call1((cls, len));
            }
        }
        raw::new_of(base, cls, &arguments)
    }

    fn fill_based<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        let py = object.py();
        match (self.held, take(fields, self.payload.bind(py))?) {
            (HeldContent::Other, held) => {
                let base = self.base(py)?;
                making(py, "fill_base")?.call1((base, object, held, fields))?;
            }
            (_, Some(held)) => self.fill_content(object, held)?,
            _ => {}
        }
        self.apply_state(object, fields)
    }

    /// Fills an object of a builtin class without calling methods of its own.
    pub(super) fn fill_content<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        held: Bound<'py, PyAny>,
    ) -> PyResult<()> {
        match self.held {
            HeldContent::List => {
                let own = object.cast::<PyList>()?;
                let held = checked::<PyList>(held)?.into_any();
                charges::copied(object.py(), held.len()?, charges::ITEM)?;
                own.set_slice(own.len(), own.len(), &held)
            }
            HeldContent::Dict => merge(object, &checked::<PyDict>(held)?),
            HeldContent::Set => {
                let (update, held) = (intern!(object.py(), "update"), checked::<PySet>(held)?);
                charges::copied(object.py(), held.len(), charges::MEMBER)?;
                self.base(object.py())?.call_method1(update, (object, held)).map(drop)
            }
            HeldContent::Time | HeldContent::Other => Ok(()),
        }
    }

    pub(super) fn base<'f, 'py>(&'f self, py: Python<'py>) -> PyResult<&'f Bound<'py, PyType>> {
        let base = self.base.as_ref().map(|base| base.bind(py));
        base.ok_or_else(|| PyTypeError::new_err("a form without a builtin class"))
    }
}

/// Returns a name of `holdall._impl._making`.
pub(super) fn making<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("holdall._impl._making")?.getattr(name)
}

pub(super) fn one<'py>(item: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    raw::tuple_of(item.py(), std::iter::once(Ok(item.clone())))
}

/// Removes a field and returns its value.
pub(super) fn take<'py>(
    fields: &Bound<'py, PyDict>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = fields.get_item(name)?;
    if value.is_some() {
        fields.del_item(name)?;
    }
    Ok(value)
}

/// Returns a value if it is of exactly this type, as `holdall._errors.checked` does.
pub(super) fn checked<'py, T: pyo3::PyTypeInfo>(
    value: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, T>> {
    let py = value.py();
    match value.cast_into_exact::<T>() {
        Ok(value) => Ok(value),
        Err(other) => {
            let checked = py.import("holdall._errors")?.getattr("checked")?;
            let value = checked.call1((other.into_inner(), T::type_object(py)))?;
            Ok(value.cast_into_exact::<T>()?)
        }
    }
}

/// Returns the factory of a defaultdict by its name in data.
fn factory_of(name: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let py = name.py();
    Ok(if name.is_none() {
        name
    } else {
        static FACTORIES: Once<Py<PyDict>> = Once::new();
        let known = FACTORIES.get_or_try_init(py, || {
            PyResult::Ok(support(py, "FACTORIES")?.cast_into::<PyDict>()?.unbind())
        })?;
        match known.bind(py).get_item(&name)? {
            Some(factory) => factory,
            None => making(py, "factory")?.call1((name,))?,
        }
    })
}

/// Adds entries to a dict without calling methods of its class.
fn merge<'py>(object: &Bound<'py, PyAny>, items: &Bound<'py, PyDict>) -> PyResult<()> {
    charges::copied(object.py(), items.len(), charges::ENTRY)?;
    object.cast::<PyDict>()?.update(items.as_mapping())
}
