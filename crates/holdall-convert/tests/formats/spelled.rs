//! Values of derived types that a format spells by others: variants as names and maps, times and addresses as text, keys as text.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::{Duration, SystemTime};

use holdall::{Code, Decode, DecodeOwned, Encode, f16};
use holdall_convert::{Format, Unpacker};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
enum Shape {
    Point,
    Circle(f32),
    Line(i32, String),
    Box { width: u8, inside: Option<Box<Shape>>, all: Vec<Shape> },
    Other(Option<Kind>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
enum Kind {
    Plain,
    Sized { len: u32 },
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Plain), any::<u32>().prop_map(|len| Kind::Sized { len })]
}

fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Point),
        (-1e30_f32..1e30).prop_map(Shape::Circle),
        (any::<i32>(), "[A-C]{0,5}").prop_map(|(number, text)| Shape::Line(number, text)),
        proptest::option::of(kinds()).prop_map(Shape::Other),
    ];
    leaf.prop_recursive(3, 20, 3, |inner| {
        (any::<u8>(), proptest::option::of(inner.clone()), vec(inner, 0..3)).prop_map(
            |(width, inside, all)| Shape::Box { width, inside: inside.map(Box::new), all },
        )
    })
}

/// The formats whose roots are any values, and that have no variants.
const FORMATS: [Format; 4] = [Format::Json, Format::Ndjson, Format::Msgpack, Format::Cbor];

fn comes_back<T: Encode + DecodeOwned + Debug + PartialEq>(
    unpacker: Unpacker,
    format: Format,
    value: &T,
) {
    let bytes = unpacker.to_vec(value).unwrap_or_else(|error| panic!("{format:?}: {error}"));
    let back = format.from_slice::<T>(&bytes);
    let back = back.unwrap_or_else(|error| {
        panic!("{format:?}: {error} in {}", String::from_utf8_lossy(&bytes))
    });
    assert_eq!(back, *value, "{format:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn variants_come_back_from_formats_without_them(shapes in vec(shapes(), 0..5)) {
        for format in FORMATS {
            comes_back(Unpacker::new(format), format, &shapes);
        }
        comes_back(Unpacker::new(Format::Bson), Format::Bson, &BTreeMap::from([("shapes".to_owned(), shapes)]));
    }
}

#[test]
fn variants_are_written_as_serde_has_them() {
    let shapes = [
        Shape::Point,
        Shape::Circle(0.1),
        Shape::Line(1, "x".into()),
        Shape::Box { width: 2, inside: Some(Shape::Point.into()), all: vec![Shape::Other(None)] },
        Shape::Other(Some(Kind::Sized { len: 7 })),
    ];
    let json = Format::Json.to_vec(&shapes).unwrap();
    let expected = r#"["Point",{"Circle":0.1},{"Line":[1,"x"]},{"Box":{"width":2,"inside":"Point","all":["Other"]}},{"Other":{"Sized":{"len":7}}}]"#;
    assert_eq!(String::from_utf8(json).unwrap(), expected);
    let read = Format::Json.from_slice::<Vec<Shape>>(expected.as_bytes()).unwrap();
    assert_eq!(read, shapes);
}

