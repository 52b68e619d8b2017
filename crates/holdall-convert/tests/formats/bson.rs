//! BSON: values and bytes, what is refused, and another reader and writer beside ours.

use bson::spec::BinarySubtype;
use bson::{Bson as Peer, Document};
use holdall::value::{Extension, Logical};
use holdall::{BigInt, Code, Decoder, Encoder, LogicalType, Value};
use holdall_convert::{Format, Packer, Unpacker, bson as own};
use proptest::collection::vec;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> holdall::Result<Value> {
    holdall::from_slice(&own::pack(bytes)?)
}

fn write(value: &Value) -> holdall::Result<Vec<u8>> {
    own::unpack(&holdall::to_vec(value)?)
}

fn record(value: Value) -> Value {
    Value::record([("a", value)])
}

fn logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Logical::new(LogicalType::new(kind, parameters).unwrap(), storage).into()
}

fn extension(name: &str, value: Value) -> Value {
    Extension::new(name, value).into()
}

/// A document with one member `a` of a type.
fn member(code: u8, contents: &[u8]) -> Vec<u8> {
    let len = 4 + 1 + 2 + contents.len() + 1;
    [&(len as i32).to_le_bytes()[..], &[code, b'a', 0], contents, &[0]].concat()
}

#[test]
fn values_have_these_bytes_both_ways() {
    let fixed = |len: u8| Value::Fixed((0..len).collect());
    let bytes = |len: u8| (0..len).collect::<Vec<u8>>();
    let table: Vec<(Value, u8, Vec<u8>)> = vec![
        (Value::from(5.05), 0x01, b"\x33\x33\x33\x33\x33\x33\x14\x40".to_vec()),
        (Value::from("w\0ä"), 0x02, b"\x05\0\0\0w\0\xC3\xA4\0".to_vec()),
        (Value::record([("b", Value::Null)]), 0x03, b"\x08\0\0\0\x0Ab\0\0".to_vec()),
        (
            Value::list([Value::from(true), Value::Null]),
            0x04,
            b"\x0C\0\0\0\x080\0\x01\x0A1\0\0".to_vec(),
        ),
        (Value::Bytes(vec![1, 2]), 0x05, b"\x02\0\0\0\0\x01\x02".to_vec()),
        (
            extension("bson.binary", Value::tuple([Value::U8(0x80), Value::Bytes(vec![9])])),
            0x05,
            b"\x01\0\0\0\x80\x09".to_vec(),
        ),
        (
            logical(LogicalType::UUID, &[], fixed(16)),
            0x05,
            [&b"\x10\0\0\0\x04"[..], &bytes(16)].concat(),
        ),
        (extension("bson.object_id", fixed(12)), 0x07, bytes(12)),
        (Value::from(false), 0x08, vec![0]),
        (logical(LogicalType::TIMESTAMP, &[1, 1], Value::from(-1)), 0x09, vec![0xFF; 8]),
        (Value::Null, 0x0A, vec![]),
        (
            extension("bson.regex", Value::tuple([Value::from("^x"), Value::from("i")])),
            0x0B,
            b"^x\0i\0".to_vec(),
        ),
        (extension("bson.code", Value::from("f()")), 0x0D, b"\x04\0\0\0f()\0".to_vec()),
        (Value::from(-2), 0x10, b"\xFE\xFF\xFF\xFF".to_vec()),
        (
            extension("bson.timestamp", Value::tuple([Value::U32(1), Value::U32(2)])),
            0x11,
            b"\x02\0\0\0\x01\0\0\0".to_vec(),
        ),
        (Value::from(1_i64 << 31), 0x12, b"\0\0\0\x80\0\0\0\0".to_vec()),
        (extension("bson.decimal128", fixed(16)), 0x13, bytes(16)),
        (extension("bson.min_key", Value::Null), 0xFF, vec![]),
        (extension("bson.max_key", Value::Null), 0x7F, vec![]),
    ];
    for (value, code, contents) in table {
        let document = member(code, &contents);
        assert_eq!(write(&record(value.clone())).unwrap(), document, "{value:?}");
        assert_eq!(read(&document).unwrap(), record(value));
    }
    assert_eq!(read(b"\x05\0\0\0\0").unwrap(), Value::record::<String>([]));
}

