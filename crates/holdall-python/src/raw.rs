//! Unsafe calls of CPython's C API, except in the modules that handle one kind of object.
//!
//! Every function takes [`Bound`] objects, so the interpreter is attached and the objects are
//! alive; each block says what else it relies on.
#![allow(unsafe_code, reason = "CPython's C API; each block has its proof")]

use std::ffi::c_int;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};
use pyo3::{Borrowed, ffi};

use crate::layouts;

/// Returns the number of references to an object.
#[inline]
pub fn refcount(object: &Bound<'_, PyAny>) -> isize {
    // SAFETY: the pointer of a `Bound` is an object that is alive, and the interpreter is attached.
    unsafe { ffi::Py_REFCNT(object.as_ptr()) }
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
    let key = key.cast_exact::<PyString>().ok()?;
    // SAFETY: only the lifetime changes: the characters stay in place while the string is alive,
    // for 'o at least.
    utf8(&key).ok().map(|text| unsafe { &*std::ptr::from_ref(text) })
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
        // SAFETY: the item is alive. Of an exact int, PyLong_AsLongLongAndOverflow calls no method and sets no exception.
        unsafe {
            if ffi::PyLong_CheckExact(item) == 0 {
                return None;
            }
            let mut overflow: c_int = 0;
            let value = ffi::PyLong_AsLongLongAndOverflow(item, &raw mut overflow);
            (overflow == 0).then_some(value.cast_unsigned())
        }
    })
}

/// The same for floats.
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
    let end = list.len().min(from + most);
    taken.extend((from..end).map_while(|at| take(item(list, at)?)));
    taken.len() - before
}

/// Returns an item of a list, borrowed.
///
/// # Safety
/// Nothing changes the list, or frees what it holds, while the item is used.
#[inline]
pub unsafe fn item_of<'l, 'py>(
    list: &'l Bound<'py, PyList>,
    at: usize,
) -> Option<Borrowed<'l, 'py, PyAny>> {
    if at >= list.len() {
        return None;
    }
    // SAFETY: the list is alive and has an item at `at`, as was just checked, and holds it as long
    // as the caller guarantees.
    unsafe {
        let item = ffi::PyList_GET_ITEM(list.as_ptr(), ffi::Py_ssize_t::try_from(at).ok()?);
        Some(Borrowed::from_ptr(list.py(), item))
    }
}

/// Returns the strings of a list from one item on, up to the first item that is none or has lone
/// surrogates.
///
/// # Safety
/// As for [`item_of`], while one of them is used.
#[inline]
pub unsafe fn texts<'l>(list: &'l Bound<'_, PyList>, from: usize) -> impl Iterator<Item = &'l str> {
    // SAFETY: as the caller says.
    (from..).map_while(move |at| text_of(unsafe { item_of(list, at) }?))
}

/// Returns an item of a list, borrowed: valid until something changes the list.
#[inline]
fn item(list: &Bound<'_, PyList>, at: usize) -> Option<*mut ffi::PyObject> {
    let at = ffi::Py_ssize_t::try_from(at).ok()?;
    // SAFETY: the list is alive; PyList_GetItem checks the index.
    let item = unsafe { ffi::PyList_GetItem(list.as_ptr(), at) };
    if item.is_null() {
        // It was out of range, which is no exception of the caller.
        drop(PyErr::take(list.py()));
        return None;
    }
    Some(item)
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

/// Makes a string.
#[inline]
pub fn text<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    // Python keeps strings of at most one character.
    if text.len() < 2 || !text.is_ascii() || !layouts::are_trusted() {
        return Ok(PyString::new(py, text).into_any());
    }
    let len = ffi::Py_ssize_t::try_from(text.len())?;
    // SAFETY: PyUnicode_New with a largest character of 127 returns a new, unshared string of `len`
    // bytes of ASCII, one for each character, or null with an exception. The copied text is ASCII,
    // and as long.
    unsafe {
        let made = Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_New(len, 127))?;
        let characters = ffi::PyUnicode_DATA(made.as_ptr()).cast::<u8>();
        std::ptr::copy_nonoverlapping(text.as_ptr(), characters, text.len());
        Ok(made)
    }
}

/// The position of an attribute of `__slots__` in the objects of a class.
pub struct Slot {
    class: Py<PyType>,
    offset: isize,
}

