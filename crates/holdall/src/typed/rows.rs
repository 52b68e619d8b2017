//! The rows of a block as they are taken, site by site.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::Display;

use super::Decode;
use super::columns::{deeper_with_room, too_deep};
use super::cursor::{Cursor, mismatch};
use super::plan::{Plan, Site};
use crate::block::{Block, Column, row_path};
use crate::column::ints::Offsets;
use crate::error::{Code, Error, Result};
use crate::limits::MEMORY;
use crate::schema::{Scalar, Type, parents};

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
    pub(super) message: &'de [u8],
    /// Of each site, the rows that were not taken.
    pub(super) cursors: Vec<Cursor<'b>>,
    /// Of each site, once it was asked for, all its text as a part of the message, if it is one.
    pub(super) texts: Vec<Option<Option<&'de str>>>,
    /// Of each definition, the rows that were begun.
    taken: Vec<usize>,
    /// Of each definition, the rows that belong to roots before this one (F-87).
    before: Vec<usize>,
    known: HashMap<(usize, usize), Known>,
    depth: usize,
    limit: usize,
    /// No value is deeper: each level is a row of a definition.
    deepest: usize,
    /// Bytes that may still be allocated.
    memory: u64,
    /// Nothing that is read is kept: only whether it can be read is of interest.
    pub(crate) dry_run: bool,
}

/// What stands at a site of shared values.
pub(crate) enum Reference {
    /// The definition's row that comes next, with its number, and its site.
    New(usize, Site),
    /// A row that came before.
    Back(usize),
}

impl<'b, 'de> Rows<'b, 'de> {
    pub(crate) fn new(
        plan: &'b Plan,
        block: &'b Block<'b>,
        message: &'de [u8],
        limit: usize,
    ) -> Self {
        Rows {
            plan,
            block,
            message,
            cursors: block.columns.iter().map(Cursor::of).collect(),
            texts: Vec::new(),
            taken: vec![0; plan.schema.definitions().len()],
            before: vec![0; plan.schema.definitions().len()],
            known: HashMap::new(),
            depth: 0,
            limit,
            deepest: limit.min(block.definition_rows()),
            memory: MEMORY,
            dry_run: false,
        }
    }

    /// What comes is another root: it has no rows of those before (F-87).
    pub(crate) fn begin_root(&mut self) {
        self.before.copy_from_slice(&self.taken);
        self.known.clear();
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

    /// The sites of the first types inside that of a site, in that order.
    ///
    /// # Panics
    /// If so many were not described.
    #[inline]
    #[must_use]
    pub fn sites<const N: usize>(&self, site: Site) -> [Site; N] {
        self.plan.children(site)
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

    /// The row taken last from a site cannot be a part of the message: it is in a compressed column, was made of a value of
    /// another schema, or stands at an address that does not fit.
    #[cold]
    pub(crate) fn not_borrowed(&self, site: Site, what: &'static str) -> Error {
        self.unconvertible(
            site,
            format!("{what} that stands in the message as it is in memory"),
            "one that does not: Cow holds both",
        )
    }

    /// Before `count` values of a type are allocated, which are rows of a site or for each one a few: their number was charged
    /// to the budget.
    ///
    /// # Errors
    /// `limit_budget` if they are more than any machine can hold.
    #[inline]
    pub fn allocate<T>(&mut self, count: usize) -> Result<()> {
        let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
        match self.memory.checked_sub(bytes) {
            Some(left) => self.memory = left,
            None => return Err(no_memory::<T>(count)),
        }
        Ok(())
    }

    /// An empty list with room for `count` rows of a site.
    ///
    /// # Errors
    /// `limit_budget` if the machine has no memory for them.
    #[inline]
    pub fn room<T>(&mut self, count: usize) -> Result<Vec<T>> {
        self.allocate::<T>(count)?;
        let mut list = Vec::new();
        list.try_reserve_exact(count).map_err(|_| no_memory::<T>(count))?;
        Ok(list)
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
            Type::Scalar(Scalar::Fixed(len)) => {
                match (&self.block.columns[site.index()], &self.cursors[site.index()]) {
                    (Column::Raw(all), Cursor::Raw(left)) => {
                        (all.len() - left.len()).checked_div(*len as usize)
                    }
                    _ => None,
                }
            }
            _ => self.cursors[site.index()].taken(&self.block.columns[site.index()]),
        }
    }

    /// Two keys of a map are equal (F-35).
    #[cold]
    pub(crate) fn duplicate_key(&self, keys: Site) -> Error {
        Error::at(Code::DuplicateKey, self.block.starts[keys.index()])
            .expected("keys that differ")
            .got("two that are equal")
    }

    /// Whether rows have to be read one by one; otherwise all rows of one type inside may come before those of the next.
    #[inline]
    #[must_use]
    pub fn row_major_only(&self, site: Site) -> bool {
        self.plan.row_major_only(site)
    }

    /// Whether the rows of a site are packed: those of data of other schemas are not.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn is_packed(&self, site: Site) -> bool {
        matches!(self.plan.ty(site), Type::Packed(_))
    }

    /// A row of shared values (F-64).
    pub(crate) fn reference(&mut self, site: Site) -> Result<(usize, Reference)> {
        let Type::Shared(definition) = *self.plan.ty(site) else {
            return Err(mismatch(&Cursor::None));
        };
        let (numbers, offsets, row) = match &mut self.cursors[site.index()] {
            Cursor::References { references, row } => {
                *row += 1;
                (&references.numbers, &references.offsets, *row - 1)
            }
            cursor => return Err(mismatch(cursor)),
        };
        let reference = match usize::try_from(numbers[row]) {
            Ok(0) => {
                let own = self.taken[definition];
                self.taken[definition] += 1;
                Reference::New(own, self.plan.child(site, 0))
            }
            Ok(row) if (self.before[definition] + 1..=self.taken[definition]).contains(&row) => {
                Reference::Back(row - 1)
            }
            _ => return Err(bad_reference(offsets, row, "a row that came before")),
        };
        Ok((definition, reference))
    }

    /// The row of the reference taken last from a site is not yet what it will be (F-64).
    #[cold]
    pub(crate) fn reference_to_itself(&self, site: Site) -> Error {
        let row = self.begun_inside(site).map(|row| row.saturating_sub(1));
        Error::new(Code::Unrepresentable)
            .expected("a strong pointer to a value that is complete")
            .got("one to a value around it")
            .with_path(|| self.path(site, row))
    }

    /// The row of the reference taken last from a site was read into another kind of pointer.
    #[cold]
    pub(crate) fn pointer_of_another_kind(&self, site: Site) -> Error {
        let row = self.begun_inside(site).map(|row| row.saturating_sub(1));
        Error::new(Code::Unrepresentable)
            .expected("all pointers to one value to be of one kind")
            .got("one of another kind")
            .with_path(|| self.path(site, row))
    }

    /// Whether values that are not complete can be pointed to.
    pub(crate) fn makes_weak_pointers(&self) -> bool {
        self.plan.has_weak && !self.dry_run
    }

    pub(crate) fn known(&mut self) -> &mut HashMap<(usize, usize), Known> {
        &mut self.known
    }
}

/// What the machine cannot hold (F-39), however large the budget is.
#[cold]
pub(crate) fn no_memory<T>(count: usize) -> Error {
    Error::new(Code::LimitBudget)
        .without_limit()
        .expected("values that there is memory for")
        .got(format!("{count} of {} bytes", size_of::<T>()))
}

fn bad_reference(offsets: &Offsets, row: usize, expected: &'static str) -> Error {
    Error::at(Code::BadReference, offsets.of(row)).expected(expected)
}
