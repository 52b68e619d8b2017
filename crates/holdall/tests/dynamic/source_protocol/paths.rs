//! The paths of errors in writing and reading.

use super::*;

fn duplicate() -> Value {
    record([("k", int(1)), ("k", int(2))])
}

#[test]
fn an_error_in_writing_has_its_path() {
    let users = |last: Value| {
        let user = |name: Value| record([("id", int(1)), ("name", name)]);
        record([("users", list([user(null()), user(int(1)), user(last)]))])
    };
    let unknown = || Value::Unknown;
    for (value, code, path) in [
        (unknown(), "unsupported_value", "$"),
        (duplicate(), "duplicate_key", "$"),
        (map([(int(1), null()), (int(1), null())]), "duplicate_key", "$"),
        (users(duplicate()), "duplicate_key", "$.users[2].name"),
        (users(unknown()), "unsupported_value", "$.users[2].name"),
        (users(map([(int(1), null()), (int(1), null())])), "duplicate_key", "$.users[2].name"),
        (
            users(map([(text("a"), null()), (text("a"), null())])),
            "duplicate_key",
            "$.users[2].name",
        ),
        (record([("odd name", unknown())]), "unsupported_value", "$[\"odd name\"]"),
        (tuple([null(), unknown()]), "unsupported_value", "$[1]"),
        (map([(int(1), null()), (int(2), unknown())]), "unsupported_value", "$[1]"),
        (map([(int(1), null()), (unknown(), null())]), "unsupported_value", "$[1].key"),
        (object("S", [("a", null()), ("b", unknown())]), "unsupported_value", "$.b"),
        (object("S", [("a", null()), ("b", null()), ("a", null())]), "duplicate_key", "$.a"),
        (list([object("S", [("b", duplicate())])]), "duplicate_key", "$[0].b"),
        (variant("V", unknown()), "unsupported_value", "$<V>"),
        (list([int(1), variant("V", duplicate())]), "duplicate_key", "$[1]<V>"),
    ] {
        let error = to_vec(&value).unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), (code, path), "{value:?}");
        assert_eq!(error.offset(), None);
    }
    // In a mapping that is stored as a map.
    let long: Vec<String> = (0..300).map(|key| key.to_string()).collect();
    let fields = long.iter().map(|key| (&**key, if key == "7" { unknown() } else { null() }));
    let error = to_vec(&record(fields)).unwrap_err();
    assert_eq!((error.code().as_str(), error.path()), ("unsupported_value", "$[7]"));
}

#[test]
fn an_error_inside_the_newer_containers_has_its_path() {
    for (value, path) in [
        (array([null(), duplicate()]), "$[1]"),
        (logical(LogicalType::SET, list([null(), duplicate()])), "$[1]"),
        (record([("a", logical(0xE0, record([("b", duplicate())])))]), "$.a.b"),
        (extension("e", record([("b", duplicate())])), "$.b"),
        (tuple((0..8).map(int).chain([duplicate()])), "$[8]"),
        (logical(LogicalType::ORDERED_MAP, duplicate()), "$"),
        (list([int(1), logical(LogicalType::ORDERED_MAP, duplicate())]), "$[1]"),
    ] {
        let error = to_vec(&value).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::DuplicateKey, path), "{value:?}");
    }
}

#[test]
fn an_error_in_reading_has_its_path() {
    for users in [3, 5, 20] {
        let user = |id: usize| record([("id", int(id as i64)), ("name", text("x"))]);
        let mut bytes = to_vec(&record([("users", list((0..users).map(user)))])).unwrap();
        // The names come last, and the last byte is the last name.
        *bytes.last_mut().unwrap() = 0xFF;
        let error = holdall::from_slice::<Value>(&bytes).unwrap_err();
        assert_eq!(error.code(), Code::InvalidUtf8);
        assert_eq!(error.path(), format!("$.users[{}].name", users - 1));
    }
    for (bytes, fault) in [
        ("C1 10 12 02 FF", "invalid_utf8 @ 4 in $"),
        ("C1 10 1A 10 04 61 01 04 62 00", "never_has_rows @ 10 in $.b"),
        ("C1 10 18 04 01 1A 08 04 61 05 03 00 08", "int_out_of_range @ 10 in $[1].a"),
    ] {
        let error = holdall::from_slice::<Value>(&hex(bytes)).unwrap_err();
        let offset = error.offset().unwrap();
        assert_eq!(format!("{} @ {offset} in {}", error.code(), error.path()), fault, "{error}");
    }
}
