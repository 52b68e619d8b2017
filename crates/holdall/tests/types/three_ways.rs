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
    let told = serde::from_slice::<T>(message);
    assert_eq!(told.as_ref().ok(), Some(value), "serde, {context}: {:?}", told.as_ref().err());
}

/// Each of the three ways writes what all three read; returns the messages of derive and serde.
#[track_caller]
fn three_ways<T: Both>(value: &T) -> (Vec<u8>, Vec<u8>) {
    let derived = to_vec(value).unwrap();
    let told = serde::to_vec(value).unwrap();
    reads(value, &derived, "by derive");
    reads(value, &told, "by serde");
    for message in [&derived, &told] {
        let dynamic: Value = from_slice(message).unwrap();
        let again = to_vec(&dynamic).unwrap();
        reads(value, &again, "by Value");
        assert_eq!(&serde::from_value::<T>(&dynamic).unwrap(), value);
        assert_eq!(from_slice::<Value>(&again).unwrap(), dynamic);
    }
    // serde's events give the schema that the value itself has.
    assert_eq!(to_vec(&serde::to_value(value).unwrap()).unwrap(), told);
    (derived, told)
}

/// Their schemas are the same, so their bytes are.
#[track_caller]
fn equal<T: Both>(value: &T) {
    let (derived, told) = three_ways(value);
    assert_eq!(schema(&derived), schema(&told));
    assert_eq!(derived, told);
    let dynamic: Value = from_slice(&derived).unwrap();
    assert_eq!(to_vec(&dynamic).unwrap(), derived);
}

/// Their schemas are these.
#[track_caller]
fn other<T: Both>(value: &T, derived: &str, told: &str) {
    let (by_derive, by_serde) = three_ways(value);
    assert_eq!(schema(&by_derive), derived);
    assert_eq!(schema(&by_serde), told);
}

macro_rules! both {
    ($($item:item)*) => {$(
        #[derive(Clone, Debug, PartialEq, Encode, Decode, ::serde::Serialize, ::serde::Deserialize)]
        $item
    )*};
}

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

/// Derive and serde read each other's messages; a value without its type has only one null, so the third way is left
/// out.
#[track_caller]
fn two_ways<T: Both>(value: &T, derived: &str, told: &str) {
    let (by_derive, by_serde) = (to_vec(value).unwrap(), serde::to_vec(value).unwrap());
    assert_eq!(schema(&by_derive), derived);
    assert_eq!(schema(&by_serde), told);
    reads(value, &by_derive, "by derive");
    reads(value, &by_serde, "by serde");
}

#[test]
fn options_inside_options_read_each_other_s_bytes() {
    type Twice = Option<Option<u8>>;
    type Thrice = Option<Twice>;
    let twice: Vec<Twice> = vec![Some(None), Some(Some(1)), None];
    two_ways(&twice, "list(option(option(u8)))", "list(option(union(union {Some: null}, u8)))");
    let thrice: Vec<Thrice> = vec![Some(Some(None)), None, Some(Some(Some(1))), Some(None)];
    let told = "list(option(union(union {Some: option(union {Some: null})}, u8)))";
    two_ways(&thrice, "list(option(option(option(u8))))", told);

    // For single values, serde's schema shows less.
    let derived = "option(option(option(u8)))";
    two_ways::<Thrice>(&None, derived, "null");
    two_ways::<Thrice>(&Some(None), derived, "union {Some: null}");
    two_ways::<Thrice>(&Some(Some(None)), derived, "union {Some: union {Some: null}}");
    two_ways::<Thrice>(&Some(Some(Some(1))), derived, "u8");
    two_ways::<Vec<Twice>>(
        &vec![Some(None)],
        "list(option(option(u8)))",
        "list(union {Some: null})",
    );
    let deep: Vec<Thrice> = vec![Some(Some(None)), Some(Some(Some(2)))];
    two_ways(
        &deep,
        "list(option(option(option(u8))))",
        "list(union(union {Some: union {Some: null}}, u8))",
    );

    // A value without its type keeps only its null.
    let derived = to_vec(&twice).unwrap();
    let nulls = Value::from(vec![Value::Null, Value::U8(1), Value::Null]);
    assert_eq!(from_slice::<Value>(&derived).unwrap(), nulls);
    assert_eq!(serde::from_slice::<Value>(&derived).unwrap(), nulls);
    assert_eq!(serde::from_value::<Vec<Twice>>(&nulls).unwrap(), [None, Some(Some(1)), None]);
    // A null inside is not null: with one option less, no reader accepts it.
    for message in [&derived, &serde::to_vec(&twice).unwrap()] {
        let error = from_slice::<Vec<Option<u8>>>(message).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0]"));
        let error = serde::from_slice::<Vec<Option<u8>>>(message).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0]"));
        // An additional option is the innermost one.
        let more: Vec<Thrice> = from_slice(message).unwrap();
        assert_eq!(more, [Some(None), Some(Some(Some(1))), None]);
    }
}

