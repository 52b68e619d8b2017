//! Equality of values, by types and bits.

use super::{Map, Record, Struct, Value, Variant};

/// What is left to compare.
type Pairs<'a> = Vec<(&'a Value, &'a Value)>;

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        let mut pairs = vec![(self, other)];
        while let Some((left, right)) = pairs.pop() {
            if !eq_shallow(left, right, &mut pairs) {
                return false;
            }
        }
        true
    }
}

impl Eq for Value {}

/// Compares two values but for what is inside them, which is added to `pairs`.
fn eq_shallow<'a>(left: &'a Value, right: &'a Value, pairs: &mut Pairs<'a>) -> bool {
    match (left.get(), right.get()) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::BigInt(a), Value::BigInt(b)) => a == b,
        (Value::U8(a), Value::U8(b)) => a == b,
        (Value::U16(a), Value::U16(b)) => a == b,
        (Value::U32(a), Value::U32(b)) => a == b,
        (Value::U64(a), Value::U64(b)) => a == b,
        (Value::U128(a), Value::U128(b)) => a == b,
        (Value::I8(a), Value::I8(b)) => a == b,
        (Value::I16(a), Value::I16(b)) => a == b,
        (Value::I32(a), Value::I32(b)) => a == b,
        (Value::I64(a), Value::I64(b)) => a == b,
        (Value::I128(a), Value::I128(b)) => a == b,
        (Value::F32(a), Value::F32(b)) => a.to_bits() == b.to_bits(),
        (Value::F64(a), Value::F64(b)) => a.to_bits() == b.to_bits(),
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::List(a), Value::List(b)) => eq_items(a, b, pairs),
        (Value::Tuple(a), Value::Tuple(b)) => eq_items(a, b, pairs),
        (Value::Record(a), Value::Record(b)) => eq_records(a, b, pairs),
        (
            Value::Struct(Struct { name: a, fields: x }),
            Value::Struct(Struct { name: b, fields: y }),
        ) => a == b && eq_records(x, y, pairs),
        (
            Value::Variant(Variant { name: a, value: x }),
            Value::Variant(Variant { name: b, value: y }),
        ) => {
            pairs.push((x, y));
            a == b
        }
        (Value::Map(a), Value::Map(b)) => {
            pairs.extend(a.iter().zip(b.iter()).flat_map(|(x, y)| [(&x.0, &y.0), (&x.1, &y.1)]));
            a.len() == b.len()
        }
        (Value::Record(a), Value::Map(b)) | (Value::Map(b), Value::Record(a)) => {
            eq_mixed(a, b, pairs)
        }
        _ => false,
    }
}

fn eq_items<'a>(left: &'a [Value], right: &'a [Value], pairs: &mut Pairs<'a>) -> bool {
    pairs.extend(left.iter().zip(right));
    left.len() == right.len()
}

fn eq_records<'a>(left: &'a Record, right: &'a Record, pairs: &mut Pairs<'a>) -> bool {
    left.keys() == right.keys() && eq_items(left.values(), right.values(), pairs)
}

/// A mapping with string keys is the same, whether it was stored as a record or as a map.
fn eq_mixed<'a>(left: &'a Record, right: &'a Map, pairs: &mut Pairs<'a>) -> bool {
    pairs.extend(left.values().iter().zip(right.iter().map(|(_, value)| value)));
    left.values().len() == right.len()
        && left.keys().iter().zip(right.iter()).all(|(key, (other, _))| other.as_str() == Some(key))
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        self.keys == other.keys && self.values == other.values
    }
}

impl Eq for Record {}

impl PartialEq for Struct {
    fn eq(&self, other: &Struct) -> bool {
        self.name == other.name && self.fields == other.fields
    }
}

impl Eq for Struct {}

impl PartialEq for Variant {
    fn eq(&self, other: &Variant) -> bool {
        self.name == other.name && self.value == other.value
    }
}

impl Eq for Variant {}

impl PartialEq for super::Shared {
    fn eq(&self, other: &super::Shared) -> bool {
        self.is_same(other) || self.get() == other.get()
    }
}

impl Eq for super::Shared {}
