//! Unsafe calls of CPython's C API, except in the modules that handle one kind of object.
//!
//! Every function takes [`Bound`] objects, so the interpreter is attached and the objects are
//! alive; each block says what else it relies on.
#![allow(unsafe_code, reason = "CPython's C API; each block has its proof")]

mod ints;
mod objects;
mod sets;
mod unfinished;

use holdall::bindings::memory::GrowVec;
use std::ffi::c_int;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyList, PyString, PyTuple};
use pyo3::{Borrowed, ffi};

use crate::{ALLOCATOR, layouts};
pub use ints::{
    are_known as ints_are_known, big_bytes, int_bits, int_of_bytes, self_check as check_ints,
};
pub use objects::{
    Methods, Slot, dict_of, exact_text, exception_parts, has_data_descriptor, has_finalizer,
    has_plain_dict, init_of, is_ordinary, methods_of, new_object, new_of, set_attribute,
    sets_plainly,
};
pub use sets::{are_as_known as sets_are_as_known, members};
pub use unfinished::{NewList, NewTuple, list_of, tuple_of};

/// Whether something can lead to an object a second time: more references than the caller knows of,
/// or weak ones, which count for nothing but may be followed.
#[inline]
pub fn is_shared(object: &Bound<'_, PyAny>, known: isize) -> bool {
    // SAFETY: the pointer of a `Bound` is an object that is alive, and the interpreter is attached.
    unsafe { ffi::Py_REFCNT(object.as_ptr()) > known || has_weak_references(object) }
}

/// Whether weak references to an object exist. Classes are left out: those of CPython keep theirs
/// elsewhere.
#[inline]
fn has_weak_references(object: &Bound<'_, PyAny>) -> bool {
    let pointer = object.as_ptr();
    // SAFETY: the object is alive. Where its type has an offset, the object has at this distance the
    // head of the list of its weak references, a pointer that may be null; CPython itself finds it so
    // (`PyObject_GET_WEAKREFS_LISTPTR`), except for classes.
    unsafe {
        let offset = (*ffi::Py_TYPE(pointer)).tp_weaklistoffset;
        offset != 0
            && ffi::PyType_Check(pointer) == 0
            && !pointer.byte_offset(offset).cast::<*mut ffi::PyObject>().read().is_null()
    }
}

/// Returns the next entry of a dict after a position, which starts at 0. As long as the dict's keys
/// do not change, each entry comes at most once; if they do, entries may be missing or come twice,
/// nothing worse.
#[inline]
pub fn next_entry<'py>(
    dict: &Bound<'py, PyDict>,
    position: &mut isize,
) -> Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (key, value) = entry_of(dict, position)?;
    // SAFETY: both are objects that the dict holds; no Python code has run since they were found,
    // so it still does, and a new reference may be taken.
    unsafe {
        Some((Bound::from_borrowed_ptr(dict.py(), key), Bound::from_borrowed_ptr(dict.py(), value)))
    }
}

/// Whether a key is a string of this text: a parser makes new strings for keys each time.
pub fn is_same_text(key: &Bound<'_, PyAny>, known: &Bound<'_, PyString>) -> bool {
    match (text_of(key.as_borrowed()), utf8(known)) {
        (Some(key), Ok(known)) => key == known,
        _ => false,
    }
}

/// Returns the hash of a key that is a string, which Python keeps in the string.
#[inline]
pub fn hash_of(key: Borrowed<'_, '_, PyAny>) -> Option<isize> {
    let key = key.cast_exact::<PyString>().ok()?;
    // SAFETY: the string is alive; its hash runs only code of str itself, which never fails.
    unsafe {
        if layouts::are_trusted() {
            let kept = (*key.as_ptr().cast::<ffi::PyASCIIObject>()).hash;
            if kept != -1 {
                return Some(kept);
            }
        }
        Some(ffi::PyObject_Hash(key.as_ptr()))
    }
}

