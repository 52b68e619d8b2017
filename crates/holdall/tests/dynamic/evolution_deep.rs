//! Reading with another schema if values are deep, cyclic or expensive.

use std::sync::Arc;

use crate::common::evolving::{NODES, on_error, schema, schema_of, text_value};
use crate::common::graphs::same_graph;
use crate::common::hex;
use crate::common::make::{int, list, null, record};
use crate::common::stack::{DEPTH, on_a_small_stack};
use holdall::{Decoder, Field, Limits, Resolver, Schema, Shared, Value, ValueBuilder, to_vec};

// Depth and identity

#[test]
fn a_long_linked_list_of_records() {
    on_a_small_stack(|| {
        let value =
            (0..DEPTH).fold(null(), |next, at| record([("v", int(at as i64)), ("next", next)]));
        let message = to_vec(&value).unwrap();
        drop(value);
        let read = Resolver::new(schema(NODES)).read(&message).unwrap();
        let mut at = &read;
        for number in (0..DEPTH).rev() {
            assert_eq!(at["v"], Value::F64(number as f64));
            at = at.field("next").unwrap();
        }
        assert_eq!(*at, null());
    });
}

#[test]
fn a_fault_in_a_deep_value_has_its_path() {
    on_a_small_stack(|| {
        let innermost = list([Value::F64(0.1)]);
        let message = to_vec(&(0..DEPTH).fold(innermost, |value, _| list([value]))).unwrap();
        let reader = Value::list([(0..40).fold(list([Value::F32(0.0)]), |value, _| list([value]))]);
        let resolver = Resolver::new(schema_of(&reader));
        // A list of lists and of a float narrower than that of the data.
        let error = resolver.read(&message).map(|_| ()).unwrap_err();
        assert_eq!(error.code().as_str(), "unconvertible");
        assert!(error.path().starts_with("$[0][0]"), "{:.80}", error.path());
    });
}

fn shared(value: Value) -> Value {
    Value::Shared(Shared::new(value))
}

#[test]
fn a_doubling_chain_stays_small() {
    let double =
        |innermost: Value| (0..50).fold(innermost, |value, _| shared(list([value.clone(), value])));
    let message = to_vec(&double(list([int(7)]))).unwrap();
    // Each level becomes an f64, and those of one type share one place.
    let reader = schema_of(&double(list([Value::F64(7.0)])));
    let read = Resolver::new(reader).read(&message).unwrap();
    assert_eq!(read, double(list([Value::F64(7.0)])));
    same_graph(&read, &double(list([Value::F64(7.0)]))).unwrap();
}

#[test]
fn a_doubling_chain_into_new_types_ends() {
    // #0 = record {a: option(shared(#0)), b: option(shared(#0))}, read into two types that refer to each other.
    let link = |next: Value| shared(record([("a", next.clone()), ("b", next)]));
    let message = to_vec(&(0..50).fold(null(), |next, _| link(next))).unwrap();
    // #0 where #0 = struct A {a: option(#0), b: option(#1)}, #1 = struct B {a: option(#1), b: option(#0)}
    let reader = schema(
        "04 1F 00 19 04 41 10 04 61 15 1F 00 04 62 15 1F 02 19 04 42 10 06 15 1F 02 0A 15 1F 00",
    );
    let read = Resolver::new(reader).read(&message).unwrap();
    let written = to_vec(&read).unwrap();
    // Each of the 50 once in each type.
    assert!(written.len() < 1000, "{}", written.len());
    assert_eq!(read.field("a").unwrap().get(), read.field("a").unwrap());
    let Value::Struct(of) = read.field("b").unwrap().get() else { panic!() };
    assert_eq!(&**of.name(), "B");
}

#[test]
fn a_ring_of_200000_is_a_ring() {
    on_a_small_stack(|| {
        let len = 200_000;
        let ring = Value::Shared(Shared::cyclic(|first| {
            let last = Value::Weak(first.clone());
            (0..len).fold(last, |next, at| {
                let node = record([("v", int(at as i64)), ("next", next)]);
                if at + 1 == len { node } else { shared(node) }
            })
        }));
        let message = to_vec(&ring).unwrap();
        let read = Resolver::new(schema(NODES)).read(&message).unwrap();
        let Value::Shared(first) = &read else { panic!("{:.200}", format!("{read:?}")) };
        let mut at = first.clone();
        for number in (0..len).rev() {
            assert_eq!(at.get()["v"], Value::F64(number as f64));
            at = match at.get().field("next") {
                Some(Value::Shared(next)) => next.clone(),
                Some(Value::Weak(next)) => next.upgrade().unwrap(),
                // Only shared values have handles.
                Some(Value::Struct(_)) | None => {
                    let mut value = at.get().field("next").unwrap();
                    let mut rest = number;
                    while let Value::Struct(_) = value {
                        rest -= 1;
                        assert_eq!(value["v"], Value::F64(rest as f64));
                        value = value.field("next").unwrap();
                    }
                    let Value::Weak(weak) = value else { panic!("not a ring") };
                    assert!(weak.upgrade().unwrap().is_same(first));
                    return;
                }
                other => panic!("{other:?}"),
            };
        }
        assert!(at.is_same(first));
    });
}

