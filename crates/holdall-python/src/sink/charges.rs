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
    least: u64,
}

impl<'py> Builder<'py, '_> {
    /// Whether what is made for the next object of a layout is measured, or kept to compare others with.
    pub(super) fn is_sampled(&self, layout: LayoutId) -> bool {
        self.made.0.get(&layout).is_none_or(|samples| is_measured(samples.count + 1))
    }

    /// Charges what factories made for fields that the data lack: nothing is given for an object that is not sampled.
    pub(super) fn charge_defaults(
        &mut self,
        layout: LayoutId,
        made: Vec<Bound<'py, PyAny>>,
    ) -> Result<()> {
        let made = raw::tuple_of(self.py, made.into_iter().map(Ok));
        let made = self.check(made)?.into_any();
        self.charge_made(layout, &made, |py, first| {
            support(py, "made_anew")?.call1((first, &made))?.extract()
        })
    }

    /// Charges an object that a function of Python made, or set fields of.
    pub(super) fn charge_object(
        &mut self,
        layout: LayoutId,
        object: &Bound<'py, PyAny>,
    ) -> Result<()> {
        let own = self.kept.layout(layout);
        if !own.is_measured {
            return Ok(());
        }
        let measure = if own.class.has_size() { "lacking_fields" } else { "beyond_fields" };
        let sampled = self.is_sampled(layout);
        let keys = own.places.iter().filter_map(|(place, _)| place.key()).filter(|_| sampled);
        let given = keys.map(|key| Ok(key.bind(self.py).clone().into_any()));
        let given = raw::tuple_of(self.py, given.collect::<Vec<_>>().into_iter());
        let given = self.check(given)?;
        self.charge_made(layout, object, |py, first| {
            support(py, measure)?.call1((first, object, given))?.extract()
        })
    }

    /// Charges what was made for an object, by those measured before, and measures it if its number says so.
    fn charge_made(
        &mut self,
        layout: LayoutId,
        made: &Bound<'py, PyAny>,
        measure: impl FnOnce(Python<'py>, &Bound<'py, PyAny>) -> PyResult<u64>,
    ) -> Result<()> {
        let Some(samples) = self.made.0.get_mut(&layout) else {
            let samples = MadeAlike { first: made.clone(), count: 1, least: u64::MAX };
            self.made.0.put(layout, samples);
            return Ok(());
        };
        samples.count = samples.count.saturating_add(1);
        if is_measured(samples.count) {
            match measure(self.py, &samples.first) {
                Ok(bytes) => samples.least = samples.least.min(bytes),
                Err(raised) => return self.check(Err(raised)),
            }
        }
        match samples.least {
            u64::MAX => Ok(()),
            bytes => take(bytes),
        }
    }
}

fn is_measured(count: u32) -> bool {
    count >= FIRST_MEASURED && count.is_power_of_two()
}
