//! Values that serde did not write, and types other than the written one.

use std::collections::BTreeMap;
use std::fmt::Debug;

use holdall::serde::{from_slice, from_value, to_vec};
use holdall::value::{Extension, Logical};
use holdall::{BigInt, Code, DType, IntKind, LogicalType, Tensor, Value, bf16, f16};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[track_caller]
fn read<T: DeserializeOwned + PartialEq + Debug>(value: impl Into<Value>, expected: T) {
    let value = value.into();
    assert_eq!(from_value::<T>(&value).unwrap(), expected);
    assert_eq!(from_slice::<T>(&holdall::to_vec(&value).unwrap()).unwrap(), expected);
}

#[track_caller]
fn refuse<T: DeserializeOwned + Debug>(value: impl Into<Value>, code: Code) {
    let value = value.into();
    assert_eq!(from_value::<T>(&value).unwrap_err().code(), code, "{value:?}");
}

fn logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Logical::new(LogicalType::new(kind, parameters).unwrap(), storage).into()
}

fn big(value: i128) -> Value {
    BigInt::from_le_bytes(&value.to_le_bytes()).unwrap().into()
}

#[test]
fn integers_are_read_as_any_type_that_holds_them() {
    for value in [
        Value::Int(7),
        Value::U8(7),
        Value::U64(7),
        Value::I8(7),
        Value::I128(Box::new(7)),
        Value::U128(Box::new(7)),
    ] {
        read::<u8>(value.clone(), 7);
        read::<i64>(value.clone(), 7);
        read::<u128>(value.clone(), 7);
        read::<i128>(value.clone(), 7);
        read::<Option<u16>>(value, Some(7));
    }
    read(big(1 << 63), 1_u64 << 63);
    read(big(i128::MIN), i128::MIN);
    read(big(1 << 100), 1_u128 << 100);
    read(Value::U128(Box::new(1 << 100)), 1_i128 << 100);
    read(Value::U128(Box::new(u128::MAX)), u128::MAX);
    refuse::<i128>(Value::U128(Box::new(u128::MAX)), Code::Unconvertible);
    refuse::<u8>(256, Code::Unconvertible);
    refuse::<u64>(-1, Code::Unconvertible);
    refuse::<u128>(big(i128::MIN), Code::Unconvertible);
    refuse::<i64>(big(1 << 63), Code::Unconvertible);
    refuse::<u8>(1.0, Code::Unconvertible);
    refuse::<bool>(1, Code::Unconvertible);
    let huge = BigInt::from_le_bytes(&[[0; 20], [1; 20]].concat()).unwrap();
    refuse::<u128>(huge.clone(), Code::Unrepresentable);
    // A reader that ignores it is not affected.
    assert!(from_value::<serde::de::IgnoredAny>(&huge.into()).is_ok());
}

