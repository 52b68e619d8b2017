//! Values of blocks that are read ahead are those of blocks read in turn, and so are errors.

use holdall::{OnDamage, Reader, Result, Value};

use super::samples::{Reading, ids, stream};

type Read = (Vec<Reading>, Vec<String>, Vec<String>);

/// Returns the values, the errors in between, and the skipped damage by its place.
fn read(bytes: &[u8], on_damage: OnDamage, threads: usize) -> Read {
    let mut reader = Reader::new(bytes).whole(true).on_damage(on_damage).threads(threads);
    let all: Vec<Result<Reading>> = reader.values().collect();
    let mut damage: Vec<String> = reader.damage().iter().map(|own| format!("{own:?}")).collect();
    // Found ahead of the blocks before it.
    damage.sort_unstable();
    let errors = all.iter().filter_map(|value| value.as_ref().err().map(ToString::to_string));
    let errors = errors.collect();
    (all.into_iter().filter_map(Result::ok).collect(), errors, damage)
}

#[test]
fn values_come_in_the_order_of_the_stream() {
    let bytes = stream(1000, 7);
    for threads in [0, 1, 2, 5] {
        let (values, errors, _) = read(&bytes, OnDamage::Error, threads);
        assert!(errors.is_empty());
        assert!(ids(&values).into_iter().eq(0..1000));
    }
}

#[test]
fn damage_is_that_of_reading_in_turn() {
    let bytes = stream(20, 3);
    let mut damaged: Vec<Vec<u8>> = (0..bytes.len()).map(|len| bytes[..len].to_vec()).collect();
    damaged.extend((0..bytes.len()).map(|at| {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        changed
    }));
    for bytes in damaged {
        for on_damage in [OnDamage::Error, OnDamage::Skip] {
            assert_eq!(read(&bytes, on_damage, 3), read(&bytes, on_damage, 1));
        }
    }
}

#[test]
fn what_was_read_ahead_stays_in_the_reader() {
    let bytes = stream(50, 10);
    let mut reader = Reader::new(&bytes[..]).threads(2);
    assert_eq!(reader.position(), 0);
    let first: Vec<Reading> = reader.values().take(10).collect::<Result<_>>().unwrap();
    assert!(ids(&first).into_iter().eq(0..10));
    assert_eq!((reader.position(), reader.is_finished()), (10, false));
    let block = reader.next_block().unwrap().unwrap();
    assert_eq!((block.first(), block.len(), reader.position()), (10, 10, 20));
    let rest: Vec<Reading> = reader.values().collect::<Result<_>>().unwrap();
    assert!(ids(&rest).into_iter().eq(20..50));
    assert_eq!((reader.position(), reader.is_finished()), (50, true));
}

#[test]
fn a_block_gives_its_values_as_often_as_they_are_asked_for() {
    let bytes = stream(20, 10);
    let mut reader = Reader::new(&bytes[..]).threads(3);
    while let Some(block) = reader.next_block().unwrap() {
        let copy = block.clone();
        block.check().unwrap();
        let values = block.decode::<Value>().unwrap();
        assert_eq!((values.len(), copy.decode::<Value>().unwrap()), (10, values));
        assert_eq!(block.decode::<Reading>().unwrap(), copy.decode::<Reading>().unwrap());
    }
}

#[test]
fn moving_to_a_value_forgets_what_was_read_ahead() {
    let bytes = stream(100, 10);
    let mut reader = Reader::new(std::io::Cursor::new(bytes)).threads(2);
    assert_eq!(reader.next_block().unwrap().unwrap().first(), 0);
    for number in [75, 0, 99] {
        reader.go_to(number).unwrap();
        assert_eq!(reader.position(), number);
        let rest: Vec<Reading> = reader.values().collect::<Result<_>>().unwrap();
        assert!(ids(&rest).into_iter().eq(number..100));
    }
}
