//! Where memory runs out, as in the library: each large request of packing and unpacking a format fails once.

use holdall::value::Struct;
use holdall::{Code, Decoder, Encoder, Value};
use holdall_convert::{Format, Packer, Unpacker, json};

use crate::chance::step;
use crate::counting::{every_large_request_can_fail, failing_after};

/// Of the large requests of an operation, this many succeed before the next one that fails.
fn nth() -> usize {
    step(2)
}

/// Rows with numbers, floats, text with escapes and without, and this text.
fn rows(large: &str) -> Vec<Value> {
    let row = |number: u64| {
        let random = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
        Value::record([
            ("id", Value::from(number)),
            ("random", Value::from(random as i64)),
            ("float", Value::from(random as f64 / 7.0)),
            (
                "name",
                Value::from(if number == 0 {
                    large.to_owned()
                } else {
                    format!("name {random:x}")
                }),
            ),
            ("escaped", Value::from(format!("a \"{number}\" and\n"))),
            ("flag", Value::from(number.is_multiple_of(3))),
        ])
    };
    (0..3_000).map(row).collect()
}

/// A value that the format holds.
fn value_of(format: Format) -> Value {
    // Without escapes, and not in CSV: those parsers would copy it to buffers of their own.
    let large = if format == Format::Csv { String::new() } else { "large text ".repeat(5_000) };
    let rows = Value::list(rows(&large));
    match format {
        Format::Bson => Value::record([("rows", rows)]),
        // Its maps have values of one type.
        Format::Dlhn => {
            let row = |row: &Value| match row {
                Value::Record(fields) => Value::Struct(Struct::new("Row", fields.clone())),
                _ => Value::Null,
            };
            Value::list(rows.as_slice().unwrap().iter().map(row))
        }
        _ => rows,
    }
}

#[test]
fn packing_and_unpacking_formats() {
    for &format in Format::ALL {
        let message = holdall::to_vec(&value_of(format)).unwrap();
        // The encoder and the decoder stay in use.
        let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
        let unpacker = Unpacker::new(format);
        let name = format.name();
        every_large_request_can_fail(name, nth(), || unpacker.unpack(&mut decoder, &message));
        let data = unpacker.unpack(&mut decoder, &message).unwrap();
        let packer = Packer::new(format);
        every_large_request_can_fail(name, nth(), || packer.pack(&mut encoder, &data));
        if format == Format::Csv {
            let infers = packer.infer(true);
            every_large_request_can_fail(name, nth(), || infers.pack(&mut encoder, &data));
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn types_of_serde() {
    use std::collections::BTreeMap;

    use holdall_convert::serde::{from_slice, to_vec};
    use serde::de::IgnoredAny;

    #[derive(serde::Serialize)]
    struct Row {
        id: u32,
        name: String,
        more: BTreeMap<String, f64>,
    }

    let row = |id: u32| Row {
        id,
        name: format!("name {id}"),
        more: (0..id % 4).map(|at| (format!("{id} {at}"), f64::from(at) / 7.0)).collect(),
    };
    let rows: BTreeMap<&str, Vec<Row>> = BTreeMap::from([("rows", (0..3_000).map(row).collect())]);
    for format in [Format::Json, Format::Msgpack, Format::Cbor, Format::Bson] {
        let name = format.name();
        every_large_request_can_fail(name, nth(), || to_vec(format, &rows));
        let data = to_vec(format, &rows).unwrap();
        // Memory that serde itself requests cannot fail.
        every_large_request_can_fail(name, nth(), || from_slice::<IgnoredAny>(format, &data));
    }
}

#[test]
fn json_by_its_own_functions() {
    let message = holdall::to_vec(&value_of(Format::Json)).unwrap();
    every_large_request_can_fail("unpack", nth(), || json::unpack(&message));
    let text = json::unpack(&message).unwrap();
    every_large_request_can_fail("pack", nth(), || json::pack(&text));
}

#[test]
fn the_first_large_request_of_each_format_is_one_that_can_fail() {
    for &format in Format::ALL {
        let message = holdall::to_vec(&value_of(format)).unwrap();
        let unpack = || Unpacker::new(format).unpack(&mut Decoder::new(), &message);
        let (failed, has_failed) = failing_after(0, unpack);
        assert!(has_failed && failed.unwrap_err().code() == Code::OutOfMemory, "{format:?}");
    }
}
