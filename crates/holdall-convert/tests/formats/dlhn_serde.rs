//! Types of serde in DLHN: bytes that its crate reads as the same value, or an error.

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

fn as_the_peer<T: Serialize + SerializeHeader + DeserializeOwned + Debug + PartialEq>(value: &T) {
    let data = to_vec(Format::Dlhn, value).unwrap();
    assert_eq!(data, by_peer(value), "{value:?}");
    assert_eq!(peer_reads::<T>(&data), *value);
    assert_eq!(from_slice::<T>(Format::Dlhn, &data).unwrap(), *value);
}

#[test]
fn options_and_newtypes_have_the_bytes_of_the_crate() {
    as_the_peer(&vec![Some(0_u8), Some(7)]);
    as_the_peer(&vec![None, Some(7_u8)]);
    as_the_peer(&vec![None, Some(None), Some(Some(7_u8))]);
    as_the_peer(&Some(Some(())));
    as_the_peer(&vec![Some(()), None]);
    as_the_peer(&Newtype(5));
    as_the_peer(&OfList(vec![1]));
    as_the_peer(&vec![OfList(vec![1, 2]), OfList(vec![3])]);
    let map = BTreeMap::from([("a".to_owned(), Some(1)), ("b".to_owned(), None)]);
    let some = Some(Newtype(6));
    as_the_peer(&Fields { id: Newtype(5), list: OfList(vec![1, 2]), some, map });
}

#[test]
fn a_body_of_absent_options_is_that_of_the_crate() {
    // Nothing says which type would be present.
    for value in [vec![None], vec![None, None]] {
        let data = to_vec(Format::Dlhn, &value).unwrap();
        assert_eq!(data[..3], [20, 1, 0]);
        assert_eq!(peer_reads::<Vec<Option<u8>>>(&data), value);
        assert_eq!(from_slice::<Vec<Option<u8>>>(Format::Dlhn, &data).unwrap(), value);
    }
    let data = to_vec(Format::Dlhn, &Some(Option::<u8>::None)).unwrap();
    assert_eq!(data, [1, 1, 0, 1, 0]);
    assert_eq!(from_slice::<Option<Option<u8>>>(Format::Dlhn, &data).unwrap(), Some(None));
}

#[test]
fn a_newtype_is_read_from_its_only_item_too() {
    // As it was written before.
    assert_eq!(from_slice::<Newtype>(Format::Dlhn, &[5, 5]).unwrap(), Newtype(5));
    assert_eq!(from_slice::<OfList>(Format::Dlhn, &[20, 5, 1, 1]).unwrap(), OfList(vec![1]));
}
