//! Takes the rows of a block, site by site.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::Any;
use core::fmt::Display;

use super::Decode;
use super::columns::{deeper_with_room, too_deep};
use super::cursor::{Cursor, mismatch};
use super::dynamic_sites::OptionalValues;
use super::fields::Window;
use super::plan::{Plan, Site};
use crate::block::{Block, Column, row_path};
use crate::column::ints::Offsets;
use crate::error::{Code, Error, Result};
use crate::limits::MEMORY;
use crate::memory;
use crate::platform::HashMap;
use crate::schema::{Scalar, Type, parents};

/// The value of a definition's row, for back-references to it.
pub(crate) enum Known {
    /// Still being read; the handle is a weak pointer, if there can be one.
    Begun(Option<Box<dyn Any>>),
    Read(Box<dyn Any>),
}

/// Provides the rows of values: the source that [`Decode`](super::Decode) reads from.
///
/// A hand-written type that reads rows of another kind than it describes gets `bad_source`. One that reads more
/// rows than there are panics.
pub struct Rows<'b, 'de> {
    pub(super) plan: &'b Plan,
    block: &'b Block<'b>,
    pub(super) message: &'de [u8],
    /// The remaining rows of each site.
    pub(super) cursors: Vec<Cursor<'b>>,
    /// The last rows that were unpacked at each site; made at the first use.
    pub(super) windows: Vec<Window>,
    /// The entire text of each site as a part of the message, if it is one; looked up at the first use.
    pub(super) texts: Vec<Option<Option<&'de str>>>,
    /// The values of sites whose types the values decide.
    pub(super) values: OptionalValues,
    /// The number of rows of each definition that reading has started.
    taken: Vec<usize>,
    /// The number of rows of each definition that belong to earlier roots (F-87).
    before: Vec<usize>,
    known: HashMap<(usize, usize), Known>,
    depth: usize,
    limit: usize,
    /// The greatest possible depth: each level is a row of a definition.
    deepest: usize,
    /// The number of bytes that may still be allocated.
    memory: u64,
    /// Whether the values are dropped: a dry run only finds out whether they can be read.
    pub(crate) dry_run: bool,
}

