//! Incompatible schemas are reported before any value is read: the place, both types and the rule (F-78, F-79).

use crate::common::evolving::{schema, schema_of};
use crate::common::hex;
use holdall::resolution::Reads;
use holdall::{Code, Decode, Encode, Error, Field, Resolver, Schema, Value, from_slice, to_vec};

/// The writer's schema and the reader's, and the error with code, path, expected, got and rule.
const AT_RESOLUTION: &[(&str, &str, &str)] = &[
    // 2, for the types inside: option(string), option(int)
    ("00 15 12", "00 15 03", "incompatible in $: expected int, got string (F-78: no line fits)"),
    // 3, with the error for present values: option(string), int; option(array(2, u8)), array(3, u8)
    ("00 15 12", "00 03", "incompatible in $: expected int, got string (F-78: no line fits)"),
    (
        "00 15 17 04 04",
        "00 17 06 04",
        "incompatible in $: expected array(3, u8), got array(2, u8) (F-78 line 22)",
    ),
    // 4: union(int, string), bool
    (
        "00 1C 08 03 12",
        "00 02",
        "incompatible in $: expected bool, got union(int, string) (F-78 line 4)",
    ),
    // 5 of another type: string, option(u8)
    ("00 12", "00 15 04", "incompatible in $: expected u8, got string (F-78: no line fits)"),
    // 5, 11 and 15 for types that contain themselves: option, extension and logical type of themselves, an option of an
    // extension
    ("00 03", "02 1F 00 15 1F 00", "incompatible in $: expected option(#0), got int (F-78 line 5)"),
    (
        "00 03",
        "02 1F 00 23 04 61 1F 00",
        "incompatible in $: expected extension \"a\"(#0), got int (F-78 line 11)",
    ),
    (
        "00 03",
        "02 1F 00 22 E0 00 1F 00",
        "incompatible in $: expected logical[E0](#0), got int (F-78 line 15)",
    ),
    (
        "00 03",
        "02 1F 00 15 23 04 61 1F 00",
        "incompatible in $: expected option(extension \"a\"(#0)), got int (F-78 line 5)",
    ),
    // 5 of a variant Some, with the error of the pair: union {Some: null}, option(u8); list(option(union {Some: null})),
    // list(option(u8)); union {Some: null}, an option of itself; union {Some: u8}, option(u8)
    (
        "00 1C 06 10 53 6F 6D 65 01",
        "00 15 04",
        "incompatible in $: expected option(u8), got union {Some: null} (F-78 line 5)",
    ),
    (
        "00 16 15 1C 06 10 53 6F 6D 65 01",
        "00 16 15 04",
        "incompatible in $[]: expected option(u8), got union {Some: null} (F-78 line 5)",
    ),
    (
        "00 1C 06 10 53 6F 6D 65 01",
        "02 1F 00 15 1F 00",
        "incompatible in $: expected option(#0), got union {Some: null} (F-78 line 5)",
    ),
    (
        "00 1C 06 10 53 6F 6D 65 04",
        "00 15 04",
        "incompatible in $: expected u8, got union {Some: u8} (F-78: no line fits)",
    ),
    // 6: bool into union(int, string), alone and in an option; #0 where #0 = union(int, #0)
    (
        "00 02",
        "00 1C 08 03 12",
        "incompatible in $: expected union(int, string), got bool (F-78 line 6)",
    ),
    (
        "00 02",
        "00 15 1C 08 03 12",
        "incompatible in $: expected union(int, string), got bool (F-78 line 6)",
    ),
    (
        "00 02",
        "02 1F 00 1C 08 03 1F 00",
        "incompatible in $: expected union(int, #0), got bool (F-78 line 6)",
    ),
    // struct C {x: int} into union(struct A {x: int}, int)
    (
        "00 19 04 43 08 04 78 03",
        "00 1C 08 19 04 41 08 04 78 03 03",
        "incompatible in $: expected union(struct A {x: int}, int), got struct C {x: int} (F-78 line 6)",
    ),
    // for the struct with the same name: struct A {x: int} into union(struct A {x: string}, int)
    (
        "00 19 04 41 08 04 78 03",
        "00 1C 08 19 04 41 08 04 78 12 03",
        "incompatible in $.x: expected string, got int (F-78: no line fits)",
    ),
    // 7: union {A: int} into union {B: int} and union {A: string}
    (
        "00 1C 06 04 41 03",
        "00 1C 06 04 42 03",
        "incompatible in $: expected union {B: int}, got union {A: int} (F-78 line 7)",
    ),
    (
        "00 1C 06 04 41 03",
        "00 1C 06 04 41 12",
        "incompatible in $: expected union {A: string}, got union {A: int} (F-78 line 7)",
    ),
    // a named union and another type
    (
        "00 1C 06 04 41 03",
        "00 03",
        "incompatible in $: expected int, got union {A: int} (F-78: no line fits)",
    ),
    // 8: tuple(unknown[E0]), tuple(int)
    (
        "00 18 02 E0 00",
        "00 18 02 03",
        "incompatible in $[0]: expected int, got unknown[E0] (F-78: no line fits)",
    ),
    // 9 to 11: extensions of two names; extension "a"(string), int; int, extension "a"(string)
    (
        "00 23 04 61 03",
        "00 23 04 62 03",
        "incompatible in $: expected extension \"b\"(int), got extension \"a\"(int) (F-78: no line fits)",
    ),
    ("00 23 04 61 12", "00 03", "incompatible in $: expected int, got string (F-78: no line fits)"),
    ("00 03", "00 23 04 61 12", "incompatible in $: expected string, got int (F-78: no line fits)"),
    // 12 and 13: date(int), duration[s](int); 14 and 15: date(int), string; string, date(int)
    (
        "00 22 01 00 03",
        "00 22 04 02 00 03",
        "incompatible in $: expected duration[s](int), got date(int) (F-78: no line fits)",
    ),
    ("00 22 01 00 03", "00 12", "incompatible in $: expected string, got int (F-78: no line fits)"),
    ("00 12", "00 22 01 00 03", "incompatible in $: expected int, got string (F-78: no line fits)"),
    // 14 and 15 for a record that is not a time of two fields: record {secs: int}, duration[ns](int), and back
    (
        "00 1A 08 10 73 65 63 73 03",
        "00 22 04 02 03 03",
        "incompatible in $: expected int, got record {secs: int} (F-78: no line fits)",
    ),
    (
        "00 22 04 02 03 03",
        "00 1A 08 10 73 65 63 73 03",
        "incompatible in $: expected record {secs: int}, got int (F-78: no line fits)",
    ),
    // 16 to 19: string, bytes; f64, i64; null, bool
    ("00 12", "00 13", "incompatible in $: expected bytes, got string (F-78: no line fits)"),
    ("00 11", "00 0C", "incompatible in $: expected i64, got f64 (F-78: no line fits)"),
    ("00 01", "00 02", "incompatible in $: expected bool, got null (F-78: no line fits)"),
    // 20: fixed(2), fixed(3)
    ("00 14 04", "00 14 06", "incompatible in $: expected fixed(3), got fixed(2) (F-78 line 20)"),
    // 21: tensors of fixed(2) and fixed(3), of bool and u8
    (
        "00 1D 14 04",
        "00 1D 14 06",
        "incompatible in $: expected tensor(fixed(3)), got tensor(fixed(2)) (F-78 line 21)",
    ),
    ("00 1D 02", "00 1D 04", "incompatible in $[]: expected u8, got bool (F-78: no line fits)"),
    // 22: array(2, u8), array(3, u8); fixed(2), array(3, u8); tuple(u8, u8), tuple(u8); tuple(u8, string), list(u8);
    // list(fixed(2)), tensor(fixed(2)); string, list(u8)
    (
        "00 17 04 04",
        "00 17 06 04",
        "incompatible in $: expected array(3, u8), got array(2, u8) (F-78 line 22)",
    ),
    (
        "00 14 04",
        "00 17 06 04",
        "incompatible in $: expected array(3, u8), got fixed(2) (F-78 line 22)",
    ),
    (
        "00 18 04 04 04",
        "00 18 02 04",
        "incompatible in $: expected tuple(u8), got tuple(u8, u8) (F-78 line 22)",
    ),
    (
        "00 18 04 04 12",
        "00 16 04",
        "incompatible in $[1]: expected u8, got string (F-78: no line fits)",
    ),
    (
        "00 16 14 04",
        "00 1D 14 04",
        "incompatible in $: expected tensor(fixed(2)), got list(fixed(2)) (F-78: no line fits)",
    ),
    ("00 12", "00 16 04", "incompatible in $: expected list(u8), got string (F-78: no line fits)"),
    // 23: list(record {a: string}), list(record {a: list(u8)}); map(int, int), record {a: int}
    (
        "00 16 1A 08 04 61 12",
        "00 16 1A 08 04 61 16 04",
        "incompatible in $[].a: expected list(u8), got string (F-78: no line fits)",
    ),
    (
        "00 1B 03 03",
        "00 1A 08 04 61 03",
        "incompatible in $: expected record {a: int}, got map(int, int) (F-78: no line fits)",
    ),
    // 24: record {a: int}, map(int, int) and map(string, string)
    (
        "00 1A 08 04 61 03",
        "00 1B 03 03",
        "incompatible in $: expected map(int, int), got record {a: int} (F-78: no line fits)",
    ),
    (
        "00 1A 08 04 61 03",
        "00 1B 12 12",
        "incompatible in $.a: expected string, got int (F-78: no line fits)",
    ),
    // 25: map(string, int), map(int, int) and map(string, string)
    (
        "00 1B 12 03",
        "00 1B 03 03",
        "incompatible in $[].key: expected int, got string (F-78: no line fits)",
    ),
    (
        "00 1B 12 03",
        "00 1B 12 12",
        "incompatible in $[]: expected string, got int (F-78: no line fits)",
    ),
    // F-79: list(struct P {x: int}), list(struct P {x: int, z: u8})
    (
        "00 16 19 04 50 08 04 78 03",
        "00 16 19 04 50 10 04 78 03 04 7A 04",
        "missing_field in $[].z: expected a field \"z\" of type u8, or a default for it, \
         got struct P {x: int} (F-79)",
    ),
];