#[test]
fn numbers_are_read_as_floats_where_they_are_the_same() {
    read(3, 3.0_f64);
    read(Value::U64(1 << 60), (1_u64 << 60) as f64);
    read(1 << 24, (1 << 24) as f32);
    read(big(1 << 100), 2_f64.powi(100));
    refuse::<f64>((1_i64 << 53) + 1, Code::Unconvertible);
    refuse::<f32>((1 << 24) + 1, Code::Unconvertible);
    refuse::<f32>(Value::U128(Box::new(u128::MAX)), Code::Unconvertible);
    read(0.5, 0.5_f32);
    read(Value::F32(0.1), f64::from(0.1_f32));
    refuse::<f32>(0.1, Code::Unconvertible);
    refuse::<f32>(1e300, Code::Unconvertible);
    read(Value::F16(f16::from_f32(1.5)), 1.5_f32);
    read(Value::Bf16(bf16::from_f32(-2.0)), -2.0_f64);
    assert!(from_value::<f32>(&Value::F64(f64::NAN)).unwrap().is_nan());
    let error = from_value::<f32>(&Value::F64(0.1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unconvertible in $: expected a number that can be stored exactly as f32, got 0.1"
    );
}

#[test]
fn logical_values_are_read_as_their_storage() {
    read(logical(LogicalType::DATE, &[], Value::from(20_000)), 20_000_i32);
    read(logical(LogicalType::CHAR, &[], Value::U32(0x78)), 'x');
    read(logical(LogicalType::CHAR, &[], Value::U32(0x78)), "x".to_owned());
    read(Value::from("x"), 'x');
    read(logical(LogicalType::CHAR, &[], Value::U32(0xD800)), 0xD800_u32);
    read(logical(LogicalType::SET, &[], vec![1, 2].into()), vec![1, 2]);
    read(logical(LogicalType::PATH, &[1, 0], "a/b".into()), std::path::PathBuf::from("a/b"));
    read(logical(LogicalType::IP_ADDRESS, &[4], Value::Fixed(vec![1, 2, 3, 4])), [1_u8, 2, 3, 4]);
    let decimal = Value::tuple([Value::U8(0), Value::from(15), Value::from(-1)]);
    read(logical(LogicalType::DECIMAL, &[], decimal), (0_u8, 15, -1));
    let entries = [(Value::from("a"), Value::from(1))];
    read(
        logical(LogicalType::ORDERED_MAP, &[], Value::map(entries)),
        BTreeMap::from([("a".to_owned(), 1)]),
    );
    read(logical(0xE0, &[1], logical(0xE1, &[], 5.into())), 5);
    read(Extension::new("a.b", Value::from("x")), "x".to_owned());
    read(
        Value::list([logical(LogicalType::DATE, &[], 1.into()), Value::Null]),
        vec![Some(1), None],
    );
}

#[test]
fn arrays_and_bytes_are_sequences_too() {
    read(Value::Array(vec![Value::from(1), Value::from(2)].into()), vec![1, 2]);
    read(Value::Array(vec![Value::from(1), Value::from(2)].into()), (1, 2));
    read(Value::Bytes(vec![1, 2]), vec![1_u8, 2]);
    read(Value::Fixed(vec![1, 2]), [1_u8, 2]);
    read(Value::Bytes(vec![1, 2]), vec![Some(1_i64), Some(2)]);
    refuse::<[u8; 3]>(Value::Bytes(vec![1, 2]), Code::Unconvertible);
    refuse::<[u8; 1]>(Value::Bytes(vec![1, 2]), Code::Unconvertible);
    refuse::<String>(Value::Bytes(vec![0xFF]), Code::Unconvertible);
}

#[test]
fn tensors_are_nested_sequences() {
    let of = |shape: &[u64], column_major, numbers: &[i16]| {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        Tensor::new(DType::Int(IntKind::I16), shape, column_major, bytes).unwrap()
    };
    read(of(&[], false, &[-5]), -5_i16);
    read(of(&[], false, &[-5]), Some(-5_f32));
    read(of(&[3], false, &[1, 2, 3]), vec![1_i64, 2, 3]);
    read(of(&[3], false, &[1, 2, 3]), (1_u8, 2_u8, 3_u8));
    read(of(&[2, 3], false, &[1, 2, 3, 4, 5, 6]), vec![[1, 2, 3], [4, 5, 6]]);
    read(of(&[2, 3], true, &[1, 4, 2, 5, 3, 6]), vec![[1, 2, 3], [4, 5, 6]]);
    let cube = vec![vec![vec![1, 2], vec![3, 4]], vec![vec![5, 6], vec![7, 8]]];
    read(of(&[2, 2, 2], false, &[1, 2, 3, 4, 5, 6, 7, 8]), cube.clone());
    read(of(&[2, 2, 2], true, &[1, 5, 3, 7, 2, 6, 4, 8]), cube);
    read(of(&[2, 0], false, &[]), vec![Vec::<u8>::new(), vec![]]);
    refuse::<Vec<u8>>(of(&[2, 1], false, &[1, 2]), Code::Unconvertible);
    // Elements that are not plain numbers.
    #[derive(Debug, PartialEq, Deserialize)]
    struct Point {
        x: u8,
        ok: bool,
    }
    let fields = [("x".into(), DType::Int(IntKind::U8)), ("ok".into(), DType::Bool)];
    let point = DType::Struct("Point".into(), fields.into());
    let tensor = Tensor::new(point, [2], false, vec![1, 0, 2, 1]).unwrap();
    read(tensor, vec![Point { x: 1, ok: false }, Point { x: 2, ok: true }]);
    let pair = DType::Tuple([DType::Int(IntKind::U128), DType::Fixed(2)].into());
    let tensor = Tensor::new(pair, [], false, [[0xFF; 16].as_slice(), &[1, 2]].concat()).unwrap();
    read(tensor, (u128::MAX, [1_u8, 2]));
}

#[test]
fn a_tensor_of_nothing_in_many_dimensions_is_limited() {
    let none = |shape: &[u64]| Tensor::new(DType::Bool, shape, false, vec![]).unwrap();
    refuse::<Vec<Vec<bool>>>(none(&[1 << 60, 0]), Code::LimitBudget);
    let bytes = holdall::to_vec(&Value::from(none(&[1 << 60, 0]))).unwrap();
    let error = from_slice::<Vec<serde::de::IgnoredAny>>(&bytes).unwrap_err();
    assert_eq!(error.code(), Code::LimitBudget);
    read(none(&[0, 1 << 60]), Vec::<Vec<bool>>::new());
}

#[test]
fn packed_rows_are_their_contents() {
    // A list of packed structs P {x: u8, y: u8}: (1, 2), (3, 4).
    let bytes = crate::common::hex("C1 10 16 1E 19 04 50 10 04 78 04 04 79 04 04 01 02 03 04");
    #[derive(Debug, PartialEq, Deserialize)]
    struct P {
        x: u8,
        y: u8,
    }
    assert_eq!(from_slice::<Vec<P>>(&bytes).unwrap(), [P { x: 1, y: 2 }, P { x: 3, y: 4 }]);
}

#[test]
fn a_value_of_a_later_version_is_skipped_or_rejected() {
    // A tuple of an unknown type and the string x.
    let bytes = crate::common::hex("C1 10 18 04 E0 02 2A 12 04 FF FF 02 78");
    let (_, text): (serde::de::IgnoredAny, &str) = from_slice(&bytes).unwrap();
    assert_eq!(text, "x");
    let error = from_slice::<(u8, &str)>(&bytes).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0]"));
}

