//! The table in the module's documentation: the schemas and bytes of values.

use std::collections::BTreeMap;
use std::fmt;

use holdall::Value;
use holdall::serde::{from_slice, to_value, to_vec};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{check, round, schema};
use crate::common::hex;

/// Bytes, as the crate serde_bytes emits them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blob(pub Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Blob, D::Error> {
        struct Of;
        impl Visitor<'_> for Of {
            type Value = Blob;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Blob, E> {
                Ok(Blob(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Of)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Unit;
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Newtype(u8);
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Pair(u8, bool);
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Empty {}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct EmptyTuple();
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Point {
    x: i32,
    y: i32,
}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Nothing,
    Circle(f64),
    Line(u8, u8),
    Rect { w: u8, h: u8 },
}

/// A schema and the block after it.
#[track_caller]
fn bytes<T: Serialize + serde::de::DeserializeOwned + PartialEq + fmt::Debug>(
    value: T,
    text: &str,
    bytes: &str,
) {
    let message = round(&value);
    assert_eq!(schema(&message), text);
    assert_eq!(message, [hex("C1 10"), hex(bytes)].concat(), "{text}");
}

#[test]
fn scalars_are_of_their_own_types() {
    bytes(true, "bool", "02 01");
    bytes(5_u8, "u8", "04 05");
    bytes(5_u16, "u16", "05 0A");
    bytes(5_u32, "u32", "06 0A");
    bytes(5_u64, "u64", "07 0A");
    bytes(5_usize, "u64", "07 0A");
    bytes(5_u128, "u128", "08 0A");
    bytes(-3_i8, "i8", "09 FD");
    bytes(-3_i16, "i16", "0A 0A");
    bytes(-3_i32, "i32", "0B 0A");
    bytes(-3_i64, "i64", "0C 0A");
    bytes(-3_isize, "i64", "0C 0A");
    bytes(-3_i128, "i128", "0D 0A");
    bytes(1.5_f32, "f32", "10 00 00 C0 3F");
    bytes(1.5_f64, "f64", "11 00 00 00 00 00 00 F8 3F");
    bytes("ab".to_owned(), "string", "12 04 61 62");
    bytes(Blob(vec![1, 2]), "bytes", "13 04 01 02");
    bytes('x', "char(u32)", "22 09 00 06 F0");
    bytes((), "null", "01");
}

#[test]
fn integers_of_128_bits_are_kept() {
    for value in [0, 1, u128::from(u64::MAX), 1 << 64, u128::MAX] {
        check(value, "u128");
        check(vec![value; 9], "list(u128)");
    }
    for value in [0, -1, i128::from(i64::MIN), i128::from(i64::MIN) - 1, i128::MIN, i128::MAX] {
        check(value, "i128");
        check(vec![value; 9], "list(i128)");
    }
}

#[test]
fn every_char_and_float_is_kept() {
    check(vec!['\0', 'é', '\u{D7FF}', '\u{E000}', char::MAX], "list(char(u32))");
    let bits = [0_u64, 1 << 63, 1, 0x7FF0 << 48, 0xFFF8_0000_0000_0001, 0x7FF0_0000_0000_0001];
    for bits in bits {
        let read: f64 = from_slice(&to_vec(&f64::from_bits(bits)).unwrap()).unwrap();
        assert_eq!(read.to_bits(), bits);
    }
    let read: f32 = from_slice(&to_vec(&f32::from_bits(0xFFC0_0001)).unwrap()).unwrap();
    assert_eq!(read.to_bits(), 0xFFC0_0001);
}

#[test]
fn structs_have_their_names() {
    bytes(Unit, "struct Unit {}", "19 10 55 6E 69 74 00");
    check(Empty {}, "struct Empty {}");
    check(EmptyTuple(), "struct EmptyTuple {}");
    bytes(Newtype(7), "u8", "04 07");
    check(Pair(1, true), "struct Pair {\"0\": u8, \"1\": bool}");
    bytes(
        Point { x: 1, y: -1 },
        "struct Point {x: i32, y: i32}",
        "19 14 50 6F 69 6E 74 10 04 78 0B 04 79 0B 04 02",
    );
    check(vec![Point { x: 1, y: 2 }; 5], "list(struct Point {x: i32, y: i32})");
}

#[test]
fn tuples_and_arrays_are_tuples() {
    check((1_u8, true, "x".to_owned()), "tuple(u8, bool, string)");
    check([1_u8, 2, 3], "tuple(u8, u8, u8)");
    check([0_u8; 0], "tuple()");
    check([7_u16; 8], "tuple(u16, u16, u16, u16, u16, u16, u16, u16)");
    check([7_u16; 9], "long_tuple(list(u16))");
    check([7_u16; 32], "long_tuple(list(u16))");
    check((1, 2, 3, 4, 5, 6, 7, 8, 'x'), "long_tuple(list(union(i32, char(u32))))");
}

#[test]
fn sequences_are_lists() {
    check(vec![1_u8, 2, 3], "list(u8)");
    check(Vec::<u8>::new(), "list(never)");
    check(vec![vec!["a".to_owned()], vec![]], "list(list(string))");
}

#[test]
fn the_four_kinds_of_variants_are_named_variants() {
    check(Shape::Nothing, "union {Nothing: null}");
    check(Shape::Circle(1.5), "union {Circle: f64}");
    check(Shape::Line(1, 2), "union {Line: tuple(u8, u8)}");
    check(Shape::Rect { w: 1, h: 2 }, "union {Rect: record {w: u8, h: u8}}");
    let all = vec![
        Shape::Rect { w: 1, h: 2 },
        Shape::Nothing,
        Shape::Line(1, 2),
        Shape::Circle(0.5),
        Shape::Rect { w: 3, h: 4 },
    ];
    check(
        all.clone(),
        "list(union {Rect: record {w: u8, h: u8}, Nothing: null, Line: tuple(u8, u8), Circle: f64})",
    );
    check(
        all.into_iter().map(Some).chain([None]).collect::<Vec<_>>(),
        "list(option(union {Rect: record {w: u8, h: u8}, Nothing: null, Line: tuple(u8, u8), Circle: f64}))",
    );
}

#[test]
fn variants_of_anything_survive() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Any {
        Unit,
        OfUnit(()),
        OfNone(Option<u8>),
        OfUnitStruct(Unit),
        OfPoint(Point),
        OfTuple((u8, u8)),
        OfPair(Pair),
        OfShape(Box<Shape>),
        NoTuple(),
        NoRecord {},
        OfMap(BTreeMap<String, u8>),
    }
    let all = vec![
        Any::Unit,
        Any::OfUnit(()),
        Any::OfNone(None),
        Any::OfNone(Some(1)),
        Any::OfUnitStruct(Unit),
        Any::OfPoint(Point { x: 1, y: 2 }),
        Any::OfTuple((1, 2)),
        Any::OfPair(Pair(1, false)),
        Any::OfShape(Box::new(Shape::Rect { w: 1, h: 2 })),
        Any::OfShape(Box::new(Shape::Nothing)),
        Any::NoTuple(),
        Any::NoRecord {},
        Any::OfMap(BTreeMap::new()),
        Any::OfMap(BTreeMap::from([("a".to_owned(), 1)])),
    ];
    for one in &all {
        round(one);
    }
    round(&all);
}

