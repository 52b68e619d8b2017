//! Locates the columns of a block, in order, without decoding those it skips. Remembers them.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::budget::{charge, units_of};
use super::kept_value::KeptValue;
use super::ranks::KeptStructures;
use crate::block::{Block, Column, LONGEST_PATH, check_uses, count_inside, site_path};
use crate::column::raw::{self, Of};
use crate::column::{floats, ints, text};
use crate::error::{Code, Error, Result};
use crate::input::trace::field;
use crate::input::{Input, Reading, Window};
use crate::kernel::lengths;
use crate::limits::{Budget, Limits};
use crate::memory::{self, Collect, GrowMap, GrowVec};
use crate::message::read_block;
use crate::number::IntKind;
use crate::schema::{DType, Form, Scalar, Schema, Type, TypeId, parents};

/// The schema, bytes and limits needed to read a block.
#[derive(Clone, Copy)]
pub(crate) struct BlockSource<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) reading: Reading<'s>,
    pub(crate) limits: Limits,
}

impl BlockSource<'_> {
    /// Returns a budget for one call.
    pub(super) fn budget(self) -> Budget {
        let size = usize::try_from(self.reading.size()).unwrap_or(usize::MAX);
        self.limits.budget_for(size)
    }
}

/// A block in a source, and its columns located so far.
pub(crate) struct BlockPlaces {
    range: Range<u64>,
    /// The offset from which alignment counts, if the block is aligned.
    aligned_from: Option<u64>,
    /// The number of rows of the root.
    pub(super) roots: u64,
    /// The range of each site's own columns, if the block has a directory: then a site is located without skipping
    /// others.
    directory: Option<Box<[u64]>>,
    found: Mutex<LocatedRows>,
    pub(super) kept: KeptStructures,
    /// What each decoded column was charged beyond its rows: text of dictionaries, decompressed bytes.
    contents: Mutex<HashMap<TypeId, u64>>,
    pub(super) value: KeptValue,
}

#[derive(Default)]
struct LocatedRows {
    /// The rows of all types; 0 for sites whose enclosing types were not read.
    rows: Vec<u64>,
    /// Whether the rows of the types inside a site were counted.
    counted: Vec<bool>,
    /// The offsets of the first sites' columns, then that of the next site.
    starts: Vec<u64>,
    /// The offsets of the definitions' numbers of rows.
    definitions: Vec<u64>,
}

