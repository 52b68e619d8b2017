//! What CPython's C API needs unsafe code for: all of it is here.
//!
//! Every function takes [`Bound`] objects, so the interpreter is attached and the objects are alive; each block says what else
//! it relies on.
#![allow(unsafe_code, reason = "CPython's C API; each block has its proof")]

use std::ffi::c_int;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// How many references there are to an object.
#[inline]
pub fn refcount(object: &Bound<'_, PyAny>) -> isize {
    // SAFETY: the pointer of a `Bound` is an object that is alive, and the interpreter is attached.
    unsafe { ffi::Py_REFCNT(object.as_ptr()) }
}

/// The next entry of a dict after a position, which starts at 0. An entry comes at most once as long as nobody changes the
/// dict's keys; if somebody does, entries may be left out or come twice, no more.
#[inline]
pub fn next_entry<'py>(
    dict: &Bound<'py, PyDict>,
    position: &mut isize,
) -> Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: `dict` is a dict that is alive. PyDict_Next checks the position against the entries that there are, whatever
    // it is, and runs no Python code.
    let found = unsafe { ffi::PyDict_Next(dict.as_ptr(), position, &raw mut key, &raw mut value) };
    if found == 0 {
        return None;
    }
    // SAFETY: found, so both are set to objects that the dict holds; since then no Python code has run, so it still does,
    // and a reference of our own may be taken.
    unsafe {
        Some((Bound::from_borrowed_ptr(dict.py(), key), Bound::from_borrowed_ptr(dict.py(), value)))
    }
}

/// An int as 64 bits, or none if it does not fit.
#[inline]
pub fn int_bits(object: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    let mut overflow: c_int = 0;
    // SAFETY: the object is alive, and `overflow` is a place for a C int. What is no int is an exception, as which it is taken below.
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

/// A tuple of so many Nones, whose items are given later by [`NewTuple::set`].
///
/// A tuple that is inside itself has to exist before its items do. It never has an item that is no object, so whoever meets
/// it before it is complete (a hook, another thread by way of the garbage collector) meets a valid tuple.
pub struct NewTuple<'py>(Bound<'py, PyTuple>);

impl<'py> NewTuple<'py> {
    /// A tuple of Nones.
    pub fn new(py: Python<'py>, len: usize) -> PyResult<NewTuple<'py>> {
        if len == 0 {
            return Ok(NewTuple(PyTuple::empty(py)));
        }
        let size = ffi::Py_ssize_t::try_from(len)?;
        // SAFETY: the size is not negative. The result is a new reference to a tuple, or null with an exception, which
        // `from_owned_ptr_or_err` takes.
        let tuple = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyTuple_New(size))? };
        for at in 0..size {
            // SAFETY: `at` is below the size. The place holds null, as PyTuple_New leaves it, and is given a reference of
            // its own. Nothing between allocates or runs Python code, so nobody has met the nulls.
            unsafe { ffi::PyTuple_SET_ITEM(tuple.as_ptr(), at, py.None().into_ptr()) };
        }
        // PyTuple_New made it, so it is one.
        Ok(NewTuple(tuple.cast_into::<PyTuple>()?))
    }

    /// The tuple, with the items that it has by now.
    pub fn tuple(&self) -> &Bound<'py, PyTuple> {
        &self.0
    }

    /// A second handle to the same tuple.
    pub fn again(&self) -> NewTuple<'py> {
        NewTuple(self.0.clone())
    }

    /// Gives the tuple an item; a place out of range is left alone.
    pub fn set(&self, at: usize, item: Bound<'py, PyAny>) {
        let len = self.0.len();
        if at >= len {
            return;
        }
        // SAFETY: `at` is below the tuple's size, which fits its type. Every place holds an object since `new`, and this
        // handle is the only one that changes places: `NewTuple` is made by `new` alone, for a tuple that no Python code
        // has made. The tuple takes over the reference to `item`; the one that it had is given up after the place is
        // overwritten, so no code that its end may run meets it there.
        unsafe {
            let size = at as ffi::Py_ssize_t;
            let before = ffi::PyTuple_GET_ITEM(self.0.as_ptr(), size);
            ffi::PyTuple_SET_ITEM(self.0.as_ptr(), size, item.into_ptr());
            ffi::Py_DECREF(before);
        }
        // SAFETY: the tuple is alive. A collector that met it with Nones alone takes it for a tuple that can never be part
        // of a cycle and stops tracking it; now it may be one. It is tracked only if it is not.
        unsafe {
            if ffi::PyObject_GC_IsTracked(self.0.as_ptr()) == 0 {
                ffi::PyObject_GC_Track(self.0.as_ptr().cast());
            }
        }
    }
}
