//! Integers of any size, in place: the digits of CPython's ints, whose layout is in a public header. Where it is not known,
//! methods of `int` convert those beyond 64 bits.
#![allow(unsafe_code, reason = "CPython's C API; each block has its proof")]

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

use holdall::bindings::memory::GrowVec;
use holdall::bindings::shorten_big;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyType};
use pyo3::{Borrowed, ffi};

use crate::layouts;
use crate::once::intern;

/// The bits of a digit. Builds for small machines may have 15.
const DIGIT: usize = 30;
const DIGIT_MASK: u32 = (1 << DIGIT) - 1;
/// The bytes of the words between digits and bytes.
const WORD: usize = 4;

/// `PyLongObject`, whose digits follow it, the lowest first.
#[repr(C)]
struct PyLongObject {
    head: ffi::PyObject,
    /// The number of digits and the sign, see [`tag_of`].
    tag: isize,
    digits: [u32; 0],
}

// Of `longintrepr.h`, with room for a number of digits.
#[cfg(not(Py_3_14))]
unsafe extern "C" {
    fn _PyLong_New(digits: ffi::Py_ssize_t) -> *mut ffi::PyObject;
}

#[cfg(Py_3_14)]
unsafe fn _PyLong_New(_: ffi::Py_ssize_t) -> *mut ffi::PyObject {
    std::ptr::null_mut()
}

/// Set when the module is made.
static KNOWN: AtomicBool = AtomicBool::new(false);

/// Whether the digits of ints are used.
#[inline]
pub fn are_known() -> bool {
    KNOWN.load(Ordering::Relaxed)
}

/// What says the number of digits and the sign.
fn tag_of(digits: usize, is_negative: bool) -> isize {
    let digits = digits.cast_signed();
    if cfg!(Py_3_12) {
        digits << 3 | if is_negative { 2 } else { isize::from(digits == 0) }
    } else if is_negative {
        -digits
    } else {
        digits
    }
}

/// The number of digits and whether the sign is minus.
#[inline]
fn size_of_tag(tag: isize) -> (usize, bool) {
    if cfg!(Py_3_12) {
        (tag.cast_unsigned() >> 3, tag & 2 != 0)
    } else {
        (tag.unsigned_abs(), tag < 0)
    }
}

/// Returns an int's digits and whether its sign is minus; `None` where the layout is not known.
#[inline]
fn digits_of<'i>(int: Borrowed<'i, '_, PyInt>) -> Option<(&'i [u32], bool)> {
    if !are_known() {
        return None;
    }
    let int = int.as_ptr().cast::<PyLongObject>();
    // SAFETY: an int that is alive, for 'i at least, and never changes. As many digits follow it as its tag says.
    unsafe {
        let (len, is_negative) = size_of_tag((*int).tag);
        Some((std::slice::from_raw_parts((&raw const (*int).digits).cast(), len), is_negative))
    }
}

/// Returns an int as 64 bits, or `None` if it does not fit.
#[inline]
pub fn int_bits(object: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if let Some(bits) =
        object.cast_exact::<PyInt>().ok().and_then(|int| short_bits(int.as_borrowed()))
    {
        return Ok(Some(bits));
    }
    let mut overflow: c_int = 0;
    // SAFETY: the object is alive, and `overflow` is a valid location for a C int. An object that
    // is no int raises an exception, which is taken below.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(object.as_ptr(), &raw mut overflow) };
    if overflow != 0 {
        return Ok(None);
    }
    if value == -1
        && let Some(error) = PyErr::take(object.py())
    {
        return Err(error);
    }
    Ok(Some(value))
}

/// Returns an int of at most two digits, as most are.
#[inline]
fn short_bits(int: Borrowed<'_, '_, PyInt>) -> Option<i64> {
    let (digits, is_negative) = digits_of(int)?;
    let value = match *digits {
        [] => 0,
        [low] => i64::from(low),
        [low, high] => i64::from(low) | i64::from(high) << DIGIT,
        _ => return None,
    };
    Some(if is_negative { -value } else { value })
}

