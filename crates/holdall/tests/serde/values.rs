//! `Value` among the types of a program.

use std::collections::BTreeMap;

use holdall::serde::{from_slice, from_value, source, to_value, to_vec};
use holdall::value::{Extension, Logical, Record, Struct, Variant};
use holdall::{BigInt, Code, DType, Encoder, IntKind, LogicalType, Shared, Tensor, Value, f16};
use serde::{Deserialize, Serialize};

use super::round;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Event {
    id: u64,
    payload: Value,
    more: BTreeMap<String, Value>,
    maybe: Option<Value>,
    list: Vec<Option<Option<Value>>>,
}

/// One of each kind that serde cannot express.
fn odd() -> Vec<Value> {
    let fields = Record::from_iter([("x".into(), Value::F16(f16::from_f32(0.5)))]);
    vec![
        Value::Null,
        Value::from(1),
        Value::from(BigInt::from_le_bytes(&[1; 40]).unwrap()),
        Value::I64(1),
        Value::U128(Box::new(1)),
        Value::Fixed(vec![1, 2]),
        Value::Array(vec![Value::from(1)].into()),
        Value::Tuple(vec![Value::from("x"); 20].into()),
        Value::Struct(Struct::new("S", fields)),
        Value::Variant(Variant::new("V", Value::Null)),
        Value::Variant(Variant::new("Some", Value::Null)),
        Value::map([(Value::from(1), Value::map([(Value::Null, Value::F32(1.0))]))]),
        Logical::new(LogicalType::new(LogicalType::DATE, &[]).unwrap(), 5.into()).into(),
        Extension::new("a.b", Value::from("x")).into(),
        Tensor::of([2, 2], &[1_u16, 2, 3, 4]).unwrap().into(),
        Tensor::new(DType::Int(IntKind::I8), [], false, vec![7]).unwrap().into(),
    ]
}

#[test]
fn a_value_in_a_field_is_kept_completely() {
    for value in odd() {
        // An option of it does not differ from null.
        let maybe = Some(value.clone()).filter(|value| *value != Value::Null);
        let event = Event {
            id: 1,
            payload: value.clone(),
            more: BTreeMap::from([("k".to_owned(), value.clone())]),
            maybe,
            list: vec![None, Some(None), Some(Some(value.clone()))],
        };
        round(&event);
        round(&value);
    }
    round(&odd());
    // A null in an option differs, since it is written as a variant.
    round(&Some(Value::Null));
    round(&vec![Some(Value::Null), None]);
}

#[test]
fn a_value_is_the_same_with_serde_and_without() {
    for value in odd() {
        assert_eq!(to_vec(&value).unwrap(), holdall::to_vec(&value).unwrap());
        assert_eq!(to_value(&value).unwrap(), value);
        assert_eq!(from_value::<Value>(&value).unwrap(), value);
        let inside = to_vec(&BTreeMap::from([("a", &value)])).unwrap();
        assert_eq!(inside, holdall::to_vec(&Value::record([("a", value)])).unwrap());
    }
}

#[test]
fn shared_values_in_a_value_stay_shared() {
    let shared = Value::Shared(Shared::new(Value::from(vec![1])));
    let pair = Value::list([shared.clone(), shared]);
    let bytes = to_vec(&(1_u8, &pair)).unwrap();
    let (_, read): (u8, Value) = from_slice(&bytes).unwrap();
    let Value::List(items) = &read else { panic!("{read:?}") };
    let (Value::Shared(a), Value::Shared(b)) = (&items[0], &items[1]) else { panic!("{read:?}") };
    assert!(a.is_same(b));
    // A reader without identity gets it twice.
    let (_, read): (u8, Vec<Vec<u8>>) = from_slice(&bytes).unwrap();
    assert_eq!(read, [[1], [1]]);
    // Earlier values are copied into it.
    let outside = Value::tuple([items[0].clone(), Value::list([items[1].clone()])]);
    let (list, inside): (Vec<u8>, Value) = from_slice(&holdall::to_vec(&outside).unwrap()).unwrap();
    assert_eq!((list, inside), (vec![1], Value::list([Value::from(vec![1])])));
}

