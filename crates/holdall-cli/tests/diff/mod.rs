//! Differences of values, by what was done to them.

mod laws;
mod scale;

use std::time::Duration;

use cpu_time::ThreadTime;
use holdall::value::{Array, Extension, Logical, Record, Struct, Variant};
use holdall::{BigInt, Decoder, Limits, LogicalType, Shared, Tensor, Value, ValueBuilder};
use holdall_cli::diff::values::{Difference, DifferenceKind, Options, Side, differences};
use holdall_convert::json;
use proptest::prelude::*;

/// A value from JSON.
fn value(text: &str) -> Value {
    holdall::from_slice(&json::pack(text.as_bytes()).unwrap()).unwrap()
}

fn lines_with(old: &Value, new: &Value, options: &Options) -> Vec<String> {
    let differences = differences(old, new, options).unwrap();
    assert!(!differences.is_cut);
    assert_eq!(differences.count(), differences.list.len());
    assert_eq!(differences.is_empty(), differences.list.is_empty());
    differences.list.iter().map(line).collect()
}

fn lines_of(old: &Value, new: &Value) -> Vec<String> {
    lines_with(old, new, &Options::new())
}

/// A difference as a line: what, where before, where now, from what, into what.
fn line(difference: &Difference) -> String {
    let Difference { kind, old, new, note, .. } = difference;
    let side = |side: &Option<Side>| match side {
        None => "nothing".to_owned(),
        Some(Side { path, ty, text, .. }) => format!("{path} {ty} {text}").trim_end().to_owned(),
    };
    let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
    format!("{}: {} -> {}{note}", kind.as_str(), side(old), side(new))
}

fn check(table: &[(&str, &str, &[&str])]) {
    for (old, new, lines) in table {
        assert_eq!(lines_of(&value(old), &value(new)), *lines, "{old} {new}");
    }
}

#[test]
fn scalars_are_compared_by_type_and_value() {
    check(&[
        ("1", "1", &[]),
        ("1", "2", &["changed: $ int 1 -> $ int 2"]),
        ("1", "1.0", &["changed: $ int 1 -> $ f64 1.0"]),
        ("1", "\"1\"", &["changed: $ int 1 -> $ string \"1\""]),
        ("null", "false", &["changed: $ null null -> $ bool false"]),
        (
            "18446744073709551616",
            "18446744073709551617",
            &["changed: $ int 18446744073709551616 -> $ int 18446744073709551617"],
        ),
        ("1", "{}", &["changed: $ int 1 -> $ record {}"]),
    ]);
    for (old, new, lines) in [
        (Value::U8(1), Value::I64(1), "changed: $ u8 1u8 -> $ i64 1i64"),
        (Value::F64(0.0), Value::F64(-0.0), "changed: $ f64 0.0 -> $ f64 -0.0"),
        (
            Value::Bytes(vec![1, 2]),
            Value::Fixed(vec![1, 2]),
            "changed: $ bytes 0x0102 -> $ fixed(2) 0x0102",
        ),
        (
            Value::U128(Box::new(1)),
            Value::U128(Box::new(1 << 100)),
            "changed: $ u128 1u128 -> $ u128 0x10000000000000000000000000u128",
        ),
        (Value::Unknown, Value::Null, "unknown: $ unknown <unknown> -> $ null null"),
    ] {
        assert_eq!(lines_of(&old, &new), [lines]);
    }
    let nan = |bits: u64| Value::F64(f64::from_bits(bits));
    assert_eq!(lines_of(&nan(0x7FF8_0000_0000_0000), &nan(0x7FF8_0000_0000_0000)), [""; 0]);
    assert_eq!(lines_of(&nan(0x7FF8_0000_0000_0000), &nan(0x7FF8_0000_0000_0001)).len(), 1);
}

