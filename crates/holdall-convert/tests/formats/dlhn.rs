//! DLHN, checked both ways against its own crate: headers, bodies, and the examples of its documents.

use std::collections::BTreeMap;

use bigdecimal_03::BigDecimal;
use dlhn::{DeserializeHeader, SerializeHeader};
use holdall::value::{Extension, Logical, Struct, Variant};
use holdall::{Code, Decode, Decoder, Encode, Encoder, LogicalType, Value};
use holdall_convert::{Format, Packer, Unpacker, dlhn as own};
use num_bigint::{BigInt, BigUint, Sign};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// A struct with every type that both derives have; the laws below have the others: integers and decimals of any size, dates, times.
#[derive(Clone, Debug, PartialEq, Encode, Decode, Serialize, Deserialize, SerializeHeader)]
struct All {
    unit: (),
    optional: Option<u16>,
    boolean: bool,
    u8: u8,
    u16: u16,
    u32: u32,
    u64: u64,
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    f32: f32,
    f64: f64,
    string: String,
    #[holdall(with = "binary")]
    binary: ByteBuf,
    list: Vec<Inner>,
    map: BTreeMap<String, i32>,
    kind: Kind,
    nested: Vec<Vec<Option<Vec<u32>>>>,
}

/// Byte strings, which serde knows by a type of their own.
mod binary {
    use std::convert::Infallible;

    use bytes::Bytes;
    use serde_bytes::ByteBuf;

    pub fn encode(value: &ByteBuf) -> Bytes {
        Bytes::copy_from_slice(value)
    }

    pub fn decode(value: Bytes) -> Result<ByteBuf, Infallible> {
        Ok(ByteBuf::from(Vec::from(value)))
    }
}

#[derive(Clone, Debug, PartialEq, Encode, Decode, Serialize, Deserialize, SerializeHeader)]
pub struct Inner {
    pub name: String,
    pub score: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode, Serialize, Deserialize, SerializeHeader)]
pub enum Kind {
    None,
    One(u64),
    Two { a: bool, b: String },
}

fn numbers() -> impl Strategy<Value = (Option<u16>, bool, u8, u16, u32, u64, i8, i16, i32, i64)> {
    let small = 0_u32..64;
    let unsigned = (any::<u64>(), small).prop_map(|(bits, shift)| bits >> shift);
    (unsigned, any::<i64>(), 0_u32..64, any::<Option<u16>>(), any::<bool>()).prop_map(
        |(bits, signed, shift, optional, boolean)| {
            let signed = signed >> shift;
            (
                optional,
                boolean,
                bits as u8,
                bits as u16,
                bits as u32,
                bits,
                signed as i8,
                signed as i16,
                signed as i32,
                signed,
            )
        },
    )
}

fn all() -> impl Strategy<Value = All> {
    let inner =
        (".{0,5}", proptest::option::of(-1e9..1e9)).prop_map(|(name, score)| Inner { name, score });
    let kind = prop_oneof![
        Just(Kind::None),
        any::<u64>().prop_map(Kind::One),
        (any::<bool>(), ".{0,5}").prop_map(|(a, b)| Kind::Two { a, b }),
    ];
    let nested = vec(vec(proptest::option::of(vec(any::<u32>(), 0..3)), 0..3), 0..3);
    let floats = (-1e9_f32..1e9, -1e300..1e300);
    let binary = vec(any::<u8>(), 0..300).prop_map(ByteBuf::from);
    let map = btree_map(".{0,3}", any::<i32>(), 0..4);
    let rest = (".{0,200}", binary, vec(inner, 0..4), map, kind, nested);
    (numbers(), floats, rest).prop_map(
        |(numbers, (f32, f64), (string, binary, list, map, kind, nested))| {
            let (optional, boolean, u8, u16, u32, u64, i8, i16, i32, i64) = numbers;
            All {
                unit: (),
                optional,
                boolean,
                u8,
                u16,
                u32,
                u64,
                i8,
                i16,
                i32,
                i64,
                f32,
                f64,
                string,
                binary,
                list,
                map,
                kind,
                nested,
            }
        },
    )
}

/// The header and body that the crate writes.
pub fn by_peer<T: SerializeHeader + Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    T::serialize_header(&mut bytes).unwrap();
    value.serialize(&mut dlhn::Serializer::new(&mut bytes)).unwrap();
    bytes
}

fn of_integer(number: &BigInt) -> Value {
    match i64::try_from(number) {
        Ok(small) => Value::from(small),
        Err(_) => Value::from(holdall::BigInt::from_le_bytes(&number.to_signed_bytes_le())),
    }
}