#[test]
fn other_values_take_the_nearest_form() {
    let utc =
        |unit: u8, units: i64| logical(LogicalType::TIMESTAMP, &[unit, 1], Value::from(units));
    for (value, code, contents) in [
        (Value::U8(7), 0x10, b"\x07\0\0\0".to_vec()),
        (Value::I64(7), 0x10, b"\x07\0\0\0".to_vec()),
        (Value::F32(0.5), 0x01, 0.5_f64.to_le_bytes().to_vec()),
        (Value::Fixed(vec![3]), 0x05, b"\x01\0\0\0\0\x03".to_vec()),
        (Value::tuple([Value::Null]), 0x04, b"\x08\0\0\0\x0A0\0\0".to_vec()),
        (Value::map([(Value::from("k"), Value::Null)]), 0x03, b"\x08\0\0\0\x0Ak\0\0".to_vec()),
        (utc(0, 2), 0x09, 2_000_i64.to_le_bytes().to_vec()),
        (utc(3, 3_000_000), 0x09, 3_i64.to_le_bytes().to_vec()),
    ] {
        assert_eq!(write(&record(value.clone())).unwrap(), member(code, &contents), "{value:?}");
    }
    // An int64 that fits 32 bits becomes shorter: its value is the same.
    let long = member(0x12, &7_i64.to_le_bytes());
    assert_eq!(write(&read(&long).unwrap()).unwrap(), member(0x10, &7_i32.to_le_bytes()));
}

#[test]
fn what_bson_cannot_hold_is_refused_with_its_path() {
    let big = BigInt::from_le_bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 1]).unwrap();
    for (value, path) in [
        (Value::from(1), "$"),
        (Value::list([]), "$"),
        (record(Value::U64(1 << 63)), "$.a"),
        (record(Value::BigInt(big)), "$.a"),
        (
            record(Value::list([Value::Null, Value::map([(Value::from(1), Value::Null)])])),
            "$.a[1][0].key",
        ),
        (Value::record([("a\0b", Value::Null)]), "$[\"a\\u0000b\"]"),
        (record(logical(LogicalType::TIMESTAMP, &[3, 1], Value::from(1))), "$.a"),
        (record(extension("bson.object_id", Value::Fixed(vec![1]))), "$.a"),
        (record(extension("other", Value::Null)), "$.a"),
    ] {
        let error = write(&value).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, path), "{error}");
    }
    let date = record(logical(LogicalType::DATE, &[], Value::from(5)));
    let message = holdall::to_vec(&date).unwrap();
    assert!(own::unpack(&message).is_err());
    let stored = Unpacker::new(Format::Bson).storage(true).unpack(&mut Decoder::new(), &message);
    assert_eq!(stored.unwrap(), member(0x10, b"\x05\0\0\0"));
}

