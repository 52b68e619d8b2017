//! The shredder as a sink.

use std::sync::Arc;

use super::{Frame, Shredder, TUPLE_ITEMS, bad_source};
use crate::dynamic::sites::{Body, Kind, Variant};
use crate::dynamic::{RowId, Shape, Sink};
use crate::error::{Code, Error, Result};
use crate::number::{IntKind, is_shortest_big};
use crate::schema::Scalar;

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
                    .expected("that only lists, tuples, mappings, structs and variants come again")
                    .got("a scalar that does");
                self.located(Err(error))
            }
        }
    }

    fn null(&mut self) -> Result<()> {
        self.told.clear();
        let site = self.target()?;
        self.sites[site].null();
        Ok(())
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        if let Variant::Bool(bits) = self.scalar(Scalar::Bool)? {
            bits.push(value);
        }
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
        self.push_int(kind, bits)
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

    fn f32(&mut self, value: f32) -> Result<()> {
        if let Variant::F32(floats) = self.scalar(Scalar::F32)? {
            floats.push(value);
        }
        Ok(())
    }

    #[inline]
    fn f64(&mut self, value: f64) -> Result<()> {
        if let Variant::F64(floats) = self.scalar(Scalar::F64)? {
            floats.push(value);
        }
        Ok(())
    }

    #[inline]
    fn string(&mut self, value: &str) -> Result<()> {
        let site = self.target()?;
        self.push_text(site, Scalar::String, value.as_bytes());
        Ok(())
    }

    fn bytes(&mut self, value: &[u8]) -> Result<()> {
        let site = self.target()?;
        self.push_text(site, Scalar::Bytes, value);
        Ok(())
    }

    fn begin_list(&mut self, _len: usize) -> Result<()> {
        let site = self.target()?;
        let (variant, row_type) = self.variant(site, Kind::List);
        let row = self.begin_row(site, variant, row_type);
        if let Body::List { item, .. } = self.row_types[row_type].body {
            self.stack.push(Frame::List { row_type, row, item, len: 0 });
        }
        Ok(())
    }

    fn begin_tuple(&mut self, len: usize) -> Result<()> {
        let site = self.target()?;
        if len > TUPLE_ITEMS {
            let error = Error::new(Code::UnsupportedValue)
                .expected(format!("a tuple of at most {TUPLE_ITEMS} items"))
                .got(len.to_string());
            return self.located(Err(error));
        }
        let (variant, row_type) = self.variant(site, Kind::Tuple(len));
        self.begin_row(site, variant, row_type);
        if let Body::Tuple { first, len } = self.row_types[row_type].body {
            self.stack.push(Frame::Members { next: first, first, end: first + len });
        }
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
            Some(
                Frame::List { row_type, row, len, .. }
                | Frame::Map { row_type, row, len, on_value: false, .. },
            ) => {
                self.row_types[row_type].end(row, len);
                Ok(())
            }
            Some(Frame::Members { next, end, .. }) if next == end => Ok(()),
            Some(Frame::KeyedMap { row_type, row, len, keys, .. }) if keys.len() == 0 => {
                self.row_types[row_type].end(row, len);
                Ok(())
            }
            Some(Frame::Struct { row_type, row, state, site: None, keys })
                if keys.as_ref().is_none_or(|(keys, next)| keys.len() == *next) =>
            {
                self.end_struct(row_type, row, state);
                Ok(())
            }
            Some(Frame::Choice { payload: None, .. }) => Ok(()),
            _ => {
                self.failed = true;
                Err(bad_source("an end after all contents of what was begun"))
            }
        }
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        let Some(Frame::List { item, len, .. }) = self.stack.last_mut() else {
            return values.iter().try_for_each(|&value| self.int(value.cast_signed()));
        };
        if !values.is_empty() {
            *len += values.len() as u64;
            let column = self.sites[*item].scalar(Scalar::Int(IntKind::Int), values.len());
            if let Variant::Int(_, ints) = column {
                ints.values.extend_from_slice(values);
            }
        }
        Ok(())
    }
}
