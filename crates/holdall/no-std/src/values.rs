//! Values of each kind of type, written and read. The tests of the library with std compile this file too.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use alloc::{format, vec};
use core::any::Any;
use core::fmt::{Debug, Write};

use holdall::{Code, Decode, DecodeOwned, Decoder, Encode, Encoder, Error, Limits, Profile, Value};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Reading {
    sensor: u16,
    celsius: f32,
    raw: Option<[u8; 3]>,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
enum State {
    Off,
    Warming { percent: u8 },
    Failed(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Log {
    device: String,
    readings: Vec<Reading>,
    path: Vec<Point>,
    settings: BTreeMap<String, i64>,
    tags: BTreeSet<u32>,
    note: Value,
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Tree {
    name: String,
    inside: Vec<Tree>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Chain {
    next: Option<Box<Chain>>,
}

trait Part: Any {
    fn length(&self) -> u32;
}

#[derive(Encode, Decode)]
struct Belt {
    length: u32,
}

impl Part for Belt {
    fn length(&self) -> u32 {
        self.length
    }
}

#[derive(Encode, Decode)]
struct Group {
    parts: Vec<Box<dyn Part>>,
}

impl Part for Group {
    fn length(&self) -> u32 {
        self.parts.iter().map(|part| part.length()).sum()
    }
}

holdall::trait_objects!(dyn Part: "Belt" = Belt, "Group" = Group);

/// The next version of a reading.
#[derive(Debug, PartialEq, Encode, Decode)]
struct NewReading {
    sensor: u32,
    #[holdall(default)]
    unit: String,
}

fn readings(count: u16) -> Vec<Reading> {
    let state = |n: u16| match n % 3 {
        0 => State::Off,
        1 => State::Warming { percent: n as u8 },
        _ => State::Failed(format!("sensor {n} is missing")),
    };
    let reading = |n: u16| Reading {
        sensor: n % 7,
        celsius: 20.0 + f32::from(n % 13) / 4.0,
        raw: n.is_multiple_of(4).then_some([n as u8, 2, 3]),
        state: state(n),
    };
    (0..count).map(reading).collect()
}

fn log() -> Log {
    Log {
        device: "boiler".into(),
        readings: readings(40),
        path: (0..9).map(|n| Point { x: n, y: -n * n }).collect(),
        settings: [("limit".into(), 90), ("step".into(), -1)].into(),
        tags: [3, 1, 2].into(),
        note: Value::record([("by", Value::from("Ada")), ("hours", Value::list([Value::from(7)]))]),
    }
}

fn chain(len: usize) -> Chain {
    (1..len).fold(Chain { next: None }, |inside, _| Chain { next: Some(Box::new(inside)) })
}

/// Writes a value by each profile that needs no C, checks that it is read again, and notes the bytes.
fn note<T: Encode + DecodeOwned + Debug + PartialEq>(name: &str, value: &T, all: &mut Vec<String>) {
    for (profile, label) in [(Profile::Fast, "fast"), (Profile::Balanced, "balanced")] {
        let mut encoder = Encoder::new().profile(profile).checksum(true);
        let bytes = encoder.encode(value).unwrap();
        assert_eq!(encoder.encoded_len(value).unwrap(), bytes.len(), "{name}");
        assert_eq!(Decoder::new().decode::<T>(&bytes).unwrap(), *value, "{name}");
        let mut line = format!("{name} {label} ");
        bytes.iter().for_each(|byte| write!(line, "{byte:02x}").unwrap());
        all.push(line);
    }
}

/// Lines with the bytes of each value.
#[must_use]
pub fn written() -> Vec<String> {
    let mut all = Vec::new();
    note("readings", &readings(3), &mut all);
    note("many readings", &readings(100), &mut all);
    note("log", &log(), &mut all);
    let leaf = |name: &str| Tree { name: name.into(), inside: Vec::new() };
    note("tree", &Tree { name: "a".into(), inside: vec![leaf("b"), leaf("c")] }, &mut all);
    note("chain", &chain(10), &mut all);
    let shared = Rc::new("twice".to_string());
    note("rc", &vec![Rc::clone(&shared), shared], &mut all);
    note("arc", &vec![Arc::<str>::from("x")], &mut all);
    note("decimals", &(0..300).map(|n| f64::from(n) / 100.0).collect::<Vec<f64>>(), &mut all);
    let steps = (0..1000_u64).map(|n| n * n % 1009 * (n % 5)).collect::<Vec<u64>>();
    note("numbers", &steps, &mut all);
    note("text", &(0..200).map(|n| format!("item {}", n % 9)).collect::<Vec<_>>(), &mut all);
    note("mixed", &(7_u8, 'x', i128::MIN, Some(true), "é".to_string()), &mut all);
    all
}

fn fault<T: DecodeOwned + Debug>(bytes: &[u8]) -> (Code, Option<u64>) {
    let error: Error = holdall::from_slice::<T>(bytes).unwrap_err();
    (error.code(), error.offset())
}

/// Damaged messages give the codes and offsets that they give with std.
pub fn check_faults() {
    let bytes = holdall::to_vec(&readings(3)).unwrap();
    for len in 0..bytes.len() {
        let (code, offset) = fault::<Vec<Reading>>(&bytes[..len]);
        assert_eq!(code, Code::Truncated);
        // Where the item begins that is cut.
        assert!(offset.is_some_and(|offset| offset <= len as u64), "{offset:?} of {len}");
    }
    let mut damaged = Encoder::new().checksum(true).encode(&readings(3)).unwrap();
    let end = damaged.len() - 4;
    damaged[20] ^= 1;
    assert_eq!(fault::<Vec<Reading>>(&damaged), (Code::BadChecksum, Some(end as u64)));
    assert_eq!(fault::<u8>(b"{}"), (Code::BadMagic, Some(0)));
    let text = holdall::from_slice::<String>(&bytes).unwrap_err();
    assert!(text.to_string().starts_with("incompatible"), "{text}");
    // It is an error as core defines it.
    let _: &dyn core::error::Error = &text;
}

/// The depth of types that contain themselves is limited, by default to what a small stack bears.
pub fn check_depth(most: usize) {
    let bytes =
        |len| Encoder::new().limits(Limits::new().depth(100_000)).encode(&chain(len)).unwrap();
    assert!(holdall::from_slice::<Chain>(&bytes(most)).is_ok());
    assert_eq!(fault::<Chain>(&bytes(most + 1)).0, Code::LimitDepth);
    assert_eq!(holdall::to_vec(&chain(most + 1)).unwrap_err().code(), Code::LimitDepth);
}

/// Readers with other types, slices in place of vectors, borrowed text, schemas, values without a type, archives and
/// trait objects.
pub fn check_ways() {
    let bytes = holdall::to_vec(&readings(2)).unwrap();
    let new: Vec<NewReading> = holdall::from_slice(&bytes).unwrap();
    assert_eq!(new[1], NewReading { sensor: 1, unit: String::new() });

    let mut room = [0; 200];
    assert_eq!(*holdall::to_slice(&readings(2), &mut room).unwrap(), bytes[..]);
    let error = holdall::to_slice(&readings(2), &mut room[..9]).unwrap_err();
    assert_eq!(error.code(), Code::LimitOutput);

    let text = holdall::to_vec("borrowed").unwrap();
    let back: Cow<'_, str> = holdall::from_slice(&text).unwrap();
    assert_eq!(back, "borrowed");

    let schema = Vec::<Point>::schema().unwrap();
    let again: holdall::Schema = schema.to_string().parse().unwrap();
    assert_eq!(again.fingerprint(), Vec::<Point>::fingerprint().unwrap());

    let value: Value = holdall::from_slice(&bytes).unwrap();
    assert_eq!(value.as_slice().unwrap().len(), 2);
    let archive = holdall::Archive::<Vec<Reading>>::new(&bytes).unwrap();
    assert_eq!(archive.root().len(), 2);

    let belt = |length| Box::new(Belt { length }) as Box<dyn Part>;
    let group: Box<dyn Part> = Box::new(Group { parts: vec![belt(2), belt(3)] });
    let back: Box<dyn Part> = holdall::from_slice(&holdall::to_vec(&group).unwrap()).unwrap();
    assert_eq!(back.length(), 5);
}
