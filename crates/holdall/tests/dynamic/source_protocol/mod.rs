//! The events that a source may emit, the errors for others, and the paths of errors.

mod misuse;
mod paths;

use std::sync::Arc;

use crate::common::chance::Chance;
use crate::common::hex;
use crate::common::make::{
    array, extension, int, list, logical, logical_of, map, null, object, record, text, tuple,
    variant,
};
use holdall::events::TensorRef;
use holdall::events::{Shredder, Source};
use holdall::{
    Code, DType, Encoder, IntKind, Limits, LogicalType, Result, Shape, Shared, Tensor, Value,
    to_vec,
};

fn many_keys() -> Vec<String> {
    (0..300).map(|key| key.to_string()).collect()
}

/// A source that emits the events of a function.
struct Emits<F>(F);

impl<F: FnMut(&mut Shredder) -> Result<()>> Source for Emits<F> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        (self.0)(shredder)
    }
}

fn encoded(events: impl FnMut(&mut Shredder) -> Result<()>) -> Result<Vec<u8>> {
    Encoder::new().message(&mut Emits(events))
}

fn name(text: &str) -> Arc<str> {
    text.into()
}

fn shape(keys: &str) -> Shape {
    Shape::new(0, keys.split_whitespace().map(name).collect())
}

fn set_type() -> Arc<LogicalType> {
    Arc::new(LogicalType::new(LogicalType::SET, &[]).unwrap())
}

#[test]
fn an_inconsistent_tensor_is_rejected() {
    let named =
        |names: [&str; 2]| DType::Record(names.map(|name| (name.into(), DType::Bool)).into());
    let nested =
        |levels: usize| (1..levels).fold(DType::Bool, |inner, _| DType::Tuple([inner].into()));
    let date = LogicalType::new(LogicalType::DATE, &[]).unwrap();
    let u16s = || DType::Int(IntKind::U16);
    let refused: Vec<(DType, Vec<u64>, Vec<u8>)> = vec![
        (u16s(), vec![2, 2], vec![0; 7]),
        (u16s(), vec![2, 2], vec![0; 9]),
        (u16s(), vec![], vec![]),
        (u16s(), vec![0, 5], vec![0]),
        (u16s(), vec![1 << 32, 1 << 32], vec![]),
        (u16s(), vec![1 << 63, 1 << 63, 1 << 63], vec![]),
        (u16s(), vec![1; 33], vec![0; 2]),
        (DType::Bool, vec![2], vec![1, 2]),
        (DType::Tuple([DType::Bool, u16s()].into()), vec![2], vec![1, 9, 9, 255, 9, 9]),
        (DType::Array(2, Box::new(DType::Bool)), vec![1], vec![1, 2]),
        (DType::Int(IntKind::Int), vec![0], vec![]),
        (DType::Fixed(0), vec![0], vec![]),
        (DType::Fixed((1 << 20) + 1), vec![0], vec![]),
        (DType::Array(0, Box::new(DType::Bool)), vec![0], vec![]),
        (DType::Array(u64::MAX, Box::new(u16s())), vec![0], vec![]),
        (DType::Tuple([].into()), vec![0], vec![]),
        (DType::Tuple([DType::Fixed(1 << 20), DType::Bool].into()), vec![0], vec![]),
        // Types that no schema has.
        (named(["a", "a"]), vec![1], vec![0, 0]),
        (DType::Logical(date.clone(), Box::new(DType::Bool)), vec![1], vec![0]),
        (nested(33), vec![1], vec![0]),
    ];
    for (dtype, shape, elements) in refused {
        let tensor = Tensor::new(dtype.clone(), shape.clone(), false, elements.clone());
        assert_eq!(tensor.unwrap_err().code(), Code::UnsupportedValue, "{dtype} {shape:?}");
        let dtype = Arc::new(dtype);
        let mut shredder = Shredder::new();
        let (shape, elements) = (&shape[..], &elements[..]);
        let encoded =
            shredder.tensor(TensorRef { dtype: &dtype, shape, column_major: false, elements });
        assert_eq!(encoded.unwrap_err().code(), Code::UnsupportedValue, "{dtype} {shape:?}");
    }
    for (dtype, shape, elements) in [
        (u16s(), vec![0, u64::MAX, u64::MAX, u64::MAX], vec![]),
        (u16s(), vec![1; 32], vec![0; 2]),
        (u16s(), vec![], vec![0; 2]),
        (DType::Fixed(1 << 20), vec![1], vec![7; 1 << 20]),
        (DType::Tuple([DType::Bool, u16s()].into()), vec![2], vec![1, 9, 9, 0, 9, 9]),
        (named(["a", "b"]), vec![1], vec![0, 1]),
        (DType::Logical(date, Box::new(DType::Int(IntKind::I64))), vec![1], vec![9; 8]),
        (nested(32), vec![1], vec![1]),
    ] {
        for column_major in [false, true] {
            let shape = shape.clone();
            let tensor = Tensor::new(dtype.clone(), shape, column_major, elements.clone()).unwrap();
            let value = Value::from(tensor);
            assert_eq!(holdall::from_slice::<Value>(&to_vec(&value).unwrap()).unwrap(), value);
        }
    }
}

