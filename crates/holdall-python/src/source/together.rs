//! Records, objects and lists that are like ones before, told column by column with all that is in them.
//!
//! First all values are gathered, which changes nothing: if something is not like before (other fields, a value with an identity,
//! a type that needs a plan) they come by events, as if nothing had been tried. No Python code runs meanwhile.

use holdall::{FieldRows, Result, Row, RowShape, SeveralRows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::rows::Like;
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
    ) -> Result<Option<Row>> {
        let end = self.pending.len();
        self.steps.clear();
        self.lengths.clear();
        let is_alike = self.gather_fields(start, rows, width, shape, DEPTH);
        let values = self.pending.len() - start;
        let begun = if is_alike { self.shredder.begin_several(shape, rows) } else { None };
        let Some(mut several) = begun else {
            self.pending.truncate(end);
            return Ok(None);
        };
        let row = several.first_row();
        let mut telling =
            Telling { pending: &self.pending, steps: self.steps.iter(), lengths: &self.lengths };
        if let Err(exception) = telling.fields(&mut several, start, rows, width) {
            return Err(self.raised.keep(exception));
        }
        several.end()?;
        self.pending.truncate(start);
        self.tick(rows + values)?;
        Ok(row)
    }

    /// Finds out what a column is, and the columns inside. `false` if it has to be told by events.
    fn gather(&mut self, column: Column, place: usize, depth: usize) -> bool {
        let (mut first, mut nulls_alone) = (None, true);
        for at in column.places() {
            let Some(value) = &self.pending[at] else { return false };
            if value.is_none() {
                continue;
            }
            if !is_scalar(value) {
                first = Some(value);
                break;
            }
            nulls_alone = false;
        }
        let Some(value) = first else {
            self.steps.push(Step::Scalars);
            return true;
        };
        if !nulls_alone || depth == 0 {
            return false;
        }
        if value.is_exact_instance_of::<PyList>() {
            return self.gather_lists(column, place, depth);
        }
        self.like(value, place).is_some_and(|like| self.gather_rows(column, place, depth, &like))
    }

    /// All columns of rows with these fields, which wait row by row from one on.
    fn gather_fields(
        &mut self,
        start: usize,
        rows: usize,
        width: usize,
        shape: RowShape,
        depth: usize,
    ) -> bool {
        (0..width).all(|field| {
            let column = Column { start: start + field, stride: width, count: rows };
            let place = self.shredder.place_of_field(shape, field);
            place.is_some_and(|place| self.gather(column, place, depth))
        })
    }

    /// Rows with the same fields, and nulls.
    fn gather_rows(
        &mut self,
        column: Column,
        place: usize,
        depth: usize,
        like: &Like<'py>,
    ) -> bool {
        let (shape, width) = (like.shape, like.keys.len());
        if !self.shredder.takes_inside(place, shape) {
            return false;
        }
        let (start, mut rows) = (self.pending.len(), 0);
        for at in column.places() {
            let Some(value) = self.pending[at].take() else { return false };
            let is_null = value.is_none();
            let is_row =
                is_null || (self.has_no_identity(&value) && like.values(&value, &mut self.pending));
            rows += usize::from(!is_null);
            self.pending[at] = Some(value);
            if !is_row {
                return false;
            }
        }
        self.steps.push(Step::Rows { shape, width, start, rows });
        self.gather_fields(start, rows, width, shape, depth - 1)
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

/// What was gathered, on its way.
struct Telling<'t, 'py> {
    pending: &'t [Option<Bound<'py, PyAny>>],
    steps: std::slice::Iter<'t, Step>,
    lengths: &'t [usize],
}

impl Telling<'_, '_> {
    fn fields(
        &mut self,
        several: &mut SeveralRows<'_>,
        start: usize,
        rows: usize,
        width: usize,
    ) -> PyResult<()> {
        (0..width).try_for_each(|field| {
            let column = Column { start: start + field, stride: width, count: rows };
            self.column(&mut several.field(field), column)
        })
    }

    fn column(&mut self, rows: &mut FieldRows<'_>, column: Column) -> PyResult<()> {
        let pending = self.pending;
        let values = column.places().filter_map(|at| pending[at].as_ref());
        match self.steps.next() {
            Some(Step::Scalars) => values.into_iter().try_for_each(|value| tell(rows, value)),
            Some(&Step::Rows { shape, width, start, rows: count }) => {
                let present = values.map(|value| !value.is_none());
                let mut several = rows.begin_several(shape, present).ok_or_else(not_alike)?;
                self.fields(&mut several, start, count, width)?;
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
