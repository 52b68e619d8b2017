//! Whether the memory of CPython's objects is used where that is faster than its functions: the
//! positions of slots and attributes, the characters of new strings, the entries of dicts, the
//! digits of ints, the parts of decimals; and whether walks keep what they learn of objects.
//!
//! All these layouts are in CPython's headers, public ones except for dicts and attributes, or in
//! libmpdec's. Still they are checked when the package is imported, that of decimals when the first
//! one is met. If a check fails, or the environment has `HOLDALL_PUBLIC_API`, functions do
//! everything.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::{attributes, decimals, entries, raw};

/// Set when the module is made, before anything else can read it.
static TRUSTED: AtomicBool = AtomicBool::new(false);
/// Set beside it, where the layout of dicts is known.
static ENTRIES: AtomicBool = AtomicBool::new(false);

/// Whether the memory of objects is used.
#[inline]
pub fn are_trusted() -> bool {
    TRUSTED.load(Ordering::Relaxed)
}

/// Whether the memory of dicts is used.
#[inline]
pub fn have_entries() -> bool {
    ENTRIES.load(Ordering::Relaxed)
}

/// Returns which parts of objects' memory are used.
#[pyfunction]
pub fn used_layouts(py: Python<'_>) -> Vec<&'static str> {
    decimals::check(py);
    let used = [
        (are_trusted(), "slots"),
        (have_entries(), "entries"),
        (attributes::are_known(), "attributes"),
        (raw::ints_are_known(), "ints"),
        (decimals::are_known(), "decimals"),
    ];
    used.into_iter().filter(|(is_used, _)| *is_used).map(|(_, name)| name).collect()
}

/// Returns the minor version of a CPython whose private layouts are known.
pub fn known_version(py: Python<'_>) -> PyResult<Option<u8>> {
    let version = py.version_info();
    let name = py.import("sys")?.getattr("implementation")?.getattr("name")?;
    // Objects of builds with free threads, or with more debugging, begin otherwise.
    let is_plain = size_of::<ffi::PyObject>() == 2 * size_of::<usize>();
    let is_known = name.eq("cpython")? && version.major == 3 && is_plain;
    Ok(Some(version.minor).filter(|minor| is_known && matches!(minor, 11..=13)))
}

/// Checks all layouts, and switches off those that fail.
pub fn self_check(py: Python<'_>) {
    let is_off = std::env::var_os("HOLDALL_PUBLIC_API").is_some_and(|value| !value.is_empty());
    TRUSTED.store(!is_off, Ordering::Relaxed);
    ENTRIES.store(!is_off && entries::are_known(py).unwrap_or(false), Ordering::Relaxed);
    // An exception counts as a failed check.
    if !is_off {
        drop(raw::check_ints(py));
    }
    if !is_off && attributes::self_check(py).is_err() {
        attributes::forget();
    }
    if !is_off && !is_as_known(py).unwrap_or(false) {
        TRUSTED.store(false, Ordering::Relaxed);
        ENTRIES.store(false, Ordering::Relaxed);
    }
}

/// Checks slots, strings and dicts on samples.
fn is_as_known(py: Python<'_>) -> PyResult<bool> {
    let body = raw::dict(py)?;
    body.set_item("__slots__", ("first", "second", "third"))?;
    let class = py.get_type::<PyType>().call1(("Slots", (), body))?.cast_into::<PyType>()?;
    let object = class.call0()?;
    let names = ["first", "second", "third"].map(|name| PyString::intern(py, name));
    let slots = names.each_ref().map(|name| raw::Slot::of(&class, name));
    let [Some(first), Some(second), Some(third)] = &slots else { return Ok(false) };
    let [one, two] = ["one", "two"].map(|text| PyString::intern(py, text).into_any());
    object.setattr(&names[0], &one)?;
    let is_read = first.get(&object).is_some_and(|found| found.is(&one));
    let is_written = second.set(&object, two.clone()).is_ok();
    let is_right = is_read
        && is_written
        && object.getattr(&names[1])?.is(&two)
        && third.get(&object).is_none()
        && object.getattr_opt(&names[2])?.is_none();
    Ok(is_right
        && raw::sets_are_as_known(py)?
        && (!have_entries() || entries::are_as_known(py)?)
        && ["", "a", "holdall", &"x".repeat(1000), "é"].iter().all(|text| {
            #[expect(clippy::disallowed_methods, reason = "what `raw::text` is compared with")]
            let by_functions = PyString::new(py, text);
            raw::text(py, text).and_then(|made| made.eq(&by_functions)).unwrap_or(false)
                && raw::utf8(&by_functions).is_ok_and(|found| found == *text)
        }))
}
