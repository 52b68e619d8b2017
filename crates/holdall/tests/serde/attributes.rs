//! Each of serde's attributes that changes the written or read form.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;

use holdall::Code;
use holdall::serde::{from_slice, to_vec};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::{check, round, schema};

#[track_caller]
fn reads_as<T: DeserializeOwned + PartialEq + Debug>(value: &impl Serialize, expected: T) {
    assert_eq!(from_slice::<T>(&to_vec(value).unwrap()).unwrap(), expected);
}

#[test]
fn flatten_takes_fields_in_and_out() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Inner {
        b: Option<u8>,
        c: Vec<char>,
        d: (u8, Tuple),
        e: Kind,
        f: Option<Option<u8>>,
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Tuple(u8, String);
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Kind {
        A,
        B(u8),
        C(u8, u8),
        D { x: f32 },
        E(Option<u8>),
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Outer {
        a: u8,
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        rest: BTreeMap<String, i64>,
    }
    let kinds = [Kind::A, Kind::B(1), Kind::C(1, 2), Kind::D { x: 0.5 }, Kind::E(None)];
    let all: Vec<Outer> = kinds
        .into_iter()
        .zip([None, Some(None), Some(Some(1)), None, None])
        .map(|(e, f)| Outer {
            a: 1,
            inner: Inner { b: None, c: vec!['x'], d: (1, Tuple(2, "y".into())), e, f },
            rest: BTreeMap::from([("z".to_owned(), -1)]),
        })
        .collect();
    all.iter().for_each(|one| drop(round(one)));
    round(&all);
}

#[test]
fn flatten_works_with_enums_and_keys_of_other_types() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Kind {
        A,
        B(u8),
        C(u8, u8),
        D { x: u8 },
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Outer {
        a: u8,
        #[serde(flatten)]
        kind: Kind,
    }
    let kinds = [Kind::A, Kind::B(1), Kind::C(1, 2), Kind::D { x: 1 }];
    round(&kinds.map(|kind| Outer { a: 1, kind }).to_vec());

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Numbers {
        name: String,
        #[serde(flatten)]
        by_number: BTreeMap<u64, bool>,
    }
    let bytes =
        round(&Numbers { name: "x".into(), by_number: BTreeMap::from([(1, true), (2, false)]) });
    assert_eq!(schema(&bytes), "map(union(string, u64), union(string, bool))");
}

#[test]
fn two_flattened_fields_of_one_name_are_an_error() {
    #[derive(Serialize)]
    struct Twice {
        a: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, u8>,
    }
    let error = to_vec(&Twice { a: 1, rest: BTreeMap::from([("a".into(), 2)]) }).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::DuplicateKey, "$"));
}

#[test]
fn skip_leaves_a_field_out_and_gives_its_default() {
    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Skipping {
        a: u8,
        #[serde(skip)]
        b: u8,
        #[serde(skip_serializing, default)]
        c: u8,
        #[serde(skip_deserializing)]
        d: u8,
    }
    let bytes = to_vec(&Skipping { a: 1, b: 2, c: 3, d: 4 }).unwrap();
    assert_eq!(schema(&bytes), "struct Skipping {a: u8, d: u8}");
    let read: Skipping = from_slice(&bytes).unwrap();
    assert_eq!(read, Skipping { a: 1, b: 0, c: 0, d: 0 });

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Tuple(u8, #[serde(skip)] u8, u8);
    reads_as(&Tuple(1, 2, 3), Tuple(1, 0, 3));
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Variants {
        A {
            #[serde(skip)]
            x: u8,
            y: u8,
        },
        B(u8, #[serde(skip)] u8),
    }
    reads_as(&Variants::A { x: 1, y: 2 }, Variants::A { x: 0, y: 2 });
    reads_as(&Variants::B(1, 2), Variants::B(1, 0));
}

#[test]
fn skip_serializing_if_gives_rows_shapes_of_their_own() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Row {
        #[serde(skip_serializing_if = "Option::is_none")]
        a: Option<u8>,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        b: Vec<u8>,
    }
    let row = |a, b| Row { a, b };
    let rows =
        vec![row(None, vec![]), row(Some(1), vec![]), row(None, vec![2]), row(Some(3), vec![4])];
    check(rows.clone(), "list(struct Row {a: u8, b: list(u8)} [-, 0, 1, 0 1])");
    rows.iter().for_each(|row| drop(round(row)));

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Variant {
        Row {
            #[serde(skip_serializing_if = "Option::is_none")]
            a: Option<u8>,
        },
    }
    round(&vec![Variant::Row { a: None }, Variant::Row { a: Some(1) }]);
}

#[test]
fn default_stands_in_for_a_missing_field() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct New {
        a: u8,
        #[serde(default)]
        b: String,
        #[serde(default = "seven")]
        c: u8,
        d: Option<u8>,
    }
    fn seven() -> u8 {
        7
    }
    #[derive(Serialize)]
    struct Old {
        a: u8,
    }
    reads_as(&Old { a: 1 }, New { a: 1, b: String::new(), c: 7, d: None });
    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct All {
        a: u8,
        b: u8,
    }
    reads_as(&Old { a: 1 }, All { a: 1, b: 0 });
}

