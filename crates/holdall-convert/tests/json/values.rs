//! Texts, and what they become through holdall and back.

use holdall::{Code, Shared, Value};
use holdall_convert::json::{pack, unpack};

/// A text; what comes back if that differs.
const TEXTS: &[(&str, &str)] = &[
    // Scalars.
    ("null", ""),
    ("true", ""),
    ("false", ""),
    (" \t\r\n null \t\r\n ", "null"),
    // Integers are exact at any length.
    ("0", ""),
    ("1", ""),
    ("-1", ""),
    ("9223372036854775807", ""),
    ("-9223372036854775808", ""),
    ("9223372036854775808", ""),
    ("-9223372036854775809", ""),
    ("18446744073709551615", ""),
    ("18446744073709551616", ""),
    ("170141183460469231731687303715884105727", ""),
    ("170141183460469231731687303715884105728", ""),
    ("-170141183460469231731687303715884105728", ""),
    ("-170141183460469231731687303715884105729", ""),
    ("100000000000000000000000000000000000000000000000000000000000", ""),
    ("[1,128,32768,2147483648,9223372036854775808,-9223372036854775809,0]", ""),
    // Floats are the nearest f64, written in the fewest digits, and stay floats.
    ("1.0", ""),
    ("1.00", "1.0"),
    ("10e-1", "1.0"),
    ("1E+2", "100.0"),
    ("0.0", ""),
    ("-0.0", ""),
    ("-0", "-0.0"),
    ("-0e0", "-0.0"),
    ("0e999999999999999999999", "0.0"),
    ("0.000e-999999999999999999999", "0.0"),
    ("0.1", ""),
    ("0.1000000000000000055511151231257827", "0.1"),
    ("0.30000000000000004", ""),
    ("9007199254740993.0", "9007199254740992.0"),
    ("5e-324", ""),
    ("2.5e-324", "5e-324"),
    ("2.2250738585072014e-308", ""),
    ("2.2250738585072011e-308", "2.225073858507201e-308"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"),
    (
        "1.7976931348623158079372897140530341507993413271003782693617377898044e308",
        "1.7976931348623157e+308",
    ),
    ("1e23", "1e+23"),
    ("8.41E21", "8.41e+21"),
    ("-1.5e-10", ""),
    // Halfway between two floats, to the even one; and with one digit more, far beyond what a shortcut can read.
    ("1.00000000000000011102230246251565404236316680908203125", "1.0"),
    ("1.00000000000000011102230246251565404236316680908203124", "1.0"),
    ("1.00000000000000011102230246251565404236316680908203126", "1.0000000000000002"),
    // Strings.
    (r#""""#, ""),
    (r#""a""#, ""),
    (r#""\"\\\/\b\f\n\r\t""#, r#""\"\\/\b\f\n\r\t""#),
    (r#""\u0000\u001f\u0020\u007f""#, "\"\\u0000\\u001f \u{7f}\""),
    (r#""\u00e4\u20AC\ud83d\ude00""#, "\"ä€😀\""),
    ("\"ä€😀\u{2028}\u{2029}\"", ""),
    (r#""sixteen bytes ok and then \" a quote""#, ""),
    (r#"["","a\n","b","\n",""]"#, ""),
    // Arrays.
    ("[]", ""),
    ("[ ]", "[]"),
    ("[[],[[]],[1]]", ""),
    ("[1,2,3,4,5]", ""),
    ("[1,null,\"a\",true,1.5,[],{},null]", ""),
    ("[1,1.0,1,1.0,1,1.0]", ""),
    // Objects keep the order of their keys.
    ("{}", ""),
    ("{ }", "{}"),
    (r#"{"a":1}"#, ""),
    (" { \"b\" : 1 , \"a\" : 2 } ", r#"{"b":1,"a":2}"#),
    (r#"{"":0," ":1,"ä":2,"a\"b":3,"\n":4}"#, ""),
    (r#"{"\u0061":1,"\n":{"\n":2}}"#, r#"{"a":1,"\n":{"\n":2}}"#),
    (r#"[{"a":1,"b":2},{"b":3,"a":4},{"c":5},{}]"#, ""),
    (r#"[{"a":1},{"a":null},{"a":"x"},{"a":[1]},{"a":{"a":{"a":2}}}]"#, ""),
    (r#"{"a":{"b":[{"c":[]},{"c":[{"d":-0.5}]}]}}"#, ""),
    (r#"{"v":1,"next":{"v":2,"next":{"v":3,"next":null}}}"#, ""),
];

#[test]
fn texts_survive() {
    for (text, back) in TEXTS {
        let back = if back.is_empty() { text } else { back };
        let message = pack(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let unpacked = unpack(&message).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(String::from_utf8_lossy(&unpacked), *back, "{text}");
    }
}

#[test]
fn more_keys_than_a_record_can_have_survive() {
    for count in [255, 256, 257, 5000] {
        let entries: Vec<String> = (0..count).map(|key| format!("\"k{key}\":{key}")).collect();
        let text = format!("[{{{}}},{{}},{{\"k1\":\"one\"}}]", entries.join(","));
        let message = pack(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&unpack(&message).unwrap()), text);
    }
}

#[test]
fn many_shapes_survive() {
    let rows: Vec<String> = (0..400)
        .map(|row| {
            let keys = (0..9).filter(|key| row >> key & 1 == 1);
            let entries: Vec<String> = keys.map(|key| format!("\"k{key}\":{row}")).collect();
            format!("{{{}}}", entries.join(","))
        })
        .collect();
    let text = format!("[{}]", rows.join(","));
    let message = pack(text.as_bytes()).unwrap();
    assert_eq!(String::from_utf8_lossy(&unpack(&message).unwrap()), text);
}

#[test]
fn integers_take_the_bytes_of_the_spec() {
    // Worked examples of the spec, chapters 3 and 4.
    assert_eq!(pack(br#"{"a": 1}"#).unwrap(), b"\xC1\x10\x1A\x08\x04a\x03\x04");
    assert_eq!(
        pack(br#"[{"id": 5}, {"id": null}]"#).unwrap(),
        b"\xC1\x10\x16\x1A\x08\x08id\x15\x03\x04\x01\x14",
    );
    // 2^63: the marker, big, its length of nine, and nine bytes in two's complement (F-29, F-6).
    assert_eq!(
        pack(b"9223372036854775808").unwrap(),
        b"\xC1\x10\x03\x01\0\x44\x04\x09\0\0\0\0\0\0\0\x80\0",
    );
}

/// JSON has no identity, and copies could be infinite or very many.
#[test]
fn back_references_are_rejected_at_their_place() {
    let shared = |value| Value::Shared(Shared::new(value));
    let list = shared(Value::list([Value::from(1)]));
    let twice = || [list.clone(), list.clone()];
    let ring = Shared::cyclic(|ring| {
        Value::record([("a", Value::from(1)), ("b", Value::list([Value::Weak(ring.clone())]))])
    });
    let double = (0..50).fold(Value::list([]), |value, _| {
        let value = shared(value);
        Value::list([value.clone(), value])
    });
    for (value, path) in [
        (Value::list(twice()), "$[1]"),
        (Value::record([("a", list.clone()), ("b", Value::list(twice()))]), "$.b[0]"),
        (
            Value::map([(Value::from("2024"), list.clone()), (Value::from("2025"), list.clone())]),
            "$[1]",
        ),
        (Value::Shared(ring), "$.b[0]"),
        (double, &format!("${}[1]", "[0]".repeat(49))),
    ] {
        let error = unpack(&holdall::to_vec(&value).unwrap()).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, path));
        let words = error.to_string();
        assert!(
            words.ends_with(
                "expected each value in one place, got one that is referenced from several places"
            ),
            "{words}"
        );
    }
    // Without identity there is nothing to reject.
    let tuple = shared(Value::tuple([Value::from(1), Value::from(2)]));
    let message = holdall::to_vec(&Value::list([tuple.clone(), tuple])).unwrap();
    assert_eq!(unpack(&message).unwrap(), b"[[1,2],[1,2]]");
    let message = holdall::to_vec(&Value::list([list])).unwrap();
    assert_eq!(unpack(&message).unwrap(), b"[[1]]");
}
