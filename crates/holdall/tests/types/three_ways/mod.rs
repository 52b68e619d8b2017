//! The same types by derive, by serde and as a `Value`: equal values in every way, equal bytes if the schemas are
//! equal.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use holdall::{Code, Decode, Encode, LogicalType, Schema, Value, from_slice, serde, to_vec};

/// A type with both derives.
trait Both:
    Encode
    + for<'de> Decode<'de>
    + ::serde::Serialize
    + ::serde::de::DeserializeOwned
    + PartialEq
    + Debug
{
}

impl<T> Both for T where
    T: Encode
        + for<'de> Decode<'de>
        + ::serde::Serialize
        + ::serde::de::DeserializeOwned
        + PartialEq
        + Debug
{
}

fn schema(message: &[u8]) -> String {
    Schema::of_message(message).unwrap().to_string()
}

/// Every reader of a message gives the value.
#[track_caller]
fn reads<T: Both>(value: &T, message: &[u8], what: &str) {
    let context = format!("{what}: {}", schema(message));
    let derived = from_slice::<T>(message);
    assert_eq!(
        derived.as_ref().ok(),
        Some(value),
        "derive, {context}: {:?}",
        derived.as_ref().err()
    );
    let by_serde = serde::from_slice::<T>(message);
    assert_eq!(
        by_serde.as_ref().ok(),
        Some(value),
        "serde, {context}: {:?}",
        by_serde.as_ref().err()
    );
}

/// Each of the three ways writes what all three read; returns the messages of derive and serde.
#[track_caller]
fn three_ways<T: Both>(value: &T) -> (Vec<u8>, Vec<u8>) {
    let derived = to_vec(value).unwrap();
    let by_serde = serde::to_vec(value).unwrap();
    reads(value, &derived, "by derive");
    reads(value, &by_serde, "by serde");
    for message in [&derived, &by_serde] {
        let dynamic: Value = from_slice(message).unwrap();
        let again = to_vec(&dynamic).unwrap();
        reads(value, &again, "by Value");
        assert_eq!(&serde::from_value::<T>(&dynamic).unwrap(), value);
        assert_eq!(from_slice::<Value>(&again).unwrap(), dynamic);
    }
    // serde's events give the schema that the value itself has.
    assert_eq!(to_vec(&serde::to_value(value).unwrap()).unwrap(), by_serde);
    (derived, by_serde)
}

/// Their schemas are the same, so their bytes are.
#[track_caller]
fn equal<T: Both>(value: &T) {
    let (derived, by_serde) = three_ways(value);
    assert_eq!(schema(&derived), schema(&by_serde));
    assert_eq!(derived, by_serde);
    let dynamic: Value = from_slice(&derived).unwrap();
    assert_eq!(to_vec(&dynamic).unwrap(), derived);
}

/// Their schemas are these.
#[track_caller]
fn other<T: Both>(value: &T, derived: &str, inferred: &str) {
    let (by_derive, by_serde) = three_ways(value);
    assert_eq!(schema(&by_derive), derived);
    assert_eq!(schema(&by_serde), inferred);
}

macro_rules! both {
    ($($item:item)*) => {$(
        #[derive(Clone, Debug, PartialEq, Encode, Decode, ::serde::Serialize, ::serde::Deserialize)]
        $item
    )*};
}

// After the macro, which they use.
mod nulls;
mod times;

both! {
    struct Flat {
        id: u64,
        name: String,
        is_new: bool,
        level: i8,
        ratio: f64,
        initial: char,
        big: u128,
    }

    struct Pair(u8, String);

    struct Newtype(Vec<u16>);

    struct Unit;

    struct Nested {
        flat: Flat,
        list: Vec<Pair>,
        newtype: Newtype,
        unit: Unit,
        null: (),
        maybe: Vec<Option<Generic<u8>>>,
    }

    enum Shape {
        Empty,
        Circle(f64),
        Line((i32, i32), u8),
        Named { name: String, size: u16 },
    }

    struct Generic<T> {
        first: T,
        all: Vec<T>,
    }

    struct Renamed {
        #[serde(rename = "x")]
        #[holdall(rename = "x")]
        first: u8,
        #[serde(default)]
        #[holdall(default)]
        second: Vec<u8>,
        #[serde(skip)]
        #[holdall(skip)]
        _cache: u8,
    }

    struct Tree {
        value: i32,
        children: Vec<Tree>,
    }

    enum Expression {
        Number(f64),
        Add(Box<Expression>, Box<Expression>),
        Call { name: String, arguments: Vec<Expression> },
    }

    struct Maps {
        by_number: BTreeMap<u16, String>,
        by_name: BTreeMap<String, u32>,
    }

    struct Sets {
        set: BTreeSet<u8>,
        array: [u16; 3],
        long: (u8, u8, u8, u8, u8, u8, u8, u8, u8),
    }

    struct Times {
        timeout: Duration,
        at: SystemTime,
    }
}

fn flat(id: u64) -> Flat {
    let name = format!("user {id}");
    let big = u128::from(id) << 70;
    Flat { id, name, is_new: id.is_multiple_of(2), level: -3, ratio: 0.5, initial: 'é', big }
}

