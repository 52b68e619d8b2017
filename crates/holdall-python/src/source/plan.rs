//! How the objects of a class are encoded. `holdall._impl._classes` finds this once per class and call.
#![allow(unsafe_code, reason = "what objects hold, read in position; each block has its proof")]

use holdall::bindings::memory::{Collect, GrowVec};
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyString, PyTuple, PyType};

use super::exceptions::Exceptions;
use super::leaves::LeafClass;
use super::own_form::{self, Holders, Lead, Pending, Reduce};
use super::shapes::LearnedShapes;
use crate::attributes::Own;
use crate::entries::{Entries, Pair};
use crate::once::Once;
use crate::raw;

/// Types that this crate encodes itself.
#[derive(Clone, Copy, Debug)]
pub enum Native {
    ByteArray,
    MemoryView,
    Set,
    FrozenSet,
    OrderedDict,
    Range,
    Decimal,
    Uuid,
    Ip,
    Record,
    Variant,
    Extension,
    Logical,
    Fixed,
    Int,
    Tensor,
    Unknown,
    Fraction,
    Path,
    PurePath,
    Pattern,
    Deque,
    DefaultDict,
    Counter,
    Arrays,
}

impl Native {
    fn is_atom(self) -> bool {
        matches!(
            self,
            Native::Range
                | Native::Decimal
                | Native::Uuid
                | Native::Ip
                | Native::Fixed
                | Native::Int
                | Native::Unknown
                | Native::Fraction
                | Native::Path
                | Native::PurePath
                | Native::Pattern
        )
    }
}

/// Their names in plans.
pub const NATIVES: [(&str, Native); 25] = [
    ("bytearray", Native::ByteArray),
    ("memoryview", Native::MemoryView),
    ("set", Native::Set),
    ("frozenset", Native::FrozenSet),
    ("ordered_dict", Native::OrderedDict),
    ("range", Native::Range),
    ("decimal", Native::Decimal),
    ("uuid", Native::Uuid),
    ("ip", Native::Ip),
    ("record", Native::Record),
    ("variant", Native::Variant),
    ("extension", Native::Extension),
    ("logical", Native::Logical),
    ("fixed", Native::Fixed),
    ("int", Native::Int),
    ("tensor", Native::Tensor),
    ("unknown", Native::Unknown),
    ("fraction", Native::Fraction),
    ("path", Native::Path),
    ("pure_path", Native::PurePath),
    ("pattern", Native::Pattern),
    ("deque", Native::Deque),
    ("defaultdict", Native::DefaultDict),
    ("counter", Native::Counter),
    ("arrays", Native::Arrays),
];

