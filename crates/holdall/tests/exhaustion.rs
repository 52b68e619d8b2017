//! Where memory runs out: each large request of an operation fails once. The result is the error `out_of_memory`, and what
//! is used next works as if nothing had happened.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Debug;
use std::rc::Rc;

use crate::common::chance::step;
use crate::counting::{self, failing_after};
use holdall::stream::{recover, verify};
use holdall::{
    Code, Decode, DecodeOwned, Decoder, Encode, Encoder, Limits, Profile, Reader, Resolver, Result,
    Schema, Value, View, Writer, WriterOptions,
};

#[track_caller]
fn every_large_request_can_fail<T: Debug + PartialEq>(
    name: &str,
    operation: impl FnMut() -> Result<T>,
) {
    counting::every_large_request_can_fail(name, step(3), operation);
}

const PROFILES: [Profile; 3] = [Profile::Fast, Profile::Balanced, Profile::Small];

#[derive(Clone, Debug, PartialEq, Encode, Decode, serde::Serialize, serde::Deserialize)]
enum State {
    Open,
    Sent { by: String, on: u32 },
    Returned(Vec<u8>),
}

#[derive(Clone, Debug, PartialEq, Encode, Decode, serde::Serialize, serde::Deserialize)]
struct Row {
    id: u64,
    small: u8,
    signed: i16,
    wide: i128,
    flag: bool,
    half: f32,
    float: f64,
    decimal: f64,
    name: String,
    word: String,
    time: String,
    bytes: Vec<u8>,
    list: Vec<u32>,
    option: Option<i64>,
    texts: Vec<String>,
    state: State,
    array: [u16; 4],
    map: BTreeMap<String, u32>,
}

fn row(n: u64) -> Row {
    let random = n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
    Row {
        id: n,
        small: random as u8,
        signed: random as i16,
        wide: if n.is_multiple_of(7) { i128::from(random) << 50 } else { i128::from(n) },
        flag: random & 1 == 1,
        half: random as f32,
        float: random as f64,
        decimal: (random % 10_000) as f64 / 100.0,
        name: format!("name {random:x}"),
        word: ["red", "green", "blue"][n as usize % 3].to_owned(),
        time: format!("2026-11-{:02}T{:02}:{:02}", n / 1440 % 30 + 1, n / 60 % 24, n % 60),
        bytes: random.to_le_bytes().to_vec(),
        list: (0..n % 5).map(|item| (random >> item) as u32).collect(),
        option: n.is_multiple_of(3).then_some(random as i64),
        texts: (0..n % 3).map(|item| format!("text {}", random >> item)).collect(),
        state: match n % 3 {
            0 => State::Open,
            1 => State::Sent { by: format!("post {n}"), on: n as u32 },
            _ => State::Returned(vec![n as u8; 3]),
        },
        array: [n as u16, 1, 2, random as u16],
        map: BTreeMap::from([("a".to_owned(), n as u32), (format!("k{}", n % 3), 1)]),
    }
}

const ROWS: u64 = 3_000;

fn rows() -> Vec<Row> {
    (0..ROWS).map(row).collect()
}

fn packed<T: Encode>(profile: Profile, value: &T) -> Vec<u8> {
    Encoder::new().profile(profile).encode(value).unwrap()
}

/// Writes and reads one value by each way of Rust types.
fn typed<T: Encode + DecodeOwned + Debug + PartialEq>(value: &T) {
    let name = std::any::type_name::<T>();
    for profile in PROFILES {
        // The encoder and the decoder stay in use.
        let mut encoder = Encoder::new().profile(profile);
        let mut decoder = Decoder::new();
        every_large_request_can_fail(name, || encoder.encode(value));
        let message = packed(profile, value);
        every_large_request_can_fail(name, || decoder.decode::<T>(&message));
    }
}

#[test]
fn writing_and_reading_rust_types() {
    typed(&rows());
    typed(&"long text".repeat(10_000));
    typed(&vec![7_u8; 100_000]);
    typed(&(0..20_000).map(|n| (n, f64::from(n))).collect::<HashMap<i32, f64>>());
    typed(&(0..20_000).map(|n| n.to_string()).collect::<VecDeque<String>>());
    typed(&vec!["a long text of its own".repeat(1_000); 5]);
    let shared = Rc::new("shared".to_owned());
    typed(&vec![shared; 20_000]);
    typed(&vec![Some(Box::new(1_u64)); 20_000]);
}

#[test]
fn writing_and_reading_values() {
    let entry = |n: u64| (Value::from(n.to_string()), Value::from(n));
    let rows = holdall::from_slice(&packed(Profile::Fast, &rows())).unwrap();
    for value in [rows, Value::map((0..20_000).map(entry))] {
        for profile in PROFILES {
            let mut encoder = Encoder::new().profile(profile);
            every_large_request_can_fail("write", || encoder.message(&mut &value));
            let message = packed(profile, &value);
            every_large_request_can_fail("read", || holdall::from_slice::<Value>(&message));
        }
    }
}

