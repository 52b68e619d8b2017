//! What making an object and filling it need of its fields, for the order of this work in cycles, and whether it runs code of the program.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::class::is_dunder;
use super::own_form::{
    ARGUMENTS, CALL, ENTRIES, Form, HeldContent, ITEMS, NEW_ARGUMENTS, NEW_KEYWORDS, ObjectKind,
    STATE,
};
use crate::once::intern;
use crate::raw;
use holdall::bindings::memory::Collect;

impl Form {
    /// Returns the names of the fields of which an object is made, if the others can be set afterwards.
    pub(super) fn names_of_makers(&self, py: Python<'_>) -> Vec<Py<PyString>> {
        match self.kind {
            ObjectKind::Based => vec![self.payload.clone_ref(py)],
            ObjectKind::Exception => vec![intern!(py, ARGUMENTS).clone().unbind()],
            ObjectKind::Reduced => [CALL, ARGUMENTS, NEW_ARGUMENTS, NEW_KEYWORDS]
                .map(|name| PyString::intern(py, name).unbind())
                .into(),
            _ => Vec::new(),
        }
    }

    /// How many levels deep in the fields the containers are that making the object may copy: these need all items before.
    pub(super) fn copied_levels(&self) -> usize {
        match self.kind {
            ObjectKind::NamedTuple => 0,
            ObjectKind::Exception if self.is_group => 2,
            ObjectKind::Reduced => 2,
            _ => 1,
        }
    }

    /// Returns the fields whose contents filling an object copies: not those of attributes.
    pub(super) fn copied_fields<'py>(&self, fields: &Bound<'py, PyDict>) -> Vec<Bound<'py, PyAny>> {
        let py = fields.py();
        let names = [self.payload.bind(py), intern!(py, ITEMS), intern!(py, ENTRIES)];
        names.into_iter().filter_map(|name| fields.get_item(name).ok().flatten()).collected()
    }

    /// Whether making an object of these fields runs no code of the program, but what builtin constructors call of their arguments.
    pub fn is_passive<'k>(&self, py: Python<'_>, mut keys: impl Iterator<Item = &'k str>) -> bool {
        match self.kind {
            ObjectKind::NamedTuple
            | ObjectKind::Deque
            | ObjectKind::DefaultDict
            | ObjectKind::Counter
            | ObjectKind::Member
            | ObjectKind::PurePath => true,
            ObjectKind::Exception => {
                self.set_state.is_none()
                    && keys.all(|key| key == ARGUMENTS || self.is_set_plainly(py, key))
            }
            ObjectKind::Based | ObjectKind::Filled => {
                self.set_state.is_none() && self.has_plain_dict
                    || keys.all(|key| key.starts_with('<') && key != STATE)
            }
            ObjectKind::State => self.set_state.is_none() && self.has_plain_dict,
            // For unknown flags, the class is called.
            ObjectKind::Flag | ObjectKind::Reduced => false,
        }
    }

    /// Returns which field is the content of a builtin class that an object is filled with, if all others are plain attributes and an
    /// object that is dropped before it is complete runs no code.
    pub(super) fn place_of_content<'k>(
        &self,
        py: Python<'_>,
        keys: impl Iterator<Item = &'k Py<PyString>>,
    ) -> Option<usize> {
        let has_slots = self.slots.as_ref().is_some_and(|slots| !slots.bind(py).is_empty());
        if self.kind != ObjectKind::Filled
            || !matches!(self.held, HeldContent::List | HeldContent::Dict | HeldContent::Set)
            || self.set_state.is_some()
            || !self.has_plain_dict
            || has_slots
            || self.runs_code_when_freed(py)
        {
            return None;
        }
        let payload = self.payload.bind(py).to_str().ok()?;
        let mut content = None;
        for (at, key) in keys.enumerate() {
            match key.bind(py).to_str().ok()? {
                key if key == payload => content = Some(at),
                name if name.starts_with('<') || is_dunder(name) => return None,
                // A descriptor must not run.
                _ if self.has_descriptor(key.bind(py)) => return None,
                _ => {}
            }
        }
        content
    }

    /// Whether an object that is dropped before it is complete runs code.
    pub(super) fn runs_code_when_freed(&self, py: Python<'_>) -> bool {
        raw::has_finalizer(self.cls.bind(py))
    }

    /// Whether the class has a descriptor under the name of an attribute, so that setting it runs code.
    pub(super) fn has_descriptor(&self, name: &Bound<'_, PyString>) -> bool {
        raw::has_data_descriptor(self.cls.bind(name.py()), name).unwrap_or(true)
    }

    /// Returns an object as the dict that its content is.
    pub(super) fn dict_in<'o, 'py>(
        &self,
        object: &'o Bound<'py, PyAny>,
    ) -> Option<&'o Bound<'py, PyDict>> {
        matches!(self.held, HeldContent::Dict).then(|| object.cast().ok())?
    }

    /// Whether setting an attribute of this name runs no code of the program.
    fn is_set_plainly(&self, py: Python<'_>, name: &str) -> bool {
        let is_described = || raw::has_data_descriptor(self.cls.bind(py), &raw::name(py, name)?);
        raw::sets_plainly(self.cls.bind(py))
            && !name.starts_with('<')
            && !is_described().unwrap_or(true)
    }

    /// Whether filling an object runs code of its class.
    pub(super) fn sets_state(&self) -> bool {
        self.set_state.is_some()
    }
}
