//! Damaged messages, read into Rust types, give an error or a value that can be written, never a panic, within the
//! budget.
//!
//! Up to 100,000 mutations for each type.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZero;
use std::ops::{Bound, Range};
use std::path::PathBuf;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use crate::common::chance::{Chance, rounds};
use crate::common::mutate::mutate;
use holdall::{
    Alignment, Decode, Decoder, Encode, Encoder, Error, Header, Limits, Profile, from_slice, to_vec,
};

/// Reports the message if the code under test panics.
struct ReportOnPanic<'i>(&'i [u8]);

impl Drop for ReportOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("with {:02X?}", self.0);
        }
    }
}

/// A message in each form that a reader accepts.
fn forms<T: Encode>(value: &T) -> Vec<Vec<u8>> {
    let encoders = [
        Encoder::new(),
        Encoder::new().profile(Profile::Balanced),
        Encoder::new().profile(Profile::Small).length(true),
        Encoder::new().aligned(Alignment::On),
    ];
    encoders.into_iter().map(|mut encoder| encoder.encode(value).unwrap()).collect()
}

/// Reads a message; returns the result in a word.
type Read = fn(&mut Decoder, &[u8]) -> Result<(), Error>;

/// Damages messages and reads them, and bare bodies of the same type; `least` is the minimum number of different
/// results.
fn damage(seed: u64, messages: &[Vec<u8>], bodies: &[Vec<u8>], least: usize, reads: [Read; 2]) {
    let mutations = rounds(100_000);
    let mut chance = Chance::new(seed);
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..mutations {
        // Most damage to a message is to its schema.
        let (of, read) =
            if number.is_multiple_of(3) { (bodies, reads[1]) } else { (messages, reads[0]) };
        let mut bytes = of[number % of.len()].clone();
        for _ in 0..*chance.pick(&[1, 1, 1, 2, 3]) {
            let other = chance.pick(of);
            mutate(&mut chance, &mut bytes, other);
        }
        let _report = ReportOnPanic(&bytes);
        let budget = *chance.pick(&[1 << 18, 1 << 16, 1 << 14, 500]);
        let mut decoder = Decoder::new().limits(Limits::new().budget(budget).depth(200));
        let end = match read(&mut decoder, &bytes) {
            Ok(()) => "value".to_owned(),
            Err(error) => error.code().to_string(),
        };
        *met.entry(end).or_default() += 1;
    }
    // Damage that is always found at once would test little.
    assert!(met.get("value").is_some_and(|count| *count > mutations / 100), "{met:?}");
    assert!(met.len() >= least && met.contains_key("limit_budget"), "{met:?}");
    println!("{met:?}");
}

/// A value from damaged bytes is like any other.
fn comes_back<T: Encode, U>(value: &T, read: impl Fn(&[u8]) -> Result<U, Error>) {
    let bytes = to_vec(value).expect("what was read can be written");
    read(&bytes).map(drop).expect("what was written can be read");
}

macro_rules! damaged {
    ($($name:ident($seed:literal, $least:literal): $ty:ty, from $written:ty = $values:expr;)*) => {$(
        #[test]
        fn $name() {
            let values: Vec<$written> = $values;
            let messages: Vec<Vec<u8>> = values.iter().flat_map(forms).collect();
            for message in &messages {
                from_slice::<$ty>(message).map(drop).expect("whole messages can be read");
            }
            // A body has no schema: the reader uses that of its type, which also wrote the body.
            let bodies: Vec<Vec<u8>> = messages.iter().map(|message| {
                let value = from_slice::<$ty>(message).unwrap();
                Encoder::new().header(Header::Bare).encode(&value).unwrap()
            }).collect();
            let reads: [Read; 2] = [
                |decoder, bytes| {
                    let value = decoder.decode::<$ty>(bytes)?;
                    comes_back(&value, |bytes| from_slice::<$ty>(bytes).map(drop));
                    Ok(())
                },
                |decoder, bytes| {
                    let value = decoder.decode_body::<$ty>(bytes)?;
                    comes_back(&value, |bytes| from_slice::<$ty>(bytes).map(drop));
                    Ok(())
                },
            ];
            damage($seed, &messages, &bodies, $least, reads);
        }
    )*};
    ($($name:ident($seed:literal, $least:literal): $ty:ty = $values:expr;)*) => {
        damaged! { $($name($seed, $least): $ty, from $ty = $values;)* }
    };
}

