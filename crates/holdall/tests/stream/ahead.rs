//! Values that are decoded ahead are those that are decoded in turn, and so are errors.

use holdall::{Decode, OnDamage, Reader, Result, WriterOptions};

use super::samples::{Reading, ids, stream};

type Read = (Vec<Reading>, Vec<String>, Vec<String>);

/// Returns the values, the errors in between, and the skipped damage by its place.
fn read(bytes: &[u8], on_damage: OnDamage, threads: Option<usize>) -> Read {
    let mut reader = Reader::new(bytes).whole(true).on_damage(on_damage);
    let all: Vec<Result<Reading>> = match threads {
        None => reader.values().collect(),
        Some(threads) => reader.values_ahead(threads).collect(),
    };
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
        let (values, errors, _) = read(&bytes, OnDamage::Error, Some(threads));
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
            assert_eq!(read(&bytes, on_damage, Some(2)), read(&bytes, on_damage, None));
        }
    }
}

#[test]
fn reading_goes_on_after_the_first_values() {
    let bytes = stream(30, 10);
    let mut reader = Reader::new(&bytes[..]);
    let first: Vec<Reading> = reader.values_ahead(2).take(3).collect::<Result<_>>().unwrap();
    assert_eq!(ids(&first), [0, 1, 2]);
    // What was read ahead is lost with the iterator.
    assert_eq!(reader.values_ahead::<Reading>(2).count(), 0);
}

/// Panics for one number.
#[derive(Debug, Decode)]
#[holdall(from = "u64")]
struct Fragile(u64);

impl From<u64> for Fragile {
    fn from(number: u64) -> Fragile {
        assert_ne!(number, 21);
        Fragile(number)
    }
}

#[test]
fn a_panic_of_a_thread_is_a_panic_of_the_reader() {
    let mut writer = WriterOptions::new().block_values(10).to(Vec::new()).unwrap();
    (0..40).try_for_each(|number: u64| writer.write(&number)).unwrap();
    let bytes = writer.finish().unwrap();
    let mut reader = Reader::new(&bytes[..]);
    let mut values = reader.values_ahead::<Fragile>(2);
    for number in 0..20 {
        assert_eq!(values.next().unwrap().unwrap().0, number);
    }
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| values.next()));
    assert!(caught.is_err());
}
