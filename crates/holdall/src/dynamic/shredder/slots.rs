//! Slots for values, and the scalars placed in them.

use alloc::sync::Arc;

use super::{Handle, Row, Shredder, bad_source};
use crate::column::buffer::Buffer;
use crate::dynamic::row_types::RowKind;
use crate::dynamic::sites::{ShreddedSite, SiteId};
use crate::dynamic::variants::RowVariant;
use crate::error::Result;
use crate::memory::{self, GrowVec};
use crate::number::{IntKind, is_shortest_big};
use crate::schema::{LogicalType, Scalar};

/// A slot that is about to take a scalar.
#[must_use = "a slot has to be filled"]
pub struct Slot<'s>(pub(super) &'s mut ShreddedSite);

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
    /// `bad_source` for a number outside the range of its kind.
    #[inline]
    pub fn fixed_int(self, kind: IntKind, bits: u64) -> Result<()> {
        if !kind.holds(bits) {
            return Err(bad_source("a number of its kind"));
        }
        let is_int = kind == IntKind::I64 && self.0.widens_to_int;
        self.0.int(if is_int { IntKind::Int } else { kind }, bits);
        Ok(())
    }

    /// As [`Shredder::big_int`], for an int beyond 64 bits in the fewest bytes.
    ///
    /// # Errors
    /// `bad_source` for another.
    pub fn big_int(self, big: &[u8]) -> Result<()> {
        if !is_shortest_big(big) || IntKind::Int.bits_of_big(big).is_some() {
            return Err(bad_source("a big integer in shortest form"));
        }
        if let RowVariant::Column(Buffer::Wide(_, ints)) = self.scalar(Scalar::Int(IntKind::Int)) {
            ints.push_big(big);
        }
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
        if let RowVariant::Column(Buffer::Fixed(_, bytes)) =
            self.scalar(Scalar::Fixed(value.len() as u64))
        {
            bytes.put_slice(value);
        }
    }
}

impl<'s> Slot<'s> {
    /// Returns the column of a scalar that is about to be appended.
    #[inline]
    pub(super) fn scalar(self, scalar: Scalar) -> &'s mut RowVariant {
        self.0.scalar(scalar, 1)
    }
}

impl Shredder {
    /// Takes the slot of the next value of the event walk.
    ///
    /// # Errors
    /// `bad_source` if no value is due.
    #[inline]
    pub fn take_slot(&mut self) -> Result<usize> {
        let slot = self.slot()?;
        self.identities.clear();
        Ok(slot)
    }

    /// Returns a slot unused. The next event fills it.
    pub fn return_slot(&mut self, slot: usize) {
        self.stack.put(Handle::Slot(slot));
    }

    /// Continues an open container with events; its contents come before those of all other open containers.
    pub fn resume(&mut self, handle: impl Into<Handle>) {
        self.stack.put(handle.into());
    }

    /// Places a scalar at a slot.
    #[inline]
    pub fn at(&mut self, slot: usize) -> Slot<'_> {
        Slot(&mut self.sites[slot])
    }

    /// Takes the slot of a scalar, which has no identity.
    #[inline]
    pub(super) fn next_scalar(&mut self) -> Result<Slot<'_>> {
        let slot = self.take_slot()?;
        Ok(self.at(slot))
    }

    /// Appends several items to the open list, each a logical value stored as a 64-bit int. They cannot be shared.
    ///
    /// # Errors
    /// `bad_source` if no values are due.
    pub fn logical_ints(&mut self, ty: &Arc<LogicalType>, values: &[u64]) -> Result<()> {
        let kind = self.of_logical_type(ty);
        let Some(inside) = self.wrapped_items(kind, values.len())? else {
            return values.iter().try_for_each(|&value| {
                self.begin_logical(ty)?;
                self.int(value.cast_signed())?;
                self.end()
            });
        };
        self.sites[inside].ints(values);
        Ok(())
    }

    /// The same for an extension.
    ///
    /// # Errors
    /// `bad_source` if no values are due.
    pub fn extension_ints(&mut self, name: &Arc<str>, values: &[u64]) -> Result<()> {
        let kind = self.of_extension(name);
        let Some(inside) = self.wrapped_items(kind, values.len())? else {
            return values.iter().try_for_each(|&value| {
                self.begin_extension(name)?;
                self.int(value.cast_signed())?;
                self.end()
            });
        };
        self.sites[inside].ints(values);
        Ok(())
    }

    /// The same for an extension of variants without payloads: `which` of these, in the order of their first use, each is.
    ///
    /// # Errors
    /// `bad_source` if no values are due.
    pub fn extension_variants(
        &mut self,
        name: &Arc<str>,
        variants: &[&Arc<str>],
        which: &[u64],
    ) -> Result<()> {
        let kind = self.of_extension(name);
        let Some(inside) = self.wrapped_items(kind, which.len())? else {
            return which.iter().try_for_each(|&variant| {
                self.begin_extension(name)?;
                self.begin_variant(variants[variant as usize])?;
                self.null()?;
                self.end()?;
                self.end()
            });
        };
        let numbers = which.iter().map(|&variant| variant as usize);
        let payloads = self.variants_at(inside, variants.iter().copied(), numbers)?;
        let mut counts = memory::filled(0, variants.len());
        which.iter().for_each(|&variant| counts[variant as usize] += 1);
        for (payload, count) in payloads.into_iter().zip(counts) {
            self.sites[payload].nulls(count);
        }
        Ok(())
    }

    /// Appends several rows of a logical type or extension to the open list, if one is open and there are some. Returns the
    /// slot of the values inside.
    fn wrapped_items(&mut self, kind: RowKind, count: usize) -> Result<Option<SiteId>> {
        let Some(Handle::List(list)) = self.stack.last_mut() else { return Ok(None) };
        if count == 0 {
            return Ok(None);
        }
        let site = list.item;
        list.len += count as u64;
        self.wrapped_at(site, kind, count).map(Some)
    }

    /// Appends several items to the open list, each a reference as in [`Shredder::back_reference`].
    ///
    /// # Errors
    /// The same.
    pub fn back_references(&mut self, rows: &[Row]) -> Result<()> {
        let Some(Handle::List(list)) = self.stack.last_mut() else {
            return rows.iter().try_for_each(|row| self.back_reference(*row));
        };
        let slot = list.item;
        list.len += rows.len() as u64;
        self.identities.clear();
        let mut known = None;
        for row in rows {
            let variant = match known {
                Some((row_type, variant)) if row_type == row.row_type => variant,
                _ => self.referred_variant(slot, *row)?,
            };
            known = Some((row.row_type, variant));
            self.back_reference_of(slot, variant, *row)?;
        }
        Ok(())
    }

    /// Appends several items to the open list, as [`Shredder::string`]. Returns how many.
    ///
    /// # Errors
    /// `bad_source` if no values are due.
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
