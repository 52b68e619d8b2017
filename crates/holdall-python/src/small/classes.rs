//! The classes whose objects small messages can have: finding what is packed of an object runs no
//! code of its class.

use std::collections::HashMap;

use holdall::LogicalType;
use holdall::bindings::memory::{Collect, GrowMap, GrowVec};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use crate::once::intern;
use crate::raw;
use crate::sink::changes;
use crate::source::{LeafClass, Native, Plan};

/// The number of classes after which all are learned anew: programs can create ever more of them.
const CLASSES: usize = 256;
/// The most members of an enum that are learned.
const MEMBERS: usize = 1024;

/// A class of such objects.
pub(super) enum SmallClass {
    /// Objects with attributes, by their name in messages.
    Object {
        name: Py<PyString>,
        slots: Vec<(Py<PyString>, raw::Slot)>,
        /// Whether objects have a dict, too.
        has_dict: bool,
    },
    /// Named tuples.
    Row {
        name: Py<PyString>,
        fields: Vec<Py<PyString>>,
    },
    Leaf(LeafClass),
    /// Sets, by their kind of logical type.
    Set(u8),
    Enum(Enum),
}

/// An enum.
pub(super) struct Enum {
    pub(super) name: Py<PyString>,
    /// The attribute with the name or, of flags, the bits of a member.
    attribute: Py<PyString>,
    /// By address. They are kept alive.
    pub(super) members: HashMap<usize, (Py<PyAny>, SmallMember), foldhash::fast::RandomState>,
}

/// A member of an enum.
pub(super) enum SmallMember {
    Variant(Py<PyString>),
    Flag(i64),
    /// More than 64 bits, which no small message has.
    Other,
}

type KnownClasses = HashMap<usize, (Py<PyType>, Option<usize>), foldhash::fast::RandomState>;

/// What is known of classes.
#[derive(Default)]
pub(super) struct Classes {
    /// How often classes had changed.
    changes: u64,
    /// By address; none for other classes. They are kept alive, so their addresses stay unique.
    known: KnownClasses,
    classes: Vec<SmallClass>,
    /// The class found last.
    latest: (usize, usize),
}

impl Classes {
    /// Drops what may be outdated.
    #[inline]
    pub(super) fn refresh(&mut self) {
        if self.changes != changes() || self.known.len() > CLASSES {
            *self = Classes { changes: changes(), ..Classes::default() };
        }
    }

    /// Returns the number of the class at an address; an error if it is not known yet.
    #[inline]
    pub(super) fn find(&self, address: usize) -> Result<Option<usize>, usize> {
        if self.latest.0 == address {
            return Ok(Some(self.latest.1));
        }
        self.known.get(&address).map(|(_, class)| *class).ok_or(address)
    }

    #[inline]
    pub(super) fn get(&self, class: usize) -> &SmallClass {
        &self.classes[class]
    }

    /// Learns the class of an object or, if that is a known enum, the object as its member. Returns
    /// whether small messages can have it.
    pub(super) fn learn(&mut self, object: &Bound<'_, PyAny>) -> bool {
        let class = object.get_type();
        let address = class.as_ptr() as usize;
        if !self.known.contains_key(&address) {
            let number = SmallClass::of(&class).map(|mut known| {
                if let SmallClass::Enum(own) = &mut known {
                    own.learn_all(&class);
                }
                self.classes.put(known);
                self.classes.len() - 1
            });
            self.known.put(address, (class.unbind(), number));
        }
        let Ok(Some(number)) = self.find(address) else { return false };
        match &mut self.classes[number] {
            SmallClass::Enum(own) => own.learn(object),
            _ => {
                self.latest = (address, number);
                true
            }
        }
    }
}

impl SmallClass {
    fn of(class: &Bound<'_, PyType>) -> Option<SmallClass> {
        let py = class.py();
        Some(match Plan::of(class).ok()? {
            Plan::Instance(instance) => {
                if !instance.is_plain()
                    || instance.has_dict() && !raw::has_plain_dict(class).ok()?
                {
                    return None;
                }
                let name = raw::name(py, &instance.name).ok()?.unbind();
                let has_dict = instance.has_dict();
                SmallClass::Object { name, slots: instance.slots(class)?, has_dict }
            }
            Plan::NamedTuple(name, fields, _) => {
                let field = |field: Bound<'_, PyAny>| Some(field.cast_into_exact().ok()?.unbind());
                let fields = fields.into_iter().map(field).collected::<Option<_>>()?;
                SmallClass::Row { name: raw::name(py, &name).ok()?.unbind(), fields }
            }
            Plan::Leaf(leaf) => SmallClass::Leaf(leaf),
            Plan::Native(Native::Set) => SmallClass::Set(LogicalType::SET),
            Plan::Native(Native::FrozenSet) => SmallClass::Set(LogicalType::FROZEN_SET),
            Plan::Enum(name, attribute) => SmallClass::Enum(Enum {
                name: raw::name(py, &name).ok()?.unbind(),
                attribute: attribute.unbind(),
                members: HashMap::default(),
            }),
            _ => return None,
        })
    }

    /// The name in messages.
    pub(super) fn name(&self) -> Option<&Py<PyString>> {
        match self {
            SmallClass::Object { name, .. } | SmallClass::Row { name, .. } => Some(name),
            SmallClass::Enum(own) => Some(&own.name),
            SmallClass::Leaf(_) | SmallClass::Set(_) => None,
        }
    }
}

impl Enum {
    /// Learns the members that exist, also combinations of flags that were made.
    fn learn_all(&mut self, class: &Bound<'_, PyType>) {
        let members = class.getattr(intern!(class.py(), "_value2member_map_"));
        let Ok(members) = members.and_then(|members| Ok(members.cast_into::<PyDict>()?)) else {
            return;
        };
        for member in members.values().iter().take(MEMBERS / 2) {
            self.learn(&member);
        }
    }

    fn learn(&mut self, member: &Bound<'_, PyAny>) -> bool {
        let py = member.py();
        let Ok(value) = member.getattr(self.attribute.bind(py)) else { return false };
        let found = if let Ok(name) = value.cast_exact::<PyString>() {
            SmallMember::Variant(name.clone().unbind())
        } else {
            raw::int_bits(&value).ok().flatten().map_or(SmallMember::Other, SmallMember::Flag)
        };
        if self.members.len() == MEMBERS {
            self.members.clear();
        }
        let is_known = !matches!(found, SmallMember::Other);
        self.members.put(member.as_ptr() as usize, (member.clone().unbind(), found));
        is_known
    }
}
