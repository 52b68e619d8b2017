//! Rows that come together, told field by field.
//!
//! What is in them comes column by column: scalars, rows with fields that are known, lists. The columns come to the same as by
//! events, as long as a row type has one place, where its rows are in the order of those that they are in.

use super::{Frame, Row, RowShape, Shredder, bad_source};
use crate::dynamic::sites::{Body, Kind, RowTypeId, Site, SiteId};
use crate::error::Result;
use crate::number::{IntKind, is_shortest_big};
use crate::schema::Scalar;

impl Shredder {
    /// As [`Shredder::begin_again`] for so many items of a list, or the one value that comes next: the fields are told one by one,
    /// each of all rows, and [`SeveralRows::end`] ends them all.
    ///
    /// `None` if nothing was begun.
    pub fn begin_several(&mut self, shape: RowShape, rows: usize) -> Option<SeveralRows<'_>> {
        let site = self.next_place()?;
        let variant = self.variant_of(site, shape)?;
        match self.stack.last_mut() {
            Some(Frame::List { len, .. }) => *len += rows as u64,
            _ if rows == 1 => {
                self.target().ok()?;
            }
            _ => return None,
        }
        self.told.clear();
        self.sites[site].several_rows(variant, rows);
        Some(self.several(shape, rows))
    }

    /// The place of a field of the rows with a shape, as [`Shredder::next_place`] has it for values that come by events.
    #[inline]
    #[must_use]
    pub fn place_of_field(&self, shape: RowShape, field: usize) -> Option<usize> {
        let fields = self.members.get(shape.first..shape.first + shape.len)?;
        fields.get(field).copied()
    }

    /// The place of the items of the lists in a place, if lists can be told there by [`FieldRows::begin_lists`].
    #[inline]
    #[must_use]
    pub fn place_of_items(&self, place: usize) -> Option<usize> {
        self.lists_of(place).map(|(_, _, item)| item)
    }

    /// Whether rows with a shape can be told in a place by [`FieldRows::begin_several`].
    #[inline]
    #[must_use]
    pub fn takes_inside(&self, place: usize, shape: RowShape) -> bool {
        self.has_one_place(shape.row_type)
            && place < self.sites.len()
            && self.variant_of(place, shape).is_some()
    }

    /// Whether the rows of a type are all in one place, in the order of the rows around them.
    fn has_one_place(&self, row_type: RowTypeId) -> bool {
        self.row_types[row_type].users.len() == 1
    }

    /// The variant of lists in a place, their type and the site of their items.
    fn lists_of(&self, site: SiteId) -> Option<(usize, RowTypeId, SiteId)> {
        let (variant, row_type) = self.sites.get(site)?.of_kind(Kind::List)?;
        match self.row_types[row_type].body {
            Body::List { item, .. } if self.has_one_place(row_type) => {
                Some((variant, row_type, item))
            }
            _ => None,
        }
    }

    /// Begins rows of a type whose places have them already.
    fn several(&mut self, shape: RowShape, rows: usize) -> SeveralRows<'_> {
        let first = self.row_types[shape.row_type].begin_several(rows);
        if shape.shape != 0
            && let Some(record) = self.record_mut(shape.row_type)
        {
            (first..first + rows).for_each(|row| record.set_shape(row, shape.shape));
        }
        self.latest = (first + rows)
            .checked_sub(1)
            .map(|row| Row { row_type: shape.row_type, row })
            .or(self.latest);
        let fields = &self.members[shape.first..shape.first + shape.len];
        let before = self.before.len();
        self.before.extend(fields.iter().map(|&site| self.sites[site].rows()));
        SeveralRows { shredder: self, shape, rows, before }
    }
}

/// Rows that were begun together.
pub struct SeveralRows<'s> {
    shredder: &'s mut Shredder,
    shape: RowShape,
    rows: usize,
    /// Where it stands how many rows the fields had before.
    before: usize,
}

impl SeveralRows<'_> {
    /// The first of the rows, as [`Shredder::latest_row`] has a row that comes by events.
    ///
    /// None if they are none.
    #[must_use]
    pub fn first_row(&self) -> Option<Row> {
        let row_type = self.shape.row_type;
        let row = self.shredder.row_types[row_type].rows.checked_sub(self.rows)?;
        (self.rows > 0).then_some(Row { row_type, row })
    }

    /// One of the fields, by its place among the shape's.
    ///
    /// # Panics
    /// If there is no such field.
    #[inline]
    pub fn field(&mut self, field: usize) -> FieldRows<'_> {
        assert!(field < self.shape.len, "a field of the shape");
        let site = self.shredder.members[self.shape.first + field];
        FieldRows { shredder: self.shredder, site }
    }

    /// Ends the rows.
    ///
    /// # Errors
    /// `bad_source` if not every field got a value for each row.
    pub fn end(self) -> Result<()> {
        let RowShape { first, len, .. } = self.shape;
        let shredder = self.shredder;
        let fields = &shredder.members[first..first + len];
        let mut counts = fields.iter().zip(&shredder.before[self.before..]);
        let is_whole =
            counts.all(|(&site, before)| shredder.sites[site].rows() == before + self.rows);
        shredder.before.truncate(self.before);
        shredder.ended(is_whole, "one value of each field for each row")
    }
}

