//! Values told to their places.
//!
//! A source that walks by functions which call each other keeps the containers that it is in itself, each as an [`Open`], and tells values
//! to the places that these have. It comes to the same as events, and costs less for each value. What is open can be put back at
//! any time, the outermost first; then the rest comes by events.

use std::sync::Arc;

use super::{Frame, KeyedMap, Row, RowShape, Shredder, bad_source};
use crate::dynamic::Sink;
use crate::dynamic::sites::{RowTypeId, SiteId, Variant};
use crate::error::Result;
use crate::number::IntKind;
use crate::schema::{LogicalType, Scalar};

/// A container that was begun in a place, and is neither ended nor put back.
pub trait Opened: Into<Open> {
    /// Takes the place of the next value in it. That is told by one of the functions that take a place, or given back by
    /// [`Shredder::give_back`].
    ///
    /// # Errors
    /// `bad_source` if it has no more.
    fn place(&mut self, shredder: &mut Shredder) -> Result<usize>;

    /// Ends it.
    ///
    /// # Errors
    /// `bad_source` if values are missing.
    fn close(self, shredder: &mut Shredder) -> Result<()>;
}

/// Any of them.
#[must_use = "what is open has to be closed or put back"]
pub enum Open {
    /// A list, or a tuple of many items.
    List(OpenList),
    /// A record, object or tuple.
    Row(OpenRow),
    /// A mapping that is a map.
    Map(OpenMap),
}

/// A list that is open.
#[must_use = "what is open has to be closed or put back"]
pub struct OpenList {
    pub(super) row_type: RowTypeId,
    pub(super) row: usize,
    pub(super) item: SiteId,
    pub(super) len: u64,
}

/// A record, object or tuple that is open.
#[must_use = "what is open has to be closed or put back"]
pub struct OpenRow {
    next: usize,
    first: usize,
    end: usize,
}

impl OpenRow {
    /// One whose fields or items are so many of the shredder's members.
    pub(super) fn of(first: usize, len: usize) -> OpenRow {
        OpenRow { next: first, first, end: first + len }
    }
}

/// A mapping that is open and became a map.
#[must_use = "what is open has to be closed or put back"]
pub struct OpenMap(pub(super) KeyedMap);

impl From<OpenList> for Open {
    fn from(list: OpenList) -> Open {
        Open::List(list)
    }
}

impl From<OpenRow> for Open {
    fn from(row: OpenRow) -> Open {
        Open::Row(row)
    }
}

impl From<OpenMap> for Open {
    fn from(map: OpenMap) -> Open {
        Open::Map(map)
    }
}

impl Opened for OpenRow {
    #[inline]
    fn place(&mut self, shredder: &mut Shredder) -> Result<usize> {
        if self.next < self.end {
            self.next += 1;
            return Ok(shredder.members[self.next - 1]);
        }
        Err(bad_source("one value for each field or item"))
    }

    #[inline]
    fn close(self, shredder: &mut Shredder) -> Result<()> {
        if self.next < self.end {
            shredder.failed = true;
            return Err(bad_source("one value for each field or item"));
        }
        shredder.opened -= 1;
        Ok(())
    }
}

impl Opened for OpenList {
    #[inline]
    fn place(&mut self, _: &mut Shredder) -> Result<usize> {
        self.len += 1;
        Ok(self.item)
    }

    #[inline]
    fn close(self, shredder: &mut Shredder) -> Result<()> {
        shredder.opened -= 1;
        shredder.row_types[self.row_type].end(self.row, self.len);
        Ok(())
    }
}

impl Opened for OpenMap {
    fn place(&mut self, shredder: &mut Shredder) -> Result<usize> {
        self.0.next(&mut shredder.sites)
    }

    fn close(self, shredder: &mut Shredder) -> Result<()> {
        shredder.opened -= 1;
        shredder.end_of(Frame::KeyedMap(self.0))
    }
}

