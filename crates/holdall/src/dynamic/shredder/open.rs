//! Opens containers at slots, and refers to earlier rows.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::handles::{
    ArrayHandle, FieldCursor, Handle, ListHandle, MapHandle, RowHandle, StructHandle,
    VariantHandle, WrappedHandle,
};
use super::{Row, Shredder, TUPLE_ITEMS, bad_source};
use crate::column::pieces::SharedBytes;
use crate::dynamic::TensorRef;
use crate::dynamic::row_types::{Label, RowBody, RowKind, RowTypeId};
use crate::dynamic::sites::SiteId;
use crate::error::Result;
use crate::memory::GrowVec;
use crate::schema::LogicalType;

impl Shredder {
    /// As [`Shredder::begin_list`].
    #[inline]
    pub fn open_list(&mut self, slot: usize) -> ListHandle {
        let (variant, row_type) = self.variant(slot, RowKind::List);
        let row = self.begin_row(slot, variant, row_type);
        let item = match self.row_types[row_type].body {
            RowBody::List { item, .. } => item,
            _ => slot,
        };
        self.open += 1;
        ListHandle { row_type, row, item, len: 0 }
    }

    /// As [`Shredder::begin_tuple`].
    ///
    /// # Errors
    /// None for a tuple that the format can hold.
    pub fn open_tuple(&mut self, slot: usize, len: usize) -> Result<Handle> {
        if len > TUPLE_ITEMS {
            // F-74.
            let ty = Arc::new(LogicalType::unchecked(LogicalType::LONG_TUPLE, &[]));
            let kind = self.labelled(Label::Logical(ty));
            let storage = self.begin_wrapped(slot, kind)?;
            // The identity belongs to the tuple, not to its storage.
            let tuple = self.latest;
            let list = self.open_list(storage);
            self.latest = tuple;
            return Ok(list.into());
        }
        let (variant, row_type) = self.variant(slot, RowKind::Tuple(len));
        self.begin_row(slot, variant, row_type);
        let first = match self.row_types[row_type].body {
            RowBody::Tuple { first, .. } => first,
            _ => 0,
        };
        self.open += 1;
        Ok(RowHandle::of(first, len).into())
    }

    pub(super) fn open_array(&mut self, slot: SiteId, len: usize) -> Result<ArrayHandle> {
        let (variant, row_type) = self.variant(slot, RowKind::Array(len));
        self.begin_row(slot, variant, row_type);
        let RowBody::Array { item, len } = self.row_types[row_type].body else {
            return Err(bad_source("an array"));
        };
        self.open += 1;
        Ok(ArrayHandle { item, len, left: len })
    }

    pub(super) fn open_map(&mut self, slot: SiteId) -> Result<MapHandle> {
        let (variant, row_type) = self.variant(slot, RowKind::Map);
        let row = self.begin_row(slot, variant, row_type);
        let RowBody::Map { key, value, .. } = self.row_types[row_type].body else {
            return Err(bad_source("a map"));
        };
        self.open += 1;
        Ok(MapHandle { row_type, row, key, value, len: 0, on_value: false })
    }

    pub(super) fn open_variant(&mut self, slot: SiteId, name: &Arc<str>) -> Result<VariantHandle> {
        let (variant, row_type) = self.variant(slot, RowKind::NamedUnion);
        self.begin_row(slot, variant, row_type);
        let (number, payload) = self.variant_of_name(row_type, name)?;
        if let RowBody::NamedUnion { which, .. } = &mut self.row_types[row_type].body {
            which.put(number as u64);
        }
        self.open += 1;
        Ok(VariantHandle { payload, is_due: true })
    }

    /// Returns the number of a variant of a named union and the site of its payload, adding the variant if needed.
    pub(super) fn variant_of_name(
        &mut self,
        row_type: RowTypeId,
        name: &Arc<str>,
    ) -> Result<(usize, SiteId)> {
        let known = match &self.row_types[row_type].body {
            // Most names are the same objects as those before.
            RowBody::NamedUnion { names, .. } => names.find_shared(name),
            _ => None,
        };
        let added = if known.is_none() { Some(self.add_site(row_type)) } else { None };
        let RowBody::NamedUnion { names, payloads, .. } = &mut self.row_types[row_type].body else {
            return Err(bad_source("a named union"));
        };
        if let Some(site) = added {
            names.add(Arc::clone(name));
            payloads.put(site);
        }
        let number = known.unwrap_or(names.len() - 1);
        Ok((number, payloads[number]))
    }

    /// Opens an object of a named type whose fields are named one by one.
    pub(super) fn open_struct(&mut self, slot: SiteId, name: &Arc<str>) -> StructHandle {
        let row_type = self.struct_type(slot, name);
        let variant = self.variant_of_struct(slot, row_type);
        let row = self.begin_row(slot, variant, row_type);
        self.open += 1;
        StructHandle { fields: FieldCursor::new(row_type, row), slot: None, keys: None }
    }

