//! Members of flags by their bits.

use holdall::bindings::memory::GrowVec;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Flags below this many are looked up once each.
const MOST: usize = 1 << 12;
/// As many of them for each row: filling a table for few rows takes longer than it saves.
const FOR_A_ROW: usize = 8;

/// The members of a class of flags that rows have.
pub struct KnownFlags<'k, 'py> {
    members: &'k Bound<'py, PyDict>,
    /// By their bits.
    met: Vec<Option<Bound<'py, PyAny>>>,
    most: usize,
}

impl<'k, 'py> KnownFlags<'k, 'py> {
    /// For this many rows.
    pub fn of(members: &'k Bound<'py, PyDict>, rows: usize) -> KnownFlags<'k, 'py> {
        let most = MOST.min(rows.saturating_mul(FOR_A_ROW));
        KnownFlags { members, met: Vec::new(), most }
    }

    /// The member of these bits, if the class has it by now: code of the class may create more.
    #[inline]
    pub fn get<B>(&mut self, bits: B) -> Option<Bound<'py, PyAny>>
    where
        B: Copy + TryInto<usize> + IntoPyObject<'py>,
    {
        let entry = bits.try_into().ok().filter(|at| *at < self.most);
        shared(&mut self.met, entry, || self.members.get_item(bits).ok()?)
    }
}

/// Returns the value of an entry, the same object each time, or a new value without one.
#[inline]
pub fn shared<'py>(
    known: &mut Vec<Option<Bound<'py, PyAny>>>,
    entry: Option<usize>,
    make: impl FnOnce() -> Option<Bound<'py, PyAny>>,
) -> Option<Bound<'py, PyAny>> {
    let Some(entry) = entry else { return make() };
    if known.len() <= entry {
        known.put_fill(entry + 1, None);
    }
    match &known[entry] {
        Some(value) => Some(value.clone()),
        None => Some(known[entry].insert(make()?).clone()),
    }
}
