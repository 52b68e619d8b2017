//! What objects take beyond the rows that they are made of: it is charged to a budget of its own, as large as that of the rows, so that
//! what fills the budget with rows can be read as any type.
//!
//! A row pays for the object that the data say. A class and a requested type can make more of it: values of the fields that the
//! data lack, a deque of a list, a model with a set of its fields.

use std::cell::{Cell, RefCell};

use holdall::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString};

use super::class::Place;
use crate::fault::{Side, exception};
use crate::once::intern;

/// The bytes of objects that a unit pays for, as SECURITY.md says.
const BYTES: u64 = 32;
/// The bytes of an object that its own row pays for, of the 8 units of each, and of the place for each of its fields.
const OF_ROW: u64 = 128;
const OF_FIELD: u64 = 8;
/// The bytes of an entry of a dict, which has room for more, at most.
pub(super) const ENTRY: u64 = 56;
/// The bytes of a deque without items, of an item of a list or deque, and of a member of a set, at most.
pub(super) const DEQUE: u64 = 760;
pub(super) const ITEM: u64 = 10;
pub(super) const MEMBER: u64 = 72;
/// The most attributes for which an object has places, by CPython; others are entries of a dict.
const PLACES: usize = 30;

thread_local! {
    /// The bytes that are left for the innermost value that this thread reads.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// What Python's side keeps while it is read.
    static NOTES: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// The bytes for one value, and what Python's side keeps while it is read; afterwards those of the value around it, whose code reads
/// this one.
pub struct Account {
    around: u64,
    notes_around: Option<Py<PyAny>>,
}

impl Account {
    pub fn of(units: u64) -> Account {
        let around = LEFT.replace(units.saturating_mul(BYTES));
        Account { around, notes_around: NOTES.take() }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        LEFT.set(self.around);
        let own = NOTES.replace(self.notes_around.take());
        // This can run code, which may read values.
        drop(own);
    }
}

/// Returns what Python's side keeps while the innermost value is read, which a function makes at first.
#[pyfunction]
pub fn notes(make: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = make.py();
    if let Some(known) = NOTES.with_borrow(|notes| notes.as_ref().map(|notes| notes.clone_ref(py)))
    {
        return Ok(known);
    }
    let made = make.call0()?.unbind();
    NOTES.set(Some(made.clone_ref(py)));
    Ok(made)
}

/// Takes the budget.
pub(super) fn begin(units: u64) {
    LEFT.set(units.saturating_mul(BYTES));
}

/// Returns the bytes left.
pub(super) fn left() -> u64 {
    LEFT.get()
}

/// Takes back what was charged for values that are undone.
pub(super) fn undo(left: u64) {
    LEFT.set(left);
}

/// Charges bytes.
#[inline]
pub(super) fn take(bytes: u64) -> Result<()> {
    match LEFT.get().checked_sub(bytes) {
        Some(left) => {
            LEFT.set(left);
            Ok(())
        }
        None => Err(refused(bytes)),
    }
}

#[cold]
fn refused(bytes: u64) -> Error {
    Error::over_budget(bytes.div_ceil(BYTES).into(), left() / BYTES)
}

/// Charges bytes for Python's side.
#[pyfunction]
pub fn charge(py: Python<'_>, bytes: u64) -> PyResult<()> {
    take(bytes).map_err(|error| refusal(py, &error))
}

/// Charges what an object copies of a container: data can share it among many objects, and then its items are paid for once.
pub(super) fn copied(py: Python<'_>, len: usize, bytes: u64) -> PyResult<()> {
    charge(py, bytes.saturating_mul(len as u64))
}

/// Charges a scalar that the value around it may copy, as a row of its own would have paid for it.
pub(super) fn shared_scalar(value: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_scalar = value.is_exact_instance_of::<PyBytes>()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyInt>();
    if !is_scalar {
        return Ok(());
    }
    let py = value.py();
    let size: u64 = value.call_method0(intern!(py, "__sizeof__"))?.extract()?;
    charge(py, size.saturating_sub(OF_ROW).saturating_mul(BYTES))
}

/// Returns the exception for a charge that was refused.
pub(super) fn refusal(py: Python<'_>, error: &Error) -> PyErr {
    exception(py, error, None, Side::Decode)
}

/// Returns the bytes of an object of this size beyond what its row and its fields pay for, with the entries of fields that the data
/// lack.
pub(super) fn beyond<'p>(size: u64, fields: usize, absent: impl Iterator<Item = &'p Place>) -> u64 {
    let mut attributes = fields;
    let mut entry = |place: &Place| {
        attributes += 1;
        match place {
            // They are part of the size.
            Place::Slot(..) => 0,
            Place::Attribute(_) if attributes <= PLACES => 0,
            _ => ENTRY,
        }
    };
    let entries: u64 = absent.map(&mut entry).sum();
    (size + entries).saturating_sub(OF_ROW + OF_FIELD * fields as u64)
}