#[test]
fn serde_distinguishes_shared_nulls() {
    let (inner, none) = (Rc::new(Some(None::<u8>)), Rc::new(None::<Option<u8>>));
    let shared = vec![Some(Rc::clone(&inner)), None, Some(none), Some(inner)];
    let read: Vec<Option<Option<Option<u8>>>> =
        serde::from_slice(&to_vec(&shared).unwrap()).unwrap();
    assert_eq!(read, [Some(Some(None)), None, Some(None), Some(Some(None))]);
    // In an option, and without one.
    let none = Rc::new(None::<u8>);
    let bytes = to_vec(&(Some(Rc::clone(&none)), Rc::clone(&none), Some(none))).unwrap();
    type Read = (Option<Option<u8>>, Option<u8>, Option<Option<u8>>);
    assert_eq!(serde::from_slice::<Read>(&bytes).unwrap(), (Some(None), None, Some(None)));
    // A type that accepts null alone accepts it in options too, and a Value has only one null.
    let bytes = to_vec(&vec![Some(()), None]).unwrap();
    assert_eq!(serde::from_slice::<Vec<()>>(&bytes).unwrap(), [(), ()]);
    let nulls = Value::from(vec![Value::Null, Value::Null]);
    assert_eq!(serde::from_slice::<Value>(&bytes).unwrap(), nulls);
}

#[test]
fn options_of_null_or_some_read_each_other_s_bytes() {
    both! {
        enum Answer {
            Some(u8),
            Other,
        }

        enum Light {
            Red,
            Green,
        }

        struct Maybe {
            maybe: Option<Option<u8>>,
            unit: Option<()>,
        }
    }
    #[derive(Debug, PartialEq, ::serde::Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u8),
        Maybe { maybe: Option<Option<u8>>, unit: Option<()> },
    }
    #[derive(Debug, PartialEq, ::serde::Deserialize)]
    struct Around {
        #[serde(flatten)]
        inside: Maybe,
    }
    two_ways(&vec![Some(()), None], "list(option(null))", "list(option(union {Some: null}))");
    // For a variant with this name, serde reads no form but its own.
    let answers = vec![Some(Answer::Some(5)), Some(Answer::Other), None];
    let (derived, told) = (to_vec(&answers).unwrap(), serde::to_vec(&answers).unwrap());
    assert_eq!(schema(&derived), "list(option(union {Some: u8, Other: null}))");
    assert_eq!(schema(&told), "list(option(union {Some: union {Some: u8}, Other: null}))");
    reads(&answers, &told, "by serde");
    assert_eq!(from_slice::<Vec<Option<Answer>>>(&derived).unwrap(), answers);
    assert_eq!(
        from_slice::<Vec<Answer>>(&to_vec(&[Answer::Some(5)]).unwrap()).unwrap(),
        [Answer::Some(5)]
    );
    let wider: Vec<Option<Option<Answer>>> = from_slice(&derived).unwrap();
    assert_eq!(wider, [Some(Some(Answer::Some(5))), Some(Some(Answer::Other)), None]);
    two_ways(
        &vec![Some(Some(Light::Red)), Some(None), None],
        "list(option(option(union {Red: null, Green: null})))",
        "list(option(union {Red: null, Some: null}))",
    );
    two_ways(
        &vec![Some(Some(Duration::from_secs(1))), Some(None), None],
        "list(option(option(duration[ns](int))))",
        "list(option(union(struct Duration {secs: u64, nanos: u32}, union {Some: null})))",
    );
    // Types that examine a value before they know their own.
    for maybe in [Some(None), Some(Some(1)), None] {
        for unit in [Some(()), None] {
            let value = Maybe { maybe, unit };
            for bytes in [to_vec(&value).unwrap(), serde::to_vec(&value).unwrap()] {
                let around: Around = serde::from_slice(&bytes).unwrap();
                assert_eq!(around.inside, value);
                let either: Either = serde::from_slice(&bytes).unwrap();
                assert_eq!(either, Either::Maybe { maybe, unit });
            }
        }
    }
}

