//! Law (F-96): with the option `canonical`, equal values give equal bytes, whatever order a set or map has in memory.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use chrono::NaiveDate;
use holdall::{Code, Decode, Encode, Encoder, Profile, Reader, Shared, Value, WriterOptions};
use serde::Serialize;

use super::hex;

/// The number of orders to try: each map of the standard library has a different one.
const ORDERS: u32 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode, Serialize)]
enum Suit {
    Hearts,
    Spades(u8),
    Clubs { high: bool },
}

type Nested = ((i32, String), Option<Option<u8>>);

#[derive(Debug, PartialEq, Encode, Decode)]
struct Sets {
    numbers: HashSet<i64>,
    dates: HashSet<NaiveDate>,
    paths: HashSet<PathBuf>,
    sets: HashSet<BTreeSet<String>>,
    tuples: HashSet<Nested>,
    suits: HashMap<Suit, HashSet<char>>,
    by_date: HashMap<NaiveDate, Vec<u8>>,
    words: HashMap<String, HashMap<u16, bool>>,
    shared: HashSet<Rc<Vec<u8>>>,
}

fn date(days: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2020, 1, 1).unwrap() + chrono::Days::new(u64::from(days * days))
}

fn suits() -> [Suit; 5] {
    let clubs = |high| Suit::Clubs { high };
    [Suit::Hearts, Suit::Spades(1), Suit::Spades(9), clubs(true), clubs(false)]
}

fn sets() -> Sets {
    let words = || (0..9).map(|n| format!("word {n}"));
    Sets {
        numbers: (-5..300).collect(),
        dates: (0..20).map(date).collect(),
        paths: words().map(PathBuf::from).collect(),
        sets: (0..9).map(|n| words().take(n).collect()).collect(),
        tuples: (0..9)
            .flat_map(|n| [None, Some(None), Some(Some(7))].map(|some| ((n, "x".repeat(3)), some)))
            .collect(),
        suits: suits().map(|suit| (suit, "hash".chars().collect())).into(),
        by_date: (0..20).map(|n| (date(n), vec![n as u8; 3])).collect(),
        words: words().map(|word| (word, (0..9).map(|n| (n, n % 2 == 0)).collect())).collect(),
        shared: (0..9).map(|n| Rc::new(vec![n; 2])).collect(),
    }
}

#[test]
fn equal_values_of_types_give_equal_bytes() {
    for profile in [Profile::Fast, Profile::Balanced] {
        let encode = || Encoder::new().profile(profile).canonical(true).encode(&sets()).unwrap();
        let first = encode();
        assert_eq!(holdall::from_slice::<Sets>(&first).unwrap(), sets());
        assert!((1..ORDERS).all(|_| encode() == first), "{profile:?}");
        // As a value without types, the sets are in order already.
        let value: Value = holdall::from_slice(&first).unwrap();
        let encode = |canonical| {
            Encoder::new().profile(profile).canonical(canonical).encode(&value).unwrap()
        };
        assert_eq!(encode(true), encode(false));
    }
    // Without the option, some memory order shows.
    let plain: HashSet<Vec<u8>> = (0..ORDERS).map(|_| holdall::to_vec(&sets()).unwrap()).collect();
    assert!(plain.len() > 1);
}

#[test]
fn streams_are_written_in_canonical_order() {
    let write = || {
        let mut writer =
            WriterOptions::new().canonical(true).sync(*b"canonica").to(Vec::new()).unwrap();
        (0..3).for_each(|_| writer.write(&sets()).unwrap());
        let dynamic: Value = holdall::from_slice(&holdall::to_vec(&sets().dates).unwrap()).unwrap();
        writer.write(&dynamic).unwrap();
        writer.finish().unwrap()
    };
    let first = write();
    assert!((1..ORDERS).all(|_| write() == first));
    assert_eq!(Reader::new(&first[..]).values::<Value>().count(), 4);
}

/// serde's sets and maps are recognised by the names of their types.
#[test]
fn equal_values_of_types_of_serde_give_equal_bytes() {
    #[derive(Serialize)]
    struct Newtype(HashSet<BTreeSet<u8>>);
    #[derive(Serialize)]
    enum Either {
        One(HashSet<String>),
        Two { map: HashMap<(u8, u8), Option<HashSet<u8>>> },
    }
    let words = || (0..9).map(|n| format!("word {n}"));
    let value = || {
        (
            Newtype((0..9).map(|n| (0..n).collect()).collect()),
            Either::One(words().collect()),
            Either::Two { map: (0..9).map(|n| ((n, 1), Some((0..n).collect()))).collect() },
            words().map(|word| (word, suits().into())).collect::<HashMap<_, HashSet<Suit>>>(),
            Box::new((0..9).collect::<HashSet<u8>>()),
            Some(suits().map(|suit| (suit, 1)).into_iter().collect::<HashMap<Suit, u8>>()),
        )
    };
    let encode = |canonical| {
        let mut encoder = Encoder::new().canonical(canonical);
        encoder.message(&mut holdall::serde::source(&value())).unwrap()
    };
    let first = encode(true);
    assert!((1..ORDERS).all(|_| encode(true) == first));
    assert!((1..ORDERS).any(|_| encode(false) != first));
    // To serde a set is a list, whose items have an order; lists and ordered maps keep theirs.
    let numbers: HashSet<i8> = [7, -1, 3].into();
    let bytes =
        Encoder::new().canonical(true).message(&mut holdall::serde::source(&numbers)).unwrap();
    assert_eq!(holdall::serde::from_slice::<Vec<i8>>(&bytes).unwrap(), [-1, 3, 7]);
    let listed = [vec![7, -1, 3]];
    let bytes =
        Encoder::new().canonical(true).message(&mut holdall::serde::source(&listed)).unwrap();
    assert_eq!(bytes, holdall::serde::to_vec(&listed).unwrap());
}

/// The tests of the Python package have the same bytes.
#[test]
fn bytes_are_those_of_other_languages() {
    let encode =
        |value: &dyn Fn(&mut Encoder) -> Vec<u8>| hex(&value(&mut Encoder::new().canonical(true)));
    let day = |day| NaiveDate::from_ymd_opt(1970, 1, day).unwrap();
    assert_eq!(
        encode(&|encoder| encoder.encode(&HashSet::from([day(4), day(2), day(3)])).unwrap()),
        "C1 10 22 0A 00 16 22 01 00 03 06 04 08 0C"
    );
    assert_eq!(
        encode(&|encoder| encoder
            .encode(&HashSet::from([(("b", "a"), "z"), (("a", "b"), "y")]))
            .unwrap()),
        "C1 10 22 0A 00 16 18 04 18 04 12 12 12 04 02 02 61 62 02 02 62 61 02 02 79 7A"
    );
}

/// A set that contains itself through a member.
#[test]
fn a_set_in_a_member_of_itself_has_no_order() {
    let value = Value::Shared(Shared::cyclic(|set| {
        let member = |n: i64| Value::list([Value::from(n), Value::Weak(set.clone())]);
        Value::set([member(1), member(2)])
    }));
    assert!(holdall::to_vec(&value).is_ok());
    let error = Encoder::new().canonical(true).encode(&value).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
    assert_eq!(
        error.to_string(),
        "unsupported_value in $: expected sets that have a canonical order, got one inside a member of itself"
    );
}
