//! Decimals by their parts, without text.
//!
//! `_decimal` keeps sign, exponent and coefficient as libmpdec does: `mpd_t` in `mpdecimal.h`. That
//! layout is private. It is used where the version is known, objects have the matching size, and
//! `self_check` reads and makes decimals of all kinds as their text says.
#![allow(
    unsafe_code,
    reason = "libmpdec's numbers inside of CPython's objects; each block has its proof"
)]

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyType;
use pyo3::{Borrowed, ffi};

use crate::once::Once;
use crate::{layouts, raw};

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
    words: *mut u64,
    inside: [u64; 4],
}

/// What a word is less than.
const BASE: u64 = 10_000_000_000_000_000_000;
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

/// Makes a decimal of these parts; `None` if the coefficient takes more than one word, or where memory is not used. The exponent
/// is far from libmpdec's limits.
pub fn made(
    py: Python<'_>,
    is_negative: bool,
    coefficient: u64,
    exponent: i64,
) -> PyResult<Option<Bound<'_, PyAny>>> {
    let class = KNOWN.load(Ordering::Relaxed) as *mut ffi::PyObject;
    if class.is_null() || coefficient >= BASE {
        return Ok(None);
    }
    // SAFETY: the class lives as long as the process.
    let class = unsafe { Borrowed::from_ptr(py, class) };
    let zero = class.call0()?;
    if raw::is_shared(&zero, 1) || parts(&zero) != Some((false, 0, 0)) {
        return Ok(None);
    }
    // SAFETY: the object is of the checked class and has this layout, with room for one word at least, which a zero uses.
    // It is not shared, so nothing has seen its value or asked for its hash.
    unsafe {
        let decimal = &mut *zero.as_ptr().cast::<PyDecObject>();
        decimal.flags |= if is_negative { NEGATIVE } else { 0 };
        decimal.exponent = exponent as isize;
        decimal.digits = coefficient.checked_ilog10().map_or(1, |last| last as isize + 1);
        *decimal.words = coefficient;
    }
    Ok(Some(zero))
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
        let by_text = class.call1((text,))?;
        let mut is_right = parts(&by_text) == expected;
        if let Some((is_negative, coefficient, exponent)) = expected {
            is_right &= made(py, is_negative, coefficient, exponent)?.is_some_and(|made| {
                let alike = |name: &str| made.call_method0(name)?.eq(by_text.call_method0(name)?);
                ["as_tuple", "__hash__", "__repr__", "adjusted"]
                    .iter()
                    .all(|name| alike(name).unwrap_or(false))
            });
        }
        if !is_right {
            forget();
        }
    }
    Ok(())
}

/// Stops reading parts from memory.
fn forget() {
    KNOWN.store(0, Ordering::Relaxed);
}
