//! What the default settings write, they read, however few bytes describe however many rows (F-95).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::common::chance::are_all_rounds;
use holdall::{
    Alignment, Code, Decode, Decoder, Encode, Encoder, Header, Limits, Profile, Reader, Value,
    ValueBuilder, Writer, WriterOptions, from_slice, to_vec,
};

/// This many rows of a site take more than 2^26 units, the minimum of the default budget.
pub(crate) const BEYOND_BUDGET: usize = 10_000_000;
/// The same for a site inside others.
const NESTED_BEYOND_BUDGET: usize = BEYOND_BUDGET / 2;

/// A longer message has a default budget above the minimum.
const MAX_WITH_LEAST_BUDGET: usize = (1 << 26) / 1000;

/// The filler is as short as the default budget allows.
#[track_caller]
fn check_filler(bytes: &[u8], read: impl Fn(&[u8], Limits) -> Option<Code>) {
    assert_eq!(read(bytes, Limits::new()), None);
    let fewer = &bytes[..bytes.len() - 1];
    if bytes.len() > MAX_WITH_LEAST_BUDGET && bytes.ends_with(&[0; 16]) {
        assert_eq!(read(fewer, Limits::new()), Some(Code::LimitBudget));
        // Zero bytes are not part of the block, which can have any number of them.
        assert_eq!(read(fewer, Limits::new().budget(u64::MAX)), None);
        assert_eq!(read(&[bytes, &[0; 7]].concat(), Limits::new()), None);
        let other = [bytes, &[0, 1]].concat();
        assert_eq!(read(&other, Limits::new()), Some(Code::TrailingBytes));
    }
}

pub(crate) fn decode<T: for<'de> Decode<'de> + PartialEq>(
    value: &T,
    bytes: &[u8],
    limits: Limits,
) -> Option<Code> {
    match Decoder::new().limits(limits).decode::<T>(bytes) {
        Ok(own) => {
            assert!(own == *value);
            None
        }
        Err(error) => Some(error.code()),
    }
}

pub(crate) fn is_soak() -> bool {
    std::env::var_os("HOLDALL_SOAK").is_some()
}

/// A value written with the default settings is read by them.
#[track_caller]
pub(crate) fn law<T: Encode + for<'de> Decode<'de> + PartialEq>(value: &T) {
    if is_soak() {
        return law_in_all_ways(value);
    }
    law_once(value);
}

/// The same for values too large to keep more than two in memory.
#[track_caller]
pub(crate) fn law_once<T: Encode + for<'de> Decode<'de> + PartialEq>(value: &T) {
    assert_eq!(decode(value, &to_vec(value).unwrap(), Limits::new()), None);
}

/// The same in profile balanced: each row of a dictionary is charged with its full text.
#[track_caller]
fn law_balanced<T: Encode + for<'de> Decode<'de> + PartialEq>(value: &T) {
    let bytes = Encoder::new().profile(Profile::Balanced).encode(value).unwrap();
    assert!(bytes.len() > MAX_WITH_LEAST_BUDGET && bytes.ends_with(&[0; 16]), "it has a filler");
    assert_eq!(decode(value, &bytes, Limits::new()), None);
}

/// The same for all ways to write it.
#[track_caller]
fn law_in_all_ways<T: Encode + for<'de> Decode<'de> + PartialEq>(value: &T) {
    let plain = to_vec(value).unwrap();
    check_filler(&plain, |bytes, limits| decode(value, bytes, limits));
    let balanced = Encoder::new().profile(Profile::Balanced);
    let whole = Encoder::new().checksum(true).aligned(Alignment::On);
    for mut encoder in [balanced, Encoder::new().length(true), whole] {
        let bytes = encoder.encode(value).unwrap();
        assert_eq!(decode(value, &bytes, Limits::new()), None);
        // A few bytes more, for the length and the alignment.
        assert!(bytes.len() <= plain.len().max(MAX_WITH_LEAST_BUDGET) + 128);
    }
    let body = Encoder::new().header(Header::Bare).encode(value).unwrap();
    check_filler(&body, |bytes, limits| {
        Decoder::new().limits(limits).decode_body::<T>(bytes).err().map(|error| error.code())
    });
    let mut stream = Writer::new(Vec::new()).unwrap();
    stream.write(value).unwrap();
    stream.write(value).unwrap();
    let stream = stream.finish().unwrap();
    let mut reader = Reader::new(&stream[..]);
    let mut values = reader.values::<T>();
    assert!(values.next().unwrap().unwrap() == *value && values.next().unwrap().unwrap() == *value);
}

#[derive(Encode, Decode, Clone, Debug, PartialEq)]
struct Empty {}

#[derive(Encode, Decode, Clone, Debug, PartialEq)]
#[holdall(packed)]
struct Pair {
    a: u8,
    b: [bool; 2],
}

