//! The sink alone: values that JSON cannot hold, and events that form no value.

use std::sync::Arc;

use holdall::{Code, Decoder, IntKind, Shape, Sink};
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
        sink.begin_list(0)?;
        sink.fixed_int(IntKind::U8, 255)?;
        sink.fixed_int(IntKind::I8, (-128_i64).cast_unsigned())?;
        sink.fixed_int(IntKind::U64, u64::MAX)?;
        sink.fixed_int(IntKind::I64, i64::MIN.cast_unsigned())?;
        sink.big_int(IntKind::U128, &[0xFF; 16].into_iter().chain([0]).collect::<Vec<u8>>())?;
        sink.big_int(IntKind::I128, &i128::MIN.to_le_bytes())?;
        sink.f32(0.5)?;
        sink.f32(0.1)?;
        sink.end()
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
        sink.begin_tuple(2)?;
        sink.begin_struct(&"User".into(), &shape(&["id", "a\"b"]))?;
        sink.int(1)?;
        sink.null()?;
        sink.end()?;
        sink.begin_map(2)?;
        sink.string("a")?;
        sink.begin_map(0)?;
        sink.end()?;
        sink.string("b")?;
        sink.string("c")?;
        sink.end()?;
        sink.end()
    });
    assert_eq!(text, r#"[{"id":1,"a\"b":null},{"a":{},"b":"c"}]"#);
}

#[test]
fn line_breaks_are_indented() {
    let mut sink = JsonSink::new().indent(2);
    let mut events = || {
        sink.begin_record(&shape(&["a", "b", "c"]))?;
        sink.begin_list(2)?;
        sink.int(1)?;
        sink.int(2)?;
        sink.end()?;
        sink.begin_list(0)?;
        sink.end()?;
        sink.begin_map(2)?;
        sink.string("k")?;
        sink.null()?;
        sink.string("l")?;
        sink.null()?;
        sink.end()?;
        sink.end()
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
    let finite = "expected a finite number, all that JSON has; store null or a string instead";
    assert_eq!(text_of(|sink| sink.f64(f64::NAN)), format!("unrepresentable: {finite}, got NaN"));
    assert_eq!(
        text_of(|sink| sink.f64(f64::INFINITY)),
        format!("unrepresentable: {finite}, got inf")
    );
    assert_eq!(
        text_of(|sink| sink.f32(f32::NEG_INFINITY)),
        format!("unrepresentable: {finite}, got -inf")
    );
    assert_eq!(
        text_of(|sink| sink.bytes(b"abc")),
        "unrepresentable: expected no bytes, which JSON has not; store them as text instead, in Base64 say, got 3 bytes",
    );
    assert_eq!(
        text_of(|sink| sink.begin_variant(&"Some".into())),
        "unrepresentable: expected no named variants; store a string or an object instead, got variant Some",
    );
    let keys = "unrepresentable: expected keys that are strings; store a list of pairs instead, got another key";
    type Key = fn(&mut JsonSink) -> holdall::Result<()>;
    let others: &[Key] = &[
        |sink| sink.null(),
        |sink| sink.int(1),
        |sink| sink.ints(&[1]),
        |sink| sink.big_int(IntKind::Int, &[0; 9]),
        |sink| sink.f64(1.0),
        |sink| sink.begin_list(0),
        |sink| sink.begin_map(0),
    ];
    for key in others {
        let text = text_of(|sink| {
            sink.begin_map(1)?;
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
        |sink| sink.end(),
        |sink| sink.begin_list(0),
        |sink| sink.null().and_then(|()| sink.null()),
        |sink| sink.begin_map(1).and_then(|()| sink.string("a")).and_then(|()| sink.end()),
        |sink| sink.begin_record(&shape(&["a"])).and_then(|()| sink.end()),
        |sink| sink.begin_record(&shape(&[])).and_then(|()| sink.null()),
        |sink| sink.begin_record(&Shape::new(usize::MAX, Arc::from([]))),
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
