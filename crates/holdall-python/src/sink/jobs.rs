//! Work that waits until the contents of cyclic values are complete, and its order.

use std::collections::HashSet;

use holdall::Result;
use holdall::bindings::memory::{Collect, GrowVec};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyTuple};

use super::close::{alike, impossible};
use super::direct_containers::keep_places;
use super::order::{Next, Order};
use super::own_form::Form;
use super::{Builder, Content, Fix, Job, Recipe};
use crate::once::intern;
use crate::support;

impl<'py> Builder<'py, '_> {
    /// Does a job now if it is ready and possible, else queues it.
    pub(super) fn job(&mut self, job: Job<'py>, is_ready: bool) -> Result<()> {
        if is_ready && self.is_possible(&job) {
            return self.work(job);
        }
        self.jobs.put(job);
        Ok(())
    }

    fn is_there(&self, slot: &Content<'py>) -> bool {
        match slot {
            Content::Now(_) => true,
            Content::Late(late) => self.lates[*late].value.is_some(),
        }
    }

    /// Whether everything that a job needs exists.
    fn is_possible(&self, job: &Job<'py>) -> bool {
        let made = |needs: &[usize]| needs.iter().all(|late| self.lates[*late].value.is_some());
        match job {
            Job::Entries(_, entries) => {
                entries.iter().all(|(key, value)| self.is_there(key) && self.is_there(value))
            }
            Job::Members(_, members) => members.iter().all(|member| self.is_there(member)),
            Job::Make { inputs, needs, .. } => {
                made(needs) && inputs.iter().all(|input| self.is_there(input))
            }
            Job::Fill { object, value, needs, .. } => {
                made(needs) && self.is_there(object) && self.is_there(value)
            }
            Job::Post(_, object, _) => self.is_there(object),
        }
    }

    fn now(&self, slot: Content<'py>) -> Result<Bound<'py, PyAny>> {
        match slot {
            Content::Now(value) => Ok(value),
            Content::Late(late) => self.lates[late].value.clone().ok_or_else(impossible),
        }
    }

    fn work(&mut self, job: Job<'py>) -> Result<()> {
        match job {
            Job::Entries(map, entries) => {
                let before = map.len();
                let before = self.check(before)? + entries.len();
                let first = before - entries.len();
                for (index, (key, value)) in entries.into_iter().enumerate() {
                    let (key, value) = (self.now(key)?, self.now(value)?);
                    let set = match map.cast_exact::<PyDict>() {
                        Ok(dict) => dict.set_item(&key, value),
                        Err(_) => map.set_item(&key, value),
                    };
                    let step = || format!("[{}].key", first + index);
                    let set = set.map_err(|raised| unhashable(map.py(), raised, step));
                    self.check(set)?;
                }
                let after = map.len();
                if self.check(after)? < before { Err(alike()) } else { Ok(()) }
            }
            Job::Members(set, members) => {
                let before = members.len();
                let members: Result<Vec<_>> =
                    members.into_iter().map(|member| self.now(member)).collected();
                let members = members?;
                let kept = keep_places(&set, &members);
                self.check(kept)?;
                for (index, member) in members.iter().enumerate() {
                    let added = match set.cast_exact::<PySet>() {
                        Ok(set) => set.add(member),
                        Err(wrong) => Err(wrong.into()),
                    };
                    let step = || format!("[{index}]");
                    let added = added.map_err(|raised| unhashable(set.py(), raised, step));
                    self.check(added)?;
                }
                let after = set.len();
                if self.check(after)? < before { Err(alike()) } else { Ok(()) }
            }
            Job::Make { late, recipe, inputs, fit, .. } => {
                self.make_late(late, &recipe, inputs, fit).map(|_| ())
            }
            Job::Fill { function, object, value, layout, .. } => {
                let (object, value) = (self.now(object)?, self.now(value)?);
                let filled = match function.cast::<Form>() {
                    Ok(form) => form.get().fill(&object, value),
                    Err(_) => function.call1((&object, value)).map(|_| ()),
                };
                self.check(filled)?;
                layout.map_or(Ok(()), |layout| self.charge_object(layout, &object))
            }
            Job::Post(function, object, layout) => {
                let object = self.now(object)?;
                let done = function.call1((&object,));
                self.check(done)?;
                layout.map_or(Ok(()), |layout| self.charge_object(layout, &object))
            }
        }
    }

    /// Does the jobs from `from` on. Those that make values run in the order in which the values ended, as far as they
    /// need each other; those that hash values run as late as possible.
    pub(super) fn run(&mut self, from: usize) -> Result<()> {
        let mut order = Order::of(self.jobs.split_off(from), &self.lates);
        while let Some(Next { job, completes }) = order.next(&self.lates) {
            self.work(job)?;
            order.complete(completes);
        }
        if order.are_all_done() { Ok(()) } else { Err(impossible()) }
    }
}

impl Fix<'_> {
    /// Returns the address of the object that has the slot.
    pub(super) fn target(&self) -> usize {
        let object = match self {
            Fix::Item(list, _) => list.as_ptr(),
            Fix::Member(tuple, _) => tuple.tuple().as_ptr(),
            Fix::Entry(dict, _) => dict.as_ptr(),
            Fix::Attribute(object, _) => object.as_ptr(),
        };
        object as usize
    }
}

impl Recipe<'_> {
    /// How many levels deep in its input the containers are that a function may copy, if any: these need all items before.
    pub(super) fn copied_levels(&self) -> Option<usize> {
        match self {
            Recipe::Call(function, _) => {
                Some(function.cast::<Form>().map_or(1, |form| form.get().copied_levels()))
            }
            Recipe::Bare(form) => Some(form.get().copied_levels()),
            // The constructor copies nothing; a method of the program may.
            Recipe::CallByKeywords(class, _) => {
                let post = class.hasattr(intern!(class.py(), "__post_init__"));
                Some(usize::from(post.unwrap_or(true)))
            }
            Recipe::Logical(_) => Some(1),
            Recipe::FrozenSet | Recipe::Set | Recipe::Same => None,
        }
    }
}

/// Whether a value, or one inside it, down to a number of levels, has one of these addresses.
pub(super) fn is_or_holds(slot: &Content<'_>, addresses: &HashSet<usize>, levels: usize) -> bool {
    let Content::Now(value) = slot else { return false };
    has_one_of(value, addresses, levels)
}

fn has_one_of(value: &Bound<'_, PyAny>, addresses: &HashSet<usize>, levels: usize) -> bool {
    if addresses.is_empty() {
        return false;
    }
    if addresses.contains(&(value.as_ptr() as usize)) {
        return true;
    }
    let Some(levels) = levels.checked_sub(1) else { return false };
    let has_one = |item: &Bound<'_, PyAny>| has_one_of(item, addresses, levels);
    value.cast_exact::<PyTuple>().is_ok_and(|items| items.as_slice().iter().any(has_one))
        || value.cast_exact::<PyList>().is_ok_and(|items| items.iter().any(|item| has_one(&item)))
        || value
            .cast_exact::<PyDict>()
            .is_ok_and(|items| items.values().iter().any(|item| has_one(&item)))
}

/// The error for a key or member without a hash, at a step of the path; another exception as it is.
#[cold]
pub(super) fn unhashable(py: Python<'_>, raised: PyErr, step: impl FnOnce() -> String) -> PyErr {
    let made = support(py, "unhashable").and_then(|make| make.call1((raised.value(py), step())));
    made.map_or_else(|failed| failed, PyErr::from_value)
}
