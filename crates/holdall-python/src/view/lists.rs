//! Lists of rows.

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::raw;

/// Returns one list of the items of several.
pub fn joined<'py>(
    py: Python<'py>,
    mut lists: impl Iterator<Item = PyResult<Bound<'py, PyList>>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(all) = lists.next() else { return Ok(raw::list(py)?.into_any()) };
    let all = all?;
    for list in lists {
        all.call_method1("extend", (list?,))?;
    }
    Ok(all.into_any())
}

/// Puts None between the items of a list where a value is absent.
pub fn spread(list: Bound<'_, PyList>, present: Option<Vec<bool>>) -> PyResult<Bound<'_, PyList>> {
    let Some(present) = present else { return Ok(list) };
    let (py, mut items) = (list.py(), list.iter());
    let all = raw::list(py)?;
    for here in present {
        match here {
            true => all.append(items.next())?,
            false => all.append(py.None())?,
        }
    }
    Ok(all)
}
