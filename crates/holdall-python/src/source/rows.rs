//! Containers encoded by frames: the rest of those that a direct walk began, maps, and objects with
//! new shapes.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use holdall::bindings::memory::{Collect, GrowVec};
use holdall::{Code, Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString, PyTuple};

use super::direct_walk::Progress;
use super::plan::Plan;
use super::shapes::LearnedShapes;
use super::{Rest, Walker, is_constant, type_name};
use crate::raw;

impl<'py> Walker<'py, '_> {
    /// Encodes the items of the list on top of the stack from `at` on, until one begins that waits
    /// itself. Returns whether that was all.
    pub(super) fn items(&mut self, list: &Bound<'py, PyList>, mut at: usize) -> Result<bool> {
        let depth = self.stack.len();
        // A hook may have shortened it.
        while at < list.len() {
            let before = at;
            // It is let go again: more references to it would say that it is shared.
            let runs_code = list.get_item(at).is_ok_and(|item| self.runs_code(&item));
            let (next, progress) =
                if runs_code { (at, Progress::None) } else { self.items_directly(list, at)? };
            at = next + usize::from(progress != Progress::Complete);
            if let Some(Rest::List(_, next)) = self.stack.last_mut() {
                *next = at;
            }
            match progress {
                Progress::Complete => {}
                Progress::Begun => self.put_back(),
                Progress::None => {
                    let Ok(item) = list.get_item(next) else { break };
                    self.check_depth()?;
                    self.value(item, false)?;
                }
            }
            self.tick(at - before)?;
            if self.stack.len() > depth {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Encodes a value that may be shared.
    pub(super) fn container(&mut self, object: Bound<'py, PyAny>, is_root: bool) -> Result<()> {
        let depth = self.stack.len();
        let Some(tracked) = self.at_once(&object, is_root)? else { return Ok(()) };
        match object.cast_exact::<PyDict>() {
            Ok(dict) => {
                self.map(dict, tracked)?;
                self.guard(&object, depth);
                Ok(())
            }
            Err(_) => self.planned(object, tracked),
        }
    }

    /// Encodes a value by a reference or a direct walk. If neither can, returns whether references to it can follow.
    fn at_once(&mut self, object: &Bound<'py, PyAny>, is_root: bool) -> Result<Option<bool>> {
        let is_constant = object.cast_exact::<PyTuple>().is_ok_and(is_constant);
        // One reference is that of the container that holds it, one is ours.
        let tracked = !is_constant && (is_root || raw::is_shared(object, 2));
        let address = object.as_ptr() as usize;
        if self.options.references {
            if tracked && let Some(&(row, _)) = self.seen.get(&address) {
                self.shredder.back_reference(row)?;
                return Ok(None);
            }
        } else if !is_constant && self.is_open.contains(&address) {
            let error = Error::new(Code::UnsupportedValue)
                .expected("values that do not contain themselves, because references are off")
                .got(type_name(object));
            return Err(self.shredder.refuse(error));
        }
        Ok((self.walk_directly(object, tracked)? == Progress::None).then_some(tracked))
    }

    /// Whether code of the program says what an object holds.
    fn runs_code(&self, object: &Bound<'py, PyAny>) -> bool {
        self.known_plan(object).is_some_and(|plan| matches!(**plan, Plan::Reduce(_)))
    }

    /// Encodes the pending values from `start` on, which are all of the container: scalars at once;
    /// from the first container on, they wait in a frame.
    pub(super) fn scalars_at_once(&mut self, start: usize, ends: u8) -> Result<()> {
        self.values_at_once(start..self.pending.len(), ends, false)
    }

    /// The same for some of the pending values; those after them stay until then. `walks`: direct walks encode containers at
    /// once, too, because references to the container around them lead to its row already.
    fn values_at_once(&mut self, values: Range<usize>, ends: u8, walks: bool) -> Result<()> {
        let Range { start, end } = values;
        let mut next = start;
        while next < end {
            let Some(value) = self.pending[next].take() else { break };
            if !self.scalar(&value)? {
                // What a direct walk leaves waits above the rest of this container.
                let (depth, row) = (self.stack.len(), self.row);
                self.stack.put(Rest::Values { start, next: next + 1, end, ends });
                let is_walked = walks && !self.notes_open() && {
                    self.check_depth()?;
                    self.at_once(&value, false)?.is_none()
                };
                self.row = row;
                if is_walked && self.stack.len() > depth + 1 {
                    return self.tick(next + 1 - start);
                }
                self.stack.pop();
                if !is_walked {
                    self.pending[next] = Some(value);
                    self.stack.put(Rest::Values { start, next, end, ends });
                    return self.tick(next - start);
                }
            }
            next += 1;
        }
        self.tick(next - start)?;
        self.pending.truncate(start);
        for _ in 0..ends {
            self.shredder.end()?;
        }
        Ok(())
    }

    /// Encodes a dict with keys of any type.
    pub(super) fn map(&mut self, dict: &Bound<'py, PyDict>, tracked: bool) -> Result<()> {
        let start = self.begin_map(dict)?;
        self.identify(dict, tracked);
        self.scalars_at_once(start, 1)
    }

    /// Begins a map; keys and values wait from the returned position on.
    pub(super) fn begin_map(&mut self, dict: &Bound<'py, PyDict>) -> Result<usize> {
        let start = self.pending.len();
        let mut position = 0;
        // In Python they are equal only if they are the same object; in data, if their bits are
        // equal (F-45).
        let mut nans = Vec::new();
        while let Some((key, value)) = raw::next_entry(dict, &mut position) {
            if let Ok(float) = key.cast_exact::<PyFloat>()
                && float.value().is_nan()
            {
                if nans.contains(&float.value().to_bits()) {
                    let error = Error::new(Code::DuplicateKey).expected("each key once");
                    return Err(self.shredder.refuse(error.got("nan twice")));
                }
                nans.put(float.value().to_bits());
            }
            self.pending.put_each([Some(key), Some(value)]);
        }
        self.shredder.begin_map((self.pending.len() - start) / 2)?;
        Ok(start)
    }

    /// Encodes an object of a named type with the pending fields from `start` to `end`. What
    /// follows `end` is kept until the object ends.
    ///
    /// `shapes` are those of the plan; without them, the names do not identify the shape.
    pub(super) fn object(
        &mut self,
        name: &Arc<str>,
        tracked: Option<&Bound<'py, PyAny>>,
        fields: Range<usize>,
        plan: &Rc<Plan<'py>>,
        shapes: Option<&LearnedShapes<'py>>,
    ) -> Result<()> {
        let Some(shapes) = shapes else { return self.fields(name, tracked, fields, None) };
        let names = self.pending[fields.clone()].iter().step_by(2).flatten();
        let known = shapes.borrow_mut().find(names.map(Bound::as_borrowed));
        if let Some(shape) = known {
            let slot = self.shredder.take_slot()?;
            if let Some(open) = self.shredder.open_with_shape(slot, shape) {
                self.shredder.resume(open);
                self.row = self.shredder.latest_row();
                self.remember_as(tracked);
                let Range { start, end } = fields;
                let count = (end - start) / 2;
                for at in 0..count {
                    self.pending.swap(start + at, start + 2 * at + 1);
                }
                return self.values_at_once(start..start + count, 1, true);
            }
            self.shredder.return_slot(slot);
        }
        let learns = shapes.borrow_mut().learns();
        self.fields(name, tracked, fields, learns.then(|| Rc::clone(plan)))
    }

    /// Begins an object of a named type; names and values wait as above. The plan learns the shape.
    pub(super) fn fields(
        &mut self,
        name: &Arc<str>,
        tracked: Option<&Bound<'py, PyAny>>,
        fields: Range<usize>,
        plan: Option<Rc<Plan<'py>>>,
    ) -> Result<()> {
        self.shredder.begin_open_struct(name)?;
        self.row = self.shredder.latest_row();
        self.remember_as(tracked);
        let Range { start, end } = fields;
        self.stack.put(Rest::Fields { start, next: start, end, plan });
        Ok(())
    }

    /// Ends the object on top of the stack.
    pub(super) fn end_fields(&mut self, fields: Range<usize>) -> Result<()> {
        let start = fields.start;
        let plan = match self.stack.last_mut() {
            Some(Rest::Fields { plan, .. }) => plan.take(),
            _ => None,
        };
        let names = self.pending[fields].iter().step_by(2);
        let names = plan.is_some().then(|| {
            let name = |name: &Option<Bound<'py, PyAny>>| {
                Some(name.as_ref()?.cast_exact::<PyString>().ok()?.clone())
            };
            names.map(name).collected::<Option<Vec<_>>>()
        });
        self.pending.truncate(start);
        self.end(1)?;
        if let (Some(plan), Some(Some(names)), Some(shape)) =
            (plan, names, self.shredder.latest_shape())
            && let Some(shapes) = plan.shapes()
        {
            let names = names.iter().map(Bound::as_borrowed);
            shapes.borrow_mut().learn(names, shape);
        }
        Ok(())
    }
}
