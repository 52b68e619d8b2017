//! The columns of a schema without data.

use std::sync::Arc;

use arrow_schema::{FieldRef, Schema, SchemaRef};
use holdall::bindings::Type;
use holdall::bindings::schema::{Form, TypeId};
use holdall::{LogicalType, Result};

use crate::rows::VALUE;
use crate::types::{BY, Types};
use crate::unmappable::OnUnmappable;

/// Returns the columns of data that have a schema, as [`Scan::schema`](crate::Scan::schema) returns those of data.
///
/// The rows are the items of a list at the root; else the root is the row, as in a stream. A field that some rows can lack is
/// nullable. Integers are Int64 and Decimal128, which they are unless one is longer. A column whose type follows from its values
/// (decimals, tensors, timestamps with a zone) has that of a column without rows, and `values` under the key `holdall:by` of its
/// metadata.
///
/// ```
/// use holdall_arrow::{OnUnmappable, schema_of};
///
/// let schema: holdall::Schema = "list(record {id: u32, name: option(string)})".parse()?;
/// let columns = schema_of(&schema, OnUnmappable::Error)?;
/// assert_eq!(columns.field(0).data_type(), &arrow_schema::DataType::UInt32);
/// assert!(columns.field(1).is_nullable());
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// `unsupported` with the path, if a column has no Arrow type.
pub fn schema_of(schema: &holdall::Schema, on_unmappable: OnUnmappable) -> Result<SchemaRef> {
    let inlined = crate::definitions::inlined(schema);
    let types = Types::new(schema, None, &inlined);
    let row = types.row();
    let column = |name: &str, id: TypeId, is_in_all: bool| {
        let mut found = types.find_or(id, on_unmappable)?;
        found.nullable |= !is_in_all;
        if types.follows_from_values(id) {
            found = found.with(BY, "values");
        }
        Ok(found.into_field(name))
    };
    let fields: Result<Vec<FieldRef>> = match types.inside(row).1 {
        Type::Record(fields) | Type::Struct(_, fields) => {
            let is_in_all = |at: usize| match &fields.form {
                Form::One => true,
                Form::Several(shapes) => shapes.iter().all(|shape| shape.contains(&at)),
                Form::Sparse => false,
            };
            let named = fields.fields.iter().enumerate();
            named.map(|(at, (name, id))| column(name, *id, is_in_all(at))).collect()
        }
        _ => column(VALUE, row, true).map(|field| vec![field]),
    };
    let mut fields = fields?;
    fields.retain(|field| OnUnmappable::of(field) != Some(OnUnmappable::Drop));
    Ok(Arc::new(Schema::new(fields)))
}

impl Types<'_> {
    /// The type of a row: that of the items of a list at the root, else the root.
    fn row(&self) -> TypeId {
        let plain = std::iter::successors(Some(0), |id| match self.ty(*id) {
            Type::Option(inner) | Type::Logical(_, inner) | Type::Extension(_, inner) => {
                Some(*inner)
            }
            _ => None,
        });
        match plain.last().map(|id| self.ty(id)) {
            Some(Type::List(item) | Type::Array(_, item)) => *item,
            _ => 0,
        }
    }

    /// Whether the values decide on the Arrow type of a place, and not only where one is too long. The recursion ends where that
    /// of [`Types::find`] ends.
    fn follows_from_values(&self, id: TypeId) -> bool {
        self.schema.inside(id).any(|id| match self.ty(id) {
            Type::Tensor(_) => true,
            Type::Logical(ty, _) => match ty.kind() {
                LogicalType::DECIMAL => true,
                LogicalType::TIMESTAMP => ty.parameters().get(1).is_some_and(|zone| *zone > 2),
                _ => false,
            },
            Type::Def(number) => {
                self.inlined[*number].is_some_and(|body| self.follows_from_values(body))
            }
            _ => false,
        })
    }
}
