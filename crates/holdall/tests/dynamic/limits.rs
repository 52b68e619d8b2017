//! Limits that only large data reach.

use std::sync::Arc;

use holdall::Shape;
use holdall::events::{Shredder, Source};
use holdall::{Code, Encoder, Schema, Value, to_vec};

/// The most types in a schema.
const TYPES: usize = 1 << 18;

/// The schema of a tuple of this many nulls: one type for itself and one for each.
fn tuple_schema(items: usize) -> Vec<u8> {
    // No definitions; tuple; the count as a varint of 3 bytes (14 to 21 bits).
    let count = (items << 3 | 0b011).to_le_bytes();
    let mut bytes = vec![0x00, 0x18, count[0], count[1], count[2]];
    bytes.resize(bytes.len() + items, 0x01);
    bytes
}

#[test]
fn a_schema_has_no_more_types_than_the_limit() {
    assert!(Schema::from_bytes(&tuple_schema(TYPES - 1)).is_ok());
    let error = Schema::from_bytes(&tuple_schema(TYPES)).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::LimitSites, Some(5 + TYPES as u64 - 1)));
}

/// A list of objects of this many types, each with 250 fields of its own.
struct ManyTypes(usize);

impl Source for ManyTypes {
    fn drive(&mut self, shredder: &mut Shredder) -> holdall::Result<()> {
        let keys: Arc<[Arc<str>]> = (0..250).map(|field| Arc::from(format!("f{field}"))).collect();
        let shape = Shape::new(0, keys);
        shredder.begin_list(self.0)?;
        for number in 0..self.0 {
            shredder.begin_struct(&Arc::from(format!("T{number}")), &shape)?;
            for _ in 0..250 {
                shredder.null()?;
            }
            shredder.end()?;
        }
        shredder.end()
    }
}

#[test]
fn writers_produce_no_schema_that_readers_reject() {
    // A list, a union, and 251 types for each struct.
    let most = (TYPES - 2) / 251;
    let bytes = Encoder::new().message(&mut ManyTypes(most)).unwrap();
    assert!(holdall::from_slice::<Value>(&bytes).is_ok());
    let error = Encoder::new().message(&mut ManyTypes(most + 1)).unwrap_err();
    assert_eq!(error.code(), Code::LimitSites);
}

#[test]
fn a_mapping_of_many_keys_is_a_map() {
    let keys = |count: usize| Value::record((0..count).map(|n| (format!("k{n}"), Value::Null)));
    let schema = |value| Schema::of_message(&to_vec(&value).unwrap()).unwrap().to_string();
    assert!(schema(keys(256)).starts_with("record {k0: null"));
    assert_eq!(schema(keys(257)), "map(string, null)");
}

#[test]
fn columns_of_very_many_types_are_located_in_no_time() {
    // A tuple of as many u8 as there may be types: comparing each with all others would take minutes.
    let mut message = vec![0xC1, 0x10];
    message.extend(tuple_schema(TYPES - 1).into_iter().skip(1).map(|byte| match byte {
        0x01 => 0x04,
        other => other,
    }));
    message.resize(message.len() + TYPES - 1, 7);
    let columns = holdall::trace::locate_columns(&message).unwrap();
    assert_eq!(columns.len(), TYPES - 1);
    assert_eq!(columns[262_000].site, "$[262000]");
}
