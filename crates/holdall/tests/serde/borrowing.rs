//! Borrowed values point into the message.

use std::borrow::Cow;
use std::collections::BTreeMap;

use holdall::serde::{from_slice, source, to_vec};
use holdall::{Code, Encoder, Profile};
use serde::Deserialize;

use super::mapping::Blob;

fn is_inside(part: &[u8], message: &[u8]) -> bool {
    message.as_ptr_range().contains(&part.as_ptr())
        && part.as_ptr_range().end <= message.as_ptr_range().end
}

#[test]
fn text_and_bytes_are_parts_of_the_message() {
    let bytes = to_vec(&vec![("Ada", Blob(vec![1, 2, 3])), ("Grace", Blob(vec![4]))]).unwrap();
    let read: Vec<(&str, &[u8])> = from_slice(&bytes).unwrap();
    assert_eq!(read, [("Ada", &[1, 2, 3][..]), ("Grace", &[4])]);
    for (text, blob) in read {
        assert!(is_inside(text.as_bytes(), &bytes) && is_inside(blob, &bytes));
    }
}

#[test]
fn fixed_byte_strings_and_uuids_are_parts_of_the_message() {
    let uuid = holdall::LogicalType::new(holdall::LogicalType::UUID, &[]).unwrap();
    let uuid = holdall::value::Logical::new(uuid, holdall::Value::Fixed(vec![7; 16]));
    let bytes = holdall::to_vec(&holdall::Value::from(uuid)).unwrap();
    let read: &[u8] = from_slice(&bytes).unwrap();
    assert!(read == [7; 16] && is_inside(read, &bytes));
    assert_eq!(from_slice::<[u8; 16]>(&bytes).unwrap(), [7; 16]);
}

#[test]
fn text_in_dictionaries_is_borrowed() {
    let words = vec!["the same word again and again"; 200];
    let bytes = Encoder::new().profile(Profile::Balanced).message(&mut source(&words)).unwrap();
    assert!(bytes.len() < 100);
    let read: Vec<&str> = from_slice(&bytes).unwrap();
    assert_eq!(read, words);
    assert!(read.iter().all(|word| is_inside(word.as_bytes(), &bytes)));
}

#[test]
fn text_outside_the_message_is_owned() {
    let words: Vec<String> = (0..200).map(|n| format!("{} {n}", "again".repeat(20))).collect();
    let bytes = Encoder::new().profile(Profile::Small).message(&mut source(&words)).unwrap();
    assert!(bytes.len() < 2000);
    assert_eq!(from_slice::<Vec<String>>(&bytes).unwrap(), words);
    #[derive(Debug, Deserialize)]
    struct Words<'a>(#[serde(borrow)] Vec<Cow<'a, str>>);
    let Words(read) = from_slice(&bytes).unwrap();
    assert_eq!(read, words);
    let error = from_slice::<Vec<&str>>(&bytes).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0]"));
    assert!(error.to_string().contains("expected a borrowed string"), "{error}");
}

#[test]
fn keys_of_records_are_owned_and_those_of_maps_borrowed() {
    let record = to_vec(&BTreeMap::from([("a", 1_u8)])).unwrap();
    assert!(from_slice::<BTreeMap<Cow<'_, str>, u8>>(&record).is_ok());
    let error = from_slice::<BTreeMap<&str, u8>>(&record).unwrap_err();
    assert_eq!(error.code(), Code::Unconvertible);
    let map = to_vec(&BTreeMap::from([("2024-01-01", 1_u8)])).unwrap();
    let read: BTreeMap<&str, u8> = from_slice(&map).unwrap();
    assert!(is_inside(read.keys().next().unwrap().as_bytes(), &map));
}

#[test]
fn the_empty_string_can_be_borrowed() {
    let bytes = to_vec(&vec!["", "a", ""]).unwrap();
    assert_eq!(from_slice::<Vec<&str>>(&bytes).unwrap(), ["", "a", ""]);
    assert_eq!(from_slice::<&str>(&to_vec("").unwrap()).unwrap(), "");
    assert_eq!(from_slice::<&[u8]>(&to_vec(&Blob(vec![])).unwrap()).unwrap(), [0_u8; 0]);
}
