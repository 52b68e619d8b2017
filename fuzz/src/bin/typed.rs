//! Laws of reading into Rust types: no bytes make it panic; what is read can be written, and reads as the same bytes; the
//! derive and serde read the same value, if both read one. A reader of events with the type's schema reads a message
//! that the type reads, or one of the type's own rules is why not. An archive that opens has the same value. A type with values of any
//! type is written with them, and those behind fields that it does not know are as they were.
//!
//! An input is the number of a type, and a body of it or, with 16 added, a message; with 32 added, of a type with values of any type.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use holdall::value::Record;
use holdall::{Code, Decode, Decoder, Encode, Encoder, Error, Resolver, Value, ValueBuilder};
use holdall_fuzz::common::refusals::{is_rewritten, refusals};
use holdall_fuzz::mutator::Form;
use holdall_fuzz::{limits, mutate_as};
use libfuzzer_sys::fuzz_target;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

mutate_as!(Form::NumberAndMessage);

macro_rules! both {
    ($($item:item)*) => {$(
        #[derive(Clone, Debug, PartialEq, Encode, Decode, Serialize, Deserialize)]
        $item
    )*};
}

both! {
    struct Flat {
        id: u64,
        name: String,
        is_new: bool,
        level: i8,
        initial: char,
        big: i128,
    }

    struct Nested {
        flat: Flat,
        pairs: Vec<(u16, Option<String>)>,
        maybe: Option<Option<Box<Nested>>>,
    }

    enum Shape {
        Empty,
        Circle(u32),
        Line((i32, i32), u8),
        Named { name: String, size: u16 },
    }

    enum Expression {
        Number(i64),
        Add(Box<Expression>, Box<Expression>),
        Call { name: String, arguments: Vec<Expression> },
    }

    struct Changed {
        #[holdall(default)]
        #[serde(default)]
        tags: Vec<String>,
        #[holdall(alias = "id")]
        #[serde(alias = "id")]
        number: u32,
        name: Option<String>,
    }
}

#[derive(Clone, Copy, Debug, Encode, Decode)]
#[holdall(packed)]
struct Pixel {
    red: u8,
    at: [u16; 2],
    depth: f32,
}

#[derive(Debug, Encode, Decode)]
struct Node {
    name: String,
    others: Vec<Rc<Node>>,
}