#[test]
fn fields_are_found_by_name() {
    check(&[
        (r#"{"a": 1, "b": 2}"#, r#"{"a": 1, "b": 3}"#, &["changed: $.b int 2 -> $.b int 3"]),
        (
            r#"{"a": 1, "b": 2}"#,
            r#"{"b": 2, "c d": 3}"#,
            &["removed: $.a int 1 -> nothing", "added: nothing -> $[\"c d\"] int 3"],
        ),
        (r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#, &["reordered: $ record -> $ record"]),
        (
            r#"{"a": {"b": {"c": [1]}}}"#,
            r#"{"a": {"b": {"c": [1, {"d": null}]}}}"#,
            &["added: nothing -> $.a.b.c[1] record {\"d\": null}"],
        ),
    ]);
    let (old, new) = (value(r#"{"a": 1, "b": 2}"#), value(r#"{"b": 2, "a": 1}"#));
    assert_eq!(lines_with(&old, &new, &Options::new().ignore_order(true)), [""; 0]);
    // A mapping is the same as a record or as a map.
    let map = Value::map([("a".into(), 1.into()), ("b".into(), 2.into())]);
    assert_eq!(lines_of(&old, &map), [""; 0]);
}

#[test]
fn items_are_aligned() {
    check(&[
        ("[1, 2, 3]", "[0, 1, 2, 3]", &["added: nothing -> $[0] int 0"]),
        ("[1, 2, 3]", "[1, 3]", &["removed: $[1] int 2 -> nothing"]),
        ("[1, 2, 3]", "[1, 9, 3]", &["changed: $[1] int 2 -> $[1] int 9"]),
        (
            "[1, 2, 3]",
            "[7, 1, 9, 3]",
            &["added: nothing -> $[0] int 7", "changed: $[1] int 2 -> $[2] int 9"],
        ),
        ("[1]", "[\"1\"]", &["changed: $[0] int 1 -> $[0] string \"1\""]),
        (
            r#"[{"x": 1, "y": 2}, {"x": 3, "y": 4}]"#,
            r#"[{"x": 9, "y": 9}, {"x": 1, "y": 5}, {"x": 3, "y": 4}]"#,
            &[
                "added: nothing -> $[0] record {\"x\": 9, \"y\": 9}",
                "changed: $[0].y int 2 -> $[1].y int 5",
            ],
        ),
    ]);
}

#[test]
fn records_in_lists_are_matched_by_an_identifying_field() {
    let users = |ids: std::ops::Range<i64>, version: i64| {
        Value::list(ids.map(|id| {
            let fields = [("active", Value::Bool(true)), ("id", id.into()), ("v", version.into())];
            Value::record(fields)
        }))
    };
    // All have changed, and are at other places.
    let lines = lines_with(&users(0..500, 1), &users(1..501, 2), &Options::new().limit(10_000));
    assert_eq!(lines.len(), 501);
    assert_eq!(lines[0], "removed: $[0] record {\"active\": true, \"id\": 0, \"v\": 1} -> nothing");
    assert_eq!(lines[1], "changed: $[1].v int 1 -> $[0].v int 2");
    assert_eq!(
        lines[500],
        "added: nothing -> $[499] record {\"active\": true, \"id\": 500, \"v\": 2}"
    );
}

#[test]
fn maps_are_compared_by_key_and_sets_by_member() {
    let map = |entries: &[(i64, &str)]| {
        Value::map(entries.iter().map(|(key, value)| (Value::from(*key), Value::from(*value))))
    };
    assert_eq!(
        lines_of(&map(&[(1, "a"), (2, "b")]), &map(&[(2, "c"), (3, "d")])),
        [
            "removed: ${1} string \"a\" -> nothing",
            "changed: ${2} string \"b\" -> ${2} string \"c\"",
            "added: nothing -> ${3} string \"d\"",
        ]
    );
    assert_eq!(
        lines_of(&map(&[(1, "a"), (2, "b")]), &map(&[(2, "b"), (1, "a")])),
        ["reordered: $ map -> $ map"]
    );
    // A record has gained a key that is not a string.
    let old = Value::record([("a", Value::from(1))]);
    let new = Value::map([(Value::from("a"), Value::from(1)), (Value::Null, Value::from(2))]);
    assert_eq!(lines_of(&old, &new), ["added: nothing -> ${null} int 2"]);

    let set = |members: &[&str]| Value::set(members.iter().map(|member| Value::from(*member)));
    assert_eq!(
        lines_of(&set(&["a", "b", "c"]), &set(&["b", "c", "d"])),
        ["removed: $[0] string \"a\" -> nothing", "added: nothing -> $[2] string \"d\""]
    );
    // Members without an order come as they come.
    let lists = |lists: [i64; 2]| Value::set(lists.map(|item| Value::from(vec![item])));
    assert_eq!(lines_of(&lists([1, 2]), &lists([2, 1])), [""; 0]);

    let ordered = |entries| {
        let ty = LogicalType::new(LogicalType::ORDERED_MAP, &[]).unwrap();
        Value::from(Logical::new(ty, map(entries)))
    };
    let (old, new) = (ordered(&[(1, "a"), (2, "b")]), ordered(&[(2, "b"), (1, "a")]));
    assert_eq!(lines_with(&old, &new, &Options::new().ignore_order(true)).len(), 1);
}

#[test]
fn names_and_logical_types_count() {
    let point = |name: &str, x: i64| {
        let fields: Record = [("x".into(), Value::from(x))].into_iter().collect();
        Value::Struct(Struct::new(name, fields))
    };
    assert_eq!(lines_of(&point("P", 1), &point("P", 2)), ["changed: $.x int 1 -> $.x int 2"]);
    assert_eq!(
        lines_of(&point("P", 1), &point("Q", 2)),
        ["retyped: $ struct P -> $ struct Q", "changed: $.x int 1 -> $.x int 2"]
    );
    let items = || vec![Value::from(1), Value::from(2)];
    assert_eq!(
        lines_of(&Value::list(items()), &Value::tuple(items())),
        ["retyped: $ list -> $ tuple"]
    );
    let array = Value::Array(Array::from(items()));
    assert_eq!(lines_of(&Value::tuple(items()), &array), ["retyped: $ tuple -> $ array"]);

    let variant = |name: &str, value: i64| Value::Variant(Variant::new(name, value.into()));
    assert_eq!(lines_of(&variant("A", 1), &variant("A", 2)), ["changed: $<A> int 1 -> $<A> int 2"]);
    assert_eq!(
        lines_of(&variant("A", 1), &variant("B", 1)),
        ["changed: $ variant A <A> (1) -> $ variant B <B> (1)"]
    );
    let date = |days: i64| {
        Value::from(Logical::new(LogicalType::new(LogicalType::DATE, &[]).unwrap(), days.into()))
    };
    assert_eq!(lines_of(&date(1), &date(2)), ["changed: $ date date(1) -> $ date date(2)"]);
    assert_eq!(lines_of(&date(1), &Value::from(1)), ["changed: $ date date(1) -> $ int 1"]);
    let extension = |name: &str, items: Vec<i64>| Value::from(Extension::new(name, items.into()));
    assert_eq!(
        lines_of(&extension("e", vec![1]), &extension("e", vec![1, 2])),
        ["added: nothing -> $[1] int 2"]
    );
    assert_eq!(
        lines_of(&extension("e", vec![1]), &extension("f", vec![1])),
        ["changed: $ extension e extension \"e\" ([1]) -> $ extension f extension \"f\" ([1])"]
    );
}

#[test]
fn tensors_report_the_number_of_differences_and_the_first() {
    let tensor =
        |shape: &[u64], elements: &[f32]| Value::from(Tensor::of(shape, elements).unwrap());
    let old = tensor(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let new = tensor(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 7.0, 8.0]);
    let text = "$ tensor(f32) tensor(f32) [2, 3]";
    assert_eq!(
        lines_of(&old, &new),
        [format!("changed: {text} -> {text} (2 of 6 elements, the first at [1, 1]: 5.0 -> 7.0)")]
    );
    let flat = tensor(&[6], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(
        lines_of(&old, &flat),
        [format!("changed: {text} -> $ tensor(f32) tensor(f32) [6]")]
    );
    assert_eq!(lines_of(&old, &old), [""; 0]);
    let wide = Value::from(Tensor::of([1], &[1.0f64]).unwrap());
    assert_eq!(lines_of(&tensor(&[1], &[1.0]), &wide).len(), 1);
}

#[test]
fn long_values_are_shown_where_they_differ() {
    let text = |middle: &str| Value::from("x".repeat(1000) + middle + &"y".repeat(1000));
    let lines = lines_of(&text("old"), &text("new"));
    assert!(lines[0].len() < 300, "{lines:?}");
    assert!(lines[0].contains("\"…xxxxxxxxxxxxoldyyy"), "{lines:?}");
    assert!(lines[0].contains("\"…xxxxxxxxxxxxnewyyy") && lines[0].ends_with("(2003 bytes)"));
    let bytes = |last: u8| Value::Bytes([vec![0; 1000], vec![last]].concat());
    assert_eq!(
        lines_of(&bytes(1), &bytes(2)),
        ["changed: $ bytes 0x…0000000001 (1001 bytes, from byte 996 on) -> \
          $ bytes 0x…0000000002 (1001 bytes, from byte 996 on)"]
    );
    let big = |low: u8| {
        let bytes = [vec![low], vec![1; 1000]].concat();
        Value::BigInt(BigInt::from_le_bytes(&bytes).unwrap())
    };
    assert!(lines_of(&big(1), &big(2))[0].len() < 200);
    let list = lines_of(&Value::record([("a", Value::Null)]), &value("{\"a\": null, \"b\": [0]}"));
    assert_eq!(list, ["added: nothing -> $.b list [0]"]);
    let long = lines_of(&Value::Null, &Value::list((0..1000).map(Value::from)));
    assert!(long[0].ends_with("… (1000 items)"), "{long:?}");
}

#[test]
fn the_same_value_differs_from_its_copy() {
    let list = || Value::from(vec![1, 2]);
    let pair = |first: Value, second: Value| Value::record([("a", first), ("b", second)]);
    let one = Value::Shared(Shared::new(list()));
    let same = pair(one.clone(), one.clone());
    let copies = pair(Value::Shared(Shared::new(list())), list());
    assert_eq!(lines_of(&same, &copies), ["identity: $.b list $.a -> $.b list"]);
    assert_eq!(lines_of(&copies, &same), ["identity: $.b list -> $.b list $.a"]);
    assert_eq!(lines_with(&same, &copies, &Options::new().ignore_identity(true)), [""; 0]);
    assert_eq!(lines_of(&same, &same.clone()), [""; 0]);
    // A value with one handle has no visible identity, nor do scalars.
    assert_eq!(lines_of(&copies, &pair(list(), list())), [""; 0]);
    let scalar = Value::Shared(Shared::new(Value::from(1)));
    assert_eq!(lines_of(&pair(scalar.clone(), scalar), &pair(1.into(), 1.into())), [""; 0]);
    // The contents of a copy are copies too, which need not be reported.
    let outer = Value::Shared(Shared::new(Value::list([one.clone(), one.clone()])));
    let inner = || {
        let one = Value::Shared(Shared::new(list()));
        Value::list([one.clone(), one])
    };
    assert_eq!(
        lines_of(&pair(outer.clone(), outer.clone()), &pair(inner(), inner())),
        ["identity: $.b list $.a -> $.b list"]
    );
    // Changes inside it are reported.
    let changed = pair(one.clone(), Value::from(vec![1, 3]));
    assert_eq!(
        lines_of(&same, &changed),
        ["identity: $.b list $.a -> $.b list", "changed: $.b[1] int 2 -> $.b[1] int 3"]
    );
    // The same as another than before.
    let three = |third: usize| {
        let all = [1, 2].map(|item| Value::Shared(Shared::new(Value::from(vec![item]))));
        Value::list([all[0].clone(), all[1].clone(), all[third].clone()])
    };
    assert_eq!(
        lines_of(&three(0), &three(1)),
        ["identity: $[2] list $[0] -> $[2] list $[1]", "changed: $[2][0] int 1 -> $[2][0] int 2"]
    );
}

#[test]
fn a_path_narrows_the_comparison() {
    let old = value(r#"{"users": [{"name": "Ann", "age": 1}, {"name": "Bob", "age": 2}], "n": 2}"#);
    let new = value(r#"{"users": [{"name": "Ada", "age": 5}, {"name": "Bob", "age": 3}], "n": 3}"#);
    let at = |path: &str| lines_with(&old, &new, &Options::new().path(path));
    assert_eq!(at("$").len(), 4);
    assert_eq!(at("users[1]"), ["changed: $.users[1].age int 2 -> $.users[1].age int 3"]);
    assert_eq!(
        at("users[].age"),
        [
            "removed: $.users[0] record {\"name\": \"Ann\", \"age\": 1} -> nothing",
            "added: nothing -> $.users[0] record {\"name\": \"Ada\", \"age\": 5}",
            "changed: $.users[1].age int 2 -> $.users[1].age int 3"
        ]
    );
    assert_eq!(at("n"), ["changed: $.n int 2 -> $.n int 3"]);
    let gone = value(r#"{"n": 2}"#);
    let lines = lines_with(&old, &gone, &Options::new().path("users[0].name"));
    assert_eq!(lines.len(), 1, "all around it is gone: {lines:?}");
    let error = differences(&old, &new, &Options::new().path("user")).unwrap_err();
    assert_eq!(error.to_string(), "bad_input: expected a value at $.user, got none in either file");
}