#[test]
fn shared_values_in_a_default_stay_shared() {
    let tag = shared(list([text_value("x")]));
    let default = list([tag.clone(), tag]);
    let message = to_vec(&list([record([("a", int(1))]), record([("a", int(2))])])).unwrap();
    let reader = schema_of(&list([record([
        ("a", int(1)),
        ("tags", list([list([text_value("x")]), list([])])),
    ])]));
    let resolver = Resolver::new(reader).default(Field::of_record("tags"), default.clone());
    let read = resolver.read(&message).unwrap();
    let tags = |row: usize| read[row]["tags"].clone();
    assert_eq!(tags(0), default);
    let (first, second) = (tags(0), tags(1));
    let handle = |value: &Value| match &value[0] {
        Value::Shared(shared) => shared.clone(),
        other => panic!("{other:?}"),
    };
    assert!(handle(&first).is_same(&handle(&second)));
}

// Options, limits, plans

#[test]
fn a_plan_is_computed_once() {
    let resolver = Resolver::new(schema_of(&list([Value::F64(0.0)])));
    let writer = schema_of(&list([int(1)]));
    let plan = resolver.plan(&writer).unwrap();
    assert!(Arc::ptr_eq(&plan, &resolver.plan(&writer).unwrap()));
    // Not by address: an equal schema has it too.
    let again = Schema::from_bytes(writer.as_bytes()).unwrap();
    assert!(Arc::ptr_eq(&plan, &resolver.plan(&again).unwrap()));
    resolver.read(&to_vec(&list([int(3)])).unwrap()).unwrap();
    // A message with that schema keeps it in use, so 200 others do not evict it.
    for len in 0..200 {
        let value = list([shared_tuple(len)]);
        assert!(resolver.plan(&schema_of(&value)).is_err());
        let other = format!("00 16 15 {}", "15 ".repeat(len % 100) + "11");
        resolver.plan(&schema(&other)).unwrap();
        assert!(Arc::ptr_eq(&plan, &resolver.plan(&writer).unwrap()), "{len}");
    }
    // Other options need other plans.
    let rounding = resolver.round_floats(true);
    assert!(!Arc::ptr_eq(&plan, &rounding.plan(&writer).unwrap()));
}

fn shared_tuple(len: usize) -> Value {
    Value::tuple((0..len % 9).map(|_| null()))
}

