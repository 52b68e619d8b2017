//! Runs of similar items of a long list, encoded at once by the direct walk.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use std::rc::Rc;
use std::sync::Arc;

use arrayvec::ArrayVec;
use holdall::Result;
use holdall::bindings::Row;
use holdall::bindings::memory::GrowVec;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyString};

use super::direct_walk::{LEVELS, Progress, VALUES_PER_WALK};
use super::leaves::{LeafClass, LeafForm};
use super::memory::Member;
use super::plan::Plan;
use super::{Walker, is_plain};
use crate::collector::WithoutCollector;
use crate::raw;

/// The longest run of items that is encoded at once.
const RUN: usize = 4096;
/// The most members of an enum in it.
const MEMBERS: usize = 32;
/// The most references to earlier objects that are encoded at once.
const REFERENCES: usize = 256;

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
        if item.is_exact_instance_of::<PyInt>() {
            return self.big_ints_directly(list, at);
        }
        if item.is_exact_instance_of::<PyString>() {
            // SAFETY: nothing changes the list or frees objects until the walk continues by frames.
            return self.shredder.strings(unsafe { raw::texts(list, at) }.take(RUN));
        }
        if is_plain(item) {
            return Ok(0);
        }
        // The one reference is that of the list.
        if self.options.references && raw::is_shared(item, 1) {
            let references = self.references_directly(list, at)?;
            if references > 0 {
                return Ok(references);
            }
        }
        match self.known_plan(item).map(Rc::clone).as_deref() {
            Some(Plan::Leaf(class)) if class.is_time() => {
                self.times_directly(list, at, item, class)
            }
            Some(Plan::Enum(name, _)) => self.members_directly(list, at, item, name),
            _ => Ok(0),
        }
    }

    /// The same for ints beyond 64 bits.
    fn big_ints_directly(&mut self, list: &Bound<'py, PyList>, at: usize) -> Result<usize> {
        let mut count = 0;
        while count < RUN {
            // SAFETY: nothing changes the list or frees objects until the walk continues by frames.
            let Some(item) = (unsafe { raw::item_of(list, at + count) }) else { break };
            if !item.is_exact_instance_of::<PyInt>() {
                break;
            }
            match raw::big_bytes(&item, &mut self.big) {
                Ok(bytes) if bytes.len() > size_of::<u64>() => {
                    let slot = self.shredder.take_slot()?;
                    self.shredder.at(slot).big_int(bytes)?;
                }
                _ => break,
            }
            count += 1;
        }
        Ok(count)
    }

    /// The same for objects that occurred before.
    fn references_directly(&mut self, list: &Bound<'py, PyList>, at: usize) -> Result<usize> {
        let mut rows = ArrayVec::<Row, REFERENCES>::new();
        for at in at..at + REFERENCES {
            // SAFETY: nothing changes the list or frees objects until the walk continues by frames.
            let Some(item) = (unsafe { raw::item_of(list, at) }) else { break };
            let Some((row, _)) = self.seen.get(&(item.as_ptr() as usize)) else { break };
            rows.push(*row);
        }
        self.shredder.back_references(&rows)?;
        Ok(rows.len())
    }

    /// The same for members of one enum that are known, or for flags of up to 64 bits.
    fn members_directly(
        &mut self,
        list: &Bound<'py, PyList>,
        at: usize,
        item: &Bound<'py, PyAny>,
        name: &Arc<str>,
    ) -> Result<usize> {
        let class = item.get_type_ptr();
        let mut met = ArrayVec::<(*mut PyObject, u64), MEMBERS>::new();
        let mut variants = ArrayVec::<&Arc<str>, MEMBERS>::new();
        self.ints.clear();
        for at in at..at + RUN {
            // SAFETY: nothing changes the list or frees objects until the walk continues by frames.
            let Some(item) = (unsafe { raw::item_of(list, at) }) else { break };
            if let Some((_, number)) = met.iter().find(|(own, _)| *own == item.as_ptr()) {
                self.ints.put(*number);
                continue;
            }
            if item.get_type_ptr() != class {
                break;
            }
            let number = match self.memory.members.get(&(item.as_ptr() as usize)) {
                Some((Member::Flag(bits), _)) => bits.cast_unsigned(),
                Some((Member::Variant(variant), _)) if !variants.is_full() => {
                    variants.push(variant);
                    variants.len() as u64 - 1
                }
                _ => break,
            };
            if !met.is_full() {
                met.push((item.as_ptr(), number));
            }
            self.ints.put(number);
        }
        if variants.is_empty() {
            self.shredder.extension_ints(name, &self.ints)?;
        } else {
            self.shredder.extension_variants(name, &variants, &self.ints)?;
        }
        Ok(self.ints.len())
    }

    /// The same for unshared dates and times of one type.
    fn times_directly(
        &mut self,
        list: &Bound<'py, PyList>,
        at: usize,
        item: &Bound<'py, PyAny>,
        of: &LeafClass,
    ) -> Result<usize> {
        let class = item.get_type_ptr();
        let mut form: Option<&LeafForm> = None;
        self.ints.clear();
        for at in at..at + RUN {
            // SAFETY: nothing changes the list or frees objects until the walk continues by frames.
            let Some(item) = (unsafe { raw::item_of(list, at) }) else { break };
            // The one reference is that of the list.
            if item.get_type_ptr() != class || self.options.references && raw::is_shared(&item, 1) {
                break;
            }
            let Some(leaf) = of.leaf(&item).filter(|leaf| leaf.form.parts.len() == 1) else {
                break;
            };
            if form.get_or_insert(leaf.form) != &leaf.form {
                break;
            }
            self.ints.put(leaf.words[0]);
        }
        if let Some(form) = form {
            let ty = self.memory.logical_type(form.kind, form.parameters)?;
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
