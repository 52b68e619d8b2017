//! Where the rows of a site are: a record folds into one around it that has had its shape (F-50). Which shapes a record
//! has had depends on the order of the values, but the walk goes site by site.

use std::ops::Range;

use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::fields::Gathered;
use super::pack::Kind;

/// The place of a site in those around it.
pub(super) struct SitePlace<'p, 'w, 'py> {
    around: Option<&'p SitePlace<'p, 'w, 'py>>,
    step: PlaceStep<'p, 'w, 'py>,
    /// How deep containers may still be inside each other.
    levels: usize,
}

/// What the rows of a site are in the rows of the site around.
pub(super) enum PlaceStep<'p, 'w, 'py> {
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

impl<'p, 'w, 'py> SitePlace<'p, 'w, 'py> {
    pub(super) fn root(levels: usize) -> Self {
        SitePlace { around: None, step: PlaceStep::Struct, levels }
    }

    /// The place of a site inside containers; none if they are too deep inside others.
    #[inline]
    pub(super) fn inside(&'p self, step: PlaceStep<'p, 'w, 'py>) -> Option<Self> {
        Some(SitePlace { around: Some(self), step, levels: self.levels.checked_sub(1)? })
    }

    /// The place of the rows of one kind.
    #[inline]
    pub(super) fn of_kind(&'p self, kinds: &'p [Kind], kind: Kind) -> Self {
        SitePlace { around: Some(self), step: PlaceStep::Kind(kinds, kind), levels: self.levels }
    }

    /// The steps outwards, up to a struct.
    fn steps(&self) -> impl Iterator<Item = &PlaceStep<'p, 'w, 'py>> {
        let outwards = std::iter::successors(Some(self), |place| place.around);
        outwards.map(|place| &place.step).take_while(|step| !matches!(step, PlaceStep::Struct))
    }

    /// Whether a record around has this shape, up to the row that a row of this site is in.
    pub(super) fn had_shape(
        &self,
        shape: u64,
        mut row: usize,
        cells: &[Borrowed<'w, 'py, PyAny>],
    ) -> bool {
        let has_shape = |step: &PlaceStep<'_, '_, '_>| match step {
            PlaceStep::Field(records, _) => records.find_shape(shape).is_some(),
            PlaceStep::FieldOfOne(own) => *own == shape,
            _ => false,
        };
        if !self.steps().any(has_shape) {
            return false;
        }
        for step in self.steps() {
            let outer = match step {
                PlaceStep::Each | PlaceStep::Struct => Some(row),
                PlaceStep::Field(records, field) => records.row_with(*field, row),
                PlaceStep::FieldOfOne(own) if *own == shape => return true,
                PlaceStep::FieldOfOne(_) => Some(0),
                PlaceStep::Kind(kinds, kind) => nth(kinds.iter().map(|own| own == kind), row),
                PlaceStep::Items(containers) => {
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
            if let PlaceStep::Field(records, _) = step
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