#[test]
fn rename_and_alias_are_the_names_that_are_written_and_read() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename = "type", rename_all = "kebab-case")]
    struct Renamed {
        long_name: u8,
        #[serde(rename = "ö")]
        other: Kind,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    enum Kind {
        OneTwo,
    }
    check(
        Renamed { long_name: 1, other: Kind::OneTwo },
        "struct type {\"long-name\": u8, \"ö\": union {ONE_TWO: null}}",
    );
    #[derive(Debug, PartialEq, Deserialize)]
    struct Aliased {
        #[serde(alias = "long-name", alias = "longer")]
        short: u8,
        #[serde(alias = "ö")]
        kind: Alias,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    enum Alias {
        #[serde(alias = "ONE_TWO")]
        Twelve,
    }
    let expected = Aliased { short: 1, kind: Alias::Twelve };
    reads_as(&Renamed { long_name: 1, other: Kind::OneTwo }, expected);
}

#[test]
fn with_writes_and_reads_in_another_form() {
    mod hex {
        use serde::{Deserialize, Deserializer, Serializer};

        pub fn serialize<S: Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{value:x}"))
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
            let text = <&str>::deserialize(deserializer)?;
            u32::from_str_radix(text, 16).map_err(serde::de::Error::custom)
        }
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Coloured {
        #[serde(with = "hex")]
        colour: u32,
    }
    let bytes = to_vec(&Coloured { colour: 0xC0FFEE }).unwrap();
    assert_eq!(schema(&bytes), "struct Coloured {colour: string}");
    assert_eq!(from_slice::<Coloured>(&bytes).unwrap().colour, 0xC0FFEE);

    #[derive(Serialize)]
    struct Bad<'a> {
        colour: &'a str,
    }
    let error = from_slice::<Coloured>(&to_vec(&Bad { colour: "xyz" }).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Custom, "$.colour"));
    assert!(error.to_string().ends_with("invalid digit found in string"), "{error}");
}

#[test]
fn transparent_from_into_and_try_from_use_their_other_type() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(transparent)]
    struct Only {
        of: Vec<u8>,
    }
    check(Only { of: vec![1] }, "list(u8)");
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(into = "u8", try_from = "u8")]
    struct Even(u8);
    impl From<Even> for u8 {
        fn from(even: Even) -> u8 {
            even.0
        }
    }
    impl TryFrom<u8> for Even {
        type Error = String;
        fn try_from(value: u8) -> Result<Even, String> {
            if value.is_multiple_of(2) { Ok(Even(value)) } else { Err(format!("{value} is odd")) }
        }
    }
    check(vec![Even(2)], "list(u8)");
    let error = from_slice::<Vec<Even>>(&to_vec(&[2_u8, 3]).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "custom in $[1]: 3 is odd");
}

#[test]
fn borrow_takes_parts_of_the_message() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Borrowing<'a> {
        text: &'a str,
        bytes: &'a [u8],
        #[serde(borrow)]
        cow: Cow<'a, str>,
        #[serde(borrow)]
        inner: Option<Inner<'a>>,
        owned: Cow<'a, str>,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Inner<'a>(&'a str);
    #[derive(Serialize)]
    struct Owned<'a> {
        text: &'a str,
        bytes: super::mapping::Blob,
        cow: &'a str,
        inner: &'a str,
        owned: &'a str,
    }
    let bytes = super::mapping::Blob(vec![1, 2]);
    let owned = Owned { text: "a", bytes, cow: "b", inner: "c", owned: "d" };
    let bytes = to_vec(&owned).unwrap();
    let read: Borrowing<'_> = from_slice(&bytes).unwrap();
    assert!(matches!(read.cow, Cow::Borrowed("b")));
    assert_eq!((read.text, read.bytes, read.inner), ("a", &[1, 2][..], Some(Inner("c"))));
    assert_eq!(read.owned, "d");
}

#[test]
fn ignored_any_skips_values() {
    let value = (1_u8, (vec![Some("x")], BTreeMap::from([(1, 'x')])), 2_u8);
    let (a, IgnoredAny, b): (u8, IgnoredAny, u8) = from_slice(&to_vec(&value).unwrap()).unwrap();
    assert_eq!((a, b), (1, 2));
    let _: IgnoredAny = from_slice(&to_vec(&value).unwrap()).unwrap();
}

#[test]
fn unknown_fields_are_skipped_or_rejected() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Few {
        b: u8,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        #[allow(dead_code)]
        b: u8,
    }
    #[derive(Serialize)]
    struct Many {
        a: Vec<BTreeMap<u8, u8>>,
        b: u8,
        c: Option<()>,
    }
    let many = Many { a: vec![BTreeMap::from([(1, 2)])], b: 3, c: Some(()) };
    reads_as(&many, Few { b: 3 });
    let error = from_slice::<Vec<Strict>>(&to_vec(&[many]).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::UnknownField, "$[0].a"));
}
