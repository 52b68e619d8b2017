//! Containers and all that is in them, told in place: by functions that call each other, without references of their own.
//!
//! None of Python's code runs meanwhile, and nothing is made that the garbage collector looks at, nor freed: what containers hold
//! stays where it is. What needs such code, or is nested deeper than [`LEVELS`], ends it; then what is left of each container that was
//! begun waits as a frame of the walk.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use std::rc::Rc;

use arrayvec::ArrayVec;
use holdall::bindings::{Open, Opened, RowShape};
use holdall::{IntKind, LogicalType, Result};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::plan::{Instance, Native, Plan};
use super::scalars::small_decimal;
use super::shapes::{Learned, Shapes};
use super::{Frame, SHORT, Scalar, Walker, is_constant, scalar_of};
use crate::collector::WithoutCollector;
use crate::entries::{Entries, Pair};
use crate::raw;

/// So deep do functions call each other: threads may have small stacks.
pub(super) const LEVELS: usize = 16;
/// Longer lists wait: between their items the walk looks for signals.
const LONG: usize = 1024;
/// After so many values the walk looks for signals, too.
pub(super) const VALUES: usize = 1 << 14;
/// Up to this many fields that have to be asked for are asked for once.
const FEW: usize = 32;

/// How far a value was told.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Progress {
    Whole,
    /// It was begun; what is left of it waits.
    Begun,
    /// Not at all: it needs more than is done here.
    Not,
}

/// Where a container is told.
#[derive(Clone, Copy)]
struct Spot {
    place: usize,
    /// Whether it may come again.
    tracked: bool,
    /// How much deeper functions may call each other.
    levels: usize,
}

/// What waits after a walk in place.
pub(super) enum Waiting<'py> {
    /// The place of a value that was not told.
    Place(usize),
    /// What is left of a container, and itself.
    Container(Frame<'py>, Open, Bound<'py, PyAny>),
}