damaged! {
    containers_are_read_or_refused(1, 25): Containers = vec![containers(1), containers(7)];
    types_of_std_are_read_or_refused(2, 25): System = vec![system(1), system(200)];
    enums_are_read_or_refused(3, 25): Vec<Shape> = vec![shapes(), shapes()[1..].to_vec()];
    types_inside_themselves_are_read_or_refused(4, 25): Vec<Expression> = vec![expressions(), expressions()[..1].to_vec()];
    graphs_are_read_or_refused(5, 25): Rc<Node> = vec![graph(3), graph(9)];
    locked_graphs_are_read_or_refused(6, 25): Vec<Arc<Mutex<Locked>>> = vec![locked()];
    borrowed_values_are_read_or_refused(7, 20): Vec<Borrowed<'_>> = vec![borrowed(1), borrowed(9)];
    packed_values_are_read_or_refused(8, 20): Pixels = vec![pixels(2), pixels(40)];
    fields_with_attributes_are_read_or_refused(9, 25): Vec<Attributes> = vec![attributes(1), attributes(6)];
    numbers_are_read_or_refused(10, 20): Vec<Numbers> = vec![numbers(1), numbers(50)];
    options_and_tuples_are_read_or_refused(11, 20): Options = vec![options(0), options(5)];
}

damaged! {
    what_the_type_has_become_is_read_or_refused(12, 25): Vec<new::User>, from Vec<old::User> = vec![old_users(1), old_users(30)];
    what_is_inside_itself_and_has_become_another_is_read_or_refused(13, 25): new::Tree, from old::Tree = vec![old_tree(4), old_tree(1)];
}

#[derive(Debug, Encode, Decode)]
struct Containers {
    list: Vec<Vec<u16>>,
    queue: VecDeque<bool>,
    linked: LinkedList<String>,
    heap: BinaryHeap<u8>,
    map: HashMap<String, Vec<Option<u32>>>,
    sorted: BTreeMap<u16, String>,
    set: HashSet<u8>,
    sorted_set: BTreeSet<String>,
    boxed: Box<[i64]>,
    array: [[u8; 2]; 3],
    floats: Vec<f64>,
}

fn containers(len: u16) -> Containers {
    let all = 0..len;
    Containers {
        list: all.clone().map(|n| (0..n).collect()).collect(),
        queue: all.clone().map(|n| n.is_multiple_of(3)).collect(),
        linked: all.clone().map(|n| format!("text {n}")).collect(),
        heap: all.clone().map(|n| n as u8).collect(),
        map: all.clone().map(|n| (format!("{n}"), vec![Some(u32::from(n)), None])).collect(),
        sorted: all.clone().map(|n| (n, "x".repeat(usize::from(n)))).collect(),
        set: all.clone().map(|n| n as u8).collect(),
        sorted_set: all.clone().map(|n| format!("{n}")).collect(),
        boxed: all.clone().map(|n| i64::from(n) - 3).collect(),
        array: [[1, 2], [3, 4], [5, 6]],
        floats: all.map(|n| f64::from(n) / 3.0).collect(),
    }
}

#[derive(Debug, Encode, Decode)]
struct System {
    timeout: Duration,
    at: SystemTime,
    hosts: Vec<IpAddr>,
    socket: SocketAddr,
    path: PathBuf,
    range: Range<u8>,
    bound: Bound<String>,
    order: Option<std::cmp::Ordering>,
    initial: char,
    size: NonZero<u16>,
}

fn system(number: u8) -> System {
    System {
        timeout: Duration::new(u64::from(number) << 40, 5),
        at: SystemTime::UNIX_EPOCH - Duration::new(u64::from(number), 1),
        hosts: vec![Ipv4Addr::LOCALHOST.into(), "::1".parse().unwrap()],
        socket: "1.2.3.4:80".parse().unwrap(),
        path: "/a/b".into(),
        range: 1..number,
        bound: Bound::Included("x".into()),
        order: Some(std::cmp::Ordering::Less),
        initial: '漢',
        size: NonZero::new(u16::from(number)).unwrap(),
    }
}