/// A decimal of digits and a scale.
fn of_decimal(digits: &BigInt, scale: i64) -> Value {
    let form = Value::U8(u8::from(digits.sign() == Sign::Minus));
    let digits = BigInt::from(digits.magnitude().clone());
    let parts = [form, of_integer(&digits), Value::from(-scale)];
    of_logical(LogicalType::DECIMAL, &[], Value::tuple(parts))
}

fn of_logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Logical::new(LogicalType::new(kind, parameters).unwrap(), storage).into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn values_are_written_as_the_crate_writes_them(value in all()) {
        let bytes = own::unpack(&holdall::to_vec(&value).unwrap()).unwrap();
        prop_assert_eq!(bytes, by_peer(&value));
    }

    #[test]
    fn what_the_crate_writes_is_read_with_names(value in all()) {
        let schema = All::schema().unwrap();
        let packer = Packer::new(Format::Dlhn).names(&schema);
        let message = packer.pack(&mut Encoder::new(), &by_peer(&value)).unwrap();
        prop_assert_eq!(holdall::from_slice::<All>(&message).unwrap(), value);
    }

    #[test]
    fn the_crate_reads_what_is_written(value in all()) {
        let bytes = own::unpack(&holdall::to_vec(&value).unwrap()).unwrap();
        let mut rest = &bytes[..];
        rest.deserialize_header().unwrap();
        let back = All::deserialize(&mut dlhn::Deserializer::new(&mut rest)).unwrap();
        prop_assert_eq!((back, rest.len()), (value, 0));
    }

    #[test]
    fn integers_of_any_size_go_both_ways(bytes in vec(any::<u8>(), 0..40)) {
        let number = BigInt::from_signed_bytes_le(&bytes);
        let expected = by_peer(&dlhn::BigInt::from(number.clone()));
        let value = of_integer(&number);
        prop_assert_eq!(&own::unpack(&holdall::to_vec(&value).unwrap()).unwrap(), &expected);
        let back: Value = holdall::from_slice(&own::pack(&expected).unwrap()).unwrap();
        prop_assert_eq!(&back, &value);
        // Without a sign.
        let number = BigUint::from_bytes_le(&bytes);
        let read: Value = holdall::from_slice(&own::pack(&by_peer(&dlhn::BigUint::from(number.clone()))).unwrap()).unwrap();
        let written = own::unpack(&holdall::to_vec(&read).unwrap()).unwrap();
        prop_assert_eq!(written, by_peer(&dlhn::BigInt::from(BigInt::from(number))));
    }

    /// The crate drops zeros at the end of the digits before it writes, and keeps those that it reads.
    #[test]
    fn decimals_go_both_ways(bytes in vec(any::<u8>(), 0..30), tens in 0_u32..5, scale in -300_i64..300) {
        let digits = BigInt::from_signed_bytes_le(&bytes) * BigInt::from(10).pow(tens);
        let decimal = BigDecimal::new(digits.clone(), scale);
        let expected = by_peer(&dlhn::BigDecimal::from(decimal.clone()));
        let (least, least_scale) = match digits.sign() {
            Sign::NoSign => (digits.clone(), 0),
            _ => decimal.normalized().into_bigint_and_exponent(),
        };
        let value = of_decimal(&least, least_scale);
        prop_assert_eq!(&own::unpack(&holdall::to_vec(&value).unwrap()).unwrap(), &expected);
        prop_assert_eq!(holdall::from_slice::<Value>(&own::pack(&expected).unwrap()).unwrap(), value);
        // With all digits.
        let value = of_decimal(&digits, scale);
        let written = own::unpack(&holdall::to_vec(&value).unwrap()).unwrap();
        let mut rest = &written[..];
        rest.deserialize_header().unwrap();
        let back = dlhn::BigDecimal::deserialize(&mut dlhn::Deserializer::new(&mut rest)).unwrap();
        let back: BigDecimal = back.into();
        prop_assert_eq!((back.into_bigint_and_exponent(), rest.len()), ((digits, scale), 0));
        prop_assert_eq!(holdall::from_slice::<Value>(&own::pack(&written).unwrap()).unwrap(), value);
    }

    #[test]
    fn dates_and_times_go_both_ways(days in -700_000_i64..2_900_000, nanos in any::<u32>()) {
        let epoch = time::Date::from_ordinal_date(1970, 1).unwrap();
        let date = epoch + time::Duration::days(days);
        let expected = by_peer(&dlhn::Date::from(date));
        let value = of_logical(LogicalType::DATE, &[], Value::from(days));
        prop_assert_eq!(&own::unpack(&holdall::to_vec(&value).unwrap()).unwrap(), &expected);
        prop_assert_eq!(holdall::from_slice::<Value>(&own::pack(&expected).unwrap()).unwrap(), value);

        let nanos = i64::from(nanos % 1_000_000_000);
        let at = time::OffsetDateTime::UNIX_EPOCH + time::Duration::days(days) + time::Duration::nanoseconds(nanos);
        let expected = by_peer(&dlhn::DateTime::from(at));
        let all = i128::from(days) * 86_400_000_000_000 + i128::from(nanos);
        let storage = match i64::try_from(all) {
            Ok(all) => Value::from(all),
            Err(_) => Value::from(holdall::BigInt::from_le_bytes(&all.to_le_bytes())),
        };
        let value = of_logical(LogicalType::TIMESTAMP, &[3, 1], storage);
        prop_assert_eq!(&own::unpack(&holdall::to_vec(&value).unwrap()).unwrap(), &expected);
        prop_assert_eq!(holdall::from_slice::<Value>(&own::pack(&expected).unwrap()).unwrap(), value);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(0_u8..30, 0..60)) {
        if let Ok(message) = own::pack(&bytes) {
            holdall::from_slice::<Value>(&message).unwrap();
        }
    }
}

