//! Offsets and counts that find a row and those inside it, without the rows before: computed at the first access, and kept.

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::decoded::Decoded;
use crate::block::SparseRows;
use crate::column::ranks::Ranks;
use crate::error::Result;
use crate::memory;
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
    Sparse(SparseRows),
    /// For a column that is decoded in full: all rows.
    Rows(Decoded),
}

impl KeptStructures {
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
