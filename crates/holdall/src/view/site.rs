//! Sites of a view, and paths to them.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::column::Column;
use super::kept_value::uses_definitions;
use super::site_path::{SamePlace, same_place};
use super::tensors::TensorPlace;
use super::{View, ViewBody, gather, missing};
use crate::block::{LONGEST_PATH, site_path};
use crate::dynamic::Sink;
use crate::error::{Code, Error, Result};
use crate::memory::{self, Collect};
use crate::schema::{DType, LogicalType, Schema, Type, TypeId, parents};
use crate::value::{Value, ValueBuilder};

/// A place in the schema of a [`View`], with the columns of all values at that place.
///
/// Going from one site to another reads nothing.
#[derive(Clone, Copy)]
pub struct ViewSite<'v> {
    pub(super) view: &'v View<'v>,
    id: TypeId,
}

impl fmt::Debug for ViewSite<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ViewSite({}: {})", self.path(), self.type_text())
    }
}

impl<'v> ViewSite<'v> {
    pub(super) fn new(view: &'v View<'v>, id: TypeId) -> ViewSite<'v> {
        ViewSite { view, id }
    }

    fn at(self, id: TypeId) -> ViewSite<'v> {
        ViewSite { id, ..self }
    }

    fn ty(self) -> &'v Type {
        &self.view.schema.types()[self.id]
    }

    /// Returns the path as errors show it: `$.users[].name`. Inside a definition it begins with `#0[]`.
    #[must_use]
    pub fn path(self) -> String {
        let schema = &self.view.schema;
        site_path(schema, &parents(schema), self.id, LONGEST_PATH)
    }

    /// Returns the site's number in the order of the schema's bytes; [`View::numbered`] takes it.
    #[must_use]
    pub fn number(self) -> usize {
        self.id
    }

    /// Returns the type in short: `option(int)`, `record(id, name)`.
    #[must_use]
    pub fn type_text(self) -> String {
        self.view.schema.outline(self.id)
    }

    /// Returns the site inside options and logical types, whose values [`ViewSite::column`] returns.
    #[must_use]
    pub fn plain(self) -> ViewSite<'v> {
        self.at(gather::plain(self.view.schema.types(), self.id))
    }

    /// Returns the logical type of the values, if they have one.
    #[must_use]
    pub fn logical(self) -> Option<&'v LogicalType> {
        let types = self.view.schema.types();
        let mut id = self.id;
        loop {
            match &types[id] {
                Type::Option(inner) | Type::Extension(_, inner) => id = *inner,
                Type::Logical(ty, _) => return Some(ty),
                _ => return None,
            }
        }
    }

    /// Returns a field by name, of the record or struct here, or inside the items of a list, the values of an option or
    /// the storage of a logical type. For a union, it is the variant of this name, or else the field of the only variant
    /// that has it. Entries of maps are not fields: see [`ViewSite::values`].
    ///
    /// # Errors
    /// `missing_field` if there is none, or several variants have it; `unsupported` if the path crosses a definition,
    /// whose columns have the rows of all its uses: see [`View::definition`].
    pub fn field(self, name: &str) -> Result<ViewSite<'v>> {
        field(&self.view.schema, self.id, name).map(|id| self.at(id))
    }

    /// Returns the items of the list, array or set here.
    ///
    /// # Errors
    /// `missing_field` if there is none.
    pub fn items(self) -> Result<ViewSite<'v>> {
        match self.plain().ty() {
            Type::List(item) | Type::Array(_, item) => Ok(self.at(*item)),
            _ => Err(self.has_no("items")),
        }
    }

    /// Returns the keys of the map here.
    ///
    /// # Errors
    /// `missing_field` if there is none.
    pub fn keys(self) -> Result<ViewSite<'v>> {
        match self.plain().ty() {
            Type::Map(key, _) => Ok(self.at(*key)),
            _ => Err(self.has_no("keys")),
        }
    }

    /// Returns the values of the map here.
    ///
    /// # Errors
    /// `missing_field` if there is none.
    pub fn values(self) -> Result<ViewSite<'v>> {
        match self.plain().ty() {
            Type::Map(_, value) => Ok(self.at(*value)),
            _ => Err(self.has_no("values of entries")),
        }
    }

    /// Returns a member of the tuple, or a variant of the union here, by its number.
    ///
    /// # Errors
    /// `missing_field` if there is none.
    pub fn member(self, number: usize) -> Result<ViewSite<'v>> {
        let member = match self.plain().ty() {
            Type::Tuple(members) => members.get(number),
            Type::Union(union) => union.variants.get(number),
            _ => None,
        };
        member.map(|id| self.at(*id)).ok_or_else(|| self.has_no(&format!("member {number}")))
    }

    /// Returns the names of the fields or variants that [`ViewSite::field`] finds here; none for other types.
    #[must_use]
    pub fn names(self) -> Vec<&'v str> {
        let types = self.view.schema.types();
        match &types[named(types, self.id)] {
            Type::Record(fields) | Type::Struct(_, fields) => {
                fields.fields.iter().map(|(name, _)| &**name).collected()
            }
            Type::Union(union) => {
                let names = union.names.iter().flatten();
                names.map(|name| &**name).collected()
            }
            _ => Vec::new(),
        }
    }

    #[cold]
    fn has_no(self, what: &str) -> Error {
        missing(format!("a place with {what}"), self.type_text()).with_path(|| self.path())
    }

    /// Returns the number of rows: all values here, with the absent ones of an option.
    ///
    /// # Errors
    /// Faults of the columns that give the number.
    pub fn rows(self) -> Result<u64> {
        memory::guarded(|| self.count_rows())
    }

    fn count_rows(self) -> Result<u64> {
        match &self.view.body {
            ViewBody::Message(block) => Ok(block.site(self.view.parts(), self.id)?.rows),
            ViewBody::Stream(stream) => {
                let (reading, limits) = (self.view.source.reading(), self.view.limits);
                let mut rows = 0_u64;
                for number in 0..stream.blocks.len() {
                    let block = stream.block(number, reading, limits)?;
                    let place = same_place(&self.view.schema, self.id, &block.schema);
                    if let SamePlace::Whole(id) = place {
                        let place = block.places.site(block.source(reading, limits), id)?;
                        rows = rows.saturating_add(place.rows);
                    }
                }
                Ok(rows)
            }
        }
    }

    /// Returns the columns of a stream's blocks one after the other, with one of them in memory. A message has one.
    pub fn blocks(self) -> impl Iterator<Item = Result<Column<'static>>> + 'v {
        let count = match &self.view.body {
            ViewBody::Message(_) => 1,
            ViewBody::Stream(stream) => stream.blocks.len(),
        };
        let mut announced = 0;
        (0..count).map(move |number| match &self.view.body {
            ViewBody::Message(_) => self.column().map(Column::into_owned),
            ViewBody::Stream(stream) => {
                let (reading, limits) = (self.view.source.reading(), self.view.limits);
                memory::guarded(|| {
                    if number >= announced {
                        announced = self.announce(number..count)?;
                    }
                    let block = stream.block(number, reading, limits)?;
                    let column = block.column(reading, limits, &self.view.schema, self.id)?;
                    Ok(column.into_owned())
                })
            }
        })
    }

    /// Returns the column. It has one entry for each item of the innermost list (entry of a map) around the values, or
    /// a single entry outside lists. An entry is absent if an option, a record's shape or a union has no value there.
    ///
    /// # Errors
    /// The faults of the columns read, with their offsets; `unsupported` for records and definitions, which are several
    /// columns; `io`.
    pub fn column(self) -> Result<Column<'v>> {
        memory::guarded(|| self.whole_column())
    }

    fn whole_column(self) -> Result<Column<'v>> {
        if let Some(block) = self.view.message() {
            return gather::column(self.view.parts(), block, self.id);
        }
        let mut joined: Option<Column<'_>> = None;
        for block in self.blocks() {
            match &mut joined {
                None => joined = Some(block?),
                Some(column) => {
                    column.append(block?).map_err(|error| error.with_path(|| self.path()))?;
                }
            }
        }
        Ok(joined.unwrap_or_else(|| Column::absent(0)))
    }

    /// Returns the number of entries in the column, and which of them have a value; `None` if all have.
    ///
    /// # Errors
    /// As [`ViewSite::column`].
    pub fn presence(self) -> Result<(usize, Option<Vec<bool>>)> {
        memory::guarded(|| match self.view.message() {
            Some(block) => gather::presence(self.view.parts(), block, self.plain().id),
            None => {
                let column = self.whole_column()?;
                Ok((column.len(), column.into_parts().0))
            }
        })
    }

    /// Returns the range of the values in a message, if they are stored contiguously and as in memory, little-endian:
    /// unencoded numbers, packed values, byte strings of one length. A program can then use them in place, or read a
    /// part. Signed integers below 64 bits and bools have no range, because they must be checked first. Of a message
    /// with a dictionary, the range is in [`View::bytes`].
    ///
    /// # Errors
    /// The faults of skipped columns; `io`.
    pub fn place(self) -> Result<Option<Range<u64>>> {
        let (view, id) = (self.view, self.plain().id);
        let Some(block) = view.message() else { return Ok(None) };
        let place = memory::guarded(|| block.site(view.parts(), id))?;
        let is_checked = match &view.schema.types()[id] {
            Type::Packed(inner) => DType::of(view.schema.types(), *inner).has_bool(),
            _ => false,
        };
        if is_checked {
            return Ok(None);
        }
        memory::guarded(|| block.raw(view.parts(), id, &place))
    }

    /// Returns the tensors of a message at this site, with the ranges of their elements instead of the elements. None
    /// for other types, for compressed elements and for bools, which must be checked first.
    ///
    /// # Errors
    /// The faults of columns read or skipped; `io`.
    pub fn tensors(self) -> Result<Option<Vec<TensorPlace>>> {
        let (view, id) = (self.view, self.plain().id);
        let types = view.schema.types();
        let Type::Tensor(inner) = &types[id] else { return Ok(None) };
        if DType::of(types, *inner).has_bool() {
            return Ok(None);
        }
        let Some(block) = view.message() else { return Ok(None) };
        memory::guarded(|| block.tensors(view.parts(), id))
    }

    /// Returns the number of items of the list, array or set here, if it is at the root of a message, or in fields from
    /// there. Inside another list or a map each row has a list of its own, also where there is one row: `None`. For the
    /// root of a stream, returns its number of values.
    ///
    /// # Errors
    /// Faults of the columns that give the number; `limit_budget` if decoding rejects that many.
    pub fn len(self) -> Result<Option<u64>> {
        match (&self.view.body, self.id) {
            (ViewBody::Stream(stream), 0) => Ok(Some(stream.blocks.values())),
            (ViewBody::Stream(_), _) => Ok(None),
            (ViewBody::Message(block), _) => match self.one_list()? {
                Some(item) => {
                    memory::guarded(|| Ok(Some(block.charged_site(self.view.parts(), item)?.rows)))
                }
                None => Ok(None),
            },
        }
    }

    /// Returns the items of the only list here.
    pub(super) fn one_list(self) -> Result<Option<TypeId>> {
        if self.view.message().is_none() {
            return Ok(None);
        }
        let (Type::List(item) | Type::Array(_, item)) = self.plain().ty() else { return Ok(None) };
        let is_one = !self.has_many_rows() && self.plain().rows()? == 1;
        Ok(is_one.then_some(*item))
    }

    /// Whether the schema allows any number of rows here: those of a list, an array, a map or a definition.
    fn has_many_rows(self) -> bool {
        let (types, parents) = (self.view.schema.types(), parents(&self.view.schema));
        let mut id = self.id;
        while let Some(above) = parents[id] {
            if gather::multiplies(&types[above]) {
                return true;
            }
            id = above;
        }
        id != 0
    }

    /// Returns one item of the only list, array or set here, without reading the others.
    ///
    /// Numbers, bools and presence are read at their offsets; for integers as widths, the widths before are added up.
    /// Lengths of lists and plain text are read in full the first time, and kept. So are columns in these encodings: zstd,
    /// scaled, delta, bins, decimal, patterns, templates and dictionaries. If the items use definitions, whose rows
    /// depend on all values before, the entire message is decoded the first time, and kept; in a stream, the value's block is
    /// decoded each time.
    ///
    /// # Errors
    /// `index_out_of_range` if there is no such item or not exactly one list; the faults of the columns that are read.
    pub fn row(self, number: u64) -> Result<Value> {
        let mut builder = ValueBuilder::new();
        self.emit_row(number, &mut builder)?;
        builder.finish()
    }

    /// Emits one item into a sink; see [`ViewSite::row`].
    ///
    /// # Errors
    /// As [`ViewSite::row`], and those of the sink.
    pub fn emit_row(self, number: u64, sink: &mut impl Sink) -> Result<()> {
        self.check_number(number)?;
        let (view, list) = (self.view, self.one_list()?);
        memory::guarded(|| match (&view.body, list) {
            (ViewBody::Stream(stream), _) => {
                stream.emit_row(number, view.source.reading(), view.limits, sink)
            }
            (ViewBody::Message(block), Some(item)) if uses_definitions(&view.schema, item) => {
                block.emit_item(view.parts(), self.plain().id, number, sink)
            }
            (ViewBody::Message(block), Some(item)) => {
                block.emit_row(view.parts(), item, number, sink)
            }
            // It has a length.
            (ViewBody::Message(_), None) => Ok(()),
        })
    }

    /// Checks that there is an item with this number.
    pub(super) fn check_number(self, number: u64) -> Result<()> {
        let len = self.len()?.unwrap_or(0);
        if number < len {
            return Ok(());
        }
        Err(Error::new(Code::IndexOutOfRange)
            .expected(format!("an item below {len}"))
            .got(number.to_string())
            .with_path(|| self.path()))
    }
}