pub enum Plan<'py> {
    Native(Native),
    Leaf(LeafClass),
    Instance(Box<Instance<'py>>),
    /// Objects packed from the result of `__reduce_ex__`.
    Reduce(Box<Reduce<'py>>),
    /// A named tuple: its name, the names of its fields, and the shape of its rows.
    NamedTuple(Arc<str>, Vec<Bound<'py, PyAny>>, Box<LearnedShapes<'py>>),
    /// An enum: its name, and the attribute with the member's name or, of flags, the bits.
    Enum(Arc<str>, Bound<'py, PyString>),
    Exception(Box<Exceptions<'py>>),
    /// A function that returns an object to encode instead; and whether objects are [atoms](Plan::is_atom).
    Hook(Bound<'py, PyAny>, bool),
    /// An array of numpy, and the function that returns an object to encode instead of one that is none of the format's tensors.
    Ndarray(Bound<'py, PyAny>),
    /// Why objects cannot be encoded.
    Unsupported(String),
}

/// An object with attributes.
pub struct Instance<'py> {
    pub name: Arc<str>,
    /// What precedes the attributes.
    lead: Lead<'py>,
    /// Whether `__getstate__` replaces the attributes.
    has_getstate: bool,
    /// The only attributes that are packed.
    only: Option<Bound<'py, PyFrozenSet>>,
    /// Attributes in slots, and the names of their fields.
    slots: Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>,
    /// The slots, if all attributes in `slots` have one.
    positions: Option<Vec<raw::Slot>>,
    /// The dict of the other attributes.
    dict: Dict,
    /// The names of fields by attribute, None for skipped ones.
    names: Option<Bound<'py, PyDict>>,
    /// Functions by attribute that return the value to store.
    encode: Option<Bound<'py, PyDict>>,
    /// The value of an attribute that counts as absent.
    unset: Option<Bound<'py, PyAny>>,
    /// The shapes that objects had.
    pub shapes: LearnedShapes<'py>,
}

/// Whether objects have a dict of attributes.
#[derive(Clone, Copy, PartialEq)]
enum Dict {
    None,
    /// At the standard position.
    Plain,
    /// Where code of the class returns it.
    Other,
}

/// Where the fields of one object are.
pub struct Fields<'i, 'py> {
    instance: &'i Instance<'py>,
    object: &'i Bound<'py, PyAny>,
    positions: &'i [raw::Slot],
    attributes: AttributeEntries<'i, 'py>,
}

/// Where the attributes without slots are.
enum AttributeEntries<'i, 'py> {
    None,
    Dict(Bound<'py, PyDict>),
    Own(Own<'i, 'py>),
}

impl<'py> Fields<'_, 'py> {
    /// Returns names and values in slots.
    ///
    /// # Safety
    /// Nothing changes the object, or frees what it holds, while the values are used.
    #[inline]
    pub unsafe fn in_slots<'f>(&'f self) -> impl Iterator<Item = Pair<'f, 'py>> + Clone {
        let (instance, object, positions) = (self.instance, self.object, self.positions);
        instance.slots.iter().zip(positions).filter_map(move |((_, name), position)| {
            // SAFETY: as the caller says.
            let value = unsafe { position.get_borrowed(object)? };
            (!instance.is_unset(&value)).then(|| (name.as_borrowed(), value))
        })
    }

    /// Returns names and values that are not in slots, if there can be any.
    ///
    /// # Safety
    /// The same, for the object's dict, too.
    #[inline]
    pub unsafe fn beside<'f>(&'f self) -> Option<Beside<'f, 'py>> {
        match &self.attributes {
            AttributeEntries::None => None,
            // SAFETY: as the caller says.
            AttributeEntries::Dict(dict) => Some(Beside::Dict(unsafe { Entries::of(dict) })),
            AttributeEntries::Own(own) => Some(Beside::Own(own.clone())),
        }
    }
}

/// Names and values of attributes.
#[derive(Clone)]
pub enum Beside<'f, 'py> {
    Dict(Entries<'f, 'py>),
    Own(Own<'f, 'py>),
}

impl<'f, 'py> Iterator for Beside<'f, 'py> {
    type Item = Pair<'f, 'py>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Beside::Dict(entries) => entries.next(),
            Beside::Own(own) => own.next(),
        }
    }
}

static DICT: Once<Py<PyString>> = Once::new();
static PLANNER: Once<Py<PyAny>> = Once::new();

