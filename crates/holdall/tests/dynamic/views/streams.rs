//! Views of streams: values by number, and columns across blocks.

use holdall::view::Bytes;
use holdall::{Alignment, Code, Profile, Reader, Value, View, WriterOptions};

use super::touched::Counted;
use super::walk;
use crate::common::chance::Chance;
use crate::common::graphs::graph;
use crate::common::make::{int, list, record};

/// A stream with a new block after each group of this many values.
fn stream(options: WriterOptions, values: &[Value], each: usize) -> Vec<u8> {
    let mut writer = options.sync(*b"01234567").to(Vec::new()).unwrap();
    for values in values.chunks(each) {
        values.iter().for_each(|value| writer.write(value).unwrap());
        writer.flush().unwrap();
    }
    writer.finish().unwrap()
}

fn user(n: i64) -> Value {
    let city = if n % 3 == 0 { Value::Null } else { Value::from(format!("city {}", n % 7)) };
    record([
        ("id", int(n)),
        ("score", Value::from(n as f64 / 4.0)),
        ("name", Value::from(format!("user {n}"))),
        ("tags", list((0..n % 4).map(|tag| Value::from(format!("tag {tag}"))))),
        ("address", record([("city", city), ("ok", Value::from(n % 2 == 0))])),
    ])
}

fn users(count: i64) -> Vec<Value> {
    (0..count).map(user).collect()
}

#[test]
fn columns_and_values_of_a_stream_are_those_of_all_blocks() {
    let values = users(500);
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        for each in [1, 7, 200, 1000] {
            let options = WriterOptions::new().profile(profile);
            let bytes = stream(options, &values, each);
            let counted = Counted::of(&bytes);
            let views = [View::new(&bytes), View::new(Bytes::reader(&counted).unwrap())];
            for view in views {
                let view = view.unwrap();
                assert_eq!(view.len().unwrap(), Some(500));
                let entries: Vec<Option<&Value>> = values.iter().map(Some).collect();
                let count = walk::compare(view.root(), &entries).unwrap();
                assert!(count >= 7, "{count}");
                for number in [0, 1, 6, 7, 199, 200, 499] {
                    let row = view.root().row(number as u64).unwrap();
                    assert_eq!(row, values[number]);
                }
                assert_eq!(view.root().row(500).unwrap_err().code(), Code::IndexOutOfRange);
                assert_eq!(view.value().unwrap_err().code(), Code::Unsupported);
            }
        }
    }
}

#[test]
fn values_with_definitions_are_read_with_their_block() {
    let mut chance = Chance::new(3);
    let values: Vec<Value> = (0..60).map(|_| graph(&mut chance).0).collect();
    let bytes = stream(WriterOptions::new(), &values, 9);
    let view = View::new(&bytes).unwrap();
    for (number, value) in values.iter().enumerate() {
        let row = view.root().row(number as u64).unwrap();
        crate::common::graphs::same_graph(&row, value).unwrap();
    }
}

#[test]
fn values_with_definitions_are_decoded_once_for_their_block() {
    let mut chance = Chance::new(4);
    let values: Vec<Value> = (0..200).map(|_| graph(&mut chance).0).collect();
    let bytes = stream(WriterOptions::new(), &values, 100);
    let counted = Counted::of(&bytes);
    let view = View::new(Bytes::reader(&counted).unwrap()).unwrap();
    for first in [0, 100] {
        view.root().row(first).unwrap();
        assert!(counted.take() > 0);
        for number in [1, 50, 99] {
            view.root().row(first + number).unwrap();
            assert_eq!(counted.take(), 0, "of row {number}");
        }
    }
}

#[test]
fn blocks_of_several_schemas_have_one_column() {
    let first = [record([("id", int(1))]), record([("id", int(2))])];
    let second = [record([("id", Value::Null), ("name", Value::from("x"))])];
    let third = [record([("name", Value::Null), ("id", Value::from(7))])];
    let blocks = [&first[..], &second, &third];
    let mut writer = WriterOptions::new().to(Vec::new()).unwrap();
    for values in blocks {
        values.iter().for_each(|value| writer.write(value).unwrap());
        writer.flush().unwrap();
    }
    let bytes = writer.finish().unwrap();
    let view = View::new(&bytes).unwrap();
    let ids = view.site("id").unwrap().column().unwrap();
    assert_eq!(ids.present(), Some(&[true, true, false, true][..]));
    assert_eq!(ids.values().as_slice::<i64>(), Some(&[1, 2, 7][..]));
    let names = view.site("name").unwrap().column().unwrap();
    assert_eq!(names.present(), Some(&[false, false, true, false][..]));
    assert_eq!(names.values().len(), 1);
}

