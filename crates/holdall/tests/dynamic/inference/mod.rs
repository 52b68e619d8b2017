//! The schema inferred for a value without one (chapter 11).

mod mappings;

use crate::common::inferred::{check, fields, keys, numbered, schema_of};
use crate::common::make::{
    array, big, extension, int, later, list, logical, logical_leaf, logical_of, map, null, object,
    record, record_of, set, tensor, text, tuple, variant,
};
use holdall::{Code, Encoder, LogicalType, Value, bf16, f16, from_slice, to_vec};

#[test]
fn scalars_have_their_own_types() {
    check([
        (null(), "null"),
        (Value::Bool(true), "bool"),
        (int(0), "int"),
        (big("18446744073709551616"), "int"),
        (Value::U8(0), "u8"),
        (Value::U16(0), "u16"),
        (Value::U32(0), "u32"),
        (Value::U64(0), "u64"),
        (Value::U128(Box::new(0)), "u128"),
        (Value::I8(0), "i8"),
        (Value::I16(0), "i16"),
        (Value::I32(0), "i32"),
        (Value::I64(0), "i64"),
        (Value::I128(Box::new(0)), "i128"),
        (Value::F16(f16::ZERO), "f16"),
        (Value::Bf16(bf16::ONE), "bf16"),
        (Value::F32(0.0), "f32"),
        (Value::F64(0.0), "f64"),
        (text(""), "string"),
        (Value::Bytes(Vec::new()), "bytes"),
        (Value::Fixed(Vec::new()), "fixed(0)"),
        (Value::Fixed(vec![1; 300]), "fixed(300)"),
    ]);
}

#[test]
fn a_site_has_its_types_in_the_order_of_their_first_rows() {
    check([
        (list([]), "list(never)"),
        (list([int(1), text("a"), Value::F64(0.5), int(2)]), "list(union(int, string, f64))"),
        (list([Value::F64(0.5), text("a"), int(1)]), "list(union(f64, string, int))"),
        (list([int(1), big("9223372036854775808")]), "list(int)"),
        (list([int(1), Value::I64(1), Value::U64(1)]), "list(union(int, i64, u64))"),
        (list([list([int(1)]), list([text("a")])]), "list(list(union(int, string)))"),
        (list([list([]), list([text("a")])]), "list(list(string))"),
        (list([int(1), list([]), int(2), list([int(3)])]), "list(union(int, list(int)))"),
        (list([keys("a"), int(1), keys("a")]), "list(union(record {a: int}, int))"),
        (
            list([list([]), keys("a"), tuple([])]),
            "list(union(list(never), record {a: int}, tuple()))",
        ),
        (tuple([int(1), text("a")]), "tuple(int, string)"),
        (
            list([tuple([int(1)]), tuple([int(1), int(2)]), tuple([text("a")])]),
            "list(union(tuple(union(int, string)), tuple(int, int)))",
        ),
    ]);
}

#[test]
fn null_turns_other_types_into_an_option() {
    check([
        (list([null()]), "list(null)"),
        (list([null(), null()]), "list(null)"),
        (list([int(1), null()]), "list(option(int))"),
        (list([null(), int(1)]), "list(option(int))"),
        (list([null(), int(1), text("a")]), "list(option(union(int, string)))"),
        (list([int(1), text("a"), null()]), "list(option(union(int, string)))"),
        (list([int(1), null(), text("a")]), "list(option(union(int, string)))"),
        (list([list([null()]), null()]), "list(option(list(null)))"),
        (list([record([]), null()]), "list(option(record {}))"),
        (map([(null(), null()), (int(1), int(2))]), "map(option(int), option(int))"),
        (list([variant("A", null()), null()]), "list(option(union {A: null}))"),
    ]);
}