impl<'py> Plan<'py> {
    pub fn of(class: &Bound<'py, PyType>) -> PyResult<Plan<'py>> {
        let py = class.py();
        let planner = PLANNER.get_or_try_init(py, || {
            py.import("holdall._impl._classes")?.getattr("encode_plan").map(Bound::unbind)
        })?;
        let plan = planner.bind(py).call1((class,))?.cast_into::<PyTuple>()?;
        let kind = plan.get_item(0)?.extract::<String>()?;
        match &*kind {
            "native" => {
                let name = plan.get_item(1)?.extract::<String>()?;
                if let Some(leaf) = LeafClass::of(class, &name)? {
                    return Ok(Plan::Leaf(leaf));
                }
                let native = NATIVES.iter().find(|(own, _)| **own == *name);
                native
                    .map(|&(_, native)| Plan::Native(native))
                    .ok_or_else(|| PyTypeError::new_err(name))
            }
            "instance" | "own" => {
                let name = plan.get_item(1)?.extract::<String>()?;
                let slots: Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)> =
                    plan.get_item(2)?.extract()?;
                let positions = slots.iter().map(|(attribute, _)| raw::Slot::of(class, attribute));
                Ok(Plan::Instance(Box::new(Instance {
                    name: name.into(),
                    positions: positions.collected(),
                    slots,
                    dict: match plan.get_item(3)?.extract()? {
                        false => Dict::None,
                        true if raw::has_plain_dict(class)? => Dict::Plain,
                        true => Dict::Other,
                    },
                    names: plan.get_item(4)?.extract()?,
                    encode: plan.get_item(5)?.extract()?,
                    unset: plan.get_item(6)?.extract()?,
                    only: plan.get_item(7)?.extract()?,
                    lead: Lead::of(&plan.get_item(8)?)?,
                    has_getstate: plan.get_item(9)?.extract()?,
                    shapes: LearnedShapes::default(),
                })))
            }
            "reduce" => Ok(Plan::Reduce(Box::new(Reduce {
                name: plan.get_item(1)?.extract::<String>()?.into(),
                class: class.clone(),
                reducer: plan.get_item(2)?.extract()?,
                origin: plan.get_item(3)?.extract()?,
                shapes: LearnedShapes::default(),
            }))),
            "namedtuple" => {
                let name = plan.get_item(1)?.extract::<String>()?;
                let fields = plan.get_item(2)?.extract()?;
                Ok(Plan::NamedTuple(name.into(), fields, Box::default()))
            }
            "enum" => {
                let name = plan.get_item(1)?.extract::<String>()?;
                let attribute = plan.get_item(2)?.extract::<String>()?;
                Ok(Plan::Enum(name.into(), PyString::intern(py, &attribute)))
            }
            "exception" => Ok(Plan::Exception(Box::new(Exceptions {
                name: plan.get_item(1)?.extract::<String>()?.into(),
                pack: plan.get_item(2)?,
                shapes: LearnedShapes::default(),
            }))),
            "ndarray" => Ok(Plan::Ndarray(plan.get_item(1)?)),
            "hook" | "atom" => Ok(Plan::Hook(plan.get_item(1)?, kind == "atom")),
            _ => Ok(Plan::Unsupported(plan.get_item(1)?.extract()?)),
        }
    }
}

impl<'py> Plan<'py> {
    /// Whether objects never change and hold no other objects, so that programs take an equal one for the same.
    pub fn is_atom(&self) -> bool {
        match self {
            Plan::Leaf(_) | Plan::Hook(_, true) => true,
            Plan::Native(native) => native.is_atom(),
            _ => false,
        }
    }

    /// Returns the shapes that objects had, if there are any to learn.
    pub fn shapes(&self) -> Option<&LearnedShapes<'py>> {
        match self {
            Plan::Instance(instance) => Some(&instance.shapes),
            Plan::Reduce(reduce) => Some(&reduce.shapes),
            Plan::Exception(exceptions) => Some(&exceptions.shapes),
            Plan::NamedTuple(_, _, shapes) => Some(shapes),
            _ => None,
        }
    }
}

impl<'py> Instance<'py> {
    /// Whether all attributes are fields, under their names, with unchanged values, and there are no
    /// other fields.
    pub fn is_plain(&self) -> bool {
        self.names.is_none()
            && self.encode.is_none()
            && self.only.is_none()
            && self.is_of_attributes()
    }

    /// Whether nothing but attributes is packed.
    fn is_of_attributes(&self) -> bool {
        matches!(self.lead, Lead::None) && !self.has_getstate
    }

