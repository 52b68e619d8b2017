//! Records, objects and lists that are like ones before, told column by column with all that is in them.
//!
//! First all values are gathered, which changes nothing: if something is not like before (other fields, a value with an identity,
//! a type that needs a plan) they come by events, as if nothing had been tried. No Python code runs meanwhile.

use std::rc::Rc;

use holdall::{FieldRows, Result, Row, RowShape};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use super::plan::Plan;
use super::rows::Likes;
use super::scalars::big_bytes;
use super::{Scalar, Walker, is_scalar, scalar_of};
use crate::raw;

/// Columns inside others are looked at down to this depth.
const DEPTH: usize = 16;
/// Longer lists come by events, which tell numbers in larger pieces.
const ITEMS: usize = 256;

/// Values that wait: every so many from one on.
#[derive(Clone, Copy)]
pub(super) struct Column {
    start: usize,
    stride: usize,
    count: usize,
}

impl Column {
    fn places(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |row| self.start + row * self.stride)
    }
}

/// What the values of one column are; the steps of the columns inside follow.
pub(super) enum Step {
    Scalars,
    /// Rows with these fields, which wait row by row from one on; and nulls.
    Rows {
        shape: RowShape,
        width: usize,
        start: usize,
        rows: usize,
    },
    /// Lists of so many items, which wait from one on, and whose lengths are from another on; and nulls.
    Lists {
        start: usize,
        items: usize,
        lengths: usize,
    },
}

impl<'py> Walker<'py, '_> {
    /// Tells so many rows with these fields, whose values wait from one on, and forgets those; answers the first of them. If they
    /// are not alike nothing is told, the values wait still, and what was gathered behind them is gone.
    pub(super) fn together(
        &mut self,
        start: usize,
        rows: usize,
        width: usize,
        shape: RowShape,
    ) -> Result<Option<Option<Row>>> {
        let end = self.pending.len();
        self.steps.clear();
        self.lengths.clear();
        let is_alike = (0..width).all(|field| {
            let column = Column { start: start + field, stride: width, count: rows };
            let place = self.shredder.place_of_field(shape, field);
            place.is_some_and(|place| self.gather(column, place, DEPTH))
        });
        let values = self.pending.len() - start;
        let begun = if is_alike { self.shredder.begin_several(shape, rows) } else { None };
        let Some(mut several) = begun else {
            self.pending.truncate(end);
            return Ok(None);
        };
        let row = several.first_row();
        let mut telling =
            Telling { pending: &self.pending, steps: self.steps.iter(), lengths: &self.lengths };
        for field in 0..width {
            let column = Column { start: start + field, stride: width, count: rows };
            if let Err(exception) = telling.column(&mut several.field(field), column) {
                return Err(self.raised.keep(exception));
            }
        }
        several.end()?;
        self.pending.truncate(start);
        self.tick(rows + values)?;
        Ok(Some(row))
    }

    /// Finds out what a column is, and the columns inside. `false` if it has to be told by events.
    fn gather(&mut self, column: Column, place: usize, depth: usize) -> bool {
        let of = |walker: &Self, at: usize| walker.pending[at].as_ref().map(|value| kind_of(value));
        let mut first = None;
        let mut nulls_alone = true;
        for at in column.places() {
            match of(self, at) {
                Some(Kind::Null) => {}
                Some(Kind::Scalar) => nulls_alone = false,
                Some(Kind::Text) => {
                    // Lone surrogates make it a logical value.
                    if !self.pending[at].as_ref().is_some_and(is_scalar) {
                        return false;
                    }
                    nulls_alone = false;
                }
                Some(kind) => {
                    first = Some((at, kind));
                    break;
                }
                None => return false,
            }
        }
        let Some((at, kind)) = first else {
            self.steps.push(Step::Scalars);
            return true;
        };
        if !nulls_alone || depth == 0 {
            return false;
        }
        match kind {
            Kind::Dict => {
                let Some((keys, shape)) = self.memory.likes.get(place).and_then(Likes::only) else {
                    return false;
                };
                self.gather_rows(column, place, depth, &keys, shape, |value, keys, pending| {
                    value.cast_exact::<PyDict>().is_ok_and(|dict| raw::values(dict, keys, pending))
                })
            }
            Kind::List => self.gather_lists(column, place, depth),
            _ => {
                let Some(class) = self.pending[at].as_ref().map(Bound::get_type_ptr) else {
                    return false;
                };
                let Some((plan, _)) = self.memory.plans.get(&(class as usize)) else {
                    return false;
                };
                let plan = Rc::clone(plan);
                let Plan::Instance(instance) = &*plan else { return false };
                if !instance.is_plain() {
                    return false;
                }
                let Some((keys, shape)) = instance.likes.borrow().only() else { return false };
                self.gather_rows(column, place, depth, &keys, shape, |value, keys, pending| {
                    // What fails is told the other way, which says so.
                    value.get_type_ptr() == class
                        && instance.values(value, keys, pending).unwrap_or(false)
                })
            }
        }
    }

    /// Rows with the same fields, and nulls.
    fn gather_rows(
        &mut self,
        column: Column,
        place: usize,
        depth: usize,
        keys: &[Bound<'py, PyString>],
        shape: RowShape,
        values: impl Fn(
            &Bound<'py, PyAny>,
            &[Bound<'py, PyString>],
            &mut Vec<Option<Bound<'py, PyAny>>>,
        ) -> bool,
    ) -> bool {
        if !self.shredder.takes_inside(place, shape) {
            return false;
        }
        let (start, width, mut rows) = (self.pending.len(), keys.len(), 0);
        for at in column.places() {
            let Some(value) = self.pending[at].take() else { return false };
            let is_null = value.is_none();
            let is_row = is_null
                || (self.has_no_identity(&value) && values(&value, keys, &mut self.pending));
            rows += usize::from(!is_null);
            self.pending[at] = Some(value);
            if !is_row {
                return false;
            }
        }
        self.steps.push(Step::Rows { shape, width, start, rows });
        (0..width).all(|field| {
            let column = Column { start: start + field, stride: width, count: rows };
            let place = self.shredder.place_of_field(shape, field);
            place.is_some_and(|place| self.gather(column, place, depth - 1))
        })
    }

    /// Lists, and nulls.
    fn gather_lists(&mut self, column: Column, place: usize, depth: usize) -> bool {
        let Some(item) = self.shredder.place_of_items(place) else { return false };
        let (start, lengths) = (self.pending.len(), self.lengths.len());
        for at in column.places() {
            let Some(value) = self.pending[at].take() else { return false };
            let is_list = value.is_none()
                || match value.cast_exact::<PyList>() {
                    Ok(list) if list.len() <= ITEMS && self.has_no_identity(&value) => {
                        self.lengths.push(list.len());
                        self.pending.extend(list.iter().map(Some));
                        true
                    }
                    _ => false,
                };
            self.pending[at] = Some(value);
            if !is_list {
                return false;
            }
        }
        let items = self.pending.len() - start;
        self.steps.push(Step::Lists { start, items, lengths });
        self.gather(Column { start, stride: 1, count: items }, item, depth - 1)
    }

    /// Whether a value that waits cannot come again: one reference is that of what it is in, one is ours.
    #[inline]
    fn has_no_identity(&self, value: &Bound<'py, PyAny>) -> bool {
        raw::refcount(value) <= 2 || !self.options.references
    }
}

/// What a value is, as far as gathering goes.
enum Kind {
    Null,
    Text,
    Scalar,
    Dict,
    List,
    Other,
}

#[inline]
fn kind_of(value: &Bound<'_, PyAny>) -> Kind {
    match scalar_of(value) {
        Some(Scalar::Null) => Kind::Null,
        Some(Scalar::Text(_)) => Kind::Text,
        Some(_) => Kind::Scalar,
        None if value.is_exact_instance_of::<PyDict>() => Kind::Dict,
        None if value.is_exact_instance_of::<PyList>() => Kind::List,
        None => Kind::Other,
    }
}

/// What was gathered, on its way.
struct Telling<'t, 'py> {
    pending: &'t [Option<Bound<'py, PyAny>>],
    steps: std::slice::Iter<'t, Step>,
    lengths: &'t [usize],
}