fn times(timeout: Duration, after: Duration) -> Times {
    Times { timeout, at: SystemTime::UNIX_EPOCH + after }
}

#[test]
fn serde_reads_the_times_that_a_derive_writes() {
    let all = [Duration::ZERO, Duration::new(1, 1), Duration::new(1_700_000_000, 999_999_999)];
    for duration in all {
        let value = times(duration, duration);
        let bytes = to_vec(&value).unwrap();
        assert_eq!(
            schema(&bytes),
            "struct Times {timeout: duration[ns](int), at: timestamp[ns, utc](int)}"
        );
        assert_eq!(serde::from_slice::<Times>(&bytes).unwrap(), value);
        let dynamic: Value = from_slice(&bytes).unwrap();
        assert_eq!(serde::from_value::<Times>(&dynamic).unwrap(), value);
    }
    let bytes = to_vec(&vec![Some(Duration::MAX), None]).unwrap();
    assert_eq!(
        serde::from_slice::<Vec<Option<Duration>>>(&bytes).unwrap(),
        [Some(Duration::MAX), None]
    );
}

/// A message of a logical value over an integer.
fn logical(kind: u8, parameters: &[u8], number: i64) -> Vec<u8> {
    let ty = LogicalType::new(kind, parameters).unwrap();
    to_vec(&Value::Logical(holdall::value::Logical::new(ty, Value::from(number)))).unwrap()
}

#[test]
fn serde_reads_times_of_each_unit_exactly_or_not_at_all() {
    let duration = |unit, number| {
        serde::from_slice::<Duration>(&logical(LogicalType::DURATION, &[unit], number))
    };
    for (unit, expected) in [
        (0, Duration::from_secs(1_234_567_891)),
        (1, Duration::from_millis(1_234_567_891)),
        (2, Duration::from_micros(1_234_567_891)),
        (3, Duration::from_nanos(1_234_567_891)),
    ] {
        assert_eq!(duration(unit, 1_234_567_891).unwrap(), expected);
        let error = duration(unit, -1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unconvertible in $: expected 0 to 2^64 seconds, got another duration"
        );
    }
    let at = |zone, number| {
        serde::from_slice::<SystemTime>(&logical(LogicalType::TIMESTAMP, &[1, zone], number))
    };
    assert_eq!(at(1, 1_500).unwrap(), SystemTime::UNIX_EPOCH + Duration::from_millis(1_500));
    assert_eq!(at(1, -1).unwrap_err().code(), Code::Unconvertible);
    // Local time is no point in time.
    assert_eq!(at(0, 1_500).unwrap_err().code(), Code::Unconvertible);
    // Nor is a duration, or a date.
    let bytes = logical(LogicalType::DURATION, &[1], 5);
    assert_eq!(serde::from_slice::<SystemTime>(&bytes).unwrap_err().code(), Code::Unconvertible);
    let bytes = logical(LogicalType::DATE, &[], 5);
    assert_eq!(serde::from_slice::<Duration>(&bytes).unwrap_err().code(), Code::Unconvertible);
    assert_eq!(serde::from_slice::<i64>(&bytes).unwrap(), 5);
}

#[test]
fn a_derive_reads_the_times_that_serde_writes() {
    let all = [Duration::ZERO, Duration::new(1, 2), Duration::new(1_700_000_000, 999_999_999)];
    for duration in all {
        let value = times(duration, duration);
        let bytes = serde::to_vec(&value).unwrap();
        assert_eq!(
            schema(&bytes),
            "struct Times {timeout: struct Duration {secs: u64, nanos: u32}, \
             at: struct SystemTime {secs_since_epoch: u64, nanos_since_epoch: u32}}"
        );
        assert_eq!(from_slice::<Times>(&bytes).unwrap(), value);
    }
    let durations = vec![Some(Duration::MAX), None];
    let bytes = serde::to_vec(&durations).unwrap();
    assert_eq!(from_slice::<Vec<Option<Duration>>>(&bytes).unwrap(), durations);
    three_ways(&durations);
}

#[test]
fn a_struct_named_like_a_time_stays_a_struct() {
    both! {
        struct Duration {
            secs: u64,
            nanos: u32,
        }
    }
    equal(&Duration { secs: 1, nanos: u32::MAX });
}