#[derive(Encode, Decode, Clone, Debug, PartialEq)]
enum Choice {
    One,
    Two(u32),
}

#[derive(Encode, Decode, Clone, Debug, PartialEq)]
struct Chain {
    next: Option<Box<Chain>>,
}

#[test]
fn rows_without_bytes_are_read() {
    law_in_all_ways(&vec![(); BEYOND_BUDGET]);
    law(&vec![Empty {}; BEYOND_BUDGET]);
    let mixed = (7_u8, vec![((), "text".to_owned()); 10], vec![[(); 3]; NESTED_BEYOND_BUDGET]);
    if are_all_rounds() {
        law_in_all_ways(&mixed);
    } else {
        law(&mixed);
    }
    law(&vec![[(); 3]; NESTED_BEYOND_BUDGET]);
    law(&[vec![(); NESTED_BEYOND_BUDGET], vec![(); NESTED_BEYOND_BUDGET]]);
    law(&(vec![(); NESTED_BEYOND_BUDGET], vec![((), ()); NESTED_BEYOND_BUDGET], 7_u8));
}

#[test]
fn equal_scalars_are_read() {
    law(&vec![true; BEYOND_BUDGET]);
    law(&vec![7_u8; BEYOND_BUDGET]);
    law(&vec![-1_i16; BEYOND_BUDGET]);
    law(&vec![0.5_f64; BEYOND_BUDGET]);
}

#[test]
fn equal_texts_are_read() {
    law(&vec![String::new(); BEYOND_BUDGET]);
    law_balanced(&vec!["a text of 24 characters.".repeat(100); BEYOND_BUDGET / 300]);
}

#[test]
fn sorted_numbers_are_read() {
    law(&(0..BEYOND_BUDGET as u64).collect::<Vec<_>>());
}

#[test]
fn equal_options_and_variants_are_read() {
    law(&vec![None::<u64>; BEYOND_BUDGET]);
    law(&vec![Choice::One; BEYOND_BUDGET]);
    law(&vec![Choice::Two(1); NESTED_BEYOND_BUDGET]);
    if is_soak() {
        law(&vec![Some(3_u16); NESTED_BEYOND_BUDGET]);
    }
}

#[test]
fn empty_containers_are_read() {
    law(&vec![Vec::<u8>::new(); BEYOND_BUDGET]);
    law(&vec![((), (), BTreeMap::<u8, String>::new()); BEYOND_BUDGET / 4]);
    if is_soak() {
        law(&vec![((), BTreeSet::<u8>::new()); NESTED_BEYOND_BUDGET]);
        law(&vec![vec![9_u8]; NESTED_BEYOND_BUDGET]);
    }
}

#[test]
fn packed_rows_and_arrays_are_read() {
    law(&vec![Pair { a: 1, b: [true, false] }; 3_000_000]);
    law(&vec![[1_u8; 4]; 3_000_000]);
}

#[test]
fn definitions_are_read() {
    law(&vec![Chain { next: None }; NESTED_BEYOND_BUDGET]);
    let one = Rc::new(5_u8);
    law(&vec![one; BEYOND_BUDGET / 3]);
}

#[test]
fn many_small_lists_make_one_large_message() {
    law(&vec![vec![vec![0_u8; 100]; 100]; 1000]);
}

#[test]
fn values_without_a_type_are_read() {
    let value = Value::list(vec![Value::Null; BEYOND_BUDGET]);
    let bytes = to_vec(&value).unwrap();
    assert_eq!(decode(&value, &bytes, Limits::new()), None);
    drop(value);
    // It is the message of units, which take no memory.
    let units = vec![(); BEYOND_BUDGET];
    check_filler(&bytes, |bytes, limits| decode(&units, bytes, limits));
    if is_soak() {
        law_once(&Value::list(vec![7.into(); BEYOND_BUDGET]));
        law_once(&Value::list(vec![Value::list([]); BEYOND_BUDGET]));
        law_once(&Value::list(vec![Value::record([("a", Value::Null)]); BEYOND_BUDGET]));
    }
}

