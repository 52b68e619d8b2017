//! Values of many types, made by their schemas, survive every way of writing and reading.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{NonZero, Saturating, Wrapping};
use std::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo};
use std::path::PathBuf;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime};

use holdall::testing::check;
use holdall::{Decode, Encode, bf16, f16};

macro_rules! types {
    ($($name:ident: $($ty:ty),*;)*) => {$(
        #[test]
        fn $name() {
            $(check::<$ty>(150);)*
        }
    )*};
}

types! {
    numbers_come_back: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f16, bf16, f32, f64, bool, char;
    what_holds_a_number_comes_back: NonZero<u8>, NonZero<i64>, Wrapping<u16>, Saturating<i32>, Cell<u8>;
    text_comes_back: String, Box<str>, Rc<str>, Arc<str>, PathBuf, Vec<String>;
    lists_come_back: Vec<u8>, Vec<Vec<i32>>, VecDeque<bool>, LinkedList<u8>, BinaryHeap<u16>, Box<[f64]>, [u16; 5], [[bool; 2]; 3], [String; 0];
    options_and_results_come_back: Option<u8>, Option<Option<i8>>, Option<()>, Result<u8, String>, Vec<Option<String>>;
    tuples_come_back: (), (u8,), (u8, String, Option<f32>), (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8), PhantomData<String>;
    maps_and_sets_come_back: HashMap<String, u8>, BTreeMap<u16, Vec<String>>, HashSet<u8>, BTreeSet<String>, HashMap<(u8, bool), f64>;
    times_and_addresses_come_back: Duration, SystemTime, IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6;
    ranges_come_back: Range<u8>, RangeInclusive<i16>, RangeFrom<f32>, RangeTo<u8>, Bound<String>, Ordering;
    pointers_and_cells_come_back: Box<u8>, RefCell<String>, Mutex<u8>, RwLock<Vec<u8>>, Rc<u8>, Arc<Vec<String>>, Vec<Rc<String>>, Weak<u8>;
    derived_types_come_back: All, Generic<u8, Vec<String>>, Unit, Pair, Newtype, Nothing, Transparent, Renamed;
    enums_come_back: Shape, Vec<Shape>, Plain, One;
    types_inside_themselves_come_back: Tree, Linked, Expression, Vec<Deep>, Deep, First, Vec<Second>;
    graphs_come_back: Node, Rc<Node>, Vec<Rc<Node>>, Both, Arc<Mutex<Locked>>;
}

#[derive(Debug, Encode, Decode)]
struct All {
    a: u8,
    b: Vec<(i64, f64)>,
    c: Option<Box<Shape>>,
    d: HashMap<String, Vec<Option<u32>>>,
    e: [Shape; 2],
    f: Generic<String, bool>,
    g: (Unit, Newtype),
}

#[derive(Debug, Encode, Decode)]
struct Generic<T, U> {
    first: T,
    second: Vec<U>,
}

#[derive(Debug, Encode, Decode)]
struct Unit;

#[derive(Debug, Encode, Decode)]
struct Pair(u8, String);

#[derive(Debug, Encode, Decode)]
struct Newtype(Vec<u16>);

#[derive(Debug, Encode, Decode)]
struct Nothing {}

#[derive(Debug, Encode, Decode)]
#[holdall(transparent)]
struct Transparent {
    only: String,
    #[holdall(skip)]
    _cache: u8,
}

#[derive(Debug, Encode, Decode)]
#[holdall(rename = "Other", rename_all = "camelCase")]
struct Renamed {
    first_name: String,
    #[holdall(rename = "x")]
    last_name: String,
    #[holdall(default)]
    level: u8,
    #[holdall(default)]
    maybe: Option<u8>,
    #[holdall(with = "as_text")]
    number: u32,
}

mod as_text {
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "what the attribute calls takes a reference"
    )]
    pub fn encode(number: &u32) -> String {
        number.to_string()
    }

    pub fn decode(text: String) -> Result<u32, std::num::ParseIntError> {
        if text.is_empty() { Ok(0) } else { text.parse().or(Ok(text.len() as u32)) }
    }
}

#[derive(Debug, Encode, Decode)]
enum Shape {
    Empty,
    Circle(f64),
    Line((i32, i32), u8),
    Named { name: String, inner: Option<Box<Shape>> },
    Tuple(),
    Record {},
}

#[derive(Debug, Encode, Decode)]
enum Plain {
    A,
    B,
    C,
}

#[derive(Debug, Encode, Decode)]
enum One {
    Only(String),
}

#[derive(Debug, Encode, Decode)]
struct Tree {
    value: i32,
    children: Vec<Tree>,
}

#[derive(Debug, Encode, Decode)]
struct Linked {
    next: Option<Box<Linked>>,
    value: String,
}

#[derive(Debug, Encode, Decode)]
enum Expression {
    Number(f64),
    Add(Box<Expression>, Box<Expression>),
    Call { name: String, arguments: Vec<Expression> },
}

#[derive(Debug, Encode, Decode)]
struct Deep(Vec<Deep>);

#[derive(Debug, Encode, Decode)]
struct First {
    second: Option<Box<Second>>,
    other: Option<Box<Second>>,
}

#[derive(Debug, Encode, Decode)]
struct Second {
    first: Vec<First>,
    leaf: u8,
}

#[derive(Debug, Encode, Decode)]
struct Node {
    name: String,
    next: RefCell<Option<Rc<Node>>>,
    others: Vec<Rc<Node>>,
    parent: RefCell<Weak<Node>>,
}

#[derive(Debug, Encode, Decode)]
struct Both {
    own: Tree,
    shared: Rc<Tree>,
    list: Rc<Vec<Tree>>,
    again: Vec<Tree>,
}

#[derive(Debug, Encode, Decode)]
struct Locked {
    value: u8,
    next: Option<Arc<Mutex<Locked>>>,
}
