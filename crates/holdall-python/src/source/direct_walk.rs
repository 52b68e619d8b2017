//! Direct walk: encodes containers and their contents by recursive functions, with borrowed
//! references.
//!
//! Meanwhile no Python code runs, and no object that the garbage collector tracks is created or
//! freed, so containers keep what they hold. A value that needs such code, or is nested deeper than
//! [`LEVELS`], ends the direct walk; the rest of each open container then waits as a frame of
//! the walk.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use std::rc::Rc;

use holdall::bindings::memory::GrowVec;
use holdall::bindings::{Container, Handle};
use holdall::{IntKind, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::leaves::{Leaf, LeafForm, LeafPart};
use super::plan::{Native, Plan};
use super::planned::member_at;
use super::{MAX_ITEMS_ONE_BY_ONE, Rest, Scalar, Walker, is_constant, scalar_of};
use crate::collector::WithoutCollector;
use crate::raw;

/// The depth of recursion: threads may have small stacks.
pub(super) const LEVELS: usize = 16;
/// Longer lists wait: the walk checks for signals between their items.
const LONGEST_LIST: usize = 1024;
/// The number of values after which the walk checks for signals.
pub(super) const VALUES_PER_WALK: usize = 1 << 14;

/// How much of a value was encoded.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Progress {
    Complete,
    /// It has begun; the rest waits.
    Begun,
    /// Nothing: the value needs the walk by frames.
    None,
}

/// Where a container is encoded.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) slot: usize,
    /// Whether references to it can follow.
    tracked: bool,
    /// The remaining depth of recursion.
    pub(super) levels: usize,
}

impl Target {
    /// Returns the target of what a value holds in place of a copy, which nothing can refer to.
    pub(super) fn of_content(self, slot: usize) -> Target {
        Target { slot, tracked: false, levels: self.levels.saturating_sub(1) }
    }
}

/// What a direct walk left undone.
pub(super) enum Waiting<'py> {
    /// The slot of a value that was not encoded.
    Slot(usize),
    /// The rest of a container, its handle, and the container.
    Container(Rest<'py>, Handle, Bound<'py, PyAny>),
}

