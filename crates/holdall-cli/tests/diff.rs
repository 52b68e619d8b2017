//! Differences of values, by what was done to them.

use std::time::{Duration, Instant};

use holdall::value::{Array, Extension, Logical, Record, Struct, Variant};
use holdall::{BigInt, Decoder, Limits, LogicalType, Shared, Tensor, Value, ValueBuilder};
use holdall_cli::diff::values::{Difference, Kind, Options, Side, differences};
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
    // A record has gained a key that is no string.
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
    // A handle alone is no identity that anybody could notice, nor are those of scalars.
    assert_eq!(lines_of(&copies, &pair(list(), list())), [""; 0]);
    let scalar = Value::Shared(Shared::new(Value::from(1)));
    assert_eq!(lines_of(&pair(scalar.clone(), scalar), &pair(1.into(), 1.into())), [""; 0]);
    // What is inside a copy is a copy too, which need not be said.
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

/// A ring of so many lists, each with this item and the next list.
fn ring(len: usize, item: i64) -> Value {
    let ring = Shared::cyclic(|weak| {
        let mut value = Value::Weak(weak.clone());
        for _ in 1..len {
            value = Value::Shared(Shared::new(Value::list([item.into(), value])));
        }
        Value::list([item.into(), value])
    });
    Value::Shared(ring)
}

#[test]
fn comparing_rings_terminates() {
    assert_eq!(lines_of(&ring(1, 7), &ring(1, 7)), [""; 0]);
    assert_eq!(lines_of(&ring(5, 7), &ring(5, 7)), [""; 0]);
    assert_eq!(lines_of(&ring(1, 7), &ring(1, 8)), ["changed: $[0] int 7 -> $[0] int 8"]);
    // Of other lengths they are equal, but other values are the same.
    let lines = lines_of(&ring(2, 7), &ring(3, 7));
    assert!(
        lines.iter().all(|line| line.starts_with("identity")) && !lines.is_empty(),
        "{lines:?}"
    );
    assert_eq!(
        lines_with(&ring(2, 7), &ring(3, 7), &Options::new().ignore_identity(true)),
        [""; 0]
    );
    // What is in itself has an identity, however few items it has.
    let alone = || Value::Shared(Shared::cyclic(|weak| Value::tuple([Value::Weak(weak.clone())])));
    assert_eq!(lines_of(&alone(), &alone()), [""; 0]);
    let set = |value| Value::set([value]);
    assert_eq!(lines_of(&set(ring(4, 1)), &set(ring(4, 1))), [""; 0]);
    let lines = lines_of(&set(ring(40, 1)), &set(ring(40, 2)));
    assert!(!lines.is_empty());
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
    assert_eq!(
        error.to_string(),
        "bad_input: expected something at $.user, got nothing in either value"
    );
}

#[test]
fn all_differences_are_counted_beyond_the_limit() {
    let list = |factor: i64| Value::list((0..100).map(|item| Value::from(item * factor)));
    let differences = differences(&list(1), &list(1000), &Options::new().limit(3)).unwrap();
    assert_eq!(differences.list.len(), 3);
    assert_eq!(differences.counts[Kind::Changed as usize], 99);
}

#[test]
fn a_hundred_thousand_levels_need_no_stack() {
    let deep = |last: i64| {
        (0..100_000).fold(Value::from(last), |value, level| match level % 3 {
            0 => Value::list([value]),
            1 => Value::record([("a", value)]),
            _ => Value::Variant(Variant::new("V", value)),
        })
    };
    let (old, new) = (deep(1), deep(2));
    let compare = move || {
        let lines = lines_of(&old, &new);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with("changed: $...") && lines[0].len() < 1000, "{lines:?}");
        assert_eq!(lines_of(&old, &old), [""; 0]);
        let all = Options::new().path("[][]");
        assert!(differences(&old, &new, &all).is_err());
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(compare).unwrap().join().unwrap();
}

