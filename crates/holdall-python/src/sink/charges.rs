//! What objects take beyond the rows that they are made of: it is charged to a budget of its own, as large as that of the rows, so that
//! what fills the budget with rows can be read as any type.
//!
//! A row pays for the object that the data say. A class and a requested type can make more of it: values of the fields that the
//! data lack, a deque of a list, a model with a set of its fields.

use std::cell::Cell;

use foldhash::HashMap;
use holdall::bindings::memory::GrowMap;
use holdall::{Error, Result};
use pyo3::prelude::*;

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

/// Of objects that are made alike in one message, the 8th, the 16th, the 32nd and so on are measured. Few objects cost no time.
const FIRST_MEASURED: u32 = 8;

/// What functions of Python made for objects of a layout, by layout.
#[derive(Default)]
pub(super) struct AllMade<'py>(HashMap<LayoutId, MadeAlike<'py>>);

struct MadeAlike<'py> {
    /// What is in it and in a later one, too, is not made for each object.
    first: Bound<'py, PyAny>,
    count: u32,
    /// The least of those measured: objects differ, and honest data are not to be refused because of some large ones.
    least: Option<u64>,
}

impl<'py> Builder<'py, '_> {
    /// Counts an object of a layout, for which functions make more than its rows say. Returns whether that is to be sampled.
    pub(super) fn is_sampled(&mut self, layout: LayoutId) -> bool {
        self.made.0.get_mut(&layout).is_none_or(|alike| {
            alike.count = alike.count.saturating_add(1);
            is_measured(alike.count)
        })
    }

    /// Samples what factories made for fields that the data lack.
    pub(super) fn sample_defaults(
        &mut self,
        layout: LayoutId,
        made: Vec<Bound<'py, PyAny>>,
    ) -> Result<()> {
        let made = raw::tuple_of(self.py, made.into_iter().map(Ok));
        let made = self.check(made)?.into_any();
        self.sample(layout, &made, |py, first| {
            support(py, "made_anew")?.call1((first, &made))?.extract()
        })
    }

    /// Charges an object that a function of Python made, or set fields of.
    pub(super) fn charge_object(
        &mut self,
        layout: LayoutId,
        object: &Bound<'py, PyAny>,
    ) -> Result<()> {
        if !self.kept.layout(layout).is_measured {
            return Ok(());
        }
        if self.is_sampled(layout) {
            let own = self.kept.layout(layout);
            let measure = if own.class.has_size() { "lacking_fields" } else { "beyond_fields" };
            let keys = own.places.iter().filter_map(|(place, _)| place.key());
            let given = keys.map(|key| Ok(key.bind(self.py).clone().into_any()));
            let given = raw::tuple_of(self.py, given.collect::<Vec<_>>().into_iter());
            let given = self.check(given)?;
            self.sample(layout, object, |py, first| {
                support(py, measure)?.call1((first, object, given))?.extract()
            })?;
        }
        self.charge_made(layout)
    }

    /// Charges what was made for an object, by the samples of its layout.
    pub(super) fn charge_made(&self, layout: LayoutId) -> Result<()> {
        self.made.0.get(&layout).and_then(|alike| alike.least).map_or(Ok(()), take)
    }

    /// Measures what was made for an object; the first is kept to compare others with.
    fn sample(
        &mut self,
        layout: LayoutId,
        made: &Bound<'py, PyAny>,
        measure: impl FnOnce(Python<'py>, &Bound<'py, PyAny>) -> PyResult<u64>,
    ) -> Result<()> {
        let Some(alike) = self.made.0.get_mut(&layout) else {
            let alike = MadeAlike { first: made.clone(), count: 1, least: None };
            self.made.0.put(layout, alike);
            return Ok(());
        };
        match measure(self.py, &alike.first) {
            Ok(bytes) => alike.least = Some(alike.least.map_or(bytes, |least| least.min(bytes))),
            Err(raised) => return self.check(Err(raised)),
        }
        Ok(())
    }
}

fn is_measured(count: u32) -> bool {
    count >= FIRST_MEASURED && count.is_power_of_two()
}
