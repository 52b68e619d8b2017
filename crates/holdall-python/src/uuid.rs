//! UUIDs by their parts, without a Python function.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString, PyTuple, PyType};

use crate::raw;

/// The slots of a class's UUIDs, and the `is_safe` of a UUID of unknown safety.
pub struct UuidParts {
    class: Py<PyType>,
    int: raw::Slot,
    is_safe: raw::Slot,
    unknown: Py<PyAny>,
}

impl UuidParts {
    /// Returns the parts, if all are in slots.
    pub fn of(class: &Bound<'_, PyType>) -> PyResult<Option<UuidParts>> {
        let py = class.py();
        let slot = |name| raw::Slot::of(class, &PyString::intern(py, name));
        let (Some(int), Some(is_safe)) = (slot("int"), slot("is_safe")) else { return Ok(None) };
        let unknown = py.import("uuid")?.getattr("SafeUUID")?.getattr("unknown")?.unbind();
        Ok(Some(UuidParts { class: class.clone().unbind(), int, is_safe, unknown }))
    }

    /// Returns the bytes of a UUID of unknown safety.
    pub fn bytes(&self, object: &Bound<'_, PyAny>) -> Option<[u8; 16]> {
        let is_usual = self.is_safe.get(object)?.is(&self.unknown);
        let int = self.int.get(object)?.cast_into_exact::<PyInt>().ok()?;
        let int = int.extract::<u128>().ok().filter(|_| is_usual)?;
        Some(int.to_be_bytes())
    }

    /// Makes a UUID of these bytes; `None` if its class makes it otherwise.
    pub fn make<'py>(
        &self,
        empty: &Bound<'py, PyTuple>,
        bytes: [u8; 16],
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = empty.py();
        let Some(object) = raw::new_object(self.class.bind(py), empty) else { return Ok(None) };
        let object = object?;
        let int = u128::from_be_bytes(bytes).into_pyobject(py)?.into_any();
        let is_set = self.int.set(&object, int).is_ok()
            && self.is_safe.set(&object, self.unknown.bind(py).clone()).is_ok();
        Ok(is_set.then_some(object))
    }
}
