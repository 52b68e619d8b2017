//! The rows of a block as they are taken, site by site.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;

use half::{bf16, f16};

use super::Decode;
use super::columns::{deeper_with_room, too_deep};
use super::plan::{Plan, Site};
use crate::block::{Block, Column};
use crate::column::floats::Rows as Floats;
use crate::column::ints::Offsets;
use crate::error::{Code, Error, Result};
use crate::row_path::{parents, row_path};
use crate::schema::Type;

/// Bytes that a reader may allocate for each unit of the budget.
const BYTES_PER_UNIT: u64 = 4;

/// What a definition's row became that can come again.
pub(crate) enum Known {
    /// It is being read; the handle is a weak one, if there can be one.
    Begun(Option<Box<dyn Any>>),
    Read(Box<dyn Any>),
}

/// Gives the rows of values: what [`Decode`](super::Decode) reads from.
///
/// A type by hand that reads other rows than it describes gets `bad_source` for those of another kind; more rows than there
/// are is a panic.
pub struct Rows<'b, 'de> {
    pub(super) plan: &'b Plan,
    block: &'b Block<'b>,
    message: &'de [u8],
    /// Of each site, the next row, and where its text or its dimensions begin.
    next: Vec<(usize, usize)>,
    /// Of each site, once it was asked for, all its text as a part of the message, if it is one.
    texts: Vec<Option<Option<&'de str>>>,
    /// Of each definition, the rows that were begun.
    taken: Vec<usize>,
    known: HashMap<(usize, usize), Known>,
    depth: usize,
    limit: usize,
    /// No value is deeper: each level is a row of a definition.
    deepest: usize,
    /// Bytes that may still be allocated.
    memory: u64,
    /// Nothing that is read is kept: only whether it can be read is of interest.
    pub(crate) rehearsal: bool,
}

/// What a type reads is not what it describes, or a later version wrote the column (F-77).
#[cold]
fn mismatch(column: &Column<'_>) -> Error {
    match column {
        Column::Unknown => Error::new(Code::Unconvertible)
            .expected("values of an encoding that this version knows")
            .got("unknown ones"),
        _ => Error::new(Code::BadSource).expected("rows of the type that was described"),
    }
}

/// What stands at a site of shared values.
pub(crate) enum Reference {
    /// The definition's row that comes next, with its number, and its site.
    New(usize, Site),
    /// A row that came before.
    Again(usize),
}

/// A row of tensors.
#[cfg(feature = "ndarray")]
pub(crate) struct TensorRow<'b> {
    pub(crate) shape: &'b [u64],
    pub(crate) column_major: bool,
    pub(crate) elements: &'b [u8],
}

impl<'b, 'de> Rows<'b, 'de> {
    pub(crate) fn new(
        plan: &'b Plan,
        block: &'b Block<'b>,
        message: &'de [u8],
        (limit, units): (usize, u64),
    ) -> Self {
        Rows {
            plan,
            block,
            message,
            next: vec![(0, 0); plan.schema.types().len()],
            texts: Vec::new(),
            taken: vec![0; plan.schema.definitions().len()],
            known: HashMap::new(),
            depth: 0,
            limit,
            deepest: limit.min(block.definition_rows()),
            memory: units.saturating_mul(BYTES_PER_UNIT),
            rehearsal: false,
        }
    }

    /// All rows of all definitions must have been taken (F-36).
    pub(crate) fn check_taken(&self) -> Result<()> {
        self.block.check_taken(|definition| self.taken[definition])
    }

    /// The site of a type inside that of a site, counted in the order in which they were described.
    #[inline]
    #[must_use]
    pub fn child(&self, site: Site, number: usize) -> Site {
        self.plan.child(site, number)
    }

    /// Reads a row at a site; if that is a use of a definition, at the definition's.
    ///
    /// # Errors
    /// Those of `row`; `limit_depth`.
    #[inline]
    pub fn enter<R>(
        &mut self,
        site: Site,
        row: impl FnOnce(&mut Self, Site) -> Result<R>,
    ) -> Result<R> {
        match *self.plan.ty(site) {
            Type::Def(number) => {
                self.taken[number] += 1;
                let body = self.plan.child(site, 0);
                self.enter_definition(body, row)
            }
            _ => row(self, site),
        }
    }

