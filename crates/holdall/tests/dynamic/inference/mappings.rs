//! Mappings: records, maps, shapes, and their limits (F-47 to F-50).

use super::*;

#[test]
fn an_empty_mapping_takes_the_type_of_later_ones() {
    let one = || map([(int(1), int(2))]);
    check([
        (record([]), "record {}"),
        (map([]), "record {}"),
        (list([record([]), record([])]), "list(record {})"),
        (list([record([]), keys("a")]), "list(record {a: int} [-, 0])"),
        (list([keys("a"), record([])]), "list(record {a: int} [0, -])"),
        (list([record([]), int(1), keys("a")]), "list(union(record {a: int} [-, 0], int))"),
        (list([int(1), record([]), keys("a")]), "list(union(int, record {a: int} [-, 0]))"),
        // A map takes no mappings before it (F-47), but those after it.
        (list([record([]), one()]), "list(union(record {}, map(int, int)))"),
        (list([one(), record([])]), "list(map(int, int))"),
        (list([record([]), one(), record([])]), "list(union(record {}, map(int, int)))"),
        // Then mappings go to the map too, since its keys are values like others.
        (
            list([record([]), one(), keys("a")]),
            "list(union(record {}, map(union(int, string), int)))",
        ),
        (list([one(), keys("a")]), "list(map(union(int, string), int))"),
        (
            list([keys("a"), one(), record([])]),
            "list(union(record {a: int} [0, -], map(int, int)))",
        ),
        (
            list([keys("a"), one(), keys("b")]),
            "list(union(record {a: int, b: int} [0, 1], map(int, int)))",
        ),
    ]);
    // The mapping that needs a map makes all of them rows of it.
    let long = list([record([]), numbered(0..257), record([])]);
    assert_eq!(schema_of(&long), "list(map(string, int))");
}

#[test]
fn shapes_are_numbered_by_first_use() {
    check([
        (list([keys("a b"), keys("a b")]), "list(record {a: int, b: int})"),
        (list([keys("a b"), keys("b a")]), "list(record {a: int, b: int} [0 1, 1 0])"),
        (list([keys("a"), keys("b"), keys("a")]), "list(record {a: int, b: int} [0, 1])"),
        (list([keys("b c"), keys("a c")]), "list(record {b: int, c: int, a: int} [0 1, 2 1])"),
        (list([keys("a"), keys("a b"), record([])]), "list(record {a: int, b: int} [0, 0 1, -])"),
    ]);
}

#[test]
fn a_17th_shape_makes_a_record_sparse() {
    let shapes: Vec<String> = (0..17).map(|shape| shape.to_string()).collect();
    let rows = |count: usize| list((0..count).map(|row| numbered(row..row + 1)));
    let several = |count: usize| {
        format!("list(record {{{}}} [{}])", fields(0..count, "int"), shapes[..count].join(", "))
    };
    assert_eq!(schema_of(&rows(1)), "list(record {k0: int})");
    assert_eq!(schema_of(&rows(2)), several(2));
    assert_eq!(schema_of(&rows(16)), several(16));
    assert_eq!(schema_of(&rows(17)), format!("list(record {{{}}} sparse)", fields(0..17, "int")));
    // A repeated shape adds none.
    let again = list((0..100).map(|row| numbered(row % 16..row % 16 + 1)));
    assert_eq!(schema_of(&again), several(16));

    let objects = |count: usize| {
        list((0..count).map(|row| object("S", [(format!("k{row}").as_str(), int(0))])))
    };
    assert_eq!(schema_of(&objects(16)), several(16).replace("record", "struct S"));
    assert_eq!(
        schema_of(&objects(17)),
        format!("list(struct S {{{}}} sparse)", fields(0..17, "int"))
    );
}

/// Records with two of 20 fields each, in the order of their names: 190 shapes.
fn pairs() -> impl Iterator<Item = Value> {
    let name = |at: usize| format!("k{at:02}");
    let pair = move |(a, b): (usize, usize)| {
        record([(name(a).as_str(), int(a as i64)), (name(b).as_str(), int(b as i64))])
    };
    (0..20).flat_map(|a| (a + 1..20).map(move |b| (a, b))).map(pair)
}

#[test]
fn rows_of_any_number_of_shapes_are_read_back() {
    for count in [63, 64, 65, 66, 190] {
        let rows = list(pairs().take(count).chain(pairs().step_by(3)).chain([keys("k30 k00")]));
        let read: Value = from_slice(&to_vec(&rows).unwrap()).unwrap();
        assert_eq!(read, rows, "{count}");
    }
}

#[test]
fn a_mapping_with_the_keys_of_any_row_around_it_is_recursive() {
    let last = |inside| record([("k18", inside), ("k19", int(0))]);
    let schema = |inside| schema_of(&list(pairs().take(189).chain([last(inside)])));
    // The row around it is the first with these keys, after 189 other shapes.
    assert!(schema(keys("k18 k19")).starts_with("list(#0) where #0 = record {"));
    assert!(schema(keys("k00 k01")).starts_with("list(#0) where #0 = record {"));
    // No row has them in this order.
    assert!(schema(keys("k19 k18")).starts_with("list(record {"));
}