/// As in the README of the crate.
#[test]
fn examples_of_its_documents_are_read_and_written() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Test {
        a: bool,
        b: u8,
        c: String,
    }
    let bytes = [&[21, 3, 2, 3, 18, 1, 123, 4][..], b"test"].concat();
    let value = Test { a: true, b: 123, c: "test".to_owned() };
    assert_eq!(own::unpack(&holdall::to_vec(&value).unwrap()).unwrap(), bytes);
    let schema = Test::schema().unwrap();
    let message =
        Packer::new(Format::Dlhn).names(&schema).pack(&mut Encoder::new(), &bytes).unwrap();
    assert_eq!(holdall::from_slice::<Test>(&message).unwrap(), value);
    // Without names it is a tuple.
    let tuple: (bool, u8, String) = holdall::from_slice(&own::pack(&bytes).unwrap()).unwrap();
    assert_eq!(tuple, (true, 123, "test".to_owned()));
}

/// As in the README of the crate, where types take the place of the header.
#[test]
fn bodies_follow_each_other_under_one_header() {
    let mut source = own::DlhnSource::of_bodies(&[2], &[1, 0]).unwrap();
    for expected in [true, false] {
        let message = Encoder::new().message(&mut source).unwrap();
        assert_eq!(holdall::from_slice::<bool>(&message).unwrap(), expected);
    }
    assert!(!source.has_more());
    let error = Encoder::new().message(&mut source).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::BadInput, Some(2)));
    let mut damaged = own::DlhnSource::of_bodies(&[2], &[1, 7]).unwrap();
    Encoder::new().message(&mut damaged).unwrap();
    let error = Encoder::new().message(&mut damaged).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::BadInput, Some(1)));
    let error = own::DlhnSource::of_bodies(&[2, 1], &[]).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::BadInput, Some(1)));
}

/// As in the tests of the crate; it drops zeros at the end of the digits, which are kept here.
#[test]
fn decimals_have_digits_and_a_scale() {
    let decimal = |form: u8, digits: i64, exponent: i64| {
        let parts = [Value::U8(form), Value::from(digits), Value::from(exponent)];
        of_logical(LogicalType::DECIMAL, &[], Value::tuple(parts))
    };
    let cases: [(Value, &[u8]); 8] = [
        (decimal(0, 0, 0), &[17, 0]),
        (decimal(0, 1, 0), &[17, 1, 1, 0]),
        (decimal(0, 1, 1), &[17, 1, 1, 1]),
        (decimal(0, 1, -1), &[17, 1, 1, 2]),
        (decimal(0, 1, -64), &[17, 1, 1, 128, 2]),
        (decimal(1, 32_768, 0), &[17, 2, 0, 128, 0]),
        (decimal(0, 150, -2), &[17, 2, 150, 0, 4]),
        (decimal(0, 0, -2), &[17, 1, 0, 4]),
    ];
    for (value, bytes) in cases {
        assert_eq!(own::unpack(&holdall::to_vec(&value).unwrap()).unwrap(), bytes, "{value:?}");
        assert_eq!(holdall::from_slice::<Value>(&own::pack(bytes).unwrap()).unwrap(), value);
    }
    let error = own::unpack(&holdall::to_vec(&decimal(2, 0, 0)).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unrepresentable in $: expected a finite decimal, and no negative zero, got an infinity or NaN",
    );
}

