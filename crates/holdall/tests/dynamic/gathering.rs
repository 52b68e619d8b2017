//! If a schema would become too deep or too wide: gathered types and definitions (chapter 11).

use crate::common::inferred::{fields, keys, schema_of};
use crate::common::make::{
    array, extension, int, later, list, logical, map, null, object, record, set, tensor, text,
    tuple, variant,
};
use holdall::{LogicalType, Value};

#[test]
fn logical_types_arrays_tensors_and_extensions_at_depth_32_are_gathered() {
    let deep = |value: Value| nest(32, value, |_, value| list([value]));
    let lists = |inside: &str| levels(32, "list(", inside, ")");
    for (one, schema) in [
        (set([]), "set(list(never))"),
        (logical(LogicalType::DATE, int(1)), "date(int)"),
        (array([int(1)]), "array(1, int)"),
        (tensor("bool", &[1], || 1), "tensor(bool)"),
        (extension("e", int(1)), "extension \"e\"(int)"),
        (tuple((0..9).map(int)), "long_tuple(list(int))"),
        (later(int(1)), "logical[E0](int)"),
    ] {
        // At one site it stays there; at two, one type serves both.
        assert_eq!(schema_of(&deep(one.clone())), lists(schema));
        let two = deep(tuple([one.clone(), one.clone()]));
        assert_eq!(schema_of(&two), format!("{} where #0 = {schema}", lists("tuple(#0, #0)")));
        let above = nest(20, tuple([one.clone(), one]), |_, value| list([value]));
        assert_eq!(
            schema_of(&above),
            levels(20, "list(", &format!("tuple({schema}, {schema})"), ")")
        );
    }
    // Storage is never gathered, but its contents are.
    let lists_of_lists = deep(tuple([set([list([])]), list([int(1)])]));
    assert_eq!(
        schema_of(&lists_of_lists),
        format!("{} where #0 = list(int)", lists("tuple(set(list(#0)), #0)"))
    );
    let sets = nest(100, int(1), |_, value| set([value]));
    assert_eq!(
        schema_of(&sets),
        format!("{} where #0 = set(list(union(#0, int)))", levels(32, "set(list(", "#0", "))"))
    );
}

#[test]
fn writers_never_exceed_the_nesting_limit_of_readers() {
    // Wrapped in options and unions, so that each level of the value takes as many levels of the schema as it can.
    // Structs restart depths, so that nothing is gathered.
    let names: Vec<String> = (0..400).map(|level| format!("S{level}")).collect();
    let wide = || tensor(&format!("{}bool{}", "tuple(".repeat(31), ")".repeat(31)), &[1], || 1);
    let around: [fn(Value) -> Value; 8] = [
        |value| value,
        |value| set([value, null(), int(1)]),
        |value| extension("e", value),
        later,
        |value| tuple((0..8).map(int).chain([value, null()])),
        |value| logical(LogicalType::ORDERED_MAP, map([(int(1), value), (int(2), null())])),
        |value| array([null(), text("a"), value]),
        |value| variant("v", set([later(value), later(null()), later(int(1))])),
    ];
    for first in 0..around.len() {
        for second in 0..around.len() {
            for shift in 0..4 {
                let value = nest(130, list([wide(), null(), int(1)]), |level, value| {
                    let inner = if level % 2 == 0 { around[first] } else { around[second] };
                    let value = inner(value);
                    match level < shift {
                        true => later(value),
                        false => object(&names[level], [("x", list([value, null(), int(1)]))]),
                    }
                });
                schema_of(&value);
            }
        }
    }
    // Without structs.
    for inner in around {
        schema_of(&nest(200, wide(), |_, value| list([inner(value), null(), int(1)])));
        schema_of(&nest(200, wide(), |_, value| inner(value)));
    }
    // Tensors can be at any level.
    for levels in 80..130 {
        let value = nest(levels, wide(), |level, value| object(&names[level], [("x", value)]));
        schema_of(&value);
        let value =
            nest(levels, wide(), |level, value| object(&names[level], [("x", later(value))]));
        schema_of(&value);
    }
}

/// A text repeated around another.
fn levels(count: usize, before: &str, innermost: &str, after: &str) -> String {
    format!("{}{innermost}{}", before.repeat(count), after.repeat(count))
}

/// A value wrapped repeatedly.
fn nest(count: usize, innermost: Value, around: impl Fn(usize, Value) -> Value) -> Value {
    (0..count).rev().fold(innermost, |value, level| around(level, value))
}

