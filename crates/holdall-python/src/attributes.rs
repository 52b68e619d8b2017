//! Writes the attributes of new objects where CPython keeps them while an object has no dict, which
//! saves a look-up for each.
//!
//! The layout is in CPython's private headers: `Include/internal/pycore_object.h` and
//! `pycore_dict.h`. It differs by version; [`DictValues::of`] knows those of 3.11, 3.12 and 3.13
//! without free threads. The position of each attribute is learned from an object whose attributes
//! were set one by one: the objects of a class share their keys, to which new ones are only
//! appended. Under any other Python, and where [`layouts`] found something else, nothing is
//! learned.
#![allow(unsafe_code, reason = "the memory of CPython's objects; each block has its proof")]

use std::sync::atomic::{AtomicU8, Ordering};

use arrayvec::ArrayVec;
use holdall::bindings::memory::GrowVec;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use pyo3::{Borrowed, ffi};

use crate::entries::{Pair, SharedKeys};
use crate::{layouts, raw};

/// `SHARED_KEYS_MAX_SIZE`.
const SHARED_KEYS_MAX_SIZE: usize = 30;

/// `Py_TPFLAGS_INLINE_VALUES`, since 3.13.
const INLINE_VALUES: std::ffi::c_ulong = 1 << 2;

/// The minor version of this Python, once its layout is confirmed; 0 before the check, and if no
/// layout is known.
static VERSION: AtomicU8 = AtomicU8::new(0);

/// The values of an object's attributes.
struct DictValues {
    values: *mut *mut ffi::PyObject,
    /// Points to their number.
    size: *mut u8,
    /// Points to the numbers of the attributes, in the order in which they were set; `step` is the
    /// distance between two.
    first: *mut u8,
    step: isize,
    /// A lower bound of the number of slots.
    room: usize,
}

impl DictValues {
    /// Returns the values of an object that has no dict.
    ///
    /// # Safety
    /// Nothing else uses the object's attributes while the values are used.
    unsafe fn of(object: &Bound<'_, PyAny>) -> Option<DictValues> {
        let version = VERSION.load(Ordering::Relaxed);
        let pointer = object.as_ptr();
        // SAFETY: the object is alive, and its type says that it has a managed dict: then there are
        // four pointers before it, as `_PyObject_ManagedDictPointer` and `MANAGED_WEAKREF_OFFSET`
        // have it. The values have the layout in the headers of the version, which `self_check`
        // confirmed.
        unsafe {
            let flags = ffi::PyType_GetFlags(ffi::Py_TYPE(pointer));
            if version == 0 || flags & ffi::Py_TPFLAGS_MANAGED_DICT == 0 {
                return None;
            }
            let before = pointer.cast::<*mut u8>();
            let dict = *before.sub(3);
            let values = match version {
                11 if dict.is_null() => *before.sub(4),
                // It is not a dict if the lowest bit is set.
                12 if dict.addr() & 1 == 1 => dict.add(1),
                13 if dict.is_null() && flags & INLINE_VALUES != 0 => {
                    return DictValues::inline(pointer);
                }
                _ => return None,
            };
            if values.is_null() {
                return None;
            }
            let (prefix, size) = (values.sub(1), values.sub(2));
            Some(DictValues {
                values: values.cast(),
                size,
                first: size.sub(1),
                step: -1,
                room: usize::from(*prefix).saturating_sub(2),
            })
        }
    }

    /// Returns the values of 3.13, which are in the object: `struct _dictvalues`.
    ///
    /// # Safety
    /// As for `of`, for an object whose type has the flag.
    unsafe fn inline(object: *mut ffi::PyObject) -> Option<DictValues> {
        // SAFETY: as the caller says: they come after the object's head, four bytes, then the values, aligned.
        unsafe {
            let head = object.add(1).cast::<u8>();
            let (capacity, is_valid) = (usize::from(*head), *head.add(3));
            if is_valid != 1 {
                return None;
            }
            let values = head.add(8).cast::<*mut ffi::PyObject>();
            let first = values.add(capacity).cast::<u8>();
            Some(DictValues { values, size: head.add(1), first, step: 1, room: capacity })
        }
    }
}

