//! Several rows of one place at once: a source that has columns places them whole.
//!
//! The rows of one place may come before those of the next only while no type inside is shared
//! ([`Shredder::keeps_types_apart`]). Else a source places one row of a record after the other, as the walk has them.

use alloc::sync::Arc;
use alloc::vec::Vec;

use half::f16;

use super::slots::Slot;
use super::{GATHER_DEPTH, GATHER_SITES, Row, Shredder, bad_source};
use crate::column::buffer::Buffer;
use crate::dynamic::row_types::{RowBody, RowKind, RowTypeId};
use crate::dynamic::variants::RowVariant;
use crate::error::Result;
use crate::memory::{self, Collect, GrowVec};
use crate::number::IntKind;
use crate::schema::{LogicalType, Scalar};

impl Slot<'_> {
    /// Places several nulls.
    pub fn nulls(self, rows: usize) {
        self.0.nulls(rows);
    }

    /// Places several bools.
    pub fn bools(self, values: impl ExactSizeIterator<Item = bool>) {
        if let RowVariant::Column(Buffer::Bits(column)) = self.0.scalar(Scalar::Bool, values.len())
        {
            column.put_each(values);
        }
    }

    /// Places several integers of 64 bits, each in the range of its kind.
    pub fn ints(self, kind: IntKind, values: impl ExactSizeIterator<Item = u64>) {
        if let RowVariant::Column(Buffer::Wide(_, ints)) =
            self.0.scalar(Scalar::Int(kind), values.len())
        {
            ints.values.put_each(values);
        }
    }

    /// Places several floats of 16 bits.
    pub fn halves(self, values: &[f16]) {
        if let RowVariant::Column(Buffer::F16(column)) = self.0.scalar(Scalar::F16, values.len()) {
            column.put_slice(values);
        }
    }

    /// Places several floats of 32 bits.
    pub fn singles(self, values: &[f32]) {
        if let RowVariant::Column(Buffer::F32(column)) = self.0.scalar(Scalar::F32, values.len()) {
            column.put_slice(values);
        }
    }

    /// Places several floats of 64 bits.
    pub fn floats(self, values: &[f64]) {
        self.0.floats(values);
    }

    /// Places several strings.
    pub fn strings<'t>(self, values: impl Iterator<Item = &'t str>) {
        self.0.texts(Scalar::String, values.map(str::as_bytes));
    }

    /// Places several byte strings.
    pub fn byte_strings<'t>(self, values: impl Iterator<Item = &'t [u8]>) {
        self.0.texts(Scalar::Bytes, values);
    }

    /// Places several byte strings of one length, concatenated.
    pub fn fixed_rows(self, len: usize, bytes: &[u8], rows: usize) {
        if let RowVariant::Column(Buffer::Fixed(_, column)) =
            self.0.scalar(Scalar::Fixed(len as u64), rows)
        {
            column.put_slice(bytes);
        }
    }
}

impl Shredder {
    /// Whether the types inside a slot stay apart, if these many levels and sites come to them. From some depth and size on,
    /// all places of a message share types (F-51), whose rows are in the order of the walk.
    #[must_use]
    pub fn keeps_types_apart(&self, slot: usize, levels: usize, sites: usize) -> bool {
        usize::from(self.sites[slot].depth) + levels < usize::from(GATHER_DEPTH)
            && self.sites.len() + sites < GATHER_SITES
    }

