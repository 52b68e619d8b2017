//! MessagePack: the examples of its spec, the limits of each form, and rejected inputs.

use holdall::value::{Extension, Logical, Variant};
use holdall::{Code, LogicalType, Tensor, Value};
use holdall_convert::Format::Msgpack;

use super::bytes::{are_refused, come_back, hex, read, write};

#[test]
fn values_come_back() {
    come_back(
        Msgpack,
        &[
            // The spec's own example: {"compact": true, "schema": 0}.
            (
                "82 A7 63 6F 6D 70 61 63 74 C3 A6 73 63 68 65 6D 61 00",
                r#"{"compact": true, "schema": 0}"#,
                "",
            ),
            ("C0", "null", ""),
            ("C2", "false", ""),
            ("C3", "true", ""),
            // Integers, at the limits of each form, and in longer forms than needed.
            ("00", "0", ""),
            ("7F", "127", ""),
            ("CC 80", "128", ""),
            ("CC FF", "255", ""),
            ("CD 01 00", "256", ""),
            ("CD FF FF", "65535", ""),
            ("CE 00 01 00 00", "65536", ""),
            ("CE FF FF FF FF", "4294967295", ""),
            ("CF 00 00 00 01 00 00 00 00", "4294967296", ""),
            ("CF 7F FF FF FF FF FF FF FF", "9223372036854775807", ""),
            ("CF 80 00 00 00 00 00 00 00", "0x008000000000000000int", ""),
            ("CF FF FF FF FF FF FF FF FF", "0x00ffffffffffffffffint", ""),
            ("FF", "-1", ""),
            ("E0", "-32", ""),
            ("D0 DF", "-33", ""),
            ("D0 80", "-128", ""),
            ("D1 FF 7F", "-129", ""),
            ("D1 80 00", "-32768", ""),
            ("D2 FF FF 7F FF", "-32769", ""),
            ("D2 80 00 00 00", "-2147483648", ""),
            ("D3 FF FF FF FF 7F FF FF FF", "-2147483649", ""),
            ("D3 80 00 00 00 00 00 00 00", "-9223372036854775808", ""),
            ("CC 01", "1", "01"),
            ("CF 00 00 00 00 00 00 00 01", "1", "01"),
            ("D3 00 00 00 00 00 00 00 01", "1", "01"),
            ("D3 FF FF FF FF FF FF FF FF", "-1", "FF"),
            // Floats keep their width and bits.
            ("CA 3F C0 00 00", "1.5f32", ""),
            ("CA 80 00 00 00", "-0.0f32", ""),
            ("CA 7F 80 00 00", "inff32", ""),
            ("CA 7F A0 00 01", "NaNf32", ""),
            ("CB 3F F8 00 00 00 00 00 00", "1.5", ""),
            ("CB 7F F4 00 00 00 00 00 01", "NaN", ""),
            // Strings and byte strings.
            ("A0", r#""""#, ""),
            ("A3 61 C3 A4", r#""aä""#, ""),
            ("D9 01 61", r#""a""#, "A1 61"),
            ("DA 00 01 61", r#""a""#, "A1 61"),
            ("DB 00 00 00 01 61", r#""a""#, "A1 61"),
            ("C4 00", r#"b"""#, ""),
            ("C4 02 61 FF", r#"b"a\xff""#, ""),
            ("C5 00 01 61", r#"b"a""#, "C4 01 61"),
            ("C6 00 00 00 01 61", r#"b"a""#, "C4 01 61"),
            // Arrays and maps.
            ("90", "[]", ""),
            ("93 01 C0 A1 61", r#"[1, null, "a"]"#, ""),
            ("92 01 92 02 03", "[1, [2, 3]]", ""),
            ("DC 00 01 01", "[1]", "91 01"),
            ("DD 00 00 00 01 01", "[1]", "91 01"),
            ("80", "{}", ""),
            ("81 A1 61 81 A1 62 01", r#"{"a": {"b": 1}}"#, ""),
            ("DE 00 01 A1 61 01", r#"{"a": 1}"#, "81 A1 61 01"),
            ("DF 00 00 00 01 A1 61 01", r#"{"a": 1}"#, "81 A1 61 01"),
            ("82 01 A1 61 A1 31 02", r#"map {1: "a", "1": 2}"#, ""),
            ("82 90 01 91 90 02", "map {[]: 1, [[]]: 2}", ""),
            ("82 CA 00 00 00 00 01 CA 80 00 00 00 02", "map {0.0f32: 1, -0.0f32: 2}", ""),
            // Timestamps of 32, 64 and 96 bits.
            ("D6 FF 00 00 00 00", "timestamp[ns, utc](0)", ""),
            ("D6 FF FF FF FF FF", "timestamp[ns, utc](4294967295000000000)", ""),
            ("D7 FF 00 00 00 01 00 00 00 00", "timestamp[ns, utc](4294967296000000000)", ""),
            ("D7 FF EE 6B 27 FC 00 00 00 00", "timestamp[ns, utc](999999999)", ""),
            ("D7 FF EE 6B 27 FF FF FF FF FF", "timestamp[ns, utc](0x00ee6b27ffffffffffint)", ""),
            ("C7 0C FF 3B 9A C9 FF FF FF FF FF FF FF FF FF", "timestamp[ns, utc](-1)", ""),
            (
                "C7 0C FF 00 00 00 00 00 00 00 00 00 00 00 00",
                "timestamp[ns, utc](0)",
                "D6 FF 00 00 00 00",
            ),
            (
                "D7 FF 00 00 00 00 00 00 00 07",
                "timestamp[ns, utc](7000000000)",
                "D6 FF 00 00 00 07",
            ),
            // Other extensions.
            ("D4 01 AA", r#"extension "msgpack.ext" ((1i8, b"\xaa"))"#, ""),
            ("D5 80 AA BB", r#"extension "msgpack.ext" ((-128i8, b"\xaa\xbb"))"#, ""),
            ("C7 00 05", r#"extension "msgpack.ext" ((5i8, b""))"#, ""),
            ("C7 03 05 01 02 03", r#"extension "msgpack.ext" ((5i8, b"\x01\x02\x03"))"#, ""),
            ("C8 00 01 05 01", r#"extension "msgpack.ext" ((5i8, b"\x01"))"#, "D4 05 01"),
            ("C9 00 00 00 01 05 01", r#"extension "msgpack.ext" ((5i8, b"\x01"))"#, "D4 05 01"),
        ],
    );
}

#[test]
fn the_first_and_last_timestamps_survive() {
    for input in [
        "C7 0C FF 3B 9A C9 FF 7F FF FF FF FF FF FF FF",
        "C7 0C FF 00 00 00 00 80 00 00 00 00 00 00 00",
    ] {
        let value = read(Msgpack, &hex(input)).unwrap();
        assert_eq!(write(Msgpack, &value).unwrap(), hex(input));
    }
}

#[test]
fn lengths_at_the_limits_of_each_form_survive() {
    for len in [31, 32, 255, 256, 65_535, 65_536] {
        let string = Value::from("x".repeat(len));
        let bytes = Value::Bytes(vec![7; len]);
        let list = Value::list((0..len as i64).map(Value::from));
        let record = Value::record((0..len).map(|key| (format!("k{key}"), Value::Null)));
        for value in [string, bytes, list, record] {
            let bytes = write(Msgpack, &value).unwrap();
            assert!(read(Msgpack, &bytes).unwrap() == value, "{len}");
        }
    }
}

#[test]
fn bytes_that_are_no_value_are_rejected() {
    are_refused(
        Msgpack,
        &[
            ("", "bad_input at offset 0 in $: expected a value, got the end of the input"),
            (
                "C1",
                "bad_input at offset 0 in $: expected a value, got C1, which MessagePack does not use",
            ),
            (
                "92 01",
                "bad_input at offset 0 in $: expected 2 or more bytes of an array, got the end of the input after 1 bytes",
            ),
            (
                "92 01 CD 01",
                "bad_input at offset 2 in $[1]: expected 2 or more bytes of a number, got the end of the input after 1 bytes",
            ),
            (
                "91 A3 61 62",
                "bad_input at offset 1 in $[0]: expected 3 or more bytes of a string, got the end of the input after 2 bytes",
            ),
            (
                "C6 FF FF FF FF 61",
                "bad_input at offset 0 in $: expected 4294967295 or more bytes of a byte string, got the end of the input after 1 bytes",
            ),
            (
                "DF FF FF FF FF 61",
                "bad_input at offset 0 in $: expected 8589934590 or more bytes of a map, got the end of the input after 1 bytes",
            ),
            (
                "C9 FF FF FF FF 61",
                "bad_input at offset 0 in $: expected 4294967296 or more bytes of an extension, got the end of the input after 1 bytes",
            ),
            (
                "81 A1 61 A2 61 FF",
                "bad_input at offset 5 in $.a: expected UTF-8 in a string; other bytes go into a byte string, got FF",
            ),
            (
                "81 A1 FF 01",
                "bad_input at offset 2 in $[0].key: expected UTF-8 in a string; other bytes go into a byte string, got FF",
            ),
            (
                "A2 E2 82",
                "bad_input at offset 1 in $: expected UTF-8 in a string; other bytes go into a byte string, got the string's end within a character",
            ),
            (
                "D6 05 00 00 00 00 00",
                "bad_input at offset 6 in $: expected the end of the input, got 00; one input is one value",
            ),
            (
                "D5 FF 00 00",
                "bad_input at offset 0 in $: expected a timestamp of 4, 8 or 12 bytes, got 2: 00 00",
            ),
            (
                "D7 FF EE 6B 28 00 00 00 00 00",
                "bad_input at offset 0 in $: expected a timestamp with less than 1000000000 nanoseconds, got 1000000000",
            ),
            (
                "01 02",
                "bad_input at offset 1 in $: expected the end of the input, got 02; one input is one value",
            ),
            (
                "82 A1 61 01 A1 61 02",
                "duplicate_key at offset 4 in $.a: expected each key once, got `a` twice",
            ),
            (
                "91 82 A1 61 01 D9 01 61 02",
                "duplicate_key at offset 5 in $[0].a: expected each key once, got `a` twice",
            ),
            (
                "82 01 A1 61 CC 01 A1 62",
                "duplicate_key at offset 4 in $[1].key: expected each key once, got 1 twice",
            ),
            (
                "82 C0 01 C0 02",
                "duplicate_key at offset 3 in $[1].key: expected each key once, got null twice",
            ),
            (
                "83 A1 61 01 01 02 A1 61 03",
                "duplicate_key at offset 6 in $[2].key: expected each key once, got `a` twice",
            ),
            (
                "82 C4 01 AB 01 C4 01 AB 02",
                "duplicate_key at offset 5 in $[1].key: expected each key once, got AB twice",
            ),
        ],
    );
}

fn logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Value::from(Logical::new(LogicalType::new(kind, parameters).unwrap(), storage))
}

fn refused(value: Value) -> String {
    let error = write(Msgpack, &Value::record([("a", value)])).unwrap_err();
    assert_eq!(error.code(), Code::Unrepresentable);
    assert_eq!(error.path().split(['[', '<']).next(), Some("$.a"), "{error}");
    error.to_string().split_once(": ").unwrap().1.to_owned()
}

#[test]
fn unrepresentable_values_are_rejected() {
    let big = |bytes: &[u8]| Value::from(holdall::BigInt::from_le_bytes(bytes).unwrap());
    let integer = "expected an integer of 64 bits, because MessagePack has no larger ones; store a string instead, got ";
    assert_eq!(
        refused(big(&[0, 0, 0, 0, 0, 0, 0, 0, 1])),
        format!("{integer}`18446744073709551616`")
    );
    assert_eq!(
        refused(big(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF])),
        format!("{integer}`-9223372036854775809`")
    );
    assert_eq!(refused(Value::U128(Box::new(u128::MAX))), format!("{integer}`{}`", u128::MAX));
    assert_eq!(
        refused(Tensor::of([2], &[1.0_f64, 2.0]).unwrap().into()),
        "expected a list in place of a tensor, got a tensor"
    );
    assert_eq!(
        refused(Value::Variant(Variant::new("X", Value::Null))),
        "expected a value of a type that the format has, got variant X"
    );
    assert_eq!(
        refused(logical(LogicalType::DATE, &[], Value::from(1))),
        "expected a value of a type that the format has, got one of type date"
    );
    assert_eq!(
        refused(logical(LogicalType::TIMESTAMP, &[3, 0], Value::from(1))),
        "expected a value of a type that the format has, got one of type timestamp[ns, local]"
    );
    assert_eq!(
        refused(Extension::new("py.deque", Value::Null).into()),
        "expected a value of a type that the format has, got one of the extension \"py.deque\""
    );
    assert_eq!(
        refused(Extension::new("msgpack.ext", Value::Null).into()),
        "expected tuple(i8, bytes) in the extension \"msgpack.ext\", got another value"
    );
    let ext =
        |ty| Extension::new("msgpack.ext", Value::tuple([Value::I8(ty), Value::Bytes(vec![0; 4])]));
    assert_eq!(
        refused(ext(-1).into()),
        "expected an extension type other than -1, which is for timestamps, got -1; store a timestamp instead"
    );
    // Two keys that are equal there.
    let map = Value::map([(Value::from(1), Value::Null), (Value::U8(1), Value::Null)]);
    assert_eq!(refused(map), "expected keys that stay distinct in this format, got 01 twice");
    let seconds = |seconds: i128| {
        let bytes = seconds.to_le_bytes();
        let value =
            holdall::BigInt::from_le_bytes(&bytes).map_or(Value::from(seconds as i64), Value::from);
        logical(LogicalType::TIMESTAMP, &[0, 1], value)
    };
    assert_eq!(
        refused(seconds(1 << 63)),
        "expected a timestamp of 64 bits of seconds, got 9223372036854775808 seconds"
    );
    assert!(write(Msgpack, &seconds(i128::from(i64::MIN))).is_ok());
}

#[test]
fn the_nearest_form_keeps_the_value() {
    for (value, bytes) in [
        (Value::U8(200), "CC C8"),
        (Value::I8(-1), "FF"),
        (Value::U64(u64::MAX), "CF FF FF FF FF FF FF FF FF"),
        (Value::U128(Box::new(5)), "05"),
        (Value::I128(Box::new(-5)), "FB"),
        (Value::F16(holdall::f16::from_f32(1.5)), "CA 3F C0 00 00"),
        (Value::Bf16(holdall::bf16::from_f32(1.5)), "CA 3F C0 00 00"),
        (Value::Fixed(vec![1, 2]), "C4 02 01 02"),
        (Value::tuple([Value::from(1), Value::Null]), "92 01 C0"),
        (Value::Array(vec![Value::from(1)].into()), "91 01"),
        (logical(LogicalType::TIMESTAMP, &[0, 1], Value::from(7)), "D6 FF 00 00 00 07"),
        (
            logical(LogicalType::TIMESTAMP, &[1, 1], Value::from(-1)),
            "C7 0C FF 3B 8B 87 C0 FF FF FF FF FF FF FF FF",
        ),
        (logical(LogicalType::TIMESTAMP, &[2, 1], Value::I64(1_000_000)), "D6 FF 00 00 00 01"),
    ] {
        assert_eq!(write(Msgpack, &value).unwrap(), hex(bytes), "{value:?}");
    }
}
