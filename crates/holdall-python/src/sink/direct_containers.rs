//! Direct build of sets, maps, tuples, and of logical values and extensions.

use std::sync::Arc;

use holdall::bindings::memory::GrowVec;
use holdall::bindings::{BlockReader, RowInt};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PySet, PyWeakrefReference};

use super::charges::{self, ENTRY};
use super::direct_lists::pieces;
use super::steps::{Step, StepId};
use super::stop::Stop;
use super::{Builder, logical};
use crate::once::intern;
use crate::raw;
use crate::record_class;

impl<'py> Builder<'py, '_> {
    /// Builds another container, or a logical value.
    #[inline(never)]
    pub(super) fn make_container(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        step: Step,
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        match step {
            Step::Tuple(items) => {
                rows.pass(site);
                let first = self.gather(rows, items, levels)?;
                let tuple = raw::tuple_of(py, self.direct.values.drain(first..).map(Ok));
                Some(self.done(tuple)?.into_any())
            }
            Step::Map(key, value) => {
                let made = raw::dict(py);
                let dict = self.done(made)?;
                self.fill_map(rows, site, (key, value), &dict, levels)?;
                Some(dict.into_any())
            }
            Step::Collection(form, around, content) => {
                self.make_collection(rows, site, (form, around, content), levels)
            }
            Step::OrderedMap(storage, key, value) => {
                self.make_ordered_map(rows, site, (storage, key, value), levels)
            }
            Step::Set(storage, member, is_frozen) => {
                self.make_set(rows, site, (storage, member, is_frozen), levels)
            }
            Step::Logical(ty, storage) => {
                rows.pass(site);
                let value = self.make_value(rows, storage, levels)?;
                let ty = Arc::clone(&self.kept.steps.types[ty]);
                let made = self.logical(&ty, value);
                self.done(made)
            }
            Step::Extension(number, inside) => {
                rows.pass(site);
                self.container(0)?;
                let value = self.make_value(rows, inside, levels)?;
                let made = self.kept.steps.forms[number].bind(py).get().make(value);
                self.note_weight(&made);
                self.done(made)
            }
            _ => self.make_leaf(rows, site, step),
        }
    }

    /// Builds a logical value or extension that holds no others. The frames of functions that call each other on the depth of
    /// data stay small without it.
    #[inline(never)]
    fn make_leaf(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        step: Step,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        match step {
            Step::PurePath(inside, storage, is_windows) => {
                rows.pass(site);
                rows.pass(inside);
                self.container(0)?;
                self.container(0)?;
                let (text, _) = self.got(rows.text(storage))?;
                let made = logical::pure_path(py, text, is_windows);
                self.done(made)
            }
            Step::Single(ty, storage) => {
                rows.pass(site);
                let RowInt::Bits(bits) = self.got(rows.int(storage))? else {
                    return self.stop(Stop::Other);
                };
                let ty = &self.kept.steps.types[ty];
                let made = logical::single(py, ty, i128::from(bits.cast_signed()));
                self.done(made)
            }
            Step::Uuid(storage) => {
                rows.pass(site);
                let bytes = self.got(rows.bytes(storage))?;
                let made = logical::uuid(py, &self.empty, bytes);
                self.done(made)
            }
            Step::Decimal(storage, [form, coefficient, exponent]) => {
                rows.pass(site);
                rows.pass(storage);
                let form = self.got(rows.int(form))?;
                let RowInt::Bits(form @ 0..2) = form else { return self.stop(Stop::Other) };
                let coefficient = self.got(rows.int(coefficient))?;
                let RowInt::Bits(coefficient) = coefficient else { return self.stop(Stop::Other) };
                let exponent = self.got(rows.int(exponent))?;
                let RowInt::Bits(exponent) = exponent else { return self.stop(Stop::Other) };
                if coefficient.cast_signed() < 0 {
                    return self.stop(Stop::Other);
                }
                let made = logical::decimal(py, form == 1, coefficient, exponent.cast_signed());
                self.done(made)
            }
            Step::Member(number) => {
                rows.pass(site);
                let choice = self.kept.steps.members[number].choice;
                let variant = self.got(rows.variant(choice))?;
                let members = &self.kept.steps.members[number];
                rows.pass(members.payloads[variant]);
                match &members.members[variant] {
                    Some(member) => Some(member.bind(py).clone()),
                    // The walk of events reports the members that exist.
                    None => self.stop(Stop::Other),
                }
            }
            Step::Flags(number, bits) => {
                rows.pass(site);
                self.make_flags(rows, number, bits)
            }
            _ => self.stop(Stop::Other),
        }
    }

    /// Builds a defaultdict or counter.
    #[inline(never)]
    fn make_collection(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        (form, around, content): (usize, Option<(usize, StepId)>, StepId),
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        rows.pass(site);
        self.container(0)?;
        let mut factory = None;
        if let Some((tuple, name)) = around {
            rows.pass(tuple);
            self.container(2)?;
            factory = Some(self.make_value(rows, name, levels)?);
        }
        let made = self.kept.steps.forms[form].bind(py).get().new_collection(py, factory);
        let dict = self.done(made)?;
        self.fill_dict(rows, content, &dict, levels)?;
        let made = Ok(dict.into_any());
        self.note_weight(&made);
        made.ok()
    }

    /// Builds an ordered dict.
    #[inline(never)]
    fn make_ordered_map(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        (storage, key, value): (usize, StepId, StepId),
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        rows.pass(site);
        let len = self.got(rows.len(storage))?;
        self.container(0)?;
        let map = logical::ordered_dict(&self.empty);
        let map = self.done(map)?;
        for some in pieces(len) {
            self.count(some.len())?;
            for _ in some {
                let key = self.make_item(rows, key, levels)?;
                let value = self.make_item(rows, value, levels)?;
                self.done(map.set_item(key, value))?;
            }
        }
        let made = map.len();
        if self.done(made)? < len {
            return self.stop(Stop::Fault);
        }
        Some(map)
    }

    /// Builds a set.
    #[inline(never)]
    fn make_set(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        (storage, member, is_frozen): (usize, StepId, bool),
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        rows.pass(site);
        let len = self.got(rows.len(storage))?;
        // The set, and the list that stores it.
        self.container(0)?;
        self.container(0)?;
        let first = self.direct.values.len();
        for some in pieces(len) {
            self.count(some.len())?;
            for _ in some {
                let member = self.make_value(rows, member, levels)?;
                self.direct.values.put(member);
            }
        }
        let made = set_of(py, &self.direct.values[first..], is_frozen);
        self.direct.values.truncate(first);
        let (set, count) = self.done(made)?;
        if count < len {
            return self.stop(Stop::Fault);
        }
        Some(set)
    }

    /// Fills a dict, of a subclass perhaps, with the entries of the next value of a step, which is a dict itself.
    pub(super) fn fill_dict(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        content: StepId,
        dict: &Bound<'py, PyDict>,
        levels: usize,
    ) -> Option<()> {
        match self.kept.steps.get(content) {
            (site, Step::Map(key, value)) if levels > 0 => {
                self.fill_map(rows, site, (key, value), dict, levels - 1)
            }
            (site, Step::Row(row)) if levels > 0 && rows.is_sparse(site) => {
                match self.fields_of(rows, row, site) {
                    Some(fields) => self.fill_sparse(rows, site, fields, dict, levels - 1),
                    None => self.stop(Stop::Other),
                }
            }
            _ => {
                let made = self.make_value(rows, content, levels)?;
                match made.cast_exact::<PyDict>() {
                    Ok(made) => {
                        self.got(charges::take(ENTRY.saturating_mul(made.len() as u64)))?;
                        self.done(dict.update(made.as_mapping()))
                    }
                    // The walk of events reports it.
                    Err(_) => self.stop(Stop::Other),
                }
            }
        }
    }

    pub(super) fn fill_map(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        (key, value): (StepId, StepId),
        dict: &Bound<'py, PyDict>,
        levels: usize,
    ) -> Option<()> {
        let len = self.got(rows.len(site))?;
        self.container(0)?;
        for some in pieces(len) {
            self.count(some.len())?;
            for _ in some {
                let key = self.make_item(rows, key, levels)?;
                let value = self.make_item(rows, value, levels)?;
                self.done(dict.set_item(key, value))?;
            }
        }
        // F-35: two keys were equal.
        if dict.len() < len {
            return self.stop(Stop::Fault);
        }
        Some(())
    }
}

