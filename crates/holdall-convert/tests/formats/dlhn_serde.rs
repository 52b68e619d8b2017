//! Types of serde in DLHN: what comes back, what its crate writes, and what is refused.

use std::collections::BTreeMap;
use std::fmt::Debug;

use dlhn::SerializeHeader;
use holdall::{Code, Value};
use holdall_convert::serde::{from_slice, to_vec};
use holdall_convert::{Format, Unpacker};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::dlhn::by_peer;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SerializeHeader)]
enum Two {
    A(u8),
    B(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, SerializeHeader)]
enum Colour {
    Red,
    Green,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    One(u8),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SerializeHeader)]
struct Newtype(u32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SerializeHeader)]
struct OfList(Vec<u32>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SerializeHeader)]
struct Twice(Newtype);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SerializeHeader)]
struct OfPair((u8, u8));

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SerializeHeader)]
struct OfOption(Option<u8>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SerializeHeader)]
struct OfOne((u8,));

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OfSomeOne(Option<(u8,)>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OfOnes(Vec<(u8,)>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OneField {
    a: u8,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OfOneField(OneField);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Key(String);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    a: Newtype,
    b: Option<Newtype>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    id: Newtype,
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Of(Newtype),
    Map(BTreeMap<Key, Newtype>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct InnerKey {
    key: Key,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t")]
enum Tagged {
    One { key: Key },
    Two(InnerKey),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SerializeHeader)]
struct Fields {
    id: Newtype,
    list: OfList,
    some: Option<Newtype>,
    map: BTreeMap<String, Option<u8>>,
}

/// Reads a body as the crate does.
fn peer_reads<T: DeserializeOwned>(data: &[u8]) -> T {
    use dlhn::DeserializeHeader;
    let mut rest = data;
    rest.deserialize_header().unwrap();
    let value = T::deserialize(&mut dlhn::Deserializer::new(&mut rest)).unwrap();
    assert!(rest.is_empty(), "{data:?}");
    value
}

fn refused<T: Serialize>(value: &T) -> String {
    let error = to_vec(Format::Dlhn, value).unwrap_err();
    assert_eq!(error.code(), Code::Unrepresentable);
    error.path().to_owned()
}

#[test]
fn a_variant_is_refused_because_serde_does_not_say_all_of_them() {
    assert_eq!(refused(&Two::B(7)), "$");
    assert_eq!(refused(&vec![Colour::Green, Colour::Red]), "$[]");
    assert_eq!(refused(&(1_u8, vec![Some(Two::A(1))])), "$[1][]");
    assert_eq!(refused(&Adjacent::One(1)), "$.t");
    assert_eq!(refused(&Ok::<u8, u8>(1)), "$");
    let value = Value::Variant(holdall::value::Variant::new("A", Value::Null));
    assert_eq!(refused(&(1_u8, value)), "$[1]");
    let error = to_vec(Format::Dlhn, &Two::B(7)).unwrap_err().to_string();
    assert_eq!(
        error,
        "unrepresentable in $: expected a type whose variants are all known, which values do not show, got variant B",
    );
}

#[test]
fn in_storage_variants_without_payloads_are_their_names() {
    let storage = Unpacker::new(Format::Dlhn).storage(true);
    let colours = vec![Some(Colour::Green), None, Some(Colour::Red)];
    let data = to_vec(storage, &colours).unwrap();
    assert_eq!(data, b"\x14\x01\x12\x03\x01\x05Green\0\x01\x03Red");
    assert_eq!(from_slice::<Vec<Option<Colour>>>(Format::Dlhn, &data).unwrap(), colours);
    assert_eq!(to_vec(storage, &Two::A(1)).unwrap_err().code(), Code::Unrepresentable);
}

fn own<T: Serialize + DeserializeOwned + Debug + PartialEq>(value: &T) -> Vec<u8> {
    let data = to_vec(Format::Dlhn, value).unwrap();
    assert_eq!(from_slice::<T>(Format::Dlhn, &data).unwrap(), *value, "{data:?}");
    data
}

/// What the crate writes is read, and a body that says the same of options is that of the crate.
fn as_the_peer<T>(value: &T, header: usize, of_peer: usize)
where
    T: Serialize + SerializeHeader + DeserializeOwned + Debug + PartialEq,
{
    let theirs = by_peer(value);
    assert_eq!(peer_reads::<T>(&theirs), *value);
    assert_eq!(from_slice::<T>(Format::Dlhn, &theirs).unwrap(), *value, "{theirs:?}");
    assert_eq!(own(value)[header..], theirs[of_peer..], "{value:?}");
}

#[test]
fn newtypes_have_the_body_of_the_crate_and_both_headers_are_read() {
    as_the_peer(&Newtype(5), 1, 3);
    as_the_peer(&OfList(vec![1]), 2, 4);
    as_the_peer(&vec![OfList(vec![1, 2]), OfList(vec![3])], 3, 5);
    as_the_peer(&vec![None, Some(Newtype(7))], 3, 5);
    as_the_peer(&Twice(Newtype(5)), 1, 5);
    as_the_peer(&OfPair((1, 2)), 4, 6);
    as_the_peer(&vec![OfOption(None), OfOption(Some(7))], 3, 5);
    let map = BTreeMap::from([("a".to_owned(), Some(1)), ("b".to_owned(), None)]);
    let fields = Fields { id: Newtype(5), list: OfList(vec![1, 2]), some: Some(Newtype(6)), map };
    own(&fields);
    let theirs = by_peer(&fields);
    assert_eq!(from_slice::<Fields>(Format::Dlhn, &theirs).unwrap(), fields);
    for value in [OfOption(None), OfOption(Some(7))] {
        own(&value);
        assert_eq!(from_slice::<OfOption>(Format::Dlhn, &by_peer(&value)).unwrap(), value);
    }
    for value in [Some(Newtype(1)), None] {
        own(&value);
        assert_eq!(from_slice::<Option<Newtype>>(Format::Dlhn, &by_peer(&value)).unwrap(), value);
    }
}

#[test]
fn options_are_as_the_values_show() {
    assert_eq!(own(&vec![None, Some(7_u8)]), by_peer(&vec![None, Some(7_u8)]));
    assert_eq!(own(&vec![Some(0_u8), Some(7)]), [20, 3, 2, 0, 7]);
    assert_eq!(own(&vec![Option::<u8>::None; 2]), [20, 0, 2]);
    // A present null is a variant of messages.
    assert_eq!(refused(&vec![Some(Option::<u8>::None), None]), "$[]");
    assert_eq!(refused(&Some(())), "$");
}

#[test]
fn a_tuple_of_one_in_a_newtype_comes_back() {
    assert_eq!(own(&OfOne((5,))), [21, 1, 3, 5]);
    own(&vec![OfOne((5,)), OfOne((6,))]);
    own(&OfOneField(OneField { a: 7 }));
    own(&OfSomeOne(Some((5,))));
    own(&OfSomeOne(None));
    own(&OfOnes(vec![(5,), (6,)]));
    // The header of the crate is that of a tuple of one of a tuple of one.
    assert!(from_slice::<OfOne>(Format::Dlhn, &by_peer(&OfOne((5,)))).is_err());
}

#[test]
fn keys_of_maps_are_newtypes_and_options() {
    let keys = [("a", 1_u8), ("b", 2)];
    own(&keys
        .map(|(key, value)| (Key(key.to_owned()), value))
        .into_iter()
        .collect::<BTreeMap<_, _>>());
    own(&keys
        .map(|(key, value)| (Some(key.to_owned()), value))
        .into_iter()
        .collect::<BTreeMap<_, _>>());
}

#[test]
fn newtypes_in_what_serde_keeps_come_back() {
    own(&Flat { id: Newtype(1), inner: Inner { a: Newtype(2), b: Some(Newtype(3)) } });
    own(&vec![Untagged::Of(Newtype(1)), Untagged::Of(Newtype(7))]);
    own(&Untagged::Map(BTreeMap::from([(Key("a".to_owned()), Newtype(1))])));
    own(&vec![Tagged::One { key: Key("a".to_owned()) }, Tagged::One { key: Key("b".to_owned()) }]);
    own(&Tagged::Two(InnerKey { key: Key("a".to_owned()) }));
}
