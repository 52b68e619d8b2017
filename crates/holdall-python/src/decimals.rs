//! Decimals by their parts, without text.
//!
//! `_decimal` keeps sign, exponent and coefficient as libmpdec does: `mpd_t` in `mpdecimal.h`. That
//! layout is private. It is used where the version is known, objects have the matching size, and
//! `self_check` reads decimals of all kinds as their text says.
#![allow(
    unsafe_code,
    reason = "libmpdec's numbers inside of CPython's objects; each block has its proof"
)]

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::layouts;
use crate::once::Once;

/// The address of the checked class, which lives as long as the process; 0 if memory is not read.
static KNOWN: AtomicUsize = AtomicUsize::new(0);

/// `PyDecObject` of 64-bit builds.
#[repr(C)]
struct PyDecObject {
    head: ffi::PyObject,
    hash: ffi::Py_hash_t,
    flags: u8,
    exponent: isize,
    digits: isize,
    /// The number of words of the coefficient, and their address: the lowest first, in base 10^19.
    len: isize,
    room: isize,
    words: *const u64,
    inside: [u64; 4],
}

const NEGATIVE: u8 = 1;
/// Infinity and NaN.
const SPECIAL: u8 = 2 | 4 | 8;

/// Whether the parts are read from memory.
pub fn are_known() -> bool {
    KNOWN.load(Ordering::Relaxed) != 0
}

/// Returns the sign, coefficient and exponent of a finite decimal whose coefficient is one word;
/// `None` for other objects, or where memory is not read.
#[inline]
pub fn parts(object: &Bound<'_, PyAny>) -> Option<(bool, u64, i64)> {
    if object.get_type_ptr() as usize != KNOWN.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: the object is of the checked class and has this layout. Its words are its own, or
    // inside it.
    unsafe {
        let decimal = &*object.as_ptr().cast::<PyDecObject>();
        if decimal.flags & SPECIAL != 0 || decimal.len != 1 {
            return None;
        }
        Some((decimal.flags & NEGATIVE != 0, *decimal.words, decimal.exponent as i64))
    }
}

/// Checks the layout once: when the first decimal is met, since few programs import the class.
pub fn check(py: Python<'_>) {
    static CHECKED: Once<()> = Once::new();
    CHECKED.get_or_init(py, || {
        // An exception counts as a failed check.
        if layouts::are_trusted() && self_check(py).is_err() {
            forget();
        }
    });
}

/// Checks the layout on decimals of all kinds.
fn self_check(py: Python<'_>) -> PyResult<()> {
    let class = py.import("decimal")?.getattr("Decimal")?.cast_into::<PyType>()?;
    let size: usize = class.getattr("__basicsize__")?.extract()?;
    let is_wide = size_of::<usize>() == size_of::<u64>();
    let is_known =
        is_wide && layouts::known_version(py)?.is_some() && size == size_of::<PyDecObject>();
    if !is_known {
        return Ok(());
    }
    KNOWN.store(class.clone().into_ptr() as usize, Ordering::Relaxed);
    let tried = [
        ("0", Some((false, 0, 0))),
        ("-0E+3", Some((true, 0, 3))),
        ("12.50", Some((false, 1250, -2))),
        ("-7E-400", Some((true, 7, -400))),
        ("9999999999999999999", Some((false, 9_999_999_999_999_999_999, 0))),
        ("10000000000000000000", None),
        ("-0.0000000000000000000000000000000000000000012345678901234567890123456789", None),
        ("Infinity", None),
        ("-sNaN7", None),
    ];
    for (text, expected) in tried {
        if parts(&class.call1((text,))?) != expected {
            forget();
        }
    }
    Ok(())
}

/// Stops reading parts from memory.
fn forget() {
    KNOWN.store(0, Ordering::Relaxed);
}