/// Runs it, and refuses what takes minutes where seconds would do.
fn in_time<T>(run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = run();
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    out
}

/// Numbers that look like chance, the same each time.
fn numbers(mut seed: u64, len: usize, below: u64) -> Vec<i64> {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % below).cast_signed()
    };
    (0..len).map(|_| next()).collect()
}

#[test]
fn long_lists_take_linear_time_whatever_their_items() {
    const LEN: usize = 50_000;
    let list = |items: Vec<i64>| Value::list(items.into_iter().map(Value::from));
    let count = |old: &Value, new: &Value| {
        in_time(|| differences(old, new, &Options::new()).unwrap().count())
    };
    let in_order: Vec<i64> = (0..LEN as i64).collect();
    let old = list(in_order.clone());
    // One in the middle.
    let mut one_more = in_order.clone();
    one_more.insert(LEN / 2, -1);
    assert_eq!(count(&old, &list(one_more)), 1);
    // Nothing in common; backwards; by chance, of many values and of few.
    assert_eq!(count(&old, &list(in_order.iter().map(|item| -1 - item).collect())), LEN);
    assert!(count(&old, &list(in_order.iter().rev().copied().collect())) > LEN / 2);
    for below in [2, 30, 1000, 1 << 20] {
        let [old, new] = [1, 2].map(|seed| list(numbers(seed, LEN, below)));
        assert!(count(&old, &new) > 1000);
        assert!(count(&old, &list(in_order.clone())) > 1000);
    }
    let records = |factor: i64| {
        let record = |id: i64| Value::record([("id", id.into()), ("x", (id * factor).into())]);
        Value::list((0..LEN as i64).map(record))
    };
    assert_eq!(count(&records(1), &records(2)), LEN - 1);
}

#[test]
fn many_paths_to_shared_values_do_not_multiply() {
    // Each level holds the next one twice: as many ways as 2 to the power of the levels.
    let levels = |levels: usize, skip: usize, last: i64| {
        let mut all = vec![Value::Shared(Shared::new(Value::from(vec![last])))];
        for level in 0..levels {
            let items = [all[level].clone(), all[level.saturating_sub(skip)].clone()];
            all.push(Value::Shared(Shared::new(Value::list(items))));
        }
        all.pop().unwrap()
    };
    assert_eq!(lines_of(&levels(1000, 0, 1), &levels(1000, 0, 1)), [""; 0]);
    assert_eq!(lines_of(&levels(1000, 0, 1), &levels(1000, 0, 2)).len(), 1);
    // As many pairs as the product.
    let options = Options::new();
    let found =
        in_time(|| differences(&levels(20_000, 0, 1), &levels(20_000, 1, 2), &options).unwrap());
    assert!(found.is_cut && !found.is_empty());
}

/// Whether a set, whose order means nothing, or a value of a later version is in it.
fn is_special(value: &Value) -> bool {
    let text = format!("{value:?}");
    text.contains("set(") || text.contains("<unknown>")
}

#[test]
fn the_values_of_the_conformance_vectors_differ_unless_they_are_equal() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/valid");
    let mut all = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read(file.unwrap().path()).unwrap();
        let vectors = value(std::str::from_utf8(&text).unwrap());
        for vector in vectors["vectors"].as_slice().unwrap() {
            let digits = vector["hex"].as_str().unwrap_or_default().split_whitespace();
            let message: Vec<u8> =
                digits.map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
            let mut builder = ValueBuilder::new();
            let limits = Limits::new().budget(1 << 12);
            let read = Decoder::new().limits(limits).message(&message, &mut builder);
            // Some need their schema to be read, some are large.
            let Some(read) = read.ok().and_then(|()| builder.finish().ok()) else { continue };
            if !is_special(&read) {
                let again = holdall::from_slice(&message).unwrap();
                assert_eq!(
                    lines_of(&read, &again),
                    [""; 0],
                    "{}",
                    vector["name"].as_str().unwrap()
                );
                all.push(read);
            }
        }
    }
    assert!(all.len() > 300, "{}", all.len());
    let options = Options::new().ignore_identity(true).limit(usize::MAX);
    for (old, new) in all.iter().flat_map(|old| all.iter().step_by(17).map(move |new| (old, new))) {
        let lines = lines_with(old, new, &options);
        assert_eq!(lines.is_empty(), old == new, "{old:?} {new:?} {lines:?}");
    }
}

