//! Maps and sequences: keys of all types, unknown lengths, containers in containers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use holdall::serde::{from_slice, to_vec};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};

use super::mapping::Blob;
use super::{check, round, schema};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Colour {
    Red,
    Green,
}

#[test]
fn maps_with_string_keys_are_mappings() {
    let map = |keys: &[&str]| -> BTreeMap<String, u8> {
        keys.iter().map(|key| ((*key).to_owned(), 1)).collect()
    };
    check(map(&["a", "b"]), "record {a: u8, b: u8}");
    check(map(&[]), "record {}");
    check(map(&["2024-01-01", "2024-01-02"]), "map(string, u8)");
    check(
        vec![map(&["a"]), map(&["b", "c"]), map(&[])],
        "list(record {a: u8, b: u8, c: u8} [0, 1 2, -])",
    );
    let many: BTreeMap<String, u8> = (0..300).map(|key| (format!("k{key}"), 1)).collect();
    check(many, "map(string, u8)");
    let chars: BTreeMap<Box<str>, Option<u8>> = BTreeMap::from([("x".into(), None)]);
    check(chars, "record {x: null}");
}

#[test]
fn maps_with_other_keys_are_maps() {
    check(BTreeMap::from([(1_u8, true), (2, false)]), "map(u8, bool)");
    check(BTreeMap::from([(-1_i64, 'x')]), "map(i64, char(u32))");
    check(BTreeMap::from([('a', 1_u8)]), "map(char(u32), u8)");
    check(BTreeMap::from([((1_u8, 2_u8), 1_u8)]), "map(tuple(u8, u8), u8)");
    check(BTreeMap::from([(vec![1_u8], 1_u8)]), "map(list(u8), u8)");
    check(BTreeMap::from([(Blob(vec![1]), 1_u8)]), "map(bytes, u8)");
    check(BTreeMap::from([(true, 1_u8)]), "map(bool, u8)");
    check(BTreeMap::from([(u128::MAX, 1_u8)]), "map(u128, u8)");
    check(BTreeMap::from([((), 1_u8)]), "map(null, u8)");
    check(BTreeMap::from([(None, 1_u8), (Some(3_u8), 2)]), "map(option(u8), u8)");
    check(
        BTreeMap::from([(Colour::Red, 1_u8), (Colour::Green, 2)]),
        "map(union {Red: null, Green: null}, u8)",
    );
    check(BTreeMap::from([(BTreeMap::from([(1_u8, 2_u8)]), 3_u8)]), "map(map(u8, u8), u8)");
    check(
        BTreeMap::from([(BTreeMap::from([("a".to_owned(), 2_u8)]), 3_u8)]),
        "map(record {a: u8}, u8)",
    );
    // If some keys are not strings.
    check(BTreeMap::from([(None, 1_u8), (Some("x".to_owned()), 2)]), "map(option(string), u8)");
}

#[test]
fn maps_in_maps_are_complete() {
    let inner = || BTreeMap::from([(1_u8, "x".to_owned())]);
    let value = BTreeMap::from([
        ("a".to_owned(), vec![BTreeMap::from([("b".to_owned(), inner())]), BTreeMap::new()]),
        ("c".to_owned(), vec![]),
    ]);
    round(&value);
    round(&BTreeMap::from([(5_u8, value.clone()), (6, BTreeMap::new())]));
    round(&vec![Some(value), None]);
}

#[test]
fn hash_maps_and_sets_survive() {
    round(&(0..100).map(|key| (key, format!("{key}"))).collect::<HashMap<u32, String>>());
    round(&(0..100).map(|key| (format!("{key}"), key)).collect::<HashMap<String, u32>>());
    round(&(0..100).collect::<HashSet<i16>>());
    round(&BTreeSet::from(["a".to_owned(), "b".to_owned()]));
    round(&VecDeque::from([1, 2, 3]));
}

/// Reports neither the number of items nor of entries.
struct Unknown(usize);

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut outer = serializer.serialize_seq(None)?;
        for len in 0..self.0 {
            outer.serialize_element(&UnknownMap(len))?;
        }
        outer.end()
    }
}

struct UnknownMap(usize);

impl Serialize for UnknownMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for number in 0..self.0 {
            map.serialize_key(&number.to_string())?;
            map.serialize_value(&Unknown(number))?;
        }
        map.end()
    }
}

#[test]
fn lengths_need_not_be_known() {
    let bytes = to_vec(&Unknown(4)).unwrap();
    let read: serde_json::Value = from_slice(&bytes).unwrap();
    assert_eq!(
        read.to_string(),
        r#"[{},{"0":[]},{"0":[],"1":[{}]},{"0":[],"1":[{}],"2":[{},{"0":[]}]}]"#
    );
    struct Lying;
    impl Serialize for Lying {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq([1_u8, 2].iter().filter(|item| **item > 1))
        }
    }
    let bytes = to_vec(&Lying).unwrap();
    assert_eq!(schema(&bytes), "list(u8)");
    assert_eq!(from_slice::<Vec<u8>>(&bytes).unwrap(), [2]);
}

#[test]
fn nested_maps_take_linear_time() {
    // If each map were emitted once more by the one around it, doubling the depth would take four times as long, and
    // the widest strings would be copied once for each level around them.
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Tree {
        Leaf(String),
        Node(BTreeMap<u8, Tree>),
    }
    let mut tree = Tree::Leaf("x".repeat(1 << 20));
    for _ in 0..100 {
        tree = Tree::Node(BTreeMap::from([(1, tree), (2, Tree::Leaf("y".repeat(1 << 15)))]));
    }
    let start = cpu_time::ThreadTime::now();
    let bytes = to_vec(&tree).unwrap();
    assert!(bytes.len() > 4 << 20);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn a_struct_with_too_many_fields_is_an_error() {
    struct Wide(usize);
    impl Serialize for Wide {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeTupleStruct;
            let mut fields = serializer.serialize_tuple_struct("Wide", self.0)?;
            (0..self.0).try_for_each(|field| fields.serialize_field(&field))?;
            fields.end()
        }
    }
    assert!(to_vec(&Wide(256)).is_ok());
    for value in
        [to_vec(&Wide(257)), to_vec(&[Wide(257)]), to_vec(&BTreeMap::from([(1, Wide(300))]))]
    {
        assert_eq!(value.unwrap_err().code().as_str(), "unsupported_value");
    }
}
