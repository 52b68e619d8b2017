//! Finds the same place in another schema: the blocks of a stream can have several schemas.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::memory::GrowVec;
use crate::schema::{Schema, Type, TypeId, parents};

/// A step down from the root; options, logical types and extensions take none.
enum PathStep {
    Field(Arc<str>),
    Items,
    Key,
    Value,
    Variant(Arc<str>),
    /// An unnamed variant, by the code of its type.
    Unnamed(u8),
    Member(usize),
}

/// A place in another schema, as far as it exists there.
pub(super) enum SamePlace {
    Whole(TypeId),
    /// The last place that exists.
    Ancestor(TypeId),
}

/// Returns the place in `to` that corresponds to `id` in `from`.
pub(super) fn same_place(from: &Schema, id: TypeId, to: &Schema) -> SamePlace {
    if from == to {
        return SamePlace::Whole(id);
    }
    let types = to.types();
    let mut at = 0;
    for step in steps_to(from, id) {
        match follow(types, at, &step) {
            Some(next) => at = next,
            // One of several types elsewhere is the only one here.
            None if matches!(&step, PathStep::Unnamed(code) if types[plain(types, at)].code() == *code) =>
                {}
            None => return SamePlace::Ancestor(at),
        }
    }
    SamePlace::Whole(at)
}

fn plain(types: &[Type], id: TypeId) -> TypeId {
    super::gather::plain(types, id)
}

fn steps_to(schema: &Schema, id: TypeId) -> Vec<PathStep> {
    let (types, parents) = (schema.types(), parents(schema));
    let (mut steps, mut at) = (Vec::new(), id);
    while let Some(parent) = parents[at] {
        match &types[parent] {
            Type::List(_) | Type::Array(..) => steps.put(PathStep::Items),
            Type::Map(key, _) if *key == at => steps.put(PathStep::Key),
            Type::Map(..) => steps.put(PathStep::Value),
            Type::Tuple(members) => {
                let member = members.iter().position(|member| *member == at);
                steps.put(PathStep::Member(member.unwrap_or(0)));
            }
            Type::Record(of) | Type::Struct(_, of) => {
                let field = of.fields.iter().find(|(_, field)| *field == at);
                steps.put_each(field.map(|(name, _)| PathStep::Field(Arc::clone(name))));
            }
            Type::Union(union) => {
                let variant = union.variants.iter().position(|variant| *variant == at);
                match (&union.names, variant) {
                    (Some(names), Some(variant)) => {
                        steps.put(PathStep::Variant(Arc::clone(&names[variant])));
                    }
                    _ => steps.put(PathStep::Unnamed(types[at].code())),
                }
            }
            _ => {}
        }
        at = parent;
    }
    steps.reverse();
    steps
}

fn follow(types: &[Type], at: TypeId, step: &PathStep) -> Option<TypeId> {
    let at = plain(types, at);
    match (&types[at], step) {
        (Type::List(item) | Type::Array(_, item), PathStep::Items) => Some(*item),
        (Type::Map(key, _), PathStep::Key) => Some(*key),
        (Type::Map(_, value), PathStep::Value) => Some(*value),
        (Type::Tuple(members), PathStep::Member(number)) => members.get(*number).copied(),
        (Type::Record(of) | Type::Struct(_, of), PathStep::Field(name)) => {
            let field = of.fields.iter().find(|(own, _)| own == name);
            field.map(|(_, field)| *field)
        }
        (Type::Union(union), PathStep::Variant(name)) => {
            let names = union.names.as_ref()?;
            Some(union.variants[names.iter().position(|own| own == name)?])
        }
        (Type::Union(union), PathStep::Unnamed(code)) if union.names.is_none() => {
            union.variants.iter().copied().find(|variant| types[*variant].code() == *code)
        }
        // Here it is one of several types.
        (Type::Union(union), step) if union.names.is_none() => {
            let mut found = union.variants.iter().filter_map(|own| follow(types, *own, step));
            found.next().filter(|_| found.next().is_none())
        }
        _ => None,
    }
}
