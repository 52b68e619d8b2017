//! The shredder as a sink.

use std::sync::Arc;

use half::{bf16, f16};

use super::{Frame, KeyedMap, Open, OpenList, OpenRow, Shredder, TUPLE_ITEMS, bad_source};
use crate::dynamic::sites::{Body, Kind, Label, SiteId, Variant};
use crate::dynamic::{RowId, Sink, TensorRef};
use crate::error::{Code, Error, Result};
use crate::number::{IntKind, is_shortest_big};
use crate::schema::{LogicalType, Scalar, Shape};

impl Sink for Shredder {
    fn identify(&mut self, row: RowId) -> Result<()> {
        self.told.push(row);
        Ok(())
    }

    fn reference(&mut self, row: RowId) -> Result<()> {
        match self.known.get(&row) {
            Some(&known) => {
                self.known.extend(self.told.drain(..).map(|told| (told, known)));
                self.row_again(known)
            }
            None => {
                let error = Error::new(Code::UnsupportedValue)
                    .expected("that only values with an identity come again")
                    .got("a scalar that does");
                self.located(Err(error))
            }
        }
    }

    fn null(&mut self) -> Result<()> {
        self.scalar_site()?.null();
        Ok(())
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.scalar_site()?.bool(value);
        Ok(())
    }