/// The location of a site's columns.
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
        let (found, contents) = (Mutex::default(), Mutex::default());
        let (kept, value) = (KeptStructures::default(), KeptValue::default());
        BlockPlaces { range, aligned_from, roots, directory, found, kept, contents, value }
    }

    fn window<'s>(&self, source: BlockSource<'s>) -> Window<'s> {
        Window::new(source.reading, self.range.end, self.aligned_from, source.limits)
    }

    /// The sites that were located; the head of the block is read first.
    fn located(&self, source: BlockSource<'_>) -> Result<MutexGuard<'_, LocatedRows>> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.rows.is_empty() {
            *found = self.begin(source)?;
        }
        Ok(found)
    }

    /// The location of a site's columns, and its number of rows.
    pub(crate) fn site(&self, source: BlockSource<'_>, id: TypeId) -> Result<SitePlace> {
        let mut found = self.located(source)?;
        match self.directory {
            Some(_) => self.count_above(source, &mut found, id)?,
            None => self.pass(source, &mut found, id)?,
        }
        let start = found.starts[id];
        Ok(SitePlace { rows: found.rows[id], bytes: start..found.starts[id + 1] })
    }

    /// Locates a site whose rows become values: charges them as decoding does (F-26). Of types without columns, such as
    /// null, no bytes limit the rows.
    pub(super) fn charged_site(&self, source: BlockSource<'_>, id: TypeId) -> Result<SitePlace> {
        let place = self.site(source, id)?;
        charge_alone(source, id, place.rows, place.bytes.start)?;
        Ok(place)
    }

    /// Charges the items or entries of all lists or maps of a site, to which offsets point.
    pub(super) fn charge_inside(
        &self,
        source: BlockSource<'_>,
        id: TypeId,
        rows: u64,
    ) -> Result<()> {
        for inner in source.schema.types()[id].children() {
            // Its columns follow those of the site before it: a value of a map those of the keys.
            let at = self.site(source, inner - 1)?.bytes.end;
            charge_alone(source, inner, rows, at)?;
        }
        Ok(())
    }

    /// Reads the number of rows at the head of the block (F-23) and, if there is a directory, all ranges.
    fn begin(&self, source: BlockSource<'_>) -> Result<LocatedRows> {
        let types = source.schema.types().len();
        let (mut rows, counted) = (memory::filled(0, types), memory::filled(false, types));
        rows[0] = self.roots;
        let (definitions, mut heads) = (source.schema.definitions(), Vec::new());
        let ((), mut at) = self.window(source).skim(self.range.start, |input| {
            definitions.iter().try_for_each(|body| {
                heads.put(input.source_offset(input.position()));
                rows[*body] = input.varint(field("the number of rows", "F-23"))?;
                Ok(())
            })
        })?;
        let mut starts = vec![at];
        starts.put_each(self.directory.iter().flatten().map(|bytes| {
            at = at.saturating_add(*bytes).min(self.range.end);
            at
        }));
        Ok(LocatedRows { rows, counted, starts, definitions: heads })
    }

    /// Checks that a definition has as many rows as its uses (F-34).
    pub(super) fn check_definition(
        &self,
        source: BlockSource<'_>,
        number: usize,
        used: u64,
    ) -> Result<()> {
        let body = source.schema.definitions()[number];
        let (written, at) = {
            let found = self.located(source)?;
            (found.rows[body], found.definitions[number])
        };
        check_uses(number, written, used.into()).map_err(|error| error.moved_by(at))
    }

    pub(super) fn end(&self) -> u64 {
        self.range.end
    }

    /// The offsets of all columns, if there is a directory.
    pub(super) fn starts(&self, source: BlockSource<'_>) -> Result<Option<Vec<u64>>> {
        if self.directory.is_none() {
            return Ok(None);
        }
        let found = self.located(source)?;
        Ok(Some(found.starts.clone()))
    }

    /// Skips sites up to and including this one.
    fn pass(&self, source: BlockSource<'_>, found: &mut LocatedRows, id: TypeId) -> Result<()> {
        let window = self.window(source);
        for id in found.starts.len() - 1..=id {
            let end = pass_site(&window, source, found, id)
                .map_err(|error| error.with_path(|| path(source.schema, id)))?;
            found.starts.put(end);
        }
        Ok(())
    }

    /// Counts the rows of the sites that enclose this one. Their locations are known.
    fn count_above(
        &self,
        source: BlockSource<'_>,
        found: &mut LocatedRows,
        id: TypeId,
    ) -> Result<()> {
        let parents = parents(source.schema);
        let mut above: Vec<TypeId> =
            core::iter::successors(parents[id], |above| parents[*above]).collected();
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
        source: BlockSource<'_>,
        id: TypeId,
        then: impl FnOnce(Column<'_>) -> Result<T>,
    ) -> Result<T> {
        let place = self.site(source, id)?;
        self.read_place(source, id, &place, then)
    }

    fn read_place<T>(
        &self,
        source: BlockSource<'_>,
        id: TypeId,
        place: &SitePlace,
        then: impl FnOnce(Column<'_>) -> Result<T>,
    ) -> Result<T> {
        if place.rows == 0 {
            return then(Column::None);
        }
        self.window(source)
            .read_range(place.bytes.clone(), |input| {
                let before = input.budget.left();
                let (column, _) = read_site(input, source.schema, id, place.rows)?;
                let units = u128::from(before - input.budget.left());
                let beyond = units.saturating_sub(units_of(source.schema, id, place.rows));
                self.has_contents(id, u64::try_from(beyond).unwrap_or(u64::MAX));
                if input.remaining() > 0 {
                    return Err(other_end(input.position() as u64));
                }
                then(column)
            })
            .map_err(|error| error.with_path(|| path(source.schema, id)))
    }

    /// Notes what a column takes of a budget beyond its rows.
    fn has_contents(&self, id: TypeId, units: u64) {
        if units > 0 {
            self.contents.lock().unwrap_or_else(PoisonError::into_inner).put(id, units);
        }
    }

    /// Returns what a column takes of a budget beyond its rows, as far as it was decoded.
    pub(super) fn contents(&self, id: TypeId) -> u64 {
        let contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.get(&id).copied().unwrap_or(0)
    }

    /// Returns the range of a site's rows, if they are stored contiguously and in their memory layout.
    pub(crate) fn raw(
        &self,
        source: BlockSource<'_>,
        id: TypeId,
        place: &SitePlace,
    ) -> Result<Option<Range<u64>>> {
        if place.rows == 0 {
            return Ok(None);
        }
        let (encoding, padding) =
            self.skim(source, id, place, |_, encoding, padding| Ok((encoding, padding)))?;
        let types = source.schema.types();
        let Some(width) = raw_width(types, &types[id], encoding) else { return Ok(None) };
        // The site has that many bytes, so the length fits.
        let start = place.bytes.end - width * place.rows;
        check_padding(source, id, padding)?;
        Ok(Some(start..place.bytes.end))
    }

    /// Skips the columns of a site. Calls `then` with the column before its rows, and the encoding of the last one and where the
    /// padding before its rows was.
    pub(super) fn skim<T>(
        &self,
        source: BlockSource<'_>,
        id: TypeId,
        place: &SitePlace,
        then: impl FnOnce(Column<'_>, Option<u8>, Range<u64>) -> Result<T>,
    ) -> Result<T> {
        self.window(source)
            .skim(place.bytes.start, |input| {
                let (column, encoding) = read_site(input, source.schema, id, place.rows)?;
                then(column, encoding, input.skipped_padding())
            })
            .and_then(|found| at_end(place, found))
            .map_err(|error| error.with_path(|| path(source.schema, id)))
    }
}

/// Checks the padding before the rows of a site (F-69), which a reader that skips them does not see.
pub(super) fn check_padding(
    source: BlockSource<'_>,
    id: TypeId,
    padding: Range<u64>,
) -> Result<()> {
    let bytes = source.reading.bytes(padding.clone())?;
    match bytes.iter().zip(padding).find(|(byte, _)| **byte != 0) {
        None => Ok(()),
        Some((byte, at)) => Err(Error::at(Code::NonzeroPadding, 0)
            .moved_by(at)
            .expected("00")
            .got(format!("{byte:02X}"))
            .with_path(|| path(source.schema, id))),
    }
}

/// Checks that a skipped column ends where the directory says.
fn at_end<T>(place: &SitePlace, (found, end): (T, u64)) -> Result<T> {
    if end == place.bytes.end { Ok(found) } else { Err(other_end(end)) }
}

/// Only a directory can contradict it.
#[cold]
fn other_end(at: u64) -> Error {
    Error::in_stream(Code::BadDirectory, at)
        .expected("the end of a column where the directory says")
        .got("another")
}

impl BlockPlaces {
    /// Reads some rows of a column of integers, if that is possible without the others.
    pub(crate) fn some_ints(
        &self,
        source: BlockSource<'_>,
        place: &SitePlace,
        kind: IntKind,
        runs: &[Range<u64>],
    ) -> Result<Option<Vec<u64>>> {
        let (numbers, end) = self.window(source).skim(place.bytes.start, |input| {
            let count = row_count(input, place.rows)?;
            ints::locate_some(input, kind, count, runs)
        })?;
        if numbers.is_none() { Ok(None) } else { at_end(place, (numbers, end)) }
    }

    /// Returns the lengths of the rows of a plain text column, which precede the text.
    pub(crate) fn plain_lengths(
        &self,
        source: BlockSource<'_>,
        place: &SitePlace,
    ) -> Result<Option<Vec<u64>>> {
        let end = place.bytes.end;
        let column = Window::new(source.reading, end, self.aligned_from, source.limits);
        column.read(place.bytes.start, |input| {
            let rows = row_count(input, place.rows)?;
            let lengths = text::plain_lengths(input, rows)?;
            let sum = lengths.as_deref().map(lengths::sum);
            if sum.is_some_and(|sum| sum != input.remaining() as u128) {
                return Err(other_end(input.position() as u64));
            }
            Ok(lengths)
        })
    }

    /// Decodes the entire block, which must end with its range.
    pub(crate) fn whole<T>(
        &self,
        source: BlockSource<'_>,
        then: impl FnOnce(Block<'_>) -> Result<T>,
    ) -> Result<T> {
        self.window(source).read_range(self.range.clone(), |input| {
            then(read_block(source.schema, input.clone(), self.roots, false)?)
        })
    }
}

/// Charges rows of a site to a budget of their own.
fn charge_alone(source: BlockSource<'_>, id: TypeId, rows: u64, at: u64) -> Result<()> {
    charge(&mut source.budget(), source.schema, id, rows, at)
        .map_err(|error| error.with_path(|| path(source.schema, id)))
}

/// The path of a site, for errors.
#[cold]
fn path(schema: &Schema, id: TypeId) -> String {
    site_path(schema, &parents(schema), id, LONGEST_PATH)
}

/// Whether the columns of a type give the numbers of rows of the types inside.
fn says_rows(ty: &Type) -> bool {
    match ty {
        Type::Option(_) | Type::List(_) | Type::Map(..) => true,
        Type::Record(fields) | Type::Struct(_, fields) => fields.form != Form::One,
        Type::Union(union) => union.variants.len() > 1,
        _ => false,
    }
}

/// Skips the columns of a site; returns the offset after them.
fn pass_site(
    window: &Window<'_>,
    source: BlockSource<'_>,
    found: &mut LocatedRows,
    id: TypeId,
) -> Result<u64> {
    let (ty, rows) = (&source.schema.types()[id], found.rows[id]);
    let start = found.starts[id];
    // F-25.
    if rows == 0 {
        return Ok(start);
    }
    found.counted[id] = true;
    let skimmed = window.skim(start, |input| {
        // The rows inside are counted now, together with the columns that give their number.
        let mut read = |input: &mut Input<'_>| {
            let (column, _) = read_site(input, source.schema, id, rows)?;
            count_inside(ty, &column, &mut found.rows, id);
            Ok(())
        };
        if says_rows(ty) { input.depend_on(0, read) } else { read(input) }
    });
    match skimmed {
        Ok(((), end)) => Ok(end),
        Err(fault) => Err(first_fault(window, source.schema, id, rows, start, fault)),
    }
}

/// Reads the columns of a site; returns also the encoding of the last one.
fn read_site<'a>(
    input: &mut Input<'a>,
    schema: &Schema,
    id: TypeId,
    rows: u64,
) -> Result<(Column<'a>, Option<u8>)> {
    let mut block = Block::of_sites(schema);
    let column = block.read_site(input, schema.types(), id, rows)?;
    Ok((column, block.places.last().and_then(|(.., place)| place.encoding)))
}

/// The width of a row, if the rows of a column are stored contiguously and in their memory layout.
fn raw_width(types: &[Type], ty: &Type, encoding: Option<u8>) -> Option<u64> {
    let (width, is_raw) = match ty {
        // Rows of type int have 8 bytes.
        Type::Scalar(Scalar::Int(kind)) => {
            (kind.width().unwrap_or(8), ints::is_raw(*kind, encoding))
        }
        Type::Scalar(Scalar::Fixed(len)) => (*len, raw::is_raw(Of::fixed(*len), encoding)),
        Type::Scalar(scalar) => (scalar.width()?, floats::is_raw(encoding)),
        Type::Packed(inner) => {
            let width = DType::of(types, *inner).width().unwrap_or(0);
            (width, raw::is_raw(Of::packed(width), encoding))
        }
        _ => return None,
    };
    is_raw.then_some(width)
}

fn row_count(input: &Input<'_>, rows: u64) -> Result<usize> {
    usize::try_from(rows).map_err(|_| Error::at(Code::LimitBudget, input.position()))
}

/// If the end of a column was not found, returns the fault that a decoder reports first (F-1).
#[cold]
fn first_fault(
    window: &Window<'_>,
    schema: &Schema,
    id: TypeId,
    rows: u64,
    start: u64,
    fault: Error,
) -> Error {
    /// More than any item that is not a payload has.
    const ITEM: u64 = 64;
    let Some(at) = fault.offset() else { return fault };
    let end = at.saturating_add(ITEM).min(window.end());
    let decoded =
        window.read_range(start..end, |input| read_site(input, schema, id, rows).map(|_| ()));
    match decoded {
        Err(earlier) if earlier.offset() < Some(at) => earlier,
        _ => fault,
    }
}