impl<'py> Walker<'py, '_> {
    /// Encodes a container without an earlier row, if a direct walk can.
    pub(super) fn walk_directly(
        &mut self,
        value: &Bound<'py, PyAny>,
        tracked: bool,
    ) -> Result<Progress> {
        if !self.fits(value) {
            return Ok(Progress::None);
        }
        self.left = VALUES_PER_WALK;
        let slot = self.shredder.take_slot()?;
        let collector = WithoutCollector::new(self.py);
        if !self.options.references {
            self.path.put(value.as_ptr() as usize);
        }
        let progress = self.container_directly(value, Target { slot, tracked, levels: LEVELS });
        self.path.clear();
        drop(collector);
        match progress? {
            Progress::None => {
                self.shredder.return_slot(slot);
                return Ok(Progress::None);
            }
            Progress::Begun => self.put_back(),
            Progress::Complete => {}
        }
        self.tick(VALUES_PER_WALK - self.left)?;
        Ok(Progress::Complete)
    }

    /// Whether a direct walk may encode a value.
    fn fits(&self, value: &Bound<'py, PyAny>) -> bool {
        is_container(value)
            || self.unreplaced_plan(value).is_some_and(|plan| match &**plan {
                Plan::Instance(_) | Plan::NamedTuple(..) | Plan::Leaf(_) => true,
                Plan::Enum(..) => self.memory.members.contains_key(&(value.as_ptr() as usize)),
                Plan::Native(native) => matches!(
                    native,
                    Native::Set | Native::FrozenSet | Native::DefaultDict | Native::Counter
                ),
                _ => false,
            })
    }

    /// Turns what waits into frames, the outermost first.
    #[cold]
    pub(super) fn put_back(&mut self) {
        while let Some(waiting) = self.waiting.pop() {
            match waiting {
                Waiting::Slot(slot) => self.shredder.return_slot(slot),
                Waiting::Container(frame, handle, value) => {
                    self.stack.put(frame);
                    self.shredder.resume(handle);
                    if self.notes_open() {
                        self.note_open(&value, self.stack.len());
                    }
                }
            }
        }
    }

    /// Encodes a value inside a direct walk.
    #[inline(always)]
    pub(super) fn value_directly(
        &mut self,
        value: &Bound<'py, PyAny>,
        slot: usize,
        levels: usize,
    ) -> Result<Progress> {
        match scalar_of(value) {
            Some(Scalar::Text(text)) => match raw::utf8(text) {
                Ok(text) => self.shredder.at(slot).string(text),
                Err(_) => return Ok(Progress::None),
            },
            Some(Scalar::Int(int)) => match raw::int_bits(int) {
                Ok(Some(bits)) => self.shredder.at(slot).int(bits),
                Ok(None) => match raw::big_bytes(int, &mut self.big) {
                    Ok(bytes) => self.shredder.at(slot).big_int(bytes)?,
                    Err(_) => return Ok(Progress::None),
                },
                Err(_) => return Ok(Progress::None),
            },
            Some(Scalar::Float(float)) => self.shredder.at(slot).f64(float),
            Some(Scalar::Null) => self.shredder.at(slot).null(),
            Some(Scalar::Bool(bool)) => self.shredder.at(slot).bool(bool),
            Some(Scalar::Bytes(bytes)) => self.shredder.at(slot).bytes(bytes),
            None => return self.inner_directly(value, slot, levels),
        }
        Ok(Progress::Complete)
    }

    /// Encodes a container inside another.
    #[inline(never)]
    fn inner_directly(
        &mut self,
        value: &Bound<'py, PyAny>,
        slot: usize,
        levels: usize,
    ) -> Result<Progress> {
        if levels == 0 || self.left == 0 {
            return Ok(Progress::None);
        }
        let address = value.as_ptr() as usize;
        if !is_container(value)
            && let Some(plan) = self.known_plan(value).cloned()
            && let Plan::Enum(name, _) = &*plan
        {
            // Each member is one object, so it needs no identity in the data.
            let Some((member, _)) = self.memory.members.get(&address) else {
                return Ok(Progress::None);
            };
            member_at(self.shredder, slot, name, member)?;
            return Ok(Progress::Complete);
        }
        if !self.options.references {
            // The walk by frames reports a container inside itself.
            if self.path.contains(&address) || self.is_open.contains(&address) {
                return Ok(Progress::None);
            }
            self.path.put(address);
            let target = Target { slot, tracked: false, levels: levels - 1 };
            let progress = self.container_directly(value, target);
            self.path.pop();
            return progress;
        }
        // The one reference is that of the container that holds it.
        let tracked =
            raw::is_shared(value, 1) && !value.cast_exact::<PyTuple>().is_ok_and(is_constant);
        if tracked && let Some(&(row, _)) = self.seen.get(&address) {
            self.shredder.back_reference_at(slot, row)?;
            return Ok(Progress::Complete);
        }
        self.container_directly(value, Target { slot, tracked, levels: levels - 1 })
    }

    fn container_directly(
        &mut self,
        value: &Bound<'py, PyAny>,
        target: Target,
    ) -> Result<Progress> {
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            self.dict_directly(dict, target)
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            self.list_directly(list, target)
        } else if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            self.tuple_directly(tuple, target)
        } else {
            self.planned_directly(value, target)
        }
    }

    /// Encodes a value of another type, if its plan is known and needs no Python code.
    fn planned_directly(&mut self, value: &Bound<'py, PyAny>, target: Target) -> Result<Progress> {
        let Some(plan) = self.unreplaced_plan(value).cloned() else { return Ok(Progress::None) };
        match &*plan {
            Plan::Instance(instance) => self.instance_directly(instance, value, target),
            Plan::NamedTuple(_, fields, shapes) => {
                let Ok(tuple) = value.cast::<PyTuple>() else { return Ok(Progress::None) };
                if tuple.len() != fields.len() {
                    return Ok(Progress::None);
                }
                let shape = shapes.borrow_mut().find(fields.iter().map(Bound::as_borrowed));
                self.row_directly(shape, tuple.iter_borrowed(), value, target)
            }
            Plan::Enum(name, _) => {
                let address = value.as_ptr() as usize;
                let Some((member, _)) = self.memory.members.get(&address) else {
                    return Ok(Progress::None);
                };
                member_at(self.shredder, target.slot, name, member)?;
                Ok(Progress::Complete)
            }
            Plan::Native(native @ (Native::Set | Native::FrozenSet)) => {
                self.set_directly(value, *native, target)
            }
            Plan::Native(native @ (Native::DefaultDict | Native::Counter)) => {
                self.collection_directly(value, *native, target)
            }
            Plan::Leaf(class) => {
                let Some(leaf) = class.leaf(value) else { return Ok(Progress::None) };
                let LeafForm { kind, parameters, .. } = *leaf.form;
                let inside = self.logical_directly(value, kind, parameters, target)?;
                self.parts_directly(&leaf, inside)?;
                Ok(Progress::Complete)
            }
            _ => Ok(Progress::None),
        }
    }

    /// Encodes the parts of a leaf.
    fn parts_directly(&mut self, leaf: &Leaf, slot: usize) -> Result<()> {
        let mut parts = leaf.parts();
        if parts.len() == 1 {
            return parts.try_for_each(|(part, words)| self.part_directly(part, words, slot));
        }
        let mut open = self.shredder.open_tuple(slot, parts.len())?;
        for (part, words) in parts {
            let slot = open.slot(self.shredder)?;
            self.part_directly(part, words, slot)?;
        }
        open.close(self.shredder)
    }

    fn part_directly(&mut self, part: LeafPart, words: &[u64], slot: usize) -> Result<()> {
        let at = self.shredder.at(slot);
        match (part, words) {
            (LeafPart::Int(IntKind::Int), &[word]) => at.int(word.cast_signed()),
            (LeafPart::Int(kind), &[word]) => return at.fixed_int(kind, word),
            (LeafPart::Fixed(_), &[low, high]) => {
                at.fixed(&(u128::from(high) << 64 | u128::from(low)).to_le_bytes());
            }
            (_, &[word, ..]) => at.f64(f64::from_bits(word)),
            (_, []) => {}
        }
        Ok(())
    }

    /// Begins a logical value and returns the slot of its storage.
    #[inline]
    pub(super) fn logical_directly(
        &mut self,
        value: &Bound<'py, PyAny>,
        kind: u8,
        parameters: &[u8],
        target: Target,
    ) -> Result<usize> {
        let ty = self.memory.logical_type(kind, parameters)?;
        let inside = self.shredder.logical_at(target.slot, ty)?;
        self.begun_directly(value, target);
        Ok(inside)
    }

    /// Records a container that has begun.
    #[inline]
    pub(super) fn begun_directly(&mut self, value: &Bound<'py, PyAny>, target: Target) {
        if target.tracked || target.levels == LEVELS {
            let row = self.shredder.latest_row();
            if target.levels == LEVELS {
                self.row = row;
            }
            if target.tracked
                && let Some(row) = row
            {
                self.remember(row, value);
            }
        }
    }

    /// Keeps the rest of a container, and the slot of its value that was not encoded, if there is
    /// one.
    #[cold]
    pub(super) fn waits(
        &mut self,
        unencoded: Option<usize>,
        frame: Rest<'py>,
        handle: impl Into<Handle>,
        value: &Bound<'py, PyAny>,
    ) -> Progress {
        self.waiting.put_each(unencoded.map(Waiting::Slot));
        self.waiting.put(Waiting::Container(frame, handle.into(), value.clone()));
        Progress::Begun
    }

    fn list_directly(&mut self, list: &Bound<'py, PyList>, target: Target) -> Result<Progress> {
        let len = list.len();
        let mut open = self.shredder.open_list(target.slot);
        self.begun_directly(list, target);
        if len > LONGEST_LIST {
            return Ok(self.waits(None, Rest::List(list.clone(), 0), open, list));
        }
        self.left = self.left.saturating_sub(len);
        let mut at = 0;
        while at < len {
            // SAFETY: the list holds the item, and nothing changes lists or frees objects until the
            // walk continues by frames.
            let Some(item) = (unsafe { raw::item_of(list, at) }) else { break };
            if len > MAX_ITEMS_ONE_BY_ONE {
                let run = self.numbers(list, at, &item);
                if run > 0 {
                    open.ints(self.shredder, &self.ints);
                    open.floats(self.shredder, &self.floats);
                    at += run;
                    continue;
                }
            }
            at += 1;
            let slot = open.slot(self.shredder)?;
            let progress = self.value_directly(&item, slot, target.levels)?;
            if progress != Progress::Complete {
                let unencoded = (progress == Progress::None).then_some(slot);
                let frame = Rest::List(list.clone(), at - usize::from(unencoded.is_some()));
                return Ok(self.waits(unencoded, frame, open, list));
            }
        }
        open.close(self.shredder)?;
        Ok(Progress::Complete)
    }

    fn tuple_directly(&mut self, tuple: &Bound<'py, PyTuple>, target: Target) -> Result<Progress> {
        let len = tuple.len();
        let mut open = self.shredder.open_tuple(target.slot, len)?;
        if !is_constant(tuple) {
            self.begun_directly(tuple, target);
        }
        if len > LONGEST_LIST {
            return Ok(self.waits(None, Rest::Tuple(tuple.clone(), 0), open, tuple));
        }
        self.left = self.left.saturating_sub(len);
        for (at, item) in tuple.iter_borrowed().enumerate() {
            let slot = open.slot(self.shredder)?;
            let progress = self.value_directly(&item, slot, target.levels)?;
            if progress != Progress::Complete {
                let unencoded = (progress == Progress::None).then_some(slot);
                let frame = Rest::Tuple(tuple.clone(), at + usize::from(unencoded.is_none()));
                return Ok(self.waits(unencoded, frame, open, tuple));
            }
        }
        open.close(self.shredder)?;
        Ok(Progress::Complete)
    }

    /// The same, unless the caller's hook has replaced the object.
    #[inline]
    fn unreplaced_plan(&self, object: &Bound<'py, PyAny>) -> Option<&Rc<Plan<'py>>> {
        if self.asking.as_ref().is_some_and(|asking| asking.has_replaced(object)) {
            return None;
        }
        self.known_plan(object)
    }

    /// Returns the plan of an object's class, if it is known.
    #[inline]
    pub(super) fn known_plan(&self, object: &Bound<'py, PyAny>) -> Option<&Rc<Plan<'py>>> {
        let class = object.get_type_ptr() as usize;
        match &self.memory.latest_plan {
            Some((latest, plan)) if *latest == class => Some(plan),
            _ => self.memory.plans.get(&class).map(|(plan, _)| plan),
        }
    }
}

fn is_container(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>()
}