#[test]
fn a_cyclic_value_is_read_only_as_a_value() {
    let ring = Shared::cyclic(|weak| {
        Value::record([("next", Value::Weak(weak.clone())), ("n", Value::from(1))])
    });
    let bytes = holdall::to_vec(&Value::list([Value::Shared(ring)])).unwrap();
    let read: Vec<Value> = from_slice(&bytes).unwrap();
    assert_eq!(read[0]["n"], Value::from(1));
    let Value::Record(record) = read[0].get() else { panic!() };
    let Value::Weak(weak) = &record.values()[0] else { panic!() };
    assert_eq!(weak.upgrade().unwrap().get()["n"], Value::from(1));
    assert_eq!(to_vec(&read).unwrap(), bytes);
    // A part of the ring is the entire ring.
    #[derive(Debug, Deserialize)]
    struct Part {
        next: Value,
    }
    let read: Vec<Part> = from_slice(&bytes).unwrap();
    assert_eq!(read[0].next["n"], Value::from(1));
    #[derive(Debug, Deserialize)]
    struct Ring {
        #[allow(dead_code)]
        next: Option<Box<Ring>>,
    }
    let error = from_slice::<Vec<Ring>>(&bytes).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0].next"));
    assert_eq!(
        from_slice::<Vec<serde_json::Value>>(&bytes).unwrap_err().code(),
        Code::Unrepresentable
    );
    // Nor can other formats write it.
    assert!(serde_json::to_string(&read[0].next).is_err());
}

#[test]
fn a_value_of_any_depth_survives() {
    let mut deep = Value::from(1);
    for _ in 0..100_000 {
        deep = Value::list([deep]);
    }
    let bytes = to_vec(&(1, &deep, BTreeMap::from([(1, &deep)]))).unwrap();
    let (_, read, _): (u8, Value, Value) = from_slice(&bytes).unwrap();
    assert!(read == deep);
    assert!(serde_json::to_string(&deep).is_err());
}

#[test]
fn other_formats_write_and_read_a_value_as_well_as_they_can() {
    let json = r#"{"a":[1,-1,0.5,null,true,"x"],"b":{},"c":18446744073709551615}"#;
    let value: Value = serde_json::from_str(json).unwrap();
    assert_eq!(value["a"][1], Value::Int(-1));
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
    let odd: Vec<String> =
        odd().iter().map(|value| serde_json::to_string(value).unwrap_or("-".into())).collect();
    assert_eq!(
        odd.join(" "),
        format!(
            "null 1 - 1 1 [1,2] [1] [{}] {{\"x\":0.5}} {{\"V\":null}} {{\"Some\":null}} - 5 \"x\" [[1,2],[3,4]] 7",
            [r#""x""#; 20].join(",")
        )
    );
    // Other formats do not limit this nesting.
    let deep = "[".repeat(100) + &"]".repeat(100);
    assert_eq!(
        serde_json::to_string(&serde_json::from_str::<Value>(&deep).unwrap()).unwrap(),
        deep
    );
}

#[test]
fn a_value_buffered_by_serde_keeps_what_serde_can_hold() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Open {
        id: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }
    let rest = BTreeMap::from([
        ("a".to_owned(), Value::from(1)),
        (
            "b".to_owned(),
            Value::record([("x", Value::U8(2)), ("y", Value::list([Value::from("z")]))]),
        ),
    ]);
    round(&Open { id: 1, rest });
}

#[test]
fn other_self_describing_data_survive() {
    let json: serde_json::Value =
        serde_json::from_str(r#"{"a": [1, -2, 3.5, "x", null, {"b": {}}], "c": [[], [{}]]}"#)
            .unwrap();
    round(&json);
    let mut encoder = Encoder::new();
    let bytes = encoder.message(&mut source(&json)).unwrap();
    assert_eq!(from_slice::<serde_json::Value>(&bytes).unwrap(), json);
}
