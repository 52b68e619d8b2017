//! The classes whose objects small messages can have: all that is packed of an object are its
//! attributes, and finding these runs no code of the class.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::raw;
use crate::sink::changes;
use crate::source::Plan;

/// The number of classes after which all are learned anew: programs can create ever more of them.
const CLASSES: usize = 256;

/// A class of such objects.
pub(super) struct Class {
    /// The name in messages.
    pub(super) name: Py<PyString>,
    pub(super) slots: Vec<(Py<PyString>, raw::Slot)>,
    /// Whether objects have a dict, too.
    pub(super) has_dict: bool,
}

/// What is known of classes.
#[derive(Default)]
pub(super) struct Classes {
    /// How often classes had changed.
    changes: u64,
    /// By address; none for other classes. They are kept alive, so their addresses stay unique.
    known: HashMap<usize, (Py<PyType>, Option<usize>), foldhash::fast::RandomState>,
    classes: Vec<Class>,
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
    pub(super) fn get(&self, class: usize) -> &Class {
        &self.classes[class]
    }

    /// Learns a class.
    pub(super) fn learn(&mut self, class: &Bound<'_, PyType>) {
        let address = class.as_ptr() as usize;
        let number = Class::of(class).map(|class| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        if let Some(number) = number {
            self.latest = (address, number);
        }
        self.known.insert(address, (class.clone().unbind(), number));
    }
}

impl Class {
    fn of(class: &Bound<'_, PyType>) -> Option<Class> {
        let Plan::Instance(instance) = Plan::of(class).ok()? else { return None };
        if !instance.is_plain() || instance.has_dict() && !raw::has_plain_dict(class).ok()? {
            return None;
        }
        Some(Class {
            name: PyString::new(class.py(), &instance.name).unbind(),
            slots: instance.slots(class)?,
            has_dict: instance.has_dict(),
        })
    }
}
