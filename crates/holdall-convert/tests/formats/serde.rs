//! Types of serde are written and read without a message, as by way of one. But where keys are data, a message has a map, whose values have
//! numbers in paths, and not the keys.

use std::collections::BTreeMap;
use std::fmt::Debug;

use holdall::{Code, Decoder, Encoder, Error, Limits, Value};
use holdall_convert::serde::{from_slice, to_vec};
use holdall_convert::{Format, Packer, Remedy, Unpacker};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::ser::SerializeTuple;
use serde::{Deserialize, Serialize, Serializer};

use super::serde_calls::{Call, calls, kept_by_messages, plain_calls};

/// The formats that need no message.
const DIRECT: [Format; 5] =
    [Format::Json, Format::Ndjson, Format::Msgpack, Format::Cbor, Format::Bson];

/// The result, or what is to be known of an error.
fn outcome<T>(result: Result<T, Error>) -> Result<T, (Code, Option<u64>, String)> {
    result.map_err(|error| (error.code(), error.offset(), error.path().to_owned()))
}

/// The steps of a path.
fn steps(path: &str) -> Vec<&str> {
    let (mut steps, mut begin) = (Vec::new(), 0);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, char) in path.char_indices() {
        if !is_quoted && matches!(char, '.' | '[' | '<') {
            steps.push(&path[begin..at]);
            begin = at;
        }
        is_quoted ^= char == '"' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
    }
    steps.push(&path[begin..]);
    steps
}

/// Whether a message has an error at the same place. Keys of a record that shares its place with a map are numbers there.
fn is_at(direct: &str, message: &str) -> bool {
    let (direct, message) = (steps(direct), steps(message));
    let is_number = |step: &str| {
        step.strip_prefix('[')
            .and_then(|step| step.strip_suffix(']'))
            .is_some_and(|number| number.parse::<usize>().is_ok())
    };
    direct.len() == message.len()
        && direct.iter().zip(&message).all(|(own, other)| own == other || is_number(other))
}

fn written_by_message(unpacker: Unpacker, value: &Call) -> Result<Vec<u8>, Error> {
    let unpacker = unpacker.like_serde(true);
    let message = holdall::serde::to_vec(value)?;
    let mut decoder = Decoder::new().limits(Limits::new().budget(u64::MAX).output(usize::MAX));
    unpacker.unpack(&mut decoder, &message).map_err(Error::without_offset)
}

fn read_by_message<T: DeserializeOwned>(format: Format, input: &[u8]) -> Result<T, Error> {
    let message = Packer::new(format).pack(&mut Encoder::new(), input)?;
    holdall::serde::from_slice(&message).map_err(Error::without_offset)
}

fn is_read_alike<T>(format: Format, input: &[u8])
where
    T: DeserializeOwned + Debug + PartialEq,
{
    let direct = outcome(from_slice::<T>(format, input));
    assert_eq!(direct, outcome(read_by_message(format, input)), "{format:?} {input:02X?}");
}