fn shapes() -> Vec<Shape> {
    vec![
        Shape::Empty,
        Shape::Circle(1.5),
        Shape::Line((-1, 2), 3),
        Shape::Named { name: "n".into(), size: 300 },
    ]
}

#[test]
fn structs_have_equal_bytes() {
    equal(&flat(7));
    equal(&vec![flat(1), flat(2), flat(300)]);
    equal(&Pair(1, "x".into()));
    equal(&Newtype(vec![1, 500]));
    equal(&Unit);
    equal(&Generic { first: 1_u8, all: vec![2, 3] });
    equal(&Renamed { first: 1, second: vec![2], _cache: 0 });
    equal(&Nested {
        flat: flat(1),
        list: vec![Pair(1, "a".into())],
        newtype: Newtype(vec![1]),
        unit: Unit,
        null: (),
        maybe: vec![
            Some(Generic { first: 1, all: vec![] }),
            Some(Generic { first: 2, all: vec![3] }),
            None,
        ],
    });
}

#[test]
fn a_struct_in_several_places_is_a_definition_if_inferred() {
    other(
        &Generic { first: Pair(1, "x".into()), all: vec![Pair(2, "y".into())] },
        r#"struct Generic {first: struct Pair {"0": u8, "1": string}, all: list(struct Pair {"0": u8, "1": string})}"#,
        r#"struct Generic {first: #0, all: list(#0)} where #0 = struct Pair {"0": u8, "1": string}"#,
    );
}

#[test]
fn scalars_tuples_and_lists_have_equal_bytes() {
    equal(&(1_u8, -1_i64, "x".to_owned(), 1.5_f32, true));
    equal(&(1_u8, 2_u16, 3_u32, 4_u64, 5_i8, 6_i16, 7_i32, i128::MIN));
    equal(&vec![vec![1_u8], vec![2, 3]]);
    equal(&vec![Some(1_u8), None]);
    equal(&'x');
    equal(&());
    equal(&f32::INFINITY);
    equal(&u128::MAX);
}

#[test]
fn enums_whose_variants_all_occur_in_order_have_equal_bytes() {
    equal(&shapes());
    equal(&vec![Ok::<u8, String>(1), Err("x".into())]);
}

#[test]
fn maps_with_non_string_keys_have_equal_bytes() {
    equal(&BTreeMap::from([(1_u16, "a".to_owned()), (2, "b".to_owned())]));
    equal(&BTreeMap::from([((1_u8, true), vec![1_u8])]));
}

#[test]
fn inferred_schemas_have_only_what_the_values_show() {
    other(&vec![Some(1_u8)], "list(option(u8))", "list(u8)");
    other(&vec![None::<u8>], "list(option(u8))", "list(null)");
    other(&None::<String>, "option(string)", "null");
    other(&Vec::<u8>::new(), "list(u8)", "list(never)");
    other(
        &vec![Shape::Circle(1.5)],
        "list(union {Empty: null, Circle: f64, Line: tuple(tuple(i32, i32), u8), Named: record {name: string, size: u16}})",
        "list(union {Circle: f64})",
    );
    other(
        &vec![Shape::Circle(1.5), Shape::Empty],
        "list(union {Empty: null, Circle: f64, Line: tuple(tuple(i32, i32), u8), Named: record {name: string, size: u16}})",
        "list(union {Circle: f64, Empty: null})",
    );
    other(&vec![Ok::<u8, String>(1)], "list(union {Ok: u8, Err: string})", "list(union {Ok: u8})");
}

#[test]
fn types_that_serde_maps_to_others_have_their_schema() {
    other(&[1_u16, 2, 3], "array(3, u16)", "tuple(u16, u16, u16)");
    other(
        &Maps {
            by_number: BTreeMap::from([(1, "a".into())]),
            by_name: BTreeMap::from([("x".into(), 1), ("y".into(), 2)]),
        },
        "struct Maps {by_number: map(u16, string), by_name: map(string, u32)}",
        "struct Maps {by_number: map(u16, string), by_name: record {x: u32, y: u32}}",
    );
    other(
        &Sets { set: BTreeSet::from([1, 2]), array: [1, 2, 3], long: (1, 2, 3, 4, 5, 6, 7, 8, 9) },
        "struct Sets {set: set(list(u8)), array: array(3, u16), long: tuple(u8, u8, u8, u8, u8, u8, u8, u8, u8)}",
        "struct Sets {set: list(u8), array: tuple(u16, u16, u16), long: long_tuple(list(u8))}",
    );
}

#[test]
fn recursive_types_read_each_other_s_bytes() {
    let leaf = |value| Tree { value, children: vec![] };
    let tree =
        Tree { value: 1, children: vec![leaf(2), Tree { value: 3, children: vec![leaf(4)] }] };
    let number = |number| Box::new(Expression::Number(number));
    let sum = Expression::Add(number(1.0), Box::new(Expression::Add(number(2.0), number(3.0))));
    let call = Expression::Call { name: "f".into(), arguments: vec![sum.clone(), *number(4.0)] };
    three_ways(&leaf(1));
    three_ways(&tree);
    three_ways(&vec![tree.clone(), leaf(5)]);
    three_ways(&sum);
    three_ways(&call);
    three_ways(&vec![*number(1.0), sum, call]);
}