#[test]
fn a_column_of_a_stream_reads_heads_and_that_column() {
    let values = users(20_000);
    let bytes = stream(WriterOptions::new().profile(Profile::Fast), &values, 2000);
    let counted = Counted::of(&bytes);
    let view = View::new(Bytes::reader(&counted).unwrap()).unwrap();
    let opened = counted.take();
    assert!(opened < bytes.len() / 20, "{opened} of {}", bytes.len());
    let scores = view.site("score").unwrap().column().unwrap();
    assert_eq!(scores.values().as_slice::<f64>().unwrap()[19_999], 19_999.0 / 4.0);
    let bytes_read = counted.take();
    assert!((160_000..172_000).contains(&bytes_read), "{bytes_read} of {}", bytes.len());
    // It has a tag and a city.
    view.root().row(10_505).unwrap();
    counted.take();
    assert_eq!(view.root().row(10_501).unwrap(), values[10_501]);
    let one = counted.take();
    assert!(one < 10_000, "{one} of {}", bytes.len());
}

#[test]
fn a_stream_without_its_end_is_read_up_to_the_partial_frame() {
    let values = users(100);
    let bytes = stream(WriterOptions::new(), &values, 10);
    let mut counts = std::collections::BTreeSet::new();
    for len in 0..bytes.len() {
        let whole = match View::new(&bytes[..len]) {
            Err(error) => {
                assert!(len < 16 || error.code() == Code::BadSync, "{len}: {error}");
                continue;
            }
            Ok(view) => view,
        };
        let count = whole.len().unwrap().unwrap();
        let read: Vec<Value> = Reader::new(&bytes[..len]).values().map_while(Result::ok).collect();
        assert_eq!(count, read.len() as u64, "{len}");
        if count > 0 {
            assert_eq!(whole.root().row(count - 1).unwrap(), values[count as usize - 1]);
        }
        counts.insert(count);
    }
    assert!(counts.len() > 9, "{counts:?}");
}

#[test]
fn a_changed_bit_of_a_block_is_found_where_blocks_are_checked() {
    let values = users(50);
    let bytes = stream(WriterOptions::new(), &values, 50);
    let mut chance = Chance::new(5);
    let mut found = 0;
    for _ in 0..3000 {
        let mut changed = bytes.clone();
        let at = chance.below(bytes.len());
        changed[at] ^= 1 << chance.below(8);
        let Ok(view) = View::new(&changed) else { continue };
        // Without the checks: an error or some value, no panic.
        let _ = view.root().row(7);
        for site in view.columns() {
            let _ = site.column();
        }
        let view = view.check_blocks(true);
        for number in 0..view.len().unwrap().unwrap().min(50) {
            match view.root().row(number) {
                Ok(value) => assert_eq!(value, values[number as usize], "byte {at}"),
                Err(error) => {
                    assert!(error.offset().is_some(), "{error}");
                    found += 1;
                }
            }
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn alignment_does_not_change_a_stream_s_values() {
    let values: Vec<Value> = (0..40)
        .map(|n: i64| Value::from((0..n).map(|m| m as f64 / 3.0).collect::<Vec<_>>()))
        .collect();
    for aligned in [Alignment::On, Alignment::Off] {
        let bytes = stream(WriterOptions::new().aligned(aligned), &values, 13);
        let view = View::new(&bytes).unwrap();
        let column = view.root().items().unwrap().column().unwrap();
        let all: Vec<f64> = (0..40).flat_map(|n| (0..n).map(|m| f64::from(m) / 3.0)).collect();
        assert_eq!(column.values().as_slice::<f64>(), Some(&all[..]));
        for (number, value) in values.iter().enumerate() {
            assert_eq!(view.root().row(number as u64).unwrap(), *value);
        }
    }
}
