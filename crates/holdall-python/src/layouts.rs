//! Whether the memory of CPython's objects is used where that is faster than its functions: the places of slots and
//! attributes, the characters of new strings, the entries of dicts, the parts of decimals.
//!
//! Beside it, whether what walks learn of objects is kept from one to the next.
//!
//! All of it is in CPython's headers, the public ones but for dicts and attributes, or for decimals in libmpdec's. Still it is tried
//! out when the package is imported; if anything is not as it should be, or the environment has `HOLDALL_PUBLIC_API`, functions
//! do it all.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use crate::{attributes, decimals, entries, raw};

/// Set when the module is made, before anything else can ask.
static TRUSTED: AtomicBool = AtomicBool::new(false);
/// Set beside it, where the entries of dicts are known.
static ENTRIES: AtomicBool = AtomicBool::new(false);

/// Whether objects' memory is used.
#[inline]
pub fn are_trusted() -> bool {
    TRUSTED.load(Ordering::Relaxed)
}

/// Whether that of dicts is.
#[inline]
pub fn have_entries() -> bool {
    ENTRIES.load(Ordering::Relaxed)
}

/// What of objects' memory is used, where functions could be asked.
#[pyfunction]
pub fn used_layouts() -> Vec<&'static str> {
    let used = [
        (are_trusted(), "slots"),
        (have_entries(), "entries"),
        (attributes::are_known(), "attributes"),
        (decimals::are_known(), "decimals"),
    ];
    used.into_iter().filter(|(is_used, _)| *is_used).map(|(_, name)| name).collect()
}

/// The minor version of a CPython whose private layouts are known.
pub fn known_version(py: Python<'_>) -> PyResult<Option<u8>> {
    let version = py.version_info();
    let name = py.import("sys")?.getattr("implementation")?.getattr("name")?;
    // Objects of builds with free threads or more for debugging begin otherwise.
    let is_plain = size_of::<ffi::PyObject>() == 2 * size_of::<usize>();
    let is_known = name.eq("cpython")? && version.major == 3 && is_plain;
    Ok(Some(version.minor).filter(|minor| is_known && matches!(minor, 11..=13)))
}

/// Tries it out.
pub fn try_out(py: Python<'_>) {
    let is_off = std::env::var_os("HOLDALL_PUBLIC_API").is_some_and(|value| !value.is_empty());
    TRUSTED.store(!is_off, Ordering::Relaxed);
    ENTRIES.store(!is_off && entries::are_known(py).unwrap_or(false), Ordering::Relaxed);
    // An exception is no layout that is as it should be.
    if !is_off && attributes::try_out(py).is_err() {
        attributes::forget();
    }
    if !is_off && decimals::try_out(py).is_err() {
        decimals::forget();
    }
    if !is_off && !is_as_known(py).unwrap_or(false) {
        TRUSTED.store(false, Ordering::Relaxed);
        ENTRIES.store(false, Ordering::Relaxed);
    }
}

/// Whether slots, strings and dicts are what they are taken for.
fn is_as_known(py: Python<'_>) -> PyResult<bool> {
    let body = PyDict::new(py);
    body.set_item("__slots__", ("first", "second", "third"))?;
    let class = py.get_type::<PyType>().call1(("Slots", (), body))?.cast_into::<PyType>()?;
    let object = class.call0()?;
    let names = ["first", "second", "third"].map(|name| PyString::new(py, name));
    let slots = names.each_ref().map(|name| raw::Slot::of(&class, name));
    let [Some(first), Some(second), Some(third)] = &slots else { return Ok(false) };
    let (one, two) = (PyString::new(py, "one").into_any(), PyString::new(py, "two").into_any());
    object.setattr(&names[0], &one)?;
    let is_read = first.get(&object).is_some_and(|found| found.is(&one));
    let is_written = second.set(&object, two.clone()).is_ok();
    let is_right = is_read
        && is_written
        && object.getattr(&names[1])?.is(&two)
        && third.get(&object).is_none()
        && object.getattr_opt(&names[2])?.is_none();
    Ok(is_right
        && (!have_entries() || entries::are_as_known(py)?)
        && ["", "a", "holdall", &"x".repeat(1000), "é"].iter().all(|text| {
            let by_functions = PyString::new(py, text);
            raw::text(py, text).and_then(|made| made.eq(&by_functions)).unwrap_or(false)
                && raw::utf8(&by_functions).is_ok_and(|found| found == *text)
        }))
}
