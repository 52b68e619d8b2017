//! The shredder as a sink: events are an adapter over a stack of handles.

use alloc::sync::Arc;
use core::ptr;

use half::{bf16, f16};

use super::handles::Container;
use super::{Handle, Shredder, bad_source};
use crate::column::buffer::Buffer;
use crate::column::pieces::SharedBytes;
use crate::dynamic::sites::SiteId;
use crate::dynamic::variants::RowVariant;
use crate::dynamic::{Event, RowId, Sink, TensorRef};
use crate::error::{Code, Error, Result};
use crate::memory::{GrowMap, GrowVec};
use crate::number::{IntKind, is_shortest_big};
use crate::schema::{DType, LogicalType, Scalar, Shape};

impl Sink for Shredder {
    // Each caller names one event, so inlining reduces the match to one call.
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => self.null(),
            Event::Bool(value) => self.bool(value),
            Event::Int(value) => self.int(value),
            Event::FixedInt(kind, bits) => self.fixed_int(kind, bits),
            Event::BigInt(kind, big) => self.big_int(kind, big),
            Event::F16(value) => self.f16(value),
            Event::Bf16(value) => self.bf16(value),
            Event::F32(value) => self.f32(value),
            Event::F64(value) => self.f64(value),
            Event::String(value) => self.string(value),
            Event::Bytes(value) => self.bytes(value),
            Event::Fixed(value) => self.fixed(value),
            Event::Tensor(tensor, elements) => {
                let shared = elements.filter(|all| ptr::eq(tensor.elements, all.as_slice()));
                self.push_tensor(tensor, shared.map(|all| Arc::clone(all) as Arc<dyn SharedBytes>))
            }
            Event::Unknown => self.unknown(),
            Event::List(len) => self.begin_list(len),
            Event::Tuple(len) => self.begin_tuple(len),
            Event::Array(len) => self.begin_array(len),
            Event::Map(len) => self.begin_map(len),
            Event::Record(shape) => self.begin_record(shape),
            Event::Struct(name, shape) => self.begin_struct(name, shape),
            Event::Variant(name) => self.begin_variant(name),
            Event::Logical(ty) => self.begin_logical(ty),
            Event::Extension(name) => self.begin_extension(name),
            Event::End => self.end(),
            Event::Identity(row) => {
                self.identities.put(row);
                Ok(())
            }
            Event::Reference(row) => self.reference(row),
            Event::Choice(_) => Ok(()),
        }
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        Shredder::ints(self, values)
    }

    fn takes_floats(&self) -> bool {
        true
    }

    fn floats(&mut self, values: &[f64]) -> Result<()> {
        Shredder::floats(self, values)
    }
}

/// Each method takes the [`Event`] of its name.
#[allow(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "each is named after the value that it takes; all fail alike"
)]
impl Shredder {
    fn reference(&mut self, row: RowId) -> Result<()> {
        match self.identified.get(&row) {
            Some(&known) => {
                self.identified.put_each(self.identities.drain(..).map(|own| (own, known)));
                self.back_reference(known)
            }
            None => {
                let error = Error::new(Code::UnsupportedValue)
                    .expected("back-references only to values with an identity")
                    .got("a scalar that does");
                self.located(Err(error))
            }
        }
    }

    pub fn null(&mut self) -> Result<()> {
        self.next_scalar()?.null();
        Ok(())
    }

    pub fn bool(&mut self, value: bool) -> Result<()> {
        self.next_scalar()?.bool(value);
        Ok(())
    }

    #[inline(always)]
    pub fn int(&mut self, value: i64) -> Result<()> {
        self.next_scalar()?.int(value);
        Ok(())
    }