#[test]
fn a_logical_value_over_the_wrong_storage_is_rejected() {
    let tuple_of = |items: &[Value]| tuple(items.iter().cloned());
    let wrong = [
        (LogicalType::DATE, vec![], text("x")),
        (LogicalType::DATE, vec![], Value::I32(1)),
        (LogicalType::DATE, vec![], null()),
        (LogicalType::TIME, vec![0], Value::F64(1.0)),
        (LogicalType::TIMESTAMP, vec![0, 2], int(1)),
        (LogicalType::TIMESTAMP, vec![0, 1], tuple_of(&[int(1), Value::I32(1)])),
        (LogicalType::TIMESTAMP, vec![0, 2], tuple_of(&[int(1), int(1)])),
        (LogicalType::TIMESTAMP, vec![0, 3], tuple_of(&[int(1), Value::Bytes(vec![])])),
        (LogicalType::DECIMAL, vec![], tuple_of(&[Value::U8(0), int(1)])),
        (LogicalType::DECIMAL, vec![], tuple_of(&[Value::U8(0), int(1), null()])),
        (LogicalType::RATIONAL, vec![], list([int(1), int(2)])),
        (LogicalType::COMPLEX, vec![4], tuple_of(&[Value::F64(0.0), Value::F64(0.0)])),
        (LogicalType::UUID, vec![], Value::Fixed(vec![0; 15])),
        (LogicalType::UUID, vec![], Value::Bytes(vec![0; 16])),
        (LogicalType::CHAR, vec![], int(65)),
        (LogicalType::SET, vec![], tuple_of(&[int(1)])),
        (LogicalType::SET, vec![], array([int(1)])),
        (LogicalType::LONG_TUPLE, vec![], tuple((0..9).map(int))),
        (LogicalType::ORDERED_MAP, vec![], list([])),
        (LogicalType::BIT_VECTOR, vec![], list([int(1)])),
        (LogicalType::BIT_VECTOR, vec![], list([Value::Bool(true), null()])),
        (LogicalType::PATH, vec![1, 0], Value::Bytes(vec![])),
        (LogicalType::PATH, vec![1, 1], text("/")),
        (LogicalType::IP_ADDRESS, vec![4], Value::Fixed(vec![0; 16])),
        (LogicalType::WTF8_STRING, vec![], text("x")),
    ];
    for (kind, parameters, storage) in wrong {
        let value = logical_of(kind, &parameters, storage);
        for value in [value.clone(), list([value.clone(), int(1)]), record([("a", value.clone())])]
        {
            let error = to_vec(&value).unwrap_err();
            assert_eq!(error.code(), Code::UnsupportedValue, "{value:?}");
        }
        // One row that fits, and one that does not.
        let fits = record([("a", logical(LogicalType::SET, list([]))), ("b", value)]);
        assert_eq!(to_vec(&fits).unwrap_err().code(), Code::UnsupportedValue);
    }
    // Repeated storage would be a definition.
    let shared = Value::Shared(Shared::new(list([int(1)])));
    let twice = list([set_of(&shared), set_of(&shared)]);
    assert_eq!(to_vec(&twice).unwrap_err().code(), Code::UnsupportedValue);
    assert!(to_vec(&set_of(&shared)).is_ok());
}

fn set_of(storage: &Value) -> Value {
    logical(LogicalType::SET, storage.clone())
}