/// Returns the types in which names are looked up: through lists, options and other wrappers.
fn named(types: &[Type], mut id: TypeId) -> TypeId {
    while let Type::Option(inner)
    | Type::List(inner)
    | Type::Array(_, inner)
    | Type::Logical(_, inner)
    | Type::Extension(_, inner) = &types[id]
    {
        id = *inner;
    }
    id
}

// The recursion ends at the nesting limit of schemas; each type is visited once.
fn field(schema: &Schema, start: TypeId, name: &str) -> Result<TypeId> {
    let types = schema.types();
    let id = named(types, start);
    let place = |id| move || site_path(schema, &parents(schema), id, LONGEST_PATH);
    match &types[id] {
        Type::Record(of) | Type::Struct(_, of) => {
            let found = of.fields.iter().find(|(known, _)| **known == *name);
            found.map(|(_, field)| *field).ok_or_else(|| {
                let names: Vec<&str> =
                    of.fields.iter().take(20).map(|(name, _)| &**name).collected();
                missing(format!("one of {}", names.join(", ")), name).with_path(place(id))
            })
        }
        Type::Union(union) => {
            let mut names = union.names.iter().flatten();
            if let Some(variant) = names.position(|known| **known == *name) {
                return Ok(union.variants[variant]);
            }
            let mut found =
                union.variants.iter().filter_map(|variant| field(schema, *variant, name).ok());
            let expected = match (found.next(), found.next()) {
                (Some(field), None) => return Ok(field),
                (None, _) => "a variant that has it",
                (Some(_), Some(_)) => "one variant that has it",
            };
            Err(missing(expected.to_owned(), name).with_path(place(id)))
        }
        Type::Def(number) | Type::Shared(number) => Err(Error::new(Code::Unsupported)
            .expected("a column outside recursive and shared types")
            .got(format!("definition {number}"))
            .with_path(place(id))),
        _ => Err(missing("a place with fields".to_owned(), schema.outline(start))
            .with_path(place(start))),
    }
}
