//! Slots: where values go, and scalars that are placed there.

use std::sync::Arc;

use super::{Handle, Row, Shredder, bad_source};
use crate::dynamic::sites::Site;
use crate::dynamic::variants::Variant;
use crate::error::Result;
use crate::number::IntKind;
use crate::schema::{LogicalType, Scalar};

/// A slot that takes a scalar.
#[must_use = "a slot has to be filled"]
pub struct Slot<'s>(&'s mut Site);

impl Slot<'_> {
    /// As [`Shredder::null`].
    #[inline]
    pub fn null(self) {
        self.0.null();
    }

    /// As [`Shredder::bool`].
    #[inline]
    pub fn bool(self, value: bool) {
        self.0.bool(value);
    }

    /// As [`Shredder::int`].
    #[inline]
    pub fn int(self, value: i64) {
        self.0.int(IntKind::Int, value.cast_unsigned());
    }

    /// As [`Shredder::fixed_int`].
    ///
    /// # Errors
    /// `bad_source` for a number that is none of its kind.
    #[inline]
    pub fn fixed_int(self, kind: IntKind, bits: u64) -> Result<()> {
        if !kind.holds(bits) {
            return Err(bad_source("a number of its kind"));
        }
        let is_int = kind == IntKind::I64 && self.0.widens_to_int;
        self.0.int(if is_int { IntKind::Int } else { kind }, bits);
        Ok(())
    }

    /// As [`Shredder::f64`].
    #[inline]
    pub fn f64(self, value: f64) {
        self.0.f64(value);
    }

    /// As [`Shredder::string`].
    #[inline]
    pub fn string(self, value: &str) {
        self.0.text(Scalar::String, value.as_bytes());
    }

    /// As [`Shredder::bytes`].
    #[inline]
    pub fn bytes(self, value: &[u8]) {
        self.0.text(Scalar::Bytes, value);
    }

    /// As [`Shredder::fixed`].
    #[inline]
    pub fn fixed(self, value: &[u8]) {
        if let Variant::Fixed(_, bytes) = self.scalar(Scalar::Fixed(value.len() as u64)) {
            bytes.extend_from_slice(value);
        }
    }
}

impl<'s> Slot<'s> {
    /// The column of a scalar that is about to be appended.
    #[inline]
    pub(super) fn scalar(self, scalar: Scalar) -> &'s mut Variant {
        self.0.scalar(scalar, 1)
    }
}

impl Shredder {
    /// Takes the slot of the value that comes next by events.
    ///
    /// # Errors
    /// `bad_source` if no value is due here.
    #[inline]
    pub fn take_slot(&mut self) -> Result<usize> {
        let slot = self.slot()?;
        self.identities.clear();
        Ok(slot)
    }

    /// The value at a slot comes by events after all, as the next one.
    pub fn return_slot(&mut self, slot: usize) {
        self.stack.push(Handle::Slot(slot));
    }

    /// What is left of a container comes by events, before all that comes next so far.
    pub fn resume(&mut self, handle: impl Into<Handle>) {
        self.stack.push(handle.into());
    }

    /// Where a scalar is placed.
    #[inline]
    pub fn at(&mut self, slot: usize) -> Slot<'_> {
        Slot(&mut self.sites[slot])
    }

    /// The slot of the scalar that comes next. It has no identity.
    #[inline]
    pub(super) fn next_scalar(&mut self) -> Result<Slot<'_>> {
        let slot = self.take_slot()?;
        Ok(self.at(slot))
    }

    /// Several items of the list that is begun, each a logical value whose storage is an int of 64 bits. None of them can be shared.
    ///
    /// # Errors
    /// `bad_source` where no values are due.
    pub fn logical_ints(&mut self, ty: &Arc<LogicalType>, values: &[u64]) -> Result<()> {
        let Some(Handle::List(list)) = self.stack.last_mut() else {
            return values.iter().try_for_each(|&value| {
                self.begin_logical(ty)?;
                self.int(value.cast_signed())?;
                self.end()
            });
        };
        let (site, Some(more)) = (list.item, values.len().checked_sub(1)) else { return Ok(()) };
        list.len += values.len() as u64;
        self.identities.clear();
        let inside = self.logical_at(site, ty)?;
        let kind = self.of_logical_type(ty);
        let (variant, row_type) = self.variant(site, kind);
        self.sites[site].rows(variant, more);
        self.row_types[row_type].rows += more;
        self.latest = Some(Row { row_type, row: self.row_types[row_type].rows - 1 });
        self.sites[inside].ints(values);
        Ok(())
    }

    /// Several items of the list that is begun, as [`Shredder::string`]; returns how many.
    ///
    /// # Errors
    /// `bad_source` where no values are due.
    pub fn strings<'t>(&mut self, mut values: impl Iterator<Item = &'t str>) -> Result<usize> {
        let Some(Handle::List(list)) = self.stack.last_mut() else {
            return values.try_fold(0, |count, value| self.string(value).map(|()| count + 1));
        };
        let count = self.sites[list.item].texts(Scalar::String, values.map(str::as_bytes));
        list.len += count as u64;
        self.identities.clear();
        Ok(count)
    }
}
