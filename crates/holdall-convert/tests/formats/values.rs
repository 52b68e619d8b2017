//! Random values.

use holdall::value::{Extension, Logical, Record, Struct, Variant};
use holdall::{BigInt, LogicalType, Tensor, Value};
use proptest::collection::vec;
use proptest::prelude::*;

/// An integer from its two's complement bytes.
pub fn integer(bytes: &[u8]) -> Value {
    match BigInt::from_le_bytes(bytes) {
        Some(big) => Value::BigInt(big),
        None => {
            let is_negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
            let mut word = if is_negative { [0xFF; 8] } else { [0; 8] };
            let len = bytes.len().min(8);
            word[..len].copy_from_slice(&bytes[..len]);
            Value::Int(i64::from_le_bytes(word))
        }
    }
}

fn logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Value::from(Logical::new(LogicalType::new(kind, parameters).unwrap(), storage))
}

fn strings() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]{0,2}",
        1 => "\\PC{0,40}",
        1 => "[,\"\r\n a\u{FEFF}é]{0,6}",
        1 => vec(any::<char>(), 0..300).prop_map(String::from_iter),
    ]
}

/// Scalars that both MessagePack and CBOR have.
fn common() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (any::<i64>(), 0_u32..64).prop_map(|(value, shift)| Value::Int(value >> shift)),
        any::<u64>().prop_map(Value::from),
        any::<u32>().prop_map(|bits| Value::F32(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| Value::F64(f64::from_bits(bits))),
        strings().prop_map(Value::from),
        vec(any::<u8>(), 0..300).prop_map(Value::Bytes),
    ]
    .boxed()
}

fn distinct<K: PartialEq>(entries: Vec<(K, Value)>) -> Vec<(K, Value)> {
    let mut kept: Vec<(K, Value)> = Vec::new();
    for (key, value) in entries {
        if kept.iter().all(|(own, _)| *own != key) {
            kept.push((key, value));
        }
    }
    kept
}

/// Lists, records and maps of these scalars; keys of maps are scalars, some of them strings.
fn containers(scalars: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let keys = scalars.clone();
    scalars
        .prop_recursive(5, 100, 8, move |inner| {
            prop_oneof![
                vec(inner.clone(), 0..8).prop_map(Value::list),
                vec((strings(), inner.clone()), 0..8)
                    .prop_map(|entries| Value::record(distinct(entries))),
                vec((keys.clone(), inner), 1..6).prop_map(|entries| Value::map(distinct(entries))),
            ]
        })
        .boxed()
}

/// Values that MessagePack holds.
pub fn of_msgpack() -> BoxedStrategy<Value> {
    let scalars = prop_oneof![
        6 => common(),
        1 => any::<(i64, u32)>().prop_map(|(seconds, nanos)| {
            let all = i128::from(seconds) * 1_000_000_000 + i128::from(nanos % 1_000_000_000);
            logical(LogicalType::TIMESTAMP, &[3, 1], integer(&all.to_le_bytes()))
        }),
        1 => (any::<i8>().prop_filter("timestamps", |ty| *ty != -1), vec(any::<u8>(), 0..20)).prop_map(|(ty, data)| {
            Extension::new("msgpack.ext", Value::tuple([Value::I8(ty), Value::Bytes(data)])).into()
        }),
    ];
    containers(scalars.boxed())
}

/// Values that CBOR holds.
pub fn of_cbor() -> BoxedStrategy<Value> {
    let int = || vec(any::<u8>(), 1..20).prop_map(|bytes| integer(&bytes));
    let scalars = prop_oneof![
        6 => common(),
        1 => int(),
        1 => any::<u16>().prop_map(|bits| Value::F16(holdall::f16::from_bits(bits))),
        1 => (0_u8..20).prop_map(|number| Extension::new("cbor.simple", Value::U8(number)).into()),
        1 => int().prop_map(|value| logical(LogicalType::TIMESTAMP, &[0, 1], value)),
        1 => int().prop_map(|value| logical(LogicalType::DATE, &[], value)),
        1 => any::<[u8; 16]>().prop_map(|bytes| logical(LogicalType::UUID, &[], Value::Fixed(bytes.to_vec()))),
        1 => any::<[u8; 4]>().prop_map(|bytes| logical(LogicalType::IP_ADDRESS, &[4], Value::Fixed(bytes.to_vec()))),
        1 => strings().prop_map(|text| logical(LogicalType::URL, &[], Value::from(text))),
        1 => (int(), int()).prop_map(|(a, b)| logical(LogicalType::RATIONAL, &[], Value::tuple([a, b]))),
        1 => (300_u64.., common()).prop_map(|(tag, value)| {
            Extension::new("cbor.tag", Value::tuple([Value::U64(tag), value])).into()
        }),
        1 => vec(common(), 0..4).prop_map(|items| logical(LogicalType::SET, &[], Value::list(items))),
    ];
    containers(scalars.boxed())
}

/// Tables as CSV reads them: all rows have all fields, in one order, and every cell is a string.
pub fn tables() -> impl Strategy<Value = Value> {
    (vec(strings(), 1..6), vec(vec(strings(), 6), 0..8)).prop_map(|(mut names, rows)| {
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Value::list(rows.into_iter().map(|cells| {
            let cells = cells.into_iter().map(Value::from);
            Value::record(names.iter().cloned().zip(cells))
        }))
    })
}

/// One value of each kind that can be written.
pub fn one_of_each() -> Vec<Value> {
    let fields = || -> Record {
        [("x".into(), Value::from(1)), ("y".into(), Value::Null)].into_iter().collect()
    };
    vec![
        Value::Null,
        Value::from(true),
        Value::from(-5),
        integer(&[1; 12]),
        Value::U8(1),
        Value::U16(2),
        Value::U32(3),
        Value::U64(u64::MAX),
        Value::U128(Box::new(5)),
        Value::U128(Box::new(u128::MAX)),
        Value::I8(-1),
        Value::I16(-2),
        Value::I32(-3),
        Value::I64(i64::MIN),
        Value::I128(Box::new(-5)),
        Value::I128(Box::new(i128::MIN)),
        Value::F16(holdall::f16::from_f32(1.5)),
        Value::Bf16(holdall::bf16::from_f32(2.5)),
        Value::F32(0.1),
        Value::F64(0.1),
        Value::F64(f64::NAN),
        Value::from("text"),
        Value::Bytes(vec![1, 2]),
        Value::Fixed(vec![3, 4]),
        Value::list([Value::from(1), Value::from("a")]),
        Value::list([]),
        Value::Array(vec![Value::from(1)].into()),
        Value::tuple([Value::from(1), Value::from("a")]),
        Value::tuple((0..12).map(Value::from)),
        Value::Record(fields()),
        Value::Struct(Struct::new("S", fields())),
        Value::map([(Value::from(1), Value::from(2))]),
        Value::map([(Value::list([]), Value::from(2))]),
        Value::Variant(Variant::new("V", Value::from(1))),
        Value::from(Tensor::of([2], &[1_u8, 2]).unwrap()),
        logical(LogicalType::DATE, &[], Value::from(1)),
        logical(LogicalType::TIMESTAMP, &[1, 1], Value::from(1)),
        logical(LogicalType::ORDERED_MAP, &[], Value::map([(Value::from("k"), Value::from(2))])),
        Extension::new("a.b", Value::list([Value::from(1)])).into(),
    ]
}
