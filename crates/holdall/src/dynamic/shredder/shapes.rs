//! Shapes: begin a row with the same fields as an earlier one without looking at names.

use super::handles::RowHandle;
use super::{Shredder, bad_source, duplicate};
use crate::dynamic::row_types::{RowBody, RowKind, RowTypeId};
use crate::dynamic::sites::SiteId;
use crate::error::Result;
use crate::memory::GrowVec;

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

    /// Returns the number of a slot's record, if the mappings there differ so much that they are begun by
    /// [`Shredder::open_loose`].
    #[inline]
    #[must_use]
    pub fn loose_at(&self, slot: usize) -> Option<usize> {
        let (_, row_type) = self.sites[slot].of_kind(RowKind::Record)?;
        self.is_loose(row_type).then_some(row_type)
    }

    /// Returns the number of a field of such a record, if it has one of this name.
    #[must_use]
    pub fn field_of(&self, record: usize, name: &str) -> Option<u32> {
        match &self.row_types[record].body {
            RowBody::Record(record) => record.field(name),
            _ => None,
        }
    }

    /// Opens a mapping of these fields at a slot that has such a record. One value for each field follows.
    ///
    /// # Errors
    /// `duplicate_key`; `bad_source` if the slot has no such record.
    pub fn open_loose(&mut self, slot: usize, fields: &[u32]) -> Result<RowHandle> {
        let record = self.sites[slot].of_kind(RowKind::Record);
        let (variant, row_type) = record.ok_or_else(|| bad_source("a slot of a record"))?;
        let opened = self.open_loose_row(slot, variant, row_type, fields);
        self.located(opened)
    }

    pub(super) fn is_loose(&self, row_type: RowTypeId) -> bool {
        matches!(&self.row_types[row_type].body, RowBody::Record(record) if record.is_loose())
    }

    pub(super) fn open_loose_row(
        &mut self,
        site: SiteId,
        variant: usize,
        row_type: RowTypeId,
        fields: &[u32],
    ) -> Result<RowHandle> {
        let row = self.begin_row(site, variant, row_type);
        let RowBody::Record(record) = &mut self.row_types[row_type].body else {
            return Err(bad_source("a record"));
        };
        if let Some(field) = record.set_loose(row, fields) {
            return Err(duplicate(&record.names()[field as usize]));
        }
        let first = self.members.len();
        self.members.put_each(fields.iter().map(|&field| record.site(field)));
        self.open += 1;
        Ok(RowHandle::of_loose(first, fields.len()))
    }

    /// Finds the variant of a site that takes a mapping or object with these fields, if the site has it.
    #[inline]
    fn variant_of(&self, site: SiteId, shape: RowShape) -> Option<usize> {
        if shape.is_struct {
            return self.sites[site].of_row_type(shape.row_type);
        }
        // A mapping goes to the first record of its site (F-49).
        let (variant, row_type) = self.sites[site].of_kind(RowKind::Record)?;
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
            RowBody::Record(record) => (record, false),
            RowBody::Struct(_, record) => (record, true),
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