/// Returns the text of a key that is a string without lone surrogates.
#[inline]
pub fn text_of<'o>(key: Borrowed<'o, '_, PyAny>) -> Option<&'o str> {
    if !key.is_exact_instance_of::<PyString>() {
        return None;
    }
    // A cast with a check of its own was a call, which took a tenth of the time for a list of strings.
    // SAFETY: it is a string, as was just checked.
    let key = unsafe { key.cast_unchecked::<PyString>() };
    // SAFETY: only the lifetime changes: the characters stay in place while the string is alive,
    // for 'o at least.
    utf8(&key).ok().map(|text| unsafe { &*std::ptr::from_ref(text) })
}

/// Returns the content of an object that is exactly a bytes object.
#[inline]
pub fn content_of<'o>(object: Borrowed<'o, '_, PyAny>) -> Option<&'o [u8]> {
    let bytes = object.cast_exact::<PyBytes>().ok()?;
    // SAFETY: only the lifetime changes: the content never does, and is in place while the object is alive, for 'o at
    // least.
    Some(unsafe { &*std::ptr::from_ref(bytes.as_bytes()) })
}

/// Returns the next key and value of a dict, borrowed: valid until something changes the dict.
#[inline]
pub fn entry_of(
    dict: &Bound<'_, PyDict>,
    position: &mut isize,
) -> Option<(*mut ffi::PyObject, *mut ffi::PyObject)> {
    let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: `dict` is a dict that is alive. PyDict_Next checks any position against the number of
    // entries, and runs no Python code; where it finds an entry it sets both.
    let found = unsafe { ffi::PyDict_Next(dict.as_ptr(), position, &raw mut key, &raw mut value) };
    (found != 0).then_some((key, value))
}

/// Appends the ints of a list from one position on, while they fit 64 bits, at most `most`; returns
/// how many.
#[inline]
pub fn ints(list: &Bound<'_, PyList>, from: usize, most: usize, ints: &mut Vec<u64>) -> usize {
    run(list, from, most, ints, |item| {
        // SAFETY: the item is alive while its value is read.
        let item = unsafe { Borrowed::from_ptr(list.py(), item) };
        let bits = int_bits(item.cast_exact::<PyInt>().ok()?.as_any()).ok()??;
        Some(bits.cast_unsigned())
    })
}

/// Appends the floats of a list, as `ints` does with ints.
#[inline]
pub fn floats(list: &Bound<'_, PyList>, from: usize, most: usize, floats: &mut Vec<f64>) -> usize {
    run(list, from, most, floats, |item| {
        // SAFETY: the item is alive, and an exact float before its value is read.
        unsafe { (ffi::PyFloat_CheckExact(item) != 0).then(|| ffi::PyFloat_AS_DOUBLE(item)) }
    })
}

/// Appends the results of `take` for a list's items from one position on, until it returns none, at
/// most `most`; returns how many. `take` gets an object that is alive, and runs no Python code.
#[inline]
fn run<T>(
    list: &Bound<'_, PyList>,
    from: usize,
    most: usize,
    taken: &mut Vec<T>,
    take: impl Fn(*mut ffi::PyObject) -> Option<T>,
) -> usize {
    let before = taken.len();
    // SAFETY: `take` runs no Python code, so nothing changes the list or what it holds.
    let items = unsafe { items_of(list) }.get(from..).unwrap_or_default();
    taken.put_each(items.iter().take(most).map_while(|item| take(item.as_ptr())));
    taken.len() - before
}

/// Returns the items of a list, borrowed.
///
/// # Safety
/// Nothing changes the list, or frees what it holds, while the items are used.
#[inline]
pub unsafe fn items_of<'l, 'py>(list: &'l Bound<'py, PyList>) -> &'l [Borrowed<'l, 'py, PyAny>] {
    let len = list.len();
    // A list that never had items has no memory for them.
    if len == 0 {
        return &[];
    }
    // SAFETY: the list is alive, and has `len` items one after the other, as `PyList_GET_ITEM` reads them. A `Borrowed` is the
    // address of an object alone, which the list holds as long as the caller guarantees.
    unsafe {
        let items = (*list.as_ptr().cast::<ffi::PyListObject>()).ob_item;
        std::slice::from_raw_parts(items.cast(), len)
    }
}

