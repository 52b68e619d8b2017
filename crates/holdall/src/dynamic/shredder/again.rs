//! Rows with the fields of one before: begun without a look at names.

use super::{Frame, Row, Shredder, bad_source};
use crate::dynamic::sites::{Body, Kind, RowTypeId, Site, SiteId};
use crate::error::Result;
use crate::number::{IntKind, is_shortest_big};
use crate::schema::Scalar;

/// The fields of a mapping or object that was told, in their order, and the type that its rows have.
///
/// A source that knows by other means than their names that the next mapping has the same fields (the keys are the same
/// objects, say) tells it by [`Shredder::begin_again`].
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

    /// A number for the place of the value that comes next: values of one place, such as the items of a list, have the
    /// same. `None` where there is no cheap way to know.
    #[inline]
    #[must_use]
    pub fn next_place(&self) -> Option<usize> {
        match self.stack.last() {
            Some(Frame::List { item, .. }) => Some(*item),
            Some(Frame::Members { next, end, .. }) if next < end => Some(self.members[*next]),
            Some(Frame::Map { key, value, on_value, .. }) => {
                Some(if *on_value { *value } else { *key })
            }
            None if !self.begun => Some(0),
            _ => None,
        }
    }

    /// Begins a mapping or object with the fields of one before, as [`Shredder::begin_mapping`] would, or
    /// [`Shredder::begin_open_struct`] with their names: one value for each field follows, then [`Sink::end`](crate::Sink::end).
    ///
    /// `false` if nothing was begun: in this place, such a mapping has to be told with its keys.
    ///
    /// # Errors
    /// `bad_source` if no value is due here.
    #[inline]
    pub fn begin_again(&mut self, shape: RowShape) -> Result<bool> {
        let Some(site) = self.next_place() else { return Ok(false) };
        let Some(variant) = self.variant_of(site, shape) else { return Ok(false) };
        let site = self.target()?;
        self.begin_shaped(site, variant, shape);
        Ok(true)
    }

    /// The variant of a site to which a mapping or object with these fields goes, if it is there already.
    #[inline]
    fn variant_of(&self, site: SiteId, shape: RowShape) -> Option<usize> {
        if shape.is_struct {
            return self.sites[site].of_row_type(shape.row_type);
        }
        // A mapping goes to the first record of its place (F-49).
        let (variant, row_type) = self.sites[site].of_kind(Kind::Record)?;
        (row_type == shape.row_type).then_some(variant)
    }

    /// As [`Shredder::begin_again`] for so many items of a list, all of whose fields are scalars: those are told field by
    /// field, and [`SeveralRows::end`] ends them all.
    ///
    /// `None` if nothing was begun.
    pub fn begin_several(&mut self, shape: RowShape, rows: usize) -> Option<SeveralRows<'_>> {
        let Some(Frame::List { item, .. }) = self.stack.last() else { return None };
        let site = *item;
        let variant = self.variant_of(site, shape)?;
        if let Some(Frame::List { len, .. }) = self.stack.last_mut() {
            *len += rows as u64;
        }
        self.told.clear();
        self.sites[site].several_rows(variant, rows);
        let first = self.row_types[shape.row_type].begin_several(rows);
        if let Some(record) = self.record_mut(shape.row_type) {
            (first..first + rows).for_each(|row| record.set_shape(row, shape.shape));
        }
        self.latest = Some(Row { row_type: shape.row_type, row: first + rows - 1 });
        let fields = &self.members[shape.first..shape.first + shape.len];
        self.before.clear();
        self.before.extend(fields.iter().map(|&site| self.sites[site].rows()));
        Some(SeveralRows { shredder: self, shape, rows })
    }

    /// Begins a row of which all fields are known.
    #[inline]
    pub(super) fn begin_shaped(&mut self, site: SiteId, variant: usize, shape: RowShape) {
        let RowShape { row_type, shape, first, len, .. } = shape;
        let row = self.begin_row(site, variant, row_type);
        if let Some(record) = self.record_mut(row_type) {
            record.set_shape(row, shape);
        }
        self.stack.push(Frame::Members { next: first, first, end: first + len });
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

/// Rows that were begun together.
pub struct SeveralRows<'s> {
    shredder: &'s mut Shredder,
    shape: RowShape,
    rows: usize,
}

impl SeveralRows<'_> {
    /// One of the fields, by its place among the shape's.
    ///
    /// # Panics
    /// If there is no such field.
    #[inline]
    pub fn field(&mut self, field: usize) -> FieldRows<'_> {
        assert!(field < self.shape.len, "a field of the shape");
        let site = self.shredder.members[self.shape.first + field];
        FieldRows(&mut self.shredder.sites[site])
    }

    /// Ends the rows.
    ///
    /// # Errors
    /// `bad_source` if not every field got a value for each row.
    pub fn end(self) -> Result<()> {
        let RowShape { first, len, .. } = self.shape;
        let fields = &self.shredder.members[first..first + len];
        let mut counts = fields.iter().zip(&self.shredder.before);
        if counts.all(|(&site, before)| self.shredder.sites[site].rows() == before + self.rows) {
            return Ok(());
        }
        self.shredder.failed = true;
        Err(bad_source("one value of each field for each row"))
    }
}

/// The values of one field, row by row.
pub struct FieldRows<'s>(&'s mut Site);

impl FieldRows<'_> {
    /// As [`Sink::null`](crate::Sink::null).
    pub fn null(&mut self) {
        self.0.null();
    }

    /// As [`Sink::bool`](crate::Sink::bool).
    #[inline]
    pub fn bool(&mut self, value: bool) {
        self.0.bool(value);
    }

    /// As [`Sink::int`](crate::Sink::int).
    #[inline]
    pub fn int(&mut self, value: i64) {
        self.0.int(IntKind::Int, value.cast_unsigned());
    }

    /// As [`Sink::big_int`](crate::Sink::big_int) of type int.
    ///
    /// # Errors
    /// `bad_source` if it is not in shortest form, or fits 64 bits.
    pub fn big_int(&mut self, big: &[u8]) -> Result<()> {
        if !is_shortest_big(big) || IntKind::Int.bits_of_big(big).is_some() {
            return Err(bad_source("a big integer in shortest form"));
        }
        self.0.big_int(big);
        Ok(())
    }

    /// As [`Sink::f64`](crate::Sink::f64).
    #[inline]
    pub fn f64(&mut self, value: f64) {
        self.0.f64(value);
    }

    /// As [`Sink::string`](crate::Sink::string).
    #[inline]
    pub fn string(&mut self, value: &str) {
        self.0.text(Scalar::String, value.as_bytes());
    }

    /// As [`Sink::bytes`](crate::Sink::bytes).
    #[inline]
    pub fn bytes(&mut self, value: &[u8]) {
        self.0.text(Scalar::Bytes, value);
    }
}