#[test]
fn a_mapping_with_the_keys_of_a_record_around_it_is_one_of_its_rows() {
    let leaf = || record([("v", int(1)), ("children", list([]))]);
    check([
        (
            record([("v", int(1)), ("next", record([("v", int(2)), ("next", null())]))]),
            "#0 where #0 = record {v: int, next: option(#0)}",
        ),
        (
            record([("v", int(1)), ("children", list([leaf(), leaf()]))]),
            "#0 where #0 = record {v: int, children: list(#0)}",
        ),
        // Two levels up.
        (
            record([("a", record([("b", record([("a", null())]))]))]),
            "#0 where #0 = record {a: option(record {b: #0})}",
        ),
        // Through tuples, maps and variants.
        (
            record([("a", tuple([map([(int(1), variant("V", keys("a")))])]))]),
            "#0 where #0 = record {a: union(tuple(map(int, union {V: #0})), int)}",
        ),
        // Any of the existing shapes will do.
        (
            list([keys("a"), record([("a", int(1)), ("b", keys("a"))])]),
            "list(#0) where #0 = record {a: int, b: #0} [0, 0 1]",
        ),
        // A site that has the record takes other shapes too.
        (
            record([("a", list([keys("a"), keys("z")]))]),
            "#0 where #0 = record {a: union(list(#0), int), z: int} [0, 1]",
        ),
        // A later shape does not count, nor one in another order, nor a part.
        (record([("a", keys("b")), ("b", int(1))]), "record {a: record {b: int}, b: int}"),
        (
            record([("a", int(1)), ("b", keys("b a"))]),
            "record {a: int, b: record {b: int, a: int}}",
        ),
        (record([("a", int(1)), ("b", keys("a"))]), "record {a: int, b: record {a: int}}"),
        // Nor a sibling.
        (
            record([("x", keys("k")), ("y", keys("k"))]),
            "record {x: record {k: int}, y: record {k: int}}",
        ),
        // Nor one outside a struct.
        (
            record([("a", object("S", [("x", keys("a"))]))]),
            "record {a: struct S {x: record {a: int}}}",
        ),
        (
            object("S", [("a", record([("b", keys("a"))]))]),
            "struct S {a: record {b: record {a: int}}}",
        ),
        // Nor a place where an empty mapping is pending.
        (
            record([("v", int(1)), ("next", list([record([]), keys("v next")]))]),
            "record {v: int, next: list(record {v: int, next: int} [-, 0 1])}",
        ),
    ]);
}

#[test]
fn a_record_has_256_fields_at_most_and_a_map_takes_the_rest() {
    let record_256 = format!("record {{{}}}", fields(0..256, "int"));
    assert_eq!(schema_of(&numbered(0..256)), record_256);
    assert_eq!(schema_of(&numbered(0..257)), "map(string, int)");

    let shapes = |first: std::ops::Range<usize>, second: std::ops::Range<usize>| {
        let numbers = |keys: std::ops::Range<usize>| {
            keys.map(|key| key.to_string()).collect::<Vec<_>>().join(" ")
        };
        format!("[{}, {}]", numbers(first), numbers(second))
    };
    // Across several rows.
    let fits = list([numbered(0..200), numbered(200..256)]);
    assert_eq!(schema_of(&fits), format!("list({record_256} {})", shapes(0..200, 200..256)));
    let exceeds = list([numbered(0..200), numbered(200..257)]);
    let record_200 = format!("record {{{}}}", fields(0..200, "int"));
    assert_eq!(schema_of(&exceeds), format!("list(union({record_200}, map(string, int)))"));

    // A full record still takes rows without new keys, in any order.
    let full = list([numbered(0..256), numbered(256..257), numbered(7..9), numbered(0..257)]);
    let numbers: Vec<String> = (0..256).map(|field| field.to_string()).collect();
    assert_eq!(
        schema_of(&full),
        format!("list(union({record_256} [{}, 7 8], map(string, int)))", numbers.join(" "))
    );
    // A map without a record takes short mappings too.
    let long_first = list([numbered(0..257), numbered(0..1), record([])]);
    assert_eq!(schema_of(&long_first), "list(map(string, int))");
}

#[test]
fn a_struct_has_256_fields_at_most() {
    let names: Vec<String> = (0..257).map(|field| format!("k{field}")).collect();
    let of = |range: std::ops::Range<usize>| {
        object("S", names[range].iter().map(|name| (&**name, int(0))))
    };
    assert_eq!(schema_of(&of(0..256)), format!("struct S {{{}}}", fields(0..256, "int")));
    for value in [of(0..257), list([of(0..256), of(256..257)])] {
        assert_eq!(to_vec(&value).unwrap_err().code(), Code::UnsupportedValue);
    }
    // Each name has its own.
    let two = list([of(0..200), object("T", [("x", of(100..256))])]);
    assert!(to_vec(&two).is_ok());
}

#[test]
fn maps_have_keys_of_any_type() {
    check([
        (map([(int(1), text("a"))]), "map(int, string)"),
        (map([(int(1), int(1)), (text("a"), int(2))]), "map(union(int, string), int)"),
        (map([(tuple([int(1)]), int(1))]), "map(tuple(int), int)"),
        (map([(map([(int(1), int(2))]), int(3))]), "map(map(int, int), int)"),
        (map([(keys("a"), int(3))]), "map(record {a: int}, int)"),
        // All keys are strings: a mapping, however it is emitted.
        (map([(text("a"), int(1)), (text("b"), int(2))]), "record {a: int, b: int}"),
    ]);
}
