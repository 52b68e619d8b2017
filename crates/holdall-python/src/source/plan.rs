//! What is told of the objects of a class: found once per class and call, by `holdall._classes`.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::raw;

/// Types that this crate tells by itself.
#[derive(Clone, Copy, Debug)]
pub enum Native {
    Complex,
    ByteArray,
    MemoryView,
    Set,
    FrozenSet,
    OrderedDict,
    Range,
    Decimal,
    Uuid,
    Date,
    Time,
    DateTime,
    TimeDelta,
    Ip,
    Record,
    Variant,
    Extension,
    Logical,
    Fixed,
    Int,
    Tensor,
    Unknown,
}

/// Their names in plans.
pub const NATIVES: [(&str, Native); 22] = [
    ("complex", Native::Complex),
    ("bytearray", Native::ByteArray),
    ("memoryview", Native::MemoryView),
    ("set", Native::Set),
    ("frozenset", Native::FrozenSet),
    ("ordered_dict", Native::OrderedDict),
    ("range", Native::Range),
    ("decimal", Native::Decimal),
    ("uuid", Native::Uuid),
    ("date", Native::Date),
    ("time", Native::Time),
    ("datetime", Native::DateTime),
    ("timedelta", Native::TimeDelta),
    ("ip", Native::Ip),
    ("record", Native::Record),
    ("variant", Native::Variant),
    ("extension", Native::Extension),
    ("logical", Native::Logical),
    ("fixed", Native::Fixed),
    ("int", Native::Int),
    ("tensor", Native::Tensor),
    ("unknown", Native::Unknown),
];

pub enum Plan<'py> {
    Native(Native),
    Instance(Instance<'py>),
    /// A named tuple: its name, the names of its fields.
    NamedTuple(Arc<str>, Vec<Bound<'py, PyAny>>),
    /// An enum: its name, the attribute that has the member's name.
    Enum(Arc<str>, Bound<'py, PyString>),
    /// A function that makes an object that can be told.
    Hook(Bound<'py, PyAny>),
    /// Why it cannot be told.
    Unsupported(String),
}

/// An object with attributes.
pub struct Instance<'py> {
    pub name: Arc<str>,
    /// Attributes in slots, and the names of their fields.
    slots: Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>,
    has_dict: bool,
    /// The names of fields by attribute, None for those that are skipped.
    names: Option<Bound<'py, PyDict>>,
    /// Functions by attribute that make what is stored.
    encode: Option<Bound<'py, PyDict>>,
}

static DICT: PyOnceLock<Py<PyString>> = PyOnceLock::new();
static PLANNER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

impl<'py> Plan<'py> {
    pub fn of(class: &Bound<'py, PyType>) -> PyResult<Plan<'py>> {
        let py = class.py();
        let planner = PLANNER.get_or_try_init(py, || {
            py.import("holdall._classes")?.getattr("encode_plan").map(Bound::unbind)
        })?;
        let plan = planner.bind(py).call1((class,))?.cast_into::<PyTuple>()?;
        let kind = plan.get_item(0)?.extract::<String>()?;
        match &*kind {
            "native" => {
                let name = plan.get_item(1)?.extract::<String>()?;
                let native = NATIVES.iter().find(|(own, _)| **own == *name);
                native
                    .map(|&(_, native)| Plan::Native(native))
                    .ok_or_else(|| PyTypeError::new_err(name))
            }
            "instance" => {
                let name = plan.get_item(1)?.extract::<String>()?;
                Ok(Plan::Instance(Instance {
                    name: name.into(),
                    slots: plan.get_item(2)?.extract()?,
                    has_dict: plan.get_item(3)?.extract()?,
                    names: plan.get_item(4)?.extract()?,
                    encode: plan.get_item(5)?.extract()?,
                }))
            }
            "namedtuple" => {
                let name = plan.get_item(1)?.extract::<String>()?;
                Ok(Plan::NamedTuple(name.into(), plan.get_item(2)?.extract()?))
            }
            "enum" => {
                let name = plan.get_item(1)?.extract::<String>()?;
                Ok(Plan::Enum(name.into(), PyString::intern(py, "_name_")))
            }
            "hook" => Ok(Plan::Hook(plan.get_item(1)?)),
            _ => Ok(Plan::Unsupported(plan.get_item(1)?.extract()?)),
        }
    }
}

impl<'py> Instance<'py> {
    /// Appends the names and values of an object's fields; attributes that it lacks are left out.
    pub fn fields(
        &self,
        object: &Bound<'py, PyAny>,
        pending: &mut Vec<Option<Bound<'py, PyAny>>>,
    ) -> PyResult<()> {
        for (attribute, name) in &self.slots {
            if let Some(value) = object.getattr_opt(attribute)? {
                pending.extend([Some(name.clone()), Some(self.encoded(attribute, value)?)]);
            }
        }
        if !self.has_dict {
            return Ok(());
        }
        let py = object.py();
        let dict = DICT.get_or_init(py, || PyString::intern(py, "__dict__").unbind());
        let dict = object.getattr(dict.bind(py))?.cast_into::<PyDict>()?;
        let mut position = 0;
        while let Some((attribute, value)) = raw::next_entry(&dict, &mut position) {
            let name = match &self.names {
                None => attribute.clone(),
                Some(names) => match names.get_item(&attribute)? {
                    None => attribute.clone(),
                    Some(name) if name.is_none() => continue,
                    Some(name) => name,
                },
            };
            let value = self.encoded(&attribute, value)?;
            pending.extend([Some(name), Some(value)]);
        }
        Ok(())
    }

    fn encoded(
        &self,
        attribute: &Bound<'py, PyAny>,
        value: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.encode {
            None => Ok(value),
            Some(encode) => match encode.get_item(attribute)? {
                Some(function) => function.call1((value,)),
                None => Ok(value),
            },
        }
    }
}
