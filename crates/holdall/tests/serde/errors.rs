//! Errors name the fault and its place.

use std::collections::BTreeMap;
use std::fmt::Debug;

use holdall::serde::{from_slice, to_value, to_vec};
use holdall::{Code, Error};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};

#[derive(Debug, Serialize, Deserialize)]
struct User {
    name: String,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Tag {
    Plain,
    Of(u8),
    Pair(u8, u8),
    Full { level: u8 },
}

#[track_caller]
fn error<T: DeserializeOwned + Debug>(value: &impl Serialize) -> Error {
    from_slice::<T>(&to_vec(value).unwrap()).unwrap_err()
}

/// A type that cannot be written.
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("not today"))
    }
}

#[test]
fn a_value_that_does_not_fit_has_the_path_to_it() {
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    for (text, path, rest) in [
        (r#"[{"name": 1}]"#, "$[0].name", "expected a string, got integer `1`"),
        (r#"[{"name": "x", "tags": [1]}]"#, "$[0].tags[0]", "expected enum Tag, got integer `1`"),
        (
            r#"[{"name": "x", "tags": [{"Of": "y"}]}]"#,
            "$[0].tags[0]<Of>",
            r#"expected u8, got string "y""#,
        ),
        (
            r#"[{"name": "x", "tags": [{"Full": {"level": 300}}]}]"#,
            "$[0].tags[0]<Full>.level",
            "expected u8, got integer `300`",
        ),
        (
            r#"[{"name": "x", "tags": [{"Pair": [1, "y"]}]}]"#,
            "$[0].tags[0]<Pair>[1]",
            r#"expected u8, got string "y""#,
        ),
        (
            r#"[{"name": "x", "tags": ["Of"]}]"#,
            "$[0].tags[0]<Of>",
            "expected newtype variant, got unit variant",
        ),
        (
            r#"[{"name": "x", "tags": ["Off"]}]"#,
            "$[0].tags[0]",
            "expected a variant of `Plain`, `Of`, `Pair`, `Full`, got `Off` (F-78 line 7)",
        ),
        (
            r#"[{"name": "x", "tags": [{"Pair": [1]}]}]"#,
            "$[0].tags[0]<Pair>",
            "expected tuple variant Tag::Pair with 2 elements, got a length of 1",
        ),
        (
            r#"[{"name": "x", "tags": [{"Pair": [1, 2, 3]}]}]"#,
            "$[0].tags[0]<Pair>",
            "expected a length of 2, got a length of 3",
        ),
        (r#"{"odd key": 1}"#, "$", "expected a sequence, got map"),
    ] {
        let error = error::<Vec<User>>(&json(text));
        assert_eq!((error.code(), error.path(), error.offset()), (Code::Unconvertible, path, None));
        assert_eq!(error.to_string(), format!("unconvertible in {path}: {rest}"));
    }
    let error = error::<Vec<User>>(&json(r#"[{"name": "x"}, {"tags": []}]"#));
    assert_eq!(
        error.to_string(),
        "missing_field in $[1].name: expected a field \"name\", or a default for it, got neither (F-79)"
    );
}

#[test]
fn paths_go_through_maps_options_and_tuples() {
    let value = BTreeMap::from([("a b", Some((1_u8, BTreeMap::from([(7_u8, 'x')]))))]);
    let error = error::<BTreeMap<String, (u8, BTreeMap<u8, u8>)>>(&value);
    assert_eq!(error.path(), "$[\"a b\"][1][0]");
    let error = self::error::<BTreeMap<String, (u8, BTreeMap<bool, char>)>>(&value);
    assert_eq!(error.path(), "$[\"a b\"][1][0].key");
}

#[test]
fn a_repeated_field_is_a_duplicate_key() {
    #[derive(Debug, Deserialize)]
    struct Aliased {
        #[serde(alias = "b")]
        #[allow(dead_code)]
        a: u8,
    }
    let error = error::<Vec<Aliased>>(&[BTreeMap::from([("a", 1), ("b", 2)])]);
    assert_eq!((error.code(), error.path()), (Code::DuplicateKey, "$[0].a"));
}

#[test]
fn an_error_of_a_type_is_custom_with_its_path() {
    let error = to_vec(&vec![(1, Unwritable)]).unwrap_err();
    assert_eq!(error.to_string(), "custom in $[0][1]: not today");
    let error = to_vec(&BTreeMap::from([("a", vec![BTreeMap::from([(1, Unwritable)])])]));
    assert_eq!(error.unwrap_err().to_string(), "custom in $.a[0][0]: not today");
    #[derive(Serialize)]
    enum Variants {
        New(Unwritable),
        Tuple(u8, Unwritable),
        Struct { x: Vec<Unwritable> },
    }
    for (value, path) in [
        (Variants::New(Unwritable), "$<New>"),
        (Variants::Tuple(1, Unwritable), "$<Tuple>[1]"),
        (Variants::Struct { x: vec![Unwritable] }, "$<Struct>.x[0]"),
    ] {
        assert_eq!(to_vec(&value).unwrap_err().path(), path);
        assert_eq!(to_value(&value).unwrap_err().path(), path);
    }
    #[derive(Serialize)]
    struct Tuple(u8, Unwritable);
    assert_eq!(to_vec(&Some(Tuple(1, Unwritable))).unwrap_err().path(), "$[\"1\"]");
}

#[test]
fn an_encoder_that_failed_writes_the_next_value() {
    let mut encoder = holdall::Encoder::new();
    let mut write =
        |value: &dyn Fn(&mut holdall::Encoder) -> holdall::Result<Vec<u8>>| value(&mut encoder);
    let good =
        |encoder: &mut holdall::Encoder| encoder.message(&mut holdall::serde::source(&[1_u8]));
    let bytes = write(&good).unwrap();
    let bad = |encoder: &mut holdall::Encoder| {
        encoder.message(&mut holdall::serde::source(&(BTreeMap::from([(1, 2)]), Unwritable)))
    };
    assert_eq!(write(&bad).unwrap_err().code(), Code::Custom);
    assert_eq!(write(&good).unwrap(), bytes);
}

#[test]
fn equal_keys_are_an_error_of_the_writer() {
    struct Twice;
    impl Serialize for Twice {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([(1.5_f64, 'x'), (-0.0, 'y'), (0.0, 'y'), (1.5, 'z')])
        }
    }
    let error = to_vec(&[Twice]).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::DuplicateKey, "$[0][3].key"));
    struct Texts;
    impl Serialize for Texts {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([("a", 1), ("a", 2)])
        }
    }
    assert_eq!(to_vec(&Texts).unwrap_err().code(), Code::DuplicateKey);
}

#[test]
fn faults_of_the_bytes_have_their_offsets() {
    let mut bytes = to_vec(&vec![User { name: "Ada".into(), tags: vec![Tag::Plain] }]).unwrap();
    let error = from_slice::<Vec<User>>(&bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!(error.code(), Code::Truncated);
    assert!(error.offset().is_some() && !error.path().is_empty());
    bytes.push(0);
    let error = from_slice::<Vec<User>>(&bytes).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::TrailingBytes, Some(bytes.len() as u64 - 1)));
    let error = from_slice::<u8>(b"{}").unwrap_err();
    assert_eq!((error.code(), error.offset(), error.path()), (Code::BadMagic, Some(0), ""));
}

#[test]
fn long_texts_are_truncated_in_errors() {
    let error = error::<u8>(&"x".repeat(10_000));
    assert!(error.to_string().len() < 300, "{error}");
}
