//! Dicts with known keys: copies of a template, whose values are written to their positions without
//! a look-up.
//!
//! CPython's entries of dicts are in private headers, equal in 3.11, 3.12 and 3.13 without free
//! threads: `Include/cpython/dictobject.h` for [`DictObject`], `Include/internal/pycore_dict.h` for
//! [`DictKeys`] and [`Entry`]. Under any other Python, and where [`layouts`] found something else, a
//! copy is an empty dict, filled by `set_item`.
#![allow(unsafe_code, reason = "the memory of CPython's dicts; each block has its proof")]

use holdall::bindings::memory::Collect;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{Borrowed, ffi};

use crate::{layouts, raw};

/// `PyDictObject`.
#[repr(C)]
struct DictObject {
    ob_base: ffi::PyObject,
    ma_used: ffi::Py_ssize_t,
    ma_version_tag: u64,
    ma_keys: *mut DictKeys,
    /// Null unless the dict shares its keys with others.
    ma_values: *mut u8,
}

/// `struct _dictkeysobject`, up to `dk_indices`: those are `1 << dk_log2_index_bytes` bytes, and the entries come after them.
#[repr(C)]
struct DictKeys {
    dk_refcnt: ffi::Py_ssize_t,
    dk_log2_size: u8,
    dk_log2_index_bytes: u8,
    dk_kind: u8,
    dk_version: u32,
    dk_usable: ffi::Py_ssize_t,
    dk_nentries: ffi::Py_ssize_t,
}

impl DictKeys {
    /// Returns the entries after the indices, and their number.
    ///
    /// # Safety
    /// The keys are those of a dict or class that is alive, are text, and not those of an empty
    /// dict: these have neither entries nor aligned room for them.
    #[inline]
    unsafe fn entries(this: *mut DictKeys) -> (*mut Entry, usize) {
        // SAFETY: as the caller says, all is where the headers have it, and the number of entries is not below 0.
        unsafe {
            let indices = this.add(1).cast::<u8>();
            let first = indices.add(1 << (*this).dk_log2_index_bytes).cast::<Entry>();
            (first, (*this).dk_nentries.cast_unsigned())
        }
    }
}

/// `PyDictUnicodeEntry`; both are null where an entry was deleted.
#[repr(C)]
struct Entry {
    me_key: *mut ffi::PyObject,
    me_value: *mut ffi::PyObject,
}

/// `DICT_KEYS_UNICODE`: all keys are of str itself, and entries are [`Entry`].
const OF_TEXT: u8 = 1;

/// `DICT_KEYS_SPLIT`: the same, for keys that objects share; the objects hold the values.
const SHARED: u8 = 2;

/// The bits of a version tag that record watchers of the dict, since 3.12.
static WATCHERS: AtomicU64 = AtomicU64::new(0);

/// Whether the layout of this Python's dicts is known.
pub fn are_known(py: Python<'_>) -> PyResult<bool> {
    let Some(minor) = layouts::known_version(py)? else { return Ok(false) };
    // SAFETY: a static type that was made ready before any module; its size is only read.
    let size = unsafe { ffi::PyDict_Type.tp_basicsize };
    WATCHERS.store(if minor < 12 { 0 } else { 0xFF }, Ordering::Relaxed);
    Ok(usize::try_from(size) == Ok(size_of::<DictObject>()))
}

/// A dict of some keys without values, whose copies get theirs by [`set`].
///
/// Nothing else ever has it. The garbage collector tracks neither it nor its new copies, as they
/// hold only strings and None.
pub struct Template(Option<Py<PyDict>>);

impl Template {
    /// Makes a template of these keys.
    pub fn new<'k>(
        py: Python<'_>,
        keys: impl Iterator<Item = &'k Py<PyString>>,
    ) -> PyResult<Template> {
        if !layouts::have_entries() {
            return Ok(Template(None));
        }
        let (dict, mut count) = (raw::dict(py)?, 0);
        for key in keys {
            dict.set_item(key, py.None())?;
            count += 1;
        }
        let is_one = count > 0 && dict.len() == count;
        Ok(Template(is_one.then(|| dict.unbind())))
    }

    /// Returns a dict to be filled: with all keys, or empty where they would save nothing.
    #[inline]
    pub fn copy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match &self.0 {
            Some(template) => template.bind(py).copy(),
            None => raw::dict(py),
        }
    }
}

/// The dicts of one shape: a single one is not worth a template.
#[derive(Default)]
pub struct Dicts {
    has_begun: bool,
    template: Option<Template>,
}

