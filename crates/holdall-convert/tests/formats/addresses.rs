//! UUIDs and addresses in formats of text, by `storage(true)`.

use holdall::value::{Extension, Logical};
use holdall::{Code, LogicalType, Value};
use holdall_convert::{Format, Unpacker};

const NETWORK: u8 = LogicalType::IP_NETWORK;

fn logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Logical::new(LogicalType::new(kind, parameters).unwrap(), storage).into()
}

fn fixed(bytes: &[u8]) -> Value {
    Value::Fixed(bytes.into())
}

fn network(base: &[u8], prefix: u8) -> Value {
    let version = if base.len() == 4 { 4 } else { 6 };
    logical(NETWORK, &[version], Value::tuple([fixed(base), Value::U8(prefix)]))
}

fn stored(format: Format, value: &Value) -> holdall::Result<String> {
    let text = Unpacker::new(format).storage(true).to_vec(value)?;
    Ok(String::from_utf8(text).unwrap())
}

/// Values, and their text.
fn values() -> Vec<(Value, &'static str)> {
    let uuid: [u8; 16] = std::array::from_fn(|at| at as u8 * 17);
    let mut local = [0; 16];
    local[15] = 1;
    let mut mapped = local;
    mapped[10..14].fill(255);
    let ip = |bytes: &[u8]| {
        let version = if bytes.len() == 4 { 4 } else { 6 };
        logical(LogicalType::IP_ADDRESS, &[version], fixed(bytes))
    };
    vec![
        (logical(LogicalType::UUID, &[], fixed(&uuid)), "00112233-4455-6677-8899-aabbccddeeff"),
        (ip(&[127, 0, 0, 1]), "127.0.0.1"),
        (ip(&local), "::1"),
        (ip(&mapped), "::ffff:255.255.0.1"),
        (network(&[10, 0, 0, 0], 8), "10.0.0.0/8"),
        (network(&local, 128), "::1/128"),
    ]
}

#[test]
fn uuids_and_addresses_are_stored_as_text_in_formats_of_text() {
    for (value, text) in values() {
        let list = Value::list([value.clone(), Value::record([("a", value.clone())])]);
        let json = format!("[\"{text}\",{{\"a\":\"{text}\"}}]");
        assert_eq!(stored(Format::Json, &list).unwrap(), json);
        assert_eq!(
            stored(Format::Ndjson, &list).unwrap(),
            format!("\"{text}\"\n{{\"a\":\"{text}\"}}\n")
        );
        let rows = Value::list([Value::record([("a", value.clone()), ("b", Value::from(1))])]);
        assert_eq!(stored(Format::Csv, &rows).unwrap(), format!("a,b\n{text},1\n"));
        let key = Value::map([(value.clone(), Value::from(1))]);
        assert_eq!(stored(Format::Json, &key).unwrap(), format!("{{\"{text}\":1}}"));
        // In an extension, and not unless it is asked for.
        let extension = Value::from(Extension::new("of.others", value.clone()));
        assert_eq!(stored(Format::Json, &extension).unwrap(), format!("\"{text}\""));
        assert_eq!(Format::Json.to_vec(&list).unwrap_err().path(), "$[0]");
    }
}

#[test]
fn uuids_and_addresses_stay_bytes_in_formats_of_bytes() {
    let values = Value::list([network(&[10, 0, 0, 0], 8)]);
    let bytes = Unpacker::new(Format::Msgpack).storage(true).to_vec(&values).unwrap();
    assert_eq!(bytes, b"\x91\x92\xC4\x04\x0A\0\0\0\x08");
}

#[test]
fn other_bytes_have_no_text() {
    let bytes = logical(LogicalType::BYTE_ARRAY, &[], Value::Bytes(b"abcd".to_vec()));
    for value in [fixed(&[1, 2, 3, 4]), bytes] {
        assert_eq!(stored(Format::Json, &value).unwrap_err().code(), Code::Unrepresentable);
    }
}