/// Returns an item of a list, borrowed.
///
/// # Safety
/// As for [`items_of`].
#[inline]
pub unsafe fn item_of<'l, 'py>(
    list: &'l Bound<'py, PyList>,
    at: usize,
) -> Option<Borrowed<'l, 'py, PyAny>> {
    // SAFETY: as the caller says.
    unsafe { items_of(list) }.get(at).copied()
}

/// Returns the strings of a list from one item on, up to the first item that is none or has lone
/// surrogates.
///
/// # Safety
/// As for [`item_of`], while one of them is used.
#[inline]
pub unsafe fn texts<'l>(list: &'l Bound<'_, PyList>, from: usize) -> impl Iterator<Item = &'l str> {
    // SAFETY: as the caller says.
    let items = unsafe { items_of(list) }.get(from..).unwrap_or_default();
    items.iter().map_while(|item| text_of(*item))
}

/// Returns the text of a string; an error if it has lone surrogates.
#[inline]
pub fn utf8<'o>(text: &'o Bound<'_, PyString>) -> PyResult<&'o str> {
    if !layouts::are_trusted() {
        return text.to_str();
    }
    // SAFETY: the string is alive. A compact ASCII string contains its characters as `len` bytes,
    // and nothing changes them while it lives.
    unsafe {
        if ffi::PyUnicode_IS_COMPACT_ASCII(text.as_ptr()) == 0 {
            return text.to_str();
        }
        let len = ffi::PyUnicode_GET_LENGTH(text.as_ptr()).cast_unsigned();
        let characters = ffi::PyUnicode_DATA(text.as_ptr()).cast::<u8>();
        Ok(std::str::from_utf8_unchecked(std::slice::from_raw_parts(characters, len)))
    }
}

/// Makes a float. PyO3's constructors of numbers and bytes panic where memory is exhausted.
#[inline]
pub fn float(py: Python<'_>, value: f64) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: the interpreter is attached. The result is a new reference, or null with an exception.
    unsafe { made(py, || ffi::PyFloat_FromDouble(value)) }
}

/// Makes an int.
#[inline]
pub fn int(py: Python<'_>, value: i64) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: as in `float`.
    unsafe { made(py, || ffi::PyLong_FromLongLong(value)) }
}

/// Makes an int without a sign.
#[inline]
pub fn unsigned(py: Python<'_>, value: u64) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: as in `float`.
    unsafe { made(py, || ffi::PyLong_FromUnsignedLongLong(value)) }
}

/// Makes a complex number.
pub fn complex(py: Python<'_>, real: f64, imaginary: f64) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: as in `float`.
    unsafe { made(py, || ffi::PyComplex_FromDoubles(real, imaginary)) }
}

/// Makes an empty dict.
#[inline]
pub fn dict(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    // SAFETY: as in `float`.
    unsafe { Ok(made(py, || ffi::PyDict_New())?.cast_into_unchecked::<PyDict>()) }
}

/// Makes an empty list.
#[inline]
pub fn list(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    // SAFETY: as in `float`.
    unsafe { Ok(made(py, || ffi::PyList_New(0))?.cast_into_unchecked::<PyList>()) }
}

/// Returns what a function of CPython makes. If there is no memory for it, it is called once more without the large blocks that
/// are kept.
///
/// # Safety
/// The function returns a new reference, or null with an exception, and can be called twice.
#[inline]
pub unsafe fn made<'py>(
    py: Python<'py>,
    make: impl Fn() -> *mut ffi::PyObject,
) -> PyResult<Bound<'py, PyAny>> {
    let mut object = make();
    if object.is_null() && ALLOCATOR.free_all() {
        drop(PyErr::take(py));
        object = make();
    }
    // SAFETY: as the caller says.
    unsafe { Bound::from_owned_ptr_or_err(py, object) }
}

/// Makes bytes.
#[inline]
pub fn bytes<'py>(py: Python<'py>, value: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let len = ffi::Py_ssize_t::try_from(value.len())?;
    // SAFETY: the address is that of `len` bytes, which are copied. The result is a new reference to bytes, or null with an
    // exception.
    unsafe {
        let bytes = made(py, || ffi::PyBytes_FromStringAndSize(value.as_ptr().cast(), len))?;
        Ok(bytes.cast_into_unchecked::<PyBytes>())
    }
}