    #[inline]
    fn int(&mut self, value: i64) -> Result<()> {
        self.push_int(IntKind::Int, value.cast_unsigned())
    }

    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        if !kind.holds(bits) {
            return Err(bad_source("a number of its kind"));
        }
        if kind != IntKind::I64 {
            return self.push_int(kind, bits);
        }
        let site = self.target()?;
        let kind = if self.sites[site].is_whole { IntKind::Int } else { kind };
        self.push_int_at(site, kind, bits);
        Ok(())
    }

    fn big_int(&mut self, kind: IntKind, big: &[u8]) -> Result<()> {
        if !is_shortest_big(big) || !kind.holds_big(big) {
            return Err(bad_source("a big integer of its kind in shortest form"));
        }
        match kind.bits_of_big(big) {
            Some(bits) => self.push_int(kind, bits),
            None => {
                if let Variant::Int(_, ints) = self.scalar(Scalar::Int(kind))? {
                    ints.push_big(big);
                }
                Ok(())
            }
        }
    }

    fn f16(&mut self, value: f16) -> Result<()> {
        if let Variant::F16(floats) = self.scalar(Scalar::F16)? {
            floats.push(value);
        }
        Ok(())
    }

    fn bf16(&mut self, value: bf16) -> Result<()> {
        if let Variant::Bf16(floats) = self.scalar(Scalar::Bf16)? {
            floats.push(value);
        }
        Ok(())
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        if let Variant::F32(floats) = self.scalar(Scalar::F32)? {
            floats.push(value);
        }
        Ok(())
    }

    #[inline]
    fn f64(&mut self, value: f64) -> Result<()> {
        self.scalar_site()?.f64(value);
        Ok(())
    }

    #[inline]
    fn string(&mut self, value: &str) -> Result<()> {
        self.scalar_site()?.text(Scalar::String, value.as_bytes());
        Ok(())
    }

    fn bytes(&mut self, value: &[u8]) -> Result<()> {
        self.scalar_site()?.text(Scalar::Bytes, value);
        Ok(())
    }

    fn fixed(&mut self, value: &[u8]) -> Result<()> {
        if let Variant::Fixed(_, bytes) = self.scalar(Scalar::Fixed(value.len() as u64))? {
            bytes.extend_from_slice(value);
        }
        Ok(())
    }

    fn tensor(&mut self, tensor: TensorRef<'_>) -> Result<()> {
        self.push_tensor(tensor, None)
    }

    fn shared_tensor(&mut self, tensor: TensorRef<'_>, elements: &Arc<Vec<u8>>) -> Result<()> {
        let is_it = std::ptr::eq(tensor.elements, elements.as_slice());
        self.push_tensor(tensor, is_it.then_some(elements))
    }

    fn unknown(&mut self) -> Result<()> {
        let error = Error::new(Code::UnsupportedValue)
            .expected("a value that this version knows")
            .got("one that was skipped when it was read");
        Err(self.refuse(error))
    }

    fn begin_list(&mut self, _len: usize) -> Result<()> {
        let site = self.target()?;
        let open = self.begin_list_at(site);
        self.stack.push(Open::List(open).into_frame());
        Ok(())
    }

    fn begin_array(&mut self, len: usize) -> Result<()> {
        let site = self.target()?;
        let (variant, row_type) = self.variant(site, Kind::Array(len));
        self.begin_row(site, variant, row_type);
        if let Body::Array { item, len } = self.row_types[row_type].body {
            self.stack.push(Frame::Array { item, len, left: len });
        }
        Ok(())
    }

    fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        let site = self.target()?;
        let kind = self.of_logical_type(ty);
        let inside = self.begin_wrapped(site, kind)?;
        self.stack.push(Frame::Wrapped { row: self.latest, inside: Some(inside) });
        Ok(())
    }

    fn begin_extension(&mut self, name: &Arc<str>) -> Result<()> {
        let site = self.target()?;
        let kind = self.labelled(Label::Extension(Arc::clone(name)));
        let inside = self.begin_wrapped(site, kind)?;
        self.stack.push(Frame::Wrapped { row: self.latest, inside: Some(inside) });
        Ok(())
    }

    fn begin_tuple(&mut self, len: usize) -> Result<()> {
        let site = self.target()?;
        let open = self.begin_tuple_at(site, len)?;
        self.stack.push(open.into_frame());
        Ok(())
    }

    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        self.begin_mapping(shape.keys().iter().map(|key| &**key))
    }

    fn begin_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()> {
        self.begin_open_struct(name)?;
        if let Some(Frame::Struct { keys, .. }) = self.stack.last_mut() {
            *keys = Some((Arc::clone(shape.keys()), 0));
        }
        Ok(())
    }

    fn begin_map(&mut self, _len: usize) -> Result<()> {
        let site = self.target()?;
        let (variant, row_type) = self.variant(site, Kind::Map);
        let row = self.begin_row(site, variant, row_type);
        if let Body::Map { key, value, .. } = self.row_types[row_type].body {
            self.stack.push(Frame::Map { row_type, row, key, value, len: 0, on_value: false });
        }
        Ok(())
    }

    fn begin_variant(&mut self, name: &Arc<str>) -> Result<()> {
        let site = self.target()?;
        let (variant, row_type) = self.variant(site, Kind::Choice);
        self.begin_row(site, variant, row_type);
        let known = match &self.row_types[row_type].body {
            Body::Choice { names, .. } => names.find(name),
            _ => None,
        };
        let added = if known.is_none() { Some(self.add_site(row_type)) } else { None };
        if let Body::Choice { which, names, payloads } = &mut self.row_types[row_type].body {
            if let Some(site) = added {
                names.add(Arc::clone(name));
                payloads.push(site);
            }
            let number = known.unwrap_or(names.len() - 1);
            which.push(number as u64);
            let site = payloads[number];
            self.stack.push(Frame::Choice { site, payload: Some(site) });
        }
        Ok(())
    }

    #[inline]
    fn end(&mut self) -> Result<()> {
        match self.stack.pop() {
            Some(frame) => self.end_of(frame),
            None => Err(self.misplaced_end()),
        }
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        let Some(Frame::List { item, len, .. }) = self.stack.last_mut() else {
            return values.iter().try_for_each(|&value| self.int(value.cast_signed()));
        };
        *len += values.len() as u64;
        let item = *item;
        self.ints_at(item, values);
        Ok(())
    }

    fn takes_floats(&self) -> bool {
        true
    }

    fn floats(&mut self, values: &[f64]) -> Result<()> {
        let Some(Frame::List { item, len, .. }) = self.stack.last_mut() else {
            return values.iter().try_for_each(|&value| self.f64(value));
        };
        *len += values.len() as u64;
        let item = *item;
        self.floats_at(item, values);
        Ok(())
    }
}