#[test]
fn options_are_null_or_their_value() {
    check(None::<u8>, "null");
    check(Some(3_u8), "u8");
    check(vec![Some(3_u8), None], "list(option(u8))");
    check(vec![Some("x".to_owned()), None], "list(option(string))");
}

#[test]
fn an_option_whose_value_is_null_is_a_variant() {
    let all = vec![None, Some(None), Some(Some(1_u8))];
    check(all, "list(option(union(union {Some: null}, u8)))");
    for value in [None, Some(())] {
        round(&value);
    }
    let three: Vec<Option<Option<Option<u8>>>> =
        vec![None, Some(None), Some(Some(None)), Some(Some(Some(1)))];
    round(&three);
    for value in &three {
        round(value);
    }
    assert_eq!(
        to_value(&Some(Some(None::<u8>))).unwrap(),
        holdall::from_slice(&to_vec(&Some(Some(()))).unwrap()).unwrap()
    );
    // Through newtypes too.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapped(Option<u8>);
    for value in [None, Some(Wrapped(None)), Some(Wrapped(Some(1)))] {
        round(&value);
        round(&(value, 1));
    }
}

#[test]
fn enums_with_a_variant_named_some_differ_from_options() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Own {
        None,
        Some(Option<u8>),
    }
    let all = [Own::None, Own::Some(None), Own::Some(Some(1))];
    for own in &all {
        round(own);
        round(&Some(own.clone()));
        round(&Some(Some(own.clone())));
        round(&vec![None, Some(None), Some(Some(own.clone()))]);
    }
}

#[test]
fn a_value_that_is_written_has_the_same_bytes_by_way_of_a_map() {
    // Everything inside a map is kept until its keys are known.
    let value =
        BTreeMap::from([("a".to_owned(), (Shape::Rect { w: 1, h: 2 }, Pair(1, true), 'x'))]);
    let text = "record {a: tuple(union {Rect: record {w: u8, h: u8}}, struct Pair {\"0\": u8, \"1\": bool}, char(u32))}";
    check(value, text);
    let value = BTreeMap::from([(1_u8, (u128::MAX, i128::MIN, Blob(vec![1]), 1.5_f32, -2.5))]);
    check(value, "map(u8, tuple(u128, i128, bytes, f32, f64))");
}

#[test]
fn a_value_keeps_its_type() {
    let value = to_value(&(Pair(1, true), Shape::Circle(2.0), vec![Unit])).unwrap();
    let Value::Struct(pair) = &value[0] else { panic!("{value:?}") };
    assert_eq!((&**pair.name(), pair.fields().field("1")), ("Pair", Some(&Value::Bool(true))));
    let Value::Variant(circle) = &value[1] else { panic!("{value:?}") };
    assert_eq!((&**circle.name(), circle.value()), ("Circle", &Value::F64(2.0)));
}