/// The names and values of an object's attributes, in the order in which they were set, read in
/// place: this creates no dict.
#[derive(Clone)]
pub struct Own<'o, 'py> {
    object: Borrowed<'o, 'py, PyAny>,
    names: SharedKeys<'o>,
    values: *mut *mut ffi::PyObject,
    next: *mut u8,
    step: isize,
    left: u8,
}

impl<'o, 'py> Own<'o, 'py> {
    /// Returns them, if the layout is known and the object has no dict.
    ///
    /// # Safety
    /// Nothing changes the object, or frees what it holds, while these or their items are used.
    #[inline]
    pub unsafe fn of(object: &'o Bound<'py, PyAny>) -> Option<Own<'o, 'py>> {
        let (keys, _) = shared_keys(&object.get_type())?;
        // SAFETY: as the caller says; the keys are those of the object's class, which it holds.
        unsafe {
            let DictValues { values, size, first, step, room } = DictValues::of(object)?;
            let left = *size;
            if usize::from(left) > room {
                return None;
            }
            let names = SharedKeys::of(keys)?;
            Some(Own { object: object.as_borrowed(), names, values, next: first, step, left })
        }
    }
}

impl<'o, 'py> Iterator for Own<'o, 'py> {
    type Item = Pair<'o, 'py>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let py = self.object.py();
        // SAFETY: the creator guarantees that nothing has changed: there are this many numbers,
        // each of an attribute with a value.
        unsafe {
            let number = *self.next;
            self.next = self.next.offset(self.step);
            let name = self.names.name(number)?;
            let value = *self.values.add(usize::from(number));
            Some((Borrowed::from_ptr(py, name), Borrowed::from_ptr_or_opt(py, value)?))
        }
    }
}

/// The positions of the attributes of a class's objects, set in a fixed order.
pub struct Attributes {
    class: Py<PyType>,
    /// The keys that its objects share, and the version of the class: another version may do more
    /// when an attribute is set.
    keys: usize,
    version: u32,
    places: ArrayVec<u8, SHARED_KEYS_MAX_SIZE>,
}

impl Attributes {
    /// Learns from a new object whose attributes of these names were set one by one, if it has no
    /// others and keeps this order.
    pub fn learn<'py>(
        object: &Bound<'py, PyAny>,
        names: &[&Bound<'py, PyString>],
    ) -> Option<Attributes> {
        let class = object.get_type();
        let count = names.len();
        // SAFETY: nothing else uses the object up to the end of the block. There are as many
        // numbers as values, and at least that many slots.
        let places = unsafe {
            let own = Own::of(object)?;
            if usize::from(own.left) != count || count > SHARED_KEYS_MAX_SIZE {
                return None;
            }
            let is_it = |((own, _), name): (Pair<'_, '_>, &&Bound<'_, PyString>)| {
                own.is(name) || raw::text_of(own).is_some_and(|own| *name == own)
            };
            let place = |at: usize| *own.next.offset(own.step * at as isize);
            let places = (0..count).map(place).collect();
            own.zip(names).all(is_it).then_some(places)?
        };
        let (keys, version) = shared_keys(&class)?;
        Some(Attributes { class: class.unbind(), keys, version, places })
    }

    /// Sets the attributes of a new object, in that order. Returns false if it did nothing.
    #[inline]
    pub fn fill<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        values: &mut Vec<Bound<'py, PyAny>>,
        from: usize,
    ) -> bool {
        let class = object.get_type();
        if values.len() - from != self.places.len()
            || class.as_ptr() != self.class.as_ptr()
            || shared_keys(&class) != Some((self.keys, self.version))
        {
            return false;
        }
        // SAFETY: the object is of the class, has no attributes yet (its size is 0, its slots are
        // null), and nothing else has it. Its class's objects share the keys that were learned
        // from, which are only ever appended to, so each position is valid and belongs to the same
        // attribute. The writes are those of `_PyObject_StoreInstanceAttribute`: the value, which
        // the object takes over, its number, and one more in size.
        unsafe {
            let Some(own) = DictValues::of(object) else { return false };
            if *own.size != 0 || own.room < self.places.len() {
                return false;
            }
            for (at, (place, value)) in self.places.iter().zip(values.drain(from..)).enumerate() {
                *own.values.add(usize::from(*place)) = value.into_ptr();
                *own.first.offset(own.step * at as isize) = *place;
            }
            *own.size = self.places.len() as u8;
        }
        true
    }
}