/// The rule at the end of a text.
fn rule_of(text: &str) -> &str {
    let (_, rule) = text.rsplit_once(" (").unwrap();
    rule.strip_suffix(')').unwrap().split(':').next().unwrap()
}

fn never(reads: &Reads) -> Error {
    match reads {
        Reads::Never(error) => error.clone(),
        reads => panic!("{reads}"),
    }
}

#[test]
fn incompatible_schemas_name_path_types_and_rule() {
    for (writer, reader, text) in AT_RESOLUTION {
        let (writer, reader) = (schema(writer), schema(reader));
        let error = Resolver::new(reader.clone()).plan(&writer).unwrap_err();
        assert_eq!(error.to_string(), *text);
        assert_eq!(error.rule(), Some(rule_of(text)));
        // A diff gives the same reason.
        assert_eq!(
            never(&holdall::Diff::between(&writer, &reader).new_reads_old).to_string(),
            *text
        );
        assert_eq!(error.clone().rule(), error.rule());
    }
}

#[test]
fn unknown_fields_name_path_types_and_rule() {
    // list(struct P {x: int, y: string}), list(struct P {x: int})
    let writer = schema("00 16 19 04 50 10 04 78 03 04 79 12");
    let resolver = Resolver::new(schema("00 16 19 04 50 08 04 78 03")).deny_unknown_fields(true);
    let error = resolver.plan(&writer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown_field in $[].y: expected only fields of struct P {x: int}, got \"y\" of type string (F-79)"
    );
    assert_eq!(error.rule(), Some("F-79"));
}

