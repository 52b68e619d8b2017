//! Which rows of the types inside belong to a row: found out once, and kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::block::SparseRows;
use crate::error::Result;
use crate::schema::TypeId;

/// The structures of sites that were read, by site.
#[derive(Default)]
pub(crate) struct Kept(Mutex<HashMap<TypeId, Arc<Structure>>>);

/// Which rows of the types inside belong to a row.
pub(super) enum Structure {
    /// Of a list, map or plain text: where each row's items begin, and last where the last one's end.
    Offsets(Vec<u64>),
    /// Of an option, a union or shapes: one of few numbers for each row.
    Numbers(Ranks),
    Sparse(SparseRows),
}

/// Numbers, with counts of how often each one occurs before a row.
pub(super) struct Ranks {
    pub(super) numbers: Vec<u32>,
    /// How many different ones there are.
    pub(super) values: usize,
    /// After each so many rows the counts of all numbers are kept.
    step: usize,
    counts: Vec<u64>,
}

/// Counts are looked up from at most so many rows before, or as many as there are numbers.
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

    /// How often each number stands before a row.
    pub(super) fn before(&self, row: usize) -> Vec<u64> {
        let kept = row / self.step;
        let start = kept * self.values;
        let mut counts = match self.counts.get(start..start + self.values) {
            Some(counts) => counts.to_vec(),
            None => vec![0; self.values],
        };
        let from = if self.counts.len() > start { kept * self.step } else { 0 };
        self.numbers[from..row].iter().for_each(|number| counts[*number as usize] += 1);
        counts
    }
}

impl Kept {
    /// Returns the structure of a site, which is found the first time.
    pub(super) fn get(
        &self,
        id: TypeId,
        find: impl FnOnce() -> Result<Option<Structure>>,
    ) -> Result<Option<Arc<Structure>>> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&id) {
            return Ok(Some(Arc::clone(known)));
        }
        // Others may find out the same meanwhile.
        let Some(found) = find()? else { return Ok(None) };
        Ok(Some(Arc::clone(known().entry(id).or_insert_with(|| Arc::new(found)))))
    }
}

/// Where each begins, and last where the last ends; beyond 64 bits no input has the rows.
pub(super) fn sums(lengths: &[u64]) -> Vec<u64> {
    let mut end = 0_u64;
    let ends = lengths.iter().map(|len| {
        end = end.saturating_add(*len);
        end
    });
    std::iter::once(0).chain(ends).collect()
}
