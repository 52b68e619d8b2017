//! Offsets, counts and places that find a row and those inside it, without the rows before: computed at the first access, and kept.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::decoded::Decoded;
use super::tensors::KeptTensors;
use crate::block::SparseRows;
use crate::column::ranks::Ranks;
use crate::error::Result;
use crate::memory::{self, GrowVec};
use crate::schema::TypeId;

/// The structures of sites read so far.
#[derive(Default)]
pub(crate) struct KeptStructures(Mutex<HashMap<TypeId, Arc<Structure>>>);

/// Which rows of the inner types belong to a row, or the rows themselves.
pub(super) enum Structure {
    /// For a list, map or plain text: the offset of each row's items, and the end of the last one's.
    Offsets(Vec<u64>),
    /// For an option, a union or shapes: a small number for each row.
    Numbers(Ranks<u32>),
    Sparse(SparsePlaces),
    /// For rows in their memory layout: where the first begins.
    Raw(u64),
    Tensors(KeptTensors),
    /// For a column that is decoded in full: all rows.
    Rows(Decoded),
    /// For a type or an encoding of a later version.
    Unknown,
}

/// Which fields each row has, and the row of each among those of its field.
pub(super) struct SparsePlaces {
    /// Where the fields of each row begin, and those of the last one end.
    pub(super) starts: Vec<u64>,
    /// The numbers of the fields of all rows.
    pub(super) numbers: Vec<u64>,
    /// For each of these, how often it occurs before.
    pub(super) rows: Vec<u64>,
}

impl SparsePlaces {
    pub(super) fn of(rows: SparseRows, fields: usize) -> SparsePlaces {
        let SparseRows { counts, numbers } = rows;
        let mut next = memory::filled(0, fields);
        let rows = numbers.iter().map(|number| {
            let next = &mut next[*number as usize];
            *next += 1;
            *next - 1
        });
        SparsePlaces { starts: sums(&counts), rows: memory::collected(rows), numbers }
    }
}

impl KeptStructures {
    /// Returns the structure of a site, computed at its first use.
    pub(super) fn get(
        &self,
        id: TypeId,
        find: impl FnOnce() -> Result<Structure>,
    ) -> Result<Arc<Structure>> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&id) {
            return Ok(Arc::clone(known));
        }
        // Another thread may have computed it meanwhile.
        let found = find()?;
        Ok(Arc::clone(known().entry(id).or_insert_with(|| Arc::new(found))))
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

/// Returns the lengths of rows, from the offsets of all.
pub(super) fn lengths_of(offsets: &[u64], runs: &[Range<u64>]) -> Vec<u64> {
    let mut lengths = Vec::new();
    for run in runs {
        let some = &offsets[run.start as usize..=run.end as usize];
        lengths.put_each(some.windows(2).map(|pair| pair[1] - pair[0]));
    }
    lengths
}
