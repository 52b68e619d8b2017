//! Direct build: recursive functions that build values from rows, without events and frames.
//!
//! It builds values that do not depend on others: values without identity that run no code of the
//! program, which must not run twice. All other values are built from events, and so is everything
//! in faulty data, because only the walk of events knows paths and which error comes first. When
//! something unexpected turns up, the build is undone, and then
//!
//! | [`Stop`] | what happens |
//! |---|---|
//! | `Other` | the value and all direct builds around it are built from events, and not tried
//! directly again; after too many of these, as for `Fault` |
//! | `Fault` | everything from there on is built from events |
//! | `Raised` | the call ends |
//!
//! Where recursion would be too deep, only the inner value is built from events
//! ([`Builder::build_by_events`]).

use std::sync::Arc;

use holdall::bindings::{BlockReader, RowInt};
use holdall::{IntKind, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyList, PyTuple};

use super::class::{How, Learned, Place};
use super::events::{big_int, int, wide};
use super::logical;
use super::steps::{RowForm, Several, Step, StepId, What};
use super::stop::Stop;
use super::types::{ANY, NodeId};
use super::{Body, Builder, Content};
use crate::entries;
use crate::raw::{self, NewList};
use crate::signals::EACH;

/// The depth of recursion: threads may have small stacks.
const DEPTH: usize = 64;
/// After this many undone values, everything is built from events.
const WASTED: u64 = 1 << 16;
/// The number of sites that may be marked for each container that was built.
const MARKED: u64 = 256;
/// Lists of up to this many numbers are built at once, without a check for signals.
const AT_ONCE: usize = 1 << 20;