#[test]
fn values_without_a_type_are_read_in_all_ways() {
    // A dictionary takes less time than as many rows.
    let text = Value::from("a text of 24 characters.".repeat(1000));
    let row = |number: u64| Value::record([("a", number.into()), ("b", text.clone())]);
    let value = Value::list((0..BEYOND_BUDGET as u64 / 3000).map(row));
    law_balanced(&value);
    let balanced = || Encoder::new().profile(Profile::Balanced);
    for mut encoder in [balanced().checksum(true), Encoder::new().profile(Profile::Small)] {
        let bytes = encoder.message(&mut &value).unwrap();
        assert_eq!(decode(&value, &bytes, Limits::new()), None);
        let pieces = encoder.take(&mut &value).unwrap().pieces().unwrap();
        assert_eq!(pieces.iter().collect::<Vec<_>>().concat(), bytes);
    }
    let part = balanced().body(&mut &value).unwrap();
    assert!(part.bytes.ends_with(&[0; 16]));
    let mut builder = ValueBuilder::new();
    Decoder::new().body(&part.schema.unwrap(), &part.bytes, &mut builder).unwrap();
    assert!(builder.finish().unwrap() == value);
    let options = WriterOptions::new().profile(Profile::Balanced);
    let mut stream = options.to(Vec::new()).unwrap();
    stream.write(&value).unwrap();
    let stream = stream.finish().unwrap();
    assert!(stream.len() > MAX_WITH_LEAST_BUDGET && stream.len() < 1_000_000);
    assert!(Reader::new(&stream[..]).values::<Value>().next().unwrap().unwrap() == value);
}

#[test]
fn a_large_payload_next_to_many_rows_stays_in_place() {
    let floats: Vec<f64> = (0..9000).map(f64::from).collect();
    let text = Value::from("b".repeat(10_000));
    let value = Value::list([Value::list(vec![text; 9000]), Value::from(floats)]);
    let balanced = || Encoder::new().profile(Profile::Balanced);
    let bytes = balanced().message(&mut &value).unwrap();
    assert!(bytes.len() > 9000 * 10 + 10 && bytes.ends_with(&[0; 100]), "it has a filler");
    assert!(from_slice::<Value>(&bytes).unwrap() == value);
    let pieces = balanced().take(&mut &value).unwrap().pieces().unwrap();
    assert_eq!(pieces.iter().collect::<Vec<_>>().concat(), bytes);
}

#[test]
fn a_block_ends_before_values_without_bytes_are_too_many() {
    let mut stream = Writer::new(Vec::new()).unwrap();
    for _ in 0..BEYOND_BUDGET {
        stream.write(&()).unwrap();
    }
    assert_eq!(stream.blocks(), 1);
    let stream = stream.finish().unwrap();
    assert!(stream.len() < 1000);
    assert_eq!(
        Reader::new(&stream[..]).values::<()>().filter(Result::is_ok).count(),
        BEYOND_BUDGET
    );
    // If the caller wants them in one block, that block has a filler.
    let mut stream = WriterOptions::new().block_bytes(1 << 30).to(Vec::new()).unwrap();
    for _ in 0..BEYOND_BUDGET {
        stream.write(&()).unwrap();
    }
    assert_eq!(stream.blocks(), 0);
    let stream = stream.finish().unwrap();
    assert!(stream.len() > MAX_WITH_LEAST_BUDGET);
    assert_eq!(
        Reader::new(&stream[..]).values::<()>().filter(Result::is_ok).count(),
        BEYOND_BUDGET
    );
}

#[test]
fn a_filler_counts_as_output() {
    let (value, limits) = (vec![(); BEYOND_BUDGET], Limits::new().output(1000));
    let error = Encoder::new().limits(limits).encode(&value).unwrap_err();
    assert_eq!(error.code(), Code::LimitOutput);
}

#[test]
fn small_messages_have_no_filler() {
    // Together with the list itself, exactly 2^26 units.
    assert!(to_vec(&vec![(); (1 << 23) - 1]).unwrap().len() < 20);
    assert!(to_vec(&vec![0_u8; (1 << 23) - 1]).unwrap().len() < 20);
    assert!(to_vec(&vec![0_u8; 1 << 23]).unwrap().len() > MAX_WITH_LEAST_BUDGET);
    assert!(to_vec(&vec![(); 1 << 23]).unwrap().len() > MAX_WITH_LEAST_BUDGET);
}

/// A hundred million rows, in a sample 30; more memory than an everyday test may take, except for rows of no size.
#[test]
fn a_hundred_million_rows_are_read() {
    const HUGE: usize = 100_000_000;
    let huge = if are_all_rounds() { HUGE } else { 3 * BEYOND_BUDGET };
    law(&vec![(); huge]);
    law(&vec![Empty {}; huge]);
    if is_soak() {
        law_once(&vec![0_u8; HUGE]);
        law_once(&vec![true; HUGE]);
        law_once(&vec![None::<u8>; HUGE]);
        law_once(&vec![0_u64; HUGE]);
        law_once(&vec![String::new(); HUGE]);
        law_once(&vec![Vec::<()>::new(); HUGE]);
        law_once(&vec![Pair { a: 1, b: [true, false] }; HUGE]);
        law(&vec![1_u128; BEYOND_BUDGET]);
        let one = Rc::new(5_u8);
        law(&vec![one; BEYOND_BUDGET]);
    }
}