/// Returns an int as the fewest bytes of two's complement, little-endian. They are in the buffer.
pub fn big_bytes<'b>(int: &Bound<'_, PyAny>, buffer: &'b mut Vec<u8>) -> PyResult<&'b [u8]> {
    let int = int.cast::<PyInt>()?;
    buffer.clear();
    match digits_of(int.as_borrowed()) {
        Some((digits, is_negative)) => {
            // One more bit for the sign.
            let words = (digits.len() * DIGIT + 1).div_ceil(8 * WORD);
            buffer.put_fill(words * WORD, 0);
            fill_with(buffer, digits, is_negative);
        }
        None => {
            let bits: usize = int.call_method0(intern!(int.py(), "bit_length"))?.extract()?;
            let bytes = by_method(int.as_borrowed(), bits / 8 + 1)?;
            buffer.put_slice(bytes.as_bytes());
        }
    }
    Ok(shorten_big(buffer))
}

/// Fills a buffer, a number of words, with a number of this magnitude, which fits with its sign.
fn fill_with(buffer: &mut [u8], digits: &[u32], is_negative: bool) {
    let mut digits = digits.iter();
    let (mut held, mut bits, mut carry) = (0, 0, is_negative);
    for bytes in buffer.chunks_exact_mut(WORD) {
        while bits < 8 * WORD
            && let Some(&digit) = digits.next()
        {
            held |= u64::from(digit) << bits;
            bits += DIGIT;
        }
        let mut word = held as u32;
        held >>= 8 * WORD;
        bits = bits.saturating_sub(8 * WORD);
        if is_negative {
            (word, carry) = (!word).overflowing_add(u32::from(carry));
        }
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

fn by_method<'py>(int: Borrowed<'_, 'py, PyInt>, len: usize) -> PyResult<Bound<'py, PyBytes>> {
    let py = int.py();
    let arguments = (len, intern!(py, "little"));
    let bytes = int.call_method(intern!(py, "to_bytes"), arguments, Some(&signed(py)?))?;
    Ok(bytes.cast_into::<PyBytes>()?)
}

fn signed(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let signed = super::dict(py)?;
    signed.set_item(intern!(py, "signed"), true)?;
    Ok(signed)
}

/// Makes an int of bytes of two's complement, little-endian.
pub fn int_of_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let is_negative = bytes.last().is_some_and(|last| last >> 7 == 1);
    let sign = if is_negative { 0xFF } else { 0 };
    if bytes.len() <= size_of::<i64>() {
        let mut all = [sign; size_of::<i64>()];
        all[..bytes.len()].copy_from_slice(bytes);
        return super::int(py, i64::from_le_bytes(all));
    }
    if !are_known() {
        let class = py.get_type::<PyInt>();
        let arguments = (super::bytes(py, bytes)?, intern!(py, "little"));
        return class.call_method(intern!(py, "from_bytes"), arguments, Some(&signed(py)?));
    }
    let room = (8 * bytes.len()).div_ceil(DIGIT);
    // SAFETY: the function takes any number of digits. The result is a new reference, or null with an exception.
    let made = unsafe {
        let made = _PyLong_New(room.cast_signed());
        Bound::from_owned_ptr_or_err(py, made)?
    };
    let int = made.as_ptr().cast::<PyLongObject>();
    // SAFETY: the int has room for as many digits, and nothing else has it. They are set before they are read.
    let digits = unsafe {
        let digits = (&raw mut (*int).digits).cast::<u32>();
        digits.write_bytes(0, room);
        std::slice::from_raw_parts_mut(digits, room)
    };
    fill_of(digits, bytes, is_negative);
    let len = digits.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
    // SAFETY: as above. The first `len` digits are set, and the last of them is not zero, as CPython wants it.
    unsafe { (*int).tag = tag_of(len, is_negative) };
    Ok(made)
}

/// Fills digits, as many as are needed, with the magnitude of a number of more than 8 bytes of two's complement. Two digits at once: their
/// 60 bits begin at a byte or in its middle, so a word has all of them.
fn fill_of(digits: &mut [u32], bytes: &[u8], is_negative: bool) {
    const BOTH: u64 = (1 << (2 * DIGIT)) - 1;
    // The magnitude of a negative number is one more than the complement.
    let (complement, mut carry) = if is_negative { (BOTH, 1) } else { (0, 0) };
    let last = bytes.last_chunk().map_or(0, |last| i64::from_le_bytes(*last));
    for (at, pair) in digits.chunks_mut(2).enumerate() {
        let bit = 2 * DIGIT * at;
        let from = &bytes[bit / 8..];
        let word = match from.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            // Behind the last byte is the sign.
            None => (last >> (8 * (size_of::<u64>() - from.len()))).cast_unsigned(),
        };
        carry += (word >> (bit % 8) & BOTH) ^ complement;
        for digit in pair {
            *digit = carry as u32 & DIGIT_MASK;
            carry >>= DIGIT;
        }
    }
}

