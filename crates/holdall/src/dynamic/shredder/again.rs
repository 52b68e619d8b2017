//! Rows with the fields of one before: begun without a look at names.

use super::{Frame, Open, OpenRow, Shredder};
use crate::dynamic::sites::{Body, Kind, RowTypeId, SiteId};
use crate::error::Result;

/// The fields of a mapping or object that was told, in their order, and the type that its rows have.
///
/// A source that knows by other means than their names that the next mapping has the same fields (the keys are the same
/// objects, say) tells it by [`Shredder::begin_again`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowShape {
    pub(super) row_type: RowTypeId,
    pub(super) shape: u32,
    /// Its fields' sites among the shredder's members.
    pub(super) first: usize,
    pub(super) len: usize,
    is_struct: bool,
}

impl RowShape {
    /// A row that has begun.
    pub(super) fn open(self) -> OpenRow {
        OpenRow::of(self.first, self.len)
    }
}

impl Shredder {
    /// The fields of the mapping begun last, if that is a record, or of the object ended last.
    #[must_use]
    pub fn latest_shape(&self) -> Option<RowShape> {
        self.latest_shape
    }

    /// A number for the place of the value that comes next: values of one place, such as the items of a list, have the
    /// same. `None` where there is no cheap way to know.
    #[inline]
    #[must_use]
    pub fn next_place(&self) -> Option<usize> {
        match self.stack.last() {
            Some(Frame::List { item, .. }) => Some(*item),
            Some(Frame::Members { next, end, .. }) if next < end => Some(self.members[*next]),
            Some(Frame::Map { key, value, on_value, .. }) => {
                Some(if *on_value { *value } else { *key })
            }
            Some(Frame::Given(place)) => Some(*place),
            None if !self.begun => Some(0),
            _ => None,
        }
    }

    /// Begins a mapping or object with the fields of one before, as [`Shredder::begin_mapping`] would, or
    /// [`Shredder::begin_open_struct`] with their names: one value for each field follows, then [`Sink::end`](crate::Sink::end).
    ///
    /// `false` if nothing was begun: in this place, such a mapping has to be told with its keys.
    ///
    /// # Errors
    /// `bad_source` if no value is due here.
    #[inline]
    pub fn begin_again(&mut self, shape: RowShape) -> Result<bool> {
        let Some(site) = self.next_place() else { return Ok(false) };
        let Some(variant) = self.variant_of(site, shape) else { return Ok(false) };
        let site = self.target()?;
        self.begin_shaped(site, variant, shape);
        self.stack.push(Open::Row(shape.open()).into_frame());
        Ok(true)
    }

    /// The variant of a site to which a mapping or object with these fields goes, if it is there already.
    #[inline]
    pub(super) fn variant_of(&self, site: SiteId, shape: RowShape) -> Option<usize> {
        if shape.is_struct {
            return self.sites[site].of_row_type(shape.row_type);
        }
        // A mapping goes to the first record of its place (F-49).
        let (variant, row_type) = self.sites[site].of_kind(Kind::Record)?;
        (row_type == shape.row_type).then_some(variant)
    }

    /// Begins a row of which all fields are known.
    #[inline]
    pub(super) fn begin_shaped(&mut self, site: SiteId, variant: usize, shape: RowShape) {
        let RowShape { row_type, shape, .. } = shape;
        let row = self.begin_row(site, variant, row_type);
        if let Some(record) = self.record_mut(row_type) {
            record.set_shape(row, shape);
        }
    }

    /// A shape of a record or struct, by its number.
    pub(super) fn row_shape(&self, row_type: RowTypeId, shape: u32) -> Option<RowShape> {
        let (record, is_struct) = match &self.row_types[row_type].body {
            Body::Record(record) => (record, false),
            Body::Struct(_, record) => (record, true),
            _ => return None,
        };
        let fields = &record.shapes()[shape as usize];
        Some(RowShape {
            row_type,
            shape,
            first: fields.first_member,
            len: fields.fields.len(),
            is_struct,
        })
    }
}
