//! Which types of Rust can be in sets, and keys of maps.

use holdall::LogicalType;
use holdall::bindings::Type;
use holdall::bindings::schema::{Scalar, Union};

use crate::generate::Model;

/// Whether the type that is generated has a hash: no float has one, no container without an order, and no `Value`.
pub(super) fn can_be_key(model: &Model<'_>, id: usize) -> bool {
    let (mut stack, mut seen) = (vec![id], vec![false; model.schema().types().len()]);
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        let ty = model.ty(id);
        match ty {
            Type::Scalar(
                Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 | Scalar::Fixed(_),
            ) => return false,
            Type::Null | Type::Never | Type::Scalar(_) => {}
            Type::Option(_) | Type::List(_) | Type::Array(..) | Type::Extension(..) => {}
            Type::Record(_) | Type::Struct(..) | Type::Union(Union { names: Some(_), .. }) => {}
            Type::Tuple(items) if (1..=12).contains(&items.len()) => {}
            Type::Packed(inner) if matches!(model.ty(*inner), Type::Struct(..)) => {}
            Type::Def(number) | Type::Shared(number) => {
                stack.push(model.schema().definitions()[*number]);
            }
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
                | LogicalType::IP_ADDRESS => continue,
                LogicalType::LONG_TUPLE => stack.push(*storage),
                _ => return false,
            },
            _ => return false,
        }
        if !matches!(ty, Type::Logical(..)) {
            stack.extend(ty.children());
        }
    }
    true
}