impl Opened for Open {
    #[inline]
    fn place(&mut self, shredder: &mut Shredder) -> Result<usize> {
        match self {
            Open::List(list) => list.place(shredder),
            Open::Row(row) => row.place(shredder),
            Open::Map(map) => map.place(shredder),
        }
    }

    #[inline]
    fn close(self, shredder: &mut Shredder) -> Result<()> {
        match self {
            Open::List(list) => list.close(shredder),
            Open::Row(row) => row.close(shredder),
            Open::Map(map) => map.close(shredder),
        }
    }
}

impl OpenList {
    /// Several items, as [`Sink::ints`](crate::Sink::ints).
    pub fn ints(&mut self, shredder: &mut Shredder, values: &[u64]) {
        self.len += values.len() as u64;
        shredder.ints_at(self.item, values);
    }

    /// Several items, as [`Sink::floats`](crate::Sink::floats).
    pub fn floats(&mut self, shredder: &mut Shredder, values: &[f64]) {
        self.len += values.len() as u64;
        shredder.floats_at(self.item, values);
    }
}

impl Open {
    /// What stands for it where the rest comes by events.
    pub(super) fn into_frame(self) -> Frame {
        match self {
            Open::List(OpenList { row_type, row, item, len }) => {
                Frame::List { row_type, row, item, len }
            }
            Open::Row(OpenRow { next, first, end }) => Frame::Members { next, first, end },
            Open::Map(OpenMap(map)) => Frame::KeyedMap(map),
        }
    }
}

impl Shredder {
    /// Takes the place of the value that comes now, as [`Opened::place`] does of one in a container.
    ///
    /// # Errors
    /// `bad_source` if no value is due here.
    #[inline]
    pub fn take_place(&mut self) -> Result<usize> {
        let place = self.target()?;
        self.told.clear();
        Ok(place)
    }

    /// The value at a place comes by events after all, as the next one.
    pub fn give_back(&mut self, place: usize) {
        self.stack.push(Frame::Given(place));
    }

    /// What is left of a container comes by events, before all that comes next so far.
    pub fn put_back(&mut self, open: Open) {
        self.opened -= 1;
        self.stack.push(open.into_frame());
    }

    /// As [`Sink::begin_list`](crate::Sink::begin_list).
    #[inline]
    pub fn open_list(&mut self, place: usize) -> OpenList {
        self.opened += 1;
        self.begin_list_at(place)
    }

    /// As [`Sink::begin_tuple`](crate::Sink::begin_tuple).
    ///
    /// # Errors
    /// None of a tuple that the format has.
    pub fn open_tuple(&mut self, place: usize, len: usize) -> Result<Open> {
        let open = self.begin_tuple_at(place, len)?;
        self.opened += 1;
        Ok(open)
    }

    /// As [`Shredder::begin_again`]; `None` if nothing was begun.
    #[inline]
    pub fn open_again(&mut self, place: usize, shape: RowShape) -> Option<OpenRow> {
        let variant = self.variant_of(place, shape)?;
        self.begin_shaped(place, variant, shape);
        self.opened += 1;
        Some(shape.open())
    }

    /// As [`Shredder::begin_mapping`].
    ///
    /// # Errors
    /// `duplicate_key`.
    pub fn open_mapping<'a>(
        &mut self,
        place: usize,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Open> {
        self.latest_shape = None;
        let begun = self.begin_mapping_at(place, keys);
        let open = self.located(begun)?;
        self.opened += 1;
        Ok(open)
    }

    /// As [`Sink::begin_logical`](crate::Sink::begin_logical); answers the place of the one value inside, and there is nothing to close.
    ///
    /// # Errors
    /// None of a logical type.
    #[inline]
    pub fn logical_at(&mut self, place: usize, ty: &Arc<LogicalType>) -> Result<usize> {
        let kind = self.of_logical_type(ty);
        self.begin_wrapped(place, kind)
    }

