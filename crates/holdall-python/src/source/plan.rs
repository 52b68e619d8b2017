//! What is told of the objects of a class: found once per class and call, by `holdall._classes`.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use super::rows::Learned;
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
    /// Where those are, if all have a place of their own.
    places: Option<Vec<raw::Slot>>,
    /// Whether they have a dict of attributes, too.
    pub has_dict: bool,
    /// The names of fields by attribute, None for those that are skipped.
    names: Option<Bound<'py, PyDict>>,
    /// Functions by attribute that make what is stored.
    encode: Option<Bound<'py, PyDict>>,
    /// What an attribute holds that counts as absent.
    unset: Option<Bound<'py, PyAny>>,
    /// The fields that objects had.
    pub likes: Learned<'py>,
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
                let slots: Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)> =
                    plan.get_item(2)?.extract()?;
                let places = slots.iter().map(|(attribute, _)| raw::Slot::of(class, attribute));
                Ok(Plan::Instance(Instance {
                    name: name.into(),
                    places: places.collect(),
                    slots,
                    has_dict: plan.get_item(3)?.extract()?,
                    names: plan.get_item(4)?.extract()?,
                    encode: plan.get_item(5)?.extract()?,
                    unset: plan.get_item(6)?.extract()?,
                    likes: Learned::default(),
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

    /// The fields that objects of the class had, if it is one with attributes.
    pub fn likes(&self) -> Option<&Learned<'py>> {
        match self {
            Plan::Instance(instance) => Some(&instance.likes),
            _ => None,
        }
    }
}

impl<'py> Instance<'py> {
    /// Whether fields have the names of their attributes, and are told as they are.
    pub fn is_plain(&self) -> bool {
        self.names.is_none() && self.encode.is_none()
    }

    /// Where the attributes in slots are, if all have a place of their own and none has a value that counts as absent.
    pub fn places(&self, class: &Bound<'py, PyType>) -> Option<Vec<raw::Slot>> {
        if self.unset.is_some() {
            return None;
        }
        self.slots.iter().map(|(attribute, _)| raw::Slot::of(class, attribute)).collect()
    }

    /// Appends the values of an object that has just these attributes, in this order; otherwise answers `false`, and what
    /// was appended is to be taken away. For plain ones.
    pub fn values(
        &self,
        object: &Bound<'py, PyAny>,
        keys: &[Bound<'py, PyString>],
        pending: &mut Vec<Option<Bound<'py, PyAny>>>,
    ) -> PyResult<bool> {
        let Some((in_slots, in_dict)) = keys.split_at_checked(self.slots.len()) else {
            return Ok(false);
        };
        let Some(places) = &self.places else { return Ok(false) };
        for (((_, name), place), key) in self.slots.iter().zip(places).zip(in_slots) {
            match place.get(object) {
                Some(value) if name.is(key) && !self.is_unset(&value) => {
                    pending.push(Some(value));
                }
                _ => return Ok(false),
            }
        }
        if !self.has_dict {
            return Ok(in_dict.is_empty());
        }
        Ok(raw::values(&attributes(object)?, in_dict, pending))
    }

    #[inline]
    fn is_unset(&self, value: &Bound<'py, PyAny>) -> bool {
        self.unset.as_ref().is_some_and(|unset| value.is(unset))
    }

    /// Appends the names and values of an object's fields; attributes that it lacks are left out.
    pub fn fields(
        &self,
        object: &Bound<'py, PyAny>,
        pending: &mut Vec<Option<Bound<'py, PyAny>>>,
    ) -> PyResult<()> {
        for (attribute, name) in &self.slots {
            if let Some(value) = object.getattr_opt(attribute)?
                && !self.is_unset(&value)
            {
                pending.extend([Some(name.clone()), Some(self.encoded(attribute, value)?)]);
            }
        }
        if !self.has_dict {
            return Ok(());
        }
        let dict = attributes(object)?;
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

/// The dict of an object.
pub fn attributes<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = object.py();
    let dict = DICT.get_or_init(py, || PyString::intern(py, "__dict__").unbind());
    Ok(object.getattr(dict.bind(py))?.cast_into::<PyDict>()?)
}