impl Slot {
    /// Returns the slot of an attribute, if it has one: then reading it runs no code of the class.
    pub fn of(class: &Bound<'_, PyType>, attribute: &Bound<'_, PyString>) -> Option<Slot> {
        if !layouts::are_trusted() {
            return None;
        }
        let descriptor = class.getattr(attribute).ok()?;
        // SAFETY: the type of the descriptor is compared before it is read as one, and it is alive.
        // It points into the type that made it, which it holds.
        let (of, member) = unsafe {
            if ffi::Py_TYPE(descriptor.as_ptr()) != &raw mut ffi::PyMemberDescr_Type {
                return None;
            }
            let descriptor = descriptor.as_ptr().cast::<ffi::PyMemberDescrObject>();
            ((*descriptor).d_common.d_type, &*(*descriptor).d_member)
        };
        let is_plain = member.type_code == ffi::Py_T_OBJECT_EX
            && member.flags & !ffi::Py_READONLY == 0
            && member.offset > 0;
        // SAFETY: both are types that are alive: one by `class`, one by the descriptor.
        let is_its = unsafe { ffi::PyType_IsSubtype(class.as_type_ptr(), of) != 0 };
        (is_plain && is_its).then(|| Slot { class: class.clone().unbind(), offset: member.offset })
    }

    /// Returns the value in the slot; `None` if it is empty, or the object is of another class.
    #[inline]
    pub fn get<'py>(&self, object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
        // SAFETY: the interpreter is attached, so nothing changes the slot until the reference is
        // taken.
        unsafe { self.get_borrowed(object).map(Borrowed::to_owned) }
    }

    /// The same, borrowed.
    ///
    /// # Safety
    /// Nothing changes the object, or frees what it holds, while the value is used.
    #[inline]
    pub unsafe fn get_borrowed<'o, 'py>(
        &self,
        object: &'o Bound<'py, PyAny>,
    ) -> Option<Borrowed<'o, 'py, PyAny>> {
        if !self.is_of(object) {
            return None;
        }
        // SAFETY: the object is of the class, whose objects have a pointer to an object, or null,
        // at this offset: that is what its descriptor says, which lives as long as the class. The
        // object holds the value as long as the caller guarantees.
        unsafe {
            let value =
                *object.as_ptr().cast::<u8>().offset(self.offset).cast::<*mut ffi::PyObject>();
            Borrowed::from_ptr_or_opt(object.py(), value)
        }
    }

    #[inline]
    fn is_of(&self, object: &Bound<'_, PyAny>) -> bool {
        object.get_type_ptr().cast() == self.class.as_ptr()
    }

    /// Sets the slot; returns the value if the object is of another class.
    #[inline]
    pub fn set<'py>(
        &self,
        object: &Bound<'_, PyAny>,
        value: Bound<'py, PyAny>,
    ) -> Result<(), Bound<'py, PyAny>> {
        if !self.is_of(object) {
            return Err(value);
        }
        // SAFETY: the slot is as in `get`. It takes over the reference to the value. The old one is
        // released after it is overwritten, so that code run by its release does not find it there.
        unsafe {
            let place =
                object.as_ptr().cast::<u8>().offset(self.offset).cast::<*mut ffi::PyObject>();
            let before = std::mem::replace(&mut *place, value.into_ptr());
            ffi::Py_XDECREF(before);
        }
        Ok(())
    }
}

/// Whether `object.__new__` makes the objects of a class: they have attributes and slots, and
/// nothing of a builtin class.
pub fn is_ordinary(class: &Bound<'_, PyType>) -> bool {
    // SAFETY: both are types that are alive; their tp_new is set when they are made ready and only read here.
    unsafe {
        let own = (*class.as_type_ptr()).tp_new;
        let of_object = ffi::PyBaseObject_Type.tp_new;
        match (own, of_object) {
            (Some(own), Some(of_object)) => std::ptr::fn_addr_eq(own, of_object),
            _ => false,
        }
    }
}

