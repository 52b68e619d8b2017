//! Options for values that a format cannot hold.

use holdall::value::{Extension, Logical, Variant};
use holdall::{Code, Decoder, Limits, LogicalType, Shared, Tensor, Value};
use holdall_convert::{Format, Remedy, Unpacker};

use super::bytes::WITHOUT_HEADERS;

fn logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Value::from(Logical::new(LogicalType::new(kind, parameters).unwrap(), storage))
}

fn text(unpacker: Unpacker, value: &Value) -> holdall::Result<String> {
    let message = holdall::to_vec(value)?;
    let text = unpacker.unpack(&mut Decoder::new(), &message)?;
    Ok(String::from_utf8(text).unwrap())
}

/// Logical values at every place.
fn dates() -> Value {
    let date = |days| logical(LogicalType::DATE, &[], Value::from(days));
    Value::record([
        ("a", date(1)),
        ("b", Value::list([date(2), date(3)])),
        ("c", logical(LogicalType::SET, &[], Value::list([Value::list([date(4)])]))),
        ("d", Extension::new("x.y", Value::record([("e", date(5))])).into()),
        ("f", Value::map([(logical(LogicalType::URL, &[], Value::from("u")), date(6))])),
    ])
}

#[test]
fn storage_is_written_on_request() {
    let json = Unpacker::new(Format::Json);
    let error = text(json, &dates()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unrepresentable in $.a: expected a value of a type that the format has, got one of type date"
    );
    assert_eq!(Remedy::of(&error), Some(Remedy::Storage));
    assert_eq!(
        text(json.storage(true), &dates()).unwrap(),
        r#"{"a":"1970-01-02","b":["1970-01-03","1970-01-04"],"c":[["1970-01-05"]],"d":{"e":"1970-01-06"},"f":{"u":"1970-01-07"}}"#
    );
    let lines = Value::list([dates()]);
    assert_eq!(
        text(Unpacker::new(Format::Ndjson).storage(true), &lines).unwrap(),
        text(json.storage(true), &dates()).unwrap() + "\n"
    );
    let rows =
        Value::list([Value::record([("a", logical(LogicalType::DATE, &[], Value::from(7)))])]);
    assert_eq!(text(Unpacker::new(Format::Csv).storage(true), &rows).unwrap(), "a\n1970-01-08\n");
}

#[test]
fn types_that_a_format_has_are_not_converted_to_storage() {
    let value = Value::list([
        logical(LogicalType::TIMESTAMP, &[0, 1], Value::from(7)),
        logical(LogicalType::DATE, &[], Value::from(7)),
    ]);
    let message = holdall::to_vec(&value).unwrap();
    let unpack = |format| Unpacker::new(format).storage(true).unpack(&mut Decoder::new(), &message);
    assert_eq!(unpack(Format::Msgpack).unwrap(), b"\x92\xD6\xFF\0\0\0\x07\x07");
    assert_eq!(unpack(Format::Cbor).unwrap(), b"\x82\xC1\x07\xD8\x64\x07");
}

#[test]
fn keys_that_become_equal_are_rejected() {
    let url = logical(LogicalType::URL, &[], Value::from("u"));
    let map = Value::map([(url, Value::from(1)), (Value::from("u"), Value::from(2))]);
    for (format, words) in [(Format::Json, "`\"u\"`"), (Format::Msgpack, "A1 75")] {
        let error = text(Unpacker::new(format).storage(true), &map).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "unrepresentable in $: expected keys that stay distinct in this format, got {words} twice"
            )
        );
        assert_eq!(Remedy::of(&error), None);
    }
}

