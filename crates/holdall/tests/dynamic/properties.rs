//! Laws of every value.

use std::sync::Arc;

use crate::common::chance::rounds;
use crate::common::make::{ELEMENTS, array, big, extension, later, logical, logical_leaf, tensor};
use crate::common::{hex, tagged::TaggedSink};
use holdall::value::{Record, Struct, Variant};
use holdall::{
    BigInt, Decoder, Encoder, Header, Limits, LogicalType, Result, Schema, Value, ValueBuilder,
    bf16, f16, from_slice, to_vec,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::Union;

/// Words of any size; small ones and the ends of ranges are as frequent as others.
fn words() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => (any::<u64>(), 0_u32..64).prop_map(|(word, shift)| word >> shift),
        1 => (0_u32..64, -2_i64..3).prop_map(|(bit, by)| (1_u64 << bit).wrapping_add_signed(by)),
        1 => (0_u32..64, -2_i64..3).prop_map(|(bit, by)| (1_u64 << bit).wrapping_add_signed(by).wrapping_neg()),
    ]
}

fn wide_words() -> impl Strategy<Value = u128> {
    prop_oneof![
        words().prop_map(u128::from),
        (words(), words()).prop_map(|(high, low)| u128::from(high) << 64 | u128::from(low)),
        (0_u32..128, 0_u128..3).prop_map(|(bit, by)| (1_u128 << bit).wrapping_sub(by)),
    ]
}

/// An integer from its two's complement bytes.
fn integer(bytes: &[u8]) -> Value {
    match BigInt::from_le_bytes(bytes) {
        Some(big) => Value::BigInt(big),
        None => {
            let mut word =
                if bytes.last().is_some_and(|last| last & 0x80 != 0) { [0xFF; 8] } else { [0; 8] };
            let len = bytes.len().min(8);
            word[..len].copy_from_slice(&bytes[..len]);
            Value::Int(i64::from_le_bytes(word))
        }
    }
}

fn strings() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{0,2}", "\\PC{0,12}", vec(any::<char>(), 0..12).prop_map(String::from_iter)]
}

/// One strategy for each type of scalar, null first.
fn scalar_types() -> Vec<BoxedStrategy<Value>> {
    vec![
        Just(Value::Null).boxed(),
        any::<bool>().prop_map(Value::Bool).boxed(),
        words().prop_map(|word| Value::Int(word.cast_signed())).boxed(),
        vec(any::<u8>(), 0..24).prop_map(|bytes| integer(&bytes)).boxed(),
        wide_words().prop_map(|word| integer(&word.to_le_bytes())).boxed(),
        words().prop_map(|word| Value::U8(word as u8)).boxed(),
        words().prop_map(|word| Value::U16(word as u16)).boxed(),
        words().prop_map(|word| Value::U32(word as u32)).boxed(),
        words().prop_map(Value::U64).boxed(),
        wide_words().prop_map(|word| Value::U128(Box::new(word))).boxed(),
        words().prop_map(|word| Value::I8(word as i8)).boxed(),
        words().prop_map(|word| Value::I16(word as i16)).boxed(),
        words().prop_map(|word| Value::I32(word as i32)).boxed(),
        words().prop_map(|word| Value::I64(word.cast_signed())).boxed(),
        wide_words().prop_map(|word| Value::I128(Box::new(word.cast_signed()))).boxed(),
        any::<u16>().prop_map(|bits| Value::F16(f16::from_bits(bits))).boxed(),
        any::<u16>().prop_map(|bits| Value::Bf16(bf16::from_bits(bits))).boxed(),
        any::<u32>().prop_map(|bits| Value::F32(f32::from_bits(bits))).boxed(),
        any::<u64>().prop_map(|bits| Value::F64(f64::from_bits(bits))).boxed(),
        // NaNs with payloads, and zeros and infinities of both signs.
        (0_u64..4, any::<bool>(), 0_u64..2048)
            .prop_map(|(low, sign, exponent)| {
                Value::F64(f64::from_bits(low | u64::from(sign) << 63 | exponent << 52))
            })
            .boxed(),
        strings().prop_map(Value::String).boxed(),
        vec(any::<u8>(), 0..12).prop_map(Value::Bytes).boxed(),
        vec(any::<u8>(), 3).prop_map(Value::Fixed).boxed(),
        vec(any::<u8>(), 0..4).prop_map(Value::Fixed).boxed(),
    ]
}