#[test]
fn what_names_no_variant_is_refused_with_its_path() {
    for (text, path, code) in [
        (r#"["Point", "Square"]"#, "$[1]<Square>", Code::Unconvertible),
        (r#"["Point", {"Square": 1}]"#, "$[1]<Square>", Code::Unconvertible),
        (r#"["Point", {"Circle": "x"}]"#, "$[1]<Circle>", Code::Unconvertible),
        (r#"[{"Circle": 1, "Line": 2}]"#, "$[]", Code::Incompatible),
        (r#"[5]"#, "$[]", Code::Incompatible),
        (r#"[{"Box": {"width": 300, "all": []}}]"#, "$[0]<Box>.width", Code::Unconvertible),
    ] {
        let error = Format::Json.from_slice::<Vec<Shape>>(text.as_bytes()).unwrap_err();
        assert_eq!((error.path(), error.code()), (path, code), "{text}: {error}");
    }
}

#[test]
fn enums_are_in_tables() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    struct Row {
        kind: Kind,
        ratio: f32,
        at: SystemTime,
        from: Option<Ipv4Addr>,
    }
    let at = SystemTime::UNIX_EPOCH + Duration::from_millis(1500);
    let rows = vec![
        Row { kind: Kind::Plain, ratio: 0.1, at, from: Some(Ipv4Addr::LOCALHOST) },
        Row { kind: Kind::Plain, ratio: -2.5e-30, at, from: None },
    ];
    for format in [Format::Csv, Format::Json, Format::Ndjson] {
        comes_back(Unpacker::new(format).storage(true), format, &rows);
    }
    let csv = Unpacker::new(Format::Csv).storage(true).to_vec(&rows[..1]).unwrap();
    let text = "kind,ratio,at,from\nPlain,0.10000000149011612,1970-01-01T00:00:01.5Z,127.0.0.1\n";
    assert_eq!(String::from_utf8(csv).unwrap(), text);
}

#[test]
fn recursive_enums_come_back_however_deep_they_are() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    enum Chain {
        End,
        Next(Vec<Chain>),
    }
    let mut chain = Chain::End;
    for _ in 0..1000 {
        chain = Chain::Next(vec![chain]);
    }
    for format in FORMATS.iter().filter(|format| **format != Format::Ndjson) {
        comes_back(Unpacker::new(*format), *format, &chain);
    }
}

#[test]
fn results_and_addresses_come_back() {
    type Both = (Result<u8, String>, Result<(), Kind>, IpAddr, IpAddr);
    let both: Both =
        (Ok(7), Err(Kind::Plain), Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into());
    let other: Both = (Err("no".into()), Ok(()), Ipv6Addr::UNSPECIFIED.into(), both.2);
    for value in [vec![both.clone()], vec![both, other]] {
        for format in FORMATS {
            comes_back(Unpacker::new(format).storage(true), format, &value);
        }
    }
}

#[test]
fn floats_are_the_nearest_to_decimals_of_text() {
    for (text, wide) in [
        ("0.1", 0.1),
        ("123456789012345680000", 123_456_789_012_345_680_000.0),
        ("9007199254740993", 9_007_199_254_740_992.0),
        ("-9223372036854775809", -9_223_372_036_854_775_808.0),
        ("18446744073709551615", 18_446_744_073_709_551_615.0),
        ("7", 7.0),
        ("16777217", 16_777_217.0),
        ("255211775190703847597530955573826158592", 2.552_117_751_907_038_5e38),
    ] {
        let list = format!("[{text}]");
        assert_eq!(Format::Json.from_slice::<Vec<f64>>(list.as_bytes()).unwrap(), [wide]);
        let narrow: f32 = text.parse().unwrap();
        assert_eq!(Format::Json.from_slice::<Vec<f32>>(list.as_bytes()).unwrap(), [narrow]);
    }
    let half = Format::Json.from_slice::<f16>(b"0.1").unwrap();
    assert_eq!(half, f16::from_f64(0.1));
    // No float is near to these.
    for text in ["1e39", "1e-60"] {
        let error = Format::Json.from_slice::<f32>(text.as_bytes()).unwrap_err();
        assert_eq!(error.code(), Code::Unconvertible, "{text}");
    }
    let digits = "1".repeat(400);
    let error = Format::Json.from_slice::<f64>(digits.as_bytes()).unwrap_err();
    assert_eq!(error.code(), Code::Unconvertible);
    // A format with floats of each width means what it says.
    let wide = Format::Cbor.to_vec(&0.1_f64).unwrap();
    let error = Format::Cbor.from_slice::<f32>(&wide).unwrap_err();
    assert_eq!(error.code(), Code::Unconvertible);
}

#[test]
fn keys_of_text_are_numbers_and_booleans() {
    let ages: BTreeMap<u8, Option<Kind>> =
        BTreeMap::from([(7, None), (200, Some(Kind::Sized { len: 1 }))]);
    let large: BTreeMap<u64, u8> = BTreeMap::from([(u64::MAX, 1), (0, 2)]);
    let signed: HashMap<i64, BTreeMap<bool, u8>> =
        HashMap::from([(i64::MIN, BTreeMap::from([(true, 1), (false, 0)]))]);
    let of_kinds: BTreeMap<Kind, BTreeSet<u8>> =
        BTreeMap::from([(Kind::Plain, BTreeSet::from([1]))]);
    let many: BTreeMap<i32, u8> = (-400..400).map(|key| (key, 1)).collect();
    for format in [Format::Json, Format::Cbor] {
        comes_back(Unpacker::new(format), format, &ages);
        comes_back(Unpacker::new(format), format, &large);
        comes_back(Unpacker::new(format), format, &signed);
        comes_back(Unpacker::new(format).storage(true), format, &of_kinds);
        comes_back(Unpacker::new(format), format, &many);
    }
    assert_eq!(Format::Json.to_vec(&large).unwrap(), br#"{"0":2,"18446744073709551615":1}"#);
    for (text, path) in
        [(r#"{"+7": null}"#, "$"), (r#"{"07": null}"#, "$"), (r#"{"x": null}"#, "$")]
    {
        let error = Format::Json.from_slice::<BTreeMap<u8, Option<Kind>>>(text.as_bytes());
        assert!(error.unwrap_err().path().starts_with(path), "{text}");
    }
}

#[test]
fn formats_with_variants_write_them_as_such() {
    let kinds = vec![Kind::Plain, Kind::Sized { len: 7 }];
    for format in [Format::Dlhn, Format::Holdall] {
        comes_back(Unpacker::new(format), format, &kinds);
        let own = Unpacker::new(format).to_vec(&kinds).unwrap();
        let names = Format::Json.to_vec(&kinds).unwrap();
        assert_ne!(own, names);
    }
    assert_eq!(Format::Holdall.to_vec(&kinds).unwrap(), holdall::to_vec(&kinds).unwrap());
}

#[test]
fn what_a_type_does_not_know_is_passed_on_by_formats_with_names() {
    use holdall::value::Record;

    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Today {
        id: u64,
        #[holdall(unknown)]
        rest: Record,
    }
    let text = r#"[{"id":1,"name":"Ada","all":[{"x":null}]},{"id":2}]"#;
    let rows: Vec<Today> = Format::Json.from_slice(text.as_bytes()).unwrap();
    assert_eq!(rows[0].rest.field("name").unwrap().as_str(), Some("Ada"));
    assert_eq!(Format::Json.to_vec(&rows).unwrap(), text.as_bytes());
    for format in [Format::Ndjson, Format::Msgpack, Format::Cbor] {
        comes_back(Unpacker::new(format), format, &rows);
    }
}

#[test]
fn chars_are_text_in_every_format() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    struct Row {
        c: char,
        some: Option<char>,
        kind: Kind,
        n: u8,
    }
    let row = |c, some| Row { c, some, kind: Kind::Plain, n: 1 };
    let rows = vec![row('7', Some('9')), row('a', None), row('\u{1F600}', Some(','))];
    for format in [Format::Csv, Format::Json, Format::Ndjson, Format::Msgpack, Format::Cbor] {
        comes_back(Unpacker::new(format), format, &rows);
        comes_back(Unpacker::new(format), format, &rows[..1].to_vec());
    }
    let keys = BTreeMap::from([('7', 1_u8), ('x', 2)]);
    let of_text = BTreeMap::from([(Some("a".to_owned()), 1_u8)]);
    for format in [Format::Json, Format::Msgpack, Format::Cbor] {
        comes_back(Unpacker::new(format), format, &keys);
        comes_back(Unpacker::new(format), format, &of_text);
    }
    let error = Format::Json.from_slice::<Vec<char>>(br#"["ab"]"#).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Incompatible, "$[]"));
}

#[test]
fn addresses_are_read_as_serde_writes_them_and_of_their_own_version_alone() {
    let both = [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()];
    let text = br#"["127.0.0.1","::1"]"#;
    assert_eq!(Format::Json.from_slice::<Vec<IpAddr>>(text).unwrap(), both);
    for text in [r#"["::1"]"#, r#"["1.2.3"]"#, r#"[""]"#] {
        let error = Format::Json.from_slice::<Vec<Ipv4Addr>>(text.as_bytes()).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Incompatible, "$[]"), "{text}");
    }
    let error = Format::Json.from_slice::<Vec<IpAddr>>(br#"["x"]"#).unwrap_err();
    assert_eq!(error.code(), Code::Incompatible);
}

#[test]
fn structs_that_come_as_maps_have_the_types_of_their_fields() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Row {
        kind: Kind,
        ratio: f32,
    }
    let unknown: Vec<String> =
        (0..1000).map(|number| format!(r#""unknown{number}":{number}"#)).collect();
    let unknown = unknown.join(",");
    let wide = format!(r#"{{"kind":"Plain","ratio":0.1,{unknown}}}"#);
    let expected = Row { kind: Kind::Plain, ratio: 0.1 };
    assert_eq!(Format::Json.from_slice::<Row>(wide.as_bytes()).unwrap(), expected);
    let rows: Vec<String> = (0..300)
        .map(|number| format!(r#"{{"kind":{{"Sized":{{"len":1}}}},"own{number}":[],"ratio":0.1}}"#))
        .collect();
    let rows = Format::Json.from_slice::<Vec<Row>>(format!("[{}]", rows.join(",")).as_bytes());
    let expected = Row { kind: Kind::Sized { len: 1 }, ratio: 0.1 };
    assert!(rows.unwrap().iter().all(|row| *row == expected));
}

#[test]
fn values_inside_the_types_of_a_format_come_back() {
    let sets = vec![BTreeSet::from([Kind::Plain, Kind::Sized { len: 1 }])];
    for storage in [false, true] {
        comes_back(Unpacker::new(Format::Cbor).storage(storage), Format::Cbor, &sets);
    }
    let large = BTreeMap::from([(i128::MIN, 1_u8), (i128::MAX, 2), (-1, 3)]);
    let unsigned = BTreeMap::from([(u128::MAX, 1_u8), (7, 2)]);
    comes_back(Unpacker::new(Format::Json), Format::Json, &large);
    comes_back(Unpacker::new(Format::Json), Format::Json, &unsigned);
}
