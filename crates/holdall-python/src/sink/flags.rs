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
        let Some(at) = bits.try_into().ok().filter(|at| *at < self.most) else {
            return self.members.get_item(bits).ok()?;
        };
        if self.met.len() <= at {
            self.met.put_fill(at + 1, None);
        }
        match &self.met[at] {
            Some(member) => Some(member.clone()),
            None => {
                let member = self.members.get_item(bits).ok()??;
                self.met[at] = Some(member.clone());
                Some(member)
            }
        }
    }
}