    pub fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        // Checked before taking the slot, so that a rejected value leaves it free.
        if !kind.holds(bits) {
            return Err(bad_source("a number of its kind"));
        }
        self.next_scalar()?.fixed_int(kind, bits)
    }

    pub fn big_int(&mut self, kind: IntKind, big: &[u8]) -> Result<()> {
        if !is_shortest_big(big) || !kind.holds_big(big) {
            return Err(bad_source("a big integer of its kind in shortest form"));
        }
        match kind.bits_of_big(big) {
            Some(bits) => self.fixed_int(kind, bits),
            None => {
                if let RowVariant::Column(Buffer::Wide(_, ints)) =
                    self.next_scalar()?.scalar(Scalar::Int(kind))
                {
                    ints.push_big(big);
                }
                Ok(())
            }
        }
    }

    pub fn f16(&mut self, value: f16) -> Result<()> {
        if let RowVariant::Column(Buffer::F16(floats)) = self.next_scalar()?.scalar(Scalar::F16) {
            floats.put(value);
        }
        Ok(())
    }

    pub fn bf16(&mut self, value: bf16) -> Result<()> {
        if let RowVariant::Column(Buffer::Bf16(floats)) = self.next_scalar()?.scalar(Scalar::Bf16) {
            floats.put(value);
        }
        Ok(())
    }

    pub fn f32(&mut self, value: f32) -> Result<()> {
        if let RowVariant::Column(Buffer::F32(floats)) = self.next_scalar()?.scalar(Scalar::F32) {
            floats.put(value);
        }
        Ok(())
    }

    #[inline(always)]
    pub fn f64(&mut self, value: f64) -> Result<()> {
        self.next_scalar()?.f64(value);
        Ok(())
    }

    #[inline]
    pub fn string(&mut self, value: &str) -> Result<()> {
        self.next_scalar()?.string(value);
        Ok(())
    }

    pub fn bytes(&mut self, value: &[u8]) -> Result<()> {
        self.next_scalar()?.bytes(value);
        Ok(())
    }

    pub fn fixed(&mut self, value: &[u8]) -> Result<()> {
        self.next_scalar()?.fixed(value);
        Ok(())
    }

    pub fn tensor(&mut self, tensor: TensorRef<'_>) -> Result<()> {
        self.push_tensor(tensor, None)
    }

    /// As [`Shredder::tensor`], of elements that stay as they are until the message is written; then they need no copy.
    ///
    /// # Errors
    /// The same.
    pub fn tensor_of(
        &mut self,
        dtype: &Arc<DType>,
        shape: &[u64],
        column_major: bool,
        elements: Arc<dyn SharedBytes>,
    ) -> Result<()> {
        let bytes = (*elements).as_ref();
        let tensor = TensorRef { dtype, shape, column_major, elements: bytes };
        self.push_tensor(tensor, Some(Arc::clone(&elements)))
    }

    pub fn unknown(&mut self) -> Result<()> {
        let error = Error::new(Code::UnsupportedValue)
            .expected("a value that this version knows")
            .got("one that was skipped when it was read");
        Err(self.refuse(error))
    }

    pub fn begin_list(&mut self, _len: usize) -> Result<()> {
        let slot = self.slot()?;
        let list = self.open_list(slot);
        self.stack.put(list.into());
        Ok(())
    }

    pub fn begin_array(&mut self, len: usize) -> Result<()> {
        let slot = self.slot()?;
        let array = self.open_array(slot, len)?;
        self.stack.put(array.into());
        Ok(())
    }

    pub fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        let slot = self.slot()?;
        let kind = self.of_logical_type(ty);
        let wrapped = self.open_wrapped(slot, kind)?;
        self.stack.put(wrapped.into());
        Ok(())
    }

    pub fn begin_extension(&mut self, name: &Arc<str>) -> Result<()> {
        let slot = self.slot()?;
        let kind = self.of_extension(name);
        let wrapped = self.open_wrapped(slot, kind)?;
        self.stack.put(wrapped.into());
        Ok(())
    }

    pub fn begin_tuple(&mut self, len: usize) -> Result<()> {
        let slot = self.slot()?;
        let tuple = self.open_tuple(slot, len)?;
        self.stack.put(tuple);
        Ok(())
    }

    pub fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        self.begin_mapping(shape.keys().iter().map(|key| &**key))
    }

    pub fn begin_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()> {
        let slot = self.slot()?;
        let keys = shape.keys();
        if let Some(row) = self.open_known_struct(slot, name, keys.iter().map(|key| &**key)) {
            self.stack.put(row.into());
            return Ok(());
        }
        let mut handle = self.open_struct(slot, name);
        handle.keys = Some((Arc::clone(keys), 0));
        self.stack.put(handle.into());
        Ok(())
    }

    pub fn begin_map(&mut self, _len: usize) -> Result<()> {
        let slot = self.slot()?;
        let map = self.open_map(slot)?;
        self.stack.put(map.into());
        Ok(())
    }

    pub fn begin_variant(&mut self, name: &Arc<str>) -> Result<()> {
        let slot = self.slot()?;
        let variant = self.open_variant(slot, name)?;
        self.stack.put(variant.into());
        Ok(())
    }

    #[inline]
    pub fn end(&mut self) -> Result<()> {
        match self.stack.pop() {
            Some(handle) => handle.close(self),
            None => Err(self.incomplete()),
        }
    }

    pub fn ints(&mut self, values: &[u64]) -> Result<()> {
        let Some(Handle::List(list)) = self.stack.last_mut() else {
            return values.iter().try_for_each(|&value| self.int(value.cast_signed()));
        };
        list.len += values.len() as u64;
        self.sites[list.item].ints(values);
        Ok(())
    }

    pub fn floats(&mut self, values: &[f64]) -> Result<()> {
        let Some(Handle::List(list)) = self.stack.last_mut() else {
            return values.iter().try_for_each(|&value| self.f64(value));
        };
        list.len += values.len() as u64;
        self.sites[list.item].floats(values);
        Ok(())
    }
}