#[test]
fn shared_values_are_copied_on_request() {
    let shared = |value| Value::Shared(Shared::new(value));
    let list = shared(Value::list([Value::from(1)]));
    let pair = Value::record([("a", list.clone()), ("b", Value::list([list.clone(), list]))]);
    let json = Unpacker::new(Format::Json);
    let error = text(json, &pair).unwrap_err();
    assert_eq!((Remedy::of(&error), error.path()), (Some(Remedy::Copies), "$.b[0]"));
    assert_eq!(text(json.copies(true), &pair).unwrap(), r#"{"a":[1],"b":[[1],[1]]}"#);
    let row = shared(Value::record([("a", Value::from(1))]));
    let rows = Value::list([row.clone(), row]);
    assert_eq!(text(Unpacker::new(Format::Csv).copies(true), &rows).unwrap(), "a\n1\n1\n");
    assert_eq!(
        text(Unpacker::new(Format::Ndjson).copies(true), &rows).unwrap(),
        "{\"a\":1}\n{\"a\":1}\n"
    );
    for format in [Format::Msgpack, Format::Cbor] {
        let bytes = Unpacker::new(format)
            .copies(true)
            .unpack(&mut Decoder::new(), &holdall::to_vec(&rows).unwrap())
            .unwrap();
        let plain = Value::list([1, 1].map(|n| Value::record([("a", Value::from(n))])));
        assert_eq!(bytes, super::bytes::write(format, &plain).unwrap());
    }
    // Both options together.
    let date = shared(logical(LogicalType::SET, &[], Value::list([Value::from(1)])));
    let sets = Value::list([date.clone(), date]);
    assert_eq!(text(json.copies(true).storage(true), &sets).unwrap(), "[[1],[1]]");
}

#[test]
fn copies_of_every_kind_are_complete() {
    let scalars = super::values::one_of_each();
    for (value, format) in
        scalars.iter().flat_map(|value| WITHOUT_HEADERS.iter().map(move |format| (value, *format)))
    {
        let plain = Value::list([value.clone(), value.clone()]);
        let message = holdall::to_vec(&plain).unwrap();
        let unpacker = Unpacker::new(format).storage(true);
        let direct = unpacker.unpack(&mut Decoder::new(), &message);
        let copied = unpacker.copies(true).unpack(&mut Decoder::new(), &message);
        // For a list of integers emitted in one piece, a sink cannot report which one it rejects.
        let words = |result: holdall::Result<Vec<u8>>| {
            result.map_err(|error| error.to_string().replace("$[0]: ", "$: "))
        };
        assert_eq!(words(direct), words(copied), "{format:?} {value:?}");
    }
}

#[test]
fn cyclic_values_are_rejected() {
    let ring = Value::Shared(Shared::cyclic(|ring| {
        Value::record([("a", Value::from(1)), ("b", Value::list([Value::Weak(ring.clone())]))])
    }));
    for format in &WITHOUT_HEADERS {
        let value = Value::list([ring.clone()]);
        let refused = text(Unpacker::new(*format), &value).unwrap_err();
        assert_eq!((refused.code(), Remedy::of(&refused)), (Code::Unrepresentable, None));
        let error = text(Unpacker::new(*format).copies(true), &value).unwrap_err();
        assert_eq!(error.code(), Code::Unrepresentable);
        if *format != Format::Csv {
            assert_eq!(
                error.to_string(),
                "unrepresentable in $[0].b[0]: expected values that do not contain themselves, got one that does, which cannot be copied"
            );
        }
        assert_eq!(Remedy::of(&error), None);
    }
}

#[test]
fn copies_are_no_remedy_where_a_value_contains_itself() {
    let twice = Value::Shared(Shared::new(Value::list([Value::from(1)])));
    let ring = Value::Shared(Shared::cyclic(|ring| {
        Value::record([
            ("a", twice.clone()),
            ("b", twice.clone()),
            ("c", Value::Weak(ring.clone())),
        ])
    }));
    let no_row = |value: &Value| Value::list([value.clone()]);
    for format in [Format::Json, Format::Ndjson, Format::Msgpack, Format::Cbor, Format::Bson] {
        let value = if format == Format::Bson {
            Value::record([("x", ring.clone())])
        } else {
            no_row(&ring)
        };
        for unpacker in [Unpacker::new(format), Unpacker::new(format).storage(true).copies(true)] {
            let error = text(unpacker, &value).unwrap_err();
            let at = if format == Format::Bson { "$.x.c" } else { "$[0].c" };
            assert_eq!((error.code(), error.path()), (Code::Unrepresentable, at), "{format:?}");
            assert_eq!(Remedy::of(&error), None);
        }
    }
    // A value that is shared, and none that contains itself.
    let error =
        text(Unpacker::new(Format::Json), &Value::list([no_row(&twice), twice])).unwrap_err();
    assert_eq!((Remedy::of(&error), error.path()), (Some(Remedy::Copies), "$[1]"));
    // As many places as 2^50, and each value is examined once.
    let double = (0..50).fold(Value::list([]), |value, _| {
        let value = Value::Shared(Shared::new(value));
        Value::list([value.clone(), value])
    });
    let error = text(Unpacker::new(Format::Json), &double).unwrap_err();
    assert_eq!(Remedy::of(&error), Some(Remedy::Copies));
}

#[test]
fn copies_stay_within_the_limit() {
    // Doubled fifty times.
    let double = (0..50).fold(Value::list([]), |value, _| {
        let value = Value::Shared(Shared::new(value));
        Value::list([value.clone(), value])
    });
    let message = holdall::to_vec(&double).unwrap();
    for format in [Format::Json, Format::Ndjson, Format::Msgpack, Format::Cbor] {
        let mut decoder = Decoder::new().limits(Limits::new().output(1 << 20));
        let error = Unpacker::new(format).copies(true).unpack(&mut decoder, &message).unwrap_err();
        assert_eq!(error.code(), Code::LimitOutput, "{format:?}");
    }
}

/// Skipped values write nothing, so no limit on bytes stops them.
#[test]
fn copies_of_skipped_values_stay_within_the_limit() {
    let nested = (0..500).fold(Value::Null, |value, _| Extension::new("x.y", value).into());
    let row = Value::Shared(Shared::new(Value::record([("a", nested)])));
    let rows = Value::list((0..500).map(|_| row.clone()));
    let message = holdall::to_vec(&rows).unwrap();
    for format in &WITHOUT_HEADERS {
        let unpacker = Unpacker::new(*format).copies(true).storage(true);
        let unpack = |bytes: usize| {
            unpacker.unpack(&mut Decoder::new().limits(Limits::new().output(bytes)), &message)
        };
        assert!(unpack(250_000).is_ok(), "{format:?}");
        assert_eq!(unpack(249_999).unwrap_err().code(), Code::LimitOutput, "{format:?}");
    }
}

#[test]
fn no_option_converts_a_tensor() {
    let tensor = Value::from(Tensor::of([2], &[1_u8, 2]).unwrap());
    for format in &WITHOUT_HEADERS {
        let rows = Value::list([Value::record([("a", tensor.clone())])]);
        let error = text(Unpacker::new(*format).storage(true).copies(true), &rows).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0].a"));
        assert_eq!(Remedy::of(&error), None);
    }
}

