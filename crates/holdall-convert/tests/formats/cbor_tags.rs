//! Tags of CBOR: what each means, and how the values that have one are written.

use holdall::value::{Extension, Logical};
use holdall::{Code, LogicalType, Value};
use holdall_convert::Format::Cbor;

use super::bytes::{are_refused, come_back, hex, read, write};

#[test]
fn known_tags_survive() {
    come_back(
        Cbor,
        &[
            ("c100", "timestamp[s, utc](0)", ""),
            ("c13903e7", "timestamp[s, utc](-1000)", ""),
            ("d81e820103", "rational((1, 3))", ""),
            (
                "d82550000102030405060708090a0b0c0d0e0f",
                r#"uuid(fixed b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f")"#,
                "",
            ),
            ("d8344401020304", r#"ip_address[4](fixed b"\x01\x02\x03\x04")"#, ""),
            ("d864194e20", "date(20000)", ""),
            ("d90102820102", "set([1, 2])", ""),
            ("d9010280", "set([])", ""),
            // The tag, but not the content: an extension with both.
            ("c16161", r#"extension "cbor.tag" ((1u64, "a"))"#, ""),
            ("d81e83010203", "extension \"cbor.tag\" ((30u64, [1, 2, 3]))", ""),
            ("d8254100", r#"extension "cbor.tag" ((37u64, b"\x00"))"#, ""),
            ("d90102a0", r#"extension "cbor.tag" ((258u64, {}))"#, ""),
            // Tags in tags, and as keys.
            ("c1c100", r#"extension "cbor.tag" ((1u64, timestamp[s, utc](0)))"#, ""),
            ("a2c10001c10102", "map {timestamp[s, utc](0): 1, timestamp[s, utc](1): 2}", ""),
            ("dbffffffffffffffff00", r#"extension "cbor.tag" ((18446744073709551615u64, 0))"#, ""),
            // Big integers in longer forms than needed.
            ("c240", "0", "00"),
            ("c24101", "1", "01"),
            ("c340", "-1", "20"),
            ("c34100", "-1", "20"),
            ("c2480000000000000001", "1", "01"),
            ("c25f410141ffff", "511", "1901ff"),
            ("c2487fffffffffffffff", "9223372036854775807", "1b7fffffffffffffff"),
            ("c3487fffffffffffffff", "-9223372036854775808", "3b7fffffffffffffff"),
            ("c2488000000000000000", "0x008000000000000000int", "1b8000000000000000"),
            // Lengths in longer forms than needed.
            ("1800", "0", "00"),
            ("1b0000000000000000", "0", "00"),
            ("5b000000000000000161", r#"b"a""#, "4161"),
            ("780161", r#""a""#, "6161"),
            ("9b000000000000000101", "[1]", "8101"),
            ("b8016161 01", r#"{"a": 1}"#, "a1616101"),
            ("da00000001 00", "timestamp[s, utc](0)", "c100"),
            // Bits of a NaN.
            ("f97e01", "NaNf16", ""),
            ("fa7fa00001", "NaNf32", ""),
            ("fb7ff4000000000001", "NaN", ""),
        ],
    );
}

/// Languages with one type of integers have no others for these.
#[test]
fn numbers_of_tags_and_simple_values_are_integers_of_any_kind() {
    let written = |name: &str, value| write(Cbor, &Extension::new(name, value).into()).unwrap();
    for number in [Value::from(30), Value::I8(30), Value::U16(30), Value::U64(30)] {
        let pair = Value::tuple([number.clone(), Value::from(2)]);
        assert_eq!(written("cbor.tag", pair), [0xD8, 30, 2], "{number:?}");
    }
    let largest = Value::tuple([Value::from(u64::MAX), Value::Null]);
    assert_eq!(written("cbor.tag", largest), b"\xDB\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xF6");
    for number in [Value::from(19), Value::I32(19), Value::U8(19)] {
        assert_eq!(written("cbor.simple", number), [0xF3]);
    }
}

#[test]
fn timestamps_are_numbers_of_seconds_or_text_with_the_fraction() {
    let time = |unit: u8, units: i64| {
        let ty = LogicalType::new(LogicalType::TIMESTAMP, &[unit, LogicalType::UTC]).unwrap();
        Value::from(Logical::new(ty, Value::from(units)))
    };
    for (unit, per_second) in [(0, 1), (1, 1000), (2, 1_000_000), (3, 1_000_000_000)] {
        for (seconds, item) in [(1_577_836_800, "c11a5e0be100"), (0, "c100"), (-1, "c120")] {
            assert_eq!(write(Cbor, &time(unit, seconds * per_second)).unwrap(), hex(item));
        }
    }
    for (unit, units, text) in [
        (1, 1_577_836_800_500, "2020-01-01T00:00:00.5Z"),
        (2, -1, "1969-12-31T23:59:59.999999Z"),
        (3, 1, "1970-01-01T00:00:00.000000001Z"),
    ] {
        let head = [0xC0, 0x78, text.len() as u8];
        let head =
            if text.len() < 24 { vec![0xC0, 0x60 + text.len() as u8] } else { head.to_vec() };
        let item = [&head, text.as_bytes()].concat();
        assert_eq!(write(Cbor, &time(unit, units)).unwrap(), item);
        let back = read(Cbor, &item).unwrap();
        assert_eq!(back, time(unit.max(2), units * if unit == 1 { 1000 } else { 1 }));
    }
    let error = write(Cbor, &Value::list([time(1, i64::MAX)])).unwrap_err();
    assert_eq!(error.code(), Code::Unrepresentable);
    assert_eq!(error.path(), "$[0]");
}

#[test]
fn times_decimals_and_binary_fractions_have_the_value_of_their_tag() {
    come_back(
        Cbor,
        &[
            // Tag 0, with an offset, with nanoseconds, and with what no timestamp has.
            (
                "c07819323032302d30312d30325430333a30343a30352b30323a3030",
                "timestamp[s, utc](1577927045)",
                "c11a5e0d4185",
            ),
            (
                "c0781e 323032302d30312d30325430333a30343a30352e3030303030303030315a",
                "timestamp[ns, utc](1577934245000000001)",
                "",
            ),
            ("c06a323032302d30312d3032", r#"extension "cbor.tag" ((0u64, "2020-01-02"))"#, ""),
            (
                "c074323032302d30312d30325430333a30343a36305a",
                r#"extension "cbor.tag" ((0u64, "2020-01-02T03:04:60Z"))"#,
                "",
            ),
            ("c000", r#"extension "cbor.tag" ((0u64, 0))"#, ""),
            // Tag 1004.
            ("d903ec6a323032302d30312d3032", "date(18263)", "d86419 4757"),
            (
                "d903ec6a323032302d30322d3330",
                r#"extension "cbor.tag" ((1004u64, "2020-02-30"))"#,
                "",
            ),
            // Tag 1 of floats of each width.
            ("c1f93c00", "timestamp[s, utc](1)", "c101"),
            (
                "c1fabf000000",
                "timestamp[us, utc](-500000)",
                "c076313936392d31322d33315432333a35393a35392e355a",
            ),
            ("c1f97e00", r#"extension "cbor.tag" ((1u64, NaNf16))"#, ""),
            ("c1fb7e37e43c8800759c", r#"extension "cbor.tag" ((1u64, 1e300))"#, ""),
            // Tag 4.
            ("c48221196ab3", "decimal((0u8, 27315, -2))", ""),
            ("c4822120", "decimal((1u8, 1, -2))", ""),
            ("c4820500", "decimal((0u8, 0, 5))", ""),
            ("c48200c249010000000000000000", "decimal((0u8, 0x010000000000000000int, 0))", ""),
            ("c48200c349010000000000000000", "decimal((1u8, 0x010000000000000001int, 0))", ""),
            ("c482003b7fffffffffffffff", "decimal((1u8, 0x008000000000000000int, 0))", ""),
            ("c4820021", "decimal((1u8, 2, 0))", ""),
            ("c49f2103ff", "decimal((0u8, 3, -2))", "c4822103"),
            ("c48101", r#"extension "cbor.tag" ((4u64, [1]))"#, ""),
            ("c482f93c0001", r#"extension "cbor.tag" ((4u64, [1.0f16, 1]))"#, ""),
            (
                "c4821bffffffffffffffff01",
                r#"extension "cbor.tag" ((4u64, [0x00ffffffffffffffffint, 1]))"#,
                "",
            ),
            // Tag 5.
            ("c5822003", "1.5", "fb3ff8000000000000"),
            ("c5822022", "-1.5", "fb bff8000000000000"),
            ("c5823904 3101", "5e-324", "fb0000000000000001"),
            ("c5821903ff01", "8.98846567431158e307", "fb7fe0000000000000"),
            ("c5820000", "0.0", "fb0000000000000000"),
            ("a1c582200301", "map {1.5: 1}", "a1fb3ff800000000000001"),
            ("c582390432 01", r#"extension "cbor.tag" ((5u64, [-1075, 1]))"#, ""),
            ("c58219040001", r#"extension "cbor.tag" ((5u64, [1024, 1]))"#, ""),
            (
                "c582001b0020000000000001",
                r#"extension "cbor.tag" ((5u64, [0, 9007199254740993]))"#,
                "",
            ),
            ("c58101", r#"extension "cbor.tag" ((5u64, [1]))"#, ""),
        ],
    );
}

#[test]
fn a_decimal_that_no_fraction_has_is_rejected() {
    for (parts, got) in [
        ((2, 0, 0), "an infinity or NaN"),
        ((4, 7, 0), "an infinity or NaN"),
        ((1, 0, -1), "a negative zero"),
    ] {
        let (form, digits, exponent) = parts;
        let storage = Value::tuple([Value::U8(form), Value::from(digits), Value::from(exponent)]);
        let ty = LogicalType::new(LogicalType::DECIMAL, &[]).unwrap();
        let value = Value::list([Value::from(Logical::new(ty, storage))]);
        let error = write(Cbor, &value).unwrap_err();
        assert_eq!(error.code(), Code::Unrepresentable);
        assert!(error.to_string().ends_with(&format!("negative zero, got {got}")), "{error}");
        assert!(error.path().starts_with("$[0]"), "{error}");
    }
}

#[test]
fn equal_points_in_time_are_one_key() {
    are_refused(
        Cbor,
        &[(
            "a2c0781d313937302d30312d30315430303a30303a30302e3530302b30303a303001c1f9380002",
            "duplicate_key at offset 34 in $[1].key: expected each key once, got an equal value with a tag twice",
        )],
    );
}

#[test]
fn the_tag_of_self_described_data_is_left_out_wherever_it_is() {
    come_back(
        Cbor,
        &[
            ("d9d9f783010203", "[1, 2, 3]", "83010203"),
            ("d9d9f7d9d9f700", "0", "00"),
            ("d9d9f7d90102820102", "set([1, 2])", "d90102820102"),
            ("d90102d9d9f7820102", "set([1, 2])", "d90102820102"),
            ("d81e82d9d9f70103", "rational((1, 3))", "d81e820103"),
            ("9fd9d9f701ff", "[1]", "8101"),
            ("a1d9d9f76161d9d9f701", r#"{"a": 1}"#, "a1616101"),
            ("da0000d9f700", "0", "00"),
        ],
    );
    let described = b"\xD9\xD9\xF7\x83\x01\x02\x03";
    assert_eq!(Cbor.from_slice::<Vec<u8>>(described).unwrap(), [1, 2, 3]);
    #[cfg(feature = "serde")]
    assert_eq!(
        holdall_convert::serde::from_slice::<Vec<u8>>(Cbor, described).unwrap(),
        ciborium::from_reader::<Vec<u8>, _>(&described[..]).unwrap(),
    );
    are_refused(
        Cbor,
        &[
            (
                "d9d9f7",
                "bad_input at offset 3 in $: expected a data item, got the end of the input",
            ),
            ("9fd9d9f7ff", "bad_input at offset 4 in $[0]: expected a data item, got a break"),
            (
                "d9d9f70001",
                "bad_input at offset 4 in $: expected the end of the input, got 01; one input is one data item",
            ),
        ],
    );
}
