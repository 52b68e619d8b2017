//! Where the rows of a site are: a record folds into one around it that has had its shape (F-50). Which shapes a record
//! has had depends on the order of the values, but the walk goes site by site.

use std::ops::Range;

use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::fields::Gathered;
use super::pack::Kind;

/// The place of a site in those around it.
pub(super) struct Place<'p, 'w, 'py> {
    around: Option<&'p Place<'p, 'w, 'py>>,
    step: Step<'p, 'w, 'py>,
    /// How deep containers may still be inside each other.
    levels: usize,
}

/// What the rows of a site are in the rows of the site around.
pub(super) enum Step<'p, 'w, 'py> {
    /// Each is in the row of the same number.
    Each,
    /// The values of a field.
    Field(&'p Gathered<'w, 'py>, usize),
    /// A value of the only record, by the hash of its shape.
    FieldOfOne(u64),
    /// Values of the fields of structs, into which nothing around them folds.
    Struct,
    /// The rows of one kind.
    Kind(&'p [Kind], Kind),
    /// The items of the containers in these cells.
    Items(Range<usize>),
}

impl<'p, 'w, 'py> Place<'p, 'w, 'py> {
    pub(super) fn root(levels: usize) -> Self {
        Place { around: None, step: Step::Struct, levels }
    }

    /// The place of a site inside containers; none if they are too deep inside others.
    #[inline]
    pub(super) fn inside(&'p self, step: Step<'p, 'w, 'py>) -> Option<Self> {
        Some(Place { around: Some(self), step, levels: self.levels.checked_sub(1)? })
    }

    /// The place of the rows of one kind.
    #[inline]
    pub(super) fn of_kind(&'p self, kinds: &'p [Kind], kind: Kind) -> Self {
        Place { around: Some(self), step: Step::Kind(kinds, kind), levels: self.levels }
    }

    /// The steps outwards, up to a struct.
    fn steps(&self) -> impl Iterator<Item = &Step<'p, 'w, 'py>> {
        let outwards = std::iter::successors(Some(self), |place| place.around);
        outwards.map(|place| &place.step).take_while(|step| !matches!(step, Step::Struct))
    }

    /// Whether a record around has this shape, up to the row that a row of this site is in.
    pub(super) fn had_shape(
        &self,
        shape: u64,
        mut row: usize,
        cells: &[Borrowed<'w, 'py, PyAny>],
    ) -> bool {
        let has_shape = |step: &Step<'_, '_, '_>| match step {
            Step::Field(records, _) => records.find_shape(shape).is_some(),
            Step::FieldOfOne(own) => *own == shape,
            _ => false,
        };
        if !self.steps().any(has_shape) {
            return false;
        }
        for step in self.steps() {
            let outer = match step {
                Step::Each | Step::Struct => Some(row),
                Step::Field(records, field) => records.row_with(*field, row),
                Step::FieldOfOne(own) if *own == shape => return true,
                Step::FieldOfOne(_) => Some(0),
                Step::Kind(kinds, kind) => nth(kinds.iter().map(|own| own == kind), row),
                Step::Items(containers) => {
                    let mut left = row;
                    containers.clone().position(|at| {
                        let len = len_of(cells[at]);
                        let is_in = left < len;
                        left = left.saturating_sub(len);
                        is_in
                    })
                }
            };
            // Every row is in one around it. If it were not found, the general path would find out.
            let Some(outer) = outer else { return true };
            if let Step::Field(records, _) = step
                && records.had_shape(shape, outer)
            {
                return true;
            }
            row = outer;
        }
        false
    }
}

/// The position of the n-th true item.
pub(super) fn nth(items: impl Iterator<Item = bool>, n: usize) -> Option<usize> {
    items.enumerate().filter(|(_, is_one)| *is_one).nth(n).map(|(at, _)| at)
}

/// The number of items of a container that dicts can be in.
fn len_of(container: Borrowed<'_, '_, PyAny>) -> usize {
    if let Ok(list) = container.cast_exact::<PyList>() {
        list.len()
    } else if let Ok(dict) = container.cast_exact::<PyDict>() {
        dict.len()
    } else {
        container.cast_exact::<PyTuple>().map_or(0, |tuple| tuple.len())
    }
}