impl Dicts {
    /// Returns a dict to be filled with these keys, the same each time.
    #[inline]
    pub fn begin<'py, 'k, K: Iterator<Item = &'k Py<PyString>>>(
        &mut self,
        py: Python<'py>,
        keys: impl FnOnce() -> K,
    ) -> PyResult<Bound<'py, PyDict>> {
        if let Some(template) = &self.template {
            return template.copy(py);
        }
        if !self.has_begun {
            self.has_begun = true;
            return raw::dict(py);
        }
        self.template.insert(Template::new(py, keys())?).copy(py)
    }
}

/// Sets the value of a key, which is at this position of the template if the dict is a copy of one.
/// The caller has `own` references to the dict.
#[inline]
pub fn set<'py>(
    dict: &Bound<'py, PyDict>,
    own: isize,
    at: usize,
    key: &Bound<'py, PyString>,
    value: Bound<'py, PyAny>,
) -> PyResult<()> {
    match store(dict, own, at, key, value) {
        Ok(()) => Ok(()),
        Err(value) => dict.set_item(key, value),
    }
}

/// Does the same by position, if the key is there and nothing else has the dict; otherwise returns
/// the value.
#[inline]
fn store<'py>(
    dict: &Bound<'py, PyDict>,
    own: isize,
    at: usize,
    key: &Bound<'py, PyString>,
    value: Bound<'py, PyAny>,
) -> Result<(), Bound<'py, PyAny>> {
    if !layouts::have_entries() {
        return Err(value);
    }
    let object = dict.as_ptr();
    // SAFETY: no Python code runs up to the end of the function, so nothing changes the dict.
    let entries = unsafe { own_entries(dict, own) };
    let entry = match entries.and_then(|entries| entries.get_mut(at)) {
        Some(entry) if entry.me_key == key.as_ptr() => entry,
        _ => return Err(value),
    };
    // SAFETY: the value is alive. A dict that holds what may be part of a cycle must be tracked,
    // and is not before; it is complete, with an object for each key.
    unsafe {
        if ffi::PyType_IS_GC(ffi::Py_TYPE(value.as_ptr())) != 0
            && ffi::PyObject_GC_IsTracked(object) == 0
        {
            ffi::PyObject_GC_Track(object.cast());
        }
    }
    // SAFETY: the entry is as above: nothing since has run Python code or changed the dict. It has
    // the key, so it has a value; another value changes neither the indices nor the meaning of
    // `dk_version`, which concern keys. The dict takes over the reference to the value. The old one
    // is released after it is overwritten, so that code run by its release does not find it there.
    unsafe {
        let before = std::mem::replace(&mut entry.me_value, value.into_ptr());
        ffi::Py_XDECREF(before);
    }
    Ok(())
}

/// Returns the entries of a dict, to be given other values, if nothing else has it and the layout
/// is known. The caller has `own` references to it.
///
/// # Safety
/// Nothing else changes the dict while they are used.
#[inline]
#[expect(clippy::mut_from_ref, reason = "a reference to a dict allows its change")]
unsafe fn own_entries<'d>(dict: &'d Bound<'_, PyDict>, own: isize) -> Option<&'d mut [Entry]> {
    if !layouts::have_entries() {
        return None;
    }
    let object = dict.as_ptr();
    // SAFETY: the layout of dicts is known. `dict` is one, or of a subclass, which begins alike,
    // and alive; so are its keys as long as it is not changed. Their entries are read if they are
    // text and not those of an empty dict.
    unsafe {
        let DictObject { ma_used, ma_version_tag, ma_keys, ma_values, .. } =
            &*object.cast::<DictObject>();
        let keys = *ma_keys;
        // The version tag stays, so nothing may depend on it. `set_item` handles a dict that others
        // refer to: it has identity, or a hook got it through the garbage collector. A hook that
        // dropped its reference could still watch it.
        if *ma_used == 0
            || ffi::Py_REFCNT(object) != own
            || !ma_values.is_null()
            || ma_version_tag & WATCHERS.load(Ordering::Relaxed) != 0
            || (*keys).dk_kind != OF_TEXT
        {
            return None;
        }
        let (first, count) = DictKeys::entries(keys);
        Some(std::slice::from_raw_parts_mut(first, count))
    }
}

