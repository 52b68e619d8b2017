//! Shapes: begin a row with the same fields as an earlier one without looking at names.

use super::Shredder;
use super::handles::RowHandle;
use crate::dynamic::row_types::{Body, Kind, RowTypeId};
use crate::dynamic::sites::SiteId;

/// The fields of an earlier mapping or object, in order, and the type of its rows.
///
/// Cache it if you can recognize a mapping with the same fields without comparing names, for example because its keys are the same
/// objects, and begin that mapping with [`Shredder::open_with_shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowShape {
    row_type: RowTypeId,
    shape: u32,
    /// The index of its first field's site among the shredder's members.
    first: usize,
    len: usize,
    is_struct: bool,
}

impl Shredder {
    /// Returns the shape of the mapping begun last, if it is a record, or of the object ended last.
    #[must_use]
    pub fn latest_shape(&self) -> Option<RowShape> {
        self.latest_shape
    }

    /// Opens a mapping or object with the fields of an earlier one. One value for each field follows. Returns `None`, without
    /// beginning anything, if such a mapping must pass its keys at this slot.
    #[inline]
    pub fn open_with_shape(&mut self, slot: usize, shape: RowShape) -> Option<RowHandle> {
        let variant = self.variant_of(slot, shape)?;
        Some(self.open_shaped(slot, variant, shape))
    }

    /// Finds the variant of a site that takes a mapping or object with these fields, if the site has it.
    #[inline]
    fn variant_of(&self, site: SiteId, shape: RowShape) -> Option<usize> {
        if shape.is_struct {
            return self.sites[site].of_row_type(shape.row_type);
        }
        // A mapping goes to the first record of its site (F-49).
        let (variant, row_type) = self.sites[site].of_kind(Kind::Record)?;
        (row_type == shape.row_type).then_some(variant)
    }

    /// Opens a row whose fields are all known.
    #[inline]
    pub(super) fn open_shaped(
        &mut self,
        site: SiteId,
        variant: usize,
        shape: RowShape,
    ) -> RowHandle {
        let RowShape { row_type, shape, first, len, .. } = shape;
        let row = self.begin_row(site, variant, row_type);
        if let Some(record) = self.record_mut(row_type) {
            record.set_shape(row, shape);
        }
        self.open += 1;
        RowHandle::of(first, len)
    }

    /// Returns a shape of a record or struct by its number.
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
