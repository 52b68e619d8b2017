//! Containers of plain types, and objects with fields: what has the fields of one before is told without a look at names.

use std::cell::RefCell;
use std::rc::Rc;

use holdall::{Result, RowShape, Sink};
use pyo3::ffi::PyTypeObject;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::plan::{Instance, Plan};
use super::{Frame, SHORT, Walker, is_constant};
use crate::raw;

/// So many different lists of fields are remembered for a place or class.
const LIKES: usize = 4;
/// So many numbers of a list are told in one piece.
const RUN: usize = 4096;

/// So many items of a list are told together, if all of them are alike.
const ROWS: usize = 64;
/// After so many times in a row that values were not alike, they are told by events.
const MISSES: u8 = 3;

/// The fields that one mapping or object had.
pub(super) struct Known<'py> {
    /// Their names: these very objects.
    keys: Rc<[Bound<'py, PyString>]>,
    shape: RowShape,
}

/// The fields that the mappings of a place or the objects of a class had.
#[derive(Default)]
pub struct Likes<'py> {
    /// One alone is not worth it.
    is_second: bool,
    known: Vec<Known<'py>>,
    /// How often in a row values with these fields could not be told together.
    misses: u8,
}

impl<'py> Likes<'py> {
    /// Whether the next fields should be remembered.
    fn learns(&mut self) -> bool {
        std::mem::replace(&mut self.is_second, true) && self.known.len() < LIKES
    }

    pub(super) fn learn(&mut self, keys: Vec<Bound<'py, PyString>>, shape: RowShape) {
        self.known.push(Known { keys: keys.into(), shape });
    }

    /// The only fields that there were so far, if it is worth to tell values with them together.
    pub(super) fn only(&self) -> Option<(Rc<[Bound<'py, PyString>]>, RowShape)> {
        match &self.known[..] {
            [known] if self.misses < MISSES => Some((Rc::clone(&known.keys), known.shape)),
            _ => None,
        }
    }

    /// Whether values could be told together.
    fn note(&mut self, is_alike: bool) {
        self.misses = if is_alike { 0 } else { self.misses.saturating_add(1) };
    }
}

/// Values that have the fields of one before: dicts, or objects of a class.
pub(super) struct Like<'py> {
    plan: Option<Rc<Plan<'py>>>,
    class: *mut PyTypeObject,
    pub(super) keys: Rc<[Bound<'py, PyString>]>,
    pub(super) shape: RowShape,
}

impl<'py> Like<'py> {
    /// Appends the values of one that has the fields; otherwise answers `false`, and what was appended is to be taken away.
    #[inline]
    pub(super) fn values(
        &self,
        value: &Bound<'py, PyAny>,
        pending: &mut Vec<Option<Bound<'py, PyAny>>>,
    ) -> bool {
        if value.get_type_ptr() != self.class {
            return false;
        }
        match self.plan.as_deref() {
            // What fails is told the other way, which says so.
            Some(Plan::Instance(instance)) => {
                instance.values(value, &self.keys, pending).unwrap_or(false)
            }
            _ => value
                .cast_exact::<PyDict>()
                .is_ok_and(|dict| raw::values(dict, &self.keys, pending)),
        }
    }
}

impl<'py> Walker<'py, '_> {
    pub(super) fn list(&mut self, list: &Bound<'py, PyList>, tracked: bool) -> Result<()> {
        let len = list.len();
        self.shredder.begin_list(len)?;
        self.identify(list, tracked);
        if len > SHORT {
            self.stack.push(Frame::List(list.clone(), 0));
            return Ok(());
        }
        let start = self.pending.len();
        self.pending.extend(list.iter().map(Some));
        self.told_at_once(start, 1)
    }

