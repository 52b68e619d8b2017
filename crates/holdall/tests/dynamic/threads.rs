//! Several threads write the bytes that one writes.

use holdall::{
    Alignment, Code, Encode, Encoder, Limits, Profile, Value, Writer, WriterOptions, from_slice,
};

use crate::common::make::{list, tensor};

const ROWS: u32 = 30_000;

#[derive(Encode)]
struct Row {
    number: u64,
    small: u16,
    amount: f64,
    name: String,
    word: Option<&'static str>,
    tags: Vec<i32>,
}

fn rows() -> Vec<Row> {
    let row = |n: u32| Row {
        number: u64::from(n).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        small: n as u16,
        amount: f64::from(n) / 7.0,
        name: format!("name {n}"),
        word: n.is_multiple_of(3).then_some(["info", "warning"][n as usize % 2]),
        tags: vec![n as i32; n as usize % 4],
    };
    (0..ROWS).map(row).collect()
}

/// The same without types, and tensors between the columns.
fn value() -> Value {
    let record = |row: Row| {
        Value::record([
            ("number", Value::from(row.number)),
            ("amount", Value::from(row.amount)),
            ("name", Value::from(row.name)),
            ("word", row.word.map_or(Value::Null, Value::from)),
            ("tags", list(row.tags.into_iter().map(Value::from))),
        ])
    };
    let tensors = list([9, 70_001].map(|len| tensor("f64", &[len], || 1)));
    let images = list([3, 20_000].map(|len| tensor("u8", &[len, 3], || 7)));
    list([tensors, images, list(rows().into_iter().map(record)), Value::from("the end")])
}

/// Encoders of every profile, aligned or not, with and without what precedes the columns.
fn encoders() -> Vec<Box<dyn Fn() -> Encoder>> {
    let mut all: Vec<Box<dyn Fn() -> Encoder>> = Vec::new();
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        for alignment in [Alignment::Automatic, Alignment::On, Alignment::Off] {
            let plain = move || Encoder::new().profile(profile).aligned(alignment);
            all.push(Box::new(plain));
            all.push(Box::new(move || plain().checksum(true)));
        }
    }
    all
}

#[test]
fn messages_of_several_threads_are_those_of_one() {
    let (value, rows) = (value(), rows());
    for encoder in encoders() {
        let alone = encoder().message(&mut &value).unwrap();
        assert_eq!(from_slice::<Value>(&alone).unwrap(), value);
        let typed = encoder().encode(&rows).unwrap();
        for threads in [0, 2, 5] {
            let mut encoder = encoder().threads(threads);
            assert_eq!(encoder.message(&mut &value).unwrap(), alone);
            let pieces = encoder.take(&mut &value).unwrap().pieces().unwrap();
            assert!(pieces.iter().flatten().eq(&alone));
            assert_eq!(encoder.encode(&rows).unwrap(), typed);
        }
    }
}

#[test]
fn streams_of_several_threads_are_those_of_one() {
    let rows = rows();
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        let written = |threads| {
            let options = WriterOptions::new().profile(profile).sync(*b"12345678");
            let mut writer: Writer<Vec<u8>> = options.threads(threads).to(Vec::new()).unwrap();
            rows.iter().for_each(|row| writer.write(row).unwrap());
            writer.finish().unwrap()
        };
        assert_eq!(written(3), written(1));
    }
}

#[test]
fn limits_of_the_output_hold_for_threads() {
    let rows = rows();
    let limited = Encoder::new().limits(Limits::new().output(100_000));
    let error = limited.threads(4).encode(&rows).unwrap_err();
    assert_eq!(error.code(), Code::LimitOutput);
}
