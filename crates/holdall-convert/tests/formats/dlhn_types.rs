//! What DLHN's headers say of Rust types with holdall's derives: newtypes, and options in options.

use std::collections::BTreeMap;
use std::fmt::Debug;

use dlhn::SerializeHeader;
use holdall::value::Variant;
use holdall::{Decode, DecodeOwned, Encode, Value};
use holdall_convert::{Format, dlhn as own};
use serde::Serialize;

use super::dlhn::{Inner, Kind, by_peer};

/// What the crate writes of a type with both derives is read by the type.
fn reads_the_peer<T>(value: &T)
where
    T: SerializeHeader + Serialize + Encode + DecodeOwned + Debug + PartialEq,
{
    assert_eq!(Format::Dlhn.from_slice::<T>(&by_peer(value)).unwrap(), *value);
    let written = Format::Dlhn.to_vec(value).unwrap();
    assert_eq!(Format::Dlhn.from_slice::<T>(&written).unwrap(), *value);
}

#[test]
fn a_tuple_of_one_is_read_as_a_newtype_of_its_item() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    struct Newtype(u32);
    #[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    struct OfList(Vec<u32>);
    #[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    struct OfLists(Vec<Vec<u32>>);
    #[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    struct OfTuple((u8, u8));
    #[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    struct OfMap(BTreeMap<String, Newtype>);
    #[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    struct OfStruct(Inner);
    #[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    struct OfEnum(Kind);
    #[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    struct OfOption(Option<OfList>);
    #[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    struct Fields {
        id: Newtype,
        some: Option<Newtype>,
        list: Vec<OfList>,
    }
    reads_the_peer(&Newtype(5));
    reads_the_peer(&OfList(vec![1]));
    reads_the_peer(&OfList(vec![1, 2]));
    reads_the_peer(&OfLists(vec![vec![1]]));
    reads_the_peer(&OfTuple((1, 2)));
    reads_the_peer(&OfMap(BTreeMap::from([("a".to_owned(), Newtype(1))])));
    reads_the_peer(&OfStruct(Inner { name: "a".to_owned(), score: None }));
    reads_the_peer(&OfEnum(Kind::Two { a: true, b: "b".to_owned() }));
    reads_the_peer(&OfOption(Some(OfList(vec![7]))));
    reads_the_peer(&OfOption(None));
    let list = vec![OfList(vec![3, 4]), OfList(vec![])];
    reads_the_peer(&Fields { id: Newtype(1), some: Some(Newtype(2)), list });
}

/// The crate has the tuple of the fields of a variant only where there are several.
#[test]
fn the_only_field_of_a_variant_is_read_with_its_name() {
    #[derive(Debug, PartialEq, Encode, Decode, Serialize, SerializeHeader)]
    enum Named {
        Number { a: u32 },
        Option { a: Option<u8> },
        Pair { a: (u8, u8) },
        Struct { a: Inner },
        List { a: Vec<Kind> },
    }
    let inner = Inner { name: "a".to_owned(), score: Some(0.5) };
    for value in [
        Named::Number { a: 1 },
        Named::Option { a: None },
        Named::Pair { a: (1, 2) },
        Named::Struct { a: inner },
        Named::List { a: vec![Kind::None, Kind::One(1)] },
    ] {
        reads_the_peer(&value);
    }
}

/// The crate has a present option in an option, as the first one that is not null has.
#[test]
fn a_present_null_is_read() {
    let twice = [None, Some(None), Some(Some(7_u8))];
    let bytes = Format::Dlhn.to_vec(&twice).unwrap();
    assert_eq!(bytes, by_peer(&twice.to_vec()));
    assert_eq!(Format::Dlhn.from_slice::<Vec<Option<Option<u8>>>>(&bytes).unwrap(), twice);
    for value in [None, Some(None), Some(Some(None)), Some(Some(Some(7_u8)))] {
        let bytes = Format::Dlhn.to_vec(&value).unwrap();
        assert_eq!(Format::Dlhn.from_slice::<Option<Option<Option<u8>>>>(&bytes).unwrap(), value);
    }
    let units = vec![Some(()), None];
    let bytes = Format::Dlhn.to_vec(&units).unwrap();
    assert_eq!(bytes, by_peer(&units));
    assert_eq!(Format::Dlhn.from_slice::<Vec<Option<()>>>(&bytes).unwrap(), units);
    // A variant of that name is not the option's.
    #[derive(Debug, PartialEq, Encode, Decode)]
    enum Own {
        Some(u8),
        None,
    }
    let own = [Some(Own::Some(1)), None, Some(Own::None)];
    let bytes = Format::Dlhn.to_vec(&own).unwrap();
    assert_eq!(Format::Dlhn.from_slice::<Vec<Option<Own>>>(&bytes).unwrap(), own);
    // Untyped it is the variant that a message has for it.
    let present = |payload| Value::Variant(Variant::new("Some", payload));
    let read = |bytes: &[u8]| holdall::from_slice::<Value>(&own::pack(bytes).unwrap()).unwrap();
    assert_eq!(read(&[1, 0, 1]), present(Value::Null));
    assert_eq!(read(&[1, 1, 3, 1, 0]), present(Value::Null));
    assert_eq!(read(&[1, 1, 3, 1, 1, 7]), Value::U8(7));
}