#[test]
fn row_types_at_depth_32_are_gathered() {
    let lists = |count: usize| nest(count - 1, list([]), |_, value| list([value]));
    assert_eq!(schema_of(&lists(32)), levels(32, "list(", "never", ")"));
    // The 33rd, at depth 32, is gathered, but is still the only one.
    assert_eq!(schema_of(&lists(33)), levels(33, "list(", "never", ")"));
    // The 34th, inside it, is of the same type.
    let gathered = levels(32, "list(", "#0", ")");
    assert_eq!(schema_of(&lists(34)), format!("{gathered} where #0 = list(#0)"));
    assert_eq!(schema_of(&lists(100)), format!("{gathered} where #0 = list(#0)"));

    // Each kind has its own gathered type.
    let both =
        nest(32, tuple([list([]), list([tuple([null(), null()])])]), |_, value| list([value]));
    assert_eq!(
        schema_of(&both),
        format!(
            "{} where #0 = tuple(option(#1), option(#1)), #1 = list(#0)",
            levels(32, "list(", "#0", ")")
        )
    );
    // Tuples of each length are a kind.
    let tuples = nest(32, tuple([tuple([null(), tuple([null()])])]), |_, value| list([value]));
    assert_eq!(
        schema_of(&tuples),
        format!("{} where #0 = tuple(option(tuple(null, #0)))", levels(32, "list(", "#0", ")"))
    );
}

#[test]
fn mappings_at_depth_32_are_rows_of_one_record() {
    let around = |level: usize, value: Value| record([(format!("k{level}").as_str(), value)]);
    // 40 mappings of ever new keys: k32 to k39 are gathered.
    let value = nest(40, null(), around);
    let fields: Vec<String> = (32..39).map(|key| format!("k{key}: #0")).collect();
    let mut expected = (0..32).fold(String::new(), |text, key| format!("{text}record {{k{key}: "));
    expected += &format!("#0{}", "}".repeat(32));
    expected += &format!(
        " where #0 = record {{{}, k39: null}} [0, 1, 2, 3, 4, 5, 6, 7]",
        fields.join(", ")
    );
    assert_eq!(schema_of(&value), expected);

    // Up to 256 fields; after that the gathered map takes them.
    let value = nest(32 + 258, null(), around);
    let schema = schema_of(&value);
    let fields: Vec<String> = (32..287).map(|key| format!("k{key}: #0")).collect();
    let tail = format!(
        " where #0 = record {{{}, k287: #1}} sparse, #1 = map(string, option(#1))",
        fields.join(", ")
    );
    assert!(schema.ends_with(&tail), "{schema}");

    // An empty mapping is a row of it too.
    let value = nest(32, list([record([]), keys("a"), record([])]), |_, value| list([value]));
    assert_eq!(schema_of(&value), levels(33, "list(", "record {a: int} [-, 0]", ")"));
    let value = nest(32, tuple([record([]), keys("a")]), |_, value| list([value]));
    assert_eq!(
        schema_of(&value),
        format!(
            "{} where #0 = record {{a: int}} [-, 0]",
            levels(32, "list(", "tuple(#0, #0)", ")")
        )
    );
}

#[test]
fn folding_goes_before_gathering() {
    let deep = |innermost: Value| record([("top", nest(40, innermost, |_, value| list([value])))]);
    // Lists from depth 33 on are gathered, and no record is looked for below them.
    let schema = schema_of(&deep(record([("top", null())])));
    assert_eq!(
        schema,
        format!(
            "record {{top: {}}} where #0 = list(union(#0, record {{top: null}}))",
            levels(31, "list(", "#0", ")")
        )
    );
    // At depth 32 itself it is.
    let value = record([("top", nest(31, record([("top", null())]), |_, value| list([value])))]);
    assert_eq!(
        schema_of(&value),
        format!("#0 where #0 = record {{top: option({})}}", levels(31, "list(", "#0", ")"))
    );
}

#[test]
fn depths_restart_inside_a_struct() {
    let lists = |count: usize, innermost: Value| nest(count, innermost, |_, value| list([value]));
    let value = lists(31, object("S", [("x", lists(31, object("T", [("y", lists(31, int(1)))])))]));
    let inner = levels(31, "list(", "int", ")");
    let middle = levels(31, "list(", &format!("struct T {{y: {inner}}}"), ")");
    let outer = levels(31, "list(", &format!("struct S {{x: {middle}}}"), ")");
    assert_eq!(schema_of(&value), outer);
}

