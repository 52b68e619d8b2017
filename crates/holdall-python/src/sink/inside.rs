//! Values made in place: from the rows where they are, by functions that call each other, without events and frames.
//!
//! Here is what needs nothing to be known of other values: no identity, and no code of the program, which must not run twice. What
//! does is told, and so is all that is in faulty data: the walk knows paths, and which error comes first. So where something is not
//! as it has to be here, nothing was done, and
//!
//! | [`Stop`] | then |
//! |---|---|
//! | `Other` | it is told, and all that was around it here; neither is tried again. Too often: as for `Fault` |
//! | `Fault` | all is told from there on |
//! | `Raised` | the call ends |
//!
//! Where functions would call each other too deeply, a value alone is told ([`Builder::tell`]).

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
use super::{Body, Builder, Slot};
use crate::entries;
use crate::raw::{self, NewList};
use crate::signals::EACH;

/// So deep do functions call each other: threads may have small stacks.
const DEPTH: usize = 64;
/// So many values may be made for nothing before all is told.
const WASTED: u64 = 1 << 16;
/// So many sites may be marked for each container that was made.
const MARKED: u64 = 256;
/// Lists of so many numbers are made in one piece, without a look for signals.
const AT_ONCE: usize = 1 << 20;

impl<'py> Builder<'py, '_> {
    /// Makes the next value of a site, if nothing of it has to be told.
    pub(super) fn make_in_place(
        &mut self,
        site: usize,
        rows: &mut BlockReader<'_, '_>,
    ) -> Result<bool> {
        // What has identity, or is the storage of something else, is told.
        if self.inside.is_over
            || self.inside.is_told
            || !self.told.is_empty()
            || self.storage_of().is_some()
        {
            return Ok(false);
        }
        let node = self.expected();
        if self.kept.steps.is_refused(site, node) {
            return Ok(false);
        }
        let Some(reach) = self.kept.steps.reach(rows, site) else { return Ok(false) };
        // Whatever there is of sites, the time of marking them all is that of making values.
        let cost = reach.sites.len() as u64;
        if self.inside.marked + cost > MARKED * (MARKED + self.frames)
            || reach.definitions.iter().any(|&number| rows.is_referenced(number))
        {
            return Ok(false);
        }
        self.inside.marked += cost;
        rows.mark(&reach.sites, &mut self.inside.marks);
        let (before, frames) = (self.inside.made, self.frames);
        let step = self.step_of(rows, site, node);
        if let Some(value) = self.make_value(rows, step, DEPTH) {
            self.put(Slot::Now(value))?;
            return Ok(true);
        }
        self.inside.values.clear();
        rows.go_back(&reach.sites, &self.inside.marks);
        self.frames = frames;
        self.inside.wasted += self.inside.made - before;
        self.inside.is_over |= self.inside.wasted > WASTED;
        match self.inside.stop.take() {
            Some(Stop::Raised(error)) => return Err(*error),
            Some(Stop::Other) => self.kept.steps.refuse(site, node),
            Some(Stop::Fault) | None => self.inside.is_over = true,
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
                // A container counts by itself.
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
            _ if levels == 0 => return self.tell(rows, site, self.kept.steps.asked(number)),
            _ => {
                // Without a frame between them, as these are most of what is inside each other.
                let made = match step {
                    Step::Row(row) => self.make_row(rows, site, row, levels - 1),
                    Step::List(item) => self.make_list(rows, site, item, levels - 1),
                    _ => self.make_container(rows, site, step, levels - 1),
                };
                if made.is_none() && matches!(self.inside.stop, Some(Stop::Other)) {
                    let node = self.kept.steps.asked(number);
                    self.kept.steps.refuse(site, node);
                }
                return made;
            }
        })
    }

    /// A value that is too deep for functions that call each other.
    #[cold]
    fn tell(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        node: NodeId,
    ) -> Option<Bound<'py, PyAny>> {
        let (depth, jobs) = (self.stack.len(), self.jobs.len());
        self.inside.is_told = true;
        let begun = self.begin(Body::Through(None), ANY, node);
        let told = begun.and_then(|()| rows.emit(site, self));
        self.inside.is_told = false;
        let frame = self.stack.pop();
        let is_whole = self.stack.len() == depth;
        if let (Ok(()), true, Some(Body::Through(Some(Slot::Now(value))))) =
            (&told, is_whole, frame.map(|frame| frame.body))
        {
            return Some(value);
        }
        self.stack.truncate(depth);
        self.jobs.truncate(jobs);
        self.told.clear();
        self.got(told);
        // It is at fault also where nothing was answered.
        self.inside.stop.get_or_insert(Stop::Fault);
        None
    }

    /// Another container, or a logical value.
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
                let tuple = PyTuple::new(py, self.inside.values.drain(first..));
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
            _ => self.stop(Stop::Other),
        }
    }

    /// Begins a container and makes what is in it; they are the values from the one whose number is the answer.
    #[inline]
    fn gather(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        steps: Several,
        levels: usize,
    ) -> Option<usize> {
        self.container(steps.len)?;
        let first = self.inside.values.len();
        for at in 0..steps.len {
            let value = self.make_value(rows, self.kept.steps.at(steps, at), levels)?;
            self.inside.values.push(value);
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

    /// A list of numbers: while it is filled, no code of Python's runs.
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
                    self.inside.stop.get_or_insert(Stop::Other);
                    return None;
                }
            },
        };
        let first = self.gather(rows, values, levels)?;
        let made = match what {
            What::Dict => self.kept.begin_dict(py, shape).and_then(|dict| {
                let values = self.inside.values.drain(first..);
                entries::fill(&dict, self.kept.keys(shape), values)?;
                Ok(dict.into_any())
            }),
            What::Fields(layout) => self.kept.begin_fields(py, layout).and_then(|dict| {
                let places = &self.kept.layout(layout).places;
                for ((place, _), value) in places.iter().zip(self.inside.values.drain(first..)) {
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
                let made = raw::call_by_names(class.bind(py), &self.inside.values[first..], names);
                self.inside.values.truncate(first);
                made
            }
        };
        self.done(made)
    }

    /// An object whose attributes are the values from one on.
    fn make_object(&mut self, layout: usize, first: usize) -> PyResult<Bound<'py, PyAny>> {
        let own = self.kept.layout(layout);
        let How::Fields { new } = &own.class.how else {
            return Err(pyo3::exceptions::PyTypeError::new_err("no object of attributes"));
        };
        let object = own.class.new_object(new, &self.empty)?;
        if let Learned::Places(places) = &own.attributes
            && places.fill(&object, &mut self.inside.values, first)
        {
            return Ok(object);
        }
        for ((place, _), value) in own.places.iter().zip(self.inside.values.drain(first..)) {
            place.set(&object, value)?;
        }
        self.fill_absent(layout, Some(&object), None)?;
        self.kept.learn_attributes(layout, &object);
        Ok(object)
    }
}

/// So many values in pieces, between which there is a look for signals.
fn pieces(len: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..len).step_by(EACH).map(move |from| from..len.min(from + EACH))
}