    /// Whether that holds for the fields that [`Instance::fields`] appended: none was left out or
    /// renamed.
    pub fn is_plain_in(&self, fields: &[Option<Bound<'py, PyAny>>]) -> PyResult<bool> {
        let Some(names) = &self.names else { return Ok(self.encode.is_none()) };
        for name in fields.iter().step_by(2).flatten() {
            if names.contains(name)? {
                return Ok(false);
            }
        }
        Ok(self.encode.is_none())
    }

    /// Whether objects have a dict of attributes.
    pub fn has_dict(&self) -> bool {
        self.dict != Dict::None
    }

    /// Returns the names of the fields in slots, with these, if all such attributes have a slot and
    /// no value counts as absent.
    pub fn slots(&self, class: &Bound<'py, PyType>) -> Option<Vec<(Py<PyString>, raw::Slot)>> {
        if self.unset.is_some() {
            return None;
        }
        let slot = |(attribute, name): &(Bound<'py, PyString>, Bound<'py, PyAny>)| {
            let name = name.cast_exact::<PyString>().ok()?.clone().unbind();
            Some((name, raw::Slot::of(class, attribute)?))
        };
        self.slots.iter().map(slot).collected()
    }

    /// Returns where the fields of an object are, if that can be known without code of its class.
    ///
    /// # Safety
    /// Nothing changes the object, or frees what it holds, while the fields are used.
    #[inline]
    pub unsafe fn known_fields<'i>(
        &'i self,
        object: &'i Bound<'py, PyAny>,
    ) -> Option<Fields<'i, 'py>> {
        let positions = self.positions.as_deref().filter(|_| self.is_of_attributes())?;
        // SAFETY: as the caller says.
        let attributes = match (self.dict, unsafe { Own::of(object) }) {
            (Dict::None, _) => AttributeEntries::None,
            (Dict::Plain, Some(own)) => AttributeEntries::Own(own),
            (Dict::Plain, None) => AttributeEntries::Dict(raw::dict_of(object)?),
            (Dict::Other, _) => return None,
        };
        self.encode.is_none().then_some(Fields { instance: self, object, positions, attributes })
    }

    #[inline]
    fn is_unset(&self, value: &Bound<'py, PyAny>) -> bool {
        self.unset.as_ref().is_some_and(|unset| value.is(unset))
    }

    /// Appends the names and values of an object's fields; missing attributes are left out. Returns
    /// what holds the values, as far as the object does not.
    pub fn fields(
        &self,
        object: &Bound<'py, PyAny>,
        pending: &mut Pending<'py>,
    ) -> PyResult<Holders<'py>> {
        let mut holders = Holders::new();
        self.lead.fields(object, pending, &mut holders)?;
        if self.has_getstate {
            own_form::push_state(own_form::state_of(object)?, pending, &mut holders)?;
        } else {
            self.attributes(object, pending)?;
        }
        Ok(holders)
    }

    fn attributes(&self, object: &Bound<'py, PyAny>, pending: &mut Pending<'py>) -> PyResult<()> {
        for (attribute, name) in &self.slots {
            if let Some(value) = object.getattr_opt(attribute)?
                && !self.is_unset(&value)
            {
                pending.put_each([Some(name.clone()), Some(self.encoded(attribute, value)?)]);
            }
        }
        if !self.has_dict() {
            return Ok(());
        }
        let dict = attributes(object)?;
        let mut position = 0;
        while let Some((attribute, value)) = raw::next_entry(&dict, &mut position) {
            if let Some(only) = &self.only
                && !only.contains(&attribute)?
            {
                continue;
            }
            let name = match &self.names {
                None => attribute.clone(),
                Some(names) => match names.get_item(&attribute)? {
                    None => attribute.clone(),
                    Some(name) if name.is_none() => continue,
                    Some(name) => name,
                },
            };
            let value = self.encoded(&attribute, value)?;
            pending.put_each([Some(name), Some(value)]);
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

/// Returns the dict of an object.
pub fn attributes<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = object.py();
    let dict = DICT.get_or_init(py, || PyString::intern(py, "__dict__").unbind());
    Ok(object.getattr(dict.bind(py))?.cast_into::<PyDict>()?)
}