#[test]
fn a_tuple_of_more_than_8_items_is_a_long_one() {
    let of = |len| tuple((0..len).map(int));
    check([
        (of(8), "tuple(int, int, int, int, int, int, int, int)"),
        (of(9), "long_tuple(list(int))"),
        // All lengths are one type, which is not that of lists.
        (list([of(9), of(1000), of(10)]), "list(long_tuple(list(int)))"),
        (list([of(9), list((0..9).map(int))]), "list(union(long_tuple(list(int)), list(int)))"),
        (
            list([of(1), of(9), of(2)]),
            "list(union(tuple(int), long_tuple(list(int)), tuple(int, int)))",
        ),
        (map([(of(9), null()), (of(9), int(1))]), "map(long_tuple(list(int)), option(int))"),
        (
            tuple((0..9).map(|at| if at == 4 { of(9) } else { text("a") })),
            "long_tuple(list(union(string, long_tuple(list(int)))))",
        ),
        // A set emitted as such can have any number of items.
        (logical(LogicalType::LONG_TUPLE, list([int(1)])), "long_tuple(list(int))"),
        (list([of(9), logical(LogicalType::LONG_TUPLE, list([]))]), "list(long_tuple(list(int)))"),
    ]);
    let as_logical = logical(LogicalType::LONG_TUPLE, list((0..9).map(int)));
    assert_eq!(from_slice::<Value>(&to_vec(&as_logical).unwrap()).unwrap(), of(9));
}

#[test]
fn lengths_of_arrays_and_of_byte_strings_are_parts_of_their_types() {
    let fixed = |len| Value::Fixed(vec![7; len]);
    check([
        (array([]), "array(0, never)"),
        (array([int(1), null()]), "array(2, option(int))"),
        (list([array([int(1)]), array([text("a")])]), "list(array(1, union(int, string)))"),
        (
            list([array([int(1)]), array([int(1), int(2)]), array([null()])]),
            "list(union(array(1, option(int)), array(2, int)))",
        ),
        (
            list([array([]), list([]), tuple([])]),
            "list(union(array(0, never), list(never), tuple()))",
        ),
        (list([fixed(4), fixed(16), fixed(4)]), "list(union(fixed(4), fixed(16)))"),
        (list([fixed(1), Value::Bytes(vec![7])]), "list(union(fixed(1), bytes))"),
        (map([(fixed(1), null()), (fixed(2), null())]), "map(union(fixed(1), fixed(2)), null)"),
    ]);
    for twice in [fixed(0), fixed(5), Value::F16(f16::NAN), Value::Bf16(bf16::NAN)] {
        let map = map([(twice.clone(), int(1)), (twice.clone(), int(2))]);
        assert_eq!(to_vec(&map).unwrap_err().code(), Code::DuplicateKey, "{twice:?}");
    }
}

#[test]
fn tensors_have_a_type_for_each_type_of_elements() {
    let tensor = |dtype: &str, shape: &[u64]| tensor(dtype, shape, || 1);
    check([
        (tensor("u8", &[]), "tensor(u8)"),
        (list([tensor("u8", &[3]), tensor("u8", &[1, 0, 2])]), "list(tensor(u8))"),
        (list([tensor("u8", &[3]), tensor("i8", &[3])]), "list(union(tensor(u8), tensor(i8)))"),
        (
            list([tensor("record {a: u8}", &[3]), tensor("record {b: u8}", &[3])]),
            "list(union(tensor(record {a: u8}), tensor(record {b: u8})))",
        ),
        (
            list([tensor("struct S {a: u8}", &[]), object("S", [("b", int(1))])]),
            "list(union(tensor(struct S {a: u8}), struct S {b: int}))",
        ),
        (tensor("extension \"e\"(bool)", &[2, 2]), "tensor(extension \"e\"(bool))"),
        (map([(tensor("bool", &[1]), null())]), "map(tensor(bool), null)"),
    ]);
}

