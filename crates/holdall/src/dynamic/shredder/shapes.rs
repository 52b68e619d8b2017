//! Shapes: rows with the fields of one before are begun without a look at names.

use super::Shredder;
use super::handles::RowHandle;
use crate::dynamic::row_types::{Body, Kind, RowTypeId};
use crate::dynamic::sites::SiteId;

/// The fields of a mapping or object that came before, in their order, and the type that its rows have.
///
/// A source that knows by other means than their names that the next mapping has the same fields (the keys are the same
/// objects, say) keeps it in a cache and begins that by [`Shredder::open_with_shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowShape {
    row_type: RowTypeId,
    shape: u32,
    /// Its fields' sites among the shredder's members.
    first: usize,
    len: usize,
    is_struct: bool,
}

impl Shredder {
    /// The fields of the mapping begun last, if that is a record, or of the object ended last.
    #[must_use]
    pub fn latest_shape(&self) -> Option<RowShape> {
        self.latest_shape
    }

    /// Opens a mapping or object with the fields of one before: one value for each of them follows. `None` if nothing was
    /// begun: at this slot, such a mapping has to come with its keys.
    #[inline]
    pub fn open_with_shape(&mut self, slot: usize, shape: RowShape) -> Option<RowHandle> {
        let variant = self.variant_of(slot, shape)?;
        Some(self.open_shaped(slot, variant, shape))
    }

    /// The variant of a site to which a mapping or object with these fields goes, if it is there already.
    #[inline]
    fn variant_of(&self, site: SiteId, shape: RowShape) -> Option<usize> {
        if shape.is_struct {
            return self.sites[site].of_row_type(shape.row_type);
        }
        // A mapping goes to the first record of its site (F-49).
        let (variant, row_type) = self.sites[site].of_kind(Kind::Record)?;
        (row_type == shape.row_type).then_some(variant)
    }

    /// Opens a row of which all fields are known.
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
