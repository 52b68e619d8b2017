//! Types of serde have the bytes that serde_json, rmp-serde (with names) and ciborium give them, and are read from what those write.

use std::collections::BTreeMap;
use std::fmt::Debug;

use holdall::Code;
use holdall_convert::Format;
use holdall_convert::serde::{from_slice, to_vec};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(super) const PEERS: [Format; 3] = [Format::Json, Format::Msgpack, Format::Cbor];

fn written_by_peer(format: Format, value: &impl Serialize) -> Vec<u8> {
    match format {
        Format::Json => serde_json::to_vec(value).unwrap(),
        Format::Msgpack => rmp_serde::to_vec_named(value).unwrap(),
        _ => {
            let mut out = Vec::new();
            ciborium::into_writer(value, &mut out).unwrap();
            out
        }
    }
}

fn read_by_peer<T: DeserializeOwned>(format: Format, data: &[u8]) -> T {
    match format {
        Format::Json => serde_json::from_slice(data).unwrap(),
        Format::Msgpack => rmp_serde::from_slice(data).unwrap(),
        _ => ciborium::from_reader(data).unwrap(),
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Unit;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Empty {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Of {
    Unit,
    Null(()),
    Maybe(Option<u8>),
    Twice(Option<Option<u8>>),
    Items(Vec<u8>),
    NoItems(),
    NoFields {},
    Row { a: Option<Box<Of>> },
    Pair(char, Unit),
    Struct(Unit),
    Deep(Option<Box<Of>>),
    Some(u8),
    None,
    Single(f32),
    Double(f64),
    Numbers(BTreeMap<u16, Unit>),
    Signs(BTreeMap<i64, char>),
    Flags(BTreeMap<bool, Option<Of2>>),
    Chars(BTreeMap<char, u8>),
    Names(BTreeMap<Key, u8>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Of2 {
    Some,
    Other(Option<()>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Key {
    A,
    B,
}

/// A value, and its bytes as JSON, MessagePack and CBOR.
pub(super) type Row<T> = (T, &'static [u8], &'static [u8], &'static [u8]);

pub(super) fn has_these_bytes<T>(rows: Vec<Row<T>>)
where
    T: Serialize + DeserializeOwned + Debug + PartialEq,
{
    for (value, json, msgpack, cbor) in rows {
        for (format, bytes) in PEERS.into_iter().zip([json, msgpack, cbor]) {
            let written = to_vec(format, &value).unwrap();
            assert_eq!(
                written,
                bytes,
                "{format:?} {value:?} {}",
                String::from_utf8_lossy(&written)
            );
            assert_eq!(written_by_peer(format, &value), bytes, "{format:?} {value:?}");
            assert_eq!(from_slice::<T>(format, bytes).unwrap(), value, "{format:?}");
        }
    }
}

#[test]
fn a_variant_of_null_is_not_a_variant_without_a_payload() {
    let deep = |inner: Option<Of>| Of::Deep(inner.map(Box::new));
    has_these_bytes(vec![
        (Of::Unit, b"\"Unit\"", b"\xA4Unit", b"\x64Unit"),
        (Of::Null(()), b"{\"Null\":null}", b"\x81\xA4Null\xC0", b"\xA1\x64Null\xF6"),
        (Of::Maybe(None), b"{\"Maybe\":null}", b"\x81\xA5Maybe\xC0", b"\xA1\x65Maybe\xF6"),
        (Of::Maybe(Some(7)), b"{\"Maybe\":7}", b"\x81\xA5Maybe\x07", b"\xA1\x65Maybe\x07"),
        (Of::Twice(None), b"{\"Twice\":null}", b"\x81\xA5Twice\xC0", b"\xA1\x65Twice\xF6"),
        (Of::Twice(Some(Some(7))), b"{\"Twice\":7}", b"\x81\xA5Twice\x07", b"\xA1\x65Twice\x07"),
        (Of::NoItems(), b"{\"NoItems\":[]}", b"\x81\xA7NoItems\x90", b"\xA1\x67NoItems\x80"),
        (Of::NoFields {}, b"{\"NoFields\":{}}", b"\x81\xA8NoFields\x80", b"\xA1\x68NoFields\xA0"),
        (deep(None), b"{\"Deep\":null}", b"\x81\xA4Deep\xC0", b"\xA1\x64Deep\xF6"),
        (
            deep(Some(deep(None))),
            b"{\"Deep\":{\"Deep\":null}}",
            b"\x81\xA4Deep\x81\xA4Deep\xC0",
            b"\xA1\x64Deep\xA1\x64Deep\xF6",
        ),
        (
            deep(Some(Of::Unit)),
            b"{\"Deep\":\"Unit\"}",
            b"\x81\xA4Deep\xA4Unit",
            b"\xA1\x64Deep\x64Unit",
        ),
        (
            Of::Row { a: Some(Of::Maybe(None).into()) },
            b"{\"Row\":{\"a\":{\"Maybe\":null}}}",
            b"\x81\xA3Row\x81\xA1a\x81\xA5Maybe\xC0",
            b"\xA1\x63Row\xA1\x61a\xA1\x65Maybe\xF6",
        ),
    ]);
}

/// A message wraps the value of an option in a variant of that name where it could be mistaken.
#[test]
fn a_variant_named_some_is_itself_in_an_option() {
    has_these_bytes(vec![
        (Some(Of::Some(1)), b"{\"Some\":1}", b"\x81\xA4Some\x01", b"\xA1\x64Some\x01"),
        (Some(Of::None), b"\"None\"", b"\xA4None", b"\x64None"),
        (None, b"null", b"\xC0", b"\xF6"),
    ]);
    has_these_bytes(vec![
        (Some(Of2::Some), b"\"Some\"", b"\xA4Some", b"\x64Some"),
        (Some(Of2::Other(None)), b"{\"Other\":null}", b"\x81\xA5Other\xC0", b"\xA1\x65Other\xF6"),
    ]);
}

/// What serde's formats have no form for: it comes back as they give it back.
#[test]
fn a_present_option_of_null_is_null() {
    for format in PEERS {
        for value in [vec![Some(None)], vec![Some(Some(None))], vec![None]] {
            let value: Vec<Option<Option<Option<u8>>>> = value;
            let data = to_vec(format, &value).unwrap();
            assert_eq!(data, written_by_peer(format, &value), "{format:?} {value:?}");
            assert_eq!(
                from_slice::<Vec<Option<Option<Option<u8>>>>>(format, &data).unwrap(),
                [None]
            );
        }
        let value = [Of::Twice(Some(None))];
        let data = to_vec(format, &value).unwrap();
        assert_eq!(data, written_by_peer(format, &value));
        assert_eq!(from_slice::<Vec<Of>>(format, &data).unwrap(), [Of::Twice(None)]);
    }
}

#[test]
fn a_unit_struct_is_null_and_in_messagepack_an_empty_list() {
    has_these_bytes(vec![(Unit, b"null", b"\x90", b"\xF6")]);
    has_these_bytes(vec![(Empty {}, b"{}", b"\x80", b"\xA0")]);
    has_these_bytes(vec![(
        vec![Of::Struct(Unit), Of::Pair('x', Unit)],
        b"[{\"Struct\":null},{\"Pair\":[\"x\",null]}]",
        b"\x92\x81\xA6Struct\x90\x81\xA4Pair\x92\xA1x\x90",
        b"\x82\xA1\x66Struct\xF6\xA1\x64Pair\x82\x61x\xF6",
    )]);
    // As it was written before.
    for (format, data) in PEERS.into_iter().zip([&b"{}"[..], b"\x80", b"\xA0"]) {
        assert_eq!(from_slice::<Unit>(format, data).unwrap(), Unit);
    }
}

/// serde keeps a flattened field before it knows its type.
#[test]
fn flattened_unit_structs_come_back_where_they_are_null() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, Of>,
    }
    let flat = |of| vec![Flat { a: 1, rest: BTreeMap::from([("k".to_owned(), of)]) }];
    let all = [Of::Struct(Unit), Of::Null(()), Of::Maybe(None), Of::Unit, Of::Pair('x', Unit)];
    for value in all.map(flat) {
        for format in PEERS {
            for data in [to_vec(format, &value).unwrap(), written_by_peer(format, &value)] {
                // rmp-serde does not read its empty list there either: serde keeps it as a list.
                let has_list = matches!(value[0].rest["k"], Of::Struct(_) | Of::Pair(..));
                match from_slice::<Vec<Flat>>(format, &data) {
                    Ok(back) => assert_eq!(back, value, "{format:?}"),
                    Err(error) => {
                        assert_eq!((format, has_list), (Format::Msgpack, true), "{error}");
                        assert!(rmp_serde::from_slice::<Vec<Flat>>(&data).is_err());
                    }
                }
            }
        }
    }
}

#[test]
fn floats_of_32_bits_are_written_by_their_shortest_decimal() {
    let rows: [(f32, &str); 8] = [
        (0.1, "[0.1]"),
        (-0.0, "[-0.0]"),
        (1.0, "[1.0]"),
        (16_777_217.0, "[16777216.0]"),
        (3.402_823_5e38, "[3.4028235e+38]"),
        (1e-45, "[1e-45]"),
        (1.175_494_2e-38, "[1.1754942e-38]"),
        (0.3, "[0.3]"),
    ];
    for (value, text) in rows {
        let written = to_vec(Format::Json, &[value]).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
        assert_eq!(serde_json::to_string(&[value]).unwrap(), text);
        for format in [Format::Json, Format::Ndjson] {
            let data = to_vec(format, &[value]).unwrap();
            let back = from_slice::<[f32; 1]>(format, &data).unwrap();
            assert_eq!(back[0].to_bits(), value.to_bits());
        }
    }
    assert_eq!(to_vec(Format::Json, &[0.1_f64]).unwrap(), b"[0.1]");
    assert_eq!(to_vec(Format::Json, &[f64::from(0.1_f32)]).unwrap(), b"[0.10000000149011612]");
    // The nearest one of any decimal, and none beyond their range.
    assert_eq!(from_slice::<[f32; 1]>(Format::Json, b"[0.100000001]").unwrap(), [0.1]);
    assert_eq!(from_slice::<[f32; 1]>(Format::Json, b"[16777217]").unwrap(), [16_777_216.0]);
    assert_eq!(serde_json::from_slice::<[f32; 1]>(b"[16777217]").unwrap(), [16_777_216.0]);
    // Digits of more than 128 bits, too.
    let digits = "-123456789012345678901234567890123456789012345";
    let beyond = format!("[{digits}]");
    let wide = from_slice::<[f64; 1]>(Format::Json, beyond.as_bytes()).unwrap();
    assert_eq!(wide, [digits.parse::<f64>().unwrap()]);
    for text in ["[1e39]", "[-1e39]", "[1e-60]", &beyond] {
        let error = from_slice::<[f32; 1]>(Format::Json, text.as_bytes()).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0]"), "{text}");
    }
    // A format with types of its own has the number itself.
    for (format, data) in [(Format::Msgpack, b"\xCB"), (Format::Cbor, b"\xFB")] {
        let data = [&data[..], &0.1_f64.to_be_bytes()].concat();
        assert_eq!(from_slice::<f32>(format, &data).unwrap_err().code(), Code::Unconvertible);
    }
}

#[test]
fn keys_of_json_are_the_text_of_scalars() {
    let numbers = |keys: &[u16]| Of::Numbers(keys.iter().map(|key| (*key, Unit)).collect());
    let rows = [
        (numbers(&[]), "{\"Numbers\":{}}"),
        (numbers(&[0, 9, 65535]), "{\"Numbers\":{\"0\":null,\"9\":null,\"65535\":null}}"),
        (
            Of::Signs(BTreeMap::from([(i64::MIN, 'a'), (-1, 'b')])),
            "{\"Signs\":{\"-9223372036854775808\":\"a\",\"-1\":\"b\"}}",
        ),
        (
            Of::Flags(BTreeMap::from([(false, None), (true, Some(Of2::Some))])),
            "{\"Flags\":{\"false\":null,\"true\":\"Some\"}}",
        ),
        (Of::Chars(BTreeMap::from([('é', 1)])), "{\"Chars\":{\"é\":1}}"),
        (Of::Names(BTreeMap::from([(Key::A, 1), (Key::B, 2)])), "{\"Names\":{\"A\":1,\"B\":2}}"),
    ];
    for (value, text) in rows {
        assert_eq!(String::from_utf8(to_vec(Format::Json, &value).unwrap()).unwrap(), text);
        assert_eq!(serde_json::to_string(&value).unwrap(), text);
        // Rows with the same keys are read in another way than the first.
        let three = vec![value.clone(), value.clone(), value];
        let data = to_vec(Format::Ndjson, &three).unwrap();
        assert_eq!(from_slice::<Vec<Of>>(Format::Ndjson, &data).unwrap(), three);
    }
    let wide = BTreeMap::from([(u128::MAX, 1_u8)]);
    let text = to_vec(Format::Json, &wide).unwrap();
    assert_eq!(text, b"{\"340282366920938463463374607431768211455\":1}");
    assert_eq!(from_slice::<BTreeMap<u128, u8>>(Format::Json, &text).unwrap(), wide);
    // Only as JSON writes a number, so that no two keys become one.
    for key in ["", "+1", "01", "-0", " 1", "1.0", "1e0", "0x1", "256", "-1", "true"] {
        let text = format!("{{\"{key}\":1}}");
        let error = from_slice::<BTreeMap<u8, u8>>(Format::Json, text.as_bytes()).unwrap_err();
        assert_eq!(error.code(), Code::Unconvertible, "{key}");
        assert!(serde_json::from_str::<BTreeMap<u8, u8>>(&text).is_err(), "{key}");
    }
    for data in [&b"\x81\xA11\x01"[..], b"\xA1\x611\x01"] {
        let format = if data[0] == 0x81 { Format::Msgpack } else { Format::Cbor };
        let error = from_slice::<BTreeMap<u8, u8>>(format, data).unwrap_err();
        assert_eq!(error.code(), Code::Unconvertible, "text is no number in {format:?}");
    }
    // Null, floats that JSON lacks, and containers are no keys.
    #[derive(Serialize)]
    struct Pairs<K: Serialize>(#[serde(serialize_with = "as_map")] Vec<(K, u8)>);
    fn as_map<K: Serialize, S: serde::Serializer>(
        pairs: &[(K, u8)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_map(pairs.iter().map(|(key, value)| (key, value)))
    }
    assert_eq!(to_vec(Format::Json, &Pairs(vec![(0.1_f32, 1)])).unwrap(), b"{\"0.1\":1}");
    for error in [
        to_vec(Format::Json, &Pairs(vec![((), 1)])).unwrap_err(),
        to_vec(Format::Json, &Pairs(vec![(Unit, 1)])).unwrap_err(),
        to_vec(Format::Json, &Pairs(vec![(f64::NAN, 1)])).unwrap_err(),
        to_vec(Format::Json, &Pairs(vec![(vec![1], 1)])).unwrap_err(),
    ] {
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0].key"));
    }
    let error = to_vec(Format::Json, &Pairs(vec![(Of::Some(1), 1)])).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0].key<Some>"));
}

#[test]
fn integers_of_128_bits_are_read_from_16_bytes_of_messagepack() {
    for value in [0, 1, -5, i128::MIN, i128::MAX, i128::from(u64::MAX) + 1] {
        let data = rmp_serde::to_vec(&[value]).unwrap();
        assert_eq!(data, [b"\x91\xC4\x10", &value.to_be_bytes()[..]].concat());
        assert_eq!(from_slice::<[i128; 1]>(Format::Msgpack, &data).unwrap(), [value]);
        let bits = value.cast_unsigned();
        let data = rmp_serde::to_vec(&[bits]).unwrap();
        assert_eq!(from_slice::<[u128; 1]>(Format::Msgpack, &data).unwrap(), [bits]);
    }
    // What fits 64 bits is an integer, which rmp-serde reads.
    assert_eq!(to_vec(Format::Msgpack, &-5_i128).unwrap(), b"\xFB");
    assert_eq!(rmp_serde::from_slice::<i128>(b"\xFB").unwrap(), -5);
    let error = to_vec(Format::Msgpack, &[u128::MAX]).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0]"));
    for data in [&b"\xC4\x0F000000000000000"[..], b"\xC4\x1100000000000000000", b"\xD910"] {
        assert!(from_slice::<i128>(Format::Msgpack, data).is_err());
    }
    let cbor = [&b"\x50"[..], &[0; 16]].concat();
    assert_eq!(from_slice::<i128>(Format::Cbor, &cbor).unwrap_err().code(), Code::Unconvertible);
}

/// With a [`holdall::Value`] inside, a message is between, where a variant of null has no payload and a unit struct no fields.
#[test]
fn what_is_written_by_way_of_a_message_comes_back() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Whole {
        value: holdall::Value,
        of: Vec<Of>,
    }
    let of = vec![Of::Null(()), Of::Maybe(None), Of::Unit, Of::Struct(Unit), Of::Single(0.1)];
    let whole = Whole { value: true.into(), of };
    let json = to_vec(Format::Json, &whole).unwrap();
    let text = r#"{"value":true,"of":["Null","Maybe","Unit",{"Struct":{}},{"Single":0.1}]}"#;
    assert_eq!(String::from_utf8(json).unwrap(), text);
    for format in PEERS {
        let data = to_vec(format, &whole).unwrap();
        assert_eq!(from_slice::<Whole>(format, &data).unwrap(), whole, "{format:?}");
    }
    let error = from_slice::<Vec<Of>>(Format::Json, b"[\"Some\"]").unwrap_err();
    let text = "unconvertible in $[0]<Some>: expected newtype variant, got unit variant";
    assert_eq!(error.to_string(), text);
}

fn any_of() -> impl Strategy<Value = Of> {
    let leaves = prop_oneof![
        Just(Of::Unit),
        Just(Of::None),
        Just(Of::Null(())),
        Just(Of::NoItems()),
        Just(Of::NoFields {}),
        Just(Of::Struct(Unit)),
        any::<u8>().prop_map(Of::Some),
        any::<Option<u8>>().prop_map(Of::Maybe),
        any::<Option<u8>>().prop_map(|inner| Of::Twice(inner.map(Some))),
        vec(any::<u8>(), 0..3).prop_map(Of::Items),
        any::<char>().prop_map(|char| Of::Pair(char, Unit)),
        any::<f32>().prop_filter("finite", |value| value.is_finite()).prop_map(Of::Single),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Of::Double),
        btree_map(any::<u16>(), Just(Unit), 0..4).prop_map(Of::Numbers),
        btree_map(any::<i64>(), any::<char>(), 0..4).prop_map(Of::Signs),
        btree_map(any::<char>(), any::<u8>(), 0..4).prop_map(Of::Chars),
    ];
    leaves.prop_recursive(4, 12, 2, |inner| {
        let maybe = prop::option::of(inner).prop_map(|inner| inner.map(Box::new));
        prop_oneof![maybe.clone().prop_map(Of::Deep), maybe.prop_map(|a| Of::Row { a }),]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn peers_write_what_we_write_and_each_reads_the_other(all in vec(prop::option::of(any_of()), 0..6)) {
        for format in PEERS {
            let data = to_vec(format, &all).unwrap();
            let peers = written_by_peer(format, &all);
            // ciborium writes each float by the shortest one of the same value.
            let text = format!("{all:?}");
            if format != Format::Cbor || !text.contains("Single") && !text.contains("Double") {
                prop_assert_eq!(&data, &peers, "{:?}", format);
            }
            prop_assert_eq!(&from_slice::<Vec<Option<Of>>>(format, &peers).unwrap(), &all, "{:?}", format);
            prop_assert_eq!(&from_slice::<Vec<Option<Of>>>(format, &data).unwrap(), &all, "{:?}", format);
            prop_assert_eq!(&read_by_peer::<Vec<Option<Of>>>(format, &data), &all, "{:?}", format);
        }
    }

    #[test]
    fn each_float_of_32_bits_is_that_of_serde_json(bits in any::<u32>()) {
        let value = f32::from_bits(bits);
        prop_assume!(value.is_finite());
        let text = to_vec(Format::Json, &[value]).unwrap();
        prop_assert_eq!(&text, &serde_json::to_vec(&[value]).unwrap());
        prop_assert_eq!(from_slice::<[f32; 1]>(Format::Json, &text).unwrap()[0].to_bits(), bits);
    }
}