/// Fills a dict that was created for these keys with one value for each, in order. Nothing else
/// has it.
#[inline]
pub fn fill<'py>(
    dict: &Bound<'py, PyDict>,
    keys: &[Py<PyString>],
    values: impl Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<()> {
    // SAFETY: only the code below changes the dict.
    let entries = unsafe { own_entries(dict, 1) };
    let is_begun = |entries: &&mut [Entry]| {
        entries.iter().map(|entry| entry.me_key).eq(keys.iter().map(Py::as_ptr))
    };
    let Some(entries) = entries.filter(is_begun) else {
        return keys.iter().zip(values).try_for_each(|(key, value)| dict.set_item(key, value));
    };
    let mut may_cycle = false;
    for (entry, value) in entries.iter_mut().zip(values) {
        // SAFETY: the value is alive. The entry has its key, so it has a value: in a copy of a
        // template that is None, whose release runs no code. The dict takes over the reference to
        // the new one.
        unsafe {
            may_cycle |= ffi::PyType_IS_GC(ffi::Py_TYPE(value.as_ptr())) != 0;
            let before = std::mem::replace(&mut entry.me_value, value.into_ptr());
            ffi::Py_XDECREF(before);
        }
    }
    if may_cycle && !is_tracked(dict) {
        // SAFETY: a dict that holds what may be part of a cycle must be tracked; it is not yet, and
        // it is complete.
        unsafe { ffi::PyObject_GC_Track(dict.as_ptr().cast()) };
    }
    Ok(())
}

/// The names of the attributes that the objects of a class share, by their numbers.
#[derive(Clone, Copy)]
pub struct SharedKeys<'k>(&'k [Entry]);

impl SharedKeys<'_> {
    /// Returns the names at an address.
    ///
    /// # Safety
    /// It is that of the cached keys of a class, which nothing changes while the names are used.
    #[inline]
    pub unsafe fn of(address: usize) -> Option<Self> {
        if !layouts::have_entries() {
            return None;
        }
        // SAFETY: cached keys are a `_dictkeysobject`, as those of a dict; keys that objects share are text.
        unsafe {
            let keys = std::ptr::with_exposed_provenance_mut::<DictKeys>(address);
            if (*keys).dk_kind != SHARED || (*keys).dk_nentries == 0 {
                return None;
            }
            let (first, count) = DictKeys::entries(keys);
            Some(SharedKeys(std::slice::from_raw_parts(first, count)))
        }
    }

    /// Returns the borrowed name of a number.
    #[inline]
    pub fn name(self, number: u8) -> Option<*mut ffi::PyObject> {
        self.0.get(usize::from(number)).map(|entry| entry.me_key).filter(|key| !key.is_null())
    }
}

/// The keys and values of a dict, in its order, borrowed.
#[derive(Clone)]
pub enum Entries<'d, 'py> {
    There(There<'d, 'py>),
    Asked(Asked<'d, 'py>),
}

/// A key and its value, or the name and value of a field.
pub type Pair<'d, 'py> = (Borrowed<'d, 'py, PyAny>, Borrowed<'d, 'py, PyAny>);

/// Read in place.
#[derive(Clone)]
pub struct There<'d, 'py>(Python<'py>, std::slice::Iter<'d, Entry>);

/// Requested one by one, from a position on.
#[derive(Clone)]
pub struct Asked<'d, 'py>(&'d Bound<'py, PyDict>, isize);

impl<'d, 'py> Entries<'d, 'py> {
    /// Returns the entries of a dict.
    ///
    /// # Safety
    /// Nothing changes the dict, or frees what it holds, while the entries or their keys and values
    /// are used.
    #[inline]
    pub unsafe fn of(dict: &'d Bound<'py, PyDict>) -> Self {
        // SAFETY: as the caller says.
        match unsafe { slice(dict) } {
            Some(entries) => Entries::There(There(dict.py(), entries.iter())),
            None => Entries::Asked(Asked(dict, 0)),
        }
    }
}

impl<'d, 'py> Iterator for There<'d, 'py> {
    type Item = Pair<'d, 'py>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Entry { me_key, me_value } = self.1.next()?;
        // SAFETY: the dict holds both, as the creator guarantees; `slice` returns no deleted entry.
        unsafe {
            Some((Borrowed::from_ptr(self.0, *me_key), Borrowed::from_ptr(self.0, *me_value)))
        }
    }
}

impl<'d, 'py> Iterator for Asked<'d, 'py> {
    type Item = Pair<'d, 'py>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = raw::entry_of(self.0, &mut self.1)?;
        // SAFETY: the dict holds both, as the creator guarantees.
        unsafe {
            Some((Borrowed::from_ptr(self.0.py(), key), Borrowed::from_ptr(self.0.py(), value)))
        }
    }
}

impl<'d, 'py> Iterator for Entries<'d, 'py> {
    type Item = Pair<'d, 'py>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Entries::There(entries) => entries.next(),
            Entries::Asked(entries) => entries.next(),
        }
    }
}