    /// Tells the scalars of a list from one of its items on, and answers the item after them.
    pub(super) fn item_of_list(
        &mut self,
        list: &Bound<'py, PyList>,
        mut at: usize,
    ) -> Result<Option<Bound<'py, PyAny>>> {
        let before = at;
        let item = loop {
            // A hook may have made it shorter.
            let Some(item) = (at < list.len()).then(|| list.get_item(at).ok()).flatten() else {
                break None;
            };
            if item.is_exact_instance_of::<PyInt>() {
                self.ints.clear();
                let run = raw::ints(list, at, RUN, &mut self.ints);
                if run > 0 {
                    at += run;
                    self.shredder.ints(&self.ints)?;
                    self.tick(run)?;
                    continue;
                }
            } else if item.is_exact_instance_of::<PyFloat>() {
                self.floats.clear();
                at += raw::floats(list, at, RUN, &mut self.floats);
                self.shredder.floats(&self.floats)?;
                self.tick(self.floats.len())?;
                continue;
            }
            if self.scalar(&item)? {
                at += 1;
                self.tick(1)?;
                continue;
            }
            let rows = self.several(list, at, &item)?;
            if rows == 0 {
                at += 1;
                break Some(item);
            }
            at += rows;
        };
        if at != before
            && let Some(Frame::List(_, next)) = self.stack.last_mut()
        {
            *next = at;
        }
        Ok(item)
    }

    /// Tells several items of a list from one on, field by field, and answers how many; the item is that one.
    fn several(
        &mut self,
        list: &Bound<'py, PyList>,
        at: usize,
        item: &Bound<'py, PyAny>,
    ) -> Result<usize> {
        let Some(place) = self.shredder.next_place() else { return Ok(0) };
        let Some(like) = self.like(item, place) else { return Ok(0) };
        let rows = self.alike(list, at, &like)?;
        match like.plan.as_ref().and_then(|plan| plan.likes()) {
            Some(likes) => likes.borrow_mut().note(rows > 0),
            None => self.memory.likes[place].note(rows > 0),
        }
        Ok(rows)
    }

    /// What values like this one are in a place, if only one kind of fields came so far.
    pub(super) fn like(&self, value: &Bound<'py, PyAny>, place: usize) -> Option<Like<'py>> {
        if value.is_exact_instance_of::<PyDict>() {
            let (keys, shape) = self.memory.likes.get(place)?.only()?;
            return Some(Like { plan: None, class: value.get_type_ptr(), keys, shape });
        }
        let class = value.get_type_ptr();
        let (plan, _) = self.memory.plans.get(&(class as usize))?;
        let Plan::Instance(instance) = &**plan else { return None };
        if !instance.is_plain() {
            return None;
        }
        let (keys, shape) = instance.likes.borrow().only()?;
        Some(Like { plan: Some(Rc::clone(plan)), class, keys, shape })
    }

    /// Tells the items of a list from one on that are like one before and hold nothing that could come again, at most [`ROWS`], and
    /// answers how many.
    fn alike(&mut self, list: &Bound<'py, PyList>, at: usize, like: &Like<'py>) -> Result<usize> {
        let (start, len) = (self.pending.len(), list.len());
        let mut rows = 0;
        while rows < ROWS && at + rows < len {
            let Ok(item) = list.get_item(at + rows) else { break };
            let from = self.pending.len();
            // What could come again is remembered, one by one. The first is held by the caller too.
            let held = if rows == 0 { 3 } else { 2 };
            let is_row = (raw::refcount(&item) <= held || !self.options.references)
                && like.values(&item, &mut self.pending);
            if !is_row {
                self.pending.truncate(from);
                break;
            }
            rows += 1;
        }
        // One that is not alike inside is looked for among ever fewer.
        while rows > 0 {
            self.pending.truncate(start + rows * like.keys.len());
            if self.together(start, rows, like.keys.len(), like.shape)?.is_some() {
                return Ok(rows);
            }
            rows /= 4;
        }
        self.pending.truncate(start);
        Ok(0)
    }

    pub(super) fn tuple(&mut self, tuple: &Bound<'py, PyTuple>, tracked: bool) -> Result<()> {
        self.shredder.begin_tuple(tuple.len())?;
        if !is_constant(tuple) {
            self.identify(tuple, tracked);
        }
        if tuple.len() > SHORT {
            self.stack.push(Frame::Tuple(tuple.clone(), 0));
            return Ok(());
        }
        let start = self.pending.len();
        self.pending.extend(tuple.iter().map(Some));
        self.told_at_once(start, 1)
    }

    /// Tells the values that wait from one on, the container's all: the scalars now; from the first that is none on, they
    /// wait for their turn.
    pub(super) fn told_at_once(&mut self, start: usize, ends: u8) -> Result<()> {
        let end = self.pending.len();
        let mut next = start;
        while next < end {
            let Some(value) = self.pending[next].take() else { break };
            if !self.scalar(&value)? {
                self.pending[next] = Some(value);
                break;
            }
            next += 1;
        }
        self.tick(next - start)?;
        if next < end {
            self.stack.push(Frame::Values { start, next, end, ends });
            return Ok(());
        }
        self.pending.truncate(start);
        for _ in 0..ends {
            self.shredder.end()?;
        }
        Ok(())
    }

    pub(super) fn dict(&mut self, dict: &Bound<'py, PyDict>, tracked: bool) -> Result<()> {
        let place = self.shredder.next_place();
        let start = self.pending.len();
        if let Some(place) = place
            && let Some((keys, shape)) = self.memory.likes.get(place).and_then(Likes::only)
            && raw::values(dict, &keys, &mut self.pending)
        {
            let row = self.together(start, 1, keys.len(), shape)?;
            self.memory.likes[place].note(row.is_some());
            if let Some(row) = row {
                self.row = Some(row);
                // Nothing inside is this dict, and nothing comes behind a whole value.
                self.remember_as((tracked && !self.stack.is_empty()).then_some(dict.as_any()));
                return Ok(());
            }
            if self.shredder.begin_again(shape)? {
                self.identify(dict, tracked);
                return self.told_at_once(start, 1);
            }
        }
        self.pending.truncate(start);
        if let Some(likes) = place.and_then(|place| self.memory.likes.get(place)) {
            for known in &likes.known {
                if raw::values(dict, &known.keys, &mut self.pending)
                    && self.shredder.begin_again(known.shape)?
                {
                    self.identify(dict, tracked);
                    return self.told_at_once(start, 1);
                }
                self.pending.truncate(start);
            }
        }
        self.keys.clear();
        let mut position = 0;
        while let Some((key, value)) = raw::next_entry(dict, &mut position) {
            match key.cast_into_exact::<PyString>() {
                Ok(key) if raw::utf8(&key).is_ok() => self.keys.push(key),
                _ => {
                    self.pending.truncate(start);
                    return self.map(dict, tracked);
                }
            }
            self.pending.push(Some(value));
        }
        let keys = std::mem::take(&mut self.keys);
        let begun =
            self.shredder.begin_mapping(keys.iter().map(|key| raw::utf8(key).unwrap_or_default()));
        begun?;
        if let (Some(place), Some(shape)) = (place, self.shredder.latest_shape()) {
            if self.memory.likes.len() <= place {
                self.memory.likes.resize_with(place + 1, Likes::default);
            }
            let likes = &mut self.memory.likes[place];
            if likes.learns() {
                likes.learn(keys.clone(), shape);
            }
        }
        self.keys = keys;
        self.identify(dict, tracked);
        self.told_at_once(start, 1)
    }

    /// A dict with keys of any type.
    fn map(&mut self, dict: &Bound<'py, PyDict>, tracked: bool) -> Result<()> {
        let start = self.begin_map(dict)?;
        self.identify(dict, tracked);
        self.told_at_once(start, 1)
    }

    /// Begins a map; keys and values wait from where is answered on.
    pub(super) fn begin_map(&mut self, dict: &Bound<'py, PyDict>) -> Result<usize> {
        let start = self.pending.len();
        let mut position = 0;
        while let Some((key, value)) = raw::next_entry(dict, &mut position) {
            self.pending.extend([Some(key), Some(value)]);
        }
        self.shredder.begin_map((self.pending.len() - start) / 2)?;
        Ok(start)
    }

    /// An object with attributes.
    pub(super) fn instance(
        &mut self,
        object: &Bound<'py, PyAny>,
        tracked: Option<&Bound<'py, PyAny>>,
        plan: &Rc<Plan<'py>>,
        instance: &Instance<'py>,
    ) -> Result<()> {
        let start = self.pending.len();
        if instance.is_plain() {
            let only = instance.likes.borrow().only();
            if let Some((keys, shape)) = only {
                let same = instance.values(object, &keys, &mut self.pending);
                if self.py_check(same)? {
                    let row = self.together(start, 1, keys.len(), shape)?;
                    instance.likes.borrow_mut().note(row.is_some());
                    if let Some(row) = row {
                        self.row = Some(row);
                        self.remember_as(tracked.filter(|_| !self.stack.is_empty()));
                        return Ok(());
                    }
                    if self.shredder.begin_again(shape)? {
                        self.row = self.shredder.latest_row();
                        self.remember_as(tracked);
                        return self.told_at_once(start, 1);
                    }
                }
                self.pending.truncate(start);
            }
            let likes = instance.likes.borrow();
            for known in &likes.known {
                let same = instance.values(object, &known.keys, &mut self.pending);
                if self.py_check(same)? && self.shredder.begin_again(known.shape)? {
                    drop(likes);
                    self.row = self.shredder.latest_row();
                    self.remember_as(tracked);
                    return self.told_at_once(start, 1);
                }
                self.pending.truncate(start);
            }
        }
        let fields = instance.fields(object, &mut self.pending);
        if let Err(exception) = fields {
            self.pending.truncate(start);
            return Err(self.refuse_with(exception));
        }
        let learns = instance.is_plain() && instance.likes.borrow_mut().learns();
        self.fields(&instance.name, tracked, start, learns.then(|| Rc::clone(plan)))
    }

    /// An object of a named type; names and values wait from one on.
    pub(super) fn fields(
        &mut self,
        name: &std::sync::Arc<str>,
        tracked: Option<&Bound<'py, PyAny>>,
        start: usize,
        plan: Option<Rc<Plan<'py>>>,
    ) -> Result<()> {
        self.shredder.begin_open_struct(name)?;
        self.row = self.shredder.latest_row();
        self.remember_as(tracked);
        let end = self.pending.len();
        self.stack.push(Frame::Fields { start, next: start, end, plan });
        Ok(())
    }

    /// The object on top of the stack has all its fields.
    pub(super) fn end_fields(&mut self, start: usize) -> Result<()> {
        let plan = match self.stack.last_mut() {
            Some(Frame::Fields { plan, .. }) => plan.take(),
            _ => None,
        };
        let names = self.pending[start..].iter().step_by(2);
        let names = plan.is_some().then(|| {
            let name = |name: &Option<Bound<'py, PyAny>>| {
                Some(name.as_ref()?.cast_exact::<PyString>().ok()?.clone())
            };
            names.map(name).collect::<Option<Vec<_>>>()
        });
        self.pending.truncate(start);
        self.end(1)?;
        if let (Some(plan), Some(Some(names)), Some(shape)) =
            (plan, names, self.shredder.latest_shape())
            && let Some(likes) = plan.likes()
        {
            likes.borrow_mut().learn(names, shape);
        }
        Ok(())
    }
}

/// What a plan learns.
pub type Learned<'py> = RefCell<Likes<'py>>;
