//! Exceptions: made by their builtin class, then given their attributes and what caused them.

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use super::class::is_dunder;
use super::own_form::{ARGUMENTS, Form, STATE, checked, take};
use super::own_state::{has_bracketed_names, without_bracketed_names};
use crate::once::intern;
use crate::raw;

impl Form {
    /// Makes an exception by its builtin base class, because its own constructor may require other
    /// arguments.
    pub(super) fn exception<'py>(
        &self,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = fields.py();
        let arguments = match take(fields, intern!(py, ARGUMENTS))? {
            Some(arguments) => checked::<PyTuple>(arguments)?,
            None => PyTuple::empty(py),
        };
        let base = self.base(py)?;
        let arguments = match self.is_group {
            true => exceptions(py)?.getattr("group_arguments")?.call1((arguments,))?.cast_into()?,
            false => arguments,
        };
        let made = raw::new_of(base, self.cls.bind(py), &arguments)?;
        raw::init_of(base, &made, &arguments)?;
        Ok(made)
    }

    /// Sets an exception's attributes, and what caused it.
    pub(super) fn complete_exception<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        let py = object.py();
        if fields.is_empty() && self.set_state.is_none() {
            return Ok(());
        }
        if has_bracketed_names(fields) {
            exceptions(py)?.getattr("restore_origin")?.call1((object, fields))?;
        } else if self.sets_as_its_base(py)? {
            for (name, value) in &own_names(fields)? {
                raw::set_attribute(object, name.cast::<PyString>()?, &value)?;
            }
            return Ok(());
        }
        let state = match fields.get_item(intern!(py, STATE))? {
            Some(state) => state,
            None => own_names(&without_bracketed_names(fields)?)?.into_any(),
        };
        if self.set_state.is_some() || !state.is_empty().unwrap_or(false) {
            // Some attributes of builtin exceptions are neither in a dict nor in slots.
            object.call_method1(intern!(py, "__setstate__"), (state,))?;
        }
        Ok(())
    }
}

impl Form {
    /// Whether attributes of an exception are set by `BaseException.__setstate__` and `object.__setattr__`: the class can have got others
    /// since it was found.
    fn sets_as_its_base(&self, py: Python<'_>) -> PyResult<bool> {
        let (cls, name) = (self.cls.bind(py), intern!(py, "__setstate__"));
        Ok(self.set_state.is_none()
            && raw::sets_plainly(cls)
            && cls.getattr(name)?.is(py.get_type::<PyBaseException>().getattr(name)?))
    }
}

fn exceptions(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("holdall._impl._exceptions")
}

/// Returns the fields whose names have no meaning in Python, and the notes.
fn own_names<'py>(fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let is_own = |(name, value): &(Bound<'py, PyAny>, Bound<'py, PyAny>)| {
        let name = raw::text_of(name.as_borrowed());
        name == Some("__notes__") && value.is_instance_of::<PyList>()
            || !name.is_some_and(is_dunder)
    };
    if fields.iter().all(|field| is_own(&field)) {
        return Ok(fields.clone());
    }
    let own = raw::dict(fields.py())?;
    for (name, value) in fields.iter().filter(is_own) {
        own.set_item(name, value)?;
    }
    Ok(own)
}
