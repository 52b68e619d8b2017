//! Compares with independent readers and writers.

use ciborium::Value as Peer;
use holdall::Value;
use holdall_convert::Format::{Cbor, Csv, Json, Msgpack, Ndjson};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value as JsonValue;

use super::bytes::{pack, read, unpack, write};
use super::values::{of_cbor, tables};

/// Converts a value of ciborium to ours; it has floats of every width as f64.
fn of_peer(peer: &Peer) -> Value {
    match peer {
        Peer::Integer(value) => integer(i128::from(*value)),
        Peer::Bytes(bytes) => Value::Bytes(bytes.clone()),
        Peer::Float(value) => Value::F64(*value),
        Peer::Text(text) => Value::from(text.as_str()),
        Peer::Bool(value) => Value::from(*value),
        Peer::Null => Value::Null,
        Peer::Array(items) => Value::list(items.iter().map(of_peer)),
        Peer::Map(entries) => {
            let entries: Vec<_> =
                entries.iter().map(|(key, value)| (of_peer(key), of_peer(value))).collect();
            let texts: Option<Vec<_>> = entries
                .iter()
                .map(|(key, value)| Some((key.as_str()?.to_owned(), value.clone())))
                .collect();
            texts.map_or_else(|| Value::map(entries), Value::record)
        }
        other => panic!("{other:?} is not made here"),
    }
}

/// Whether ciborium read what we wrote.
fn is_same(value: &Value, peer: &Peer) -> bool {
    let all = |values: &[Value], peers: &[Peer]| {
        values.len() == peers.len()
            && values.iter().zip(peers).all(|(value, peer)| is_same(value, peer))
    };
    let is_float = |own: f64, peer: f64| own == peer || (own.is_nan() && peer.is_nan());
    match (value, peer) {
        (Value::Null, Peer::Null) => true,
        (Value::Bool(own), Peer::Bool(peer)) => own == peer,
        (Value::Int(_) | Value::BigInt(_), Peer::Integer(peer)) => {
            *value == integer(i128::from(*peer))
        }
        (Value::BigInt(own), Peer::Tag(tag @ (2 | 3), bytes)) => {
            let flip = if *tag == 2 { 0 } else { 0xFF };
            let mut own: Vec<u8> = own.as_le_bytes().iter().map(|byte| byte ^ flip).collect();
            while own.last() == Some(&0) {
                own.pop();
            }
            own.reverse();
            matches!(&**bytes, Peer::Bytes(peer) if *peer == own)
        }
        (Value::F16(own), Peer::Float(peer)) => is_float(f64::from(*own), *peer),
        (Value::F32(own), Peer::Float(peer)) => is_float(f64::from(*own), *peer),
        (Value::F64(own), Peer::Float(peer)) => is_float(*own, *peer),
        (Value::String(own), Peer::Text(peer)) => own == peer,
        (Value::Bytes(own) | Value::Fixed(own), Peer::Bytes(peer)) => own == peer,
        (Value::List(own), Peer::Array(peer)) => all(own, peer),
        (Value::Tuple(own), Peer::Array(peer)) => all(own, peer),
        (Value::Record(own), Peer::Map(peer)) => {
            own.keys().len() == peer.len()
                && own.iter().zip(peer).all(|((name, value), (key, peer))| {
                    matches!(key, Peer::Text(key) if key == name) && is_same(value, peer)
                })
        }
        (Value::Map(own), Peer::Map(peer)) => {
            own.len() == peer.len()
                && own.iter().zip(peer).all(|((key, value), (peer_key, peer))| {
                    is_same(key, peer_key) && is_same(value, peer)
                })
        }
        (Value::Logical(own), Peer::Tag(_, content)) => is_same(own.storage(), content),
        (Value::Extension(own), Peer::Tag(tag, content)) => match own.value() {
            Value::Tuple(pair) => pair[0] == Value::U64(*tag) && is_same(&pair[1], content),
            _ => false,
        },
        _ => false,
    }
}

fn integer(value: i128) -> Value {
    super::values::integer(&value.to_le_bytes())
}

