//! Tuples and lists that exist before their items.
#![allow(unsafe_code, reason = "CPython's C API; each block has its proof")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::made;

/// A tuple of Nones, whose items are set later by [`NewTuple::set`].
///
/// A tuple inside itself has to exist before its items do. Each of its items always is an object,
/// so code that finds it before it is complete (a hook, or another thread through the garbage
/// collector) finds a valid tuple.
pub struct NewTuple<'py>(Bound<'py, PyTuple>);

impl<'py> NewTuple<'py> {
    /// Makes a tuple of Nones.
    pub fn new(py: Python<'py>, len: usize) -> PyResult<NewTuple<'py>> {
        if len == 0 {
            return Ok(NewTuple(PyTuple::empty(py)));
        }
        let size = ffi::Py_ssize_t::try_from(len)?;
        // SAFETY: the size is not negative. The result is a new reference to a tuple, or null with an exception.
        let tuple = unsafe { made(py, || ffi::PyTuple_New(size))? };
        for at in 0..size {
            // SAFETY: `at` is below the size. The item is null, as PyTuple_New leaves it, and gets
            // a reference of its own. Nothing between allocates or runs Python code, so no other
            // code has seen the nulls.
            unsafe { ffi::PyTuple_SET_ITEM(tuple.as_ptr(), at, py.None().into_ptr()) };
        }
        // PyTuple_New made it, so it is one.
        Ok(NewTuple(tuple.cast_into::<PyTuple>()?))
    }

    /// Returns the tuple, with the items that it has so far.
    pub fn tuple(&self) -> &Bound<'py, PyTuple> {
        &self.0
    }

    /// Returns a second handle to the same tuple.
    pub fn share(&self) -> NewTuple<'py> {
        NewTuple(self.0.clone())
    }

    /// Sets an item; an index out of range is ignored.
    pub fn set(&self, at: usize, item: Bound<'py, PyAny>) {
        let len = self.0.len();
        if at >= len {
            return;
        }
        // SAFETY: `at` is below the tuple's size, which fits its type. Every item is an object
        // since `new`, and only this handle and its copies change items: `NewTuple` is made by
        // `new` alone, for a tuple that no Python code has made. The tuple takes over the reference
        // to `item`. The old one is released after it is overwritten, so no code run by its release
        // finds it there.
        unsafe {
            let size = at as ffi::Py_ssize_t;
            let before = ffi::PyTuple_GET_ITEM(self.0.as_ptr(), size);
            ffi::PyTuple_SET_ITEM(self.0.as_ptr(), size, item.into_ptr());
            ffi::Py_DECREF(before);
        }
        // SAFETY: the tuple is alive. A collector that saw it with only Nones stops tracking it, as
        // it can never be part of a cycle; now it may be. It is tracked only if it is not yet.
        unsafe {
            if ffi::PyObject_GC_IsTracked(self.0.as_ptr()) == 0 {
                ffi::PyObject_GC_Track(self.0.as_ptr().cast());
            }
        }
    }
}

/// A list of Nones, whose items are set later by [`NewList::set`].
///
/// Each of its items always is an object, so code that finds it through the garbage collector finds
/// a valid list. If such code shortens it, setting a missing item raises `IndexError`.
pub struct NewList<'py>(Bound<'py, PyList>);

impl<'py> NewList<'py> {
    /// Makes a list of Nones.
    pub fn new(py: Python<'py>, len: usize) -> PyResult<NewList<'py>> {
        let size = ffi::Py_ssize_t::try_from(len)?;
        // SAFETY: the size is not negative. The result is a new reference to a list, or null with an exception.
        let list = unsafe { made(py, || ffi::PyList_New(size))? };
        for at in 0..size {
            // SAFETY: `at` is below the size. The item is null, as PyList_New leaves it, and gets a
            // reference of its own. Nothing between allocates or runs Python code, so no other code
            // has seen the nulls.
            unsafe { ffi::PyList_SET_ITEM(list.as_ptr(), at, py.None().into_ptr()) };
        }
        // PyList_New made it, so it is one.
        Ok(NewList(list.cast_into::<PyList>()?))
    }

    /// Sets an item.
    #[inline]
    pub fn set(&self, at: usize, item: Bound<'py, PyAny>) -> PyResult<()> {
        let at = ffi::Py_ssize_t::try_from(at)?;
        // SAFETY: the list is alive; PyList_SetItem checks the index, and takes over the reference to the item.
        match unsafe { ffi::PyList_SetItem(self.0.as_ptr(), at, item.into_ptr()) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(self.0.py())),
        }
    }

    /// Returns the list.
    pub fn into_list(self) -> Bound<'py, PyList> {
        self.0
    }
}

/// Makes a list of values that are made without running Python code, such as numbers.
///
/// # Errors
/// `MemoryError`, where PyO3 panics, and what an item raises.
pub fn list_of<'py>(
    py: Python<'py>,
    items: impl ExactSizeIterator<Item = PyResult<Bound<'py, PyAny>>>,
) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: both functions are those of lists. PyList_New made it, so it is a list.
    unsafe {
        let list = filled(
            py,
            items,
            |size| ffi::PyList_New(size),
            |list, at, item| {
                ffi::PyList_SET_ITEM(list, at, item);
            },
        );
        Ok(list?.cast_into_unchecked::<PyList>())
    }
}

/// The same for a tuple.
///
/// # Errors
/// As [`list_of`].
pub fn tuple_of<'py>(
    py: Python<'py>,
    items: impl ExactSizeIterator<Item = PyResult<Bound<'py, PyAny>>>,
) -> PyResult<Bound<'py, PyTuple>> {
    // SAFETY: both functions are those of tuples. PyTuple_New made it, so it is a tuple.
    unsafe {
        let tuple = filled(
            py,
            items,
            |size| ffi::PyTuple_New(size),
            |tuple, at, item| {
                ffi::PyTuple_SET_ITEM(tuple, at, item);
            },
        );
        Ok(tuple?.cast_into_unchecked::<PyTuple>())
    }
}

/// Makes a list or tuple, and sets its items.
///
/// # Safety
/// `new` makes a list or tuple of a size that is not negative, as a new reference, or returns null with an exception; `set` sets an item below
/// the size, and takes over the reference.
#[inline]
unsafe fn filled<'py>(
    py: Python<'py>,
    items: impl ExactSizeIterator<Item = PyResult<Bound<'py, PyAny>>>,
    new: impl Fn(ffi::Py_ssize_t) -> *mut ffi::PyObject,
    set: impl Fn(*mut ffi::PyObject, ffi::Py_ssize_t, *mut ffi::PyObject),
) -> PyResult<Bound<'py, PyAny>> {
    let len = items.len();
    let size = ffi::Py_ssize_t::try_from(len)?;
    // SAFETY: the size is not negative; the caller says what `new` returns.
    let made = unsafe { made(py, || new(size))? };
    let mut filled = 0;
    for (at, item) in (0..size).zip(items) {
        // `at` is below the size, and each item is set once. CPython frees and traverses lists and tuples that have nulls still; no Python code
        // runs, which could see them.
        set(made.as_ptr(), at, item?.into_ptr());
        filled += 1;
    }
    assert_eq!(filled, len, "an iterator with fewer items than it has");
    Ok(made)
}
