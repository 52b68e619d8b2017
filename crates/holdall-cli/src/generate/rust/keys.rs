//! Which types of Rust can be in sets, and keys of maps.

use holdall::LogicalType;
use holdall::bindings::Type;
use holdall::bindings::schema::{Scalar, Union};

use crate::generate::Model;

/// For each type, whether the type that is generated has a hash: no float has one, no container without an order, and no `Value`.
pub(super) struct Keys(Vec<bool>);

impl Keys {
    pub(super) fn of(model: &Model<'_>) -> Self {
        let types = model.schema().types();
        let mut keys = vec![true; types.len()];
        // The types around each, of which it is a part, and those without a hash whose surroundings were not visited yet.
        let (mut around, mut without) = (vec![Vec::new(); types.len()], Vec::new());
        for id in 0..types.len() {
            match parts(model, id) {
                Some(parts) => parts.into_iter().for_each(|part| around[part].push(id)),
                None => without.push(id),
            }
        }
        while let Some(id) = without.pop() {
            if std::mem::replace(&mut keys[id], false) {
                without.extend(&around[id]);
            }
        }
        Keys(keys)
    }

    pub(super) fn can_be(&self, id: usize) -> bool {
        self.0[id]
    }
}

/// The types on whose hashes that of a type depends; none if it has no hash in any case.
fn parts(model: &Model<'_>, id: usize) -> Option<Vec<usize>> {
    let ty = model.ty(id);
    Some(match ty {
        Type::Scalar(Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 | Scalar::Fixed(_)) => {
            return None;
        }
        Type::Null
        | Type::Never
        | Type::Scalar(_)
        | Type::Option(_)
        | Type::List(_)
        | Type::Array(..)
        | Type::Extension(..)
        | Type::Record(_)
        | Type::Struct(..)
        | Type::Union(Union { names: Some(_), .. }) => ty.children().collect(),
        Type::Tuple(items) if (1..=12).contains(&items.len()) => items.to_vec(),
        Type::Packed(inner) if matches!(model.ty(*inner), Type::Struct(..)) => vec![*inner],
        Type::Def(number) | Type::Shared(number) => vec![model.schema().definitions()[*number]],
        Type::Logical(of, storage) => match of.kind() {
            LogicalType::DATE
            | LogicalType::TIME
            | LogicalType::TIMESTAMP
            | LogicalType::DURATION
            | LogicalType::DECIMAL
            | LogicalType::UUID
            | LogicalType::BYTE_ARRAY
            | LogicalType::CHAR
            | LogicalType::PATH
            | LogicalType::IP_ADDRESS => Vec::new(),
            LogicalType::LONG_TUPLE => vec![*storage],
            _ => return None,
        },
        _ => return None,
    })
}