/// Returns the keys that the objects of a class share, and its version.
#[inline]
fn shared_keys(class: &Bound<'_, PyType>) -> Option<(usize, u32)> {
    // SAFETY: the type is alive; one made by a class statement is a `PyHeapTypeObject`, and its keys are only read.
    unsafe {
        let pointer = class.as_type_ptr();
        if ffi::PyType_HasFeature(pointer, ffi::Py_TPFLAGS_HEAPTYPE) == 0 {
            return None;
        }
        let keys = (*pointer.cast::<ffi::PyHeapTypeObject>()).ht_cached_keys.addr();
        // A changed class has no version until an attribute is looked up.
        let version = (*pointer).tp_version_tag;
        (keys != 0 && version != 0).then_some((keys, version))
    }
}

/// Checks the layout of attributes on sample objects, and uses it from then on if it is right.
pub fn self_check(py: Python<'_>) -> PyResult<()> {
    let Some(minor) = layouts::known_version(py)? else { return Ok(()) };
    VERSION.store(minor, Ordering::Relaxed);
    for count in [1, 3, 8, 20] {
        if !is_as_known(py, count).unwrap_or(false) {
            forget();
        }
    }
    Ok(())
}

fn is_as_known(py: Python<'_>, count: usize) -> PyResult<bool> {
    let class = py.get_type::<PyType>().call1(("Attributes", (), raw::dict(py)?))?;
    let class = class.cast_into::<PyType>()?;
    let names: Vec<_> = (0..count).map(|at| PyString::intern(py, &format!("name_{at}"))).collect();
    let empty = PyTuple::empty(py);
    // The first object sets them in another order, so that positions and order differ.
    for order in [names.iter().rev().collect::<Vec<_>>(), names.iter().collect()] {
        let object = class.call0()?;
        for name in order {
            raw::set_attribute(&object, name, name)?;
        }
    }
    let model = class.call0()?;
    for name in &names {
        raw::set_attribute(&model, name, name)?;
    }
    let Some(attributes) = Attributes::learn(&model, &names.iter().collect::<Vec<_>>()) else {
        return Ok(false);
    };
    let Some(object) = raw::new_object(&class, &empty) else { return Ok(false) };
    let object = object?;
    let mut values: Vec<_> = names.iter().map(|name| name.clone().into_any()).collect();
    if !attributes.fill(&object, &mut values, 0) || !values.is_empty() {
        return Ok(false);
    }
    // SAFETY: nothing else has the object, which is this function's own.
    let own = unsafe { Own::of(&object) };
    let is_read = own.is_some_and(|own| {
        let pairs = own.map(|(name, value)| (name.as_ptr(), value.as_ptr()));
        pairs.eq(names.iter().map(|name| (name.as_ptr(), name.as_ptr())))
    });
    if !is_read {
        return Ok(false);
    }
    // An object that has attributes must be left alone.
    if attributes.fill(&object, &mut names.iter().map(|name| name.clone().into_any()).collect(), 0)
    {
        return Ok(false);
    }
    let is_read = |name: &Bound<'_, PyString>| object.getattr(name).is_ok_and(|own| own.is(name));
    if !names.iter().all(is_read) {
        return Ok(false);
    }
    object.setattr("another", 1)?;
    object.delattr(&names[0])?;
    // SAFETY: as above.
    let left: Vec<_> = unsafe { Own::of(&object) }
        .into_iter()
        .flatten()
        .map(|(name, _)| name.to_string())
        .collect();
    let dict = object.getattr("__dict__")?.cast_into::<PyDict>()?;
    let keys: Vec<String> = dict.keys().extract()?;
    let mut wanted: Vec<String> = (1..count).map(|at| format!("name_{at}")).collect();
    wanted.put("another".to_owned());
    // Once it has a dict, its values are there. SAFETY: as above.
    let has_none = unsafe { Own::of(&object) }.is_none();
    Ok(keys == wanted && left == wanted && has_none)
}

/// Stops learning.
pub fn forget() {
    VERSION.store(0, Ordering::Relaxed);
}

/// Whether positions are learned.
pub fn are_known() -> bool {
    layouts::have_entries() && VERSION.load(Ordering::Relaxed) != 0
}