    pub(crate) fn enter_definition<R>(
        &mut self,
        body: Site,
        row: impl FnOnce(&mut Self, Site) -> Result<R>,
    ) -> Result<R> {
        if self.depth == self.limit {
            return Err(too_deep(self.limit));
        }
        self.depth += 1;
        let below = self.deepest.saturating_sub(self.depth);
        let done = deeper_with_room(below, || row(self, body));
        self.depth -= 1;
        done
    }

    /// Reads a field that has a default, of data that may lack it.
    ///
    /// # Errors
    /// As [`Decode::read`](super::Decode::read).
    pub fn read_or<T: Decode<'de>>(
        &mut self,
        site: Site,
        default: impl FnOnce() -> T,
    ) -> Result<T> {
        match self.present(site)? {
            Some(site) => T::read(site, self),
            None => Ok(default()),
        }
    }

    /// The site of a field that has a default, if the row has it.
    fn present(&mut self, site: Site) -> Result<Option<Site>> {
        match self.plan.is_lenient {
            true => Ok(self.bit(site)?.then(|| self.plan.child(site, 0))),
            false => Ok(Some(site)),
        }
    }

    /// Reads a value that a function makes of one of another type.
    ///
    /// # Errors
    /// As [`Decode::read`](super::Decode::read); `unconvertible` with what the function says.
    pub fn converted<T, As: Decode<'de>, E: Display>(
        &mut self,
        site: Site,
        convert: impl FnOnce(As) -> Result<T, E>,
    ) -> Result<T> {
        // More rows of a definition may be inside this one.
        let (place, row) = self.begun(site);
        let value = As::read(site, self)?;
        convert(value).map_err(|error| self.refused::<T>(place, row, error.to_string()))
    }

    /// What a function says of the value of a row.
    #[cold]
    pub(super) fn refused<T>(&self, site: Site, row: Option<usize>, why: String) -> Error {
        Error::new(Code::Unconvertible)
            .expected(std::any::type_name::<T>())
            .got(why)
            .with_path(|| self.path(site, row))
    }

    /// The same for a field that has a default.
    ///
    /// # Errors
    /// As [`Rows::converted`].
    pub fn converted_or<T, As: Decode<'de>, E: Display>(
        &mut self,
        site: Site,
        convert: impl FnOnce(As) -> Result<T, E>,
        default: impl FnOnce() -> T,
    ) -> Result<T> {
        match self.present(site)? {
            Some(site) => self.converted(site, convert),
            None => Ok(default()),
        }
    }

    /// A variant that the type lacks: its description and its code differ.
    #[cold]
    pub fn no_variant(&self, site: Site) -> Error {
        self.unconvertible(site, "a variant of the type", "another")
    }

    /// The row taken last from a site cannot be a part of the message: it is in a compressed column, was written under another
    /// schema, or stands at an address that does not fit.
    #[cold]
    pub(crate) fn not_borrowed(&self, site: Site, what: &'static str) -> Error {
        self.unconvertible(
            site,
            format!("{what} that stands in the message as it is in memory"),
            "one that does not: Cow holds both",
        )
    }

    /// Before `count` values of a type are allocated.
    ///
    /// # Errors
    /// `limit_budget` if they are too many.
    #[inline]
    pub fn allocate<T>(&mut self, count: usize) -> Result<()> {
        let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
        match self.memory.checked_sub(bytes) {
            Some(left) => self.memory = left,
            None => return Err(self.no_memory(bytes)),
        }
        Ok(())
    }

    #[cold]
    fn no_memory(&self, bytes: u64) -> Error {
        Error::new(Code::LimitBudget)
            .expected(format!("values of at most {} bytes more", self.memory))
            .got(format!("{bytes} bytes"))
    }

    /// A value of the row taken last from a site is none of its type.
    #[cold]
    pub fn unconvertible(
        &self,
        site: Site,
        expected: impl Into<std::borrow::Cow<'static, str>>,
        got: impl Into<std::borrow::Cow<'static, str>>,
    ) -> Error {
        let (site, begun) = self.begun(site);
        let row = begun.map(|begun| begun.saturating_sub(1));
        Error::new(Code::Unconvertible)
            .expected(expected)
            .got(got)
            .with_path(|| self.path(site, row))
    }

    fn path(&self, site: Site, row: Option<usize>) -> String {
        let schema = &self.plan.schema;
        row_path(schema, &parents(schema), &self.block.columns, site.index(), row)
    }

    /// How many rows of a site were begun, as far as a column tells; of a use of a definition, those of that.
    pub(super) fn begun(&self, site: Site) -> (Site, Option<usize>) {
        match *self.plan.ty(site) {
            Type::Def(number) => (self.plan.child(site, 0), Some(self.taken[number])),
            _ => (site, self.begun_inside(site)),
        }
    }

    // The recursion ends at NESTING levels.
    fn begun_inside(&self, site: Site) -> Option<usize> {
        let inside = |number: usize| self.begun_inside(self.plan.child(site, number));
        match self.plan.ty(site) {
            Type::Record(of) | Type::Struct(_, of) => (0..of.fields.len()).find_map(inside),
            Type::Tuple(items) => (0..items.len()).find_map(inside),
            Type::Logical(..) | Type::Extension(..) | Type::Packed(_) => inside(0),
            Type::Array(len, _) => inside(0).and_then(|rows| rows.checked_div(*len as usize)),
            Type::Union(of) if of.variants.len() == 1 => inside(0),
            Type::Def(_) | Type::Null | Type::Never | Type::Tensor(_) | Type::Unknown(_) => None,
            _ => Some(self.next[site.index()].0),
        }
    }

    /// Two keys of a map are equal (F-35).
    #[cold]
    pub(crate) fn duplicate_key(&self, keys: Site) -> Error {
        Error::at(Code::DuplicateKey, self.block.starts[keys.index()])
            .expected("keys that differ")
            .got("two that are equal")
    }

    #[inline]
    fn take(&mut self, site: Site) -> (&'b Column<'b>, usize) {
        let row = &mut self.next[site.index()].0;
        let own = *row;
        *row += 1;
        (&self.block.columns[site.index()], own)
    }

    /// Whether rows have to be read one by one; otherwise all rows of one type inside may come before those of the next.
    #[inline]
    #[must_use]
    pub fn one_by_one(&self, site: Site) -> bool {
        self.plan.one_by_one(site)
    }

    /// The column of a site, and the first of so many rows that are taken from it.
    #[inline]
    fn take_rows(&mut self, site: Site, count: usize) -> (&'b Column<'b>, Range<usize>) {
        let row = &mut self.next[site.index()].0;
        let own = *row..*row + count;
        *row = own.end;
        (&self.block.columns[site.index()], own)
    }

    #[inline]
    pub(crate) fn bits(
        &mut self,
        site: Site,
        count: usize,
    ) -> Result<impl Iterator<Item = bool> + use<'b>> {
        match self.take_rows(site, count) {
            (Column::Bits(bits), rows) => Ok(rows.map(|row| bits.decode_row(row))),
            (column, _) => Err(mismatch(column)),
        }
    }

    #[inline]
    pub(crate) fn bit(&mut self, site: Site) -> Result<bool> {
        match self.take(site) {
            (Column::Bits(bits), row) => Ok(bits.decode_row(row)),
            (column, _) => Err(mismatch(column)),
        }
    }

    /// The low 64 bits of an integer, and the integer if that is more.
    #[inline]
    pub(crate) fn int(&mut self, site: Site) -> Result<u64> {
        match self.take(site) {
            (Column::Ints(ints), row) => Ok(ints.rows().values[row]),
            (column, _) => Err(mismatch(column)),
        }
    }

    /// An integer that may not fit 64 bits: then its two's complement, little-endian.
    pub(crate) fn big(&mut self, site: Site) -> Result<std::result::Result<u64, &'b [u8]>> {
        match self.take(site) {
            (Column::Ints(ints), row) => {
                let ints = ints.rows();
                match ints.bigs.binary_search_by_key(&row, |(row, _)| *row) {
                    Ok(at) => Ok(Err(&ints.bigs[at].1)),
                    Err(_) => Ok(Ok(ints.values[row])),
                }
            }
            (column, _) => Err(mismatch(column)),
        }
    }

    /// The next integers of a site, of which there is at least one.
    #[inline]
    pub(crate) fn ints(&mut self, site: Site, count: usize) -> Result<&'b [u64]> {
        match self.take_rows(site, count) {
            (Column::Ints(ints), rows) => Ok(&ints.rows().values[rows]),
            (column, _) => Err(mismatch(column)),
        }
    }

    /// The next numbers of u8 of a site, of which there is at least one, if they stand in the input as they are; else none is
    /// taken.
    #[inline]
    pub(crate) fn byte_rows(&mut self, site: Site, count: usize) -> Result<Option<&'b [u8]>> {
        let column = &self.block.columns[site.index()];
        let Column::Ints(ints) = column else { return Err(mismatch(column)) };
        Ok(ints.bytes().map(|bytes| &bytes[self.take_rows(site, count).1]))
    }

    /// The bytes of the next packed rows of a site, of which there is at least one.
    #[inline]
    pub(crate) fn packed(&mut self, site: Site, count: usize, width: usize) -> Result<&'b [u8]> {
        match self.take_rows(site, count) {
            (Column::Raw(raw), rows) => {
                raw.get(rows.start * width..rows.end * width).ok_or_else(|| mismatch(&Column::None))
            }
            (column, _) => Err(mismatch(column)),
        }
    }

    /// Gives the rows of a site that were taken back, if they came to nothing.
    #[inline]
    pub(crate) fn or_untaken<R>(
        &mut self,
        site: Site,
        take: impl FnOnce(&mut Self) -> Result<Option<R>>,
    ) -> Result<Option<R>> {
        let before = self.next[site.index()];
        let taken = take(self)?;
        if taken.is_none() {
            self.next[site.index()] = before;
        }
        Ok(taken)
    }

    /// Whether the rows of a site are packed: those of data of other schemas are not.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn is_packed(&self, site: Site) -> bool {
        matches!(self.plan.ty(site), Type::Packed(_))
    }

    /// The next floats of a site, of which there is at least one, by their bytes.
    #[inline]
    pub(crate) fn float_rows<const W: usize>(
        &mut self,
        site: Site,
        count: usize,
    ) -> Result<Floats<'b, W>> {
        match self.take_rows(site, count) {
            (Column::Floats(floats), rows) => Ok(floats.decode_rows(rows)),
            (column, _) => Err(mismatch(column)),
        }
    }

    /// A length, the number of a variant.
    ///
    /// # Errors
    /// `bad_source` at a site that has none.
    #[inline]
    pub fn number(&mut self, site: Site) -> Result<usize> {
        match self.take(site) {
            // What is counted was charged, so it fits.
            (Column::Numbers(numbers), row) => Ok(numbers[row] as usize),
            // A union of one variant has no column.
            (Column::None, _) => Ok(0),
            (column, _) => Err(mismatch(column)),
        }
    }

    #[inline]
    pub(crate) fn text(&mut self, site: Site) -> Result<&'b str> {
        let (row, at) = self.next[site.index()];
        let column = &self.block.columns[site.index()];
        let Column::Strings { rows, text } = column else { return Err(mismatch(column)) };
        let (start, end) = rows.span(row, at);
        self.next[site.index()] = (row + 1, end);
        Ok(&text[start..end])
    }

    /// The same as a part of the message, if it is one; else the text itself.
    #[inline]
    pub(crate) fn borrowed_text(
        &mut self,
        site: Site,
    ) -> Result<std::result::Result<&'de str, &'b str>> {
        let (row, at) = self.next[site.index()];
        let column = &self.block.columns[site.index()];
        let Column::Strings { rows, text } = column else { return Err(mismatch(column)) };
        let (start, end) = rows.span(row, at);
        self.next[site.index()] = (row + 1, end);
        let whole = match self.texts.get(site.index()) {
            Some(Some(known)) => *known,
            _ => self.borrow_column(site, text),
        };
        Ok(whole.map(|whole| &whole[start..end]).ok_or(&text[start..end]))
    }

    /// The text of a whole column as a part of the message, found once.
    #[cold]
    fn borrow_column(&mut self, site: Site, text: &str) -> Option<&'de str> {
        // They are the same bytes, but of another lifetime; so they are checked to be UTF-8 once more.
        let whole = self.borrow(text.as_bytes()).and_then(|whole| std::str::from_utf8(whole).ok());
        self.texts.resize(self.next.len(), None);
        self.texts[site.index()] = Some(whole);
        whole
    }

    #[inline]
    #[cfg(feature = "bytes")]
    pub(crate) fn bytes(&mut self, site: Site) -> Result<&'b [u8]> {
        let (row, at) = self.next[site.index()];
        let column = &self.block.columns[site.index()];
        let Column::Bytes { rows, bytes } = column else { return Err(mismatch(column)) };
        let (start, end) = rows.span(row, at);
        self.next[site.index()] = (row + 1, end);
        Ok(&bytes[start..end])
    }

    /// A byte string of a type in which all have this length.
    #[inline]
    pub(crate) fn fixed<const LEN: usize>(&mut self, site: Site) -> Result<[u8; LEN]> {
        match self.take(site) {
            (Column::Raw(raw), row) if raw.len() >= (row + 1) * LEN => {
                Ok(raw[row * LEN..].first_chunk().copied().unwrap_or([0; LEN]))
            }
            (column, _) => Err(mismatch(column)),
        }
    }

    /// A tensor: its dimensions, order and elements (F-76).
    #[cfg(feature = "ndarray")]
    pub(crate) fn tensor(&mut self, site: Site) -> Result<TensorRow<'b>> {
        let (row, at) = self.next[site.index()];
        let column = &self.block.columns[site.index()];
        let Column::Tensors(tensors) = column else { return Err(mismatch(column)) };
        let end = at + tensors.ranks[row] as usize;
        self.next[site.index()] = (row + 1, end);
        Ok(TensorRow {
            shape: &tensors.dimensions[at..end],
            column_major: tensors.orders.decode_row(row),
            elements: tensors.elements[row],
        })
    }

    /// The same bytes as a part of the message, where they are one.
    #[inline]
    pub(crate) fn borrow(&self, bytes: &[u8]) -> Option<&'de [u8]> {
        let start = bytes.as_ptr().addr().checked_sub(self.message.as_ptr().addr());
        match start {
            _ if bytes.is_empty() => Some(&[]),
            Some(start) => self.message.get(start..start.checked_add(bytes.len())?),
            None => None,
        }
    }

    /// A row of shared values (F-64).
    pub(crate) fn reference(&mut self, site: Site) -> Result<(usize, Reference)> {
        let Type::Shared(definition) = *self.plan.ty(site) else {
            return Err(mismatch(&Column::None));
        };
        let (numbers, offsets, row) = match self.take(site) {
            (Column::References { numbers, offsets }, row) => (numbers, offsets, row),
            (column, _) => return Err(mismatch(column)),
        };
        let reference = match usize::try_from(numbers[row]) {
            Ok(0) => {
                let own = self.taken[definition];
                self.taken[definition] += 1;
                Reference::New(own, self.plan.child(site, 0))
            }
            Ok(before) if before <= self.taken[definition] => Reference::Again(before - 1),
            _ => return Err(bad_reference(offsets, row, "a row that came before")),
        };
        Ok((definition, reference))
    }

    /// The row of the reference taken last from a site is not yet what it will be (F-64).
    #[cold]
    pub(crate) fn reference_to_itself(&self, site: Site) -> Error {
        let row = self.next[site.index()].0.saturating_sub(1);
        Error::new(Code::Unrepresentable)
            .expected("a strong pointer to a value that is complete")
            .got("one to a value around it")
            .with_path(|| self.path(site, Some(row)))
    }

    /// The row of the reference taken last from a site was read into another kind of pointer.
    #[cold]
    pub(crate) fn pointer_of_another_kind(&self, site: Site) -> Error {
        let row = self.next[site.index()].0.saturating_sub(1);
        Error::new(Code::Unrepresentable)
            .expected("all pointers to one value to be of one kind")
            .got("one of another kind")
            .with_path(|| self.path(site, Some(row)))
    }

    /// Whether values that are not complete can be pointed to.
    pub(crate) fn makes_weak_pointers(&self) -> bool {
        self.plan.has_weak && !self.rehearsal
    }

    pub(crate) fn known(&mut self) -> &mut HashMap<(usize, usize), Known> {
        &mut self.known
    }
}

fn bad_reference(offsets: &Offsets, row: usize, expected: &'static str) -> Error {
    Error::at(Code::BadReference, offsets.of(row)).expected(expected)
}

macro_rules! floats {
    ($($name:ident, $decode:ident, $float:ty, $from:expr;)*) => {
        impl Rows<'_, '_> {$(
            #[inline]
            pub(crate) fn $name(&mut self, site: Site) -> Result<$float> {
                match self.take(site) {
                    (Column::Floats(floats), row) => Ok($from(floats.$decode(row))),
                    (column, _) => Err(mismatch(column)),
                }
            }
        )*}
    };
}

floats! {
    f16, decode_u16, f16, f16::from_bits;
    bf16, decode_u16, bf16, bf16::from_bits;
    f32, decode_f32, f32, f32::from;
    f64, decode_f64, f64, f64::from;
}