#[test]
fn a_type_at_level_97_becomes_a_definition() {
    let names: Vec<String> = (0..200).map(|level| format!("S{level}")).collect();
    let structs =
        |count: usize| nest(count, int(1), |level, value| object(&names[level], [("x", value)]));
    let text = |range: std::ops::Range<usize>, innermost: &str| {
        let end = "}".repeat(range.len());
        range.fold(String::new(), |text, level| format!("{text}struct S{level} {{x: "))
            + innermost
            + &end
    };
    assert_eq!(schema_of(&structs(96)), text(0..96, "int"));
    // S96 would be at level 97.
    assert_eq!(
        schema_of(&structs(97)),
        format!("{} where #0 = {}", text(0..96, "#0"), text(96..97, "int"))
    );
    assert_eq!(
        schema_of(&structs(200)),
        format!(
            "{} where #0 = {}, #1 = {}",
            text(0..96, "#0"),
            text(96..192, "#1"),
            text(192..200, "int")
        )
    );
    // An option and a union take a level each.
    let lists = |count: usize| {
        nest(count, int(1), |level, value| {
            object(&names[level], [("x", list([null(), int(1), value]))])
        })
    };
    let schema = schema_of(&lists(30));
    // struct, list, option, union: four levels for each; the 25th struct would be at level 97.
    assert!(schema.contains("option(union(int, #0))"), "{schema}");
    assert!(schema.contains(" where #0 = struct S24 {"), "{schema}");
}

/// A record of 256 mappings of 63 keys each; the last has `last` keys. The first 255 make 16,322 sites.
fn many_sites(last: usize, value: impl Fn(usize) -> Value) -> Value {
    let outer: Vec<String> = (0..256).map(|field| format!("f{field}")).collect();
    let inner: Vec<String> = (0..70).map(|field| format!("k{field}")).collect();
    record(outer.iter().enumerate().map(|(number, name)| {
        let count = if number == 255 { last } else { 63 };
        let value = if number == 255 { value(count) } else { null() };
        (&**name, record(inner[..count].iter().map(|key| (&**key, value.clone()))))
    }))
}

#[test]
fn from_16384_sites_on_only_gathered_types_get_new_ones() {
    let null_value = |_| null();
    let tail = |text: &str| format!("f255: {text}}}");
    // 16,322 and 62 are 16,384.
    let schema = schema_of(&many_sites(62, null_value));
    assert!(
        schema.ends_with(&tail(&format!("record {{{}}}", fields(0..62, "null")))),
        "{schema:.100}"
    );
    let schema = schema_of(&many_sites(63, null_value));
    assert!(schema.ends_with(&tail("map(string, null)")));

    // With 61 keys one site is left: one list gets it, the others are gathered.
    let schema = schema_of(&many_sites(61, |_| list([])));
    let expected = format!(
        "f255: record {{k0: list(never), {}}}}} where #0 = list(never)",
        fields(1..61, "#0")
    );
    assert!(schema.ends_with(&expected), "{}", &schema[schema.len() - 900..]);
    // With 62 none is left: all lists are one type.
    let schema = schema_of(&many_sites(62, |_| list([])));
    let expected = format!("f255: record {{{}}}}} where #0 = list(never)", fields(0..62, "#0"));
    assert!(schema.ends_with(&expected), "{}", &schema[schema.len() - 900..]);
    // All mappings with keys are rows of one map, and empty ones of one record.
    let schema = schema_of(&many_sites(62, |_| keys("a")));
    let expected =
        format!("f255: record {{{}}}}} where #0 = map(string, int)", fields(0..62, "#0"));
    assert!(schema.ends_with(&expected), "{}", &schema[schema.len() - 900..]);
    let schema = schema_of(&many_sites(62, |_| record([])));
    let expected = format!("f255: record {{{}}}}} where #0 = record {{}}", fields(0..62, "#0"));
    assert!(schema.ends_with(&expected), "{}", &schema[schema.len() - 900..]);
    // Structs keep their own types.
    let schema = schema_of(&many_sites(62, |_| object("S", [("a", int(1))])));
    let expected =
        format!("f255: record {{{}}}}} where #0 = struct S {{a: int}}", fields(0..62, "#0"));
    assert!(schema.ends_with(&expected), "{}", &schema[schema.len() - 900..]);
}