#[test]
fn variants_are_stored_as_their_names_or_as_a_map_with_one_entry() {
    let write = |unpacker: Unpacker, value: &Value| {
        let rows = Value::list([Value::record([("a", value.clone())])]);
        unpacker.unpack(&mut Decoder::new(), &holdall::to_vec(&rows).unwrap())
    };
    let member = Value::Variant(Variant::new("RED", Value::Null));
    let of_class = Value::from(Extension::new("shop.Colour", member.clone()));
    let more = Value::Variant(Variant::new("Size", Value::from(1)));
    for format in &WITHOUT_HEADERS {
        let plain = Unpacker::new(*format);
        for value in [&member, &of_class] {
            assert_eq!(write(plain, value).unwrap_err().code(), Code::Unrepresentable);
            let name = write(plain, &Value::from("RED")).unwrap();
            assert_eq!(write(plain.storage(true), value).unwrap(), name, "{format:?}");
        }
        let error = write(plain, &more).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0].a"));
        assert_eq!(Remedy::of(&error), Some(Remedy::Storage));
        // A cell of CSV holds neither.
        let map = write(plain, &Value::record([("Size", Value::from(1))]));
        let stored = write(plain.storage(true), &more);
        assert_eq!(stored.map_err(|error| error.code()), map.map_err(|error| error.code()));
    }
}