impl Shredder {
    fn push_tensor(
        &mut self,
        tensor: TensorRef<'_>,
        shared: Option<Arc<dyn SharedBytes>>,
    ) -> Result<()> {
        tensor.check().map_err(|error| self.refuse(error))?;
        let slot = self.slot()?;
        self.tensor_at(slot, tensor, shared);
        Ok(())
    }

    /// Takes the slot of the next value.
    #[inline]
    pub(super) fn slot(&mut self) -> Result<SiteId> {
        match self.stack.last_mut() {
            Some(Handle::List(list)) => Ok(list.next()),
            Some(Handle::Row(row)) => row.next(&self.members),
            _ => self.slot_elsewhere(),
        }
    }

    fn slot_elsewhere(&mut self) -> Result<SiteId> {
        let Some(handle) = self.stack.last_mut() else {
            if core::mem::replace(&mut self.begun, true) {
                return Err(bad_source("one value"));
            }
            return Ok(0);
        };
        match handle {
            Handle::List(list) => Ok(list.next()),
            Handle::Row(row) => row.next(&self.members),
            Handle::Map(map) => Ok(map.next()),
            Handle::KeyedMap(map) => map.next(&mut self.sites),
            Handle::Struct(of) => match of.slot.take() {
                Some(slot) => Ok(slot),
                None => {
                    let name = of.next_key()?;
                    self.next_field(&name)
                }
            },
            Handle::Array(array) => array.next(),
            Handle::Variant(variant) => variant.next(),
            Handle::Wrapped(wrapped) => wrapped.next(),
            &mut Handle::Slot(slot) => {
                self.stack.pop();
                Ok(slot)
            }
        }
    }

    /// Begins a mapping with string keys, passing all keys at once. One value for each key follows, in the same order, then
    /// [`Shredder::end`].
    ///
    /// # Errors
    /// `duplicate_key`.
    pub fn begin_mapping<'a>(&mut self, keys: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
        self.latest_shape = None;
        let slot = self.slot()?;
        let handle = self.open_mapping(slot, keys)?;
        self.stack.put(handle);
        Ok(())
    }
}