#[test]
fn unknown_kinds_and_parameters_are_rejected() {
    for (kind, parameters, code) in [
        (0x00, &[][..], Code::UnknownKind),
        (0x18, &[], Code::UnknownKind),
        (0xDF, &[], Code::UnknownKind),
        (LogicalType::DATE, &[0], Code::BadParameters),
        (LogicalType::TIME, &[], Code::BadParameters),
        (LogicalType::TIME, &[4], Code::BadParameters),
        (LogicalType::TIMESTAMP, &[0, 4], Code::BadParameters),
        (LogicalType::COMPLEX, &[2], Code::BadParameters),
        (LogicalType::PATH, &[3, 0], Code::BadParameters),
        (LogicalType::IP_NETWORK, &[5], Code::BadParameters),
    ] {
        assert_eq!(LogicalType::new(kind, parameters).unwrap_err().code(), code);
    }
    assert!(LogicalType::new(0xE0, &[0; 300]).is_ok());
}

#[test]
fn an_announced_length_is_not_binding() {
    let expected = to_vec(&list([int(1), int(2)])).unwrap();
    for len in [0, 1, 2, 3, usize::MAX] {
        let got = encoded(|s| {
            s.begin_list(len)?;
            s.ints(&[1, 2])?;
            s.end()
        });
        assert_eq!(got.unwrap(), expected);
    }
}

#[test]
fn several_integers_at_once_are_integers_one_by_one() {
    let parts: &[&[u64]] = &[&[], &[1], &[2, 3], &[u64::MAX, 1 << 63]];
    let expected =
        to_vec(&list(parts.concat().iter().map(|bits| int(bits.cast_signed())))).unwrap();
    let got = encoded(|s| {
        s.begin_list(0)?;
        parts.iter().try_for_each(|part| s.ints(part))?;
        s.end()
    });
    assert_eq!(got.unwrap(), expected);
    // Among other types and nulls.
    let items = || [null(), int(1), int(2), text("a"), int(3), int(4)];
    let got = encoded(|s| {
        s.begin_list(0)?;
        s.null()?;
        s.ints(&[1, 2])?;
        s.string("a")?;
        s.ints(&[3, 4])?;
        s.end()
    });
    assert_eq!(got.unwrap(), to_vec(&list(items())).unwrap());
    // In a tuple each has a site of its own.
    let got = encoded(|s| {
        s.begin_tuple(2)?;
        s.ints(&[1, 2])?;
        s.end()
    });
    assert_eq!(got.unwrap(), to_vec(&tuple([int(1), int(2)])).unwrap());
    // In a map keys and values alternate.
    let got = encoded(|s| {
        s.begin_map(2)?;
        s.ints(&[1, 2, 3, 4])?;
        s.end()
    });
    assert_eq!(got.unwrap(), to_vec(&map([(int(1), int(2)), (int(3), int(4))])).unwrap());
}

#[test]
fn a_big_integer_that_fits_its_kind_is_the_same_as_a_small_one() {
    for (kind, big, bits) in [
        (IntKind::Int, &[5][..], 5),
        (IntKind::Int, &[0xFB], (-5_i64).cast_unsigned()),
        (IntKind::U128, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0], u64::MAX),
        (IntKind::I128, &[0x80], (-128_i64).cast_unsigned()),
        (IntKind::U8, &[0xFF, 0], 255),
        (IntKind::I16, &[0, 0x80], (-32768_i64).cast_unsigned()),
    ] {
        let small = encoded(|s| s.fixed_int(kind, bits)).unwrap();
        assert_eq!(encoded(|s| s.big_int(kind, big)).unwrap(), small, "{kind:?} {big:02X?}");
    }
}

#[test]
fn a_shredder_accepts_the_events_of_a_decoder() {
    for value in [
        list([int(1), null(), text("a")]),
        record([("a", list([])), ("b", tuple([int(1)]))]),
        object("S", [("x", variant("V", map([(int(1), int(2))])))]),
    ] {
        let bytes = to_vec(&value).unwrap();
        let again = encoded(|s| holdall::Decoder::new().message(&bytes, s)).unwrap();
        assert_eq!(again, bytes);
    }
}