#[test]
fn logical_values_have_a_type_for_each_kind_with_its_parameters() {
    check([
        (set([int(1), text("a")]), "set(list(union(int, string)))"),
        (set([]), "set(list(never))"),
        (set([null()]), "set(list(null))"),
        (list([set([int(1)]), set([text("a")])]), "list(set(list(union(int, string))))"),
        (
            list([set([]), logical(LogicalType::FROZEN_SET, list([]))]),
            "list(union(set(list(never)), frozen_set(list(never))))",
        ),
        (set([set([set([int(1)])])]), "set(list(set(list(set(list(int))))))"),
        (set([null(), set([null()]), int(1)]), "set(list(option(union(set(list(null)), int))))"),
        (
            set([tuple([int(1)]), array([]), list([]), record([])]),
            "set(list(union(tuple(int), array(0, never), list(never), record {})))",
        ),
        (set([record_of("a b", &int(1))]), "set(list(record {a: int, b: int}))"),
        (
            list([
                logical_of(LogicalType::TIMESTAMP, &[0, 0], int(1)),
                logical_of(LogicalType::TIMESTAMP, &[0, 1], int(1)),
                logical_of(LogicalType::TIMESTAMP, &[0, 0], int(2)),
            ]),
            "list(union(timestamp[s, local](int), timestamp[s, utc](int)))",
        ),
        (
            list([logical(LogicalType::DATE, int(1)), null(), int(1)]),
            "list(option(union(date(int), int)))",
        ),
        (
            list([logical_leaf(13, 0), logical_leaf(13, 3), logical_leaf(13, 0)]),
            "list(bit_vector(list(bool)))",
        ),
        (logical_leaf(13, 0), "bit_vector(list(never))"),
        // Kinds of later versions accept anything.
        (
            list([later(int(1)), later(null()), later(text("a"))]),
            "list(logical[E0](option(union(int, string))))",
        ),
        (
            list([logical_of(0xE0, &[1], null()), logical_of(0xE0, &[2], null())]),
            "list(union(logical[E0 01](null), logical[E0 02](null)))",
        ),
    ]);
    // All kinds.
    for kind in 0..21 {
        for number in [-3, 0, 1, 2, 3, 100] {
            let value = logical_leaf(kind, number);
            schema_of(&value);
            schema_of(&list([value.clone(), null(), value]));
        }
    }
}

#[test]
fn the_storage_of_an_ordered_map_is_a_map_whatever_its_keys_are() {
    let ordered = |storage| logical(LogicalType::ORDERED_MAP, storage);
    check([
        (ordered(record([])), "ordered_map(map(never, never))"),
        (ordered(map([])), "ordered_map(map(never, never))"),
        (ordered(keys("a b")), "ordered_map(map(string, int))"),
        (ordered(map([(text("a"), null())])), "ordered_map(map(string, null))"),
        (ordered(map([(int(1), null())])), "ordered_map(map(int, null))"),
        (ordered(numbered(0..300)), "ordered_map(map(string, int))"),
        (
            list([ordered(record([])), ordered(keys("a")), ordered(map([(int(1), null())]))]),
            "list(ordered_map(map(union(string, int), option(int))))",
        ),
        // Mappings in them are like mappings elsewhere.
        (
            ordered(record([("a", keys("b")), ("c", record([]))])),
            "ordered_map(map(string, record {b: int} [0, -]))",
        ),
        // It is not a record to fold into.
        (
            record([("a", ordered(keys("a"))), ("b", ordered(keys("a b")))]),
            "record {a: ordered_map(map(string, int)), b: ordered_map(map(string, int))}",
        ),
        (
            record([("a", ordered(record([("a", keys("a"))])))]),
            "#0 where #0 = record {a: union(ordered_map(map(string, #0)), int)}",
        ),
        (
            list([ordered(keys("a")), keys("a"), map([(int(1), null())])]),
            "list(union(ordered_map(map(string, int)), record {a: int}, map(int, null)))",
        ),
    ]);
    let twice = ordered(record([("a", int(1)), ("a", int(2))]));
    assert_eq!(to_vec(&twice).unwrap_err().code(), Code::DuplicateKey);
    // Other kinds of storage are not.
    for kind in [LogicalType::SET, LogicalType::DATE] {
        let error = to_vec(&logical(kind, keys("a"))).unwrap_err();
        assert_eq!(error.code(), Code::UnsupportedValue);
    }
}

#[test]
fn extensions_have_a_type_for_each_name() {
    let of = extension;
    check([
        (of("py.deque", list([int(1)])), "extension \"py.deque\"(list(int))"),
        (of("", null()), "extension \"\"(null)"),
        (of("a b\"", null()), "extension \"a b\\\"\"(null)"),
        (
            list([of("a", int(1)), of("b", int(1)), of("a", text("x")), of("a", null())]),
            "list(union(extension \"a\"(option(union(int, string))), extension \"b\"(int)))",
        ),
        (of("a", of("a", int(1))), "extension \"a\"(extension \"a\"(int))"),
        (
            record([("k", of("a", record([("k", int(1))])))]),
            "#0 where #0 = record {k: union(extension \"a\"(#0), int)}",
        ),
    ]);
}

#[test]
fn unknown_values_are_rejected() {
    for value in [Value::Unknown, list([Value::Unknown]), extension("a", Value::Unknown)] {
        assert_eq!(to_vec(&value).unwrap_err().code(), Code::UnsupportedValue);
    }
}

