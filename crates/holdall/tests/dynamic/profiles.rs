//! The profiles: each encoding is chosen for the data that it suits, and every profile gives the value back.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::vectors::{Form, valid};
use holdall::trace::locate_columns;
use holdall::{Encoder, Profile, Value, from_slice};
use proptest::collection::vec;
use proptest::prelude::*;

const PROFILES: [Profile; 3] = [Profile::Fast, Profile::Balanced, Profile::Small];

fn written(value: &Value, profile: Profile) -> Vec<u8> {
    Encoder::new().profile(profile).message(&mut &*value).unwrap()
}

/// The encoding byte of the last column that has one.
fn encoding(value: &Value, profile: Profile) -> u8 {
    let bytes = written(value, profile);
    assert_eq!(&from_slice::<Value>(&bytes).unwrap(), value);
    let columns = locate_columns(&bytes).unwrap();
    columns.iter().rev().find_map(|column| column.place.encoding).unwrap()
}

/// Unordered numbers, the same in every run.
fn noise(count: usize) -> impl Iterator<Item = u64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
    .take(count)
}

/// Numbers that are each near the previous one.
fn walk(count: usize) -> impl Iterator<Item = i64> {
    noise(count).scan(0, |sum, n| {
        *sum += (n % 100) as i64 - 50;
        Some(*sum)
    })
}

fn ints(values: impl IntoIterator<Item = i64>) -> Value {
    Value::list(values.into_iter().map(Value::Int))
}

fn floats(values: impl IntoIterator<Item = f64>) -> Value {
    Value::list(values.into_iter().map(Value::F64))
}

#[test]
fn many_values_use_every_encoding() {
    let mut chosen = BTreeSet::new();
    for vector in valid().iter().filter(|vector| vector.input.form == Form::Message) {
        // Without those of an unknown schema or type.
        let Ok(value) = from_slice::<Value>(&vector.input.bytes) else { continue };
        for profile in PROFILES {
            let Ok(bytes) = Encoder::new().profile(profile).message(&mut &value) else { continue };
            let columns = locate_columns(&bytes).unwrap();
            chosen.extend(columns.iter().filter_map(|column| column.place.encoding));
        }
    }
    let frames = |from: u8| (from..=from + 0x40).any(|byte| chosen.contains(&byte));
    assert!(frames(0x00) && frames(0x80), "{chosen:02X?}");
    // Bins need more rows than these values have.
    let others = [0x41, 0x42, 0x44, 0x45, 0x50, 0x51, 0x52, 0x58, 0x59, 0x5B, 0x5C];
    let others = others.into_iter().chain([0x60, 0x61, 0x62, 0x70]);
    let missing: Vec<u8> = others.filter(|byte| !chosen.contains(byte)).collect();
    assert!(missing.is_empty(), "never chosen: {missing:02X?}");
}