/// A random event.
fn emit_random(chance: &mut Chance, shredder: &mut Shredder, keys: &mut i64) -> Result<()> {
    let any = *chance.pick(&["a", "b", "c", "d"]);
    match chance.below(29) {
        22 => shredder.begin_array(2),
        23 => shredder.begin_logical(&set_type()),
        24 => shredder.begin_extension(&name(any)),
        25 => shredder.fixed(&[1, 2][chance.below(3)..]),
        26 => shredder.unknown(),
        27 => shredder.tensor(TensorRef {
            dtype: &Arc::new(DType::Bool),
            shape: &[chance.below(3) as u64],
            column_major: true,
            elements: &[1, chance.below(3) as u8],
        }),
        28 => shredder.begin_tuple(9),
        0 => shredder.null(),
        1 => shredder.bool(true),
        2 => shredder.fixed_int(IntKind::U8, chance.word() >> 50),
        3 => shredder.big_int(IntKind::Int, &[0, 0, 0, 0, 0, 0, 0, 0, chance.word() as u8]),
        4 => shredder.string("text"),
        5 => shredder.bytes(&[1, 2]),
        6 => shredder.f64(0.5),
        7 => shredder.begin_list(2),
        8 => shredder.begin_tuple(chance.below(11)),
        9 => shredder.begin_record(&shape("a b")),
        10 => shredder.begin_record(&shape("b a c")),
        11 => shredder.begin_record(&shape("")),
        12 => shredder.begin_record(&shape("a a")),
        13 => shredder.begin_struct(&name(any), &shape("a b")),
        14 => shredder.begin_struct(&name(any), &shape("b b")),
        15 => shredder.begin_open_struct(&name("S")),
        16 => shredder.field_of_struct(any),
        17 => {
            shredder.begin_map(1)?;
            *keys += 1;
            shredder.int(*keys)
        }
        18 => shredder.begin_variant(&name(any)),
        19 => {
            *keys += 2;
            shredder.ints(&[keys.cast_unsigned() - 1, keys.cast_unsigned()])
        }
        20 if chance.below(20) == 0 => {
            shredder.begin_mapping(many_keys().iter().map(String::as_str))
        }
        _ => shredder.end(),
    }
}

#[test]
fn ignoring_errors_never_gives_an_unreadable_message() {
    let mut chance = Chance::new(20_240_904);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..100_000 {
        let mut keys = 0;
        let encoded = encoded(|shredder| {
            for _ in 0..chance.below(12) {
                // Errors are ignored.
                let _ = emit_random(&mut chance, shredder, &mut keys);
            }
            for _ in 0..chance.below(6) {
                let _ = shredder.end();
            }
            Ok(())
        });
        match encoded {
            Err(error) => {
                assert!(error.code() != Code::Io, "{error}");
                refused += 1;
            }
            Ok(bytes) => match holdall::from_slice::<Value>(&bytes) {
                Ok(_) => read += 1,
                // Distinct keys are the source's task: a shredder does not compare them.
                Err(error) => assert_eq!(error.code(), Code::DuplicateKey, "{bytes:02X?}: {error}"),
            },
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}

#[test]
fn an_encoder_recovers_from_errors() {
    let good = list([record([("a", int(1))]), record([("a", int(2))])]);
    let bad = list([record([("b", text("x"))]), Value::Unknown, int(1)]);
    let expected = to_vec(&good).unwrap();
    let mut encoder = Encoder::new();
    assert_eq!(encoder.message(&mut &bad).unwrap_err().code(), Code::UnsupportedValue);
    assert_eq!(encoder.message(&mut &good).unwrap(), expected);

    let fresh = Encoder::new().body(&mut &good).unwrap();
    assert!(encoder.body(&mut &bad).is_err());
    assert_eq!(encoder.body(&mut &good).unwrap(), fresh);
    assert!(encoder.body(&mut &bad).is_err());
    assert_eq!(encoder.body(&mut &good).unwrap(), fresh);

    // Too many are an error too.
    let mut encoder = Encoder::new().limits(Limits::new().output(50));
    let long = list([text(&"x".repeat(100))]);
    assert_eq!(encoder.body(&mut &long).unwrap_err().code(), Code::LimitOutput);
    assert_eq!(encoder.body(&mut &good).unwrap(), fresh);
    assert_eq!(encoder.message(&mut &long).unwrap_err().code(), Code::LimitOutput);
    assert_eq!(encoder.message(&mut &good).unwrap(), expected);
    assert_eq!(encoder.body(&mut &good).unwrap(), fresh);
}

#[test]
fn limit_output_counts_the_entire_message() {
    for value in [list([]), text("abc"), record([("name", int(1))])] {
        let bytes = to_vec(&value).unwrap();
        for (limit, fits) in [(0, false), (bytes.len() - 1, false), (bytes.len(), true)] {
            let mut encoder = Encoder::new().limits(Limits::new().output(limit));
            match encoder.message(&mut &value) {
                Ok(written) => assert!(fits && written == bytes, "{limit}"),
                Err(error) => assert!(!fits && error.code() == Code::LimitOutput, "{error}"),
            }
        }
    }
}