#[derive(Debug, PartialEq, Deserialize)]
struct Part {
    id: Option<i64>,
    #[serde(default)]
    a: Vec<Part>,
    b: BTreeMap<String, f64>,
    #[serde(default)]
    c: Option<Kind>,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Kind {
    Plain,
    Of(u8),
    Pair(u8, String),
    Row { a: u8 },
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_written_is_what_a_message_would_give(value in calls().prop_map(kept_by_messages), storage in any::<bool>(), copies in any::<bool>()) {
        for format in DIRECT.into_iter().chain([Format::Csv]) {
            let unpacker = Unpacker::new(format).storage(storage).copies(copies);
            let written = to_vec(unpacker, &value);
            // A message does not say that the text was in an option.
            if written.as_ref().is_err_and(|error| error.to_string().contains("one cell for both")) {
                continue;
            }
            let direct = outcome(written);
            let message = outcome(written_by_message(unpacker, &value));
            // A variant without a payload that is refused is in a message one with null.
            let of_itself = |(code, offset, path): (_, _, String)| {
                (code, offset, path.trim_end_matches("<Plain>").to_owned())
            };
            let (direct, message) = (direct.map_err(of_itself), message.map_err(of_itself));
            // What the format refuses may come before it.
            let is_repeated = |of: &Result<_, (Code, _, _)>| of.as_ref().is_err_and(|error| error.0 == Code::DuplicateKey);
            if is_repeated(&message) && !is_repeated(&direct) {
                prop_assert!(direct.is_err(), "{:?}", format);
            } else if let (Err(own), Err(other)) = (&direct, &message) {
                prop_assert_eq!((own.0, own.1), (other.0, other.1), "{:?}", format);
                prop_assert!(is_at(&own.2, &other.2), "{:?} {} {}", format, own.2, other.2);
            } else {
                prop_assert_eq!(direct, message, "{:?}", format);
            }
        }
    }

    #[test]
    fn what_is_read_is_what_a_message_would_give(value in plain_calls(), at in any::<prop::sample::Index>(), byte in any::<Option<u8>>()) {
        for format in DIRECT {
            let Ok(mut input) = to_vec(format, &value) else { continue };
            if let Some(byte) = byte && !input.is_empty() {
                let at = at.index(input.len());
                input[at] = byte;
            }
            is_read_alike::<Value>(format, &input);
            is_read_alike::<serde_json::Value>(format, &input);
            is_read_alike::<Vec<Part>>(format, &input);
        }
    }
}

#[test]
fn what_a_type_asks_for_is_found_in_each_form() {
    let inputs: [&[u8]; 12] = [
        br#"[{"id": 1, "b": {"x": 1, "y": 2.5}, "c": "Plain"}]"#,
        br#"[{"b": {}, "id": null, "c": {"Of": 7}, "more": [1, {"a": []}]}]"#,
        br#"[{"id": 1, "b": {}, "c": {"Pair": [7, "x"]}, "a": [{"id": 2, "b": {"z": 0.5}}]}]"#,
        br#"[{"id": 1, "b": {}, "c": {"Row": {"a": 1}}}]"#,
        br#"[{"id": 1, "b": {}, "c": {"Row": {"a": 300}}}]"#,
        br#"[{"id": 1, "b": {}, "c": {"Other": 1}}]"#,
        br#"[{"id": 1, "b": {}, "c": {"Of": 1, "Plain": 2}}]"#,
        br#"[{"id": true, "b": {}}]"#,
        br#"[{"id": 1}]"#,
        br#"[[1, [], {}, null]]"#,
        br#"[{"id": 1, "b": {}, "id": 2}]"#,
        br#"[{"id": 1, "b": {"x": 1, "y": 2, "x": 3}}]"#,
    ];
    for input in inputs {
        is_read_alike::<Vec<Part>>(Format::Json, input);
        is_read_alike::<Value>(Format::Json, input);
    }
    /// By the numbers of its fields.
    #[derive(Debug, PartialEq, Deserialize)]
    struct Pair(u8, String);
    for input in [br#"{"1": "a", "0": 7}"#, br#"{"1": "a", "2": 7}"#, br#"{"0": 7, "x": "b"}"#] {
        is_read_alike::<Pair>(Format::Json, input);
    }
}

/// A struct without fields is an empty mapping, also where that has no shape.
#[test]
fn an_empty_mapping_is_a_unit_struct() {
    #[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
    struct Unit;
    let unit = BTreeMap::<u8, u8>::new();
    for format in [Format::Json, Format::Msgpack, Format::Cbor, Format::Bson] {
        let data = to_vec(format, &unit).unwrap();
        assert_eq!(from_slice::<Unit>(format, &data).unwrap(), Unit);
        is_read_alike::<Unit>(format, &data);
        // BSON holds a document.
        let units = BTreeMap::from([("a", Unit)]);
        let data = to_vec(format, &units).unwrap();
        is_read_alike::<BTreeMap<String, Unit>>(format, &data);
    }
    for input in [&b"[]"[..], b"{\"a\": 1}", b"null", b"1"] {
        is_read_alike::<Unit>(Format::Json, input);
        is_read_alike::<Vec<Unit>>(Format::Json, input);
    }
}

#[test]
fn the_deepest_values_are_those_of_a_message() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Deep {
        a: Option<Box<Deep>>,
        kind: Option<Kind>,
    }
    for levels in 120..135 {
        for inside in [
            "{}",
            r#"{"kind": "Plain"}"#,
            r#"{"kind": {"Of": 1}}"#,
            r#"{"kind": {"Row": {"a": 1}}}"#,
        ] {
            let text = format!("{}{inside}{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
            is_read_alike::<Deep>(Format::Json, text.as_bytes());
            let twice = format!("[{text},{text}]");
            is_read_alike::<Vec<Deep>>(Format::Json, twice.as_bytes());
        }
    }
}

/// A tuple that announces another number of items than it has, and a map of structs whose fields vary much.
#[test]
fn what_hand_written_types_do_is_what_a_message_would_give() {
    struct Short(usize);
    impl Serialize for Short {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            let mut tuple = to.serialize_tuple(2)?;
            (0..self.0).try_for_each(|item| tuple.serialize_element(&item))?;
            tuple.end()
        }
    }
    for items in 0..4 {
        let value = vec![Short(items)];
        let message = outcome(holdall::serde::to_vec(&value)).map(|_| ());
        let direct = outcome(to_vec(Format::Json, &value)).map(|_| ());
        assert_eq!(direct.map_err(|error| error.0), message.map_err(|error| error.0), "{items}");
    }
    let rows = |row: u32| {
        let field = |bit: u32| (row >> bit & 1 == 1).then_some(Call::U16(row as u16));
        Call::Struct((0..4).map(field).collect())
    };
    let value = Call::Seq(true, (0..200).map(|row| rows(row * 7)).collect());
    for format in [Format::Json, Format::Msgpack, Format::Cbor] {
        let unpacker = Unpacker::new(format);
        assert_eq!(to_vec(format, &value).unwrap(), written_by_message(unpacker, &value).unwrap());
    }
}