impl Shredder {
    fn ended(&mut self, is_whole: bool, expected: &'static str) -> Result<()> {
        if is_whole {
            return Ok(());
        }
        self.failed = true;
        Err(bad_source(expected))
    }
}

/// Lists that were begun together.
pub struct SeveralLists<'s> {
    shredder: &'s mut Shredder,
    item: SiteId,
    /// How many items there are when all came.
    whole: usize,
}

impl SeveralLists<'_> {
    /// The items of all the lists, one list after the other.
    #[inline]
    pub fn items(&mut self) -> FieldRows<'_> {
        FieldRows { shredder: self.shredder, site: self.item }
    }

    /// Ends the lists.
    ///
    /// # Errors
    /// `bad_source` if there are not as many items as the lists have.
    pub fn end(self) -> Result<()> {
        let is_whole = self.shredder.sites[self.item].rows() == self.whole;
        self.shredder.ended(is_whole, "as many items as the lists have")
    }
}

/// The values of one field, row by row.
pub struct FieldRows<'s> {
    shredder: &'s mut Shredder,
    site: SiteId,
}

impl FieldRows<'_> {
    #[inline]
    fn site(&mut self) -> &mut Site {
        &mut self.shredder.sites[self.site]
    }

    /// A row with fields that are known, or null, for each row: told field by field in turn. `None` if nothing was begun, as
    /// [`Shredder::takes_inside`] says.
    pub fn begin_several(
        &mut self,
        shape: RowShape,
        present: impl Iterator<Item = bool>,
    ) -> Option<SeveralRows<'_>> {
        let variant = self.shredder.variant_of(self.site, shape)?;
        if !self.shredder.has_one_place(shape.row_type) {
            return None;
        }
        let site = self.site();
        let mut rows = 0;
        for is_present in present {
            if is_present {
                site.row(variant);
                rows += 1;
            } else {
                site.null();
            }
        }
        Some(self.shredder.several(shape, rows))
    }

    /// A list of so many items, or null, for each row. `None` if nothing was begun: where [`Shredder::place_of_items`] has none.
    pub fn begin_lists(
        &mut self,
        lengths: impl Iterator<Item = Option<usize>>,
    ) -> Option<SeveralLists<'_>> {
        let (variant, row_type, item) = self.shredder.lists_of(self.site)?;
        let mut whole = self.shredder.sites[item].rows();
        for len in lengths {
            match len {
                Some(len) => {
                    self.shredder.sites[self.site].row(variant);
                    let own = &mut self.shredder.row_types[row_type];
                    let row = own.begin();
                    own.end(row, len as u64);
                    self.shredder.latest = Some(Row { row_type, row });
                    whole += len;
                }
                None => self.site().null(),
            }
        }
        Some(SeveralLists { shredder: self.shredder, item, whole })
    }

    /// As [`Sink::null`](crate::Sink::null).
    pub fn null(&mut self) {
        self.site().null();
    }

    /// As [`Sink::bool`](crate::Sink::bool).
    #[inline]
    pub fn bool(&mut self, value: bool) {
        self.site().bool(value);
    }

    /// As [`Sink::int`](crate::Sink::int).
    #[inline]
    pub fn int(&mut self, value: i64) {
        self.site().int(IntKind::Int, value.cast_unsigned());
    }

    /// As [`Sink::big_int`](crate::Sink::big_int) of type int.
    ///
    /// # Errors
    /// `bad_source` if it is not in shortest form, or fits 64 bits.
    pub fn big_int(&mut self, big: &[u8]) -> Result<()> {
        if !is_shortest_big(big) || IntKind::Int.bits_of_big(big).is_some() {
            return Err(bad_source("a big integer in shortest form"));
        }
        self.site().big_int(big);
        Ok(())
    }

    /// As [`Sink::f64`](crate::Sink::f64).
    #[inline]
    pub fn f64(&mut self, value: f64) {
        self.site().f64(value);
    }

    /// As [`Sink::string`](crate::Sink::string).
    #[inline]
    pub fn string(&mut self, value: &str) {
        self.site().text(Scalar::String, value.as_bytes());
    }

    /// As [`Sink::bytes`](crate::Sink::bytes).
    #[inline]
    pub fn bytes(&mut self, value: &[u8]) {
        self.site().text(Scalar::Bytes, value);
    }
}
