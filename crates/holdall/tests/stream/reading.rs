//! Reads streams from the beginning, from anywhere, and from input that arrives in pieces.

use std::io::{self, Cursor, Read};

use holdall::{Code, Limits, Metadata, OnDamage, Reader, WriterOptions};

use super::samples::{Reading, fault, frames, ids, reading, stream, strict, writer};

/// Returns one byte at a time, and counts them.
struct Drip<'a>(&'a [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = into.len().min(1).min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        self.1 += count;
        Ok(count)
    }
}

#[test]
fn no_byte_after_the_stream_is_consumed() {
    let bytes = stream(10, 3);
    let behind = [&bytes[..], &bytes].concat();
    let mut input = Drip(&behind, 0);
    for _ in 0..2 {
        let mut reader = Reader::new(&mut input);
        let values: Vec<Reading> = reader.values().collect::<Result<_, _>>().unwrap();
        assert_eq!(values.len(), 10);
        assert!(reader.is_finished());
        assert_eq!(input.1 % bytes.len(), 0);
    }
    assert_eq!(input.1, behind.len());
    // Bytes after the stream are reported if none may follow.
    assert_eq!(strict(&behind).1.unwrap(), format!("trailing_bytes @ {}", bytes.len()));
}

#[test]
fn only_the_bytes_of_a_block_are_requested() {
    let bytes = stream(9, 3);
    let starts = frames(&bytes);
    let mut input = Drip(&bytes, 0);
    let mut reader = Reader::new(&mut input);
    let values = reader.values::<Reading>().take(3);
    assert_eq!(values.count(), 3);
    // The schema frame and the first block.
    assert_eq!(input.1, starts[2]);
}

#[test]
fn metadata_and_schema_are_read_without_a_block() {
    let metadata = Metadata::new([("source", "sensor 7")]).unwrap();
    let mut writer = WriterOptions::new().metadata(metadata.clone()).to(Vec::new()).unwrap();
    writer.write(&reading(1)).unwrap();
    let bytes = writer.finish().unwrap();
    let starts = frames(&bytes);

    let mut input = Drip(&bytes, 0);
    let mut reader = Reader::new(&mut input);
    assert_eq!(*reader.metadata().unwrap(), metadata);
    assert_eq!(reader.offset(), starts[1] as u64);
    let schema = reader.schema().unwrap().unwrap().to_string();
    assert!(schema.starts_with("struct Reading {id: u64"), "{schema}");
    assert_eq!(reader.values::<Reading>().count(), 1);
    assert!(reader.values::<Reading>().next().is_none());

    // Without metadata the first frame is a schema, which is kept.
    let bytes = stream(3, 2);
    let mut reader = Reader::new(&bytes[..]);
    assert!(reader.metadata().unwrap().is_empty());
    assert_eq!(reader.values::<Reading>().count(), 3);
}

#[test]
fn every_value_has_its_number() {
    let bytes = stream(100, 7);
    let without_end = &bytes[..frames(&bytes)[frames(&bytes).len() - 2]];
    for bytes in [&bytes[..], without_end] {
        let mut reader = Reader::new(Cursor::new(bytes)).unfinished(true);
        assert_eq!(reader.values::<Reading>().next().unwrap().unwrap().id, 0);
        assert_eq!(reader.len().unwrap(), 100);
        for number in (0..100).rev() {
            assert_eq!(reader.get::<Reading>(number).unwrap(), Some(reading(number)));
        }
        assert_eq!(reader.get::<Reading>(100).unwrap(), None);
        // The position in the stream did not change: after the first block.
        assert_eq!(reader.position(), 7);
        let rest: Vec<Reading> = reader.values().collect::<Result<_, _>>().unwrap();
        assert_eq!(ids(&rest), (7..100).collect::<Vec<_>>());
        for number in 0..=100 {
            reader.go_to(number).unwrap();
            assert_eq!(reader.position(), number);
            let rest: Vec<Reading> = reader.values().take(9).collect::<Result<_, _>>().unwrap();
            assert_eq!(ids(&rest), (number..100).take(9).collect::<Vec<_>>(), "{number}");
        }
        assert_eq!(reader.go_to(101).unwrap_err().code(), Code::IndexOutOfRange);
    }
}

