//! Short constructors of values.

use holdall::value::{Array, Extension, Logical, Record, Struct, Variant};
use holdall::{BigInt, LogicalType, Tensor, Value};
use num_bigint::BigInt as Number;

use super::dtypes::dtype;

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

/// A record with these keys, all with the same value.
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

pub fn array(items: impl IntoIterator<Item = Value>) -> Value {
    Value::Array(Array::from(items.into_iter().collect::<Vec<_>>()))
}

pub fn extension(name: &str, value: Value) -> Value {
    Value::Extension(Extension::new(name, value))
}

/// A value of this kind without parameters.
pub fn logical(kind: u8, storage: Value) -> Value {
    logical_of(kind, &[], storage)
}

pub fn logical_of(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Value::Logical(Logical::new(LogicalType::new(kind, parameters).unwrap(), storage))
}

/// A set of these members, in this order.
pub fn set(members: impl IntoIterator<Item = Value>) -> Value {
    logical(LogicalType::SET, list(members))
}

/// A kind of a later version.
pub fn later(storage: Value) -> Value {
    logical(0xE0, storage)
}

/// A tensor of a type given as text, all of whose bytes are 0 or 1.
pub fn tensor(text: &str, shape: &[u64], mut byte: impl FnMut() -> u8) -> Value {
    let dtype = dtype(text);
    let len = shape.iter().product::<u64>() * dtype.width().unwrap();
    let elements = (0..len).map(|_| byte() & 1).collect();
    Value::from(Tensor::new(dtype, shape, byte() & 1 == 1, elements).unwrap())
}

/// Types of tensor elements.
pub const ELEMENTS: &[&str] = &[
    "bool",
    "u8",
    "i128",
    "f16",
    "bf16",
    "f64",
    "fixed(3)",
    "array(2, tuple(bool, i16))",
    "record {a: bool, \"b c\": array(3, bool)}",
    "struct S {x: f32, y: struct S {x: bool}}",
    "complex[4](tuple(f32, f32))",
    "timestamp[us, offset](tuple(i64, i32))",
    "extension \"e\"(uuid(fixed(16)))",
    "logical[E1 07](logical[FF](u32))",
];

/// Logical values of all kinds with a number in their storage, whose storage is neither list nor map.
pub fn logical_leaf(kind: usize, number: i64) -> Value {
    use holdall::f16;
    let ints = |len: i64| tuple((0..len).map(|at| int(number + at)));
    let small = number.rem_euclid(100) as u8;
    match kind % 21 {
        0 => logical(LogicalType::DATE, int(number)),
        1 => logical_of(LogicalType::TIME, &[small % 4], int(number)),
        2 => logical_of(LogicalType::TIMESTAMP, &[small % 4, small % 2], int(number)),
        3 => {
            let offset = tuple([int(number), Value::I32(i32::from(small))]);
            logical_of(LogicalType::TIMESTAMP, &[small % 4, 2], offset)
        }
        4 => {
            let zone = tuple([int(number), text("UTC")]);
            logical_of(LogicalType::TIMESTAMP, &[small % 4, 3], zone)
        }
        5 => logical_of(LogicalType::DURATION, &[small % 4], int(number)),
        6 => logical(LogicalType::DECIMAL, tuple([Value::U8(small % 8), int(number), int(-2)])),
        7 => logical(LogicalType::RATIONAL, ints(2)),
        8 => {
            let parts = tuple([Value::F32(number as f32), Value::F32(0.5)]);
            logical_of(LogicalType::COMPLEX, &[4], parts)
        }
        9 => {
            let parts = tuple([Value::F64(number as f64), Value::F64(0.5)]);
            logical_of(LogicalType::COMPLEX, &[8], parts)
        }
        10 => logical(LogicalType::UUID, Value::Fixed(vec![small; 16])),
        11 => logical(LogicalType::CHAR, Value::U32(u32::from(small))),
        12 => logical(LogicalType::BYTE_ARRAY, Value::Bytes(vec![small; 3])),
        13 => logical(LogicalType::BIT_VECTOR, list((0..small % 4).map(|_| Value::Bool(true)))),
        14 => logical(LogicalType::SYMBOL, text("name")),
        15 => match small % 2 {
            0 => logical_of(LogicalType::PATH, &[small % 3, 0], text("/a")),
            _ => logical_of(LogicalType::PATH, &[small % 3, 1], Value::Bytes(vec![b'/', small])),
        },
        16 => logical_of(LogicalType::IP_ADDRESS, &[6], Value::Fixed(vec![small; 16])),
        17 => {
            let network = tuple([Value::Fixed(vec![small; 4]), Value::U8(8)]);
            logical_of(LogicalType::IP_NETWORK, &[4], network)
        }
        18 => logical(LogicalType::REGULAR_EXPRESSION, tuple([text("a+"), text("i")])),
        19 => logical(LogicalType::RANGE, ints(3)),
        _ => logical_of(0xE0 + small % 3, &[small], Value::F16(f16::from_f64(number as f64))),
    }
}