#[derive(Clone, Debug, Encode, Decode)]
enum Shape {
    Empty,
    Circle(f64),
    Line((i32, i32), u8),
    Named { name: String, inner: Option<Box<Shape>> },
    Unit(()),
}

fn shapes() -> Vec<Shape> {
    let inner = Some(Box::new(Shape::Circle(1.5)));
    vec![
        Shape::Empty,
        Shape::Line((-1, 300), 7),
        Shape::Named { name: "abc".into(), inner },
        Shape::Unit(()),
        Shape::Circle(f64::NAN),
    ]
}

#[derive(Clone, Debug, Encode, Decode)]
enum Expression {
    Number(f64),
    Add(Box<Expression>, Box<Expression>),
    Call { name: String, arguments: Vec<Expression> },
}

fn expressions() -> Vec<Expression> {
    let number = |number| Box::new(Expression::Number(number));
    let sum = Expression::Add(number(1.0), number(2.0));
    let call = Expression::Call { name: "f".into(), arguments: vec![sum.clone(), *number(3.0)] };
    vec![Expression::Add(Box::new(call.clone()), Box::new(sum)), call]
}

#[derive(Debug, Encode, Decode)]
struct Node {
    name: String,
    next: RefCell<Option<Rc<Node>>>,
    others: Vec<Rc<Node>>,
    parent: RefCell<Weak<Node>>,
}

fn graph(len: usize) -> Rc<Node> {
    let node = |name: String, others| Node {
        name,
        next: RefCell::default(),
        others,
        parent: RefCell::default(),
    };
    let leaf = Rc::new(node("leaf".into(), vec![]));
    let root = Rc::new(node("root".into(), vec![Rc::clone(&leaf), leaf]));
    let mut last = Rc::clone(&root);
    for at in 0..len {
        let next = Rc::new(node(format!("{at}"), root.others.clone()));
        *next.parent.borrow_mut() = Rc::downgrade(&last);
        *last.next.borrow_mut() = Some(Rc::clone(&next));
        last = next;
    }
    root
}

#[derive(Debug, Encode, Decode)]
struct Locked {
    value: u8,
    next: Option<Arc<Mutex<Locked>>>,
    text: Arc<str>,
}

fn locked() -> Vec<Arc<Mutex<Locked>>> {
    let text: Arc<str> = "abc".into();
    let one = |value, next| Arc::new(Mutex::new(Locked { value, next, text: Arc::clone(&text) }));
    let first = one(1, None);
    let second = one(2, Some(Arc::clone(&first)));
    vec![Arc::clone(&second), first, second]
}

#[derive(Debug, Encode, Decode)]
struct Borrowed<'a> {
    name: &'a str,
    text: Cow<'a, str>,
    bytes: &'a [u8],
    floats: Cow<'a, [f64]>,
}

fn borrowed(len: usize) -> Vec<Borrowed<'static>> {
    let one = |n: usize| Borrowed {
        name: &"a long enough text"[..n],
        text: "text".into(),
        bytes: &b"\x01\x02\x03\xFF\x00\x05\x06\x07\x08\x09"[..n],
        floats: vec![0.5; n].into(),
    };
    (0..len).map(one).collect()
}

#[derive(Clone, Copy, Debug, Encode, Decode)]
#[holdall(packed)]
struct Pixel {
    red: u8,
    at: [u16; 2],
    depth: f32,
}

#[derive(Debug, Encode, Decode)]
struct Pixels {
    all: Vec<Pixel>,
    one: Pixel,
    arrays: Vec<[Pixel; 2]>,
}

fn pixels(len: u8) -> Pixels {
    let one = |red| Pixel { red, at: [300, 1], depth: 0.5 };
    Pixels {
        all: (0..len).map(one).collect(),
        one: one(9),
        arrays: (0..len).map(|n| [one(n), one(n)]).collect(),
    }
}

