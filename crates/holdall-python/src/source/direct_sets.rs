//! Sets in the direct walk.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use holdall::bindings::Container;
use holdall::bindings::memory::GrowVec;
use holdall::{LogicalType, Result};
use pyo3::prelude::*;
use pyo3::types::PyInt;

use super::Walker;
use super::direct_walk::{Progress, Target};
use super::plan::Native;
use crate::raw;

impl<'py> Walker<'py, '_> {
    /// Encodes a set of ints of 64 bits or of strings, which most sets are, in order.
    pub(super) fn set_directly(
        &mut self,
        set: &Bound<'py, PyAny>,
        native: Native,
        target: Target,
    ) -> Result<Progress> {
        // SAFETY: nothing changes sets or frees objects until the walk continues by frames.
        let Some(members) = (unsafe { raw::members(set) }) else { return Ok(Progress::None) };
        let mut texts = Vec::new();
        self.ints.clear();
        for member in members {
            if member.is_exact_instance_of::<PyInt>() {
                let Ok(Some(bits)) = raw::int_bits(&member) else { return Ok(Progress::None) };
                self.ints.put(bits.cast_unsigned());
            } else if let Some(text) = raw::text_of(member) {
                texts.put(text);
            } else {
                return Ok(Progress::None);
            }
        }
        if !self.ints.is_empty() && !texts.is_empty() {
            return Ok(Progress::None);
        }
        self.ints.sort_unstable_by_key(|bits| bits.cast_signed());
        texts.sort_unstable();
        self.left = self.left.saturating_sub(self.ints.len() + texts.len());
        let is_set = matches!(native, Native::Set);
        let kind = if is_set { LogicalType::SET } else { LogicalType::FROZEN_SET };
        let inside = self.logical_directly(set, kind, &[], target)?;
        let mut open = self.shredder.open_list(inside);
        open.ints(self.shredder, &self.ints);
        open.strings(self.shredder, texts.into_iter());
        open.close(self.shredder)?;
        Ok(Progress::Complete)
    }
}