impl Telling<'_, '_> {
    fn column(&mut self, rows: &mut FieldRows<'_>, column: Column) -> PyResult<()> {
        let pending = self.pending;
        let values = column.places().filter_map(|at| pending[at].as_ref());
        match self.steps.next() {
            Some(Step::Scalars) => values.into_iter().try_for_each(|value| tell(rows, value)),
            Some(&Step::Rows { shape, width, start, rows: count }) => {
                let present = values.map(|value| !value.is_none());
                let mut several = rows.begin_several(shape, present).ok_or_else(not_alike)?;
                for field in 0..width {
                    let column = Column { start: start + field, stride: width, count };
                    self.column(&mut several.field(field), column)?;
                }
                several.end().map_err(|_| not_alike())
            }
            Some(&Step::Lists { start, items, lengths }) => {
                let mut lengths = self.lengths[lengths..].iter().copied();
                let lengths =
                    values.map(|value| if value.is_none() { None } else { lengths.next() });
                let mut lists = rows.begin_lists(lengths).ok_or_else(not_alike)?;
                self.column(&mut lists.items(), Column { start, stride: 1, count: items })?;
                lists.end().map_err(|_| not_alike())
            }
            None => Err(not_alike()),
        }
    }
}

/// Tells a scalar as the next value of a field.
#[inline]
fn tell(column: &mut FieldRows<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match scalar_of(value) {
        Some(Scalar::Text(text)) => column.string(raw::utf8(text)?),
        Some(Scalar::Int(int)) => match raw::int_bits(int)? {
            Some(bits) => column.int(bits),
            None => column.big_int(&big_bytes(int)?).map_err(|_| wrong_big())?,
        },
        Some(Scalar::Float(float)) => column.f64(float),
        Some(Scalar::Null) => column.null(),
        Some(Scalar::Bool(bool)) => column.bool(bool),
        Some(Scalar::Bytes(bytes)) => column.bytes(bytes),
        None => return Err(not_alike()),
    }
    Ok(())
}

#[cold]
fn wrong_big() -> PyErr {
    PyValueError::new_err("an int in other than its shortest form")
}

#[cold]
fn not_alike() -> PyErr {
    PyValueError::new_err("a value that is not what it was when it was gathered")
}
