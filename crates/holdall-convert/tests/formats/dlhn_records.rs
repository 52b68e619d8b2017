//! Records in DLHN: maps of values that have one type, or refused, so that no key is lost.

use std::collections::BTreeMap;

use dlhn::SerializeHeader;
use holdall::schema_text::SchemaText;
use holdall::value::Variant;
use holdall::{Code, Decode, Encode, Encoder, Value};
use holdall_convert::{Format, Packer, Remedy, Unpacker};
use serde::Serialize;

use super::dlhn::by_peer;

#[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
struct Pair {
    x: i32,
    y: i32,
}

fn record<const N: usize>(fields: [(&'static str, Value); N]) -> Value {
    Value::record(fields)
}

fn map<const N: usize>(entries: [(&'static str, Value); N]) -> Value {
    Value::map(entries.map(|(key, value)| (Value::from(key), value)))
}

fn ints<const N: usize>(items: [i64; N]) -> Value {
    Value::list(items.map(Value::from))
}

fn write(value: &Value) -> holdall::Result<Vec<u8>> {
    Format::Dlhn.to_vec(value)
}

#[test]
fn records_are_maps_of_one_type_with_their_keys_in_order() {
    let one = |key, value: i64| [(key, Value::from(value))];
    let cases: [(Value, &[u8], Value); 8] = [
        (
            record([("y", 1.into()), ("x", 2.into())]),
            b"\x17\x10\x02\x01y\x01\x01\x01x\x01\x02",
            map([("y", 1.into()), ("x", 2.into())]),
        ),
        (record([]), b"\x17\0\0", map([])),
        // An Optional.
        (
            record([("a", Value::Null), ("b", 1.into())]),
            b"\x17\x01\x10\x02\x01a\0\x01b\x01\x01\x01",
            map([("a", Value::Null), ("b", 1.into())]),
        ),
        (record([("a", Value::Null)]), b"\x17\0\x01\x01a", map([("a", Value::Null)])),
        // The items of an empty list have any type.
        (
            record([("a", ints([])), ("b", ints([1]))]),
            b"\x17\x14\x10\x02\x01a\0\x01b\x01\x01\x01",
            map([("a", ints([])), ("b", ints([1]))]),
        ),
        (
            Value::list([record(one("a", 1)), record([]), record(one("b", 2))]),
            b"\x14\x17\x10\x03\x01\x01a\x01\x01\0\x01\x01b\x01\x02",
            Value::list([map(one("a", 1)), map([]), map(one("b", 2))]),
        ),
        (
            record([("a", record(one("c", 1))), ("b", record(one("d", 2)))]),
            b"\x17\x17\x10\x02\x01a\x01\x01c\x01\x01\x01b\x01\x01d\x01\x02",
            map([("a", map(one("c", 1))), ("b", map(one("d", 2)))]),
        ),
        (
            record([
                ("a", Value::tuple([1.into(), Value::Null])),
                ("b", Value::tuple([2.into(), 3.into()])),
            ]),
            b"\x17\x15\x02\x10\x01\x10\x02\x01a\x01\x01\0\x01b\x01\x02\x01\x01\x03",
            map([
                ("a", Value::tuple([1.into(), Value::Null])),
                ("b", Value::tuple([2.into(), 3.into()])),
            ]),
        ),
    ];
    for (value, bytes, back) in cases {
        assert_eq!(
            write(&value).unwrap().escape_ascii().to_string(),
            bytes.escape_ascii().to_string()
        );
        assert_eq!(Format::Dlhn.from_slice::<Value>(bytes).unwrap(), back);
    }
}

#[test]
fn records_have_the_bytes_that_the_crate_writes_for_maps_and_structs_those_for_structs() {
    let entries = BTreeMap::from([("x".to_owned(), 1), ("y".to_owned(), -2)]);
    let expected = by_peer(&entries);
    assert_eq!(write(&record([("x", Value::I32(1)), ("y", Value::I32(-2))])).unwrap(), expected);
    assert_eq!(Format::Dlhn.to_vec(&entries).unwrap(), expected);
    let pair = Pair { x: 1, y: -2 };
    let expected = by_peer(&pair);
    assert_eq!(Format::Dlhn.to_vec(&pair).unwrap(), expected);
}

#[test]
fn a_record_is_read_as_a_map_and_as_a_struct_with_its_fields_in_any_order() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Route {
        from: Pair,
        to: Option<Pair>,
    }
    let bytes = write(&record([("y", Value::I32(1)), ("x", Value::I32(2))])).unwrap();
    assert_eq!(Format::Dlhn.from_slice::<Pair>(&bytes).unwrap(), Pair { x: 2, y: 1 });
    let entries = BTreeMap::from([("x".to_owned(), 2), ("y".to_owned(), 1)]);
    assert_eq!(Format::Dlhn.from_slice::<BTreeMap<String, i32>>(&bytes).unwrap(), entries);
    // A Map of tuples: the fields of the structs in it are those of the type.
    let route = Route { from: Pair { x: 1, y: 2 }, to: Some(Pair { x: 3, y: 4 }) };
    let bytes = b"\x17\x15\x02\x0A\x0A\x02\x02to\x06\x08\x04from\x02\x04";
    assert_eq!(Format::Dlhn.from_slice::<Route>(bytes).unwrap(), route);
}

#[test]
fn a_record_with_values_of_several_types_is_refused_at_its_path_unless_its_storage_is_wanted() {
    let text = || Value::from("x");
    let variant = |name: &'static str| Value::Variant(Variant::new(name, Value::Null));
    let mixed = || record([("b", 1.into()), ("a", text())]);
    let tuple = b"\x15\x02\x10\x12\x01\x01\x01x";
    let cases: [(Value, &str, Option<Vec<u8>>); 5] = [
        (mixed(), "$", Some(tuple.to_vec())),
        (
            record([("rows", Value::list([mixed()]))]),
            "$.rows[]",
            Some(b"\x17\x14\x15\x02\x10\x12\x01\x04rows\x01\x01\x01\x01x".to_vec()),
        ),
        (
            record([("a", ints([1])), ("b", Value::list([text()]))]),
            "$",
            Some(b"\x15\x02\x14\x10\x14\x12\x01\x01\x01\x01\x01x".to_vec()),
        ),
        (
            record([("a", variant("Red")), ("b", variant("Blue"))]),
            "$",
            Some(b"\x15\x02\x18\x01\0\x18\x01\0\0\0".to_vec()),
        ),
        // Rows that lack fields are no tuples.
        (Value::list([record([("a", 1.into())]), record([("b", text())])]), "$[]", None),
    ];
    for (value, path, stored) in cases {
        let error = write(&value).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, path));
        assert_eq!(Remedy::of(&error), stored.as_ref().map(|_| Remedy::Storage), "{value:?}");
        let storage = Unpacker::new(Format::Dlhn).storage(true).to_vec(&value);
        assert_eq!(storage.ok(), stored, "{value:?}");
    }
    assert_eq!(
        write(&mixed()).unwrap_err().to_string(),
        "unrepresentable in $: expected a struct, or a record whose values have one type, got record {b: int, a: string}",
    );
}

#[test]
fn items_have_the_names_of_a_list_or_tuple_whichever_the_data_have() {
    const PAIR: &str = "record {x: int, y: int}";
    let pair = |x: i64| record([("x", Value::I32(x as i32)), ("y", Value::I32(2))]);
    let list = |items: Vec<Value>| Value::list(items);
    let pairs = || vec![pair(1), pair(3)];
    let cases: [(String, &[u8], Value); 8] = [
        (
            format!("list({PAIR})"),
            b"\x15\x02\x15\x02\x0A\x0A\x15\x02\x0A\x0A\x02\x04\x06\x04",
            Value::tuple(pairs()),
        ),
        (
            format!("tuple({PAIR}, {PAIR})"),
            b"\x14\x15\x02\x0A\x0A\x02\x02\x04\x06\x04",
            list(pairs()),
        ),
        // Items of several types have no names.
        (
            format!("tuple({PAIR}, record {{a: int, b: int}})"),
            b"\x14\x15\x02\x0A\x0A\x01\x02\x04",
            list(vec![Value::tuple([Value::I32(1), Value::I32(2)])]),
        ),
        // The first variant of a union that the data have: what stores a collection, or its items alone.
        (
            format!("union(tuple(list({PAIR}), option(int)), list({PAIR}))"),
            b"\x15\x02\x14\x15\x02\x0A\x0A\x10\x01\x02\x04\x01\x05",
            Value::tuple([list(vec![pair(1)]), 5.into()]),
        ),
        (
            format!("union(tuple(list({PAIR}), option(int)), list({PAIR}))"),
            b"\x15\x02\x14\x15\x02\x0A\x0A\0\x01\x02\x04",
            Value::tuple([list(vec![pair(1)]), Value::Null]),
        ),
        (
            format!("union(tuple(list({PAIR}), option(int)), list({PAIR}))"),
            b"\x14\x15\x02\x0A\x0A\x02\x02\x04\x06\x04",
            list(pairs()),
        ),
        (
            format!("union(tuple(list({PAIR}), option(int)), list({PAIR}))"),
            b"\x15\x02\x15\x02\x0A\x0A\x15\x02\x0A\x0A\x02\x04\x06\x04",
            Value::tuple(pairs()),
        ),
        (
            format!("union(tuple(option(string), map(string, {PAIR})), map(string, {PAIR}))"),
            b"\x15\x02\x12\x17\x15\x02\x0A\x0A\x03int\x01\x01k\x02\x04",
            Value::tuple([Value::from("int"), map([("k", pair(1))])]),
        ),
    ];
    for (schema, bytes, value) in cases {
        let names = SchemaText::parse(&schema).unwrap();
        let packer = Packer::new(Format::Dlhn).names(names.schema());
        let message = packer.pack(&mut Encoder::new(), bytes).unwrap();
        assert_eq!(holdall::from_slice::<Value>(&message).unwrap(), value, "{schema}");
    }
}
