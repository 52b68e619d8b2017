//! CBOR: the examples of RFC 8949, appendix A, and rejected inputs.

use holdall::value::{Extension, Logical, Variant};
use holdall::{Code, LogicalType, Tensor, Value};
use holdall_convert::Format::Cbor;

use super::bytes::{are_refused, come_back, hex, read, write};

/// Appendix A, in its order.
#[test]
fn the_examples_of_the_rfc_survive() {
    let tag =
        |number: u64, content: &str| format!("extension \"cbor.tag\" (({number}u64, {content}))");
    let base16 = tag(23, r#"b"\x01\x02\x03\x04""#);
    let encoded = tag(24, r#"b"dIETF""#);
    let simple = |number: u8| format!("extension \"cbor.simple\" ({number}u8)");
    let [simple16, undefined, simple255] = [16, 23, 255].map(simple);
    let to_25 = format!("[{}]", (1..=25).map(|n| n.to_string()).collect::<Vec<_>>().join(", "));
    come_back(
        Cbor,
        &[
            ("00", "0", ""),
            ("01", "1", ""),
            ("0a", "10", ""),
            ("17", "23", ""),
            ("1818", "24", ""),
            ("1819", "25", ""),
            ("1864", "100", ""),
            ("1903e8", "1000", ""),
            ("1a000f4240", "1000000", ""),
            ("1b000000e8d4a51000", "1000000000000", ""),
            ("1bffffffffffffffff", "0x00ffffffffffffffffint", ""),
            ("c249010000000000000000", "0x010000000000000000int", ""),
            ("3bffffffffffffffff", "0xff0000000000000000int", ""),
            ("c349010000000000000000", "0xfeffffffffffffffffint", ""),
            ("20", "-1", ""),
            ("29", "-10", ""),
            ("3863", "-100", ""),
            ("3903e7", "-1000", ""),
            ("f90000", "0.0f16", ""),
            ("f98000", "-0.0f16", ""),
            ("f93c00", "1.0f16", ""),
            ("fb3ff199999999999a", "1.1", ""),
            ("f93e00", "1.5f16", ""),
            ("f97bff", "65504.0f16", ""),
            ("fa47c35000", "100000.0f32", ""),
            ("fa7f7fffff", "3.4028235e38f32", ""),
            ("fb7e37e43c8800759c", "1e300", ""),
            ("f90001", "5.9604645e-8f16", ""),
            ("f90400", "6.1035156e-5f16", ""),
            ("f9c400", "-4.0f16", ""),
            ("fbc010666666666666", "-4.1", ""),
            ("f97c00", "inff16", ""),
            ("f97e00", "NaNf16", ""),
            ("f9fc00", "-inff16", ""),
            ("fa7f800000", "inff32", ""),
            ("fa7fc00000", "NaNf32", ""),
            ("faff800000", "-inff32", ""),
            ("fb7ff0000000000000", "inf", ""),
            ("fb7ff8000000000000", "NaN", ""),
            ("fbfff0000000000000", "-inf", ""),
            ("f4", "false", ""),
            ("f5", "true", ""),
            ("f6", "null", ""),
            ("f7", &undefined, ""),
            ("f0", &simple16, ""),
            ("f8ff", &simple255, ""),
            (
                "c074323031332d30332d32315432303a30343a30305a",
                "timestamp[s, utc](1363896240)",
                "c11a514b67b0",
            ),
            ("c11a514b67b0", "timestamp[s, utc](1363896240)", ""),
            (
                "c1fb41d452d9ec200000",
                "timestamp[us, utc](1363896240500000)",
                "c076323031332d30332d32315432303a30343a30302e355a",
            ),
            ("d74401020304", &base16, ""),
            ("d818456449455446", &encoded, ""),
            (
                "d82076687474703a2f2f7777772e6578616d706c652e636f6d",
                r#"url("http://www.example.com")"#,
                "",
            ),
            ("40", r#"b"""#, ""),
            ("4401020304", r#"b"\x01\x02\x03\x04""#, ""),
            ("60", r#""""#, ""),
            ("6161", r#""a""#, ""),
            ("6449455446", r#""IETF""#, ""),
            ("62225c", r#""\"\\""#, ""),
            ("62c3bc", r#""ü""#, ""),
            ("63e6b0b4", r#""水""#, ""),
            ("64f0908591", r#""𐅑""#, ""),
            ("80", "[]", ""),
            ("83010203", "[1, 2, 3]", ""),
            ("8301820203820405", "[1, [2, 3], [4, 5]]", ""),
            ("98190102030405060708090a0b0c0d0e0f101112131415161718181819", &to_25, ""),
            ("a0", "{}", ""),
            ("a201020304", "map {1: 2, 3: 4}", ""),
            ("a26161016162820203", r#"{"a": 1, "b": [2, 3]}"#, ""),
            ("826161a161626163", r#"["a", {"b": "c"}]"#, ""),
            (
                "a56161614161626142616361436164614461656145",
                r#"{"a": "A", "b": "B", "c": "C", "d": "D", "e": "E"}"#,
                "",
            ),
            ("5f42010243030405ff", r#"b"\x01\x02\x03\x04\x05""#, "450102030405"),
            ("7f657374726561646d696e67ff", r#""streaming""#, "6973747265616d696e67"),
            ("9fff", "[]", "80"),
            ("9f018202039f0405ffff", "[1, [2, 3], [4, 5]]", "8301820203820405"),
            ("9f01820203820405ff", "[1, [2, 3], [4, 5]]", "8301820203820405"),
            ("83018202039f0405ff", "[1, [2, 3], [4, 5]]", "8301820203820405"),
            ("83019f0203ff820405", "[1, [2, 3], [4, 5]]", "8301820203820405"),
            (
                "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
                &to_25,
                "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            ),
            ("bf61610161629f0203ffff", r#"{"a": 1, "b": [2, 3]}"#, "a26161016162820203"),
            ("826161bf61626163ff", r#"["a", {"b": "c"}]"#, "826161a161626163"),
            ("bf6346756ef563416d7421ff", r#"{"Fun": true, "Amt": -2}"#, "a26346756ef563416d7421"),
        ],
    );
}

#[test]
fn bytes_that_are_no_data_item_are_rejected() {
    are_refused(
        Cbor,
        &[
            ("", "bad_input at offset 0 in $: expected a data item, got the end of the input"),
            (
                "1c",
                "bad_input at offset 0 in $: expected a data item, got 1C, which has no meaning",
            ),
            (
                "811e",
                "bad_input at offset 1 in $[0]: expected a data item, got 1E, which has no meaning",
            ),
            (
                "dc00",
                "bad_input at offset 0 in $: expected a data item, got DC, which has no meaning",
            ),
            (
                "18",
                "bad_input at offset 0 in $: expected a data item, got the end of the input after 1 of its bytes",
            ),
            (
                "821903",
                "bad_input at offset 1 in $[0]: expected a data item, got the end of the input after 2 of its bytes",
            ),
            (
                "81f93c",
                "bad_input at offset 1 in $[0]: expected a data item, got the end of the input after 2 of its bytes",
            ),
            (
                "6261",
                "bad_input at offset 0 in $: expected 2 bytes of a string, got the end of the input after 1 bytes",
            ),
            (
                "5bffffffffffffffff",
                "bad_input at offset 0 in $: expected 18446744073709551615 bytes of a byte string, got the end of the input after 0 bytes",
            ),
            (
                "9b00000001ffffffff00",
                "bad_input at offset 0 in $: expected 8589934591 or more bytes of an array, got the end of the input after 1 bytes",
            ),
            (
                "bbffffffffffffffff",
                "bad_input at offset 0 in $: expected 2^64 or more bytes of a map, got the end of the input after 0 bytes",
            ),
            (
                "9f01",
                "bad_input at offset 2 in $[1]: expected a data item, got the end of the input",
            ),
            ("ff", "bad_input at offset 0 in $: expected a data item, got a break"),
            ("81ff", "bad_input at offset 1 in $[0]: expected a data item, got a break"),
            (
                "bf6161ff",
                "bad_input at offset 3 in $.a: expected a value for each key, got a break",
            ),
            ("9fc1ffff", "bad_input at offset 2 in $[0]: expected a data item, got a break"),
            (
                "5f6161ff",
                "bad_input at offset 1 in $: expected a part of the string, of the same type and with its length, or a break, got string",
            ),
            (
                "7f7f6161ffff",
                "bad_input at offset 1 in $: expected a part of the string, of the same type and with its length, or a break, got indefinite string",
            ),
            (
                "7f6161",
                "bad_input at offset 3 in $: expected a data item, got the end of the input",
            ),
            (
                "7f61c361bcff",
                "bad_input at offset 2 in $: expected UTF-8 in a string; other bytes go into a byte string, got the part's end within a character",
            ),
            (
                "61ff",
                "bad_input at offset 1 in $: expected UTF-8 in a string; other bytes go into a byte string, got FF",
            ),
            (
                "f818",
                "bad_input at offset 0 in $: expected a simple value above 31 after F8, got 24",
            ),
            (
                "f814",
                "bad_input at offset 0 in $: expected a simple value above 31 after F8, got 20",
            ),
            ("c201", "bad_input at offset 1 in $: expected a byte string in a big integer, got u8"),
            ("c2", "bad_input at offset 1 in $: expected a data item, got the end of the input"),
            ("c1", "bad_input at offset 1 in $: expected a data item, got the end of the input"),
            (
                "0001",
                "bad_input at offset 1 in $: expected the end of the input, got 01; one input is one data item",
            ),
            (
                "a2616101616102",
                "duplicate_key at offset 4 in $.a: expected each key once, got `a` twice",
            ),
            (
                "bf6161017f6161ff02ff",
                "duplicate_key at offset 4 in $.a: expected each key once, got `a` twice",
            ),
            (
                "a201020103",
                "duplicate_key at offset 3 in $[1].key: expected each key once, got 1 twice",
            ),
            (
                "a20102c2410103",
                "duplicate_key at offset 3 in $[1].key: expected each key once, got 1 twice",
            ),
            (
                "a2f93c0001f93c0002",
                "duplicate_key at offset 5 in $[1].key: expected each key once, got 1 twice",
            ),
            (
                "a2c24901000000000000000001c2490100000000000000000 2",
                "duplicate_key at offset 13 in $[1].key: expected each key once, got `18446744073709551616` twice",
            ),
        ],
    );
}

#[test]
fn unrepresentable_values_are_rejected() {
    let refused = |value: Value| {
        let error = write(Cbor, &Value::list([value])).unwrap_err();
        assert_eq!(error.code(), Code::Unrepresentable);
        assert!(error.path().starts_with("$[0]"), "{error}");
        error.to_string().split_once(": ").unwrap().1.to_owned()
    };
    let no_type = "expected a value of a type that the format has, got one of";
    assert_eq!(
        refused(Tensor::of([1], &[1_u8]).unwrap().into()),
        "expected a list in place of a tensor, got a tensor"
    );
    assert_eq!(
        refused(Value::Variant(Variant::new("X", Value::Null))),
        "expected a value of a type that the format has, got variant X"
    );
    let logical = |kind, parameters: &[u8], storage| {
        Value::from(Logical::new(LogicalType::new(kind, parameters).unwrap(), storage))
    };
    assert_eq!(
        refused(logical(LogicalType::TIMESTAMP, &[3, 0], Value::from(1))),
        format!("{no_type} type timestamp[ns, local]")
    );
    assert_eq!(
        refused(logical(LogicalType::TIME, &[0], Value::from(1))),
        format!("{no_type} type time[s]")
    );
    assert_eq!(
        refused(Extension::new("msgpack.ext", Value::Null).into()),
        format!("{no_type} the extension \"msgpack.ext\"")
    );
    let tag = "expected tuple(u64, any) in the extension \"cbor.tag\", got another value";
    assert_eq!(refused(Extension::new("cbor.tag", Value::from(1)).into()), tag);
    for number in [Value::from(-1), Value::I8(-1), Value::U128(Box::new(1 << 64)), Value::from("1")]
    {
        let pair = Value::tuple([number, Value::from(2)]);
        assert_eq!(refused(Extension::new("cbor.tag", pair).into()), tag);
    }
    let simple = |value| refused(Extension::new("cbor.simple", value).into());
    for number in [Value::from(256), Value::from(-1), Value::U16(256), Value::Null] {
        assert_eq!(
            simple(number),
            "expected u8 in the extension \"cbor.simple\", got another value"
        );
    }
    for number in [20, 21, 22, 24, 31] {
        assert_eq!(
            simple(Value::U8(number)),
            format!(
                "expected a simple value that is not false, true, null, or reserved, got {number}"
            )
        );
    }
    let map = Value::map([(Value::from(1), Value::Null), (Value::U8(1), Value::Null)]);
    assert_eq!(refused(map), "expected keys that stay distinct in this format, got 01 twice");
}

#[test]
fn every_simple_value_survives() {
    for number in (0..=19).chain([23]).chain(32..=255) {
        let value: Value = Extension::new("cbor.simple", Value::U8(number)).into();
        let bytes = write(Cbor, &value).unwrap();
        assert_eq!(bytes.len(), if number < 24 { 1 } else { 2 });
        assert_eq!(read(Cbor, &bytes).unwrap(), value);
    }
}

#[test]
fn the_nearest_form_keeps_the_value() {
    for (value, bytes) in [
        (Value::U8(200), "18C8"),
        (Value::I8(-1), "20"),
        (Value::U64(u64::MAX), "1BFFFFFFFFFFFFFFFF"),
        (Value::U128(Box::new(1 << 64)), "C249010000000000000000"),
        (Value::I128(Box::new(-(1 << 64) - 1)), "C349010000000000000000"),
        (Value::Bf16(holdall::bf16::from_f32(1.5)), "FA3FC00000"),
        (Value::Fixed(vec![1, 2]), "420102"),
        (Value::tuple([Value::from(1), Value::Null]), "8201F6"),
        (Value::Array(vec![Value::from(1)].into()), "8101"),
    ] {
        assert_eq!(write(Cbor, &value).unwrap(), hex(bytes), "{value:?}");
    }
}
