//! Reads a block by pulling values: each site has a cursor at its next row.
//!
//! Both the walk that emits events and sinks that read values without events use it. Such a sink takes exactly what the walk would
//! have emitted, in the same order. If the data is not as it expects, it goes back to where it began ([`BlockReader::go_back`]) and
//! takes the events instead.

use alloc::borrow::ToOwned;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::take;

use foldhash::quality::RandomState;

use super::Assembler;
use super::site::{RowShapes, SiteCursor, SiteShapes, SiteType, kind};
use crate::block::Block;
use crate::column::ints::IntBuffer;
use crate::dynamic::Sink;
use crate::error::{Code, Error, Result};
use crate::memory::{self, Collect, GrowSet, GrowVec};
use crate::number::IntKind;
use crate::platform::HashSet;
use crate::schema::{LogicalType, Scalar, Schema, Shape, Type, TypeId};

/// The form of a site's values, and how to read them. Sites are identified by index.
#[derive(Clone, Copy, Debug)]
pub enum SiteForm<'s> {
    /// [`BlockReader::pass`].
    Null,
    /// [`BlockReader::bool`].
    Bool,
    /// [`BlockReader::int`].
    Int(IntKind),
    /// [`BlockReader::f32`].
    F32,
    /// [`BlockReader::f64`].
    F64,
    /// [`BlockReader::text`].
    String,
    /// Byte strings, of one length or of any: [`BlockReader::bytes`].
    Bytes,
    /// [`BlockReader::is_there`], then a value of the site if present.
    Option(usize),
    /// [`BlockReader::variant`], then a value of that variant's site.
    Union(&'s [usize]),
    /// [`BlockReader::len`], then that many values of the site.
    List(usize),
    /// [`BlockReader::pass`], then a value of each site.
    Tuple(&'s [usize]),
    /// A mapping with string keys: [`BlockReader::shape`], then a value of each site of the shape.
    Record,
    /// An object of the named type, read as a record is.
    Struct(&'s Arc<str>),
    /// [`BlockReader::len`], then that many pairs of a key and a value.
    Map(usize, usize),
    /// [`BlockReader::pass`], then a value of the site, which is the storage of the logical type.
    Logical(&'s Arc<LogicalType>, usize),
    /// [`BlockReader::pass`], then a value of the site, which is the content of the extension with this name.
    Extension(&'s Arc<str>, usize),
    /// [`BlockReader::variant`], then a value of that variant's site; the variants have these names.
    NamedUnion(&'s [usize], &'s [Arc<str>]),
    /// [`BlockReader::pass`], then a value of the site; the first index is the definition's.
    Definition(usize, usize),
    /// A form that only events convey.
    Other,
}

/// An integer.
#[derive(Clone, Copy, Debug)]
pub enum RowInt<'r> {
    /// As [`Event::Int`](crate::events::Event::Int) or [`Event::FixedInt`](crate::events::Event::FixedInt) has it.
    Bits(u64),
    /// As [`Event::BigInt`](crate::events::Event::BigInt) has it.
    Big(&'r [u8]),
}

impl<'r> RowInt<'r> {
    #[inline]
    fn of(ints: &'r IntBuffer, row: usize) -> Self {
        match ints.big(row) {
            Some(big) => RowInt::Big(big),
            None => RowInt::Bits(ints.values[row]),
        }
    }
}

/// The rows of a block that are not taken yet, for each site. Earlier values determine how many there are; taking more panics.
pub struct BlockReader<'a, 's> {
    pub(super) types: &'s [Type],
    pub(super) definitions: &'s [TypeId],
    /// The rows of each definition that references point to.
    pub(super) referenced: Vec<HashSet<usize, RandomState>>,
    /// The first row of each definition that belongs to this root (F-87).
    pub(super) first: Vec<usize>,
    pub(super) sites: Vec<SiteCursor<'a>>,
    pub(super) starts: Vec<usize>,
    pub(super) shapes: SiteShapes<'s>,
}

/// The error for asking a row for a form it does not have. The walk by events reports the actual fault.
#[cold]
fn another() -> Error {
    Error::new(Code::BadSource).expected("a row of the requested form")
}

/// Takes the next row of a site, if the site has this kind.
macro_rules! next {
    ($rows:ident, $site:ident, $kind:pat => |$row:ident| $value:expr) => {{
        let site = &mut $rows.sites[$site];
        let $row = site.row;
        let $kind = &site.kind else { return Err(another()) };
        let value = $value;
        site.row += 1;
        Ok(value)
    }};
}

impl<'a, 's> BlockReader<'a, 's> {
    /// Reads all rows of a block, taking its columns.
    pub(crate) fn new(schema: &'s Schema, block: &mut Block<'a>) -> Self {
        let of_schema = schema.shapes();
        let types = schema.types();
        let sites = take(&mut block.columns).into_iter().zip(&of_schema.first).enumerate();
        let sites: Vec<SiteCursor<'_>> = sites
            .map(|(id, (column, &first))| SiteCursor {
                row: 0,
                at: 0,
                kind: kind(types, id, column, first),
            })
            .collected();
        let definitions = schema.definitions();
        BlockReader {
            types,
            definitions,
            referenced: referenced(&sites, definitions.len()),
            first: memory::filled(0, definitions.len()),
            sites,
            starts: take(&mut block.starts),
            shapes: SiteShapes {
                schema: &of_schema.shapes,
                first: &of_schema.first,
                own: Vec::new(),
            },
        }
    }

    /// Begins another root, which cannot refer to rows of earlier roots (F-87).
    pub(super) fn begin_root(&mut self) {
        for (first, body) in self.first.iter_mut().zip(self.definitions) {
            *first = self.sites[*body].row;
        }
    }

    /// Returns how many rows of a definition were taken.
    pub(super) fn taken(&self, definition: usize) -> usize {
        self.sites[self.definitions[definition]].row
    }

    /// Returns the form of a site's values.
    #[must_use]
    pub fn form(&self, site: usize) -> SiteForm<'s> {
        match &self.types[site] {
            Type::Null => SiteForm::Null,
            Type::Scalar(Scalar::Bool) => SiteForm::Bool,
            Type::Scalar(Scalar::Int(kind)) => SiteForm::Int(*kind),
            Type::Scalar(Scalar::F32) => SiteForm::F32,
            Type::Scalar(Scalar::F64) => SiteForm::F64,
            Type::Scalar(Scalar::String) => SiteForm::String,
            Type::Scalar(Scalar::Bytes | Scalar::Fixed(_)) => SiteForm::Bytes,
            Type::Option(inner) => SiteForm::Option(*inner),
            Type::Union(union) => match &union.names {
                None => SiteForm::Union(&union.variants),
                Some(names) => SiteForm::NamedUnion(&union.variants, names),
            },
            Type::Extension(name, inside) => SiteForm::Extension(name, *inside),
            Type::List(item) => SiteForm::List(*item),
            Type::Tuple(items) => SiteForm::Tuple(items),
            Type::Record(_) => SiteForm::Record,
            Type::Struct(name, _) => SiteForm::Struct(name),
            Type::Map(key, value) => SiteForm::Map(*key, *value),
            Type::Logical(ty, storage) => SiteForm::Logical(ty, *storage),
            Type::Def(number) => SiteForm::Definition(*number, self.definitions[*number]),
            _ => SiteForm::Other,
        }
    }

    /// Iterates over the sites of all fields that rows of a record or struct may have.
    pub fn fields(&self, site: usize) -> impl Iterator<Item = usize> + use<'s> {
        self.fields_of(site).map(|(_, site)| site)
    }

    /// Whether references in this block point to values of a definition. Such values must be read by events.
    #[must_use]
    pub fn is_referenced(&self, definition: usize) -> bool {
        !self.referenced[definition].is_empty()
    }

    /// Records the positions of these sites. Pass the site that you are about to read, and all sites that it leads to.
    pub fn mark(&self, sites: &[usize], marks: &mut Vec<(usize, usize)>) {
        marks.clear();
        marks.put_each(sites.iter().map(|&site| (self.sites[site].row, self.sites[site].at)));
    }

    /// Restores recorded positions. Everything taken since can be taken again.
    pub fn go_back(&mut self, sites: &[usize], marks: &[(usize, usize)]) {
        for (&site, &(row, at)) in sites.iter().zip(marks) {
            (self.sites[site].row, self.sites[site].at) = (row, at);
        }
    }

    /// Emits the next value of a site as events.
    ///
    /// # Errors
    /// Returns the sink's errors, and those of the data without paths.
    pub fn emit<S: Sink>(&mut self, site: usize, sink: &mut S) -> Result<()> {
        Assembler::new(self, sink).run(site)
    }

    /// The same; the path of an error begins below the site.
    ///
    /// # Errors
    /// The same.
    pub fn emit_below<S: Sink>(&mut self, site: usize, sink: &mut S) -> Result<()> {
        let mut walk = Assembler::new(self, sink);
        walk.run(site).map_err(|error| error.under(|| walk.path()[1..].to_owned()))
    }

    /// Takes a row that has no content of its own.
    #[inline]
    pub fn pass(&mut self, site: usize) {
        self.sites[site].row += 1;
    }

    /// # Errors
    /// This and the methods below fail if the row has another form.
    #[inline]
    pub fn bool(&mut self, site: usize) -> Result<bool> {
        next!(self, site, SiteType::Bool(bits) => |row| bits.decode_row(row))
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn int(&mut self, site: usize) -> Result<RowInt<'_>> {
        next!(self, site, SiteType::Int(_, ints) => |row| RowInt::of(ints, row))
    }

    /// Takes consecutive integers of type `int`. Returns `None` if the site does not hold 64-bit ints.
    #[inline]
    pub fn ints(&mut self, site: usize, len: usize) -> Option<&[u64]> {
        self.sites[site].row += self.peek_ints(site, len)?.len();
        let SiteCursor { row, kind: SiteType::Int(_, ints), .. } = &self.sites[site] else {
            return None;
        };
        Some(&ints.values[row - len..*row])
    }

    /// Returns them without taking them.
    #[inline]
    pub fn peek_ints(&self, site: usize, len: usize) -> Option<&[u64]> {
        let site = &self.sites[site];
        let SiteType::Int(IntKind::Int, ints) = &site.kind else { return None };
        if ints.has_bigs() {
            return None;
        }
        ints.values.get(site.row..site.row.checked_add(len)?)
    }

    /// The same where some may exceed 64 bits.
    #[inline]
    pub fn wide_ints(
        &mut self,
        site: usize,
        len: usize,
    ) -> Option<impl ExactSizeIterator<Item = RowInt<'_>> + '_> {
        let site = &mut self.sites[site];
        let SiteType::Int(IntKind::Int, ints) = &site.kind else { return None };
        let (start, end) = (site.row, site.row.checked_add(len)?);
        if end > ints.values.len() {
            return None;
        }
        site.row = end;
        Some((start..end).map(|row| RowInt::of(ints, row)))
    }

    /// The same for 64-bit floats.
    #[inline]
    pub fn floats(
        &mut self,
        site: usize,
        len: usize,
    ) -> Option<impl ExactSizeIterator<Item = f64> + '_> {
        let site = &mut self.sites[site];
        let SiteType::F64(floats) = &site.kind else { return None };
        let (start, end) = (site.row, site.row.checked_add(len)?);
        if end > floats.len() {
            return None;
        }
        site.row = end;
        Some((start..end).map(|row| floats.decode_f64(row)))
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn f32(&mut self, site: usize) -> Result<f32> {
        next!(self, site, SiteType::F32(floats) => |row| floats.decode_f32(row))
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn f64(&mut self, site: usize) -> Result<f64> {
        next!(self, site, SiteType::F64(floats) => |row| floats.decode_f64(row))
    }

    /// Takes a string, and its entry number if it comes from a dictionary, as in [`Sink::entry`](crate::events::Sink::entry).
    #[inline]
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    pub fn text(&mut self, site: usize) -> Result<(&'a str, Option<usize>)> {
        let SiteCursor { row, at, kind } = &mut self.sites[site];
        let SiteType::String(rows, text) = kind else { return Err(another()) };
        let (start, end) = rows.span(*row, *at);
        let number = rows.entry(*row);
        if number.is_none() {
            *at = end;
        }
        *row += 1;
        Ok((&text[start..end], number))
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn bytes(&mut self, site: usize) -> Result<&'a [u8]> {
        let SiteCursor { row, at, kind } = &mut self.sites[site];
        let bytes = match kind {
            SiteType::Bytes(rows, bytes) => {
                let (start, end) = rows.span(*row, *at);
                *at = end;
                &bytes[start..end]
            }
            SiteType::Fixed(len, bytes) => &bytes[*row * *len..(*row + 1) * *len],
            _ => return Err(another()),
        };
        *row += 1;
        Ok(bytes)
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn is_there(&mut self, site: usize) -> Result<bool> {
        next!(self, site, SiteType::Option(bits, _) => |row| bits.decode_row(row))
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn variant(&mut self, site: usize) -> Result<usize> {
        next!(self, site, (SiteType::Union(which, _) | SiteType::NamedUnion(which, ..)) => |row| {
            which.as_ref().map_or(0, |which| which[row] as usize)
        })
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn len(&mut self, site: usize) -> Result<usize> {
        next!(self, site, (SiteType::List(lengths, ..) | SiteType::Map(lengths, ..)) => |row| {
            lengths[row] as usize
        })
    }

    /// Takes the number of the next row's shape, for [`BlockReader::shape_of`].
    #[inline]
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    pub fn shape(&mut self, site: usize) -> Result<usize> {
        let SiteCursor { row, at, kind } = &mut self.sites[site];
        let SiteType::Record(_, rows) = kind else { return Err(another()) };
        let shape = rows.shape(*row, at, &mut self.shapes);
        *row += 1;
        Ok(shape)
    }

    /// Whether the rows of a site list their fields instead of having a shape.
    #[inline]
    #[must_use]
    pub fn is_sparse(&self, site: usize) -> bool {
        matches!(&self.sites[site].kind, SiteType::Record(_, RowShapes::Sparse { .. }))
    }

    /// Takes the numbers of the next row's fields, for rows that list them instead of a shape, and appends them to `fields`.
    /// Returns whether the site has such rows.
    #[inline]
    pub fn sparse(&mut self, site: usize, fields: &mut Vec<usize>) -> bool {
        let SiteCursor { row, at, kind } = &mut self.sites[site];
        let SiteType::Record(_, RowShapes::Sparse { counts, numbers, .. }) = kind else {
            return false;
        };
        let end = *at + counts[*row] as usize;
        fields.put_each(numbers[*at..end].iter().map(|&field| field as usize));
        *at = end;
        *row += 1;
        true
    }

    /// Returns the names and sites of a record's fields, by their numbers.
    pub fn fields_of(&self, site: usize) -> impl Iterator<Item = (&'s Arc<str>, usize)> + use<'s> {
        let fields: &[_] = match &self.types[site] {
            Type::Record(of) | Type::Struct(_, of) => &of.fields,
            _ => &[],
        };
        fields.iter().map(|(name, site)| (name, *site))
    }

    /// Takes the variants of consecutive rows of a union with several. Returns `None` for another site.
    #[inline]
    pub fn variants(&mut self, site: usize, len: usize) -> Option<&[u64]> {
        let SiteCursor { row, kind, .. } = &mut self.sites[site];
        let (SiteType::Union(Some(which), _) | SiteType::NamedUnion(Some(which), ..)) = kind else {
            return None;
        };
        let some = which.get(*row..row.checked_add(len)?)?;
        *row += len;
        Some(some)
    }

    /// Takes several rows that have no content of their own.
    #[inline]
    pub fn pass_rows(&mut self, site: usize, rows: usize) {
        self.sites[site].row += rows;
    }

    /// Returns a shape, and the sites of its values.
    #[inline]
    #[must_use]
    pub fn shape_of(&self, number: usize) -> (&Shape, &[usize]) {
        let own = self.shapes.get(number);
        (&own.shape, &own.sites)
    }
}

/// The number of rows that are noted in an array before a set of them.
const NOTED: usize = 512;

/// Finds the rows of each definition that references point to.
fn referenced(sites: &[SiteCursor<'_>], definitions: usize) -> Vec<HashSet<usize, RandomState>> {
    let mut referenced = memory::filled(HashSet::default(), definitions);
    for site in sites {
        if let SiteType::Shared { definition, numbers, .. } = &site.kind {
            let rows =
                numbers.iter().filter_map(|number| usize::try_from(number.checked_sub(1)?).ok());
            // References mostly are to few rows: those among the first are noted once.
            let mut noted = [false; NOTED];
            let rows = rows.filter(|row| {
                !noted.get_mut(*row).is_some_and(|noted| core::mem::replace(noted, true))
            });
            referenced[*definition].put_each(rows);
        }
    }
    referenced
}