fn tensors() -> impl Strategy<Value = Value> {
    let dtype = prop_oneof![Just("u8"), proptest::sample::select(ELEMENTS)];
    (dtype, vec(0_u64..4, 0..4), vec(any::<u8>(), 64)).prop_map(|(dtype, shape, bytes)| {
        let mut bytes = bytes.into_iter().cycle();
        tensor(dtype, &shape, || bytes.next().unwrap())
    })
}

fn scalars() -> impl Strategy<Value = Value> {
    Union::new(scalar_types())
}

/// Keeps the first entry of each key.
fn distinct<K: PartialEq, V>(entries: Vec<(K, V)>) -> Vec<(K, V)> {
    let mut kept: Vec<(K, V)> = Vec::new();
    for (key, value) in entries {
        if kept.iter().all(|(own, _)| *own != key) {
            kept.push((key, value));
        }
    }
    kept
}

fn distinct_values(values: Vec<Value>) -> impl Iterator<Item = Value> {
    distinct(values.into_iter().map(|value| (value, ())).collect()).into_iter().map(|(key, ())| key)
}

fn fields(entries: Vec<(String, Value)>) -> Record {
    distinct(entries).into_iter().map(|(key, value)| (Arc::from(key), value)).collect()
}

/// Values of all kinds, a few levels deep, with names that often repeat.
pub fn values() -> impl Strategy<Value = Value> {
    // Scalars of a few types test as much as those of all: their columns then have more than three rows.
    let leaf =
        prop_oneof![2 => (0_i64..5).prop_map(Value::Int), 1 => Just(Value::Null), 3 => scalars()];
    let name = || prop_oneof![5 => "[a-c]", 1 => strings()];
    leaf.prop_recursive(6, 120, 8, move |inner| {
        let entries = || vec((name(), inner.clone()), 0..5);
        prop_oneof![
            3 => vec(inner.clone(), 0..10).prop_map(Value::list),
            1 => vec(inner.clone(), 0..12).prop_map(Value::tuple),
            1 => vec(inner.clone(), 0..4).prop_map(array),
            1 => tensors(),
            1 => (0_usize..21, 0_i64..8).prop_map(|(kind, number)| logical_leaf(kind, number)),
            1 => (LogicalType::SET..=LogicalType::FROZEN_SET, vec(inner.clone(), 0..6))
                .prop_map(|(kind, members)| logical(kind, Value::list(distinct_values(members)))),
            1 => vec(inner.clone(), 0..=8)
                .prop_map(|items| logical(LogicalType::LONG_TUPLE, Value::list(items))),
            1 => entries().prop_map(|entries| {
                logical(LogicalType::ORDERED_MAP, Value::Record(fields(entries)))
            }),
            1 => vec((scalars(), inner.clone()), 0..5)
                .prop_map(|entries| logical(LogicalType::ORDERED_MAP, Value::map(distinct(entries)))),
            1 => inner.clone().prop_map(later),
            1 => (name(), inner.clone()).prop_map(|(name, value)| extension(&name, value)),
            3 => entries().prop_map(|entries| Value::Record(fields(entries))),
            2 => (name(), entries())
                .prop_map(|(name, entries)| Value::Struct(Struct::new(name, fields(entries)))),
            2 => (name(), inner.clone())
                .prop_map(|(name, value)| Value::Variant(Variant::new(name, value))),
            1 => vec((scalars(), inner.clone()), 0..5)
                .prop_map(|entries| Value::map(distinct(entries))),
            1 => vec((inner.clone(), inner.clone()), 0..4)
                .prop_map(|entries| Value::map(distinct(entries))),
        ]
    })
}