#[derive(Debug, Encode, Decode)]
#[holdall(rename_all = "camelCase")]
struct Attributes {
    first_name: String,
    #[holdall(default)]
    level: u8,
    #[holdall(default)]
    maybe: Option<String>,
    #[holdall(skip)]
    _cache: u8,
    #[holdall(with = "as_text")]
    number: u32,
    even: Even,
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
        text.parse()
    }
}

#[derive(Clone, Copy, Debug, Encode, Decode)]
#[holdall(try_from = "u16", into = "u16")]
struct Even(u16);

impl TryFrom<u16> for Even {
    type Error = &'static str;

    fn try_from(number: u16) -> Result<Even, &'static str> {
        if number.is_multiple_of(2) { Ok(Even(number)) } else { Err("an odd number") }
    }
}

impl From<Even> for u16 {
    fn from(even: Even) -> u16 {
        even.0
    }
}

fn attributes(len: u16) -> Vec<Attributes> {
    let one = |n: u16| Attributes {
        first_name: format!("name {n}"),
        level: n as u8,
        maybe: n.is_multiple_of(2).then(|| "x".to_owned()),
        _cache: 0,
        number: 1 << n,
        even: Even(2 * n),
    };
    (0..len).map(one).collect()
}

#[derive(Debug, Encode, Decode)]
struct Numbers {
    small: u8,
    signed: i16,
    wide: u64,
    huge: i128,
    float: f32,
    flag: bool,
}

fn numbers(len: u8) -> Vec<Numbers> {
    let one = |n: u8| Numbers {
        small: n,
        signed: -i16::from(n) * 300,
        wide: u64::MAX >> (n % 64),
        huge: i128::MIN >> (n % 128),
        float: f32::from(n) / 3.0,
        flag: n.is_multiple_of(3),
    };
    (0..len).map(one).collect()
}

type Options = Vec<(Option<Option<u8>>, Result<u8, String>, (u8, (bool, String)), Option<()>)>;

fn options(len: u8) -> Options {
    let one = |n: u8| {
        let result = if n.is_multiple_of(2) { Ok(n) } else { Err(format!("{n}")) };
        ((n > 0).then_some((n > 1).then_some(n)), result, (n, (true, "x".into())), Some(()))
    };
    (0..len).map(one).collect()
}

mod old {
    #[derive(Debug, holdall::Encode, holdall::Decode)]
    pub struct User {
        pub login: String,
        pub id: u16,
        pub removed: Vec<u8>,
        pub level: u8,
        pub kind: Kind,
    }

    #[derive(Debug, holdall::Encode, holdall::Decode)]
    pub enum Kind {
        Plain,
        Admin { since: u16 },
    }

    #[derive(Debug, holdall::Encode, holdall::Decode)]
    pub struct Tree {
        pub value: i16,
        pub children: Vec<Tree>,
    }
}

mod new {
    #[derive(Debug, holdall::Encode, holdall::Decode)]
    pub struct User {
        pub id: u64,
        #[holdall(alias = "login")]
        pub name: String,
        #[holdall(default)]
        pub tags: Vec<String>,
        pub level: Option<f32>,
        pub kind: Kind,
    }

    #[derive(Debug, holdall::Encode, holdall::Decode)]
    pub enum Kind {
        Guest,
        #[holdall(alias = "Admin")]
        Owner {
            since: i64,
        },
        Plain,
    }

    #[derive(Debug, holdall::Encode, holdall::Decode)]
    pub struct Tree {
        pub children: Vec<Tree>,
        pub value: Option<i64>,
        #[holdall(default)]
        pub name: String,
    }
}

fn old_users(len: u16) -> Vec<old::User> {
    let one = |n: u16| old::User {
        login: format!("user {n}"),
        id: n,
        removed: vec![n as u8; 3],
        level: n as u8,
        kind: if n.is_multiple_of(2) { old::Kind::Plain } else { old::Kind::Admin { since: n } },
    };
    (0..len).map(one).collect()
}

fn old_tree(depth: u16) -> old::Tree {
    let children = (0..depth).map(|child| old_tree(depth.min(child))).collect();
    old::Tree { value: depth as i16, children }
}
