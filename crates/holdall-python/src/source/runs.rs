//! Runs of similar items of a long list, encoded at once by the direct walk.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use holdall::Result;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyString};

use super::direct_walk::{LEVELS, Progress, VALUES_PER_WALK, is_time};
use super::plan::Plan;
use super::times::Single;
use super::{Walker, is_plain};
use crate::collector::WithoutCollector;
use crate::raw;

/// The longest run of items that is encoded at once.
const RUN: usize = 4096;

impl<'py> Walker<'py, '_> {
    /// Encodes the items of the list on top of the stack one after the other, from `at` on. Returns
    /// the item at which it stops, and how much of it was encoded.
    pub(super) fn items_directly(
        &mut self,
        list: &Bound<'py, PyList>,
        mut at: usize,
    ) -> Result<(usize, Progress)> {
        self.left = VALUES_PER_WALK;
        let _collector = WithoutCollector::new(self.py);
        while self.left > 0 {
            // SAFETY: nothing changes the list or frees objects until the walk continues by frames.
            let Some(item) = (unsafe { raw::item_of(list, at) }) else { break };
            let run = self.run_directly(list, at, &item)?;
            if run > 0 {
                self.left = self.left.saturating_sub(run);
                at += run;
                continue;
            }
            let slot = self.shredder.take_slot()?;
            match self.value_directly(&item, slot, LEVELS)? {
                Progress::Complete => at += 1,
                Progress::Begun => return Ok((at, Progress::Begun)),
                Progress::None => {
                    self.shredder.return_slot(slot);
                    return Ok((at, Progress::None));
                }
            }
            self.left = self.left.saturating_sub(1);
        }
        Ok((at, Progress::Complete))
    }

    /// Encodes the items from `at` on that are alike, if they are numbers, strings, or dates and
    /// times. Returns how many.
    #[inline]
    fn run_directly(
        &mut self,
        list: &Bound<'py, PyList>,
        at: usize,
        item: &Bound<'py, PyAny>,
    ) -> Result<usize> {
        let numbers = self.numbers(list, at, item);
        if numbers > 0 {
            self.shredder.ints(&self.ints)?;
            self.shredder.floats(&self.floats)?;
            return Ok(numbers);
        }
        if item.is_exact_instance_of::<PyString>() {
            // SAFETY: nothing changes the list or frees objects until the walk continues by frames.
            return self.shredder.strings(unsafe { raw::texts(list, at) }.take(RUN));
        }
        if is_plain(item) {
            return Ok(0);
        }
        self.times_directly(list, at, item)
    }

    /// The same for unshared dates and times of one type, if the plan of their class is known.
    fn times_directly(
        &mut self,
        list: &Bound<'py, PyList>,
        at: usize,
        item: &Bound<'py, PyAny>,
    ) -> Result<usize> {
        let native = match self.known_plan(item).map(|plan| &**plan) {
            Some(Plan::Native(native)) if is_time(*native) => *native,
            _ => return Ok(0),
        };
        let class = item.get_type_ptr();
        let mut of: Option<Single> = None;
        self.ints.clear();
        for at in at..at + RUN {
            // SAFETY: nothing changes the list or frees objects until the walk continues by frames.
            let Some(item) = (unsafe { raw::item_of(list, at) }) else { break };
            // The one reference is that of the list.
            if item.get_type_ptr() != class || self.options.references && raw::refcount(&item) > 1 {
                break;
            }
            let Some(single) = self.single_time(&item, native) else { break };
            let first = of.get_or_insert(single);
            if (first.kind, first.parameters) != (single.kind, single.parameters) {
                break;
            }
            self.ints.push(single.number.cast_unsigned());
        }
        if let Some(Single { kind, parameters, .. }) = of {
            let ty = self.memory.logical_type(kind, parameters)?;
            self.shredder.logical_ints(ty, &self.ints)?;
        }
        Ok(self.ints.len())
    }

    /// Buffers the ints or floats of a list from one item on, and returns how many.
    #[inline]
    pub(super) fn numbers(
        &mut self,
        list: &Bound<'py, PyList>,
        at: usize,
        item: &Bound<'py, PyAny>,
    ) -> usize {
        self.ints.clear();
        self.floats.clear();
        if item.is_exact_instance_of::<PyInt>() {
            raw::ints(list, at, RUN, &mut self.ints)
        } else if item.is_exact_instance_of::<PyFloat>() {
            raw::floats(list, at, RUN, &mut self.floats)
        } else {
            0
        }
    }
}