#[test]
fn each_encoding_is_chosen_where_it_is_the_smallest() {
    let big = Value::from(u64::MAX);
    let words = ["red", "green", "blue", "a rather long word that is repeated"];
    let samples: [(u8, Profile, Value); 23] = [
        (0x07, Profile::Fast, ints(noise(50).map(|n| (n % 100) as i64))),
        (0x83, Profile::Fast, ints(noise(50).map(|n| 1000 + (n % 8) as i64))),
        (0x44, Profile::Fast, Value::list([big, Value::from(1), Value::from(2), Value::from(3)])),
        (0x41, Profile::Balanced, ints((0..100).map(|n| n * n))),
        (0x41, Profile::Small, ints((0..40).map(|n| n * n))),
        (0x41, Profile::Small, ints(walk(2000))),
        (0x42, Profile::Balanced, ints(noise(50).map(|n| 7 + 1000 * (n % 500) as i64))),
        (0x42, Profile::Small, ints(noise(50).map(|n| 7 + 1000 * (n % 500) as i64))),
        (0x45, Profile::Balanced, ints(noise(50).map(|n| (n >> (n % 64)) as i64))),
        (0x45, Profile::Small, ints(noise(50).map(|n| (n >> (n % 64)) as i64))),
        (0x46, Profile::Small, ints(noise(2000).map(|n| (n % 300).pow(3) as i64))),
        (0x50, Profile::Fast, Value::from(vec![false; 9])),
        (0x51, Profile::Fast, Value::from(vec![true; 9])),
        (0x52, Profile::Fast, Value::list(noise(20).map(|n| Value::Bool(n % 2 == 0)))),
        (0x58, Profile::Fast, floats([1.0, 2.0, 3.0, 4.5])),
        (0x59, Profile::Fast, floats([0.1; 5])),
        (0x5B, Profile::Balanced, floats(noise(30).map(|n| (n % 10_000) as f64 / 100.0))),
        (0x5B, Profile::Small, floats(noise(30).map(|n| (n % 10_000) as f64 / 100.0))),
        (0x5C, Profile::Small, floats(noise(30).map(|n| f64::from(f32::from_bits(n as u32 >> 2))))),
        (0x5C, Profile::Small, floats(noise(30).map(|n| f64::from_bits(n >> 12 | 0x3FF << 52)))),
        (
            0x61,
            Profile::Balanced,
            Value::list(noise(40).map(|n| Value::from(words[n as usize % 4]))),
        ),
        (
            0x62,
            Profile::Small,
            Value::list((0..60).map(|n| Value::from(format!("number {n} of the list")))),
        ),
        (
            0x70,
            Profile::Small,
            Value::list((0..60_u8).map(|n| {
                let letter = |n: u8| char::from(b'a' + n % 26);
                Value::from(format!("word {}{} of the list", letter(n), letter(n / 26)))
            })),
        ),
    ];
    let mut wrong = BTreeMap::new();
    for (expected, profile, value) in &samples {
        let got = encoding(value, *profile);
        if got != *expected {
            wrong.insert(expected, format!("{profile:?} chose {got:02X}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:02X?}");
}

#[test]
fn profile_small_compresses_a_few_large_texts_and_bytes() {
    let sentence = "what is said again and again takes no room. ";
    let text = |count: usize| Value::from(sentence.repeat(count));
    let bytes = Value::Bytes(sentence.repeat(3000).into_bytes());
    let samples = [
        text(3000),
        bytes.clone(),
        Value::list([text(1), text(3000), text(0)]),
        Value::record([("a", text(3000)), ("b", bytes), ("c", Value::Int(7))]),
    ];
    for value in &samples {
        let fast = written(value, Profile::Fast);
        let small = written(value, Profile::Small);
        assert!(100 * small.len() < fast.len(), "{} of {}", small.len(), fast.len());
        assert_eq!(&from_slice::<Value>(&small).unwrap(), value);
    }
    // Data that do not become smaller are written as in profile fast.
    let random: Vec<u8> = noise(1000).flat_map(u64::to_le_bytes).collect();
    for value in [text(1), Value::Bytes(random)] {
        assert_eq!(written(&value, Profile::Small), written(&value, Profile::Fast));
    }
}

#[test]
fn each_profile_is_at_most_as_large_as_the_one_before() {
    let rows = (0..2000).map(|n| {
        Value::record([
            ("id", Value::from(1_000_000 + 3 * n)),
            ("name", Value::from(["Ada", "Grace", "Edsger"][n as usize % 3])),
            ("score", Value::from(f64::from(n % 700) / 10.0)),
        ])
    });
    let value = Value::list(rows);
    let [fast, balanced, small] = PROFILES.map(|profile| written(&value, profile).len());
    assert!(small < balanced && balanced < fast, "{small} {balanced} {fast}");
}

/// Columns of one kind, with contents of all kinds.
fn columns() -> impl Strategy<Value = Value> {
    let int = prop_oneof![
        4 => -3_i64..200,
        1 => any::<i64>(),
        1 => prop::sample::select(vec![i64::MIN, i64::MAX, 0]),
    ];
    let float = prop_oneof![
        2 => any::<f64>(),
        2 => (-9999_i32..9999).prop_map(|n| f64::from(n) / 100.0),
        2 => any::<f32>().prop_map(f64::from),
        1 => any::<u64>().prop_map(f64::from_bits),
        1 => prop::sample::select(vec![0.0, -0.0, f64::INFINITY, 1e22, 5e-324]),
    ];
    prop_oneof![
        vec(int.clone(), 0..400).prop_map(ints),
        vec(int, 0..400).prop_map(|mut values| {
            values.sort_unstable();
            ints(values)
        }),
        // Of all widths in bits.
        vec((any::<i64>(), 0..64), 0..400)
            .prop_map(|rows| ints(rows.into_iter().map(|(n, bits)| n >> bits))),
        vec((any::<u64>(), 0..64), 0..400)
            .prop_map(|rows| Value::list(rows.into_iter().map(|(n, bits)| Value::U64(n >> bits)))),
        vec((any::<i32>(), 0..32), 0..400)
            .prop_map(|rows| Value::list(rows.into_iter().map(|(n, bits)| Value::I32(n >> bits)))),
        // Multiples of a number, plus another.
        (vec(-500_i64..500, 0..400), any::<i32>(), any::<i64>()).prop_map(|(rows, scale, base)| {
            ints(rows.into_iter().map(|row| base.wrapping_add(row * i64::from(scale))))
        }),
        // Near each other.
        vec(-90_i64..90, 0..3000).prop_map(|steps| ints(steps.into_iter().scan(0, |sum, step| {
            *sum += step;
            Some(*sum)
        }))),
        vec((-5_i64..5, 1..40_usize), 0..40).prop_map(|runs| ints(
            runs.into_iter().flat_map(|(n, len)| std::iter::repeat_n(n, len))
        )),
        vec(float, 0..400).prop_map(floats),
        vec(any::<u32>(), 0..400).prop_map(|bits| Value::list(
            bits.into_iter().map(|bits| Value::F32(f32::from_bits(bits)))
        )),
        vec("[a-c]{0,3}|.{0,9}", 0..400).prop_map(Value::from),
        vec(any::<bool>(), 0..4000).prop_map(Value::from),
        vec(any::<u128>(), 0..60).prop_map(|values| {
            Value::list(values.into_iter().map(|n| Value::U128(Box::new(n))))
        }),
    ]
}

proptest! {
    #[test]
    fn every_profile_preserves_the_value(value in columns()) {
        for profile in PROFILES {
            let bytes = written(&value, profile);
            prop_assert_eq!(&from_slice::<Value>(&bytes).unwrap(), &value);
            prop_assert_eq!(written(&value, profile), bytes);
        }
    }
}
