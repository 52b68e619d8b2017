//! Streams for the tests.

use holdall::stream::Damage;
use holdall::{Decode, Encode, OnDamage, Reader, Value, Writer, WriterOptions};

pub const SYNC: [u8; 8] = *b"\x01sync\xFE\xFF\x02";

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Reading {
    pub id: u64,
    pub name: String,
    pub value: Option<f64>,
    pub tags: Vec<String>,
}

pub fn reading(id: u64) -> Reading {
    Reading {
        id,
        name: format!("sensor {}", id % 7),
        value: (!id.is_multiple_of(3)).then_some(id as f64 / 4.0),
        tags: (0..id % 4).map(|tag| format!("tag {tag}")).collect(),
    }
}

/// A stream of this many readings in blocks of this many, with its end.
pub fn stream(values: u64, per_block: u64) -> Vec<u8> {
    let mut writer = writer(per_block);
    (0..values).for_each(|id| writer.write(&reading(id)).unwrap());
    writer.finish().unwrap()
}

pub fn writer(per_block: u64) -> Writer<Vec<u8>> {
    WriterOptions::new().sync(SYNC).block_values(per_block).to(Vec::new()).unwrap()
}

/// Returns all values, or the fault as `code @ offset`.
pub fn strict(bytes: &[u8]) -> (Vec<Reading>, Option<String>) {
    let mut values = Vec::new();
    for value in Reader::new(bytes).whole(true).values() {
        match value {
            Ok(value) => values.push(value),
            Err(error) => return (values, Some(fault(&error))),
        }
    }
    (values, None)
}

/// Returns the readable values, and the skipped damage.
pub fn lenient(bytes: &[u8]) -> (Vec<Reading>, Vec<Damage>) {
    let mut reader = Reader::new(bytes).whole(true).on_damage(OnDamage::Skip);
    let values = reader.values().collect::<Result<_, _>>().unwrap();
    (values, reader.damage().to_vec())
}

pub fn fault(error: &holdall::Error) -> String {
    format!("{} @ {}", error.code(), error.offset().map_or("-".to_owned(), |at| at.to_string()))
}

/// Returns the offsets of the frames, and last that of the end, by their heads as the spec defines them.
pub fn frames(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![16];
    while let Some(head) = bytes.get(starts[starts.len() - 1]..).and_then(|rest| rest.get(..32)) {
        let mut len = [0; 8];
        len[..6].copy_from_slice(&head[9..15]);
        let len = usize::try_from(u64::from_le_bytes(len)).unwrap();
        starts.push(starts[starts.len() - 1] + 32 + (len + 4).next_multiple_of(8));
    }
    starts
}

pub fn ids(values: &[Reading]) -> Vec<u64> {
    values.iter().map(|value| value.id).collect()
}

pub fn values_of(bytes: &[u8]) -> Vec<Value> {
    Reader::new(bytes).values().collect::<Result<_, _>>().unwrap()
}
