//! The columns whose types follow from a schema of the program.

use std::collections::HashSet;
use std::sync::Arc;

use holdall::Schema;
use holdall::bindings::Type;
use holdall::bindings::schema::Scalar;

use super::infer::Column;

/// The text fields of the rows of a schema.
pub(super) fn known_columns(schema: &Schema) -> Vec<(Arc<str>, Column)> {
    let (Type::List(row) | Type::Array(_, row)) = stored(schema, 0) else { return Vec::new() };
    let (Type::Record(of) | Type::Struct(_, of)) = stored(schema, *row) else { return Vec::new() };
    let column = |ty: usize| match stored(schema, ty) {
        Type::Scalar(Scalar::String) => Some(Column::Text),
        Type::Option(inner) => match stored(schema, *inner) {
            Type::Scalar(Scalar::String) => Some(Column::Strings),
            _ => None,
        },
        _ => None,
    };
    of.fields.iter().filter_map(|(name, ty)| Some((Arc::clone(name), column(*ty)?))).collect()
}

/// The fields of the rows of a schema that can be null.
pub(super) fn optional_columns(schema: &Schema) -> HashSet<Arc<str>> {
    let (Type::List(row) | Type::Array(_, row)) = stored(schema, 0) else { return HashSet::new() };
    let (Type::Record(of) | Type::Struct(_, of)) = stored(schema, *row) else {
        return HashSet::new();
    };
    let optional =
        of.fields.iter().filter(|(_, ty)| matches!(stored(schema, *ty), Type::Option(_)));
    optional.map(|(name, _)| Arc::clone(name)).collect()
}

/// A type without what is around its storage.
fn stored(schema: &Schema, mut ty: usize) -> &Type {
    // A definition is never only a reference, so this ends.
    loop {
        ty = match &schema.types()[ty] {
            Type::Def(number) | Type::Shared(number) => schema.definitions()[*number],
            Type::Packed(inner) | Type::Logical(_, inner) | Type::Extension(_, inner) => *inner,
            own => return own,
        };
    }
}
