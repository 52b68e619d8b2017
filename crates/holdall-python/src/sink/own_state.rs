//! Objects restored from the results of `__reduce__` and `__getstate__`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use super::class::is_dunder;
use super::own_form::{
    ARGUMENTS, CALL, ENTRIES, Form, ITEMS, NEW_ARGUMENTS, NEW_KEYWORDS, STATE, checked, making,
    one, take,
};
use crate::once::intern;
use crate::raw;

impl Form {
    /// Makes an object as its `__reduce__` says, without its state.
    pub(super) fn reduced<'py>(&self, fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let py = fields.py();
        let cls = self.cls.bind(py);
        let taken = |name: &str| {
            let value = take(fields, &PyString::intern(py, name))?;
            PyResult::Ok(value.filter(|value| !value.is_none()))
        };
        // None beside objects of the class whose `__reduce__` named a function.
        let function = taken(CALL)?;
        let arguments = taken(ARGUMENTS)?;
        let new_arguments = taken(NEW_ARGUMENTS)?;
        let keywords = taken(NEW_KEYWORDS)?;
        if let Some(arguments) = arguments {
            let arguments = checked::<PyTuple>(arguments)?;
            return match (function, &self.call) {
                (Some(function), Some(call)) => call.bind(py).call1((function, arguments)),
                _ => cls.call1(&arguments).or_else(|failed| {
                    making(py, "failed_call")?.call1((cls, arguments, failed.value(py)))
                }),
            };
        }
        let arguments = match new_arguments {
            Some(arguments) => checked::<PyTuple>(arguments)?,
            None => PyTuple::empty(py),
        };
        let keywords = keywords.map(checked::<PyDict>).transpose()?;
        let all = one(cls.clone().into_any())?.as_sequence().concat(arguments.as_sequence())?;
        let new = cls.getattr(intern!(py, "__new__"))?;
        new.call(all.to_tuple()?, keywords.as_ref())
    }

    /// Applies the rest of the result of `__reduce__` to an object.
    pub(super) fn complete_reduced<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        fields: &Bound<'py, PyDict>,
    ) -> PyResult<()> {
        let py = object.py();
        let items = take(fields, intern!(py, ITEMS))?.filter(|items| !items.is_none());
        let entries = take(fields, intern!(py, ENTRIES))?.filter(|entries| !entries.is_none());
        match self.is_exception {
            true => self.complete_exception(object, fields)?,
            false => self.apply_state(object, fields)?,
        }
        if let Some(items) = items {
            let items = checked::<PyList>(items)?;
            match object.getattr_opt(intern!(py, "extend"))? {
                _ if items.is_empty() => {}
                Some(extend) => drop(extend.call1((items,))?),
                None => {
                    let append = object.getattr(intern!(py, "append"))?;
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
        if fields.is_empty() {
            return Ok(());
        }
        let state = fields.get_item(intern!(py, STATE))?;
        if let Some(set_state) = &self.set_state {
            let state = match state {
                Some(state) => state,
                None => self.default_state(without_bracketed_names(fields)?)?,
            };
            return set_state.bind(py).call1((object, state)).map(|_| ());
        }
        let Some(state) = state else {
            return self.fill_attributes(object, &without_bracketed_names(fields)?);
        };
        let parts = match state.cast_into::<PyTuple>() {
            Ok(parts) if parts.len() == 2 => parts.to_list(),
            other => {
                let whole = other.map_or_else(|other| other.into_inner(), Bound::into_any);
                raw::list_of(py, std::iter::once(Ok(whole)))?
            }
        };
        for part in parts.iter().filter(|part| !part.is_none()) {
            match part.cast_into::<PyDict>() {
                Ok(part) => self.fill_attributes(object, &part)?,
                Err(part) => return Err(no_setter(object, &part.into_inner())?),
            }
        }
        Ok(())
    }

    /// Returns the state that Python makes of attributes: a tuple, if some are in slots.
    fn default_state<'py>(&self, fields: Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let py = fields.py();
        let Some(slots) = self.slots.as_ref().filter(|_| self.splits_state) else {
            return Ok(fields.into_any());
        };
        let (own, in_slots) = (raw::dict(py)?, raw::dict(py)?);
        for (name, value) in fields.iter() {
            let part = if slots.bind(py).contains(&name)? { &in_slots } else { &own };
            part.set_item(name, value)?;
        }
        if in_slots.is_empty() {
            return Ok(own.into_any());
        }
        let own = if own.is_empty() { py.None().into_bound(py) } else { own.into_any() };
        Ok(raw::tuple_of(py, [own, in_slots.into_any()].into_iter().map(Ok))?.into_any())
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
        let own = object.getattr_opt(intern!(py, "__dict__"))?;
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

/// The error for a state that is no dict of attributes, in an object whose class does not restore it.
#[cold]
fn no_setter(object: &Bound<'_, PyAny>, state: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let made = making(object.py(), "no_setter")?.call1((object.get_type(), state))?;
    Ok(PyErr::from_value(made))
}

fn is_bracketed(name: &Bound<'_, PyAny>) -> bool {
    raw::text_of(name.as_borrowed()).is_some_and(|name| name.starts_with('<'))
}

/// Whether some fields are no attributes.
pub(super) fn has_bracketed_names(fields: &Bound<'_, PyDict>) -> bool {
    fields.iter().any(|(name, _)| is_bracketed(&name))
}

/// Returns the fields that do not hold results of the class's own methods.
pub(super) fn without_bracketed_names<'py>(
    fields: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    if !has_bracketed_names(fields) {
        return Ok(fields.clone());
    }
    let state = raw::dict(fields.py())?;
    for (name, value) in fields.iter().filter(|(name, _)| !is_bracketed(name)) {
        state.set_item(name, value)?;
    }
    Ok(state)
}