/// A row at a site of shared values.
pub(crate) enum Reference {
    /// The definition's next row: its number and site.
    New(usize, Site),
    /// An earlier row.
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
            windows: Vec::new(),
            texts: Vec::new(),
            values: None,
            taken: memory::filled(0, plan.schema.definitions().len()),
            before: memory::filled(0, plan.schema.definitions().len()),
            known: HashMap::new(),
            depth: 0,
            limit,
            deepest: limit.min(block.definition_rows()),
            memory: MEMORY,
            dry_run: false,
        }
    }

    /// Begins another root: its back-references do not reach earlier roots (F-87).
    pub(crate) fn begin_root(&mut self) {
        self.before.copy_from_slice(&self.taken);
        self.known.clear();
    }

    /// Checks that all rows of all definitions were taken (F-36).
    pub(crate) fn check_taken(&self) -> Result<()> {
        self.block.check_taken(|definition| self.taken[definition])
    }

    /// Returns a site inside a site, by its number in the order of description.
    #[inline]
    #[must_use]
    pub fn child(&self, site: Site, number: usize) -> Site {
        self.plan.child(site, number)
    }

    /// Returns the first sites inside a site, in the order of description.
    ///
    /// # Panics
    /// If the type described fewer.
    #[inline]
    #[must_use]
    pub fn sites<const N: usize>(&self, site: Site) -> [Site; N] {
        self.plan.children(site)
    }

    /// Reads a row at a site, or at the definition's site if the site uses one.
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

    /// Reads a field that has a default, from data that may lack it.
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

    /// Returns the site of a field with a default, if the row has it.
    fn present(&mut self, site: Site) -> Result<Option<Site>> {
        match self.plan.is_lenient {
            true => Ok(self.bit(site)?.then(|| self.plan.child(site, 0))),
            false => Ok(Some(site)),
        }
    }

    /// Reads a value of another type, and converts it by a function.
    ///
    /// # Errors
    /// As [`Decode::read`](super::Decode::read); `unconvertible` with the function's error.
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

    /// The error of a function that rejects the value of a row.
    #[cold]
    pub(super) fn refused<T>(&self, site: Site, row: Option<usize>, why: String) -> Error {
        Error::new(Code::Unconvertible)
            .expected(core::any::type_name::<T>())
            .got(why)
            .with_path(|| self.path(site, row))
    }

    /// Like [`Rows::converted`], for a field with a default.
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

    /// The error for a variant that the type lacks: its description and its code differ.
    #[cold]
    pub fn no_variant(&self, site: Site) -> Error {
        self.unconvertible(site, "a variant of the type", "another")
    }

    /// The error if the last row taken from a site cannot be borrowed from the message: it is in a compressed
    /// column, was converted from another schema, or is not aligned.
    #[cold]
    pub(crate) fn not_borrowed(&self, site: Site, what: &'static str) -> Error {
        self.unconvertible(
            site,
            format!("{what} that the message holds in its layout in memory"),
            "one in another layout; Cow holds both",
        )
    }

    /// Accounts for the allocation of `count` values, which are rows of a site or a few for each: their number was
    /// charged to the budget.
    ///
    /// # Errors
    /// `limit_budget` if no machine can hold them.
    #[inline]
    pub fn allocate<T>(&mut self, count: usize) -> Result<()> {
        let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
        match self.memory.checked_sub(bytes) {
            Some(left) => self.memory = left,
            None => return Err(no_memory::<T>(count)),
        }
        Ok(())
    }

    /// Returns an empty list with room for `count` rows of a site.
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

    /// The error if the last row taken from a site is not a value of the type.
    #[cold]
    pub fn unconvertible(
        &self,
        site: Site,
        expected: impl Into<alloc::borrow::Cow<'static, str>>,
        got: impl Into<alloc::borrow::Cow<'static, str>>,
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

    /// Returns how many rows of a site reading has started, if a column shows it; for a use of a definition, the
    /// definition's rows.
    pub(super) fn begun(&self, site: Site) -> (Site, Option<usize>) {
        let site = self.plan.in_schema(site);
        match *self.plan.ty(site) {
            Type::Def(number) => (self.plan.child(site, 0), Some(self.taken[number])),
            _ => (site, self.plan.begun(site, &|site| self.begun_here(site))),
        }
    }

    fn begun_here(&self, site: Site) -> Option<usize> {
        match self.plan.ty(site) {
            Type::Def(_) | Type::Null | Type::Never | Type::Tensor(_) | Type::Unknown(..) => {
                let number = self.plan.value_site(site)?;
                self.values.as_deref().map(|values| values.taken(number))
            }
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

    /// The error for two equal keys of a map (F-35).
    #[cold]
    pub(crate) fn duplicate_key(&self, keys: Site) -> Error {
        Error::at(Code::DuplicateKey, self.block.starts[keys.index()])
            .expected("each key once")
            .got("two that are equal")
    }

    /// Whether rows must be read one entire row after the other; otherwise all rows of one site inside may come
    /// before those of the next.
    #[inline]
    #[must_use]
    pub fn row_major_only(&self, site: Site) -> bool {
        self.plan.row_major_only(site)
    }

    /// Whether the rows of a site are packed: not in data with another schema.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn is_packed(&self, site: Site) -> bool {
        matches!(self.plan.ty(site), Type::Packed(_))
    }

    /// Takes a row of shared values (F-64).
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
            _ => return Err(bad_reference(offsets, row, "an earlier row")),
        };
        Ok((definition, reference))
    }

    /// The error for a reference to a value that is not complete yet (F-64).
    #[cold]
    pub(crate) fn reference_to_itself(&self, site: Site) -> Error {
        let row = self.begun_here(site).map(|row| row.saturating_sub(1));
        Error::new(Code::Unrepresentable)
            .expected("a strong pointer to a value that does not contain the pointer; use Weak for cycles")
            .got("one to a value that contains it")
            .with_path(|| self.path(site, row))
    }

    /// The error for a reference to a value that was read into another kind of pointer.
    #[cold]
    pub(crate) fn pointer_of_another_kind(&self, site: Site) -> Error {
        let row = self.begun_here(site).map(|row| row.saturating_sub(1));
        Error::new(Code::Unrepresentable)
            .expected("pointers of one kind to each shared value, such as only Rc or only Arc")
            .got("two kinds for one value")
            .with_path(|| self.path(site, row))
    }

    /// Whether pointers to incomplete values can be made.
    pub(crate) fn makes_weak_pointers(&self) -> bool {
        self.plan.has_weak && !self.dry_run
    }

    pub(crate) fn known(&mut self) -> &mut HashMap<(usize, usize), Known> {
        &mut self.known
    }
}

/// The error if the machine has no memory for values (F-39), however large the budget is.
#[cold]
pub(crate) fn no_memory<T>(count: usize) -> Error {
    Error::new(Code::OutOfMemory)
        .expected("values that fit in memory")
        .got(format!("{count} of {} bytes", size_of::<T>()))
}

fn bad_reference(offsets: &Offsets, row: usize, expected: &'static str) -> Error {
    Error::at(Code::BadReference, offsets.of(row)).expected(expected)
}
