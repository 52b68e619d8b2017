//! Values that a reader accepts and a writer rejects.

use std::collections::{BTreeSet, HashMap, HashSet};

use holdall::{Code, LogicalType, Value};
use typed_arena::Arena;

/// Returns the value behind all handles, kept alive by `kept`; none if it was dropped.
pub fn behind<'a>(mut value: &'a Value, kept: &'a Arena<Value>) -> Option<&'a Value> {
    loop {
        value = match value {
            Value::Shared(shared) => shared.get(),
            Value::Weak(weak) => kept.alloc(Value::Shared(weak.upgrade()?)),
            value => return Some(value),
        };
    }
}

/// Visits a value and everything inside it, values behind handles once. `kept` keeps them alive.
fn each<'a>(root: &'a Value, kept: &'a Arena<Value>, mut visit: impl FnMut(&'a Value)) {
    let mut seen = HashSet::new();
    let mut left = vec![root];
    while let Some(value) = left.pop() {
        let is_handle = matches!(value, Value::Shared(_) | Value::Weak(_));
        let Some(value) = behind(value, kept) else { continue };
        if is_handle && !seen.insert(std::ptr::from_ref(value)) {
            continue;
        }
        visit(value);
        match value {
            Value::List(items) => left.extend(items.iter()),
            Value::Array(items) => left.extend(items.iter()),
            Value::Tuple(items) => left.extend(items.iter()),
            Value::Record(record) => left.extend(record.values()),
            Value::Struct(of) => left.extend(of.fields().values()),
            Value::Map(map) => left.extend(map.iter().flat_map(|(key, value)| [key, value])),
            Value::Variant(variant) => left.push(variant.value()),
            Value::Logical(logical) => left.push(logical.storage()),
            Value::Extension(extension) => left.push(extension.value()),
            _ => {}
        }
    }
}

/// Returns the codes with which a writer may reject a value (F-45, F-52, F-73); none if it must write it.
///
/// Typed data can have structs of any size, and maps with equal keys if no reader compares those (F-35); a later
/// version's types are unknown. None of them is a dynamic value.
pub fn refusals(root: &Value) -> BTreeSet<&'static str> {
    let mut codes = BTreeSet::new();
    let mut structs: HashMap<&str, HashSet<&str>> = HashMap::new();
    let kept = Arena::new();
    each(root, &kept, |value| match value {
        Value::Struct(of) => {
            let fields = structs.entry(of.name()).or_default();
            fields.extend(of.fields().iter().map(|(name, _)| name));
            if fields.len() > 256 {
                codes.insert(Code::UnsupportedValue.as_str());
            }
        }
        Value::Map(map) => {
            let mut seen = HashSet::new();
            let keys = map.iter().filter_map(|(key, _)| behind(key, &kept));
            let mut scalars = keys.filter_map(scalar);
            if !scalars.all(|key| seen.insert(key)) {
                codes.insert(Code::DuplicateKey.as_str());
            }
        }
        Value::Unknown => {
            codes.insert(Code::UnsupportedValue.as_str());
        }
        _ => {}
    });
    codes
}

/// Whether a value has storage that a writer of dynamic values writes as another type: big integers are int (F-72).
pub fn is_rewritten(root: &Value) -> bool {
    let mut found = false;
    each(root, &Arena::new(), |value| {
        if let Value::Logical(logical) = value {
            let whole = match logical.storage() {
                Value::Tuple(items) => items.first(),
                storage => Some(storage),
            };
            let has_whole = logical.ty().kind() <= LogicalType::DURATION;
            found |= has_whole && matches!(whole, Some(Value::I64(_)));
        }
    });
    found
}

/// Returns a scalar's type and bytes.
fn scalar(value: &Value) -> Option<(&'static str, Vec<u8>)> {
    Some(match value {
        Value::Null => ("null", Vec::new()),
        Value::Bool(value) => ("bool", vec![u8::from(*value)]),
        Value::Int(value) => ("int", value.to_le_bytes().to_vec()),
        Value::BigInt(value) => ("big", value.as_le_bytes().to_vec()),
        Value::U8(value) => ("u8", value.to_le_bytes().to_vec()),
        Value::U16(value) => ("u16", value.to_le_bytes().to_vec()),
        Value::U32(value) => ("u32", value.to_le_bytes().to_vec()),
        Value::U64(value) => ("u64", value.to_le_bytes().to_vec()),
        Value::U128(value) => ("u128", value.to_le_bytes().to_vec()),
        Value::I8(value) => ("i8", value.to_le_bytes().to_vec()),
        Value::I16(value) => ("i16", value.to_le_bytes().to_vec()),
        Value::I32(value) => ("i32", value.to_le_bytes().to_vec()),
        Value::I64(value) => ("i64", value.to_le_bytes().to_vec()),
        Value::I128(value) => ("i128", value.to_le_bytes().to_vec()),
        Value::F16(value) => ("f16", value.to_bits().to_le_bytes().to_vec()),
        Value::Bf16(value) => ("bf16", value.to_bits().to_le_bytes().to_vec()),
        Value::F32(value) => ("f32", value.to_bits().to_le_bytes().to_vec()),
        Value::F64(value) => ("f64", value.to_bits().to_le_bytes().to_vec()),
        Value::String(value) => ("string", value.as_bytes().to_vec()),
        Value::Bytes(value) => ("bytes", value.clone()),
        Value::Fixed(value) => ("fixed", value.clone()),
        _ => return None,
    })
}
