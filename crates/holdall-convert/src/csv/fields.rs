//! The columns whose types follow from a schema of the program.

use std::collections::HashSet;
use std::sync::Arc;

use holdall::bindings::Type;
use holdall::bindings::schema::Scalar;
use holdall::{LogicalType, Schema};

use super::infer::Column;

/// The text fields of the rows of a schema.
pub(super) fn known_columns(schema: &Schema) -> Vec<(Arc<str>, Column)> {
    let (Type::List(row) | Type::Array(_, row)) = stored(schema, 0) else { return Vec::new() };
    let (Type::Record(of) | Type::Struct(_, of)) = stored(schema, *row) else { return Vec::new() };
    let column = |ty: usize| match stored(schema, ty) {
        _ if is_text(schema, ty) => Some(Column::Text),
        Type::Option(inner) if is_text(schema, *inner) => Some(Column::Strings),
        _ => None,
    };
    of.fields.iter().filter_map(|(name, ty)| Some((Arc::clone(name), column(*ty)?))).collect()
}

/// Whether the cells of a type are text: strings, chars, and the names of variants.
fn is_text(schema: &Schema, ty: usize) -> bool {
    match stored(schema, ty) {
        Type::Scalar(Scalar::String) | Type::Logical(..) => true,
        Type::Union(of) => of.names.is_some(),
        _ => false,
    }
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

/// A type without what is around its storage; a char as it is, which is stored as a number and written as text.
fn stored(schema: &Schema, mut ty: usize) -> &Type {
    // A definition is never only a reference, so this ends.
    loop {
        ty = match &schema.types()[ty] {
            Type::Def(number) | Type::Shared(number) => schema.definitions()[*number],
            Type::Logical(of, _) if of.kind() == LogicalType::CHAR => return &schema.types()[ty],
            Type::Packed(inner) | Type::Logical(_, inner) | Type::Extension(_, inner) => *inner,
            own => return own,
        };
    }
}