/// In its forms for enums and chars.
#[test]
fn a_value_is_written_as_the_crate_of_the_format_writes_it() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Of {
        Unit,
        One(u8),
        Two(u8, String),
        Row { x: i64 },
        Deep(Box<Of>),
        Names(BTreeMap<String, char>),
    }
    let all = vec![
        Of::Unit,
        Of::One(8),
        Of::Two(1, "a".into()),
        Of::Row { x: -1 },
        Of::Deep(Of::Deep(Of::One(1).into()).into()),
        Of::Deep(Of::Unit.into()),
        Of::Names(BTreeMap::from([("k".into(), 'é'), (String::new(), 'x')])),
        Of::Names(BTreeMap::new()),
    ];
    let json = to_vec(Format::Json, &all).unwrap();
    assert_eq!(json, serde_json::to_vec(&all).unwrap());
    let msgpack = to_vec(Format::Msgpack, &all).unwrap();
    assert_eq!(msgpack, rmp_serde::to_vec_named(&all).unwrap());
    let mut cbor = Vec::new();
    ciborium::into_writer(&all, &mut cbor).unwrap();
    assert_eq!(to_vec(Format::Cbor, &all).unwrap(), cbor);
    for format in DIRECT {
        for one in &all {
            // NDJSON holds a list, BSON a document.
            let value = BTreeMap::from([("of", one)]);
            let (data, back) = if let Format::Bson = format {
                let data = to_vec(format, &value).unwrap();
                (data.clone(), from_slice::<BTreeMap<String, Of>>(format, &data).unwrap())
            } else {
                let data = to_vec(format, &[value]).unwrap();
                (
                    data.clone(),
                    from_slice::<Vec<BTreeMap<String, Of>>>(format, &data).unwrap().remove(0),
                )
            };
            assert_eq!(back["of"], *one, "{format:?} {data:02X?}");
        }
    }
    assert_eq!(to_vec(Format::Bson, &Of::One(8)).unwrap(), b"\x0e\0\0\0\x10One\0\x08\0\0\0\0");
    let error = to_vec(Format::Bson, &Of::Unit).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$"));
    let inside = to_vec(Format::Json, &Of::Deep(Of::Two(0, String::new()).into())).unwrap();
    assert_eq!(inside, br#"{"Deep":{"Two":[0,""]}}"#);
    // What is in a variant has its path.
    #[derive(Serialize)]
    enum Bytes {
        Of(#[serde(with = "serde_bytes")] Vec<u8>),
    }
    let error = to_vec(Format::Json, &[Bytes::Of(vec![0])]).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$[0]<Of>"));
}

/// Also where more keys than are compared pair by pair differ, or do not.
#[test]
fn each_key_of_a_large_mapping_is_once() {
    for count in [15, 16, 17, 40] {
        let entries = |last: usize| {
            let keys = (0..count - 1).chain([last]);
            let entries: Vec<String> = keys.map(|key| format!("\"k{key}\": 1")).collect();
            format!("{{{}}}", entries.join(",")).into_bytes()
        };
        is_read_alike::<BTreeMap<String, u8>>(Format::Json, &entries(count - 1));
        is_read_alike::<BTreeMap<String, u8>>(Format::Json, &entries(3));
        let error = from_slice::<BTreeMap<String, u8>>(Format::Json, &entries(3)).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::DuplicateKey, "$.k3"));
    }
}

#[test]
fn an_empty_text_in_an_option_is_no_cell_of_csv() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        id: u8,
        name: Option<String>,
    }
    let row = |id, name: Option<&str>| Row { id, name: name.map(str::to_owned) };
    for (rows, path) in [
        (vec![row(1, Some(""))], "$[0].name"),
        (vec![row(1, Some("x")), row(2, Some(""))], "$[1].name"),
        (vec![row(1, None), row(2, Some(""))], "$[1].name"),
    ] {
        let error = to_vec(Format::Csv, &rows).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, path), "{error}");
        assert_eq!(Remedy::of(&error), Some(Remedy::Storage));
        assert!(to_vec(Unpacker::new(Format::Csv).storage(true), &rows).is_ok());
        let json = to_vec(Format::Json, &rows).unwrap();
        assert_eq!(from_slice::<Vec<Row>>(Format::Json, &json).unwrap(), rows);
    }
    let rows = vec![row(1, Some("x")), row(2, None)];
    let data = to_vec(Format::Csv, &rows).unwrap();
    assert_eq!(data, b"id,name\n1,x\n2,\n");
    assert_eq!(from_slice::<Vec<Row>>(Format::Csv, &data).unwrap(), rows);
    // Without an option there is a text.
    assert_eq!(to_vec(Format::Csv, &[BTreeMap::from([("a", "")])]).unwrap(), b"a\n\"\"\n");
}
