//! Offsets and counts that find a row and those inside it, without the rows before: computed at the first access, and kept.

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::decoded::Decoded;
use crate::block::SparseRows;
use crate::error::Result;
use crate::memory;
use crate::schema::TypeId;

/// The structures of sites read so far.
#[derive(Default)]
pub(crate) struct Kept(Mutex<HashMap<TypeId, Arc<Structure>>>);

/// Which rows of the inner types belong to a row, or the rows themselves.
pub(super) enum Structure {
    /// For a list, map or plain text: the offset of each row's items, and the end of the last one's.
    Offsets(Vec<u64>),
    /// For an option, a union or shapes: a small number for each row.
    Numbers(Ranks),
    Sparse(SparseRows),
    /// For a column that is decoded in full: all rows.
    Rows(Decoded),
}

/// Numbers, with counts of how often each occurs before a row.
pub(super) struct Ranks {
    pub(super) numbers: Vec<u32>,
    /// The number of different ones.
    pub(super) values: usize,
    /// The counts of all numbers are kept at intervals of this many rows.
    step: usize,
    counts: Vec<u64>,
}

/// The smallest interval between counts: with many different numbers it is their number.
const STEP: usize = 256;

impl Ranks {
    pub(super) fn new(numbers: Vec<u32>, values: usize) -> Ranks {
        // So all counts together are no more than the rows.
        let step = values.max(STEP);
        let (mut counts, mut before) = (Vec::new(), vec![0; values]);
        for rows in numbers.chunks(step) {
            counts.extend_from_slice(&before);
            rows.iter().for_each(|number| before[*number as usize] += 1);
        }
        Ranks { numbers, values, step, counts }
    }

    /// Returns how often each number occurs before a row.
    pub(super) fn before(&self, row: usize) -> Vec<u64> {
        let kept = row / self.step;
        let start = kept * self.values;
        let mut counts = match self.counts.get(start..start + self.values) {
            Some(counts) => memory::copied(counts),
            None => vec![0; self.values],
        };
        let from = if self.counts.len() > start { kept * self.step } else { 0 };
        self.numbers[from..row].iter().for_each(|number| counts[*number as usize] += 1);
        counts
    }
}

impl Kept {
    /// Returns the structure of a site, computed at its first use.
    pub(super) fn get(
        &self,
        id: TypeId,
        find: impl FnOnce() -> Result<Option<Structure>>,
    ) -> Result<Option<Arc<Structure>>> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&id) {
            return Ok(Some(Arc::clone(known)));
        }
        // Another thread may have computed it meanwhile.
        let Some(found) = find()? else { return Ok(None) };
        Ok(Some(Arc::clone(known().entry(id).or_insert_with(|| Arc::new(found)))))
    }
}

/// Returns the offset of each, and last the end of the last. Beyond 64 bits no input has the rows.
pub(super) fn sums(lengths: &[u64]) -> Vec<u64> {
    let mut end = 0_u64;
    let ends = lengths.iter().map(|len| {
        end = end.saturating_add(*len);
        end
    });
    memory::collected(core::iter::once(0).chain(ends))
}