/// So few different values that two of them are often equal.
pub fn few_values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (0_i64..2).prop_map(Value::Int),
        Just(Value::F64(-0.0)),
        Just(Value::F64(0.0)),
        Just(Value::Fixed(Vec::new())),
        Just(Value::Bytes(Vec::new())),
        (0_u64..2, 0_u8..2).prop_map(|(len, byte)| tensor("u8", &[len], || byte)),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..2).prop_map(Value::list),
            vec(inner.clone(), 0..2).prop_map(Value::tuple),
            vec(inner.clone(), 0..2).prop_map(array),
            inner.clone().prop_map(later),
            ("[ab]", inner.clone()).prop_map(|(name, value)| extension(&name, value)),
            vec(("[ab]", inner.clone()), 0..3).prop_map(|entries| Value::Record(fields(entries))),
            vec(("[ab]", inner.clone()), 0..3).prop_map(|entries| {
                Value::map(
                    distinct(entries).into_iter().map(|(key, value)| (Value::String(key), value)),
                )
            }),
        ]
    })
}

/// Values of one form, like the messages of one program: the next one often has the same schema as the previous one,
/// and often nearly the same.
pub fn alike_values() -> impl Strategy<Value = Value> {
    let leaf = || prop_oneof![4 => (0_i64..3).prop_map(Value::Int), 1 => Just(Value::Null)];
    let inner = || {
        let shape =
            prop_oneof![4 => Just(vec!["x", "y"]), 1 => Just(vec!["y", "x"]), 1 => Just(vec![])];
        (shape, leaf(), leaf()).prop_map(|(keys, x, y)| Value::record(keys.into_iter().zip([x, y])))
    };
    let row = || {
        let key = prop_oneof![9 => Just("b"), 1 => Just("z")];
        (leaf(), key, inner()).prop_map(|(a, key, b)| Value::record([("a", a), (key, b)]))
    };
    let list = prop_oneof![
        3 => vec(row(), 0..3).prop_map(Value::list),
        1 => vec(inner(), 0..3).prop_map(Value::list),
    ];
    (list, inner(), leaf())
        .prop_map(|(list, one, leaf)| Value::record([("list", list), ("one", one), ("leaf", leaf)]))
}

/// Lists long enough for every encoding, of one or two types of scalar, with nulls or without.
pub fn long_lists() -> impl Strategy<Value = Value> {
    let types = scalar_types();
    let count = types.len();
    (0..count, 0..count, any::<bool>(), 0_usize..200).prop_flat_map(
        move |(first, second, mixed, len)| {
            let other = if mixed { types[second].clone() } else { types[first].clone() };
            vec(prop_oneof![8 => types[first].clone(), 1 => other], len).prop_map(Value::list)
        },
    )
}

fn decoded(read: impl FnOnce(&mut Decoder, &mut ValueBuilder) -> Result<()>) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    read(&mut Decoder::new(), &mut builder)?;
    builder.finish()
}

fn with_header(header: Header, value: &Value) -> Vec<u8> {
    Encoder::new().header(header).message(&mut &*value).unwrap()
}

