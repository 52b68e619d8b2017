//! The rows of sites, for a sink that reads values by itself: without events, and without frames.
//!
//! What it takes is what the walk would have told it, in the same order. If anything is not as it expects, it goes back to where it
//! began ([`Rows::go_back`]) and is told.

use std::collections::HashSet;
use std::mem::take;
use std::sync::Arc;

use foldhash::quality::RandomState;

use super::Assembler;
use super::site::{Kind, Shapes, Site};
use crate::dynamic::Sink;
use crate::error::{Code, Error, Result};
use crate::number::IntKind;
use crate::schema::Shape;
use crate::schema::{LogicalType, Scalar, Type, TypeId};

/// What the values of a site are. Sites are numbers.
#[derive(Clone, Copy, Debug)]
pub enum SiteForm<'s> {
    /// [`Rows::pass`].
    Null,
    /// [`Rows::bool`].
    Bool,
    /// [`Rows::int`].
    Int(IntKind),
    /// [`Rows::f32`].
    F32,
    /// [`Rows::f64`].
    F64,
    /// [`Rows::text`].
    String,
    /// Byte strings, of one length or of any: [`Rows::bytes`].
    Bytes,
    /// [`Rows::is_there`], then a value of the site if so.
    Option(usize),
    /// [`Rows::variant`], then a value of that one's site.
    Union(&'s [usize]),
    /// [`Rows::len`], then so many values of the site.
    List(usize),
    /// [`Rows::pass`], then a value of each site.
    Tuple(&'s [usize]),
    /// A mapping with keys of text: [`Rows::shape`], then a value of each site of the shape.
    Record,
    /// The same, an object of a type with this name.
    Struct(&'s Arc<str>),
    /// [`Rows::len`], then so many times a value of each.
    Map(usize, usize),
    /// [`Rows::pass`], then a value of the site, which has a meaning.
    Logical(&'s Arc<LogicalType>, usize),
    /// [`Rows::pass`], then a value of the site: that of the definition of this number.
    Definition(usize, usize),
    /// What has to be told.
    Other,
}

/// An integer.
#[derive(Clone, Copy, Debug)]
pub enum RowInt<'r> {
    /// As [`Sink::int`](crate::Sink::int) or [`Sink::fixed_int`](crate::Sink::fixed_int) has it.
    Bits(u64),
    /// As [`Sink::big_int`](crate::Sink::big_int) has it.
    Big(&'r [u8]),
}

/// The rows that are still to be taken, of each site. There are as many as the values that came before say; who asks for
/// more meets a panic.
pub struct Rows<'w, 'a, 's> {
    pub(super) types: &'s [Type],
    pub(super) definitions: &'s [TypeId],
    pub(super) again: &'w mut Vec<HashSet<usize, RandomState>>,
    pub(super) first: &'w mut Vec<usize>,
    pub(super) sites: &'w mut Vec<Site<'a>>,
    pub(super) starts: &'w mut Vec<usize>,
    pub(super) shapes: &'w mut Shapes<'s>,
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

impl<'a, 's> Rows<'_, 'a, 's> {
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
            Type::Union(union) if union.names.is_none() => SiteForm::Union(&union.variants),
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

    /// Whether values of a definition come again in this block: those have to be told.
    #[must_use]
    pub fn come_again(&self, definition: usize) -> bool {
        !self.again[definition].is_empty()
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

    /// Tells the next value of a site after all.
    ///
    /// # Errors
    /// As the sink, and those of the data, without paths.
    pub fn tell<S: Sink>(&mut self, site: usize, sink: &mut S) -> Result<()> {
        let Shapes { schema, first, own } = self.shapes;
        let mut walk = Assembler {
            types: self.types,
            definitions: self.definitions,
            again: take(self.again),
            first: take(self.first),
            sites: take(self.sites),
            starts: take(self.starts),
            shapes: Shapes { schema, first, own: take(own) },
            stack: Vec::new(),
            own: Vec::new(),
            sink,
        };
        let told = walk.run(site);
        let Assembler { again, first, sites, starts, shapes, .. } = walk;
        (*self.again, *self.first, *self.sites, *self.starts) = (again, first, sites, starts);
        self.shapes.own = shapes.own;
        told
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
        next!(self, site, Kind::Union(which, _) => |row| {
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

    /// The number of the next row's shape: see [`Rows::shape_of`].
    #[inline]
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    pub fn shape(&mut self, site: usize) -> Result<usize> {
        let Site { row, at, kind } = &mut self.sites[site];
        let Kind::Record(_, rows) = kind else { return Err(another()) };
        let shape = rows.shape(*row, at, self.shapes);
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