    /// Opens an object of a named type if an earlier one had these fields.
    pub(super) fn open_known_struct<'k>(
        &mut self,
        slot: SiteId,
        name: &Arc<str>,
        keys: impl Iterator<Item = &'k str>,
    ) -> Option<RowHandle> {
        let row_type = *self.structs.get(name)?;
        let shape = self.record_mut(row_type)?.find(keys)?;
        let shape = self.row_shape(row_type, shape)?;
        self.latest_shape = Some(shape);
        let variant = self.variant_of_struct(slot, row_type);
        Some(self.open_shaped(slot, variant, shape))
    }

    #[inline]
    pub(super) fn variant_of_struct(&mut self, slot: SiteId, row_type: RowTypeId) -> usize {
        let known = self.sites[slot].of_row_type(row_type);
        known.unwrap_or_else(|| self.adopt(slot, row_type))
    }

    pub(super) fn open_wrapped(&mut self, slot: SiteId, kind: RowKind) -> Result<WrappedHandle> {
        let inside = self.begin_wrapped(slot, kind)?;
        self.open += 1;
        Ok(WrappedHandle { row: self.latest, inside, is_due: true })
    }

    /// As [`Shredder::begin_logical`]. Returns the slot of the value inside. You need not close anything.
    ///
    /// # Errors
    /// None for a valid logical type.
    #[inline]
    pub fn logical_at(&mut self, slot: usize, ty: &Arc<LogicalType>) -> Result<usize> {
        let kind = self.of_logical_type(ty);
        self.begin_wrapped(slot, kind)
    }

    /// As [`Shredder::begin_extension`]. Returns the slot of the value inside. You need not close anything.
    ///
    /// # Errors
    /// None for a valid extension.
    #[inline]
    pub fn extension_at(&mut self, slot: usize, name: &Arc<str>) -> Result<usize> {
        let kind = self.of_extension(name);
        self.begin_wrapped(slot, kind)
    }

    /// Places a variant without a payload, as [`Shredder::begin_variant`] and null do.
    ///
    /// # Errors
    /// None for a valid variant.
    pub fn unit_variant_at(&mut self, slot: usize, name: &Arc<str>) -> Result<()> {
        let mut variant = self.open_variant(slot, name)?;
        let payload = variant.next()?;
        self.open -= 1;
        self.at(payload).null();
        Ok(())
    }

    /// Begins a row of a logical type or extension. Returns the site of the value inside.
    #[inline]
    pub(super) fn begin_wrapped(&mut self, slot: SiteId, kind: RowKind) -> Result<SiteId> {
        let (variant, row_type) = self.variant(slot, kind);
        self.begin_row(slot, variant, row_type);
        match self.row_types[row_type].body {
            RowBody::Wrapped(_, inside) => Ok(inside),
            _ => Err(bad_source("a logical type or extension")),
        }
    }

    /// Places a tensor that was checked.
    pub(super) fn tensor_at(
        &mut self,
        slot: SiteId,
        tensor: TensorRef<'_>,
        shared: Option<Arc<dyn SharedBytes>>,
    ) {
        let kind = self.labelled(Label::Tensor(Arc::clone(tensor.dtype)));
        let (variant, row_type) = self.variant(slot, kind);
        self.begin_row(slot, variant, row_type);
        if let RowBody::Tensor(_, rows) = &mut self.row_types[row_type].body {
            let (shape, column_major) = (tensor.shape, tensor.column_major);
            match shared {
                Some(shared) => {
                    self.shares = true;
                    rows.append_shared(shape, column_major, shared);
                }
                None => {
                    let copy = |all: &mut Vec<u8>| all.put_slice(tensor.elements);
                    rows.append(shape.iter().copied(), column_major, copy);
                }
            }
        }
    }

    /// As [`Shredder::back_reference`].
    ///
    /// # Errors
    /// `bad_source` for a row of another shredder or root.
    pub fn back_reference_at(&mut self, slot: usize, row: Row) -> Result<()> {
        let referred = self.refer(slot, row);
        self.located(referred)
    }

    fn refer(&mut self, slot: SiteId, row: Row) -> Result<()> {
        let variant = self.referred_variant(slot, row)?;
        self.back_reference_of(slot, variant, row)
    }

    /// Returns the variant of a site for references to rows of a type; adds it if the site lacks it (F-65).
    pub(super) fn referred_variant(&mut self, slot: SiteId, row: Row) -> Result<usize> {
        self.check_row(row)?;
        let known = self.sites[slot].of_row_type(row.row_type);
        Ok(known.unwrap_or_else(|| self.adopt(slot, row.row_type)))
    }

    #[inline]
    pub(super) fn back_reference_of(
        &mut self,
        slot: SiteId,
        variant: usize,
        row: Row,
    ) -> Result<()> {
        self.check_row(row)?;
        self.row_types[row.row_type].referenced = true;
        self.sites[slot].back_reference(variant, row.row);
        Ok(())
    }

    #[inline]
    fn check_row(&self, Row { row_type, row }: Row) -> Result<()> {
        let first = self.before_root.get(row_type).copied().unwrap_or(0);
        if row < first || self.row_types.get(row_type).is_none_or(|own| row >= own.rows) {
            return Err(bad_source("a row of this value"));
        }
        Ok(())
    }
}
