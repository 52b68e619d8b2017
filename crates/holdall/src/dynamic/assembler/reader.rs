//! A block that is read by pulling: a cursor for each site, which stands at the site's next row.
//!
//! The walk that emits events drives it, and so does a sink that reads values by itself, without events and without frames.
//! What such a sink takes is what the walk would have emitted, in the same order. If anything is not as it expects, it goes back to
//! where it began ([`BlockReader::go_back`]) and has the events.

use std::collections::HashSet;
use std::mem::take;
use std::sync::Arc;

use foldhash::quality::RandomState;

use super::Assembler;
use super::site::{Kind, Shapes, Site, kind};
use crate::block::Block;
use crate::dynamic::Sink;
use crate::error::{Code, Error, Result};
use crate::number::IntKind;
use crate::schema::{LogicalType, Scalar, Schema, Shape, Type, TypeId};

/// What the values of a site are. Sites are numbers.
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
    /// [`BlockReader::is_there`], then a value of the site if so.
    Option(usize),
    /// [`BlockReader::variant`], then a value of that one's site.
    Union(&'s [usize]),
    /// [`BlockReader::len`], then so many values of the site.
    List(usize),
    /// [`BlockReader::pass`], then a value of each site.
    Tuple(&'s [usize]),
    /// A mapping with keys of text: [`BlockReader::shape`], then a value of each site of the shape.
    Record,
    /// The same, an object of a type with this name.
    Struct(&'s Arc<str>),
    /// [`BlockReader::len`], then so many times a value of each.
    Map(usize, usize),
    /// [`BlockReader::pass`], then a value of the site, which has a meaning.
    Logical(&'s Arc<LogicalType>, usize),
    /// The same, a value of an extension with this name.
    Extension(&'s Arc<str>, usize),
    /// [`BlockReader::variant`], then a value of that one's site; variants have these names.
    Choice(&'s [usize], &'s [Arc<str>]),
    /// [`BlockReader::pass`], then a value of the site: that of the definition of this number.
    Definition(usize, usize),
    /// What needs its events.
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

/// The rows of a block that were not taken yet, for each site. Earlier values give their numbers; taking more panics.
pub struct BlockReader<'a, 's> {
    pub(super) types: &'s [Type],
    pub(super) definitions: &'s [TypeId],
    /// The rows of each definition to which references lead.
    pub(super) referenced: Vec<HashSet<usize, RandomState>>,
    /// The first row of each definition that belongs to this root (F-87).
    pub(super) first: Vec<usize>,
    pub(super) sites: Vec<Site<'a>>,
    pub(super) starts: Vec<usize>,
    pub(super) shapes: Shapes<'s>,
}

/// A row is asked for as what it is not: the walk says what that means.
#[cold]
fn another() -> Error {
    Error::new(Code::BadSource).expected("a row of this form")
}

/// The next row of a site, if it is of a kind.
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
    /// All rows of a block, whose columns it takes.
    pub(crate) fn new(schema: &'s Schema, block: &mut Block<'a>) -> Self {
        let of_schema = schema.shapes();
        let types = schema.types();
        let sites = take(&mut block.columns).into_iter().zip(&of_schema.first).enumerate();
        let sites: Vec<Site<'_>> = sites
            .map(|(id, (column, &first))| Site {
                row: 0,
                at: 0,
                kind: kind(types, id, column, first),
            })
            .collect();
        let definitions = schema.definitions();
        BlockReader {
            types,
            definitions,
            referenced: referenced(&sites, definitions.len()),
            first: vec![0; definitions.len()],
            sites,
            starts: take(&mut block.starts),
            shapes: Shapes { schema: &of_schema.shapes, first: &of_schema.first, own: Vec::new() },
        }
    }

    /// What comes is another root: it has no rows of those before (F-87).
    pub(super) fn begin_root(&mut self) {
        for (first, body) in self.first.iter_mut().zip(self.definitions) {
            *first = self.sites[*body].row;
        }
    }

    /// How many rows of a definition were taken.
    pub(super) fn taken(&self, definition: usize) -> usize {
        self.sites[self.definitions[definition]].row
    }

    /// What the values of a site are.
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
                Some(names) => SiteForm::Choice(&union.variants, names),
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

    /// The sites of all fields that rows of a record or struct may have.
    pub fn fields(&self, site: usize) -> impl Iterator<Item = usize> + use<'s> {
        let fields: &[_] = match &self.types[site] {
            Type::Record(of) | Type::Struct(_, of) => &of.fields,
            _ => &[],
        };
        fields.iter().map(|(_, site)| *site)
    }

    /// Whether references lead to values of a definition in this block: those need their events.
    #[must_use]
    pub fn is_referenced(&self, definition: usize) -> bool {
        !self.referenced[definition].is_empty()
    }

    /// Where these sites are: that one which is read from here on, and all that it leads to.
    pub fn mark(&self, sites: &[usize], marks: &mut Vec<(usize, usize)>) {
        marks.clear();
        marks.extend(sites.iter().map(|&site| (self.sites[site].row, self.sites[site].at)));
    }

    /// Goes back to where they were: what was taken since is still to be taken.
    pub fn go_back(&mut self, sites: &[usize], marks: &[(usize, usize)]) {
        for (&site, &(row, at)) in sites.iter().zip(marks) {
            (self.sites[site].row, self.sites[site].at) = (row, at);
        }
    }

    /// Emits the next value of a site after all.
    ///
    /// # Errors
    /// As the sink, and those of the data, without paths.
    pub fn emit<S: Sink>(&mut self, site: usize, sink: &mut S) -> Result<()> {
        Assembler::new(self, sink).run(site)
    }

    /// Takes a row that says nothing by itself.
    #[inline]
    pub fn pass(&mut self, site: usize) {
        self.sites[site].row += 1;
    }

    /// # Errors
    /// This and all below: the row is of another form.
    #[inline]
    pub fn bool(&mut self, site: usize) -> Result<bool> {
        next!(self, site, Kind::Bool(bits) => |row| bits.decode_row(row))
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn int(&mut self, site: usize) -> Result<RowInt<'_>> {
        next!(self, site, Kind::Int(_, ints) => |row| {
            match ints.bigs.binary_search_by_key(&row, |(at, _)| *at) {
                Ok(index) => RowInt::Big(&ints.bigs[index].1),
                Err(_) => RowInt::Bits(ints.values[row]),
            }
        })
    }

    /// So many integers in a row, of type int and 64 bits; none if they are not.
    #[inline]
    pub fn ints(&mut self, site: usize, len: usize) -> Option<&[u64]> {
        let site = &mut self.sites[site];
        let Kind::Int(IntKind::Int, ints) = &site.kind else { return None };
        if !ints.bigs.is_empty() {
            return None;
        }
        let values = ints.values.get(site.row..site.row.checked_add(len)?)?;
        site.row += len;
        Some(values)
    }

    /// The same of floats of 64 bits.
    #[inline]
    pub fn floats(
        &mut self,
        site: usize,
        len: usize,
    ) -> Option<impl ExactSizeIterator<Item = f64> + '_> {
        let site = &mut self.sites[site];
        let Kind::F64(floats) = &site.kind else { return None };
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
        next!(self, site, Kind::F32(floats) => |row| floats.decode_f32(row))
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn f64(&mut self, site: usize) -> Result<f64> {
        next!(self, site, Kind::F64(floats) => |row| floats.decode_f64(row))
    }

    /// A string, and its number if it is an entry of a dictionary, as [`Sink::entry`](crate::Sink::entry) has it.
    #[inline]
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    pub fn text(&mut self, site: usize) -> Result<(&'a str, Option<usize>)> {
        let Site { row, at, kind } = &mut self.sites[site];
        let Kind::String(rows, text) = kind else { return Err(another()) };
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
        let Site { row, at, kind } = &mut self.sites[site];
        let bytes = match kind {
            Kind::Bytes(rows, bytes) => {
                let (start, end) = rows.span(*row, *at);
                *at = end;
                &bytes[start..end]
            }
            Kind::Fixed(len, bytes) => &bytes[*row * *len..(*row + 1) * *len],
            _ => return Err(another()),
        };
        *row += 1;
        Ok(bytes)
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn is_there(&mut self, site: usize) -> Result<bool> {
        next!(self, site, Kind::Option(bits, _) => |row| bits.decode_row(row))
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn variant(&mut self, site: usize) -> Result<usize> {
        next!(self, site, (Kind::Union(which, _) | Kind::Choice(which, ..)) => |row| {
            which.as_ref().map_or(0, |which| which[row] as usize)
        })
    }

    #[inline]
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    pub fn len(&mut self, site: usize) -> Result<usize> {
        next!(self, site, (Kind::List(lengths, ..) | Kind::Map(lengths, ..)) => |row| {
            lengths[row] as usize
        })
    }

    /// The number of the next row's shape: see [`BlockReader::shape_of`].
    #[inline]
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    pub fn shape(&mut self, site: usize) -> Result<usize> {
        let Site { row, at, kind } = &mut self.sites[site];
        let Kind::Record(_, rows) = kind else { return Err(another()) };
        let shape = rows.shape(*row, at, &mut self.shapes);
        *row += 1;
        Ok(shape)
    }

    /// A shape, and the sites of its values.
    #[inline]
    #[must_use]
    pub fn shape_of(&self, number: usize) -> (&Shape, &[usize]) {
        let own = self.shapes.get(number);
        (&own.shape, &own.sites)
    }
}

/// The rows of each definition to which references lead.
fn referenced(sites: &[Site<'_>], definitions: usize) -> Vec<HashSet<usize, RandomState>> {
    let mut referenced = vec![HashSet::default(); definitions];
    for site in sites {
        if let Kind::Shared { definition, numbers, .. } = &site.kind {
            let rows =
                numbers.iter().filter_map(|number| usize::try_from(number.checked_sub(1)?).ok());
            referenced[*definition].extend(rows);
        }
    }
    referenced
}