impl Shredder {
    fn push_tensor(&mut self, tensor: TensorRef<'_>, shared: Option<&Arc<Vec<u8>>>) -> Result<()> {
        tensor.check().map_err(|error| self.refuse(error))?;
        let site = self.target()?;
        let kind = self.labelled(Label::Tensor(Arc::clone(tensor.dtype)));
        let (variant, row_type) = self.variant(site, kind);
        self.begin_row(site, variant, row_type);
        if let Body::Tensor(_, rows) = &mut self.row_types[row_type].body {
            rows.push(tensor, shared);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn begin_list_at(&mut self, site: SiteId) -> OpenList {
        let (variant, row_type) = self.variant(site, Kind::List);
        let row = self.begin_row(site, variant, row_type);
        let item = match self.row_types[row_type].body {
            Body::List { item, .. } => item,
            _ => site,
        };
        OpenList { row_type, row, item, len: 0 }
    }

    pub(super) fn begin_tuple_at(&mut self, site: SiteId, len: usize) -> Result<Open> {
        if len > TUPLE_ITEMS {
            // F-74.
            let ty = Arc::new(LogicalType::unchecked(LogicalType::LONG_TUPLE, &[]));
            let kind = self.labelled(Label::Logical(ty));
            let storage = self.begin_wrapped(site, kind)?;
            // The identity is the tuple's, not that of its storage.
            let tuple = self.latest;
            let open = self.begin_list_at(storage);
            self.latest = tuple;
            return Ok(open.into());
        }
        let (variant, row_type) = self.variant(site, Kind::Tuple(len));
        self.begin_row(site, variant, row_type);
        let first = match self.row_types[row_type].body {
            Body::Tuple { first, .. } => first,
            _ => 0,
        };
        Ok(OpenRow::of(first, len).into())
    }

    /// Ends what a frame stands for.
    #[inline]
    pub(super) fn end_of(&mut self, frame: Frame) -> Result<()> {
        match frame {
            Frame::Members { next, end, .. } if next == end => Ok(()),
            Frame::List { row_type, row, len, .. }
            | Frame::Map { row_type, row, len, on_value: false, .. } => {
                self.row_types[row_type].end(row, len);
                Ok(())
            }
            frame => self.end_of_other(frame),
        }
    }

    fn end_of_other(&mut self, frame: Frame) -> Result<()> {
        match frame {
            Frame::KeyedMap(KeyedMap { row_type, row, len, keys, .. }) if keys.len() == 0 => {
                self.row_types[row_type].end(row, len);
                Ok(())
            }
            Frame::Struct { row_type, row, state, site: None, keys }
                if keys.as_ref().is_none_or(|(keys, next)| keys.len() == *next) =>
            {
                self.end_struct(row_type, row, state);
                Ok(())
            }
            Frame::Choice { payload: None, .. }
            | Frame::Array { left: 0, .. }
            | Frame::Wrapped { inside: None, .. } => Ok(()),
            _ => Err(self.misplaced_end()),
        }
    }

    #[cold]
    fn misplaced_end(&mut self) -> Error {
        self.failed = true;
        bad_source("an end after all contents of what was begun")
    }

    #[inline]
    pub(super) fn ints_at(&mut self, site: SiteId, values: &[u64]) {
        if !values.is_empty() {
            let column = self.sites[site].scalar(Scalar::Int(IntKind::Int), values.len());
            if let Variant::Int(_, ints) = column {
                ints.values.extend_from_slice(values);
            }
        }
    }

    #[inline]
    pub(super) fn floats_at(&mut self, site: SiteId, values: &[f64]) {
        if !values.is_empty() {
            let column = self.sites[site].scalar(Scalar::F64, values.len());
            if let Variant::F64(floats) = column {
                floats.extend_from_slice(values);
            }
        }
    }
}
