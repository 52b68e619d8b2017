//! Exceptions that were not raised: their arguments and attributes, read where they are.

use holdall::bindings::memory::GrowVec;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::own_form::Pending;
use super::shapes::LearnedShapes;
use crate::once::intern;
use crate::raw;

/// The attribute with the text of a traceback that was read.
const TEXT: &str = "__traceback_text__";

/// Exceptions of a class whose arguments and attributes are those of `BaseException`.
pub struct Exceptions<'py> {
    pub name: Arc<str>,
    /// Returns the record of one that has more: a cause, a traceback.
    pub pack: Bound<'py, PyAny>,
    pub shapes: LearnedShapes<'py>,
}

impl<'py> Exceptions<'py> {
    /// Appends the names and values of an exception's fields, if it has no others.
    pub fn fields(&self, exception: &Bound<'py, PyAny>, pending: &mut Pending<'py>) -> Option<()> {
        let py = exception.py();
        let (arguments, attributes) = raw::exception_parts(exception)?;
        let start = pending.len();
        pending.put_each([Some(intern!(py, "<args>").clone().into_any()), Some(arguments)]);
        let mut position = 0;
        let Some(attributes) = attributes else { return Some(()) };
        while let Some((name, value)) = raw::next_entry(&attributes, &mut position) {
            // Other names could be those of its cause.
            let text = name.cast_exact::<PyString>().ok().and_then(|name| name.to_str().ok());
            if text.is_none_or(|text| text.starts_with('<') || text == TEXT) {
                pending.truncate(start);
                return None;
            }
            pending.put_each([Some(name), Some(value)]);
        }
        Some(())
    }
}