/// Values of which many are equal.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..4i64).prop_map(Value::from),
        (0..2u8).prop_map(Value::U8),
        prop::sample::select(vec![0.0, -0.0, f64::NAN, 1.0]).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
        prop::collection::vec(0..2u8, 0..3).prop_map(Value::Bytes),
        prop::collection::vec(0..2u8, 0..4).prop_map(|elements| {
            Value::from(Tensor::of([elements.len() as u64], &elements).unwrap())
        }),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let items = || prop::collection::vec(inner.clone(), 0..4);
        let fields = || prop::collection::btree_map("[a-c]", inner.clone(), 0..4);
        prop_oneof![
            items().prop_map(Value::list),
            items().prop_map(Value::tuple),
            items().prop_map(|items| Value::Array(items.into())),
            fields().prop_map(Value::record),
            fields().prop_map(|fields| {
                let fields = fields.into_iter().map(|(name, value)| (name.into(), value));
                Value::Struct(Struct::new("S", fields.collect()))
            }),
            prop::collection::btree_map(0..3i64, inner.clone(), 0..4).prop_map(|entries| {
                Value::map(entries.into_iter().map(|(key, value)| (Value::from(key), value)))
            }),
            inner.clone().prop_map(|value| Value::Variant(Variant::new("V", value))),
            inner.clone().prop_map(|value| Value::from(Extension::new("e", value))),
            // One value in two places.
            inner.clone().prop_map(|value| {
                let shared = Value::Shared(Shared::new(value));
                Value::list([shared.clone(), shared])
            }),
        ]
    })
}

proptest! {
    #[test]
    fn equal_values_have_no_difference(value in any_value()) {
        prop_assert_eq!(lines_of(&value, &value.clone()), [""; 0]);
        let message = holdall::to_vec(&value).unwrap();
        let read = holdall::from_slice(&message).unwrap();
        prop_assert_eq!(lines_of(&value, &read), [""; 0]);
    }

    #[test]
    fn values_are_equal_if_only_identities_differ(
        old in any_value(),
        new in any_value(),
    ) {
        let options = Options::new().ignore_identity(true);
        let (there, back) = (lines_with(&old, &new, &options), lines_with(&new, &old, &options));
        prop_assert_eq!(there.is_empty(), old == new);
        prop_assert_eq!(back.is_empty(), old == new);
        // In something larger, beside what is equal.
        let pair = |value: Value| Value::list([Value::from("x"), value, Value::from("y")]);
        let lines = lines_with(&pair(old.clone()), &pair(new.clone()), &options);
        prop_assert_eq!(lines.is_empty(), old == new);
    }

    #[test]
    fn an_edited_list_has_no_more_differences_than_edits(
        len in 0..40usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3u8), 0..6),
    ) {
        let old: Vec<i64> = (0..len as i64).collect();
        let mut new = old.clone();
        for (number, (place, edit)) in edits.iter().enumerate() {
            let other = 1000 + number as i64;
            let at = place.index(new.len() + 1);
            match edit {
                0 => new.insert(at, other),
                1 if at < new.len() => drop(new.remove(at)),
                _ if at < new.len() => new[at] = other,
                _ => {}
            }
        }
        let lines = lines_of(&Value::from(old), &Value::from(new));
        prop_assert!(lines.len() <= edits.len(), "{lines:?}");
    }
}