#[test]
fn what_is_no_bson_is_refused_with_its_offset() {
    let code = |bytes: &[u8]| {
        let error = read(bytes).unwrap_err();
        (error.code(), error.offset().unwrap(), error.path().to_owned())
    };
    let bad = |offset, path: &str| (Code::BadInput, offset, path.to_owned());
    assert_eq!(code(b""), bad(0, "$"));
    assert_eq!(code(b"\x04\0\0\0\0"), bad(0, "$"));
    assert_eq!(code(b"\x06\0\0\0\0"), bad(0, "$"));
    assert_eq!(code(b"\xFF\xFF\xFF\xFF\0"), bad(0, "$"));
    assert_eq!(code(b"\x05\0\0\0\0\0"), bad(5, "$"));
    assert_eq!(code(b"\x06\0\0\0\0\0"), bad(4, "$"));
    assert_eq!(code(b"\x05\0\0\0\x0A"), bad(5, "$"));
    assert_eq!(code(&member(0x0E, b"\x02\0\0\0x\0")), bad(4, "$.a"));
    assert_eq!(code(&member(0x20, b"")), bad(4, "$.a"));
    assert_eq!(code(&member(0x08, b"\x02")), bad(7, "$.a"));
    assert_eq!(code(&member(0x02, b"\x00\0\0\0")), bad(7, "$.a"));
    assert_eq!(code(&member(0x02, b"\x03\0\0\0\xC3\x28\0")), bad(11, "$.a"));
    assert_eq!(code(&member(0x02, b"\x7F\0\0\0x\0")), bad(7, "$.a"));
    assert_eq!(code(&member(0x03, b"\x7F\0\0\0\0")), bad(7, "$.a"));
    assert_eq!(code(&member(0x12, b"\0\0\0")), bad(7, "$.a"));
    let twice = b"\x0B\0\0\0\x0Aa\0\x0Aa\0\0";
    assert_eq!(code(twice), (Code::DuplicateKey, 8, "$.a".to_owned()));
    // Cut anywhere, a document is an error.
    let whole = member(0x04, b"\x0C\0\0\0\x080\0\x01\x0A1\0\0");
    for len in 0..whole.len() {
        assert_eq!(read(&whole[..len]).unwrap_err().code(), Code::BadInput, "{len}");
    }
}

#[test]
fn a_fifth_of_a_million_levels_do_not_recurse() {
    let levels = 200_000;
    let mut bytes = Vec::new();
    for level in 0..levels {
        let len = 5 + 8 * (levels - level - 1) as i32;
        bytes.extend(len.to_le_bytes());
        if level < levels - 1 {
            bytes.extend(b"\x03a\0");
        }
    }
    bytes.extend(vec![0; levels]);
    let message = Packer::new(Format::Bson).pack(&mut Encoder::new(), &bytes);
    if let Ok(message) = message {
        assert_eq!(own::unpack(&message).unwrap(), bytes);
    } else {
        assert_eq!(message.unwrap_err().code(), Code::LimitDepth);
    }
}

fn peers() -> impl Strategy<Value = Peer> {
    let scalar = prop_oneof![
        any::<f64>().prop_map(Peer::Double),
        ".{0,9}".prop_map(Peer::String),
        any::<bool>().prop_map(Peer::Boolean),
        Just(Peer::Null),
        any::<i32>().prop_map(Peer::Int32),
        (i64::from(i32::MAX) + 1..).prop_map(Peer::Int64),
        any::<i64>().prop_map(|millis| Peer::DateTime(bson::DateTime::from_millis(millis))),
        any::<[u8; 12]>().prop_map(|id| Peer::ObjectId(bson::oid::ObjectId::from_bytes(id))),
        vec(any::<u8>(), 0..9).prop_map(|bytes| {
            Peer::Binary(bson::Binary { subtype: BinarySubtype::Generic, bytes })
        }),
        any::<[u32; 2]>()
            .prop_map(|[time, increment]| { Peer::Timestamp(bson::Timestamp { time, increment }) }),
        Just(Peer::MinKey),
    ];
    scalar.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Peer::Array),
            vec(("[a-zé]{0,3}", inner), 0..6)
                .prop_map(|members| Peer::Document(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn documents_of_another_writer_come_back_to_the_byte(
        members in vec(("[a-z]{1,4}", peers()), 0..8)
    ) {
        let document: Document = members.into_iter().collect();
        let bytes = document.to_vec().unwrap();
        let value = read(&bytes).unwrap();
        let again = write(&value).unwrap();
        prop_assert_eq!(&again, &bytes);
        // NaN differs from itself.
        let found = Document::from_reader(&again[..]).unwrap();
        prop_assert_eq!(format!("{found:?}"), format!("{document:?}"));
    }

    #[test]
    fn damaged_documents_are_read_or_refused(
        members in vec(("[a-z]{1,4}", peers()), 0..5),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let document: Document = members.into_iter().collect();
        let mut bytes = document.to_vec().unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(value) = read(&bytes) {
            write(&value).unwrap();
        }
    }
}
