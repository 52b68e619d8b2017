//! Items of a long list told in place: those that are alike in one piece.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use holdall::{Result, Sink};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyString};

use super::inside::{LEVELS, Progress, VALUES, is_time};
use super::plan::Plan;
use super::times::Single;
use super::{Walker, is_plain};
use crate::collector::WithoutCollector;
use crate::raw;

/// So many items are told in one piece.
const RUN: usize = 4096;

impl<'py> Walker<'py, '_> {
    /// Tells the items of the list on top of the stack from one on, one after the other; answers the item at which it stops, and how far
    /// that was told.
    pub(super) fn items_in_place(
        &mut self,
        list: &Bound<'py, PyList>,
        mut at: usize,
    ) -> Result<(usize, Progress)> {
        self.left = VALUES;
        let _collector = WithoutCollector::new(self.py);
        while self.left > 0 {
            // SAFETY: nothing changes the list or frees objects until the walk goes on by frames.
            let Some(item) = (unsafe { raw::item_of(list, at) }) else { break };
            let run = self.run_in_place(list, at, &item)?;
            if run > 0 {
                self.left = self.left.saturating_sub(run);
                at += run;
                continue;
            }
            let place = self.shredder.take_slot()?;
            match self.value_in_place(&item, place, LEVELS)? {
                Progress::Whole => at += 1,
                Progress::Begun => return Ok((at, Progress::Begun)),
                Progress::Not => {
                    self.shredder.return_slot(place);
                    return Ok((at, Progress::Not));
                }
            }
            self.left = self.left.saturating_sub(1);
        }
        Ok((at, Progress::Whole))
    }

    /// Tells the items of the list on top of the stack from one on as long as they are alike, and answers how many, if they are
    /// numbers, strings, or dates and times.
    #[inline]
    fn run_in_place(
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
            // SAFETY: nothing changes the list or frees objects until the walk goes on by frames.
            return self.shredder.strings(unsafe { raw::texts(list, at) }.take(RUN));
        }
        if is_plain(item) {
            return Ok(0);
        }
        self.times_in_place(list, at, item)
    }

    /// The same of dates and times of one type that nothing else refers to, if the plan of their class is known.
    fn times_in_place(
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
            // SAFETY: nothing changes the list or frees objects until the walk goes on by frames.
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

    /// Looks up the numbers of a list from one item on, ints or floats, and answers how many.
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
