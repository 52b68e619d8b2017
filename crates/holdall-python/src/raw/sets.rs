//! Members of sets without an iterator.
#![allow(unsafe_code, reason = "CPython's C API; each block has its proof")]

use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PySet};
use pyo3::{Borrowed, ffi};

use crate::layouts;

/// Returns the members of an exact set or frozen set, borrowed, in the order of an iterator; `None` for other objects, or
/// where the memory of sets is not read.
///
/// # Safety
/// Nothing changes the set, or frees what it holds, while a member is used.
#[inline]
pub unsafe fn members<'s, 'py>(
    set: &'s Bound<'py, PyAny>,
) -> Option<impl Iterator<Item = Borrowed<'s, 'py, PyAny>> + Clone> {
    let is_set = set.is_exact_instance_of::<PySet>() || set.is_exact_instance_of::<PyFrozenSet>();
    if !is_set || !layouts::are_trusted() {
        return None;
    }
    let py = set.py();
    // SAFETY: the object is a set that is alive, and its layout is in a public header. Its table has `mask + 1` entries. The key
    // of each is null, or an object that the set holds as long as the caller guarantees; that of a removed member has the hash
    // -1, which no object has.
    unsafe {
        let set = &*set.as_ptr().cast::<ffi::PySetObject>();
        let table = std::slice::from_raw_parts(set.table, set.mask.cast_unsigned() + 1);
        let has_member = |entry: &&ffi::setentry| !entry.key.is_null() && entry.hash != -1;
        Some(table.iter().filter(has_member).map(move |entry| Borrowed::from_ptr(py, entry.key)))
    }
}

/// Checks the layout on a sample.
pub fn are_as_known(py: Python<'_>) -> PyResult<bool> {
    let set = PySet::new(py, 0..100)?;
    for removed in 20..90 {
        set.discard(removed)?;
    }
    let by_functions: Vec<usize> =
        set.iter().map(|member| member.extract()).collect::<PyResult<_>>()?;
    // SAFETY: nothing else has the set.
    let read = unsafe { members(&set) }.map(|members| {
        members.map(|member| member.extract::<usize>()).collect::<PyResult<Vec<_>>>()
    });
    Ok(read.transpose()?.is_none_or(|read| read == by_functions && read.len() == 30))
}
