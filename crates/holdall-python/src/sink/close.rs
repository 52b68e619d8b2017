//! Ends containers, and does the work that waited for their end.

use holdall::bindings::memory::{self, Collect, GrowVec};
use holdall::{Code, Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::charges;
use super::class::{How, Measured, Place};
use super::direct_containers::set_of;
use super::jobs::{is_or_holds, unhashable};
use super::kept::LayoutId;
use super::own_form::{Form, take};
use super::types::{ANY, NodeId};
use super::{Body, Builder, Content, Fix, Job, Late, OpenContainer, Recipe};
use crate::once::intern;
use crate::raw;

impl<'py> Builder<'py, '_> {
    /// Ends the innermost open container.
    pub(super) fn close(&mut self) -> Result<()> {
        let Some(mut frame) = self.stack.pop() else {
            return Err(Error::new(Code::BadSource).expected("an open container before its end"));
        };
        let depth = self.stack.len();
        let is_closed = frame.low >= depth;
        if !is_closed && let Some(parent) = self.stack.last_mut() {
            parent.low = parent.low.min(frame.low);
        }
        // References from inside the object are set now, before Python's side checks it.
        // `make_late` rejects a check that would replace the object.
        if frame.fit
            && let (Some(late), Some(object)) = (frame.late, frame.body.object())
            && !self.lates[late].fixes.is_empty()
        {
            self.resolve(late, &object)?;
        }
        let mut slot = self.end_of(&mut frame)?;
        let nested = self.depth_of(&frame, &slot, is_closed)?;
        if let Some(check) = self.check_of(&frame) {
            let is_ready = is_closed && self.jobs.len() == frame.jobs;
            self.job(Job::Post(check, slot.share(), None), is_ready)?;
        }
        if is_closed && self.jobs.len() > frame.jobs {
            self.run(frame.jobs)?;
            if let Content::Late(late) = slot
                && let Some(value) = self.lates[late].value.clone()
            {
                slot = Content::Now(value);
            }
        }
        if !frame.ids.is_empty() {
            let open = if is_closed {
                None
            } else {
                self.stack.get(frame.low).map(|outer| (frame.low, outer.number))
            };
            for id in &frame.ids {
                if let Some(known) = self.known.get_mut(*id) {
                    known.open = open;
                    known.value = slot.share();
                    known.depth = nested;
                }
            }
        }
        // A set's storage hands the members to the set.
        if let Body::Items { items, is_storage: true, .. } = frame.body
            && let Some(OpenContainer { body: Body::Holder { items: of_set, .. }, depth, .. }) =
                self.stack.last_mut()
        {
            *of_set = Some(items);
            *depth = nested;
            return Ok(());
        }
        self.put_deep(slot, nested)
    }

    /// Returns the function that checks a complete container of the node's own types.
    fn check_of(&self, frame: &OpenContainer<'py>) -> Option<Bound<'py, PyAny>> {
        let is_container = match frame.body {
            Body::List(_) | Body::Tuple { .. } | Body::Dict { .. } | Body::Map { .. } => true,
            Body::Holder { .. } => true,
            Body::Items { is_storage, .. } => !is_storage,
            _ => false,
        };
        // A fitted value is checked already.
        if !is_container || frame.fit {
            return None;
        }
        self.node(frame.node)?.check.as_ref().map(|check| check.bind(self.py).clone())
    }

    /// Returns the object that a container becomes at its end. Work that has to wait becomes a job.
    fn end_of(&mut self, frame: &mut OpenContainer<'py>) -> Result<Content<'py>> {
        let is_ready = frame.low >= self.stack.len() && self.jobs.len() == frame.jobs;
        let fit = if frame.fit { frame.node } else { ANY };
        let late = frame.late;
        let object = match &mut frame.body {
            Body::List(list) => list.clone().into_any(),
            Body::Tuple { tuple, .. } => tuple.tuple().clone().into_any(),
            Body::Dict { dict, .. } => dict.clone().into_any(),
            Body::Map { map, waiting, count, .. } => {
                let map = map.clone();
                let there = map.len();
                if self.check(there)? < *count {
                    return Err(alike());
                }
                if !waiting.is_empty() {
                    let entries = std::mem::take(waiting);
                    self.job(Job::Entries(map.clone(), entries), is_ready)?;
                }
                map
            }
            Body::Holder { object: None, items, .. } => {
                let inputs = items.take().unwrap_or_default();
                return self.make(late, Recipe::FrozenSet, inputs, Vec::new(), fit, is_ready);
            }
            Body::Holder { object: Some(object), items, .. } => {
                let object = object.clone();
                if let Some(items) = items.take().filter(|items| !items.is_empty()) {
                    self.job(Job::Members(object.clone(), items), is_ready)?;
                }
                object
            }
            Body::Items { is_storage: true, .. } => {
                return Ok(Content::Now(self.py.None().into_bound(self.py)));
            }
            Body::Items { recipe, items, .. } => {
                let recipe = std::mem::replace(recipe, Recipe::Same);
                let (inputs, needs) = (std::mem::take(items), Vec::new());
                return self.make(late, recipe, inputs, needs, fit, is_ready);
            }
            Body::Wrap { recipe, value } => {
                let recipe = std::mem::replace(recipe, Recipe::Same);
                let Some(value) = value.take() else {
                    return Err(Error::new(Code::BadSource).expected("one value inside"));
                };
                return self.make(late, recipe, vec![value], Vec::new(), fit, is_ready);
            }
            Body::Through(value) => {
                let Some(value) = value.take() else {
                    return Err(Error::new(Code::BadSource).expected("one value inside"));
                };
                if late.is_none() && fit == ANY {
                    return Ok(value);
                }
                return self.make(late, Recipe::Same, vec![value], Vec::new(), fit, is_ready);
            }
            Body::Filled { object, fill, value } => {
                let (function, object) = (fill.clone(), object.clone());
                let Some(value) = value.take() else {
                    return Err(Error::new(Code::BadSource).expected("one value inside"));
                };
                let target = Content::Now(object.clone());
                let fill =
                    Job::Fill { function, object: target, value, needs: Vec::new(), layout: None };
                self.job(fill, is_ready)?;
                object
            }
            Body::Struct { layout, object, fields, needs, .. } => {
                let needs = std::mem::take(needs);
                let (layout, object, fields) = (*layout, object.take(), fields.take());
                self.fill_absent(layout, object.as_ref(), fields.as_ref())?;
                let class = &self.kept.layout(layout).class;
                match (&class.how, object, fields) {
                    (How::Build(build), _, Some(fields)) => {
                        let is_awaited =
                            late.is_some_and(|late| !self.lates[late].fixes.is_empty());
                        if let Some(form) = class.form(self.py).filter(|_| fit == ANY)
                            && (!is_ready || !needs.is_empty() || is_awaited)
                        {
                            let form = form.clone();
                            return self.make_in_parts(
                                late,
                                form,
                                (layout, fields),
                                needs,
                                is_ready,
                            );
                        }
                        let recipe = Recipe::Call(build.bind(self.py).clone(), Some(layout));
                        let inputs = vec![Content::Now(fields.into_any())];
                        return self.make(late, recipe, inputs, needs, fit, is_ready);
                    }
                    (How::Construct(class, _), _, Some(fields)) => {
                        let recipe = Recipe::CallByKeywords(class.bind(self.py).clone(), layout);
                        let inputs = vec![Content::Now(fields.into_any())];
                        return self.make(late, recipe, inputs, needs, fit, is_ready);
                    }
                    (How::Fill { fill, .. }, Some(object), Some(fields)) => {
                        let function = fill.bind(self.py).clone();
                        let value = Content::Now(fields.into_any());
                        let target = Content::Now(object.clone());
                        let fill = Job::Fill {
                            function,
                            object: target,
                            value,
                            needs,
                            layout: Some(layout),
                        };
                        self.job(fill, is_ready)?;
                        object
                    }
                    (_, Some(object), _) => {
                        if let Some(post) = &class.post {
                            let post = post.bind(self.py).clone();
                            let object = Content::Now(object.clone());
                            self.job(Job::Post(post, object, Some(layout)), is_ready)?;
                        }
                        object
                    }
                    (_, None, _) => return Err(impossible()),
                }
            }
        };
        if fit == ANY {
            return Ok(Content::Now(object));
        }
        self.make(late, Recipe::Same, vec![Content::Now(object)], Vec::new(), fit, is_ready)
    }

    /// Sets the defaults of missing fields, and charges what the object takes beyond its rows.
    pub(super) fn fill_absent(
        &mut self,
        layout: LayoutId,
        object: Option<&Bound<'py, PyAny>>,
        fields: Option<&Bound<'py, PyDict>>,
    ) -> Result<()> {
        charges::take(self.kept.layout(layout).beyond)?;
        let is_measured = matches!(self.kept.layout(layout).measured, Measured::Defaults);
        let mut made = (is_measured && self.is_sample(layout)).then(Vec::new);
        let filled = self.set_absent(layout, object, fields, made.as_mut());
        self.check(filled)?;
        if let Some(made) = made {
            self.sample_defaults(layout, made)?;
        }
        if is_measured { self.charge_made(layout) } else { Ok(()) }
    }

    /// Sets the defaults of missing fields. Adds those that a factory made to be measured.
    pub(super) fn set_absent(
        &self,
        layout: LayoutId,
        object: Option<&Bound<'py, PyAny>>,
        fields: Option<&Bound<'py, PyDict>>,
        mut made: Option<&mut Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<()> {
        let py = self.py;
        for (place, default, factory) in &self.kept.layout(layout).absent {
            let factory = factory.bind(py);
            let value = if factory.is_none() {
                default.bind(py).clone()
            } else {
                let value = factory.call0()?;
                if let Some(made) = &mut made {
                    made.put(value.clone());
                }
                value
            };
            match (place, object, fields) {
                (Place::Key(key, _), _, Some(fields)) => fields.set_item(key, value)?,
                (_, Some(object), _) => place.set(object, value)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes a late value: now if its inputs are there, else by a job.
    fn make(
        &mut self,
        late: Option<usize>,
        recipe: Recipe<'py>,
        inputs: Vec<Content<'py>>,
        needs: Vec<usize>,
        fit: NodeId,
        is_ready: bool,
    ) -> Result<Content<'py>> {
        let is_now =
            inputs.iter().all(|input| matches!(input, Content::Now(_))) && needs.is_empty();
        if is_ready && is_now {
            let value = match late {
                Some(late) => self.make_late(late, &recipe, inputs, fit)?,
                None => self.made(&recipe, inputs, fit)?,
            };
            return Ok(Content::Now(value));
        }
        let late = late.unwrap_or_else(|| {
            self.lates.put(Late::default());
            self.lates.len() - 1
        });
        self.jobs.put(Job::Make { late, recipe, inputs, needs, fit });
        Ok(Content::Late(late))
    }

    /// Makes an object that its own fields may refer to: of the fields that it needs as soon as these are there, and
    /// fills it with the others afterwards.
    fn make_in_parts(
        &mut self,
        late: Option<usize>,
        form: Bound<'py, Form>,
        (layout, fields): (LayoutId, Bound<'py, PyDict>),
        needs: Vec<usize>,
        is_ready: bool,
    ) -> Result<Content<'py>> {
        let py = self.py;
        let makers = form.get().names_of_makers(py);
        if makers.is_empty() {
            let recipe = Recipe::Call(form.into_any(), Some(layout));
            let inputs = vec![Content::Now(fields.into_any())];
            return self.make(late, recipe, inputs, needs, ANY, is_ready);
        }
        let first = self.check(raw::dict(py))?;
        for name in &makers {
            let moved = match take(&fields, name.bind(py)) {
                Ok(Some(value)) => first.set_item(name.bind(py), value),
                other => other.map(drop),
            };
            self.check(moved)?;
        }
        let is_maker = |key: &Bound<'py, PyString>| {
            makers.iter().any(|name| key.as_any().eq(name.bind(py)).unwrap_or(false))
        };
        let (mut needs_first, mut needs_rest) = (Vec::new(), Vec::new());
        for need in needs {
            for fix in &mut self.lates[need].fixes {
                let Fix::Entry(dict, key) = fix else { continue };
                if dict.is(&fields) && is_maker(key) {
                    *dict = first.clone();
                    needs_first.put(need);
                } else if dict.is(&fields) {
                    needs_rest.put(need);
                }
            }
        }
        let (recipe, inputs) = (Recipe::Bare(form.clone()), vec![Content::Now(first.into_any())]);
        let object = self.make(late, recipe, inputs, needs_first, ANY, false)?;
        let (function, value) = (form.into_any(), Content::Now(fields.into_any()));
        let (filled, needs) = (object.share(), needs_rest);
        let layout = Some(layout);
        self.jobs.put(Job::Fill { function, object: filled, value, needs, layout });
        Ok(object)
    }

    fn made(
        &mut self,
        recipe: &Recipe<'py>,
        mut inputs: Vec<Content<'py>>,
        fit: NodeId,
    ) -> Result<Bound<'py, PyAny>> {
        let mut values = memory::with_capacity(inputs.len());
        for input in inputs.drain(..) {
            match input {
                Content::Now(value) => values.put(value),
                Content::Late(late) => match &self.lates[late].value {
                    Some(value) => values.put(value.clone()),
                    None => return Err(impossible()),
                },
            }
        }
        let value = match recipe {
            Recipe::FrozenSet | Recipe::Set => {
                let is_frozen = matches!(recipe, Recipe::FrozenSet);
                match set_of(self.py, &values, is_frozen) {
                    Ok((_, count)) if count < values.len() && (fit == ANY || !is_frozen) => {
                        return Err(alike());
                    }
                    made => made.map(|(set, _)| set).map_err(|raised| {
                        let at = values.iter().position(|member| member.hash().is_err());
                        let step = || format!("[{}]", at.unwrap_or_default());
                        unhashable(self.py, raised, step)
                    }),
                }
            }
            Recipe::Same => return self.fitted(values.pop(), fit),
            Recipe::Call(function, _) => match values.pop() {
                Some(value) => match function.cast::<Form>() {
                    Ok(form) => form.get().make(value),
                    Err(_) => function.call1((value,)),
                },
                None => return Err(impossible()),
            },
            Recipe::Bare(form) => match values.pop().map(Bound::cast_into::<PyDict>) {
                Some(Ok(fields)) => form.get().make_bare(&fields),
                _ => return Err(impossible()),
            },
            Recipe::CallByKeywords(function, _) => {
                match values.pop().map(Bound::cast_into::<PyDict>) {
                    Some(Ok(fields)) => function.call((), Some(&fields)),
                    _ => return Err(impossible()),
                }
            }
            Recipe::Logical(ty) => match values.pop() {
                Some(value) => self.logical(ty, value),
                None => return Err(impossible()),
            },
        };
        let value = self.check(value)?;
        if let Recipe::Call(_, Some(layout)) | Recipe::CallByKeywords(_, layout) = recipe {
            self.charge_object(*layout, &value)?;
        }
        self.fitted(Some(value), fit)
    }

    /// Makes a late value and fills the slots that wait for it.
    pub(super) fn make_late(
        &mut self,
        late: usize,
        recipe: &Recipe<'py>,
        inputs: Vec<Content<'py>>,
        fit: NodeId,
    ) -> Result<Bound<'py, PyAny>> {
        // A function whose input already holds a slot for its own result could only copy an empty
        // slot.
        if let Some(levels) = recipe.copied_levels() {
            let targets = self.lates[late].fixes.iter().map(Fix::target).collected();
            if inputs.iter().any(|input| is_or_holds(input, &targets, levels)) {
                return Err(impossible());
            }
        }
        let value = self.made(recipe, inputs, fit)?;
        if let Some(before) = &self.lates[late].value
            && !before.is(&value)
        {
            return Err(
                self.mismatch(fit, "a value that contains itself, which cannot be converted")
            );
        }
        self.resolve(late, &value)?;
        Ok(value)
    }

    fn fitted(
        &mut self,
        value: Option<Bound<'py, PyAny>>,
        fit: NodeId,
    ) -> Result<Bound<'py, PyAny>> {
        match value {
            Some(value) if fit == ANY => Ok(value),
            Some(value) => self.fit(fit, value),
            None => Err(impossible()),
        }
    }

    /// Converts a value to one of a node's types, by Python's side.
    pub(super) fn fit(
        &mut self,
        node: NodeId,
        value: Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        let Some(node) = self.node(node) else { return Ok(value) };
        if node.takes_exactly(&value) {
            return Ok(value);
        }
        self.may_run_code()?;
        let object = node.object.bind(self.py);
        let fitted = object.call_method1(intern!(self.py, "fit"), (value,));
        self.check(fitted)
    }

    fn resolve(&mut self, late: usize, value: &Bound<'py, PyAny>) -> Result<()> {
        self.lates[late].value = Some(value.clone());
        for fix in std::mem::take(&mut self.lates[late].fixes) {
            let fixed = match fix {
                Fix::Item(list, at) => list.set_item(at, value),
                Fix::Member(tuple, at) => {
                    tuple.set(at, value.clone());
                    Ok(())
                }
                Fix::Entry(dict, key) => dict.set_item(key, value),
                Fix::Attribute(object, name) => raw::set_attribute(&object, &name, value),
            };
            self.check(fixed)?;
        }
        Ok(())
    }
}

/// The error for keys or members that differ in the data but are equal in Python, such as 1, 1.0
/// and True.
#[cold]
pub(super) fn alike() -> Error {
    Error::new(Code::Unrepresentable)
        .expected("keys and members that stay distinct in Python")
        .got("some that Python treats as equal, such as 1 and True")
}

#[cold]
pub(super) fn impossible() -> Error {
    Error::new(Code::Unrepresentable)
        .expected("values that can be built before the values that contain them")
        .got("one that contains itself")
}
