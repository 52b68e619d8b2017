//! What making an object and filling it need of its fields, for the order of this work in cycles.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::own_form::{
    ARGUMENTS, CALL, ENTRIES, Form, ITEMS, NEW_ARGUMENTS, NEW_KEYWORDS, ObjectKind,
};

impl Form {
    /// Returns the names of the fields of which an object is made, if the others can be set afterwards.
    pub(super) fn names_of_makers(&self, py: Python<'_>) -> Vec<Py<PyString>> {
        match self.kind {
            ObjectKind::Based => vec![self.payload.clone_ref(py)],
            ObjectKind::Exception => vec![pyo3::intern!(py, ARGUMENTS).clone().unbind()],
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
        let names = [self.payload.bind(py), pyo3::intern!(py, ITEMS), pyo3::intern!(py, ENTRIES)];
        names.into_iter().filter_map(|name| fields.get_item(name).ok().flatten()).collect()
    }

    /// Whether filling an object runs code of its class.
    pub(super) fn sets_state(&self) -> bool {
        self.set_state.is_some()
    }
}
