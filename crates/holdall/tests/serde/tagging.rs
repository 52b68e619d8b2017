//! Enums with other forms of tags, for which serde examines a value before it knows its type.

use std::collections::BTreeMap;

use holdall::serde::{from_slice, to_vec};
use serde::{Deserialize, Serialize};

use super::{round, schema};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Point {
    x: i16,
    y: Option<f32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Tuple(u8, char);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Plain {
    A,
    B(u8),
    C(u8, String),
    D { x: Option<u8> },
    E(Option<Option<u8>>),
}

fn plains() -> Vec<Plain> {
    vec![
        Plain::A,
        Plain::B(1),
        Plain::C(1, "x".into()),
        Plain::D { x: None },
        Plain::D { x: Some(1) },
        Plain::E(None),
        Plain::E(Some(None)),
        Plain::E(Some(Some(1))),
    ]
}

#[test]
fn internally_tagged_enums_survive() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "t")]
    enum Internal {
        Unit,
        Of(Point),
        Map(BTreeMap<String, u8>),
        Struct { x: u8, plain: Plain, tuple: Tuple, twice: Option<Option<u8>> },
        Unitary(Empty),
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Empty;
    let mut all = vec![
        Internal::Unit,
        Internal::Of(Point { x: -1, y: Some(0.5) }),
        Internal::Of(Point { x: 1, y: None }),
        Internal::Map(BTreeMap::from([("a".into(), 1)])),
        Internal::Unitary(Empty),
    ];
    all.extend(
        plains()
            .into_iter()
            .zip([None, Some(None), Some(Some(1))].into_iter().cycle())
            .map(|(plain, twice)| Internal::Struct { x: 1, plain, tuple: Tuple(1, 'x'), twice }),
    );
    all.iter().for_each(|one| drop(round(one)));
    round(&all);
}

#[test]
fn adjacently_tagged_enums_survive() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Unit,
        New(Plain),
        Tuple(u8, Tuple),
        Struct { x: Point },
        None(Option<u8>),
    }
    let mut all = vec![
        Adjacent::Unit,
        Adjacent::Tuple(1, Tuple(2, 'y')),
        Adjacent::Struct { x: Point { x: 1, y: None } },
        Adjacent::None(None),
        Adjacent::None(Some(1)),
    ];
    all.extend(plains().into_iter().map(Adjacent::New));
    all.iter().for_each(|one| drop(round(one)));
    let bytes = round(&all);
    assert!(schema(&bytes).starts_with("list(struct Adjacent {t: union {Unit: null, "));

    // If the content precedes the tag, serde buffers it.
    #[derive(Serialize)]
    struct Turned<C> {
        c: C,
        t: &'static str,
    }
    let bytes = to_vec(&Turned { c: (1_u8, Tuple(2, 'y')), t: "Tuple" }).unwrap();
    assert_eq!(from_slice::<Adjacent>(&bytes).unwrap(), Adjacent::Tuple(1, Tuple(2, 'y')));
    for plain in plains() {
        let bytes = to_vec(&Turned { c: &plain, t: "New" }).unwrap();
        assert_eq!(from_slice::<Adjacent>(&bytes).unwrap(), Adjacent::New(plain));
    }
}

#[test]
fn untagged_enums_survive() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Unit,
        Bool(bool),
        Number(u8),
        Wide(i64),
        Float(f64),
        Char(char),
        Text(String),
        Pair(u8, Option<u8>),
        Tuple(Tuple),
        Point(Point),
        Plain(Plain),
        List(Vec<Untagged>),
        Struct { name: String, more: Box<Option<Untagged>> },
        Map(BTreeMap<i8, u8>),
    }
    let mut all = vec![
        Untagged::Unit,
        Untagged::Bool(true),
        Untagged::Number(200),
        Untagged::Wide(-5),
        Untagged::Float(0.5),
        Untagged::Char('é'),
        Untagged::Text("text".into()),
        Untagged::Point(Point { x: 1, y: None }),
        Untagged::Tuple(Tuple(1, 'x')),
        Untagged::Pair(1, None),
        Untagged::List(vec![Untagged::Unit, Untagged::Text("xy".into()), Untagged::List(vec![])]),
        Untagged::Struct { name: "x".into(), more: Box::new(Some(Untagged::Bool(false))) },
        Untagged::Map(BTreeMap::from([(-1, 1)])),
    ];
    all.extend(plains().into_iter().map(Untagged::Plain));
    all.iter().for_each(|one| drop(round(one)));
    round(&all);
    round(&Untagged::List(all));
}

#[test]
fn a_tuple_struct_is_a_map_only_on_request() {
    let bytes = to_vec(&Tuple(1, 'x')).unwrap();
    let map: BTreeMap<String, serde_json::Value> = from_slice(&bytes).unwrap();
    assert_eq!(map.keys().collect::<Vec<_>>(), ["0", "1"]);
    let any: serde_json::Value = from_slice(&bytes).unwrap();
    assert_eq!(any.to_string(), r#"[1,"x"]"#);
}

#[test]
fn variants_with_serde_other_take_the_rest() {
    #[derive(Debug, PartialEq, Deserialize)]
    enum Known {
        A,
        #[serde(other)]
        Other,
    }
    let read: Vec<Known> = from_slice(&to_vec(&[Plain::A]).unwrap()).unwrap();
    assert_eq!(read, [Known::A]);
    #[derive(Serialize)]
    enum New {
        B,
    }
    assert_eq!(from_slice::<Known>(&to_vec(&New::B).unwrap()).unwrap(), Known::Other);
}

#[test]
fn variants_are_also_read_from_strings_and_maps_of_one_entry() {
    for (value, expected) in [
        (serde_json::json!("A"), Plain::A),
        (serde_json::json!({"A": null}), Plain::A),
        (serde_json::json!({"B": 1}), Plain::B(1)),
        (serde_json::json!({"C": [1, "x"]}), Plain::C(1, "x".into())),
        (serde_json::json!({"D": {"x": 1}}), Plain::D { x: Some(1) }),
    ] {
        let read: Plain = from_slice(&to_vec(&value).unwrap()).unwrap();
        assert_eq!(read, expected);
    }
    let map = BTreeMap::from([("20240101".to_owned(), 1)]);
    #[derive(Debug, PartialEq, Deserialize)]
    enum Dated {
        #[serde(rename = "20240101")]
        On(u8),
    }
    assert_eq!(from_slice::<Dated>(&to_vec(&map).unwrap()).unwrap(), Dated::On(1));
    for bad in [
        serde_json::json!("B"),
        serde_json::json!({}),
        serde_json::json!({"A": 1}),
        serde_json::json!({"A": null, "B": 1}),
        serde_json::json!(1),
    ] {
        let error = from_slice::<Plain>(&to_vec(&bad).unwrap()).unwrap_err();
        assert_eq!(error.code().as_str(), "unconvertible", "{bad}: {error}");
    }
}

#[test]
fn serde_keeps_no_integers_of_128_bits() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Wide(u128),
    }
    let error = from_slice::<Untagged>(&to_vec(&Untagged::Wide(1)).unwrap()).unwrap_err();
    assert_eq!(error.code().as_str(), "custom");
    // If it need not buffer them, they survive.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Wide(u128, i128),
    }
    round(&Adjacent::Wide(u128::MAX, i128::MIN));
}
