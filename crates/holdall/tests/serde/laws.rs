//! Laws over random values of a type that uses every feature.

use std::collections::{BTreeMap, BTreeSet};

use holdall::serde::{from_slice, to_vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::mapping::Blob;
use super::round;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unit;
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct New(Option<Box<All>>);
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair(i8, Option<Option<u8>>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    a: Option<String>,
    #[serde(rename = "β")]
    b: u32,
    #[serde(flatten)]
    rest: BTreeMap<String, Option<i64>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum Tagged {
    One { x: u8 },
    Two(Inner),
    Three,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
pub enum Adjacent {
    A,
    B(u8, char),
    C { x: Option<u8> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Untagged {
    Number(i64),
    Text(String),
    List(Vec<Untagged>),
    Inner(Inner),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inner {
    y: Vec<i16>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum All {
    Unit,
    Null((), Option<()>),
    Bool(bool),
    Ints(u8, i16, u32, i64, u64),
    Wide(u128, i128),
    Floats(f32, f64),
    Char(char),
    Text(String),
    Bytes(Blob),
    Units(Unit, Pair),
    New(New),
    Rows(Vec<Row>),
    Tagged(Vec<Tagged>),
    Adjacent(Adjacent),
    Untagged(Untagged),
    Named { x: u8, list: Vec<All> },
    Keys(BTreeMap<String, All>),
    Numbers(BTreeMap<i32, All>),
    Tuples(BTreeMap<(u8, bool), BTreeSet<char>>),
    Nine([u16; 9], Option<Option<Option<bool>>>),
}

fn leaf() -> impl Strategy<Value = All> {
    let text = || prop_oneof!["[a-c]{0,3}", ".{0,10}", "[0-9-]{4,10}"];
    let inner = || proptest::collection::vec(any::<i16>(), 0..6).prop_map(|y| Inner { y });
    let untagged = prop_oneof![
        any::<i64>().prop_map(Untagged::Number),
        text().prop_map(Untagged::Text),
        inner().prop_map(Untagged::Inner),
    ];
    let untagged = untagged.prop_recursive(3, 10, 4, |inner| {
        proptest::collection::vec(inner, 0..4).prop_map(Untagged::List)
    });
    let row = (
        proptest::option::of(text()),
        any::<u32>(),
        proptest::collection::btree_map("[c-f]{1,3}", any::<Option<i64>>(), 0..4),
    );
    let row = row.prop_map(|(a, b, rest)| Row { a, b, rest });
    let tagged = prop_oneof![
        any::<u8>().prop_map(|x| Tagged::One { x }),
        inner().prop_map(Tagged::Two),
        Just(Tagged::Three),
    ];
    let adjacent = prop_oneof![
        Just(Adjacent::A),
        any::<(u8, char)>().prop_map(|(a, b)| Adjacent::B(a, b)),
        any::<Option<u8>>().prop_map(|x| Adjacent::C { x }),
    ];
    // NaN is not equal to itself.
    let floats =
        (any::<f32>(), any::<f64>()).prop_filter("numbers", |(a, b)| !a.is_nan() && !b.is_nan());
    prop_oneof![
        Just(All::Unit),
        any::<Option<()>>().prop_map(|unit| All::Null((), unit)),
        any::<bool>().prop_map(All::Bool),
        any::<(u8, i16, u32, i64, u64)>().prop_map(|(a, b, c, d, e)| All::Ints(a, b, c, d, e)),
        any::<(u128, i128)>().prop_map(|(a, b)| All::Wide(a, b)),
        floats.prop_map(|(a, b)| All::Floats(a, b)),
        any::<char>().prop_map(All::Char),
        text().prop_map(All::Text),
        any::<Vec<u8>>().prop_map(|bytes| All::Bytes(Blob(bytes))),
        any::<(i8, Option<Option<u8>>)>().prop_map(|(a, b)| All::Units(Unit, Pair(a, b))),
        proptest::collection::vec(row, 0..6).prop_map(All::Rows),
        proptest::collection::vec(tagged, 0..6).prop_map(All::Tagged),
        adjacent.prop_map(All::Adjacent),
        untagged.prop_map(All::Untagged),
        any::<([u16; 9], Option<Option<Option<bool>>>)>().prop_map(|(a, b)| All::Nine(a, b)),
        proptest::collection::btree_map(any::<(u8, bool)>(), any::<BTreeSet<char>>(), 0..3)
            .prop_map(All::Tuples),
    ]
}

pub fn all() -> impl Strategy<Value = All> {
    leaf().prop_recursive(4, 40, 6, |inner| {
        let key = prop_oneof!["[a-c]{1,2}", "[0-9]{4}"];
        prop_oneof![
            proptest::option::of(inner.clone().prop_map(Box::new))
                .prop_map(|all| All::New(New(all))),
            (any::<u8>(), proptest::collection::vec(inner.clone(), 0..6))
                .prop_map(|(x, list)| All::Named { x, list }),
            proptest::collection::btree_map(key, inner.clone(), 0..4).prop_map(All::Keys),
            proptest::collection::btree_map(any::<i32>(), inner, 0..4).prop_map(All::Numbers),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_value_survives(value in all()) {
        round(&value);
    }

    #[test]
    fn equal_values_give_equal_bytes(value in all()) {
        prop_assert_eq!(to_vec(&value).unwrap(), to_vec(&value.clone()).unwrap());
    }

    #[test]
    fn lists_of_values_survive(values in proptest::collection::vec(proptest::option::of(all()), 0..8)) {
        round(&values);
    }

    #[test]
    fn any_value_is_read_without_its_type(value in all()) {
        let bytes = to_vec(&value).unwrap();
        from_slice::<serde::de::IgnoredAny>(&bytes).unwrap();
        prop_assert_eq!(from_slice::<holdall::Value>(&bytes).unwrap(), holdall::from_slice(&bytes).unwrap());
    }
}