/// Values that ciborium has, also as keys of maps.
fn peers() -> impl Strategy<Value = Peer> {
    let scalar = prop_oneof![
        Just(Peer::Null),
        any::<bool>().prop_map(Peer::Bool),
        (any::<i64>(), 0_u32..64).prop_map(|(value, shift)| Peer::from(value >> shift)),
        any::<u64>().prop_map(Peer::from),
        "\\PC{0,30}".prop_map(Peer::Text),
        vec(any::<u8>(), 0..30).prop_map(Peer::Bytes),
    ];
    let keys = scalar.clone();
    scalar.prop_recursive(4, 60, 8, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Peer::Array),
            vec((keys.clone(), inner), 0..6).prop_map(|entries| {
                let mut kept: Vec<(Peer, Peer)> = Vec::new();
                for (key, value) in entries {
                    if kept.iter().all(|(own, _)| *own != key) {
                        kept.push((key, value));
                    }
                }
                Peer::Map(kept)
            }),
        ]
    })
}

fn json() -> impl Strategy<Value = JsonValue> {
    let scalar = prop_oneof![
        Just(JsonValue::Null),
        any::<bool>().prop_map(JsonValue::from),
        any::<i64>().prop_map(JsonValue::from),
        any::<u64>().prop_map(JsonValue::from),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(JsonValue::from),
        "\\PC{0,30}".prop_map(JsonValue::from),
    ];
    scalar.prop_recursive(4, 60, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(JsonValue::from),
            prop::collection::btree_map("[a-d]{0,2}", inner, 0..6)
                .prop_map(|entries| JsonValue::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn ciborium_writes_what_we_read(peer in peers()) {
        let mut bytes = Vec::new();
        ciborium::into_writer(&peer, &mut bytes).unwrap();
        let value = read(Cbor, &bytes).unwrap();
        prop_assert_eq!(&value, &of_peer(&peer));
        // Both write the preferred form.
        prop_assert_eq!(write(Cbor, &value).unwrap(), bytes);
    }

    #[test]
    fn ciborium_reads_what_we_write(value in of_cbor()) {
        let bytes = write(Cbor, &value).unwrap();
        match ciborium::from_reader::<Peer, _>(&bytes[..]) {
            Ok(peer) => prop_assert!(is_same(&value, &peer), "{value:?}\n{peer:?}"),
            // It has no simple values, and no big integers beyond 128 bits.
            Err(error) => {
                let words = format!("{value:?}");
                let is_beyond = words.contains("cbor.simple") || words.contains("0x");
                prop_assert!(is_beyond, "{error}: {words}");
            }
        }
    }

    #[test]
    fn rmp_serde_writes_what_we_read(value in json()) {
        let bytes = rmp_serde::to_vec(&value).unwrap();
        let text = unpack(Json, &pack(Msgpack, &bytes).unwrap()).unwrap();
        let back: JsonValue = serde_json::from_slice(&text).unwrap();
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(unpack(Msgpack, &pack(Msgpack, &bytes).unwrap()).unwrap(), bytes);
    }

    #[test]
    fn rmp_serde_reads_what_we_write(value in json()) {
        let text = serde_json::to_vec(&value).unwrap();
        let bytes = unpack(Msgpack, &pack(Json, &text).unwrap()).unwrap();
        let back: JsonValue = rmp_serde::from_slice(&bytes).unwrap();
        prop_assert_eq!(back, value);
    }

    #[test]
    fn serde_json_reads_each_line(values in vec(json(), 0..6)) {
        let text = serde_json::to_vec(&values).unwrap();
        let lines = unpack(Ndjson, &pack(Json, &text).unwrap()).unwrap();
        let lines = String::from_utf8(lines).unwrap();
        let back: Vec<JsonValue> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(back, values);
    }

    #[test]
    fn the_csv_crate_reads_and_writes_our_rows(table in tables()) {
        let text = write(Csv, &table).unwrap();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&text[..]);
        let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        let items = table.as_slice().unwrap();
        prop_assert_eq!(rows.len(), if items.is_empty() { 0 } else { items.len() + 1 });
        let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let text = writer.into_inner().unwrap();
        // Its writer does not protect U+FEFF at the beginning.
        if !text.starts_with("\u{FEFF}".as_bytes()) {
            prop_assert_eq!(read(Csv, &text).unwrap(), table);
        }
    }
}