/// As text, because a header has the number of a variant and not its name.
#[test]
fn an_extension_of_variants_without_payloads_is_stored_as_their_names() {
    let member = |name: &str| {
        let variant = Value::Variant(Variant::new(name, Value::Null));
        Value::from(Extension::new("shop.Colour", variant))
    };
    let storage = Unpacker::new(Format::Dlhn).storage(true);
    for (value, bytes) in [
        (member("Red"), &b"\x12\x03Red"[..]),
        (Value::list([member("Red"), member("Blue")]), b"\x14\x12\x02\x03Red\x04Blue"),
        (Value::list([Value::Null, member("Red")]), b"\x14\x01\x12\x02\x00\x01\x03Red"),
        (Value::tuple([member("Red"), 1.into()]), b"\x15\x02\x12\x10\x03Red\x01\x01"),
    ] {
        assert_eq!(Format::Dlhn.to_vec(&value).unwrap_err().code(), Code::Unrepresentable);
        assert_eq!(storage.to_vec(&value).unwrap(), bytes, "{value:?}");
    }
}

#[test]
fn bad_bytes_are_refused_at_their_place() {
    let cases: [(&[u8], &str); 13] = [
        (&[], "bad_input at offset 0: expected the code of a type, got the end of the input"),
        (&[7], "bad_input at offset 0: expected the code of a type, got 07"),
        (&[1], "bad_input at offset 1: expected the code of a type, got the end of the input"),
        (
            &[21, 0xC0],
            "bad_input at offset 1: expected a number of types, got the end of the input",
        ),
        (&[2, 2], "bad_input at offset 1 in $: expected 0 or 1, got 02"),
        (
            &[2, 1, 0],
            "bad_input at offset 2: expected the end of the input, got 00; one input is one header and one body",
        ),
        (
            &[18, 2, b'a'],
            "bad_input at offset 2 in $: expected 2 bytes of a string, got the end of the input after 1 bytes",
        ),
        (&[18, 1, 0xFF], "bad_input at offset 2 in $: expected UTF-8, got FF"),
        (&[24, 1, 0, 1], "bad_input at offset 3 in $: expected one of 1 variants, got 1"),
        (
            &[25, 0, 0x80 | 46, 5],
            "bad_input at offset 2 in $: expected a day of the year 2000, got 367",
        ),
        // As many nulls, and as many tuples of nothing, as a length can say.
        (
            &[20, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255],
            "bad_input at offset 11 in $[8388608]: expected fewer values without bytes, got more than 8388608",
        ),
        (
            &[20, 21, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255],
            "bad_input at offset 12 in $[8388608]: expected fewer values without bytes, got more than 8388608",
        ),
        (
            &[20, 21, 1, 21, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255],
            "bad_input at offset 14 in $[4194304][0]: expected fewer values without bytes, got more than 8388608",
        ),
    ];
    for (bytes, words) in cases {
        assert_eq!(own::pack(bytes).unwrap_err().to_string(), words, "{bytes:?}");
    }
}

#[test]
fn what_a_header_cannot_say_is_refused_with_its_path() {
    let refused = |value: Value| {
        let error = own::unpack(&holdall::to_vec(&value).unwrap()).unwrap_err();
        assert_eq!(error.code(), Code::Unrepresentable);
        error.path().to_owned()
    };
    let record = |fields: [(&'static str, Value); 1]| Value::record(fields);
    let mixed = Value::list([Value::from(1), Value::from("a")]);
    assert_eq!(refused(record([("a", mixed)])), "$.a[]");
    let row = |name: &str| {
        Value::Struct(Struct::new("Row", [(name.into(), Value::from(1))].into_iter().collect()))
    };
    assert_eq!(refused(Value::list([row("a"), row("b")])), "$[]");
    assert_eq!(refused(Value::map([(Value::from(1), Value::Null)])), "$");
    let set = of_logical(LogicalType::SET, &[], Value::list([Value::from(1)]));
    assert_eq!(refused(record([("a", set.clone())])), "$.a");
    let message = holdall::to_vec(&set).unwrap();
    let storage = Unpacker::new(Format::Dlhn).storage(true);
    assert_eq!(storage.unpack(&mut Decoder::new(), &message).unwrap(), [20, 16, 1, 1, 1]);
}

#[test]
fn values_without_bytes_are_bounded() {
    // 2^60 units.
    let bytes = [&[20, 0, 0xFF][..], &(1_u64 << 60).to_le_bytes()].concat();
    assert!(own::pack(&bytes).is_err());
}

#[test]
fn a_repeated_key_is_refused_at_its_place() {
    // A Map of UInt16, and two entries.
    let error = own::pack(b"\x17\x04\x02\x01a\x07\x01a\x08").unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::DuplicateKey, Some(6)));
    assert!(own::pack(b"\x17\x04\x02\x01a\x07\x01b\x08").is_ok());
}
