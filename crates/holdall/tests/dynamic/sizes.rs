//! The bytes of small values, compared with those of a format without names.

use holdall::value::{Record, Struct};
use holdall::{Encoder, Value};
use serde::Serialize;

fn bare(value: &Value) -> Vec<u8> {
    Encoder::new().body(&mut &*value).unwrap().bytes
}

#[test]
fn a_record_of_one_small_int_is_a_message_of_8_bytes() {
    assert_eq!(holdall::to_vec(&Value::record([("a", Value::from(1))])).unwrap().len(), 8);
}

#[test]
fn a_bare_tuple_of_a_small_number_a_short_text_and_a_bool_is_9_bytes() {
    let value = Value::tuple([Value::U32(300), Value::from("hello"), Value::Bool(true)]);
    assert_eq!(bare(&value), [0xB1, 0x04, 0x0A, b'h', b'e', b'l', b'l', b'o', 0x01]);
}

#[derive(Serialize)]
struct User {
    id: u32,
    name: &'static str,
    ok: bool,
}

const USERS: [User; 3] = [
    User { id: 7, name: "Ada", ok: true },
    User { id: 300, name: "Grace Hopper", ok: false },
    User { id: 70_000, name: "", ok: true },
];

#[test]
fn bare_records_take_no_more_bytes_than_in_postcard() {
    let users = USERS.map(|user| {
        let fields = [
            ("id".into(), Value::U32(user.id)),
            ("name".into(), Value::from(user.name)),
            ("ok".into(), Value::Bool(user.ok)),
        ];
        Value::Struct(Struct::new("User", Record::from_iter(fields)))
    });
    for len in 0..=users.len() {
        let ours = bare(&Value::list(users[..len].iter().cloned()));
        let postcard = postcard::to_stdvec(&USERS[..len]).unwrap();
        assert!(ours.len() <= postcard.len(), "{len} users: {} > {}", ours.len(), postcard.len());
    }
}
