//! What a type can be, and what is refused.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::{CStr, OsStr, OsString};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Bound;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize};
use std::sync::{Arc, Mutex, RwLock};

#[cfg(feature = "crates")]
use holdall::archive::Undecoded;
use holdall::archive::{Archived, ArchivedList};
use holdall::{Archive, Code, Decode, Encode, to_vec};

#[derive(Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
pub struct Generic<'a, T, const LEN: usize>
where
    T: Clone,
{
    /// The first.
    pub first: T,
    pub rest: [T; LEN],
    pub text: &'a str,
}

#[derive(Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
enum Either<L, R> {
    Left(L),
    Both { left: L, right: R },
    Neither,
}

#[derive(Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
struct Pair(u8, #[holdall(skip)] u8, String);

#[derive(Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
struct Unit;

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
enum One {
    Only,
}

#[derive(Debug, PartialEq, Encode, Decode)]
#[holdall(transparent, archive)]
struct Transparent {
    inner: Vec<u8>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
#[holdall(archive, version = 2, upgrade(1 = "from_one"))]
struct Versioned {
    name: String,
}

fn from_one(name: String) -> Versioned {
    Versioned { name }
}

#[test]
fn types_with_parameters_have_them_in_an_archive() {
    let value = |number: u16| Generic { first: number, rest: [number; 3], text: "abc" };
    let values: Vec<Generic<'_, u16, 3>> = (0..70).map(value).collect();
    let bytes = to_vec(&values).unwrap();
    let archive = Archive::<Vec<Generic<'_, u16, 3>>>::new(&bytes).unwrap();
    let last: GenericRef<'_, '_, u16, 3> = archive.root().get(69).unwrap();
    assert_eq!((last.first(), last.rest().to_vec(), last.text()), (69, vec![69; 3], "abc"));
    assert_eq!(archive.root().columns().first().as_slice().unwrap().len(), 70);

    let values = vec![
        Either::Left(vec![1_u8]),
        Either::Neither,
        Either::Both { left: vec![], right: "x".to_owned() },
    ];
    let bytes = to_vec(&values).unwrap();
    let archive = Archive::<Vec<Either<Vec<u8>, String>>>::new(&bytes).unwrap();
    let [left, neither, both] = [0, 1, 2].map(|item| archive.root().get(item).unwrap());
    assert!(matches!(left, EitherRef::Left(list) if list.as_slice() == Some(&[1])));
    assert!(matches!(neither, EitherRef::Neither));
    assert!(matches!(both, EitherRef::Both { left, right: "x" } if left.is_empty()));
}

/// The archived form of the only value of a message.
#[track_caller]
fn root<T: Encode + for<'de> Decode<'de> + Archived + PartialEq + Debug>(
    value: T,
    check: impl Fn(T::Ref<'_>),
) {
    let bytes = to_vec(&value).unwrap();
    let archive = Archive::<T>::new(&bytes).unwrap();
    check(archive.root());
    assert_eq!(archive.decode().unwrap(), value);
}

#[test]
fn values_of_all_kinds_have_archived_forms() {
    root(Pair(7, 0, "x".into()), |pair| assert_eq!((pair._0(), pair._2()), (7, "x")));
    root(Unit, |unit| assert_eq!(format!("{unit:?}"), "UnitRef"));
    root(One::Only, |one| assert_eq!(one, One::Only));
    root(Transparent { inner: vec![1, 2] }, |list| assert_eq!(list.as_slice(), Some(&[1, 2][..])));
    root(Versioned { name: "x".into() }, |versioned| assert_eq!(versioned.name(), "x"));
    root(u128::MAX, |number| assert_eq!(number.decode().unwrap(), u128::MAX));
    root((usize::MAX, -1_isize), |numbers| assert_eq!(numbers, (usize::MAX as u64, -1)));
    root((holdall::f16::ONE, holdall::bf16::ONE), |halves| assert_eq!(halves.0, holdall::f16::ONE));
    root((vec![true, false], [0_u8; 0]), |(bits, none)| {
        assert_eq!((format!("{bits:?}"), none.len()), ("[true, false]".into(), 0));
    });
    root((), |()| {});
    root(PhantomData::<String>, |()| {});
    root(vec![(); 5], |list| assert_eq!(list.iter().count(), 5));
    root(vec![vec![0.5_f32; 3], vec![], vec![1.5]], |lists| {
        assert_eq!(
            lists.iter().map(ArchivedList::to_vec).collect::<Vec<_>>(),
            [vec![0.5; 3], vec![], vec![1.5]]
        );
    });
    root(VecDeque::from([Some(None), None, Some(Some("x".to_owned()))]), |list| {
        assert_eq!(format!("{list:?}"), r#"[Some(None), None, Some(Some("x"))]"#);
    });
    root(HashMap::from([("a".to_owned(), 1_u8)]), |map| {
        assert_eq!(format!("{map:?}"), r#"{"a": 1}"#);
    });
    root(HashSet::from([3_u8]), |set| assert_eq!(set.get(0), Some(3)));
    root(Box::<[u16]>::from([300]), |list| assert_eq!(list.as_slice(), Some(&[300][..])));
    root(Arc::<str>::from("x"), |text| assert_eq!(text, "x"));
    root(std::num::Wrapping(7_u8), |number| assert_eq!(number, 7));
}

#[derive(Debug, Encode, Decode)]
#[holdall(archive)]
struct Cells {
    cell: Cell<u16>,
    place: RefCell<String>,
    mutex: Mutex<Vec<u8>>,
    lock: RwLock<bool>,
    count: AtomicUsize,
    flags: (AtomicBool, AtomicI64),
}

#[test]
fn cells_are_what_is_in_them_in_an_archive() {
    let value = Cells {
        cell: Cell::new(300),
        place: RefCell::new("x".into()),
        mutex: Mutex::new(vec![1, 2]),
        lock: RwLock::new(true),
        count: AtomicUsize::new(7),
        flags: (AtomicBool::new(true), AtomicI64::new(-1)),
    };
    let bytes = to_vec(&value).unwrap();
    let archive = Archive::<Cells>::new(&bytes).unwrap();
    let cells = archive.root();
    assert_eq!((cells.cell(), cells.place(), cells.lock()), (300, "x", true));
    assert_eq!((cells.mutex().to_vec(), cells.count(), cells.flags()), (vec![1, 2], 7, (true, -1)));
}

#[test]
fn types_of_the_standard_library_have_archived_forms() {
    root(vec![3..5_u8, 1..1], |list| assert_eq!(list.get(0).unwrap().decode().unwrap(), 3..5));
    root((1..=2_i64, 3_u8.., ..4.5_f32, ..='x'), |(within, from, to, through)| {
        assert_eq!((within.decode().unwrap(), from.decode().unwrap()), (1..=2, 3..));
        assert_eq!((to.decode().unwrap(), through.decode().unwrap()), (..4.5, ..='x'));
    });
    root([Bound::Included("x".to_owned()), Bound::Unbounded], |list| {
        assert_eq!(
            (list.get(0), list.get(1)),
            (Some(Bound::Included("x")), Some(Bound::Unbounded))
        );
    });
    let orders = [Ordering::Greater, Ordering::Less, Ordering::Equal];
    root(orders, |list| assert!(list.iter().eq(orders)));
    root(OsString::from("x"), |text| assert_eq!(text.decode().unwrap(), "x"));
    root(Box::<OsStr>::from("x".as_ref()), |text| assert_eq!(text.decode().unwrap(), "x"));
    root(Cow::<Path>::Owned("x".into()), |path| {
        assert_eq!(path.decode().unwrap().as_os_str(), "x");
    });
    root(c"x".to_owned(), |text| assert_eq!(text.decode().unwrap(), c"x".to_owned()));
    root(Box::<CStr>::from(c"x"), |text| assert_eq!(text.decode().unwrap(), c"x".to_owned()));
}

#[derive(Encode, Decode)]
#[holdall(archive)]
#[expect(clippy::type_complexity, reason = "the longest tuples that have implementations")]
struct Long {
    of_16: (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, String),
    of_13: (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, String),
}

#[test]
fn tuples_of_13_to_16_items_have_archived_forms() {
    let text = "x".to_owned();
    let of_16 = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, text.clone());
    let of_13 = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, text);
    let bytes = to_vec(&Long { of_16, of_13 }).unwrap();
    let archive = Archive::<Long>::new(&bytes).unwrap();
    let long = archive.root();
    assert_eq!((long.of_16().14, long.of_16().15, long.of_13().12), (15, "x", "x"));
}

#[cfg(feature = "crates")]
#[test]
fn types_of_other_crates_have_archived_forms() {
    use bytes::Bytes;
    use compact_str::CompactString;
    use indexmap::IndexMap;
    use smallvec::SmallVec;
    use uuid::Uuid;

    root(vec![Bytes::from_static(b"abc"), Bytes::new(), Bytes::from_static(b"d")], |list| {
        assert!(list.iter().eq([&b"abc"[..], b"", b"d"]));
    });
    root(CompactString::from("x"), |text| assert_eq!(text, "x"));
    root(SmallVec::<[u8; 4]>::from_slice(&[1, 2]), |list| {
        assert_eq!(list.as_slice(), Some(&[1, 2][..]));
    });
    root(IndexMap::<String, u8>::from_iter([("b".into(), 1), ("a".into(), 2)]), |map| {
        assert!(map.iter().eq([("b", 1), ("a", 2)]));
    });
    root(Uuid::max(), |uuid| assert_eq!(uuid.decode().unwrap(), Uuid::max()));
    root(ordered_float::OrderedFloat(1.5), |float| assert_eq!(float, 1.5));
    root(either::Either::<u8, String>::Right("x".into()), |either| {
        assert_eq!(either, either::Either::Right("x"));
    });
    root(nalgebra::DVector::from_vec(vec![1.5_f32]), |list| assert_eq!(list.get(0), Some(1.5)));
    /// All that is decoded as a whole.
    #[track_caller]
    fn whole<T>(value: T)
    where
        T: Encode + for<'de> Decode<'de> + Clone + PartialEq + Debug + 'static,
        T: for<'a> Archived<Ref<'a> = Undecoded<'a, T>>,
    {
        root(vec![value.clone(); 3], |list| {
            assert_eq!(list.get(2).unwrap().decode().unwrap(), value);
        });
    }
    whole(ordered_float::NotNan::new(1.5).unwrap());
    whole(bitvec::vec::BitVec::<u8, bitvec::order::Lsb0>::repeat(true, 9));
    whole(bytes::BytesMut::from(&b"abc"[..]));
    whole(chrono::Weekday::Tue);
    whole(geo_types::Line::new((1.0, 2.0), (3.0, 4.0)));
    whole(geo_types::LineString::from(vec![(1_i64, 2)]));
    whole(glam::Vec3::new(1.0, 2.0, 3.0));
    whole(glam::DAffine2::IDENTITY);
    whole(nalgebra::Matrix2x3::new(1_u8, 2, 3, 4, 5, 6));
    whole(nalgebra::Point2::new(1.5_f32, 2.5));
    whole(num_bigint_05::BigInt::from(1_u128 << 100));
    whole(num_complex::Complex::new(1.5_f64, 2.5));
    whole(num_rational::Ratio::new(1_i64, 3));
    whole(time::Month::May);
}

#[test]
fn items_can_be_skipped() {
    let bytes = to_vec(&(0..10_u8).collect::<Vec<_>>()).unwrap();
    let archive = Archive::<Vec<u8>>::new(&bytes).unwrap();
    let mut items = archive.root().iter();
    assert_eq!(
        (items.nth(3), items.len(), items.next(), items.nth(9), items.next()),
        (Some(3), 6, Some(4), None, None)
    );
}

#[derive(Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
struct Keeping {
    id: u8,
    #[holdall(unknown)]
    rest: holdall::value::Record,
    name: String,
}

#[test]
fn a_type_that_keeps_unknown_fields_is_read_in_place_without_such() {
    let mut value = Keeping { id: 7, rest: holdall::value::Record::default(), name: "x".into() };
    let bytes = to_vec(&value).unwrap();
    let archive = Archive::<Keeping>::new(&bytes).unwrap();
    assert_eq!((archive.root().id(), archive.root().name()), (7, "x"));
    assert_eq!(archive.decode().unwrap(), value);
    value.rest = [("more".into(), holdall::Value::from(1))].into_iter().collect();
    let bytes = to_vec(&value).unwrap();
    assert_eq!(Archive::<Keeping>::new(&bytes).unwrap_err().code(), Code::Incompatible);
}

#[derive(Encode, Decode)]
struct Recursive {
    inside: Vec<Recursive>,
}

#[test]
fn what_has_no_rows_of_its_own_is_unsupported() {
    fn refused<T: for<'de> Decode<'de> + Encode>(value: &T, got: &str) {
        let error = Archive::<T>::new(&to_vec(value).unwrap()).unwrap_err();
        assert_eq!(error.code(), Code::Unsupported);
        assert!(error.to_string().ends_with(got), "{error}");
    }
    refused(&Recursive { inside: vec![] }, "a recursive type, or one with Rc or Arc");
    refused(&vec![Rc::new(1_u8)], "a recursive type, or one with Rc or Arc");
    refused(&vec![holdall::Value::from(1)], "a type with Value");
    refused(&holdall::Value::from(1), "a type with Value");
    #[cfg(feature = "crates")]
    refused(&ndarray::Array1::<f32>::zeros(3), "a type with tensors");
}

#[test]
fn data_of_another_schema_is_incompatible() {
    let bytes = to_vec(&vec![(1_u8, "x")]).unwrap();
    let error = Archive::<Vec<(u16, String)>>::new(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "incompatible in $[][0]: expected u16, as in the type, \
         got u8: an archive converts nothing, from_slice does"
    );
    assert_eq!(error.code(), Code::Incompatible);
    assert_eq!(holdall::from_slice::<Vec<(u16, String)>>(&bytes).unwrap(), [(1, "x".into())]);
}

#[test]
fn an_error_names_the_item_and_its_field() {
    #[derive(Debug, Encode, Decode)]
    struct Stored {
        letters: Vec<u32>,
    }

    #[derive(Debug, Decode)]
    #[holdall(rename = "Stored", archive)]
    struct Read {
        #[allow(dead_code, reason = "only reading it fails")]
        letters: Vec<std::num::NonZero<u32>>,
    }

    let stored = |numbers: &[u32]| Stored { letters: numbers.into() };
    let bytes = to_vec(&vec![stored(&[1, 2]), stored(&[]), stored(&[3, 0])]).unwrap();
    let archive = Archive::<Vec<Read>>::new(&bytes).unwrap();
    assert!(archive.get(1).is_ok());
    let error = archive.get(2).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[2].letters[]"));
    let letters = archive.root().get(2).unwrap().letters();
    assert_eq!(letters.decode(0).unwrap().get(), 3);
    assert_eq!(letters.decode(1).unwrap_err().path(), "$[].letters[1]");
    assert_eq!(letters.get(1).unwrap().decode().unwrap_err().path(), "$[].letters[]");
    let error = archive.get(3).unwrap_err();
    assert_eq!(error.to_string(), "index_out_of_range: expected an item below 3, got 3");
}