#[derive(Debug, Encode, Decode)]
struct Borrowed<'a> {
    name: &'a str,
    bytes: &'a [u8],
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Event {
    id: u16,
    body: Value,
    inside: Vec<Event>,
    #[holdall(unknown)]
    rest: Record,
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Open {
    id: Option<i64>,
    #[holdall(default)]
    name: String,
    #[holdall(unknown)]
    rest: Record,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum Change {
    Set { key: String, value: Value },
    Replace(Value, Option<Value>),
    Other(Open),
}

/// Reads a body or a message, and writes what was read.
fn read<'de, T: Decode<'de> + Encode>(is_body: bool, bytes: &'de [u8]) -> Option<(T, Vec<u8>)> {
    let mut decoder = Decoder::new().limits(limits());
    let decoded = if is_body { decoder.decode_body(bytes) } else { decoder.decode(bytes) };
    if !is_body {
        archived::<T>(&mut decoder, bytes, decoded.as_ref());
    }
    let value: T = decoded.ok()?;
    let written = holdall::to_vec(&value).expect("what was read is written");
    if !is_body {
        let resolver = Resolver::new(T::schema().expect("a schema"));
        let mut builder = ValueBuilder::new();
        let mut decoder = Decoder::new().limits(limits());
        if let Err(error) = resolver.message(&mut decoder, bytes, &mut builder) {
            // Names and defaults are the type's.
            let is_own = matches!(error.code().as_str(), "missing_field" | "incompatible")
                || error.code().as_str().starts_with("limit_");
            assert!(is_own, "{error}");
        }
    }
    Some((value, written))
}

/// An archive has the same value or, for lack of one, an error.
fn archived<'de, T: Decode<'de> + Encode>(
    decoder: &mut Decoder,
    bytes: &'de [u8],
    decoded: Result<&T, &Error>,
) {
    let written = |value: &T| holdall::to_vec(value).expect("what was read is written");
    match (decoder.archive::<T>(bytes), decoded) {
        (Ok(archive), decoded) => {
            let own = archive.decode();
            let (own, decoded) = (own.as_ref().map(written), decoded.map(written));
            assert!(own.ok() == decoded.ok(), "an archive has another value");
        }
        (Err(error), Ok(_)) => {
            let is_own = matches!(error.code(), Code::Unsupported | Code::Incompatible);
            assert!(is_own, "{error}");
        }
        (Err(_), Err(_)) => {}
    }
}

/// What was written reads as the same.
fn stable<T: for<'de> Decode<'de> + Encode>(is_body: bool, bytes: &[u8]) -> Option<(T, Vec<u8>)> {
    let (value, written) = read::<T>(is_body, bytes)?;
    let again: T = Decoder::new()
        .limits(limits().budget(1 << 26))
        .decode(&written)
        .expect("what was written is read");
    let own = holdall::to_vec(&again).expect("what was read is written");
    assert!(own == written, "writing is not stable");
    let body = Encoder::new().header(holdall::Header::Bare).encode(&again).expect("it is written");
    let of_body: T =
        Decoder::new().limits(limits().budget(1 << 26)).decode_body(&body).expect("a body is read");
    assert!(
        holdall::to_vec(&of_body).expect("it is written") == written,
        "a body has another value"
    );
    Some((value, written))
}

/// As `stable`, and serde reads the same.
fn both_ways<T>(is_body: bool, bytes: &[u8])
where
    T: for<'de> Decode<'de> + Encode + DeserializeOwned + Serialize + PartialEq + std::fmt::Debug,
{
    let derived = stable::<T>(is_body, bytes);
    if let (Some((value, written)), false) = (&derived, is_body) {
        if let Ok(own) = holdall::serde::from_slice::<T>(bytes) {
            assert!(own == *value, "{own:?} by serde, {value:?} by the derive");
        }
        let own: T = holdall::serde::from_slice(written).expect("serde reads what a derive writes");
        assert!(own == *value, "{own:?} by serde, {value:?} by the derive");
    }
}

/// What a type with values of any type has read and written reads as equal, and fields that it does not know survive.
fn open<T: for<'de> Decode<'de> + Encode + PartialEq>(bytes: &[u8]) {
    let mut decoder = Decoder::new().limits(limits());
    let Ok(value) = decoder.decode::<T>(bytes) else { return };
    // A fault can be in what the type skips.
    let Ok(all) = decoder.decode::<Value>(bytes) else { return };
    let written = match holdall::to_vec(&value) {
        Ok(written) => written,
        Err(error) => {
            let code = error.code().as_str();
            assert!(refusals(&all).contains(code), "{error}");
            return;
        }
    };
    let mut decoder = Decoder::new().limits(limits().budget(1 << 26));
    let again: T = decoder.decode(&written).expect("what was written is read");
    let is_same = !is_rewritten(&all);
    assert!(!is_same || again == value, "writing changed the value");
    let own = holdall::to_vec(&again).expect("what was read is written");
    assert!(!is_same || own == written, "writing is not stable");
    let after: Value = decoder.decode(&written).expect("what was written is a value");
    assert!(!is_same || survive(&all, &after), "unknown fields are lost");
}

/// Whether the fields of records in lists are there, except those that the types know.
fn survive(before: &Value, after: &Value) -> bool {
    if let (Some(before), Some(after)) = (before.as_slice(), after.as_slice()) {
        return before.len() == after.len()
            && before.iter().zip(after).all(|(before, after)| survive(before, after));
    }
    let fields = match before.get() {
        Value::Record(record) => record,
        Value::Struct(of) => of.fields(),
        _ => return true,
    };
    if !matches!(after, Value::Record(_) | Value::Struct(_)) {
        return true;
    }
    let is_own = |name: &str| ["id", "name", "body", "inside"].contains(&name);
    fields.iter().all(|(name, value)| is_own(name) || after.field(name) == Some(value))
}

fuzz_target!(|input: &[u8]| {
    let Some((number, bytes)) = input.split_first() else { return };
    if number & 32 != 0 {
        return match number % 8 {
            0 | 1 => open::<Vec<Event>>(bytes),
            2 => open::<Event>(bytes),
            3 => open::<Vec<Open>>(bytes),
            4 => open::<Open>(bytes),
            5 => open::<BTreeMap<String, Vec<Value>>>(bytes),
            6 => open::<Vec<Option<Value>>>(bytes),
            _ => open::<Vec<Change>>(bytes),
        };
    }
    let is_body = number & 16 == 0;
    match number % 16 {
        0 => both_ways::<Vec<Flat>>(is_body, bytes),
        1 => both_ways::<Nested>(is_body, bytes),
        2 => both_ways::<Vec<Shape>>(is_body, bytes),
        3 => both_ways::<Expression>(is_body, bytes),
        4 => both_ways::<Vec<Changed>>(is_body, bytes),
        5 => both_ways::<Vec<Option<u64>>>(is_body, bytes),
        6 => both_ways::<(Vec<i64>, String, [u8; 3], Option<bool>)>(is_body, bytes),
        7 => both_ways::<BTreeMap<String, Vec<i32>>>(is_body, bytes),
        8 => both_ways::<BTreeSet<(u8, String)>>(is_body, bytes),
        9 => both_ways::<Vec<Duration>>(is_body, bytes),
        10 => drop(stable::<(Vec<Pixel>, Pixel)>(is_body, bytes)),
        11 => drop(stable::<Rc<Node>>(is_body, bytes)),
        12 => drop(read::<Vec<Borrowed<'_>>>(is_body, bytes)),
        13 => drop(stable::<Vec<Vec<f64>>>(is_body, bytes)),
        14 => drop(stable::<Vec<Vec<String>>>(is_body, bytes)),
        _ => both_ways::<Vec<(u8, Result<u16, String>)>>(is_body, bytes),
    }
});
