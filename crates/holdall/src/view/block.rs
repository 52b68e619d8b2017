//! Where the columns of a block are: found in their order, without decoding what is passed, and kept.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::ranks::Kept;
use super::skip::{TensorPlace, row_count, skip_site, skip_tensors};
use crate::block::{Block, Column, count_inside, site_path};
use crate::column::{ints, text};
use crate::error::{Code, Error, Result};
use crate::input::trace::field;
use crate::input::{Cursor, Reading};
use crate::kernel::lengths;
use crate::limits::Limits;
use crate::message::read_block;
use crate::number::IntKind;
use crate::schema::{DType, Form, Schema, Type, TypeId, parents};

/// A longer path in an error is cut off.
const LONGEST_PATH: usize = 400;

/// What all blocks of a view share.
#[derive(Clone, Copy)]
pub(crate) struct Source<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) reading: Reading<'s>,
    pub(crate) limits: Limits,
}

/// A block in a source, and what was found in it so far.
pub(crate) struct BlockPlaces {
    range: Range<u64>,
    /// From where alignment counts, if there is any.
    aligned_from: Option<u64>,
    /// The rows of the root.
    roots: u64,
    /// The bytes of each site's own columns, where the block says them: then no site is passed to find another one.
    directory: Option<Box<[u64]>>,
    found: Mutex<Found>,
    pub(super) kept: Kept,
}

#[derive(Default)]
struct Found {
    /// Of all types; those of sites whose enclosing ones were not read are 0.
    rows: Vec<u64>,
    /// Whether the rows of the types inside a site were counted.
    counted: Vec<bool>,
    /// Where the columns of the first sites begin, and last where the next site's do.
    starts: Vec<u64>,
}

/// Where a site's columns are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SitePlace {
    pub(crate) rows: u64,
    pub(crate) bytes: Range<u64>,
}

impl BlockPlaces {
    pub(crate) fn new(
        range: Range<u64>,
        aligned_from: Option<u64>,
        roots: u64,
        directory: Option<Box<[u64]>>,
    ) -> BlockPlaces {
        let (found, kept) = (Mutex::default(), Kept::default());
        BlockPlaces { range, aligned_from, roots, directory, found, kept }
    }