/// A value survives, and equal values have the same bytes.
fn check_round_trip(value: &Value) -> std::result::Result<(), TestCaseError> {
    let bytes = to_vec(value).unwrap();
    let back = from_slice::<Value>(&bytes);
    prop_assert!(back.is_ok(), "{back:?} from {bytes:02X?}");
    let back = back.unwrap();
    prop_assert!(back == *value, "{value:?} comes back as {back:?}");
    prop_assert_eq!(&to_vec(&back).unwrap(), &bytes);
    prop_assert_eq!(&to_vec(&value.clone()).unwrap(), &bytes);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: rounds(1500) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_survive_and_equal_values_have_equal_bytes(value in values()) {
        check_round_trip(&value)?;
    }

    #[test]
    fn a_schema_reads_from_its_bytes_as_the_same_text(value in values()) {
        let schema = Schema::of_message(&to_vec(&value).unwrap()).unwrap();
        let again = Schema::from_bytes(schema.as_bytes()).unwrap();
        prop_assert_eq!(again.to_string(), schema.to_string());
        prop_assert_eq!(again.fingerprint(), schema.fingerprint());
    }

    #[test]
    fn types_of_elements_are_stable(value in tensors()) {
        let Value::Tensor(tensor) = &value else { panic!() };
        let text = tensor.dtype().to_string();
        prop_assert_eq!(&crate::common::dtypes::dtype(&text), &**tensor.dtype());
        let schema = Schema::of_message(&to_vec(&value).unwrap()).unwrap();
        prop_assert_eq!(schema.to_string(), format!("tensor({text})"));
    }

    #[test]
    fn long_columns_survive(value in long_lists()) {
        check_round_trip(&value)?;
    }

    #[test]
    fn a_message_is_its_header_and_a_bare_body(value in values()) {
        let message = to_vec(&value).unwrap();
        let schema = Schema::of_message(&message).unwrap();
        let body = with_header(Header::Bare, &value);
        let head: Vec<u8> = match schema.as_bytes() {
            [0, rest @ ..] => [&[0xC1, 0x10], rest].concat(),
            all => [&[0xC1, 0x12], all].concat(),
        };
        if !crate::common::is_aligned(&message) {
            prop_assert_eq!(&message, &[&head[..], &body].concat());
        }
        let back = decoded(|decoder, builder| decoder.body(&schema, &body, builder)).unwrap();
        prop_assert_eq!(back, value);
    }

    #[test]
    fn a_message_with_a_fingerprint_needs_its_schema(value in values()) {
        let message = with_header(Header::Fingerprint, &value);
        let schema = Schema::of_message(&to_vec(&value).unwrap()).unwrap();
        prop_assert_eq!((message[0], message[1] & !4), (0xC1, 0x11));
        prop_assert_eq!(&message[2..10], &schema.fingerprint().to_le_bytes());
        if !crate::common::is_aligned(&message) {
            prop_assert_eq!(&message[10..], &with_header(Header::Bare, &value));
        }

        let error = from_slice::<Value>(&message).unwrap_err();
        prop_assert_eq!((error.code().as_str(), error.offset()), ("unknown_fingerprint", Some(2)));
        let mut decoder = Decoder::new();
        decoder.add_schema(&Schema::from_bytes(schema.as_bytes()).unwrap());
        let mut builder = ValueBuilder::new();
        decoder.message(&message, &mut builder).unwrap();
        prop_assert_eq!(builder.finish().unwrap(), value);
    }

    #[test]
    fn each_body_is_read_under_the_last_schema_that_was_given(sequence in vec(values(), 1..8)) {
        let mut encoder = Encoder::new();
        let mut schema = None;
        for (number, value) in sequence.iter().enumerate() {
            let body = encoder.body(&mut &*value).unwrap();
            prop_assert!(number > 0 || body.schema.is_some());
            prop_assert!(body.schema.is_none() || body.schema != schema, "given twice");
            schema = body.schema.or(schema);
            let known = schema.as_ref().unwrap();
            let back = decoded(|decoder, builder| decoder.body(known, &body.bytes, builder));
            prop_assert!(back.is_ok(), "{back:?} under {known}");
            prop_assert_eq!(&back.unwrap(), value);
        }
        // With a schema that covers all values, nothing is new any more.
        for value in &sequence {
            prop_assert_eq!(encoder.body(&mut &*value).unwrap().schema, None);
        }
        // The first is as from an encoder for messages.
        let first = Encoder::new().body(&mut &sequence[0]).unwrap();
        prop_assert_eq!(first.bytes, with_header(Header::Bare, &sequence[0]));
    }

    #[test]
    fn earlier_values_do_not_change_later_ones(sequence in vec((values(), any::<bool>()), 1..6)) {
        let mut encoder = Encoder::new();
        for (value, as_body) in &sequence {
            if *as_body {
                encoder.body(&mut &*value).unwrap();
            } else {
                prop_assert_eq!(encoder.message(&mut &*value).unwrap(), to_vec(value).unwrap());
                // Nor does it in a body after a message.
                let body = encoder.body(&mut &*value).unwrap();
                prop_assert_eq!(body, Encoder::new().body(&mut &*value).unwrap());
            }
        }
    }

    #[test]
    fn similar_messages_are_written_as_if_each_were_the_first(
        sequence in prop_oneof![vec(alike_values(), 2..20), vec(few_values(), 2..20)],
    ) {
        let mut encoder = Encoder::new();
        let mut decoder = Decoder::new();
        for value in &sequence {
            let message = encoder.message(&mut &*value).unwrap();
            prop_assert_eq!(&message, &to_vec(value).unwrap());
            let mut builder = ValueBuilder::new();
            decoder.message(&message, &mut builder).unwrap();
            prop_assert_eq!(&builder.finish().unwrap(), value);
        }
    }

    #[test]
    fn a_limit_of_output_is_kept(value in values(), part in 0.0..1.0) {
        let bytes = to_vec(&value).unwrap();
        let limit = (bytes.len() as f64 * part) as usize;
        let limited = |limit| Encoder::new().limits(Limits::new().output(limit)).message(&mut &value);
        prop_assert_eq!(limited(limit).unwrap_err().code().as_str(), "limit_output");
        prop_assert_eq!(limited(bytes.len()).unwrap(), bytes);
    }

    #[test]
    fn every_budget_suffices_or_is_exceeded(value in values(), budget in 0_u64..5000) {
        let bytes = to_vec(&value).unwrap();
        let mut builder = ValueBuilder::new();
        let mut decoder = Decoder::new().limits(Limits::new().budget(budget));
        match decoder.message(&bytes, &mut builder) {
            Ok(()) => prop_assert_eq!(builder.finish().unwrap(), value),
            Err(error) => prop_assert_eq!(error.code().as_str(), "limit_budget"),
        }
    }

    #[test]
    fn a_value_is_emitted_as_it_was_noted(value in values()) {
        let bytes = to_vec(&value).unwrap();
        let mut sink = TaggedSink::default();
        Decoder::new().message(&bytes, &mut sink).unwrap();
        prop_assert_eq!(crate::common::tagged::read(&sink.finish()), value);
    }

    #[test]
    fn values_differ_if_their_bytes_do(left in few_values(), right in few_values()) {
        let same_bytes = to_vec(&left).unwrap() == to_vec(&right).unwrap();
        prop_assert_eq!(left == right, same_bytes, "{:?} and {:?}", left, right);
    }
}