#[test]
fn a_default_that_does_not_fit_names_the_rule() {
    let resolver = Resolver::new(schema("00 1A 08 04 61 17 06 04"))
        .default(Field::of_record("a"), Value::tuple([Value::U8(1), Value::U8(2)]));
    let error = resolver.plan(&schema_of(&Value::record::<&str>([]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "incompatible in $.a: expected array(3, u8), got tuple(u8, u8) (F-78 line 22)"
    );
}

#[test]
fn an_error_comes_before_any_value() {
    // A list without items, and one whose first items would fit: the types alone decide.
    for value in [Value::list([]), Value::list([Value::from(1), Value::from("x")])] {
        let message = to_vec(&Value::record([("never", Value::list([value]))])).unwrap();
        let error = from_slice::<Never>(&message).unwrap_err();
        assert_eq!((error.code(), error.rule()), (Code::MissingField, Some("F-79")));
    }
}

#[derive(Debug, Decode)]
#[allow(dead_code)]
struct Never {
    never: Vec<Vec<u8>>,
    more: u8,
}

// Versions of structs

mod v1 {
    #[derive(holdall::Encode, holdall::Decode)]
    pub struct User {
        pub name: String,
        pub pin: [u8; 4],
    }
}

#[derive(Debug, Encode, Decode)]
#[holdall(version = 2, upgrade(1 = "User::new"))]
struct User {
    names: Vec<String>,
    pin: [u8; 4],
}

impl User {
    fn new(old: v1::User) -> User {
        User { names: vec![old.name], pin: old.pin }
    }
}

#[test]
fn an_older_version_is_compared_with_the_type_of_its_time() {
    mod other {
        #[derive(holdall::Encode)]
        pub struct User {
            pub name: String,
            pub pin: [u8; 6],
        }

        #[derive(holdall::Encode)]
        #[holdall(version = 2)]
        pub struct Later {
            pub names: u8,
        }
    }
    let old = other::User { name: "Ada".into(), pin: [0; 6] };
    let error = from_slice::<Vec<User>>(&to_vec(&[old]).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "incompatible in $[].pin: expected array(4, u8), got array(6, u8) (F-78 line 22)"
    );
    // An unlisted version is compared with the current one.
    let error = from_slice::<User>(&to_vec(&other::Later { names: 1 }).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "incompatible in $.names: expected list(string), got u8 (F-78: no line fits)"
    );
}

// Rows

/// A message, the reader's schema, and the error.
const AT_A_ROW: &[(&str, &str, &str)] = &[
    // list(option(int)) of 1 and none, list(int)
    (
        "C1 10 16 15 03 04 01 14",
        "00 16 03",
        "unconvertible in $[1]: expected int, got null of type null (F-78 line 3)",
    ),
    // list(union(int, string)) of 1 and "a", list(int)
    (
        "C1 10 16 1C 08 03 12 04 00 02 04 02 61",
        "00 16 03",
        "unconvertible in $[1]: expected int, got a value of type string (F-78 line 4)",
    ),
    // union {Red: null, Some: null} of Red, option(option(u8))
    (
        "C1 10 1C 0A 0C 52 65 64 01 10 53 6F 6D 65 01 00",
        "00 15 15 04",
        "unconvertible in $: expected option(u8), got a value of type union {Red: null, Some: null} (F-78 line 5)",
    ),
    // list(option(union(union {Some: null}, u8))) of 1 and Some, list(option(u8))
    (
        "C1 10 16 15 1C 08 1C 06 10 53 6F 6D 65 01 04 04 03 02 00 01",
        "00 16 15 04",
        "unconvertible in $[1]: expected option(u8), got a value of type union {Some: null} (F-78 line 4)",
    ),
    // list(union {A: int, B: null}) of A(10) and B, list(union {A: int})
    (
        "C1 10 16 1C 0A 04 41 03 04 42 01 04 00 02 14",
        "00 16 1C 06 04 41 03",
        "unconvertible in $[1]<B>: expected union {A: int}, got a value of type union {A: int, B: null} (F-78 line 7)",
    ),
    // record {nanos: i32, secs: int} of -1 and 1, duration[ns](int)
    (
        "C1 10 1A 10 14 6E 61 6E 6F 73 0B 10 73 65 63 73 03 02 04",
        "00 22 04 02 03 03",
        "unconvertible in $: expected duration[ns](int), got a value of type record {nanos: i32, secs: int} (F-78 line 15)",
    ),
    // duration[us](int) of 1, struct D {secs: int, nanos: u8}
    (
        "C1 10 22 04 02 02 03 04",
        "00 19 04 44 10 10 73 65 63 73 03 14 6E 61 6E 6F 73 04",
        "unconvertible in $: expected struct D {secs: int, nanos: u8}, got 1 of type duration[us](int) (F-78 line 14)",
    ),
    // list(record {secs: int, nanos: u8}) of 4 rows in an encoding of a later version, list(duration[ns](int)), and back
    (
        "C1 10 16 1A 10 10 73 65 63 73 03 14 6E 61 6E 6F 73 04 08 E0 02 2A 00",
        "00 16 22 04 02 03 03",
        "unconvertible in $[0]: expected duration[ns](int), got a value that this version does not know (F-77)",
    ),
    (
        "C1 10 16 22 04 02 03 03 08 E0 02 2A",
        "00 16 1A 10 10 73 65 63 73 03 14 6E 61 6E 6F 73 04",
        "unconvertible in $[0]: expected record {secs: int, nanos: u8}, got a value that this version does not know (F-77)",
    ),
];

#[test]
fn a_row_that_does_not_fit_names_the_line() {
    for (message, reader, text) in AT_A_ROW {
        let error = Resolver::new(schema(reader)).read(&hex(message)).unwrap_err();
        assert_eq!(error.to_string(), *text);
        assert_eq!(error.rule(), Some(rule_of(text)));
    }
}

#[test]
fn numbers_and_lengths_name_their_lines() {
    let fault = |value: &Value, reader: &str| {
        let error = Resolver::new(schema(reader)).convert(value).unwrap_err();
        format!("{error}")
    };
    let list = Value::list([Value::from(1), Value::from(-300)]);
    assert_eq!(
        fault(&list, "00 16 04"),
        "unconvertible in $[1]: expected u8, got -300 of type int (F-78 line 17)"
    );
    assert_eq!(
        fault(&list, "00 17 06 03"),
        "unconvertible in $: expected array(3, int), got 2 items of type list(int) (F-78 line 22)"
    );
    assert_eq!(
        fault(&Value::from((1_i64 << 53) + 1), "00 11"),
        "unconvertible in $: expected f64, got 9007199254740993 of type int (F-78 line 18)"
    );
    assert_eq!(
        fault(&Value::from(0.1), "00 10"),
        "unconvertible in $: expected f32, got 0.1 of type f64 (F-78 line 19)"
    );
    // duration[ms](int) of -1500, duration[s](int)
    let message = hex("C1 10 22 04 02 01 03 DD 2E");
    let error = Resolver::new(schema("00 22 04 02 00 03")).read(&message).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unconvertible in $: expected int, a multiple of 1000, got -1500 of type int (F-78 line 13)"
    );
}

#[test]
fn other_errors_name_no_rule() {
    assert_eq!(from_slice::<Value>(b"{}").unwrap_err().rule(), None);
    assert_eq!(Schema::from_bytes(&hex("00 3F")).unwrap_err().rule(), None);
}