/// Copies the bytes of a buffer, by its type's own function.
pub fn bytes_of<'py>(buffer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    // SAFETY: the object is alive. The result is a new reference to bytes, or null with an exception.
    unsafe {
        let made = ffi::PyBytes_FromObject(buffer.as_ptr());
        Ok(Bound::from_owned_ptr_or_err(buffer.py(), made)?.cast_into_unchecked::<PyBytes>())
    }
}

/// Makes a bytearray.
pub fn byte_array<'py>(py: Python<'py>, value: &[u8]) -> PyResult<Bound<'py, PyByteArray>> {
    let len = ffi::Py_ssize_t::try_from(value.len())?;
    // SAFETY: as in `bytes`.
    unsafe {
        let array = made(py, || ffi::PyByteArray_FromStringAndSize(value.as_ptr().cast(), len))?;
        Ok(array.cast_into_unchecked::<PyByteArray>())
    }
}

/// Makes a string.
#[inline]
pub fn text<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    // Python keeps strings of at most one character.
    let len = ffi::Py_ssize_t::try_from(text.len())?;
    if len < 2 || !text.is_ascii() || !layouts::are_trusted() {
        // SAFETY: the address is that of `len` bytes of UTF-8. The result is a new reference, or null with an exception.
        return unsafe { made(py, || ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), len)) };
    }
    // SAFETY: PyUnicode_New with a largest character of 127 returns a new, unshared string of `len`
    // bytes of ASCII, one for each character, or null with an exception. The copied text is ASCII,
    // and as long.
    unsafe {
        let string = made(py, || ffi::PyUnicode_New(len, 127))?;
        let characters = ffi::PyUnicode_DATA(string.as_ptr()).cast::<u8>();
        std::ptr::copy_nonoverlapping(text.as_ptr(), characters, text.len());
        Ok(string)
    }
}

/// Makes a string for a name.
pub fn name<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyString>> {
    Ok(text(py, name)?.cast_into()?)
}

/// Switches the garbage collector off; returns whether it was on.
pub fn switch_collector_off(_: Python<'_>) -> bool {
    // SAFETY: the interpreter is attached, as the token says.
    unsafe { ffi::PyGC_Disable() != 0 }
}

/// Switches it on.
pub fn switch_collector_on(_: Python<'_>) {
    // SAFETY: as above.
    unsafe { ffi::PyGC_Enable() };
}

/// Fills a read-only view of bytes, which keeps their owner alive.
///
/// # Safety
/// `view` is a location for a view that the interpreter passed. From `address` on are `len` bytes
/// while `owner` is alive, or it is null and `len` is 0.
pub unsafe fn fill_buffer(
    owner: Bound<'_, PyAny>,
    address: *const u8,
    len: usize,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    let py = owner.py();
    let len = ffi::Py_ssize_t::try_from(len)?;
    let address = address.cast_mut().cast();
    // SAFETY: as the caller says; it is read-only, so nothing writes there. It takes its own
    // reference to the owner.
    match unsafe { ffi::PyBuffer_FillInfo(view, owner.as_ptr(), address, len, 1, flags) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(py)),
    }
}

/// Calls a function with arguments by these names.
#[inline]
pub fn call_by_names<'py>(
    function: &Bound<'py, PyAny>,
    values: &[Bound<'py, PyAny>],
    names: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    if values.len() != names.len() {
        return Err(pyo3::exceptions::PyTypeError::new_err("a value for each name"));
    }
    // SAFETY: all are alive, and there are as many values as names, which are strings. A `Bound` is
    // a pointer to its object (`repr(transparent)`), so the slice is an array of such. The result
    // is a new reference, or null with an exception.
    unsafe {
        let values = values.as_ptr().cast::<*mut ffi::PyObject>();
        let made = ffi::PyObject_Vectorcall(function.as_ptr(), values, 0, names.as_ptr());
        Bound::from_owned_ptr_or_err(function.py(), made)
    }
}