/// Reading is serde's own: its lists abort.
#[test]
fn writing_types_of_serde() {
    let value = rows();
    for profile in PROFILES {
        let mut encoder = Encoder::new().profile(profile);
        every_large_request_can_fail("write", || {
            encoder.message(&mut holdall::serde::source(&value))
        });
    }
    every_large_request_can_fail("to_value", || holdall::serde::to_value(&value));
}

#[test]
fn writing_streams() {
    let (values, data): (Vec<_>, Value) = (rows(), Value::list((0..ROWS as i64).map(Value::from)));
    let mut out = Vec::with_capacity(1 << 22);
    for profile in PROFILES {
        every_large_request_can_fail("stream of a type", || {
            out.clear();
            let options = WriterOptions::new().profile(profile).sync([7; 8]);
            let mut writer = options.to(&mut out)?;
            values.iter().try_for_each(|value| writer.write(value))?;
            writer.finish().map(|out| out.len())
        });
        every_large_request_can_fail("stream of values", || {
            out.clear();
            let options = WriterOptions::new().profile(profile).sync([7; 8]);
            let mut writer = options.to(&mut out)?;
            data.as_slice().unwrap().iter().try_for_each(|value| writer.write(value))?;
            writer.finish().map(|out| out.len())
        });
    }
}

fn stream() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for value in rows() {
        writer.write(&value).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn a_writer_without_memory_stops_and_keeps_what_was_flushed() {
    let mut writer = Writer::new(Vec::with_capacity(1 << 22)).unwrap();
    writer.write(&row(1)).unwrap();
    writer.flush().unwrap();
    let (result, has_failed) =
        failing_after(0, || (0..ROWS).try_for_each(|n| writer.write(&row(n))));
    assert!(has_failed);
    assert_eq!(result.unwrap_err().code(), Code::OutOfMemory);
    assert_eq!(writer.write(&row(2)).unwrap_err().code(), Code::Io);
    assert_eq!(writer.finish().unwrap_err().code(), Code::Io);
}

#[test]
fn reading_streams() {
    let bytes = stream();
    every_large_request_can_fail("typed", || {
        Reader::new(&bytes[..]).values::<Row>().try_fold(0, |count, row| row.map(|_| count + 1))
    });
    every_large_request_can_fail("values", || {
        Reader::new(&bytes[..])
            .values::<Value>()
            .try_fold(0, |count, value| value.map(|_| count + 1))
    });
    every_large_request_can_fail("verify", || {
        verify(&bytes[..], Limits::new()).map(|report| report.values())
    });
    every_large_request_can_fail("recover", || {
        let input = std::io::Cursor::new(&bytes[..]);
        let report = recover(input, std::io::sink(), &[], Limits::new())?;
        Ok(report.values())
    });
    every_large_request_can_fail("by number", || {
        let mut reader = Reader::new(std::io::Cursor::new(&bytes[..]));
        reader.get::<Row>(ROWS - 2)
    });
}

#[test]
fn views() {
    for profile in PROFILES {
        for message in [packed(profile, &rows()), stream()] {
            for name in ["id", "small", "wide", "flag", "float", "decimal", "name", "word", "time"]
            {
                every_large_request_can_fail(name, || {
                    let view = View::new(&message)?;
                    let site = match view.site(name) {
                        Ok(site) => site,
                        Err(_) => view.root().items()?.field(name)?,
                    };
                    Ok(format!("{:?}", site.column()?.values().len()))
                });
            }
            for name in ["list", "texts"] {
                every_large_request_can_fail(name, || {
                    let view = View::new(&message)?;
                    Ok(view.site(name)?.items()?.column()?.values().len())
                });
            }
            every_large_request_can_fail("row", || View::new(&message)?.root().row(ROWS - 3));
        }
    }
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Newer {
    id: i128,
    name: Option<String>,
    #[holdall(default)]
    added: Vec<u8>,
    list: Vec<f64>,
}

#[test]
fn reading_with_another_schema() {
    let message = packed(Profile::Balanced, &rows());
    every_large_request_can_fail("typed", || holdall::from_slice::<Vec<Newer>>(&message));
    let resolver =
        Resolver::new(Schema::of_message(&packed(Profile::Fast, &Vec::<Newer>::new())).unwrap());
    every_large_request_can_fail("values", || {
        resolver.read(&message).or_else(|error| match error.code() {
            Code::MissingField => Ok(Value::Null),
            _ => Err(error),
        })
    });
}