impl<'py> Walker<'py, '_> {
    /// Tells a container, if it is one that can be told in place. It has not come before.
    pub(super) fn in_place(
        &mut self,
        value: &Bound<'py, PyAny>,
        tracked: bool,
    ) -> Result<Progress> {
        if !self.fits(value) {
            return Ok(Progress::Not);
        }
        self.left = VALUES;
        let place = self.shredder.take_place()?;
        let collector = WithoutCollector::new(self.py);
        if !self.options.references {
            self.path.push(value.as_ptr() as usize);
        }
        let told = self.container_in_place(value, Spot { place, tracked, levels: LEVELS });
        self.path.clear();
        drop(collector);
        match told? {
            Progress::Not => {
                self.shredder.give_back(place);
                return Ok(Progress::Not);
            }
            Progress::Begun => self.put_back(),
            Progress::Whole => {}
        }
        self.tick(VALUES - self.left)?;
        Ok(Progress::Whole)
    }

    /// Whether a value may be one that is told in place.
    fn fits(&self, value: &Bound<'py, PyAny>) -> bool {
        value.is_exact_instance_of::<PyDict>()
            || value.is_exact_instance_of::<PyList>()
            || value.is_exact_instance_of::<PyTuple>()
            || self.known_plan(value).is_some_and(|plan| match &**plan {
                Plan::Instance(_) | Plan::Uuid(_) | Plan::Decimal => true,
                Plan::Native(native) => is_time(*native),
                _ => false,
            })
    }

    /// What waits becomes frames, the outermost first.
    #[cold]
    pub(super) fn put_back(&mut self) {
        while let Some(waiting) = self.waiting.pop() {
            match waiting {
                Waiting::Place(place) => self.shredder.give_back(place),
                Waiting::Container(frame, open, value) => {
                    self.stack.push(frame);
                    self.shredder.put_back(open);
                    if !self.options.references {
                        self.note_open(&value, self.stack.len());
                    }
                }
            }
        }
    }

    /// A value inside of what is told in place.
    #[inline(always)]
    pub(super) fn value_in_place(
        &mut self,
        value: &Bound<'py, PyAny>,
        place: usize,
        levels: usize,
    ) -> Result<Progress> {
        match scalar_of(value) {
            Some(Scalar::Text(text)) => match raw::utf8(text) {
                Ok(text) => self.shredder.string_at(place, text),
                Err(_) => return Ok(Progress::Not),
            },
            Some(Scalar::Int(int)) => match raw::int_bits(int) {
                Ok(Some(bits)) => self.shredder.int_at(place, bits),
                _ => return Ok(Progress::Not),
            },
            Some(Scalar::Float(float)) => self.shredder.f64_at(place, float),
            Some(Scalar::Null) => self.shredder.null_at(place),
            Some(Scalar::Bool(bool)) => self.shredder.bool_at(place, bool),
            Some(Scalar::Bytes(bytes)) => self.shredder.bytes_at(place, bytes),
            None => return self.inner_in_place(value, place, levels),
        }
        Ok(Progress::Whole)
    }

    /// A container inside of another.
    #[inline(never)]
    fn inner_in_place(
        &mut self,
        value: &Bound<'py, PyAny>,
        place: usize,
        levels: usize,
    ) -> Result<Progress> {
        if levels == 0 || self.left == 0 {
            return Ok(Progress::Not);
        }
        let address = value.as_ptr() as usize;
        if !self.options.references {
            // The walk says what is wrong with one that is inside itself.
            if self.path.contains(&address) || self.is_open.contains(&address) {
                return Ok(Progress::Not);
            }
            self.path.push(address);
            let spot = Spot { place, tracked: false, levels: levels - 1 };
            let told = self.container_in_place(value, spot);
            self.path.pop();
            return told;
        }
        // The one reference is that of the container that holds it.
        let tracked =
            raw::refcount(value) > 1 && !value.cast_exact::<PyTuple>().is_ok_and(is_constant);
        if tracked && let Some(&(row, _)) = self.seen.get(&address) {
            self.shredder.row_again_at(place, row)?;
            return Ok(Progress::Whole);
        }
        self.container_in_place(value, Spot { place, tracked, levels: levels - 1 })
    }

    fn container_in_place(&mut self, value: &Bound<'py, PyAny>, spot: Spot) -> Result<Progress> {
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            self.dict_in_place(dict, spot)
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            self.list_in_place(list, spot)
        } else if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            self.tuple_in_place(tuple, spot)
        } else {
            self.planned_in_place(value, spot)
        }
    }

    /// A value of another type, if its plan is known and needs no code of Python's.
    fn planned_in_place(&mut self, value: &Bound<'py, PyAny>, spot: Spot) -> Result<Progress> {
        let Some(plan) = self.known_plan(value).cloned() else { return Ok(Progress::Not) };
        match &*plan {
            Plan::Instance(instance) => self.instance_in_place(instance, value, spot),
            Plan::Native(native) => {
                let Some(single) = self.single_time(value, *native) else {
                    return Ok(Progress::Not);
                };
                let inside = self.logical_in_place(value, single.kind, single.parameters, spot)?;
                self.shredder.int_at(inside, single.number);
                Ok(Progress::Whole)
            }
            Plan::Uuid(uuid) => {
                let Some(bytes) = uuid.bytes(value) else { return Ok(Progress::Not) };
                let inside = self.logical_in_place(value, LogicalType::UUID, &[], spot)?;
                self.shredder.fixed_at(inside, &bytes);
                Ok(Progress::Whole)
            }
            Plan::Decimal => {
                let Some((form, coefficient, exponent)) = small_decimal(value) else {
                    return Ok(Progress::Not);
                };
                let inside = self.logical_in_place(value, LogicalType::DECIMAL, &[], spot)?;
                let mut open = self.shredder.open_tuple(inside, 3)?;
                let place = open.place(self.shredder)?;
                self.shredder.fixed_int_at(place, IntKind::U8, u64::from(form))?;
                for number in [coefficient, exponent] {
                    let place = open.place(self.shredder)?;
                    self.shredder.int_at(place, number);
                }
                open.close(self.shredder)?;
                Ok(Progress::Whole)
            }
            _ => Ok(Progress::Not),
        }
    }

    /// A logical value has begun: the place of what it is stored as.
    #[inline]
    fn logical_in_place(
        &mut self,
        value: &Bound<'py, PyAny>,
        kind: u8,
        parameters: &[u8],
        spot: Spot,
    ) -> Result<usize> {
        let ty = self.memory.logical_type(kind, parameters)?;
        let inside = self.shredder.logical_at(spot.place, ty)?;
        self.begun_in_place(value, spot);
        Ok(inside)
    }

    /// A container has begun.
    #[inline]
    fn begun_in_place(&mut self, value: &Bound<'py, PyAny>, spot: Spot) {
        if spot.tracked || spot.levels == LEVELS {
            let row = self.shredder.latest_row();
            if spot.levels == LEVELS {
                self.row = row;
            }
            if spot.tracked
                && let Some(row) = row
            {
                self.remember(row, value);
            }
        }
    }

    /// What is left of a container waits, and the place of the value in it that was not told, if one was not.
    #[cold]
    fn waits(
        &mut self,
        untold: Option<usize>,
        frame: Frame<'py>,
        open: impl Into<Open>,
        value: &Bound<'py, PyAny>,
    ) -> Progress {
        self.waiting.extend(untold.map(Waiting::Place));
        self.waiting.push(Waiting::Container(frame, open.into(), value.clone()));
        Progress::Begun
    }

    fn list_in_place(&mut self, list: &Bound<'py, PyList>, spot: Spot) -> Result<Progress> {
        let len = list.len();
        let mut open = self.shredder.open_list(spot.place);
        self.begun_in_place(list, spot);
        if len > LONG {
            return Ok(self.waits(None, Frame::List(list.clone(), 0), open, list));
        }
        self.left = self.left.saturating_sub(len);
        let mut at = 0;
        while at < len {
            // SAFETY: the list holds the item, and nothing changes lists or frees objects until the walk goes on by frames.
            let Some(item) = (unsafe { raw::item_of(list, at) }) else { break };
            if len > SHORT {
                let run = self.numbers(list, at, &item);
                if run > 0 {
                    open.ints(self.shredder, &self.ints);
                    open.floats(self.shredder, &self.floats);
                    at += run;
                    continue;
                }
            }
            at += 1;
            let place = open.place(self.shredder)?;
            let told = self.value_in_place(&item, place, spot.levels)?;
            if told != Progress::Whole {
                let untold = (told == Progress::Not).then_some(place);
                let frame = Frame::List(list.clone(), at - usize::from(untold.is_some()));
                return Ok(self.waits(untold, frame, open, list));
            }
        }
        open.close(self.shredder)?;
        Ok(Progress::Whole)
    }

    fn tuple_in_place(&mut self, tuple: &Bound<'py, PyTuple>, spot: Spot) -> Result<Progress> {
        let len = tuple.len();
        let mut open = self.shredder.open_tuple(spot.place, len)?;
        if !is_constant(tuple) {
            self.begun_in_place(tuple, spot);
        }
        if len > LONG {
            return Ok(self.waits(None, Frame::Tuple(tuple.clone(), 0), open, tuple));
        }
        self.left = self.left.saturating_sub(len);
        for (at, item) in tuple.iter_borrowed().enumerate() {
            let place = open.place(self.shredder)?;
            let told = self.value_in_place(&item, place, spot.levels)?;
            if told != Progress::Whole {
                let untold = (told == Progress::Not).then_some(place);
                let frame = Frame::Tuple(tuple.clone(), at + usize::from(untold.is_none()));
                return Ok(self.waits(untold, frame, open, tuple));
            }
        }
        open.close(self.shredder)?;
        Ok(Progress::Whole)
    }

    fn dict_in_place(&mut self, dict: &Bound<'py, PyDict>, spot: Spot) -> Result<Progress> {
        // SAFETY: nothing changes dicts or frees objects until the walk goes on by frames.
        match unsafe { Entries::of(dict) } {
            Entries::There(entries) => self.entries_in_place(entries, dict, spot),
            Entries::Asked(entries) if dict.len() <= FEW => {
                let entries: ArrayVec<_, FEW> = entries.take(FEW).collect();
                self.entries_in_place(entries.iter().copied(), dict, spot)
            }
            Entries::Asked(entries) => self.entries_in_place(entries, dict, spot),
        }
    }

    #[inline]
    fn entries_in_place<'a>(
        &mut self,
        entries: impl Iterator<Item = Pair<'a, 'py>> + Clone,
        dict: &Bound<'py, PyDict>,
        spot: Spot,
    ) -> Result<Progress>
    where
        'py: 'a,
    {
        let shapes = self.memory.shapes.get_mut(spot.place);
        let known = shapes.and_then(|shapes| shapes.find(entries.clone().map(first)));
        let told = self.row_in_place(known, entries.clone().map(second), dict, spot)?;
        if told != Progress::Not {
            return Ok(told);
        }
        let names = entries.clone().map(first);
        let Some(open) = self.mapping_in_place(names, spot.place)? else {
            return Ok(Progress::Not);
        };
        self.begun_in_place(dict, spot);
        self.values_in_place(entries.map(second), open, dict, spot.levels)
    }

    /// A dict or object with the fields of one before, if that is known and may be here.
    #[inline]
    fn row_in_place<'a>(
        &mut self,
        shape: Option<RowShape>,
        values: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
        of: &Bound<'py, PyAny>,
        spot: Spot,
    ) -> Result<Progress>
    where
        'py: 'a,
    {
        let Some(open) = shape.and_then(|shape| self.shredder.open_again(spot.place, shape)) else {
            return Ok(Progress::Not);
        };
        self.begun_in_place(of, spot);
        self.values_in_place(values, open, of, spot.levels)
    }

    /// Begins a dict whose keys are new in this place, if they are text, and learns them.
    #[inline(never)]
    fn mapping_in_place<'a>(
        &mut self,
        names: impl Iterator<Item = Borrowed<'a, 'py, PyAny>> + Clone,
        place: usize,
    ) -> Result<Option<Open>>
    where
        'py: 'a,
    {
        if names.clone().any(|name| raw::text_of(name).is_none()) {
            return Ok(None);
        }
        let keys = names.clone().map(|name| raw::text_of(name).unwrap_or_default());
        let open = self.shredder.open_mapping(place, keys)?;
        if let Some(shape) = self.shredder.latest_shape() {
            if self.memory.shapes.len() <= place {
                self.memory.shapes.resize_with(place + 1, Shapes::default);
            }
            let shapes = &mut self.memory.shapes[place];
            if shapes.learns() {
                shapes.learn(names.filter_map(|name| name.cast_exact().ok()), shape);
            }
        }
        Ok(Some(open))
    }

    /// An object with attributes, if it has the fields of one before.
    fn instance_in_place(
        &mut self,
        instance: &Instance<'py>,
        object: &Bound<'py, PyAny>,
        spot: Spot,
    ) -> Result<Progress> {
        // SAFETY: as for dicts.
        let Some(fields) = (unsafe { instance.known_fields(object) }) else {
            return Ok(Progress::Not);
        };
        let shapes = &instance.shapes;
        // SAFETY: as for dicts; what holds the values is the object, or its dict, which `fields` holds.
        let (in_slots, beside) = unsafe { (fields.in_slots(), fields.beside()) };
        let Some(beside) = beside else {
            return self.fields_in_place(in_slots, shapes, object, spot);
        };
        let mut all = ArrayVec::<_, FEW>::new();
        let each = in_slots.chain(beside);
        for field in each.clone() {
            if all.try_push(field).is_err() {
                return self.fields_in_place(each, shapes, object, spot);
            }
        }
        self.fields_in_place(all.iter().copied(), shapes, object, spot)
    }

    #[inline]
    fn fields_in_place<'a>(
        &mut self,
        fields: impl Iterator<Item = Pair<'a, 'py>> + Clone,
        shapes: &Learned<'py>,
        object: &Bound<'py, PyAny>,
        spot: Spot,
    ) -> Result<Progress>
    where
        'py: 'a,
    {
        let shape = shapes.borrow_mut().find(fields.clone().map(first));
        self.row_in_place(shape, fields.map(second), object, spot)
    }

    /// The values of a row that has begun.
    #[inline]
    fn values_in_place<'a>(
        &mut self,
        mut values: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
        mut open: impl Opened,
        of: &Bound<'py, PyAny>,
        levels: usize,
    ) -> Result<Progress>
    where
        'py: 'a,
    {
        let mut told = 0;
        while let Some(value) = values.next() {
            let place = open.place(self.shredder)?;
            told += 1;
            match self.value_in_place(&value, place, levels)? {
                Progress::Whole => {}
                progress => {
                    let untold = progress == Progress::Not;
                    let left = untold.then_some(value).into_iter().chain(values);
                    let left: Vec<_> = left.map(Borrowed::to_owned).collect();
                    let frame = Frame::Left(left.into_iter());
                    return Ok(self.waits(untold.then_some(place), frame, open, of));
                }
            }
        }
        self.left = self.left.saturating_sub(told);
        open.close(self.shredder)?;
        Ok(Progress::Whole)
    }

    /// The plan of an object's class, if there is one already.
    #[inline]
    pub(super) fn known_plan(&self, object: &Bound<'py, PyAny>) -> Option<&Rc<Plan<'py>>> {
        let class = object.get_type_ptr() as usize;
        match &self.memory.latest_plan {
            Some((latest, plan)) if *latest == class => Some(plan),
            _ => self.memory.plans.get(&class).map(|(plan, _)| plan),
        }
    }
}

pub(super) fn is_time(native: Native) -> bool {
    matches!(native, Native::Date | Native::Time | Native::DateTime | Native::TimeDelta)
}

fn first<'a, 'py, T>((name, _): (Borrowed<'a, 'py, PyAny>, T)) -> Borrowed<'a, 'py, PyAny> {
    name
}

fn second<'a, 'py, T>((_, value): (T, Borrowed<'a, 'py, PyAny>)) -> Borrowed<'a, 'py, PyAny> {
    value
}
