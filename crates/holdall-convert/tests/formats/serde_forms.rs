//! Types of serde that have another form where the format is text for people, and structs without names of fields: the bytes are those of
//! serde_json, rmp-serde and ciborium.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddrV4};

use holdall::Code;
use holdall_convert::serde::{from_slice, to_vec};
use holdall_convert::{Actions, Extended, Format};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::serde_peers::{PEERS, Unit, has_these_bytes};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct NoItems();

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pair(i32, i32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Nine(u8, u8, u8, u8, u8, u8, u8, u8, (Pair, Unit));

#[test]
fn types_that_ask_are_text_in_json_alone() {
    let four: IpAddr = [127, 0, 0, 1].into();
    has_these_bytes(vec![(
        vec![four],
        b"[\"127.0.0.1\"]",
        b"\x91\x81\xA2V4\x94\x7F\0\0\x01",
        b"\x81\xA1\x62V4\x84\x18\x7F\0\0\x01",
    )]);
    has_these_bytes(vec![(
        Some(SocketAddrV4::new(Ipv4Addr::new(1, 2, 3, 4), 80)),
        b"\"1.2.3.4:80\"",
        b"\x92\x94\x01\x02\x03\x04\x50",
        b"\x82\x84\x01\x02\x03\x04\x18\x50",
    )]);
    has_these_bytes(vec![(
        BTreeMap::from([(Ipv4Addr::new(1, 2, 3, 4), 'x')]),
        b"{\"1.2.3.4\":\"x\"}",
        b"\x81\x94\x01\x02\x03\x04\xA1x",
        b"\xA1\x84\x01\x02\x03\x04\x61x",
    )]);
    has_these_bytes(vec![(
        Uuid::from_bytes(*b"0123456789abcdef"),
        b"\"30313233-3435-3637-3839-616263646566\"",
        b"\xC4\x100123456789abcdef",
        b"\x500123456789abcdef",
    )]);
    has_these_bytes(vec![(
        time::Date::from_ordinal_date(2024, 60).unwrap(),
        b"\"2024-02-29\"",
        b"\x92\xCD\x07\xE8\x3C",
        b"\x82\x19\x07\xE8\x18\x3C",
    )]);
    // Also by way of a message, in a flattened field and where serde keeps a value first.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Host {
        Address(IpAddr),
        Number(u32),
    }
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Whole {
        value: holdall::Value,
        #[serde(flatten)]
        hosts: BTreeMap<Uuid, Vec<Host>>,
    }
    let hosts = vec![Host::Address([1, 2, 3, 4].into()), Host::Number(7)];
    let whole = Whole { value: 1.into(), hosts: [(Uuid::nil(), hosts)].into() };
    let json = br#"{"value":1,"00000000-0000-0000-0000-000000000000":["1.2.3.4",7]}"#;
    assert_eq!(to_vec(Format::Json, &whole).unwrap(), json);
    assert_eq!(from_slice::<Whole>(Format::Json, json).unwrap(), whole);
    let error = from_slice::<Vec<IpAddr>>(Format::Json, b"[\"1.2.3.4\", \"1.2.3\"]").unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Custom, "$[1]"));
}

#[test]
fn types_that_ask_are_text_in_ndjson_csv_and_formats_upon_them() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        host: Option<IpAddr>,
        id: Uuid,
        share: f32,
    }
    struct Same;
    impl Actions for Same {
        fn encode(&mut self, value: holdall::Value) -> holdall::Result<holdall::Value> {
            Ok(value)
        }
    }
    let row = |host| Row { host, id: Uuid::max(), share: 0.5 };
    let rows = vec![row(Some(Ipv6Addr::LOCALHOST.into())), row(None)];
    let own = Extended::encode_only("ndjson of hosts", Format::Ndjson, || Same);
    let own = Format::register(own).unwrap();
    let id = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    let lines = format!(
        "{{\"host\":\"::1\",\"id\":\"{id}\",\"share\":0.5}}\n{{\"host\":null,\"id\":\"{id}\",\"share\":0.5}}\n"
    );
    let cells = format!("host,id,share\n::1,{id},0.5\n,{id},0.5\n");
    for (format, text) in [(Format::Ndjson, &lines), (own, &lines), (Format::Csv, &cells)] {
        let written = to_vec(format, &rows).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), *text, "{format:?}");
        assert_eq!(from_slice::<Vec<Row>>(format, text.as_bytes()).unwrap(), rows, "{format:?}");
    }
    // As in the crates of these formats.
    let host = Row { host: Some([1, 2, 3, 4].into()), id: Uuid::nil(), share: 0.5 };
    for format in [Format::Bson, Format::Holdall] {
        let data = to_vec(format, &host).unwrap();
        assert_eq!(from_slice::<Row>(format, &data).unwrap(), host);
        assert!(!data.windows(7).any(|part| part == b"1.2.3.4"), "{format:?}");
    }
}

