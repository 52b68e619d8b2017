//! Values in few words.

use holdall::{BigInt, Record, Struct, Value, Variant};
use num_bigint::BigInt as Number;

pub fn null() -> Value {
    Value::Null
}

pub fn int(value: i64) -> Value {
    Value::Int(value)
}

pub fn text(value: &str) -> Value {
    Value::from(value)
}

/// An integer of any size from its digits.
pub fn big(digits: &str) -> Value {
    let number: Number = digits.parse().unwrap();
    match i64::try_from(&number) {
        Ok(value) => Value::Int(value),
        Err(_) => Value::BigInt(BigInt::from_le_bytes(&number.to_signed_bytes_le()).unwrap()),
    }
}

pub fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::list(items)
}

pub fn tuple(items: impl IntoIterator<Item = Value>) -> Value {
    Value::tuple(items)
}

pub fn record<'k>(fields: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    Value::record(fields)
}

/// A record of these keys, all with the same value.
pub fn record_of(keys: &str, value: &Value) -> Value {
    record(keys.split_whitespace().map(|key| (key, value.clone())))
}

pub fn map(entries: impl IntoIterator<Item = (Value, Value)>) -> Value {
    Value::map(entries)
}

pub fn object<'k>(name: &str, fields: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let fields: Record = fields.into_iter().map(|(key, value)| (key.into(), value)).collect();
    Value::Struct(Struct::new(name, fields))
}

pub fn variant(name: &str, value: Value) -> Value {
    Value::Variant(Variant::new(name, value))
}