#[test]
fn structs_are_read_by_position_from_tuples() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Point {
        x: u8,
        y: String,
    }
    read(Value::tuple([Value::from(1), Value::from("a")]), Point { x: 1, y: "a".into() });
    refuse::<Point>(Value::tuple([Value::from(1)]), Code::Unconvertible);
    refuse::<Point>(Value::tuple(vec![Value::from(1); 3]), Code::Unconvertible);
}

#[test]
fn tuple_structs_are_read_from_fields_in_any_order() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Pair(u8, String);
    read(Value::record([("1", Value::from("a")), ("0", Value::from(1))]), Pair(1, "a".into()));
    read(Value::tuple([Value::from(1), Value::from("a")]), Pair(1, "a".into()));
    refuse::<Pair>(Value::record([("0", Value::from(1))]), Code::Unconvertible);
    refuse::<Pair>(
        Value::record([("0", Value::from(1)), ("2", Value::from("a"))]),
        Code::Unconvertible,
    );
}

#[test]
fn units_are_null_and_unit_structs_without_fields() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Unit;
    read(Value::Null, ());
    read(Value::Null, Unit);
    read(Value::record::<&str>([]), Unit);
    refuse::<()>(Value::record::<&str>([]), Code::Unconvertible);
    refuse::<Unit>(Value::record([("a", Value::Null)]), Code::Unconvertible);
}

#[test]
fn the_format_is_not_human_readable() {
    struct Asks;
    impl<'de> Deserialize<'de> for Asks {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Asks, D::Error> {
            assert!(!deserializer.is_human_readable());
            serde::de::IgnoredAny::deserialize(deserializer).map(|_| Asks)
        }
    }
    impl serde::Serialize for Asks {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            assert!(!serializer.is_human_readable());
            serializer.serialize_unit()
        }
    }
    let value = vec![(Asks, Some(Asks))];
    let _: Vec<(Asks, Option<Asks>)> = from_slice(&to_vec(&value).unwrap()).unwrap();
}