#[test]
fn a_struct_without_names_of_fields_is_a_list() {
    has_these_bytes(vec![(Pair(1, 2), b"[1,2]", b"\x92\x01\x02", b"\x82\x01\x02")]);
    has_these_bytes(vec![(NoItems(), b"[]", b"\x90", b"\x80")]);
    has_these_bytes(vec![(
        Nine(1, 2, 3, 4, 5, 6, 7, 8, (Pair(9, 0), Unit)),
        b"[1,2,3,4,5,6,7,8,[[9,0],null]]",
        b"\x99\x01\x02\x03\x04\x05\x06\x07\x08\x92\x92\x09\0\x90",
        b"\x89\x01\x02\x03\x04\x05\x06\x07\x08\x82\x82\x09\0\xF6",
    )]);
    // As it was written before.
    for (format, data) in PEERS.into_iter().zip([
        &b"{\"1\":2,\"0\":1}"[..],
        b"\x82\xA10\x01\xA11\x02",
        b"\xA2\x610\x01\x611\x02",
    ]) {
        assert_eq!(from_slice::<Pair>(format, data).unwrap(), Pair(1, 2));
    }
    let rows = vec![Pair(1, 2), Pair(3, 4)];
    assert_eq!(to_vec(Format::Ndjson, &rows).unwrap(), b"[1,2]\n[3,4]\n");
    assert_eq!(to_vec(Format::Dlhn, &rows).unwrap(), b"\x14\x15\x02\x0A\x0A\x02\x02\x04\x06\x08");
    // In a message, which is between, a tuple of more than 8 items is a list.
    let nine = Nine(1, 2, 3, 4, 5, 6, 7, 8, (Pair(9, 0), Unit));
    let bytes = b"\x15\x09\x03\x03\x03\x03\x03\x03\x03\x03\x15\x02\x15\x02\x0A\x0A\x15\0\x01\x02\x03\x04\x05\x06\x07\x08\x12\0";
    assert_eq!(to_vec(Format::Dlhn, &nine).unwrap(), bytes);
    assert_eq!(from_slice::<Nine>(Format::Dlhn, bytes).unwrap(), nine);
    // A row of CSV has names of columns.
    assert_eq!(to_vec(Format::Csv, &rows).unwrap(), b"0,1\n1,2\n3,4\n");
    for format in [Format::Ndjson, Format::Csv, Format::Dlhn] {
        let data = to_vec(format, &rows).unwrap();
        assert_eq!(from_slice::<Vec<Pair>>(format, &data).unwrap(), rows, "{format:?}");
    }
    let document = BTreeMap::from([("pair", Pair(1, 2))]);
    let bytes = b"\x1e\0\0\0\x04pair\0\x13\0\0\0\x100\0\x01\0\0\0\x101\0\x02\0\0\0\0\0";
    assert_eq!(to_vec(Format::Bson, &document).unwrap(), bytes);
    // A message keeps its name.
    for data in [holdall::serde::to_vec(&rows).unwrap(), to_vec(Format::Holdall, &rows).unwrap()] {
        let schema = holdall::Schema::of_message(&data).unwrap();
        assert_eq!(schema.to_string(), "list(struct Pair {\"0\": i32, \"1\": i32})");
        assert_eq!(from_slice::<Vec<Pair>>(Format::Holdall, &data).unwrap(), rows);
    }
}
