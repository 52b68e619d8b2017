//! The sink alone: values that JSON cannot hold, and events that form no value.

use std::sync::Arc;

use holdall::events::{Event, Sink};
use holdall::{Code, Decoder, IntKind, Shape};
use holdall_convert::json::JsonSink;

fn shape(keys: &[&str]) -> Shape {
    Shape::new(0, keys.iter().map(|key| Arc::from(*key)).collect())
}

/// Returns the text of some events, or the error's code and text.
fn text_of(events: impl FnOnce(&mut JsonSink) -> holdall::Result<()>) -> String {
    let mut sink = JsonSink::new();
    match events(&mut sink).and_then(|()| sink.finish()) {
        Ok(text) => String::from_utf8(text).unwrap(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn numbers_of_all_widths_are_written_exactly() {
    let text = text_of(|sink| {
        sink.event(Event::List(0))?;
        sink.event(Event::FixedInt(IntKind::U8, 255))?;
        sink.event(Event::FixedInt(IntKind::I8, (-128_i64).cast_unsigned()))?;
        sink.event(Event::FixedInt(IntKind::U64, u64::MAX))?;
        sink.event(Event::FixedInt(IntKind::I64, i64::MIN.cast_unsigned()))?;
        sink.event(Event::BigInt(
            IntKind::U128,
            &[0xFF; 16].into_iter().chain([0]).collect::<Vec<u8>>(),
        ))?;
        sink.event(Event::BigInt(IntKind::I128, &i128::MIN.to_le_bytes()))?;
        sink.event(Event::F32(0.5))?;
        sink.event(Event::F32(0.1))?;
        sink.event(Event::End)
    });
    let numbers = [
        "255",
        "-128",
        "18446744073709551615",
        "-9223372036854775808",
        "340282366920938463463374607431768211455",
        "-170141183460469231731687303715884105728",
        "0.5",
        // The f64 with the value of the f32 nearest to 0.1.
        "0.10000000149011612",
    ];
    assert_eq!(text, format!("[{}]", numbers.join(",")));
}

#[test]
fn tuples_structs_and_maps_take_the_nearest_form() {
    let text = text_of(|sink| {
        sink.event(Event::Tuple(2))?;
        sink.event(Event::Struct(&"User".into(), &shape(&["id", "a\"b"])))?;
        sink.event(Event::Int(1))?;
        sink.event(Event::Null)?;
        sink.event(Event::End)?;
        sink.event(Event::Map(2))?;
        sink.event(Event::String("a"))?;
        sink.event(Event::Map(0))?;
        sink.event(Event::End)?;
        sink.event(Event::String("b"))?;
        sink.event(Event::String("c"))?;
        sink.event(Event::End)?;
        sink.event(Event::End)
    });
    assert_eq!(text, r#"[{"id":1,"a\"b":null},{"a":{},"b":"c"}]"#);
}

#[test]
fn line_breaks_are_indented() {
    let mut sink = JsonSink::new().indent(2);
    let mut events = || {
        sink.event(Event::Record(&shape(&["a", "b", "c"])))?;
        sink.event(Event::List(2))?;
        sink.event(Event::Int(1))?;
        sink.event(Event::Int(2))?;
        sink.event(Event::End)?;
        sink.event(Event::List(0))?;
        sink.event(Event::End)?;
        sink.event(Event::Map(2))?;
        sink.event(Event::String("k"))?;
        sink.event(Event::Null)?;
        sink.event(Event::String("l"))?;
        sink.event(Event::Null)?;
        sink.event(Event::End)?;
        sink.event(Event::End)
    };
    events().unwrap();
    let text = r#"{
  "a": [
    1,
    2
  ],
  "b": [],
  "c": {
    "k": null,
    "l": null
  }
}"#;
    assert_eq!(String::from_utf8(sink.finish().unwrap()).unwrap(), text);
}

#[test]
fn rejects_values_that_json_cannot_hold() {
    let finite =
        "expected a finite number, because JSON has no others; store null or a string instead";
    assert_eq!(
        text_of(|sink| sink.event(Event::F64(f64::NAN))),
        format!("unrepresentable: {finite}, got NaN")
    );
    assert_eq!(
        text_of(|sink| sink.event(Event::F64(f64::INFINITY))),
        format!("unrepresentable: {finite}, got inf")
    );
    assert_eq!(
        text_of(|sink| sink.event(Event::F32(f32::NEG_INFINITY))),
        format!("unrepresentable: {finite}, got -inf")
    );
    assert_eq!(
        text_of(|sink| sink.event(Event::Bytes(b"abc"))),
        "unrepresentable: expected text, because JSON has no byte strings; store Base64 for example, got 3 bytes",
    );
    assert_eq!(
        text_of(|sink| sink.event(Event::Variant(&"Some".into()))),
        "unrepresentable: expected a value of a type that the format has, got variant Some",
    );
    let keys = "unrepresentable: expected keys that are strings; store a list of pairs instead, got another key";
    type Key = fn(&mut JsonSink) -> holdall::Result<()>;
    let others: &[Key] = &[
        |sink| sink.event(Event::Null),
        |sink| sink.event(Event::Int(1)),
        |sink| sink.ints(&[1]),
        |sink| sink.event(Event::BigInt(IntKind::Int, &[0; 9])),
        |sink| sink.event(Event::F64(1.0)),
        |sink| sink.event(Event::List(0)),
        |sink| sink.event(Event::Map(0)),
    ];
    for key in others {
        let text = text_of(|sink| {
            sink.event(Event::Map(1))?;
            key(sink)
        });
        assert_eq!(text, keys);
    }
}

#[test]
fn events_that_form_no_value_are_errors() {
    type Events = fn(&mut JsonSink) -> holdall::Result<()>;
    let cases: &[Events] = &[
        |_| Ok(()),
        |sink| sink.event(Event::End),
        |sink| sink.event(Event::List(0)),
        |sink| sink.event(Event::Null).and_then(|()| sink.event(Event::Null)),
        |sink| {
            sink.event(Event::Map(1))
                .and_then(|()| sink.event(Event::String("a")))
                .and_then(|()| sink.event(Event::End))
        },
        |sink| sink.event(Event::Record(&shape(&["a"]))).and_then(|()| sink.event(Event::End)),
        |sink| sink.event(Event::Record(&shape(&[]))).and_then(|()| sink.event(Event::Null)),
        |sink| sink.event(Event::Record(&Shape::new(usize::MAX, Arc::from([])))),
    ];
    for (number, events) in cases.iter().enumerate() {
        let mut sink = JsonSink::new();
        let error = events(&mut sink).and_then(|()| sink.finish()).expect_err(&number.to_string());
        assert_eq!(error.code(), Code::BadSource, "{number}");
    }
}

#[test]
fn names_repeated_in_every_row_stay_within_the_limit() {
    // 5,000 records of one field with a name of 10,000 bytes.
    let name = "n".repeat(10_000);
    let rows = (0..5_000).map(|_| holdall::Value::record([(name.as_str(), holdall::Value::Null)]));
    let message = holdall::to_vec(&holdall::Value::list(rows)).unwrap();
    let limits = |bytes| holdall::Limits::new().budget(1 << 20).output(bytes);
    let unpack = |bytes: usize| {
        holdall_convert::json::unpack_with(&mut Decoder::new().limits(limits(bytes)), &message)
    };
    assert_eq!(unpack(1 << 26).unwrap().len(), 5_000 * 10_010 + 1);
    assert_eq!(unpack(1 << 25).unwrap_err().code(), Code::LimitOutput);
    // Without a limit of its own, the budget applies.
    let mut decoder = Decoder::new().limits(holdall::Limits::new().budget(1 << 20));
    let error = holdall_convert::json::unpack_with(&mut decoder, &message).unwrap_err();
    assert_eq!(error.code(), Code::LimitOutput);
}