    /// Several items of the list that is begun, each a logical value whose storage is an int of 64 bits. None of them can come again.
    ///
    /// # Errors
    /// `bad_source` where no values are due.
    pub fn logical_ints(&mut self, ty: &Arc<LogicalType>, values: &[u64]) -> Result<()> {
        let Some(Frame::List { item, len, .. }) = self.stack.last_mut() else {
            return values.iter().try_for_each(|&value| {
                self.begin_logical(ty)?;
                self.int(value.cast_signed())?;
                self.end()
            });
        };
        let (site, Some(more)) = (*item, values.len().checked_sub(1)) else { return Ok(()) };
        *len += values.len() as u64;
        self.told.clear();
        let inside = self.logical_at(site, ty)?;
        let kind = self.of_logical_type(ty);
        let (variant, row_type) = self.variant(site, kind);
        self.sites[site].rows(variant, more);
        self.row_types[row_type].rows += more;
        self.latest = Some(Row { row_type, row: self.row_types[row_type].rows - 1 });
        self.ints_at(inside, values);
        Ok(())
    }

    /// Several items of the list that is begun, as [`Sink::string`](crate::Sink::string); answers how many.
    ///
    /// # Errors
    /// `bad_source` where no values are due.
    pub fn strings<'t>(&mut self, mut values: impl Iterator<Item = &'t str>) -> Result<usize> {
        let Some(Frame::List { item, len, .. }) = self.stack.last_mut() else {
            return values.try_fold(0, |told, value| self.string(value).map(|()| told + 1));
        };
        let told = self.sites[*item].texts(Scalar::String, values.map(str::as_bytes));
        *len += told as u64;
        self.told.clear();
        Ok(told)
    }

    /// As [`Sink::fixed`](crate::Sink::fixed).
    #[inline]
    pub fn fixed_at(&mut self, place: usize, value: &[u8]) {
        let column = self.sites[place].scalar(Scalar::Fixed(value.len() as u64), 1);
        if let Variant::Fixed(_, bytes) = column {
            bytes.extend_from_slice(value);
        }
    }

    /// As [`Shredder::row_again`].
    ///
    /// # Errors
    /// `bad_source` for a row of another value.
    pub fn row_again_at(&mut self, place: usize, again: Row) -> Result<()> {
        let told = self.tell_again(place, again);
        self.located(told)
    }

    /// As [`Sink::null`](crate::Sink::null).
    #[inline]
    pub fn null_at(&mut self, place: SiteId) {
        self.sites[place].null();
    }

    /// As [`Sink::bool`](crate::Sink::bool).
    #[inline]
    pub fn bool_at(&mut self, place: SiteId, value: bool) {
        self.sites[place].bool(value);
    }

    /// As [`Sink::int`](crate::Sink::int).
    #[inline]
    pub fn int_at(&mut self, place: SiteId, value: i64) {
        self.sites[place].int(IntKind::Int, value.cast_unsigned());
    }

    /// As [`Sink::fixed_int`](crate::Sink::fixed_int), of less than 64 bits.
    ///
    /// # Errors
    /// `bad_source` for a number that is none of its kind.
    #[inline]
    pub fn fixed_int_at(&mut self, place: SiteId, kind: IntKind, bits: u64) -> Result<()> {
        if !kind.holds(bits) || kind == IntKind::I64 {
            return Err(bad_source("a number of its kind"));
        }
        self.sites[place].int(kind, bits);
        Ok(())
    }

    /// As [`Sink::f64`](crate::Sink::f64).
    #[inline]
    pub fn f64_at(&mut self, place: SiteId, value: f64) {
        self.sites[place].f64(value);
    }

    /// As [`Sink::string`](crate::Sink::string).
    #[inline]
    pub fn string_at(&mut self, place: SiteId, value: &str) {
        self.sites[place].text(Scalar::String, value.as_bytes());
    }

    /// As [`Sink::bytes`](crate::Sink::bytes).
    #[inline]
    pub fn bytes_at(&mut self, place: SiteId, value: &[u8]) {
        self.sites[place].text(Scalar::Bytes, value);
    }
}