/// Checks the layout on samples, and uses it if they are as known.
pub fn self_check(py: Python<'_>) -> PyResult<()> {
    KNOWN.store(false, Ordering::Relaxed);
    let info = py.import("sys")?.getattr("int_info")?;
    let bits: usize = info.getattr("bits_per_digit")?.extract()?;
    let size: usize = info.getattr("sizeof_digit")?.extract()?;
    let class = py.get_type::<PyInt>();
    let basic: usize = class.getattr("__basicsize__")?.extract()?;
    let is_known = layouts::known_version(py)?.is_some()
        && bits == DIGIT
        && size == size_of::<u32>()
        && basic == size_of::<PyLongObject>();
    if is_known {
        let by_functions = samples(&class)?;
        KNOWN.store(true, Ordering::Relaxed);
        let are_as_known = are_as_known(&by_functions);
        KNOWN.store(are_as_known.unwrap_or(false), Ordering::Relaxed);
    }
    Ok(())
}

/// Ints around powers of two, and their bytes as methods give them.
fn samples<'py>(class: &Bound<'py, PyType>) -> PyResult<Vec<(Bound<'py, PyAny>, Vec<u8>)>> {
    let py = class.py();
    let one = class.call1((1,))?;
    let mut samples = Vec::new();
    for power in [0, 1, 29, 30, 31, 59, 60, 61, 63, 64, 65, 89, 90, 127, 128, 199, 240, 1000] {
        let power = one.lshift(power)?;
        for int in [power.add(-1)?, power.clone(), power.add(1)?] {
            for int in [int.neg()?, int] {
                let int = int.cast_into::<PyInt>()?;
                let bits: usize = int.call_method0(intern!(py, "bit_length"))?.extract()?;
                let bytes = by_method(int.as_borrowed(), bits / 8 + 1)?;
                samples.put((int.into_any(), bytes.as_bytes().to_vec()));
            }
        }
    }
    Ok(samples)
}

fn are_as_known(samples: &[(Bound<'_, PyAny>, Vec<u8>)]) -> PyResult<bool> {
    let mut buffer = Vec::new();
    for (int, bytes) in samples {
        let mut wide = [if bytes.last() >= Some(&0x80) { 0xFF } else { 0 }; 8];
        let fits = shorten_big(bytes).len() <= wide.len();
        let len = bytes.len().min(wide.len());
        wide[..len].copy_from_slice(&bytes[..len]);
        let expected = fits.then(|| i64::from_le_bytes(wide));
        let is_right = int_bits(int)? == expected
            && big_bytes(int, &mut buffer)? == shorten_big(bytes)
            && int_of_bytes(int.py(), bytes)?.eq(int)?
            && int_of_bytes(int.py(), bytes)?.hash()? == int.hash()?;
        if !is_right {
            return Ok(false);
        }
    }
    Ok(true)
}