impl<'py> Builder<'py, '_> {
    /// Builds the next value of a site, if no part of it needs events.
    pub(super) fn build_directly(
        &mut self,
        site: usize,
        rows: &mut BlockReader<'_, '_>,
    ) -> Result<bool> {
        // Values with identity, and the storage of logical values, need events.
        if self.direct.is_off
            || self.direct.is_by_events
            || !self.pending_ids.is_empty()
            || self.storage_of().is_some()
        {
            return Ok(false);
        }
        let node = self.expected();
        if self.kept.steps.is_refused(site, node) {
            return Ok(false);
        }
        let Some(reach) = self.kept.steps.reach(rows, site) else { return Ok(false) };
        // Bounds the time for marking sites by that for building values, however many sites there
        // are.
        let cost = reach.sites.len() as u64;
        if self.direct.marked + cost > MARKED * (MARKED + self.frames)
            || reach.definitions.iter().any(|&number| rows.is_referenced(number))
        {
            return Ok(false);
        }
        self.direct.marked += cost;
        rows.mark(&reach.sites, &mut self.direct.marks);
        let (before, frames) = (self.direct.made, self.frames);
        let step = self.step_of(rows, site, node);
        self.forget_depth();
        if let Some(value) = self.make_value(rows, step, DEPTH) {
            self.put_deep(Content::Now(value), self.depth_of_direct(DEPTH))?;
            return Ok(true);
        }
        self.direct.values.clear();
        rows.go_back(&reach.sites, &self.direct.marks);
        self.frames = frames;
        self.direct.wasted += self.direct.made - before;
        self.direct.is_off |= self.direct.wasted > WASTED;
        match self.direct.stop.take() {
            Some(Stop::Raised(error)) => return Err(*error),
            Some(Stop::Other) => self.kept.steps.refuse(site, node),
            Some(Stop::Fault) | None => self.direct.is_off = true,
        }
        Ok(false)
    }

    fn make_value(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        step: StepId,
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        let number = step;
        let (site, step) = self.kept.steps.get(number);
        Some(match step {
            Step::Other => return self.stop(Stop::Other),
            Step::Null => {
                rows.pass(site);
                py.None().into_bound(py)
            }
            Step::Bool => PyBool::new(py, self.got(rows.bool(site))?).to_owned().into_any(),
            Step::Int(kind) => match self.got(rows.int(site))? {
                RowInt::Bits(bits) => int(py, kind, bits),
                RowInt::Big(big) => {
                    let made = big_int(py, big);
                    self.done(made)?
                }
            },
            Step::F32 => PyFloat::new(py, wide(self.got(rows.f32(site))?)).into_any(),
            Step::F64 => PyFloat::new(py, self.got(rows.f64(site))?).into_any(),
            Step::Text => self.make_text(rows, site)?,
            Step::Bytes => PyBytes::new(py, self.got(rows.bytes(site))?).into_any(),
            Step::Option(inside, takes_none) => {
                if self.got(rows.is_there(site))? {
                    return self.make_value(rows, inside, levels);
                }
                if !takes_none {
                    return self.stop(Stop::Other);
                }
                py.None().into_bound(py)
            }
            Step::Union(variants) => {
                let variant = self.got(rows.variant(site))?;
                let inside = self.kept.steps.at(variants, variant);
                return self.make_value(rows, inside, levels);
            }
            Step::Definition(body) if levels > 0 => {
                let body = self.step_of(rows, body, self.kept.steps.asked(number));
                self.kept.steps.set_body(number, body);
                return self.make_value(rows, number, levels);
            }
            Step::Body(body) if levels > 0 => {
                rows.pass(site);
                // A container counts itself.
                let is_chain = matches!(
                    self.kept.steps.get(body),
                    (_, Step::Option(..) | Step::Union(_) | Step::Definition(_) | Step::Body(_))
                );
                return self.make_value(rows, body, levels - usize::from(is_chain));
            }
            Step::Only(node, inside) => {
                let value = self.make_value(rows, inside, levels)?;
                if !self.node(node).is_some_and(|node| node.takes_exactly(&value)) {
                    return self.stop(Stop::Other);
                }
                value
            }
            _ if levels == 0 => {
                return self.build_by_events(rows, site, self.kept.steps.asked(number));
            }
            _ => {
                // No function in between: most nested values are rows and lists.
                let made = match step {
                    Step::Row(row) => self.make_row(rows, site, row, levels - 1),
                    Step::List(item) => self.make_list(rows, site, item, levels - 1),
                    _ => self.make_container(rows, site, step, levels - 1),
                };
                if made.is_none() && matches!(self.direct.stop, Some(Stop::Other)) {
                    let node = self.kept.steps.asked(number);
                    self.kept.steps.refuse(site, node);
                }
                return made;
            }
        })
    }

    /// Builds a value from events, where recursion would be too deep.
    #[cold]
    fn build_by_events(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        node: NodeId,
    ) -> Option<Bound<'py, PyAny>> {
        let (depth, jobs) = (self.stack.len(), self.jobs.len());
        self.direct.is_by_events = true;
        let begun = self.begin(Body::Through(None), ANY, node);
        let emitted = begun.and_then(|()| rows.emit(site, self));
        self.direct.is_by_events = false;
        let frame = self.stack.pop();
        self.note_depth(frame.as_ref());
        let is_complete = self.stack.len() == depth;
        if let (Ok(()), true, Some(Body::Through(Some(Content::Now(value))))) =
            (&emitted, is_complete, frame.map(|frame| frame.body))
        {
            return Some(value);
        }
        self.stack.truncate(depth);
        self.jobs.truncate(jobs);
        self.pending_ids.clear();
        self.got(emitted);
        // The build failed even though there is no error.
        self.direct.stop.get_or_insert(Stop::Fault);
        None
    }

    /// Builds another container, or a logical value.
    #[inline(never)]
    fn make_container(
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
                let tuple = PyTuple::new(py, self.direct.values.drain(first..));
                Some(self.done(tuple)?.into_any())
            }
            Step::Map(key, value) => {
                let len = self.got(rows.len(site))?;
                self.container(0)?;
                let dict = PyDict::new(py);
                for some in pieces(len) {
                    self.count(some.len())?;
                    for _ in some {
                        let key = self.make_value(rows, key, levels)?;
                        let value = self.make_value(rows, value, levels)?;
                        self.done(dict.set_item(key, value))?;
                    }
                }
                if dict.len() < len {
                    return self.stop(Stop::Fault);
                }
                Some(dict.into_any())
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
            Step::Logical(ty, storage) => {
                rows.pass(site);
                let value = self.make_value(rows, storage, levels)?;
                let ty = Arc::clone(&self.kept.steps.types[ty]);
                let made = self.logical(&ty, value);
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
            Step::Extension(number, inside) => {
                rows.pass(site);
                self.container(0)?;
                let value = self.make_value(rows, inside, levels)?;
                let made = self.kept.steps.forms[number].bind(py).get().make(value);
                self.note_weight(&made);
                self.done(made)
            }
            _ => self.stop(Stop::Other),
        }
    }

    /// Begins a container and builds its contents. Returns the number of the first of these values.
    #[inline]
    fn gather(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        steps: Several,
        levels: usize,
    ) -> Option<usize> {
        self.container(steps.len)?;
        let first = self.direct.values.len();
        for at in 0..steps.len {
            let value = self.make_value(rows, self.kept.steps.at(steps, at), levels)?;
            self.direct.values.push(value);
        }
        Some(first)
    }

    #[inline(never)]
    fn make_list(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        item: StepId,
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        let len = self.got(rows.len(site))?;
        self.container(0)?;
        if len <= AT_ONCE
            && let Some(numbers) = self.numbers(rows, item, len)
        {
            self.count(len)?;
            return Some(self.done(numbers)?.into_any());
        }
        let list = self.done(NewList::new(py, len))?;
        let text = match self.kept.steps.get(item) {
            (site, Step::Text) => Some(site),
            _ => None,
        };
        for some in pieces(len) {
            self.count(some.len())?;
            for at in some {
                let value = match text {
                    Some(site) => self.make_text(rows, site)?,
                    None => self.make_value(rows, item, levels)?,
                };
                self.done(list.set(at, value))?;
            }
        }
        Some(list.into_list().into_any())
    }

    #[inline]
    fn make_text(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let (text, number) = self.got(rows.text(site))?;
        let made = match number {
            Some(number) => self.entry_of(site, number, text),
            None => self.text(text),
        };
        self.got(made)
    }

    /// Builds a list of numbers. No Python code runs while it is filled.
    fn numbers(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        item: StepId,
        len: usize,
    ) -> Option<PyResult<Bound<'py, PyList>>> {
        let py = self.py;
        match self.kept.steps.get(item) {
            (site, Step::Int(IntKind::Int)) => {
                let values = rows.ints(site, len)?;
                Some(PyList::new(py, values.iter().map(|value| value.cast_signed())))
            }
            (site, Step::F64) => Some(PyList::new(py, rows.floats(site, len)?)),
            _ => None,
        }
    }

    #[inline(never)]
    fn make_row(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        row: usize,
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        let shape = self.got(rows.shape(site))?;
        let known = self.kept.steps.form_of(row, shape, rows.shape_of(shape).0);
        let RowForm { values, what } = match known {
            Some(known) => known,
            None => match self.find_form(rows, row, shape) {
                Some(found) => found,
                None => {
                    self.direct.stop.get_or_insert(Stop::Other);
                    return None;
                }
            },
        };
        let first = self.gather(rows, values, levels)?;
        let made = match what {
            What::Dict => self.kept.begin_dict(py, shape).and_then(|dict| {
                let values = self.direct.values.drain(first..);
                entries::fill(&dict, self.kept.keys(shape), values)?;
                Ok(dict.into_any())
            }),
            What::Fields(layout) => self.kept.begin_fields(py, layout).and_then(|dict| {
                let places = &self.kept.layout(layout).places;
                for ((place, _), value) in places.iter().zip(self.direct.values.drain(first..)) {
                    if let Place::Key(key, at) = place {
                        entries::set(&dict, 1, *at, key.bind(py), value)?;
                    }
                }
                self.fill_absent(layout, None, Some(&dict))?;
                Ok(dict.into_any())
            }),
            What::Object(layout) => self.make_object(layout, first),
            What::Call(layout, names) => {
                let How::Construct(class) = &self.kept.layout(layout).class.how else {
                    return self.stop(Stop::Other);
                };
                let names = self.kept.steps.names(names).bind(py);
                let made = raw::call_by_names(class.bind(py), &self.direct.values[first..], names);
                self.direct.values.truncate(first);
                made
            }
            What::Items(layout) => {
                let items = PyTuple::new(py, self.direct.values.drain(first..));
                match (items, self.kept.layout(layout).class.form(py)) {
                    (Ok(items), Some(form)) => form.get().make_row(items),
                    (items, _) => items.map(Bound::into_any),
                }
            }
            What::Form(layout) => {
                let made = self.make_by_form(layout, first);
                self.note_weight(&made);
                made
            }
        };
        self.done(made)
    }

    /// Builds an object by the form of its class, from the fields that are the values from `first` on.
    fn make_by_form(&mut self, layout: usize, first: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let fields = self.kept.begin_fields(py, layout)?;
        let own = self.kept.layout(layout);
        for ((place, _), value) in own.places.iter().zip(self.direct.values.drain(first..)) {
            if let Place::Key(key, at) = place {
                entries::set(&fields, 1, *at, key.bind(py), value)?;
            }
        }
        let Some(form) = own.class.form(py) else {
            return Err(pyo3::exceptions::PyTypeError::new_err("a class without a form"));
        };
        form.get().make(fields.into_any())
    }

    /// Builds an object whose attributes are the values from `first` on.
    fn make_object(&mut self, layout: usize, first: usize) -> PyResult<Bound<'py, PyAny>> {
        let own = self.kept.layout(layout);
        let How::Fields { new } = &own.class.how else {
            return Err(pyo3::exceptions::PyTypeError::new_err("no object of attributes"));
        };
        let object = own.class.new_object(new, &self.empty)?;
        if let Learned::Places(places) = &own.attributes
            && places.fill(&object, &mut self.direct.values, first)
        {
            return Ok(object);
        }
        for ((place, _), value) in own.places.iter().zip(self.direct.values.drain(first..)) {
            place.set(&object, value)?;
        }
        self.fill_absent(layout, Some(&object), None)?;
        self.kept.learn_attributes(layout, &object);
        Ok(object)
    }
}

/// Splits values into pieces, between which the builder checks for signals.
fn pieces(len: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..len).step_by(EACH).map(move |from| from..len.min(from + EACH))
}