    fn cursor<'s>(&self, source: Source<'s>, at: u64) -> Cursor<'s> {
        let origin = self.aligned_from.unwrap_or(self.range.start);
        let part = self.range.clone();
        let aligned = self.aligned_from.is_some();
        let mut cursor = Cursor::new(source.reading, origin, part, aligned, source.limits);
        cursor.go_to(at);
        cursor
    }

    /// Where the columns of a site are, and how many rows it has.
    pub(crate) fn site(&self, source: Source<'_>, id: TypeId) -> Result<SitePlace> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.rows.is_empty() {
            *found = self.begin(source)?;
        }
        match self.directory {
            Some(_) => self.count_above(source, &mut found, id)?,
            None => self.pass(source, &mut found, id)?,
        }
        let start = found.starts[id];
        Ok(SitePlace { rows: found.rows[id], bytes: start..found.starts[id + 1] })
    }

    /// The numbers of rows at the head of the block (F-23), and with a directory all places.
    fn begin(&self, source: Source<'_>) -> Result<Found> {
        let types = source.schema.types().len();
        let (mut rows, counted) = (vec![0; types], vec![false; types]);
        let mut cursor = self.cursor(source, self.range.start);
        rows[0] = self.roots;
        for &body in source.schema.definitions() {
            rows[body] = cursor.varint(field("the number of rows", "F-23"))?;
        }
        let mut starts = vec![cursor.position()];
        if let Some(directory) = &self.directory {
            let mut at = cursor.position();
            starts.extend(directory.iter().map(|bytes| {
                at = at.saturating_add(*bytes).min(cursor.end());
                at
            }));
        }
        Ok(Found { rows, counted, starts })
    }

    /// Passes over sites until one is behind.
    fn pass(&self, source: Source<'_>, found: &mut Found, id: TypeId) -> Result<()> {
        let next = found.starts.len() - 1;
        let mut cursor = self.cursor(source, found.starts[next]);
        for id in next..=id {
            self.pass_site(source, found, id, &mut cursor)
                .map_err(|error| error.with_path(|| path(source.schema, id)))?;
            found.starts.push(cursor.position());
        }
        Ok(())
    }

    fn pass_site(
        &self,
        source: Source<'_>,
        found: &mut Found,
        id: TypeId,
        cursor: &mut Cursor<'_>,
    ) -> Result<()> {
        let (types, rows) = (source.schema.types(), found.rows[id]);
        // F-25.
        if rows == 0 {
            return Ok(());
        }
        let start = cursor.position();
        if let Err(fault) = skip_site(cursor, types, id, rows) {
            return Err(first_fault(cursor, source.schema, id, rows, start, fault));
        }
        if says_rows(&types[id]) {
            cursor.read(start, |input| {
                let column = Block::of_sites(source.schema).read_site(input, types, id, rows)?;
                count_inside(&types[id], &column, &mut found.rows, id);
                Ok(())
            })?;
        } else {
            count_inside(&types[id], &Column::None, &mut found.rows, id);
        }
        found.counted[id] = true;
        Ok(())
    }

    /// Counts the rows of the sites on the way down to one, whose places are known.
    fn count_above(&self, source: Source<'_>, found: &mut Found, id: TypeId) -> Result<()> {
        let parents = parents(source.schema);
        let mut above: Vec<TypeId> =
            std::iter::successors(parents[id], |above| parents[*above]).collect();
        while let Some(id) = above.pop() {
            if found.counted[id] || found.rows[id] == 0 {
                continue;
            }
            let place =
                SitePlace { rows: found.rows[id], bytes: found.starts[id]..found.starts[id + 1] };
            let rows = &mut found.rows;
            self.read_place(source, id, &place, |column| {
                count_inside(&source.schema.types()[id], &column, rows, id);
                Ok(())
            })?;
            found.counted[id] = true;
        }
        Ok(())
    }

    /// Decodes the columns of a site.
    pub(crate) fn read<T>(
        &self,
        source: Source<'_>,
        id: TypeId,
        then: impl FnOnce(Column<'_>) -> Result<T>,
    ) -> Result<T> {
        let place = self.site(source, id)?;
        self.read_place(source, id, &place, then)
    }

    fn read_place<T>(
        &self,
        source: Source<'_>,
        id: TypeId,
        place: &SitePlace,
        then: impl FnOnce(Column<'_>) -> Result<T>,
    ) -> Result<T> {
        if place.rows == 0 {
            return then(Column::None);
        }
        let types = source.schema.types();
        let cursor = self.cursor(source, place.bytes.start);
        cursor
            .read_to(place.bytes.start, place.bytes.end, |input| {
                let column =
                    Block::of_sites(source.schema).read_site(input, types, id, place.rows)?;
                if input.remaining() > 0 {
                    return Err(other_end(input.position() as u64));
                }
                then(column)
            })
            .map_err(|error| error.with_path(|| path(source.schema, id)))
    }

    /// Where the rows of a site are, if they stand in the bytes one after the other as a program has them in memory.
    pub(crate) fn raw(
        &self,
        source: Source<'_>,
        id: TypeId,
        place: &SitePlace,
    ) -> Result<Option<Range<u64>>> {
        if place.rows == 0 {
            return Ok(None);
        }
        let mut cursor = self.cursor(source, place.bytes.start);
        skip_site(&mut cursor, source.schema.types(), id, place.rows)
            .and_then(|raw| at_end(&cursor, place, raw))
            .map_err(|error| error.with_path(|| path(source.schema, id)))
    }
}

/// The column that was passed over ends where it is said to.
fn at_end<T>(cursor: &Cursor<'_>, place: &SitePlace, found: T) -> Result<T> {
    if cursor.position() == place.bytes.end { Ok(found) } else { Err(other_end(cursor.position())) }
}

/// Only a directory can say so.
#[cold]
fn other_end(at: u64) -> Error {
    Error::in_stream(Code::BadDirectory, at)
        .expected("the end of a column where the directory says")
        .got("another")
}

impl BlockPlaces {
    /// Some rows of a column of integers, if they can be read without the others.
    pub(crate) fn some_ints(
        &self,
        source: Source<'_>,
        place: &SitePlace,
        kind: IntKind,
        rows: Range<u64>,
    ) -> Result<Option<Vec<u64>>> {
        let mut cursor = self.cursor(source, place.bytes.start);
        match ints::some(&mut cursor, kind, place.rows, rows)? {
            Some(numbers) => at_end(&cursor, place, Some(numbers)),
            None => Ok(None),
        }
    }

    /// The tensors of a site, without their elements; nothing if these do not stand there as they are.
    pub(crate) fn tensors(
        &self,
        source: Source<'_>,
        id: TypeId,
        dtype: &Arc<DType>,
    ) -> Result<Option<Vec<TensorPlace>>> {
        let place = self.site(source, id)?;
        if place.rows == 0 {
            return Ok(Some(Vec::new()));
        }
        let mut cursor = self.cursor(source, place.bytes.start);
        skip_tensors(&mut cursor, dtype, place.rows)
            .and_then(|tensors| at_end(&cursor, &place, tensors))
            .map_err(|error| error.with_path(|| path(source.schema, id)))
    }

    /// The lengths of the rows of a column of text that is plain: what stands behind them is the text.
    pub(crate) fn plain_lengths(
        &self,
        source: Source<'_>,
        place: &SitePlace,
    ) -> Result<Option<Vec<u64>>> {
        let mut cursor = self.cursor(source, place.bytes.start);
        if !text::skip_lengths(&mut cursor, place.rows)? {
            return Ok(None);
        }
        let lengths = cursor.read(place.bytes.start, |input| {
            input.charge(8 * u128::from(place.rows))?;
            text::plain_lengths(input, row_count(input, place.rows)?)
        })?;
        let left = place.bytes.end.saturating_sub(cursor.position());
        if lengths::sum(&lengths) != u128::from(left) {
            return Err(other_end(cursor.position()));
        }
        Ok(Some(lengths))
    }

    /// Decodes the whole block, which must end where it is said to.
    pub(crate) fn whole<T>(
        &self,
        source: Source<'_>,
        then: impl FnOnce(Block<'_>) -> Result<T>,
    ) -> Result<T> {
        let cursor = self.cursor(source, self.range.start);
        cursor.read_to(self.range.start, self.range.end, |input| {
            then(read_block(source.schema, input.clone(), self.roots, false)?)
        })
    }
}

/// The path of a site, for errors.
#[cold]
fn path(schema: &Schema, id: TypeId) -> String {
    site_path(schema, &parents(schema), id, LONGEST_PATH)
}

/// Whether the columns of a type say how many rows the types inside have.
fn says_rows(ty: &Type) -> bool {
    match ty {
        Type::Option(_) | Type::List(_) | Type::Map(..) => true,
        Type::Record(fields) | Type::Struct(_, fields) => fields.form != Form::One,
        Type::Union(union) => union.variants.len() > 1,
        _ => false,
    }
}

/// Of a column whose end was not found, the fault that a decoder meets first (F-1).
#[cold]
fn first_fault(
    cursor: &Cursor<'_>,
    schema: &Schema,
    id: TypeId,
    rows: u64,
    start: u64,
    fault: Error,
) -> Error {
    /// More than an item that is no payload has.
    const ITEM: u64 = 64;
    let Some(at) = fault.offset() else { return fault };
    let end = at.saturating_add(ITEM).min(cursor.end());
    let decoded = cursor.read_to(start, end, |input| {
        Block::of_sites(schema).read_site(input, schema.types(), id, rows).map(|_| ())
    });
    match decoded {
        Err(earlier) if earlier.offset() < Some(at) => earlier,
        _ => fault,
    }
}