/// Returns the entries of a dict in place, if the layout is known.
///
/// # Safety
/// Nothing changes the dict while they are used.
#[inline]
unsafe fn slice<'d>(dict: &'d Bound<'_, PyDict>) -> Option<&'d [Entry]> {
    if !layouts::have_entries() {
        return None;
    }
    // SAFETY: as in `store`, for the number of entries that there are.
    unsafe {
        let DictObject { ma_used, ma_keys, ma_values, .. } = &*dict.as_ptr().cast::<DictObject>();
        let keys = *ma_keys;
        // The keys of an empty dict have neither entries nor aligned room for them. Deleted entries
        // leave gaps.
        if *ma_used == 0
            || !ma_values.is_null()
            || (*keys).dk_kind != OF_TEXT
            || (*keys).dk_nentries != *ma_used
        {
            return None;
        }
        let (first, count) = DictKeys::entries(keys);
        Some(std::slice::from_raw_parts(first, count))
    }
}

/// Checks the layout of dicts on samples, where it is known.
pub fn are_as_known(py: Python<'_>) -> PyResult<bool> {
    for count in [1, 5, 6, 10, 11, 20, 200] {
        for holds_lists in [false, true] {
            if !is_as_known(py, count, holds_lists)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn is_as_known(py: Python<'_>, count: usize, holds_lists: bool) -> PyResult<bool> {
    let key = |at| raw::name(py, &format!("key {at}")).map(Bound::unbind);
    let keys = (0..count).map(key).collected::<PyResult<Vec<_>>>()?;
    let template = Template::new(py, keys.iter())?;
    let (dict, by_hand) = (template.copy(py)?, raw::dict(py)?);
    if template.0.is_none() || is_tracked(&dict) || !is_plausible(&dict, count) {
        return Ok(false);
    }
    for (at, key) in keys.iter().enumerate() {
        let is_list = holds_lists && at % 3 == 0;
        let value =
            if is_list { raw::list(py)?.into_any() } else { at.into_pyobject(py)?.into_any() };
        by_hand.set_item(key, &value)?;
        if store(&dict, 1, at, key.bind(py), value.clone()).is_err()
            || !dict.get_item(key)?.is_some_and(|found| found.is(&value))
        {
            return Ok(false);
        }
    }
    let is_alike = || -> PyResult<bool> {
        Ok(dict.len() == by_hand.len()
            && dict.eq(&by_hand)?
            && dict.items().eq(by_hand.items())?
            && is_tracked(&dict) == is_tracked(&by_hand))
    };
    if !is_alike()? || is_tracked(&dict) != holds_lists {
        return Ok(false);
    }
    for dict in [&dict, &by_hand] {
        dict.set_item("another", count)?;
        dict.del_item(&keys[0])?;
    }
    let is_read = |dict: &Bound<'_, PyDict>| {
        // SAFETY: nothing else has the dict, which is this function's own.
        let Entries::There(there) = (unsafe { Entries::of(dict) }) else { return false };
        let mut position = 0;
        let asked = std::iter::from_fn(|| raw::entry_of(dict, &mut position));
        there.map(|(key, value)| (key.as_ptr(), value.as_ptr())).eq(asked)
    };
    let is_read = is_read(&template.copy(py)?) && !is_read(&dict);
    // The template must keep its values, and a dict without template must be left alone.
    let is_untouched = template.copy(py)?.values().iter().all(|value| value.is_none());
    let is_refused = store(&dict, 1, 0, keys[0].bind(py), py.None().into_bound(py)).is_err();
    Ok(is_alike()? && is_read && is_untouched && is_refused)
}

/// Whether the numbers in a copy of a template with `count` keys are plausible; checked before they
/// are used to find an entry.
fn is_plausible(dict: &Bound<'_, PyDict>, count: usize) -> bool {
    // SAFETY: in a dict of a known Python with the right size, the pointers have the expected
    // meaning, as far as that can be known; none is followed before it is found not to be null. All
    // is only read.
    unsafe {
        let dict = &*dict.as_ptr().cast::<DictObject>();
        if usize::try_from(dict.ma_used) != Ok(count)
            || !dict.ma_values.is_null()
            || dict.ma_keys.is_null()
        {
            return false;
        }
        let keys = &*dict.ma_keys;
        // Below 256 indices each is a byte, below 65,536 two.
        let bytes_of_one = u8::from(keys.dk_log2_size >= 8);
        let usable = (2_isize << keys.dk_log2_size.min(16)) / 3;
        keys.dk_refcnt == 1
            && matches!(keys.dk_log2_size, 3..16)
            && keys.dk_log2_index_bytes == keys.dk_log2_size + bytes_of_one
            && keys.dk_kind == OF_TEXT
            && keys.dk_nentries == dict.ma_used
            && keys.dk_usable + keys.dk_nentries == usable
    }
}

fn is_tracked(dict: &Bound<'_, PyDict>) -> bool {
    // SAFETY: the dict is alive.
    unsafe { ffi::PyObject_GC_IsTracked(dict.as_ptr()) != 0 }
}
