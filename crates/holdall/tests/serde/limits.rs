//! Nested and shared values cost no more than the limits allow.

use std::collections::BTreeMap;

use holdall::serde::{NESTING, from_decoder, from_slice, from_value, source, to_value, to_vec};
use holdall::{Code, Decoder, Encoder, Header, Limits, Schema, Shared, Value};
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::common::chance::rounds;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Node {
    next: Option<Box<Node>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Tree {
    Leaf,
    New(Box<Tree>),
    Tuple(u8, Box<Tree>),
    Struct { inner: Vec<Tree> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(Option<Box<Wrapped>>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Map(BTreeMap<String, Untagged>),
    List(Vec<Untagged>),
    Leaf(u8),
}

/// Makes ever deeper values while they can be written: until then they can be read.
#[track_caller]
fn check<T>(mut value: T, deeper: fn(T) -> T, deepest: usize)
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    for depth in 0.. {
        match to_vec(&value) {
            Ok(_) if depth > 2 * NESTING => panic!("no limit"),
            Ok(bytes) => assert_eq!(from_slice::<T>(&bytes).unwrap(), value),
            Err(error) => {
                assert_eq!((error.code(), depth), (Code::LimitNesting, deepest + 1));
                assert!(error.path().starts_with('$'));
                assert_eq!(to_value(&value).unwrap_err().code(), Code::LimitNesting);
                return;
            }
        }
        value = deeper(value);
    }
}

#[test]
fn writing_and_reading_have_the_same_depth_limit() {
    // A struct with an option is five quarters of a level.
    check(Node { next: None }, |next| Node { next: Some(Box::new(next)) }, (NESTING * 4 - 4) / 5);
    // The leaf is a level too.
    check(Tree::Leaf, |tree| Tree::New(Box::new(tree)), NESTING - 1);
    check(Tree::Leaf, |tree| Tree::Tuple(1, Box::new(tree)), NESTING / 2 - 1);
    check(Tree::Leaf, |tree| Tree::Struct { inner: vec![tree] }, NESTING / 3);
    check(Wrapped(None), |inner| Wrapped(Some(Box::new(inner))), NESTING * 2 - 1);
    check(Untagged::Leaf(1), |inner| Untagged::List(vec![inner]), NESTING);
    let map = |inner| Untagged::Map(BTreeMap::from([("a".to_owned(), inner)]));
    check(Untagged::Leaf(1), map, NESTING);
}

/// A value nested this many levels deep, by its wrappers.
fn nested(levels: usize, around: fn(Value) -> Value) -> Vec<u8> {
    let value = (0..levels).fold(Value::Null, |value, _| around(value));
    holdall::to_vec(&value).unwrap()
}

#[test]
fn a_message_that_is_nested_too_deep_is_an_error() {
    #[track_caller]
    fn refused<T: DeserializeOwned>(bytes: &[u8]) {
        match from_slice::<T>(bytes) {
            Ok(_) => panic!("was read"),
            Err(error) => assert_eq!(error.code(), Code::LimitNesting),
        }
    }
    let records = nested(100_000, |inner| Value::record([("next", inner)]));
    refused::<Node>(&records);
    refused::<serde_json::Value>(&records);
    let lists = nested(100_000, |inner| Value::list([inner]));
    refused::<Untagged>(&lists);
    refused::<serde_json::Value>(&lists);
    let variants =
        nested(100_000, |inner| Value::Variant(holdall::value::Variant::new("New", inner)));
    refused::<Tree>(&variants);
    refused::<serde_json::Value>(&variants);
    let somes =
        nested(100_000, |inner| Value::Variant(holdall::value::Variant::new("Some", inner)));
    refused::<Wrapped>(&somes);
    // Without recursion there is no limit.
    for bytes in [&records, &lists, &variants, &somes] {
        from_slice::<IgnoredAny>(bytes).unwrap();
        from_slice::<Value>(bytes).unwrap();
    }
    let logical = nested(100_000, |inner| {
        let ty = holdall::LogicalType::new(0xE0, &[]).unwrap();
        holdall::value::Logical::new(ty, inner).into()
    });
    from_slice::<()>(&logical).unwrap();
}

#[test]
fn an_infinite_type_is_an_error() {
    // An option of a newtype of an option treats any value as present.
    let error = from_slice::<Wrapped>(&to_vec(&1_u8).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::LimitNesting);
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    struct Key(Option<Box<Key>>);
    let error = from_slice::<BTreeMap<Key, u8>>(&to_vec(&BTreeMap::from([("a", 1)])).unwrap());
    assert_eq!(error.unwrap_err().code(), Code::LimitNesting);
}

/// A list of two references to the same list of two, repeated.
fn doubled(times: usize) -> Value {
    (0..times).fold(Value::from(vec![1]), |value, _| {
        let shared = Value::Shared(Shared::new(value));
        Value::list([shared.clone(), shared])
    })
}

/// The number of numbers: counting them takes no memory.
#[derive(Debug)]
struct Items(u64);

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Items, D::Error> {
        struct Of;
        impl<'de> Visitor<'de> for Of {
            type Value = Items;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("lists of numbers")
            }
            fn visit_i64<E>(self, _: i64) -> Result<Items, E> {
                Ok(Items(1))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Items, A::Error> {
                let mut count = 0;
                while let Some(Items(more)) = seq.next_element()? {
                    count += more;
                }
                Ok(Items(count))
            }
        }
        deserializer.deserialize_any(Of)
    }
}

#[test]
fn copies_of_shared_values_stay_within_the_budget() {
    let few: serde_json::Value = from_slice(&holdall::to_vec(&doubled(3)).unwrap()).unwrap();
    assert_eq!(few.to_string(), "[[[[1],[1]],[[1],[1]]],[[[1],[1]],[[1],[1]]]]");
    let bytes = holdall::to_vec(&doubled(60)).unwrap();
    assert!(bytes.len() < 2000);
    assert_eq!(from_slice::<Items>(&holdall::to_vec(&doubled(10)).unwrap()).unwrap().0, 1 << 10);
    for error in
        [from_slice::<Items>(&bytes).unwrap_err(), from_value::<Items>(&doubled(60)).unwrap_err()]
    {
        assert_eq!(error.code(), Code::LimitBudget);
    }
    // Nothing is copied for a reader that ignores it, or that keeps identity.
    from_slice::<IgnoredAny>(&bytes).unwrap();
    from_slice::<Value>(&bytes).unwrap();
    // A value that contains the rest twice.
    let error = from_slice::<Vec<Vec<Vec<Vec<Value>>>>>(&bytes);
    assert!(error.is_ok());
    let mut decoder = Decoder::new().limits(Limits::new().budget(10_000));
    let bytes = holdall::to_vec(&doubled(9)).unwrap();
    let error = from_decoder::<serde_json::Value>(&mut decoder, &bytes).unwrap_err();
    assert_eq!(error.code(), Code::LimitBudget);
}

#[test]
fn shared_ignored_items_are_charged_each_time() {
    let nulls = Value::Shared(Shared::new(Value::list(vec![Value::Null; 100_000])));
    let bytes = holdall::to_vec(&Value::list(vec![nulls; 100_000])).unwrap();
    let error = from_slice::<Vec<Vec<IgnoredAny>>>(&bytes).unwrap_err();
    assert_eq!(error.code(), Code::LimitBudget);
}

#[test]
fn long_names_are_charged_for_each_row() {
    // A megabyte that is in the message once, and in the result a hundred thousand times.
    let name = "x".repeat(1 << 20);
    let many = rounds(100_000);
    let rows = vec![Value::record([(name.clone(), Value::Null)]); many];
    let bytes = holdall::to_vec(&Value::list(rows)).unwrap();
    let error = from_slice::<Vec<BTreeMap<String, ()>>>(&bytes).unwrap_err();
    assert_eq!(error.code(), Code::LimitBudget);
    let variant = Value::Variant(holdall::value::Variant::new(name, Value::Null));
    let bytes = holdall::to_vec(&Value::list(vec![variant; many])).unwrap();
    let error = from_slice::<Vec<BTreeMap<String, ()>>>(&bytes).unwrap_err();
    assert_eq!(error.code(), Code::LimitBudget);
    // Names of ordinary length cost nothing: a million fit into the default budget.
    let many = rounds(1_000_000);
    let rows = vec![Value::record([("a_name_as_programs_have_them", Value::Null)]); many];
    let bytes = holdall::to_vec(&Value::list(rows)).unwrap();
    let mut decoder = Decoder::new().limits(Limits::new().budget(rounds(1 << 26) as u64));
    let read = from_decoder::<Vec<BTreeMap<String, ()>>>(&mut decoder, &bytes).unwrap();
    assert_eq!(read.len(), many);
}

#[test]
fn limits_and_schemas_of_a_decoder_apply() {
    let bytes = to_vec(&vec![1_u8; 1000]).unwrap();
    let mut decoder = Decoder::new().limits(Limits::new().budget(100));
    let error = from_decoder::<Vec<u8>>(&mut decoder, &bytes).unwrap_err();
    assert_eq!(error.code(), Code::LimitBudget);
    assert!(error.offset().is_some());

    let mut encoder = Encoder::new().header(Header::Fingerprint).limits(Limits::new().output(20));
    let short = encoder.message(&mut source(&[1_u8, 2])).unwrap();
    let error = from_slice::<[u8; 2]>(&short).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::UnknownFingerprint, Some(2)));
    let mut decoder = Decoder::new();
    decoder.add_schema(&Schema::of_message(&to_vec(&[1_u8, 2]).unwrap()).unwrap());
    assert_eq!(from_decoder::<[u8; 2]>(&mut decoder, &short).unwrap(), [1, 2]);
    let error = encoder.message(&mut source(&"x".repeat(100))).unwrap_err();
    assert_eq!(error.code(), Code::LimitOutput);
}
