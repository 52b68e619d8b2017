//! The rows of a scan: where they are in a block, and their columns.

use std::sync::Arc;

use arrow_buffer::BooleanBuffer;
use arrow_schema::FieldRef;
use holdall::bindings::Type;
use holdall::bindings::block::Column;
use holdall::bindings::schema::{TypeId, parents};
use holdall::view::ViewBlock;
use holdall::view::ViewSite;
use holdall::{Code, Error, Result, View};

use crate::arrays::Builder;
use crate::mask::Mask;
use crate::memory::Memory;
use crate::types::{Found, Types};
use crate::unmappable::OnUnmappable;

/// The name of the only column of rows that are not records.
pub const VALUE: &str = "value";

/// A column in one block.
pub struct Member {
    pub field: FieldRef,
    pub id: TypeId,
    pub mask: Mask,
    /// Whether its values are the rows, and no fields of them.
    pub is_row: bool,
}

/// The types in a scan's path from one row down to its values.
pub struct RowPath(Vec<TypeId>);

impl RowPath {
    /// The items of the only list at a site; else its values, one for each item of the list around them.
    pub fn of(
        view: &View<'_>,
        site: ViewSite<'_>,
        block: &ViewBlock<'_>,
    ) -> Result<Option<RowPath>> {
        let Some(id) = block.place_of(site) else { return Ok(None) };
        let types = block.schema().types();
        if !view.is_stream() && site.len()?.is_some() {
            let plain = block.place_of(site.plain()).unwrap_or(id);
            if let Type::List(item) | Type::Array(_, item) = &types[plain] {
                return Ok(Some(RowPath(vec![*item])));
            }
        }
        let parents = parents(block.schema());
        let is_one =
            |id: &TypeId| !matches!(types[*id], Type::List(_) | Type::Array(..) | Type::Map(..));
        let above = std::iter::successors(Some(id), |id| parents[*id].filter(is_one));
        let mut path: Vec<TypeId> = above.collect();
        path.reverse();
        Ok(Some(RowPath(path)))
    }
}

impl Builder<'_> {
    /// Follows the path to the values of each row.
    fn follow(&self, path: &RowPath) -> Result<(TypeId, Mask)> {
        let mut mask = Mask::full(self.len(path.0[0])?);
        for pair in path.0.windows(2) {
            let (outer, inner) = (pair[0], pair[1]);
            mask = match self.types.ty(outer) {
                Type::Option(_) => self.presence(outer, &mask)?,
                Type::Record(fields) | Type::Struct(_, fields) => {
                    let own = fields.fields.iter().position(|(_, field)| *field == inner);
                    let own = self.members(outer, fields, own.as_slice(), &mask)?;
                    own.into_iter().next().map_or(mask, |(_, mask)| mask)
                }
                Type::Union(union) if union.variants.len() > 1 => {
                    let own = union.variants.iter().position(|id| *id == inner).unwrap_or(0) as u64;
                    let bits = self.block.read(outer, |column| match column {
                        Column::Numbers(which) => {
                            Ok(which.iter().map(|which| *which == own).collect())
                        }
                        _ => Ok(BooleanBuffer::new_unset(mask.present())),
                    })?;
                    mask.within(&bits)
                }
                _ => mask,
            };
        }
        Ok((path.0[path.0.len() - 1], mask))
    }

    /// Returns the columns of rows: the fields of records, or one of the values.
    pub fn columns(
        &self,
        path: &RowPath,
        name: &str,
        options: &Options,
    ) -> Result<(usize, Vec<Member>)> {
        let (id, mask) = self.follow(path)?;
        self.types.around(id).try_for_each(|id| match self.types.ty(id) {
            Type::Def(number) if self.types.inlined[*number].is_some() => {
                self.block.check_definition(*number, id)
            }
            _ => Ok(()),
        })?;
        let len = mask.len;
        let mut members = Vec::new();
        let row = id;
        let named: Vec<(Arc<str>, (TypeId, Mask))> = match self.types.inside(id) {
            (inside, Type::Record(fields) | Type::Struct(_, fields)) if mask.present() == len => {
                let all = fields.fields.iter().map(|(name, _)| name).enumerate();
                let (wanted, names): (Vec<usize>, Vec<_>) =
                    all.filter(|(_, name)| options.wants(name)).unzip();
                let names = names.into_iter().map(Arc::clone);
                names.zip(self.members(inside, fields, &wanted, &mask)?).collect()
            }
            _ => vec![(name.into(), (id, mask))],
        };
        for (name, (id, mask)) in named {
            let found = self.types.find_or(id, options.on_unmappable)?;
            let nullable = found.nullable || mask.nulls().is_some();
            let field = Found { nullable, ..found }.into_field(&name);
            members.push(Member { field, id, mask, is_row: id == row });
        }
        Ok((len, members))
    }

    /// Returns the types of the columns of rows.
    pub fn columns_of(&self, path: &RowPath, options: &Options) -> Vec<TypeId> {
        let id = path.0[path.0.len() - 1];
        match self.types.inside(id).1 {
            Type::Record(fields) | Type::Struct(_, fields) => {
                let named = fields.fields.iter().filter(|(name, _)| options.wants(name));
                named.map(|(_, field)| *field).collect()
            }
            _ => vec![id],
        }
    }
}

/// What a scan reads.
#[derive(Clone, Default)]
pub struct Options {
    /// The names of columns, in the order of the result; all if there are none.
    pub columns: Option<Vec<String>>,
    pub on_unmappable: OnUnmappable,
    pub memory: Option<Arc<dyn Memory>>,
}

impl Options {
    fn wants(&self, name: &str) -> bool {
        self.columns.as_ref().is_none_or(|names| names.iter().any(|own| own == name))
    }
}

/// The name of the column of a site's values.
pub fn column_name(site: ViewSite<'_>) -> String {
    let path = site.path();
    let last = path.rsplit('.').next().filter(|last| path.contains('.') && !last.contains('"'));
    last.map_or(VALUE, |last| last.trim_end_matches("[]")).to_owned()
}

/// No block has a column of this name.
#[cold]
pub fn missing(name: &str, path: String) -> Error {
    Error::new(Code::MissingField)
        .expected("the name of a column")
        .got(name.to_owned())
        .at_path(path)
}

/// Calls a function with a builder of a block's arrays.
pub fn with_builder<T>(
    block: &ViewBlock<'_>,
    memory: Option<&dyn Memory>,
    then: impl FnOnce(&Builder<'_>) -> Result<T>,
) -> Result<T> {
    let inlined = crate::definitions::inlined(block.schema());
    let types = Types::new(block.schema(), Some(block), &inlined);
    then(&Builder { types: &types, block, memory })
}