#[test]
fn a_struct_type_is_one_per_message_for_each_name() {
    let of = |field: &str| object("S", [(field, int(1))]);
    check([
        (object("", []), "struct \"\" {}"),
        (list([of("a"), of("a")]), "list(struct S {a: int})"),
        (
            list([of("a"), object("T", [("a", int(1))])]),
            "list(union(struct S {a: int}, struct T {a: int}))",
        ),
        (list([of("a"), keys("a")]), "list(union(struct S {a: int}, record {a: int}))"),
        (
            list([of("a"), record([("x", of("b"))])]),
            "list(union(#0, record {x: #0})) where #0 = struct S {a: int, b: int} [0, 1]",
        ),
        (tuple([of("a"), of("a")]), "tuple(#0, #0) where #0 = struct S {a: int}"),
        // Fields are added when their values follow, shapes when rows end.
        (
            object("S", [("a", object("S", [("b", null())])), ("c", int(1))]),
            "#0 where #0 = struct S {a: #0, b: null, c: int} [1, 0 2]",
        ),
        (
            object("S", [("a", object("T", [("a", object("S", []))]))]),
            "#0 where #0 = struct S {a: struct T {a: #0}} [-, 0]",
        ),
    ]);
}

#[test]
fn named_unions_have_the_variants_that_occur() {
    check([
        (variant("A", null()), "union {A: null}"),
        (
            list([variant("A", int(1)), variant("B", text("x")), variant("A", null())]),
            "list(union {A: option(int), B: string})",
        ),
        (list([variant("B", null()), variant("A", null())]), "list(union {B: null, A: null})"),
        (list([int(1), variant("A", null())]), "list(union(int, union {A: null}))"),
        (
            tuple([variant("A", null()), variant("A", int(1))]),
            "tuple(union {A: null}, union {A: int})",
        ),
        (variant("A", variant("A", variant("B", null()))), "union {A: union {A: union {B: null}}}"),
        (
            list([variant("odd name", null()), variant("", null())]),
            "list(union {\"odd name\": null, \"\": null})",
        ),
    ]);
}

#[test]
fn names_are_written_as_json_unless_they_are_identifiers() {
    check([
        (keys("_ _1 aZ9 Z"), "record {_: int, _1: int, aZ9: int, Z: int}"),
        (keys("1a"), "record {\"1a\": int}"),
        (keys("ä"), "record {\"ä\": int}"),
        (record([("", int(1)), ("a b", int(1))]), "record {\"\": int, \"a b\": int}"),
        (
            record([("\"\\\n\u{1F}\u{7F}/", int(1))]),
            "record {\"\\\"\\\\\\u000a\\u001f\u{7F}/\": int}",
        ),
    ]);
}

#[test]
fn the_schema_of_bodies_grows_and_never_shrinks() {
    let mut encoder = Encoder::new();
    let mut body = |value: Value| {
        let body = encoder.body(&mut &value).unwrap();
        body.schema.map(|schema| schema.to_string())
    };
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(body(list([int(1)])), said("list(int)"));
    assert_eq!(body(list([])), None);
    assert_eq!(body(list([null()])), said("list(option(int))"));
    assert_eq!(body(list([int(2)])), None);
    assert_eq!(body(list([text("a")])), said("list(option(union(int, string)))"));
    assert_eq!(body(int(1)), said("union(list(option(union(int, string))), int)"));
    assert_eq!(body(null()), said("option(union(list(option(union(int, string))), int))"));
    assert_eq!(body(list([int(1), text("a"), null()])), None);

    let mut encoder = Encoder::new();
    let mut body = |value: Value| {
        let body = encoder.body(&mut &value).unwrap();
        body.schema.map(|schema| schema.to_string())
    };
    assert_eq!(body(record([])), said("record {}"));
    assert_eq!(body(keys("a")), said("record {a: int} [-, 0]"));
    assert_eq!(body(keys("b a")), said("record {a: int, b: int} [-, 0, 1 0]"));
    assert_eq!(body(record([])), None);
    assert_eq!(body(keys("a")), None);
    assert_eq!(
        body(object("S", [])),
        said("union(record {a: int, b: int} [-, 0, 1 0], struct S {})")
    );
}
