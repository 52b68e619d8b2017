//! What objects take beyond the rows that they are made of: it is charged to the units of the budget that all rows left.
//!
//! A row pays for the object that the data say. A class and a requested type can make more of it: values of the fields that the
//! data lack, a deque of a list, a model with a set of its fields.

use std::cell::Cell;

use foldhash::HashMap;
use holdall::bindings::memory::GrowMap;
use holdall::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::Builder;
use super::class::Place;
use super::kept::LayoutId;
use crate::raw;
use crate::support;

/// The bytes of objects that a unit pays for, as SECURITY.md says.
const BYTES: u64 = 32;
/// The bytes of an object that its own row pays for, of the 8 units of each, and of the place for each of its fields.
const OF_ROW: u64 = 128;
const OF_FIELD: u64 = 8;
/// The bytes of an entry of a dict, which has room for more, at most.
const ENTRY: u64 = 56;
const SLOT: u64 = 8;

thread_local! {
    /// The bytes that are left for the innermost value that this thread reads.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// The bytes for one value; afterwards those of the value around it, whose code reads this one.
pub struct Account {
    around: u64,
}

impl Account {
    pub fn of(units: u64) -> Account {
        Account { around: LEFT.replace(units.saturating_mul(BYTES)) }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        LEFT.set(self.around);
    }
}

/// Takes the units that are left once all rows are paid for.
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

/// Charges bytes. Returns how many units they are and how many are left, if those are fewer.
#[pyfunction]
pub fn charge(bytes: u64) -> Option<(u64, u64)> {
    take(bytes).err().map(|_| (bytes.div_ceil(BYTES), left() / BYTES))
}

/// Returns the bytes of an object of this size beyond what its row and its fields pay for, with places for fields that the data
/// lack.
pub(super) fn beyond<'p>(size: u64, fields: usize, absent: impl Iterator<Item = &'p Place>) -> u64 {
    let place = |place: &Place| match place {
        // It is part of the size.
        Place::Slot(..) => SLOT,
        _ => ENTRY,
    };
    let places: u64 = absent.map(place).sum();
    (size + places).saturating_sub(OF_ROW + OF_FIELD * fields as u64)
}

/// What was made without a field of the data for it, by layout: the first time, to compare with the second. What both have is
/// not made for each object.
#[derive(Default)]
pub(super) struct MadeFirst<'py>(HashMap<LayoutId, Bound<'py, PyAny>>);

impl<'py> Builder<'py, '_> {
    /// Measures what factories made for fields that the data lack.
    pub(super) fn measure_defaults(
        &mut self,
        layout: LayoutId,
        made: Vec<Bound<'py, PyAny>>,
    ) -> Result<()> {
        let made = raw::tuple_of(self.py, made.into_iter().map(Ok));
        let made = self.check(made)?.into_any();
        self.measure(layout, made, "made_anew", None)
    }

    /// Charges an object that a function of Python made, or set fields of.
    pub(super) fn charge_object(
        &mut self,
        layout: LayoutId,
        object: &Bound<'py, PyAny>,
    ) -> Result<()> {
        let py = self.py;
        if let Some(bytes) = self.kept.layout(layout).made {
            return take(bytes);
        }
        let has_size = self.kept.layout(layout).class.has_size();
        let keys = self.kept.layout(layout).places.iter().filter_map(|(place, _)| place.key());
        let given = keys.map(|key| Ok(key.bind(py).clone().into_any()));
        let given = raw::tuple_of(py, given.collect::<Vec<_>>().into_iter());
        let given = self.check(given)?;
        let measure = if has_size { "lacking_fields" } else { "beyond_fields" };
        self.measure(layout, object.clone(), measure, Some(given))
    }

    /// Measures the second of what is made alike, and charges it.
    #[cold]
    fn measure(
        &mut self,
        layout: LayoutId,
        made: Bound<'py, PyAny>,
        measure: &str,
        given: Option<Bound<'py, PyTuple>>,
    ) -> Result<()> {
        let Some(first) = self.made_first.0.remove(&layout) else {
            self.made_first.0.put(layout, made);
            return Ok(());
        };
        let bytes = support(self.py, measure).and_then(|measure| match given {
            Some(given) => measure.call1((first, made, given)),
            None => measure.call1((first, made)),
        });
        let bytes = bytes.and_then(|bytes| bytes.extract::<u64>());
        let bytes = self.check(bytes)?;
        self.kept.measured(layout, bytes);
        take(bytes)
    }
}