/// Lets records remember their places in a set, so that it is written as it was read: Python's sets have another order.
pub(super) fn keep_places<'py>(
    set: &Bound<'py, PyAny>,
    members: &[Bound<'py, PyAny>],
) -> PyResult<()> {
    let py = set.py();
    let record = record_class(py)?;
    let mut records =
        members.iter().enumerate().filter(|(_, member)| member.get_type().is(record)).peekable();
    if records.peek().is_none() {
        return Ok(());
    }
    let of_set = PyWeakrefReference::new(set)?;
    records.try_for_each(|(place, member)| {
        let name = intern!(py, "__holdall_places__");
        let places = match member.getattr_opt(name)? {
            Some(places) => places.cast_into::<PyDict>()?,
            None => {
                let places = raw::dict(py)?;
                member.setattr(name, &places)?;
                places
            }
        };
        // Another object can get the address once the set is gone.
        places.set_item(set.as_ptr() as usize, (&of_set, place))
    })
}

/// Makes a set of values. Returns it with its number of members.
pub(super) fn set_of<'py>(
    py: Python<'py>,
    values: &[Bound<'py, PyAny>],
    is_frozen: bool,
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    let (set, count) = if is_frozen {
        let set = PyFrozenSet::new(py, values)?;
        let count = set.len();
        (set.into_any(), count)
    } else {
        let set = PySet::new(py, values)?;
        let count = set.len();
        (set.into_any(), count)
    };
    keep_places(&set, values)?;
    Ok((set, count))
}