/// The bytes behind magic, flags and type.
fn check_block(table: impl IntoIterator<Item = (Value, &'static str)>) {
    for (value, expected) in table {
        let bytes = to_vec(&value).unwrap();
        assert_eq!(bytes[3..], hex(expected), "{value:?}: {:02X?}", &bytes[3..]);
        assert_eq!(from_slice::<Value>(&bytes).unwrap(), value);
    }
}

#[test]
fn varints_grow_where_the_table_says() {
    let table = [
        (0, "00"),
        (1, "02"),
        (300, "B1 04"),
        ((1 << 7) - 1, "FE"),
        (1 << 7, "01 02"),
        ((1 << 14) - 1, "FD FF"),
        (1 << 14, "03 00 02"),
        ((1 << 21) - 1, "FB FF FF"),
        (1 << 21, "07 00 00 02"),
        ((1 << 28) - 1, "F7 FF FF FF"),
        (1 << 28, "0F 00 00 00 02"),
        ((1 << 35) - 1, "EF FF FF FF FF"),
        (1 << 35, "1F 00 00 00 00 02"),
        ((1 << 42) - 1, "DF FF FF FF FF FF"),
        (1 << 42, "3F 00 00 00 00 00 02"),
        ((1 << 49) - 1, "BF FF FF FF FF FF FF"),
        (1 << 49, "7F 00 00 00 00 00 00 02"),
        ((1 << 56) - 1, "7F FF FF FF FF FF FF FF"),
        (1 << 56, "FF 00 00 00 00 00 00 00 01"),
        (u64::MAX, "FF FF FF FF FF FF FF FF FF"),
    ];
    check_block(table.map(|(number, bytes)| (Value::U64(number), bytes)));
}

#[test]
fn small_columns_of_integers_are_varints_bytes_or_escapes() {
    check_block([
        (Value::Int(0), "00"),
        (Value::Int(-1), "02"),
        (Value::Int(1), "04"),
        (Value::Int(63), "FC"),
        (Value::Int(-64), "FE"),
        (Value::Int(64), "01 02"),
        (Value::Int(-65), "05 02"),
        (Value::Int(i64::MAX), "FF FE FF FF FF FF FF FF FF"),
        (Value::Int(i64::MIN), "FF FF FF FF FF FF FF FF FF"),
        (big("9223372036854775808"), "01 00 44 04 09  00 00 00 00 00 00 00 80 00"),
        (big("-9223372036854775809"), "01 00 44 04 09  FF FF FF FF FF FF FF 7F FF"),
        (big("18446744073709551615"), "01 00 44 04 09  FF FF FF FF FF FF FF FF 00"),
        (Value::I8(-1), "FF"),
        (Value::I8(-128), "80"),
        (Value::U8(255), "FF"),
        (Value::U16(65535), "FB FF 07"),
        (Value::I16(-32768), "FB FF 07"),
        (Value::U32(u32::MAX), "EF FF FF FF 1F"),
        (Value::I32(i32::MIN), "EF FF FF FF 1F"),
        (Value::I64(i64::MIN), "FF FF FF FF FF FF FF FF FF"),
        (Value::U128(Box::new(u128::from(u64::MAX))), "FF FF FF FF FF FF FF FF FF"),
        (Value::U128(Box::new(1 << 64)), "01 00 44 04 09  00 00 00 00 00 00 00 00 01"),
        (
            Value::U128(Box::new(u128::MAX)),
            "01 00 44 05 11  FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF 00",
        ),
        (Value::I128(Box::new(-1)), "02"),
        (
            Value::I128(Box::new(i128::MIN)),
            "01 00 44 05 10  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80",
        ),
    ]);
}

#[test]
fn longer_columns_of_integers_are_the_smaller_frame() {
    let ints = |values: &[i64]| Value::list(values.iter().map(|value| Value::Int(*value)));
    // After the types come the length and the column.
    check_block([
        (ints(&[0, 0, 0, 0]), "03 08  00"),
        (ints(&[1, 0, 1, 1]), "03 08  01 0D"),
        (ints(&[1, 2, 3, 4, 5]), "03 0A  03 D1 58"),
        (ints(&[-1, -1, -1, -1]), "03 08  80 02"),
        (ints(&[7, 7, 7, 7]), "03 08  80 1C"),
        // A base that does not save a byte is left out.
        (ints(&[1, 1, 1, 1]), "03 08  01 0F"),
        (ints(&[1000, 1001, 1002, 1003]), "03 08  82 41 1F E4"),
        (
            ints(&[i64::MIN, i64::MAX, 0, -1]),
            concat!(
                "03 08  40  00 00 00 00 00 00 00 80  FF FF FF FF FF FF FF 7F",
                "00 00 00 00 00 00 00 00  FF FF FF FF FF FF FF FF",
            ),
        ),
        (
            Value::list([
                big("9223372036854775808"),
                Value::Int(1),
                Value::Int(-1),
                Value::Int(128),
            ]),
            "03 08  44  04 19 21  00 00 00 00 00 00 00 80 00  01  FF  80 00",
        ),
    ]);
}
