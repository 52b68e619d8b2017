//! Objects of classes: their slots, their dicts, and how they are created.
#![allow(unsafe_code, reason = "CPython's C API; each block has its proof")]

use pyo3::exceptions::{PyBaseException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use pyo3::{Borrowed, ffi};

use crate::layouts;
use crate::once::intern;

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

    /// Returns the value in the slot as [`Self::get`], but borrowed.
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

/// Makes an object by the `__new__` of a builtin class, for that class or a subclass of it.
pub fn new_of<'py>(
    base: &Bound<'py, PyType>,
    class: &Bound<'py, PyType>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: both are types that are alive, one a subtype of the other as is checked first, and the bases between them live as long. The slot
    // gets a tuple, and null for no keywords, as `type.__call__` has it; it returns a new reference, or null with an exception.
    unsafe {
        if ffi::PyType_IsSubtype(class.as_type_ptr(), base.as_type_ptr()) == 0 {
            return Err(PyTypeError::new_err("a class that is not of its builtin class"));
        }
        let Some(new) = (*base.as_type_ptr()).tp_new else {
            return Err(PyTypeError::new_err("a class whose objects cannot be made"));
        };
        // A builtin class between them makes its objects otherwise, as bool does: CPython would free one that this makes with a fatal error.
        let mut each = class.as_type_ptr();
        while !each.is_null() && each != base.as_type_ptr() {
            let is_builtin = ffi::PyType_HasFeature(each, ffi::Py_TPFLAGS_HEAPTYPE) == 0;
            if is_builtin && (*each).tp_new.is_none_or(|own| !std::ptr::fn_addr_eq(own, new)) {
                return Err(PyTypeError::new_err("a builtin class that makes its objects itself"));
            }
            each = (*each).tp_base;
        }
        let object = new(class.as_type_ptr(), arguments.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(class.py(), object)
    }
}

/// Calls the `__init__` of a builtin class on an object of it or of a subclass.
pub fn init_of(
    base: &Bound<'_, PyType>,
    object: &Bound<'_, PyAny>,
    arguments: &Bound<'_, PyTuple>,
) -> PyResult<()> {
    if !object.is_instance(base)? {
        return Err(PyTypeError::new_err("an object that is not of its builtin class"));
    }
    // SAFETY: the object is of the type whose slot this is. It gets a tuple, and null for no keywords, and returns 0, or -1 with an
    // exception.
    unsafe {
        let Some(init) = (*base.as_type_ptr()).tp_init else { return Ok(()) };
        match init(object.as_ptr(), arguments.as_ptr(), std::ptr::null_mut()) {
            0 => Ok(()),
            _ => Err(PyErr::fetch(object.py())),
        }
    }
}

/// Returns the text of a string of a subclass as an exact string, by none of its methods.
pub fn exact_text<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the string is alive. The result is a new reference to an exact string, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(text.py(), ffi::PyUnicode_FromObject(text.as_ptr())) }
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

/// Whether a class sets attributes as `object` does.
pub fn sets_plainly(class: &Bound<'_, PyType>) -> bool {
    // SAFETY: a type that is alive; its slot is only read.
    unsafe { (*class.as_type_ptr()).tp_setattro }.is_some_and(|own| {
        std::ptr::fn_addr_eq(own, ffi::PyObject_GenericSetAttr as ffi::setattrofunc)
    })
}

/// Whether code of a class runs when one of its objects is freed.
pub fn has_finalizer(class: &Bound<'_, PyType>) -> bool {
    // SAFETY: a type that is alive; its slots are only read.
    unsafe {
        let class = class.as_type_ptr();
        (*class).tp_finalize.is_some() || (*class).tp_del.is_some()
    }
}

/// Whether setting an attribute of a class's objects runs a descriptor of the class.
pub fn has_data_descriptor(
    class: &Bound<'_, PyType>,
    attribute: &Bound<'_, PyString>,
) -> PyResult<bool> {
    Ok(descriptor(class, attribute)?.is_some_and(|found| {
        // SAFETY: the type of an object that is alive; its slot is only read.
        unsafe { (*ffi::Py_TYPE(found.as_ptr())).tp_descr_set.is_some() }
    }))
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
    Ok(descriptor(class, intern!(class.py(), "__dict__"))?.is_some_and(|found| {
        // SAFETY: the type of an object that is alive is compared.
        unsafe { ffi::Py_TYPE(found.as_ptr()) == &raw mut ffi::PyGetSetDescr_Type }
    }))
}

/// What a class or the first of its bases has under an attribute's name.
fn descriptor<'py>(
    class: &Bound<'py, PyType>,
    attribute: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    for base in class.mro() {
        let dict = base.getattr(intern!(class.py(), "__dict__"))?;
        if dict.contains(attribute)? {
            return dict.get_item(attribute).map(Some);
        }
    }
    Ok(None)
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

/// Returns the arguments of an exception and the dict of its attributes, if it has one. None if the object is no exception, or has a
/// cause, a context or a traceback.
pub fn exception_parts<'py>(
    exception: &Bound<'py, PyAny>,
) -> Option<(Bound<'py, PyAny>, Option<Bound<'py, PyDict>>)> {
    exception.cast::<PyBaseException>().ok()?;
    let object = exception.as_ptr().cast::<ffi::PyBaseExceptionObject>();
    // SAFETY: an exception that is alive, whose fields are read while the interpreter is attached; they are null or objects that it
    // owns. PyO3 has a larger type for the last field, which is a byte in C.
    let (arguments, attributes) = unsafe {
        let is_suppressed = (&raw const (*object).suppress_context).cast::<u8>().read() != 0;
        let causes = [(*object).traceback, (*object).context, (*object).cause];
        if is_suppressed || causes.iter().any(|cause| !cause.is_null()) {
            return None;
        }
        (
            Bound::from_borrowed_ptr_or_opt(exception.py(), (*object).args)?,
            Bound::from_borrowed_ptr_or_opt(exception.py(), (*object).dict),
        )
    };
    let attributes = attributes.map(|dict| dict.cast_into_exact::<PyDict>()).transpose();
    Some((arguments, attributes.ok()?))
}

/// Functions of a type, by which types that work alike are recognised.
pub struct Methods {
    /// The address of the function that frees an object.
    pub free: usize,
    /// The address of the function that hashes an object.
    pub hash: usize,
    /// Whether its objects are known to the garbage collector.
    pub is_collected: bool,
    /// Whether the type was made by a program, such as by a `class` statement.
    pub is_made_at_runtime: bool,
}

/// Returns functions of a type.
#[inline]
pub fn methods_of(class: &Bound<'_, PyType>) -> Methods {
    let class = class.as_type_ptr();
    // SAFETY: a type that is alive; its fields are read while the interpreter is attached.
    unsafe {
        Methods {
            free: (*class).tp_dealloc.map_or(0, |function| function as usize),
            hash: (*class).tp_hash.map_or(0, |function| function as usize),
            is_collected: ffi::PyType_HasFeature(class, ffi::Py_TPFLAGS_HAVE_GC) != 0,
            is_made_at_runtime: ffi::PyType_HasFeature(class, ffi::Py_TPFLAGS_HEAPTYPE) != 0,
        }
    }
}
