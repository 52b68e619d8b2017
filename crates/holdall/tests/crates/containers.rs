//! Lists, maps, sets, text and byte strings.

use arrayvec::{ArrayString, ArrayVec};
use bytes::{Bytes, BytesMut};
use holdall::{Decode, Encode};
use indexmap::{IndexMap, IndexSet};
use smallvec::{SmallVec, smallvec};

use super::{hex, table};

#[test]
fn maps_and_sets_keep_their_order() {
    table(
        "ordered_map(map(string, u8))",
        &[
            (IndexMap::<String, u8>::new(), "00"),
            (IndexMap::from([("b".to_owned(), 1), ("a".to_owned(), 2)]), "04 02 02 62 61 01 02"),
        ],
    );
    table(
        "set(list(u8))",
        &[(IndexSet::<u8>::new(), "00"), (IndexSet::from([3, 1, 2]), "06 03 01 02")],
    );
}

#[test]
fn short_lists_have_the_bytes_of_vec() {
    table(
        "list(u8)",
        &[
            (SmallVec::<[u8; 2]>::new(), "00"),
            (smallvec![1, 2], "04 01 02"),
            (smallvec![1, 2, 3], "06 01 02 03"),
        ],
    );
    table(
        "list(string)",
        &[
            (ArrayVec::<String, 2>::new(), "00"),
            (ArrayVec::from(["a".to_owned(), "bc".to_owned()]), "04 02 04 61 62 63"),
        ],
    );
    table("list(bool)", &[(ArrayVec::<bool, 0>::new(), "00")]);
    table(
        "string",
        &[(ArrayString::<4>::new(), "00"), (ArrayString::from("éé").unwrap(), "08 C3 A9 C3 A9")],
    );
}

#[test]
fn byte_strings_have_their_bytes() {
    table("bytes", &[(Bytes::new(), "00"), (Bytes::from_static(&[0, 255]), "04 00 FF")]);
    table(
        "byte_array(bytes)",
        &[(BytesMut::new(), "00"), (BytesMut::from(&[1_u8, 2][..]), "04 01 02")],
    );
}

#[derive(Debug, Encode, Decode)]
struct Tree {
    children: IndexMap<u8, Tree>,
    few: SmallVec<[Box<Tree>; 1]>,
}

#[test]
fn a_type_can_contain_itself_through_them() {
    let leaf = || Tree { children: IndexMap::new(), few: SmallVec::new() };
    let tree = Tree {
        children: IndexMap::from([(2, leaf()), (1, leaf())]),
        few: smallvec![Box::new(leaf()), Box::new(leaf())],
    };
    table(
        "#0 where #0 = struct Tree {children: ordered_map(map(u8, #0)), few: list(#0)}",
        &[(tree, "0A 02 02 00 02 01 02 20 00")],
    );
}

#[test]
fn columns_of_many_rows_are_those_of_std() {
    let small: Vec<SmallVec<[u16; 3]>> = (0..9).map(|len| (0..len).collect()).collect();
    let std: Vec<Vec<u16>> = (0..9).map(|len| (0..len).collect()).collect();
    let bytes = holdall::to_vec(&std).unwrap();
    assert_eq!(hex(&holdall::to_vec(&small).unwrap()), hex(&bytes));
    assert_eq!(holdall::from_slice::<Vec<SmallVec<[u16; 3]>>>(&bytes).unwrap(), small);
}