#[test]
fn a_default_that_its_field_cannot_hold_is_an_error_of_the_plan() {
    let resolver = Resolver::new(schema_of(&record([("a", int(1)), ("b", Value::U8(0))])))
        .default(Field::of_record("b"), text_value("no number"));
    let error = resolver.plan(&schema_of(&record([("a", int(1))]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "incompatible in $.b: expected u8, got string (F-78: no line fits)"
    );
    // It is read like any data.
    let resolver = resolver.default(Field::of_record("b"), int(7));
    let read = resolver.convert(&record([("a", int(1))])).unwrap();
    assert_eq!(read, record([("a", int(1)), ("b", Value::U8(7))]));
}

#[test]
fn a_default_that_needs_itself_exceeds_the_budget() {
    // struct P {z: struct... } cannot be infinite, but a definition can: #0 where #0 = struct P {z: #0}
    let reader = schema("02 1F 00 19 04 50 08 04 7A 1F 00");
    let empty =
        Value::Struct(holdall::value::Struct::new("P", holdall::value::Record::from_iter([])));
    let resolver = Resolver::new(reader).default(Field::of_struct("P", "z"), empty.clone());
    let error = on_error(resolver.convert(&empty));
    assert_eq!(error.code().as_str(), "limit_budget");
}

#[test]
fn the_size_after_conversion_is_charged() {
    // 100,000 references to one list of 1,000: if each row became a type of its own, there would be 10^8 values.
    let one = shared(list((0..1000).map(int)));
    let message = to_vec(&list((0..1000).map(|_| one.clone()))).unwrap();
    let floats = Resolver::new(schema("00 16 16 11"));
    assert_eq!(floats.read(&message).unwrap()[999][999], Value::F64(999.0));
    let mut decoder = Decoder::new().limits(Limits::new().budget(40_000));
    let mut builder = ValueBuilder::new();
    // 1 list, 1,000 of its items, 1,000 others, 8 units each.
    floats.message(&mut decoder, &message, &mut builder).unwrap();
    // Bytes take 8 times as many units as items.
    let bytes = to_vec(&Value::Bytes(vec![7; 3000])).unwrap();
    let lists = Resolver::new(schema("00 16 03"));
    let error = lists.message(&mut decoder, &bytes, &mut ValueBuilder::new()).unwrap_err();
    assert_eq!(error.code().as_str(), "limit_budget");
    let mut wider = Decoder::new().limits(Limits::new().budget(80_000));
    lists.message(&mut wider, &bytes, &mut ValueBuilder::new()).unwrap();
}

#[test]
fn rows_that_only_refer_to_each_other_end_quickly() {
    // list(shared(#0)) where #0 = extension "e"(union(int, shared(#0))): row k is row k - 1, and each of 2,000,000
    // items is a row.
    let head = hex("c1 12 02 16 20 00 23 04 65 1c 08 03 20 00 03 24 f4 03 24 f4 00 01 fe");
    let message = [head, vec![0xFF; 249_999], hex("0a 41 02 80 04")].concat();
    let start = cpu_time::ThreadTime::now();
    let mut decoder = Decoder::new().limits(Limits::new().budget(1 << 26));
    let mut builder = ValueBuilder::new();
    match Resolver::new(schema("00 16 03")).message(&mut decoder, &message, &mut builder) {
        Ok(()) => {
            let read = builder.finish().unwrap();
            assert!(matches!(&read, Value::List(items) if items.len() == 2_000_000));
        }
        Err(error) => assert_eq!(error.code().as_str(), "limit_budget"),
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn hostile_schemas_are_rejected_quickly() {
    // A union of as many lists as a schema may have, and a reader with a large union.
    let union = |count: usize| {
        let lists = (0..count).map(|at| [&[0x16; 2][..], &[0x04 + (at % 10) as u8]].concat());
        let head = crate::common::varint(2 * count as u64);
        [&[0x00, 0x1C], &head[..], &lists.collect::<Vec<_>>().concat()].concat()
    };
    let reader = Schema::from_bytes(&union(300)).unwrap();
    let writer = Schema::from_bytes(&union(80_000)).unwrap();
    let start = cpu_time::ThreadTime::now();
    let error = Resolver::new(reader).plan(&writer).map(|_| ()).unwrap_err();
    assert_eq!(error.code().as_str(), "limit_sites");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_long_name_of_many_types_is_compared_rarely() {
    // #0 = list(int), and a tuple of shared(#0) and records whose field is named like the first one's, by its index
    // (F-16).
    let (count, len) = (100_000, 500_000);
    let mut bytes = vec![0x02, 0x18];
    bytes.extend(crate::common::varint(count + 1));
    bytes.extend([0x20, 0x00, 0x1A, 0x08]);
    bytes.extend(crate::common::varint(2 * len));
    bytes.extend(std::iter::repeat_n(b'n', len as usize));
    bytes.push(0x03);
    bytes.extend([0x1A, 0x08, 0x02, 0x03].repeat(count as usize - 1));
    bytes.extend([0x16, 0x03]);
    let hostile = Schema::from_bytes(&bytes).unwrap();
    let start = cpu_time::ThreadTime::now();
    let error = Resolver::new(hostile.clone()).plan(&hostile).map(|_| ()).unwrap_err();
    assert_eq!(error.code().as_str(), "limit_sites");
    // A reader that uses none of them.
    let error = Resolver::new(schema("00 16 03")).plan(&hostile).map(|_| ()).unwrap_err();
    assert_eq!(error.code().as_str(), "incompatible");
    assert!(holdall::Diff::between(&hostile, &hostile).changes.is_empty());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn unions_of_many_variants_are_compared_quickly() {
    let union = |item: u8, count: usize| {
        let head = crate::common::varint(2 * count as u64);
        let bytes = [&[0x00, 0x1C], &head[..], &[0x16, 0x16, item].repeat(count)].concat();
        Schema::from_bytes(&bytes).unwrap()
    };
    let (old, new) = (union(0x04, 80_000), union(0x12, 80_000));
    let start = cpu_time::ThreadTime::now();
    let error = Resolver::new(schema("00 03")).plan(&old).map(|_| ()).unwrap_err();
    assert_eq!(error.code().as_str(), "incompatible");
    assert_eq!(holdall::Diff::between(&old, &new).changes.len(), 80_000);
    assert!(start.elapsed().as_secs() < 40, "{:?}", start.elapsed());
}
