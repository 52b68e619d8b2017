//! Objects restored from the results of `__reduce__` and `__getstate__`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use super::class::is_dunder;
use super::own_form::{Form, checked, one, take};
use crate::raw;

impl Form {
    pub(super) fn reduced<'py>(&self, fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let py = fields.py();
        let cls = self.cls.bind(py);
        // None, beside objects of the class whose `__reduce__` named a function.
        take(fields, pyo3::intern!(py, "<call>"))?;
        let arguments = take(fields, pyo3::intern!(py, "<args>"))?;
        let new_arguments = take(fields, pyo3::intern!(py, "<newargs>"))?;
        let keywords = take(fields, pyo3::intern!(py, "<newkeywords>"))?;
        let some = |value: Option<Bound<'py, PyAny>>| value.filter(|value| !value.is_none());
        let object = match some(arguments) {
            Some(arguments) => cls.call1(checked::<PyTuple>(arguments)?)?,
            None => {
                let arguments = match some(new_arguments) {
                    Some(arguments) => checked::<PyTuple>(arguments)?,
                    None => PyTuple::empty(py),
                };
                let keywords = some(keywords).map(checked::<PyDict>).transpose()?;
                let all =
                    one(cls.clone().into_any())?.as_sequence().concat(arguments.as_sequence())?;
                let new = cls.getattr(pyo3::intern!(py, "__new__"))?;
                new.call(all.to_tuple()?, keywords.as_ref())?
            }
        };
        self.complete(&object, fields)?;
        Ok(object)
    }

    /// Applies the rest of the result of `__reduce__` to an object.
    pub(super) fn complete<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        let py = object.py();
        let items = take(fields, pyo3::intern!(py, "<items>"))?.filter(|items| !items.is_none());
        let entries =
            take(fields, pyo3::intern!(py, "<entries>"))?.filter(|entries| !entries.is_none());
        if !fields.is_empty() {
            self.apply_state(object, fields)?;
        }
        if let Some(items) = items {
            let items = checked::<PyList>(items)?;
            match object.getattr_opt(pyo3::intern!(py, "extend"))? {
                _ if items.is_empty() => {}
                Some(extend) => drop(extend.call1((items,))?),
                None => {
                    let append = object.getattr(pyo3::intern!(py, "append"))?;
                    items.iter().try_for_each(|item| append.call1((item,)).map(drop))?;
                }
            }
        }
        if let Some(entries) = entries {
            for entry in checked::<PyList>(entries)?.iter() {
                let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = entry.extract()?;
                object.set_item(key, value)?;
            }
        }
        Ok(())
    }

    /// Restores a state as pickle does.
    pub(super) fn apply_state<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        let py = object.py();
        let whole = fields.get_item(pyo3::intern!(py, "<state>"))?;
        if let Some(set_state) = &self.set_state {
            if fields.is_empty() {
                return Ok(());
            }
            let state = match whole {
                Some(state) => state,
                None => without_marks(fields)?.into_any(),
            };
            return set_state.bind(py).call1((object, state)).map(|_| ());
        }
        let Some(state) = whole else {
            return self.fill_attributes(object, &without_marks(fields)?);
        };
        let parts = match state.cast_into::<PyTuple>() {
            Ok(parts) if parts.len() == 2 => parts.to_list(),
            Ok(other) => PyList::new(py, [other.into_any()])?,
            Err(other) => PyList::new(py, [other.into_inner()])?,
        };
        for part in parts.iter() {
            if let Ok(part) = part.cast_into::<PyDict>() {
                self.fill_attributes(object, &part)?;
            }
        }
        Ok(())
    }

    /// Sets attributes without calling methods of the class. Never sets names with a meaning in Python.
    pub(super) fn fill_attributes<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        let py = object.py();
        if fields.is_empty() {
            return Ok(());
        }
        let own = object.getattr_opt(pyo3::intern!(py, "__dict__"))?;
        let own = own.and_then(|own| own.cast_into::<PyDict>().ok());
        for (name, value) in fields.iter() {
            if let Some(slots) = &self.slots
                && slots.bind(py).contains(&name)?
            {
                raw::set_attribute(object, name.cast::<PyString>()?, &value)?;
            } else if let Some(own) = &own
                && !name.cast::<PyString>().is_ok_and(|name| name.to_str().is_ok_and(is_dunder))
            {
                own.set_item(name, value)?;
            }
        }
        Ok(())
    }
}

/// Returns the fields that do not hold results of the class's own methods.
fn without_marks<'py>(fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let is_mark = |name: &Bound<'_, PyAny>| {
        raw::text_of(name.as_borrowed()).is_some_and(|name| name.starts_with('<'))
    };
    if !fields.iter().any(|(name, _)| is_mark(&name)) {
        return Ok(fields.clone());
    }
    let state = PyDict::new(fields.py());
    for (name, value) in fields.iter().filter(|(name, _)| !is_mark(name)) {
        state.set_item(name, value)?;
    }
    Ok(state)
}