/// Makes an object of a class by `object.__new__`, without its constructor; `None` for a class that
/// is not ordinary.
#[inline]
pub fn new_object<'py>(
    class: &Bound<'py, PyType>,
    empty: &Bound<'py, PyTuple>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    if !is_ordinary(class) {
        return None;
    }
    // SAFETY: the class is alive and made by `object.__new__`, which this calls with no arguments:
    // a tuple, and null for no keywords. It returns a new reference, or null with an exception.
    unsafe {
        let new = (*class.as_type_ptr()).tp_new?;
        let object = new(class.as_type_ptr(), empty.as_ptr(), std::ptr::null_mut());
        Some(Bound::from_owned_ptr_or_err(class.py(), object))
    }
}

/// Sets an attribute as `object.__setattr__` does, whatever the class defines.
#[inline]
pub fn set_attribute(
    object: &Bound<'_, PyAny>,
    name: &Bound<'_, PyString>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    // SAFETY: all three are alive, and the name is a str. `object.__setattr__` calls the same
    // function; an exception is taken.
    let done =
        unsafe { ffi::PyObject_GenericSetAttr(object.as_ptr(), name.as_ptr(), value.as_ptr()) };
    if done == 0 { Ok(()) } else { Err(PyErr::fetch(object.py())) }
}

/// Whether setting an attribute of a class's objects runs a descriptor of the class.
pub fn has_data_descriptor(
    class: &Bound<'_, PyType>,
    attribute: &Bound<'_, PyString>,
) -> PyResult<bool> {
    for base in class.mro() {
        let dict = base.getattr(pyo3::intern!(class.py(), "__dict__"))?;
        if dict.contains(attribute)? {
            let descriptor = dict.get_item(attribute)?;
            // SAFETY: the type of an object that is alive; its slot is only read.
            return Ok(unsafe { (*ffi::Py_TYPE(descriptor.as_ptr())).tp_descr_set.is_some() });
        }
    }
    Ok(false)
}

/// Whether the attributes of a class's objects are in a dict that [`dict_of`] returns, and no code
/// of the class overrides that.
pub fn has_plain_dict(class: &Bound<'_, PyType>) -> PyResult<bool> {
    // SAFETY: a type that is alive; its slot is only read.
    let is_generic = unsafe { (*class.as_type_ptr()).tp_getattro }.is_some_and(|own| {
        std::ptr::fn_addr_eq(own, ffi::PyObject_GenericGetAttr as ffi::getattrofunc)
    });
    if !is_generic {
        return Ok(false);
    }
    let name = pyo3::intern!(class.py(), "__dict__");
    for base in class.mro() {
        let dict = base.getattr(name)?;
        if dict.contains(name)? {
            let descriptor = dict.get_item(name)?;
            // SAFETY: the type of an object that is alive is compared.
            return Ok(unsafe {
                ffi::Py_TYPE(descriptor.as_ptr()) == &raw mut ffi::PyGetSetDescr_Type
            });
        }
    }
    Ok(false)
}

/// Returns the dict of an object's attributes, created if there is none yet, for a class that
/// [`has_plain_dict`].
#[inline]
pub fn dict_of<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
    // SAFETY: the object is alive. The result is a new reference, or null with an exception, which
    // is taken.
    let dict = unsafe {
        let dict = ffi::PyObject_GenericGetDict(object.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(object.py(), dict)
    };
    dict.ok()?.cast_into_exact::<PyDict>().ok()
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

/// Returns an int as 64 bits, or `None` if it does not fit.
#[inline]
pub fn int_bits(object: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
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
        // SAFETY: the size is not negative. The result is a new reference to a tuple, or null with an exception, which
        // `from_owned_ptr_or_err` takes.
        let tuple = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyTuple_New(size))? };
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

/// A list of Nones, whose items are set later by [`NewList::set`].
///
/// Each of its items always is an object, so code that finds it through the garbage collector finds
/// a valid list. If such code shortens it, setting a missing item raises `IndexError`.
pub struct NewList<'py>(Bound<'py, PyList>);

impl<'py> NewList<'py> {
    /// Makes a list of Nones.
    pub fn new(py: Python<'py>, len: usize) -> PyResult<NewList<'py>> {
        let size = ffi::Py_ssize_t::try_from(len)?;
        // SAFETY: the size is not negative. The result is a new reference to a list, or null with an exception, which
        // `from_owned_ptr_or_err` takes.
        let list = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyList_New(size))? };
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
