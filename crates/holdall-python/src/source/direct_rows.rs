//! Rows in the direct walk: dicts and objects with attributes.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use arrayvec::ArrayVec;
use holdall::Result;
use holdall::bindings::memory::{Collect, GrowVec};
use holdall::bindings::{Container, Handle, RowShape};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::direct_walk::{Progress, Target};
use super::plan::{Instance, Native};
use super::shapes::{LearnedShapes, Shapes};
use super::{Rest, Walker};
use crate::entries::{Entries, Pair};
use crate::once::intern;
use crate::raw;

/// Up to this many fields are collected before they are encoded, where iterating twice would cost
/// look-ups.
const COLLECTED_FIELDS: usize = 32;

impl<'py> Walker<'py, '_> {
    pub(super) fn dict_directly(
        &mut self,
        dict: &Bound<'py, PyDict>,
        target: Target,
    ) -> Result<Progress> {
        // SAFETY: nothing changes dicts or frees objects until the walk continues by frames.
        match unsafe { Entries::of(dict) } {
            Entries::There(entries) => self.entries_directly(entries, dict, target),
            Entries::Asked(entries) if dict.len() <= COLLECTED_FIELDS => {
                let entries: ArrayVec<_, COLLECTED_FIELDS> =
                    entries.take(COLLECTED_FIELDS).collect();
                self.entries_directly(entries.iter().copied(), dict, target)
            }
            Entries::Asked(entries) => self.entries_directly(entries, dict, target),
        }
    }

    #[inline]
    fn entries_directly<'a>(
        &mut self,
        entries: impl Iterator<Item = Pair<'a, 'py>> + Clone,
        dict: &Bound<'py, PyDict>,
        target: Target,
    ) -> Result<Progress>
    where
        'py: 'a,
    {
        let names = entries.clone().map(first);
        let latest = self.memory.shapes.get(target.slot);
        let latest = latest.and_then(|shapes| shapes.find_latest(names.clone()));
        let progress = self.row_directly(latest, entries.clone().map(second), dict, target)?;
        if progress != Progress::None {
            return Ok(progress);
        }
        let Some(open) = self.other_mapping_directly(names, target.slot)? else {
            return Ok(Progress::None);
        };
        self.begun_directly(dict, target);
        self.values_directly(entries.map(second), open, dict, target.levels)
    }

    /// Begins a dict that has other keys than the one before, if they are text.
    #[inline(never)]
    fn other_mapping_directly<'a>(
        &mut self,
        names: impl Iterator<Item = Borrowed<'a, 'py, PyAny>> + Clone,
        slot: usize,
    ) -> Result<Option<Handle>>
    where
        'py: 'a,
    {
        if let Some(shapes) = self.memory.shapes.get_mut(slot) {
            if let Some(record) = self.shredder.loose_at(slot) {
                let field = |name: &str| self.shredder.field_of(record, name);
                if let Some(fields) = shapes.fields_of(record, names.clone(), field) {
                    return Ok(Some(self.shredder.open_loose(slot, fields)?.into()));
                }
            } else if let Some(shape) = shapes.find_aside(names.clone())
                && let Some(open) = self.shredder.open_with_shape(slot, shape)
            {
                return Ok(Some(open.into()));
            }
        }
        self.mapping_directly(names, slot)
    }

    /// Encodes a defaultdict or counter, as an extension that holds its entries, if all keys are text and the name of the
    /// factory is known.
    pub(super) fn collection_directly(
        &mut self,
        object: &Bound<'py, PyAny>,
        native: Native,
        target: Target,
    ) -> Result<Progress> {
        let Ok(dict) = object.cast::<PyDict>() else { return Ok(Progress::None) };
        // SAFETY: nothing changes dicts or frees objects until the walk continues by frames.
        let entries = unsafe { Entries::of(dict) };
        if entries.clone().any(|(key, _)| raw::text_of(key).is_none()) {
            return Ok(Progress::None);
        }
        let py = self.py;
        let (name, factory) = if let Native::DefaultDict = native {
            let factory = object.getattr(intern!(py, "default_factory"));
            let known = factory.ok().and_then(|factory| self.memory.known_factory(&factory));
            let Some(factory) = known else { return Ok(Progress::None) };
            (intern!(py, "py.defaultdict"), Some(factory))
        } else {
            (intern!(py, "py.counter"), None)
        };
        let name = self.text(name)?;
        let inside = self.shredder.extension_at(target.slot, &name)?;
        self.begun_directly(object, target);
        let mut around = None;
        let mut slot = inside;
        if let Some(factory) = factory {
            let mut open = self.shredder.open_tuple(inside, 2)?;
            let first = open.slot(self.shredder)?;
            match raw::text_of(factory.as_any().as_borrowed()) {
                Some(name) => self.shredder.at(first).string(name),
                None => self.shredder.at(first).null(),
            }
            slot = open.slot(self.shredder)?;
            around = Some(open);
        }
        // The entries have no identity of their own.
        let content = target.of_content(slot);
        let progress = self.entries_directly(entries, dict, content)?;
        match around {
            Some(open) if progress == Progress::Complete => open.close(self.shredder)?,
            Some(open) => {
                let rest = Rest::Left(Vec::new().into_iter());
                return Ok(self.waits(None, rest, open, object));
            }
            None => {}
        }
        Ok(progress)
    }

    /// Encodes a dict or object with a known shape that this slot accepts.
    #[inline]
    pub(super) fn row_directly<'a>(
        &mut self,
        shape: Option<RowShape>,
        values: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
        of: &Bound<'py, PyAny>,
        target: Target,
    ) -> Result<Progress>
    where
        'py: 'a,
    {
        let Some(open) = shape.and_then(|shape| self.shredder.open_with_shape(target.slot, shape))
        else {
            return Ok(Progress::None);
        };
        self.begun_directly(of, target);
        self.values_directly(values, open, of, target.levels)
    }

    /// Begins a dict whose keys are new in this slot, if they are text, and learns them.
    #[inline(never)]
    fn mapping_directly<'a>(
        &mut self,
        names: impl Iterator<Item = Borrowed<'a, 'py, PyAny>> + Clone,
        slot: usize,
    ) -> Result<Option<Handle>>
    where
        'py: 'a,
    {
        if names.clone().any(|name| raw::text_of(name).is_none()) {
            return Ok(None);
        }
        let keys = names.clone().map(|name| raw::text_of(name).unwrap_or_default());
        let open = self.shredder.open_mapping(slot, keys)?;
        if let Some(shape) = self.shredder.latest_shape() {
            if self.memory.shapes.len() <= slot {
                self.memory.shapes.put_fill_with(slot + 1, Shapes::default);
            }
            let shapes = &mut self.memory.shapes[slot];
            if shapes.learns() {
                shapes.learn(names.filter_map(|name| name.cast_exact().ok()), shape);
            }
        }
        Ok(Some(open))
    }

    /// Encodes an object with attributes, if its fields have a known shape.
    pub(super) fn instance_directly(
        &mut self,
        instance: &Instance<'py>,
        object: &Bound<'py, PyAny>,
        target: Target,
    ) -> Result<Progress> {
        // SAFETY: as for dicts.
        let Some(fields) = (unsafe { instance.known_fields(object) }) else {
            return Ok(Progress::None);
        };
        let shapes = &instance.shapes;
        // SAFETY: as for dicts; what holds the values is the object, or its dict, which `fields` holds.
        let (in_slots, beside) = unsafe { (fields.in_slots(), fields.beside()) };
        let Some(beside) = beside else {
            return self.fields_directly(in_slots, shapes, object, target);
        };
        let mut all = ArrayVec::<_, COLLECTED_FIELDS>::new();
        let each = in_slots.chain(beside);
        for field in each.clone() {
            if all.try_push(field).is_err() {
                return self.fields_directly(each, shapes, object, target);
            }
        }
        self.fields_directly(all.iter().copied(), shapes, object, target)
    }

    #[inline]
    fn fields_directly<'a>(
        &mut self,
        fields: impl Iterator<Item = Pair<'a, 'py>> + Clone,
        shapes: &LearnedShapes<'py>,
        object: &Bound<'py, PyAny>,
        target: Target,
    ) -> Result<Progress>
    where
        'py: 'a,
    {
        let shape = shapes.borrow_mut().find(fields.clone().map(first));
        self.row_directly(shape, fields.map(second), object, target)
    }

    /// Encodes the values of a row that has begun.
    #[inline]
    fn values_directly<'a>(
        &mut self,
        mut values: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
        mut open: impl Container,
        of: &Bound<'py, PyAny>,
        levels: usize,
    ) -> Result<Progress>
    where
        'py: 'a,
    {
        let mut progress = 0;
        while let Some(value) = values.next() {
            let slot = open.slot(self.shredder)?;
            progress += 1;
            match self.value_directly(&value, slot, levels)? {
                Progress::Complete => {}
                progress => {
                    let unencoded = progress == Progress::None;
                    let left = unencoded.then_some(value).into_iter().chain(values);
                    let left: Vec<_> = left.map(Borrowed::to_owned).collected();
                    let frame = Rest::Left(left.into_iter());
                    return Ok(self.waits(unencoded.then_some(slot), frame, open, of));
                }
            }
        }
        self.left = self.left.saturating_sub(progress);
        open.close(self.shredder)?;
        Ok(Progress::Complete)
    }
}

fn first<'a, 'py, T>((name, _): (Borrowed<'a, 'py, PyAny>, T)) -> Borrowed<'a, 'py, PyAny> {
    name
}

fn second<'a, 'py, T>((_, value): (T, Borrowed<'a, 'py, PyAny>)) -> Borrowed<'a, 'py, PyAny> {
    value
}