#[test]
fn what_is_not_whole_yet_is_no_error_in_an_unfinished_stream() {
    let bytes = stream(40, 7);
    // The schema's frame, six blocks, and the end.
    let starts = frames(&bytes);
    for len in 0..=bytes.len() {
        let blocks = starts[2..].iter().filter(|&&end| end <= len).count();
        for on_damage in [OnDamage::Error, OnDamage::Skip] {
            let mut reader = Reader::new(&bytes[..len]).on_damage(on_damage).unfinished(true);
            let values: Vec<Reading> = reader.values().collect::<Result<_, _>>().unwrap();
            assert_eq!(ids(&values), (0..40.min(7 * blocks as u64)).collect::<Vec<_>>(), "{len}");
            assert!(reader.damage().is_empty(), "{len}");
        }
    }
}

#[test]
fn damage_before_an_intact_frame_is_an_error_in_an_unfinished_stream() {
    let mut bytes = stream(40, 7);
    let starts = frames(&bytes);
    bytes.truncate(starts[5] + 3);
    bytes[starts[3] - 1] ^= 1;
    let mut reader = Reader::new(&bytes[..]).unfinished(true);
    let read: Result<Vec<Reading>, _> = reader.values().collect();
    assert_eq!(read.unwrap_err().code(), Code::BadChecksum);
    let mut reader = Reader::new(&bytes[..]).on_damage(OnDamage::Skip).unfinished(true);
    let values: Vec<Reading> = reader.values().collect::<Result<_, _>>().unwrap();
    assert_eq!(ids(&values), (0..7).chain(14..28).collect::<Vec<_>>());
    assert_eq!(reader.damage().len(), 1);
}

#[test]
fn values_of_several_schemas_are_found_by_number() {
    let mut writer = writer(1);
    for n in 0..20_u8 {
        match n % 4 {
            0 => writer.write(&n).unwrap(),
            1 => writer.write(&u64::from(n)).unwrap(),
            _ => writer.write(&format!("{n}")).unwrap(),
        }
    }
    let mut reader = Reader::new(Cursor::new(writer.finish().unwrap()));
    assert_eq!(reader.len().unwrap(), 20);
    assert_eq!(reader.get::<u8>(16).unwrap(), Some(16));
    assert_eq!(reader.get::<u64>(5).unwrap(), Some(5));
    assert_eq!(reader.get::<String>(18).unwrap().unwrap(), "18");
    assert_eq!(reader.get::<u8>(3).unwrap_err().code(), Code::Incompatible);
}

#[test]
fn a_frame_beyond_the_limit_is_rejected_before_it_arrives() {
    let bytes = stream(100, 100);
    let starts = frames(&bytes);
    let mut reader = Reader::new(&bytes[..starts[1] + 32]).limits(Limits::new().frame(1000));
    let error = reader.next_block().unwrap_err();
    assert_eq!(fault(&error), format!("limit_budget @ {}", starts[1] + 9));
}

#[test]
fn the_budget_is_that_of_a_block() {
    let bytes = stream(1000, 10);
    let limits = Limits::new().budget(2000);
    let values: Result<Vec<Reading>, _> = Reader::new(&bytes[..]).limits(limits).values().collect();
    assert_eq!(values.unwrap().len(), 1000);
    let error = Reader::new(&stream(1000, 1000)[..]).limits(limits).values::<Reading>().next();
    assert_eq!(error.unwrap().unwrap_err().code(), Code::LimitBudget);
}

#[test]
fn an_empty_stream_has_no_values() {
    let bytes = writer(1).finish().unwrap();
    let mut reader = Reader::new(Cursor::new(&bytes[..]));
    assert!(reader.is_empty().unwrap());
    assert!(reader.schema().unwrap().is_none());
    assert_eq!(reader.values::<Reading>().count(), 0);
    assert!(reader.is_finished());
}