    /// Places several records with these fields, whatever the names look like. Returns the slots of the fields, each of which
    /// gets as many values; none, without placing anything, if the slot has no room for such a record. Then a source begins a
    /// mapping for each.
    ///
    /// # Errors
    /// `duplicate_key`.
    pub fn records_at<'a>(
        &mut self,
        slot: usize,
        keys: impl Iterator<Item = &'a str> + Clone,
        rows: usize,
    ) -> Result<Option<Vec<usize>>> {
        self.latest_shape = None;
        let Some((variant, row_type)) = self.record_for(slot, keys.clone()) else {
            return Ok(None);
        };
        let shape = self.record_shape(row_type, keys);
        let shape = self.located(shape)?;
        let RowBody::Record(record) = &self.row_types[row_type].body else { return Ok(None) };
        let known = &record.shapes()[shape as usize];
        let members = known.first_member..known.first_member + known.fields.len();
        let slots = memory::copied(&self.members[members]);
        self.place_rows(slot, variant, row_type, rows);
        if let Some(record) = self.record_mut(row_type) {
            record.append_rows(rows, shape);
        }
        Ok(Some(slots))
    }

    /// Places several lists. Returns the slot of their items, of which as many follow as the sum of the lengths.
    pub fn lists_at(&mut self, slot: usize, lengths: impl ExactSizeIterator<Item = u64>) -> usize {
        let (variant, row_type) = self.variant(slot, RowKind::List);
        self.place_rows(slot, variant, row_type, lengths.len());
        match &mut self.row_types[row_type].body {
            RowBody::List { lengths: own, item } => {
                own.put_each(lengths);
                *item
            }
            _ => slot,
        }
    }

    /// Places several arrays of a length. Returns the slot of their items.
    pub fn arrays_at(&mut self, slot: usize, len: usize, rows: usize) -> usize {
        let (variant, row_type) = self.variant(slot, RowKind::Array(len));
        self.place_rows(slot, variant, row_type, rows);
        match self.row_types[row_type].body {
            RowBody::Array { item, .. } => item,
            _ => slot,
        }
    }

    /// Places several tuples of a length that a tuple type can have. Returns the slots of their items.
    pub fn tuples_at(&mut self, slot: usize, len: usize, rows: usize) -> Vec<usize> {
        let (variant, row_type) = self.variant(slot, RowKind::Tuple(len));
        self.place_rows(slot, variant, row_type, rows);
        match self.row_types[row_type].body {
            RowBody::Tuple { first, len } => memory::copied(&self.members[first..first + len]),
            _ => memory::filled(slot, len),
        }
    }

    /// Places several values of a logical type. Returns the slot of their storage.
    ///
    /// # Errors
    /// None for a valid logical type.
    pub fn logical_values_at(
        &mut self,
        slot: usize,
        ty: &Arc<LogicalType>,
        rows: usize,
    ) -> Result<usize> {
        let kind = self.of_logical_type(ty);
        self.wrapped_at(slot, kind, rows)
    }

    pub(super) fn wrapped_at(&mut self, slot: usize, kind: RowKind, rows: usize) -> Result<usize> {
        let (variant, row_type) = self.variant(slot, kind);
        self.place_rows(slot, variant, row_type, rows);
        match self.row_types[row_type].body {
            RowBody::Wrapped(_, inside) => Ok(inside),
            _ => Err(bad_source("a logical type or extension")),
        }
    }

    /// Places several variants: `which` of these names each is. Returns the slots of the names' payloads, each of which gets
    /// as many values as it has variants.
    ///
    /// # Errors
    /// None for valid numbers.
    pub fn variants_at<'n>(
        &mut self,
        slot: usize,
        names: impl Iterator<Item = &'n Arc<str>>,
        which: impl ExactSizeIterator<Item = usize>,
    ) -> Result<Vec<usize>> {
        let (variant, row_type) = self.variant(slot, RowKind::NamedUnion);
        self.place_rows(slot, variant, row_type, which.len());
        let found = names.map(|name| self.variant_of_name(row_type, name));
        let found = found.collected::<Result<Vec<_>>>()?;
        if let RowBody::NamedUnion { which: all, .. } = &mut self.row_types[row_type].body {
            all.put_each(which.map(|which| found[which].0 as u64));
        }
        Ok(found.into_iter().map(|(_, payload)| payload).collected())
    }

    /// Appends rows of a type to a site.
    pub(super) fn place_rows(
        &mut self,
        site: usize,
        variant: usize,
        row_type: RowTypeId,
        rows: usize,
    ) {
        self.sites[site].rows(variant, rows);
        let own = &mut self.row_types[row_type];
        own.rows += rows;
        if let Some(last) = own.rows.checked_sub(1) {
            self.latest = Some(Row { row_type, row: last });
        }
        self.identities.clear();
    }
}
