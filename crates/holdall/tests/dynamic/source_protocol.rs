//! The events that a source may emit, the errors for others, and the paths of errors.

use std::sync::Arc;

use crate::common::chance::Chance;
use crate::common::hex;
use crate::common::make::{
    array, extension, int, list, logical, logical_of, map, null, object, record, text, tuple,
    variant,
};
use holdall::events::TensorRef;
use holdall::{
    Code, DType, Encoder, IntKind, Limits, LogicalType, Result, Shape, Shared, Shredder, Sink,
    Source, Tensor, Value, to_vec,
};

/// A source that emits the events of a function.
struct Told<F>(F);

impl<F: FnMut(&mut Shredder) -> Result<()>> Source for Told<F> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        (self.0)(shredder)
    }
}

fn told(events: impl FnMut(&mut Shredder) -> Result<()>) -> Result<Vec<u8>> {
    Encoder::new().message(&mut Told(events))
}

fn name(text: &str) -> Arc<str> {
    text.into()
}

fn shape(keys: &str) -> Shape {
    Shape::new(0, keys.split_whitespace().map(name).collect())
}

fn many_keys() -> Vec<String> {
    (0..300).map(|key| key.to_string()).collect()
}

fn set_type() -> Arc<LogicalType> {
    Arc::new(LogicalType::new(LogicalType::SET, &[]).unwrap())
}

type Events = fn(&mut Shredder) -> Result<()>;

#[test]
fn a_source_that_breaks_the_protocol_gets_an_error() {
    let misuses: &[(&str, Events)] = &[
        ("nothing", |_| Ok(())),
        ("two roots", |s| {
            s.int(1)?;
            s.int(2)
        }),
        ("a second root behind a container", |s| {
            s.begin_list(0)?;
            s.end()?;
            s.null()
        }),
        ("an end at first", |s| s.end()),
        ("an end behind a scalar", |s| {
            s.bool(true)?;
            s.end()
        }),
        ("two ends", |s| {
            s.begin_list(0)?;
            s.end()?;
            s.end()
        }),
        ("a list without end", |s| s.begin_list(0)),
        ("a list in a list without end", |s| {
            s.begin_list(1)?;
            s.begin_list(0)?;
            s.end()
        }),
        ("a tuple with too few items", |s| {
            s.begin_tuple(2)?;
            s.null()?;
            s.end()
        }),
        ("a tuple with too many items", |s| {
            s.begin_tuple(1)?;
            s.null()?;
            s.null()
        }),
        ("several integers in a tuple of one", |s| {
            s.begin_tuple(1)?;
            s.ints(&[1, 2])
        }),
        ("a record with too few values", |s| {
            s.begin_record(&shape("a b"))?;
            s.null()?;
            s.end()
        }),
        ("a record with too many values", |s| {
            s.begin_record(&shape("a"))?;
            s.null()?;
            s.null()
        }),
        ("an empty record with a value", |s| {
            s.begin_record(&shape(""))?;
            s.null()
        }),
        ("a long mapping with too few values", |s| {
            let keys = many_keys();
            s.begin_mapping(keys.iter().map(String::as_str))?;
            (1..keys.len()).try_for_each(|_| s.null())?;
            s.end()
        }),
        ("a long mapping with too many values", |s| {
            let keys = many_keys();
            s.begin_mapping(keys.iter().map(String::as_str))?;
            (0..=keys.len()).try_for_each(|_| s.null())
        }),
        ("a map's key without value", |s| {
            s.begin_map(1)?;
            s.int(1)?;
            s.end()
        }),
        ("a struct with too few values", |s| {
            s.begin_struct(&name("S"), &shape("a b"))?;
            s.null()?;
            s.end()
        }),
        ("a struct with too many values", |s| {
            s.begin_struct(&name("S"), &shape("a"))?;
            s.null()?;
            s.null()
        }),
        ("an open struct with a field without value", |s| {
            s.begin_open_struct(&name("S"))?;
            s.field_of_struct("a")?;
            s.end()
        }),
        ("an open struct with a value without field", |s| {
            s.begin_open_struct(&name("S"))?;
            s.null()
        }),
        ("an open struct with two fields in a row", |s| {
            s.begin_open_struct(&name("S"))?;
            s.field_of_struct("a")?;
            s.field_of_struct("b")
        }),
        ("a field outside a struct", |s| s.field_of_struct("a")),
        ("a field in a list", |s| {
            s.begin_list(1)?;
            s.field_of_struct("a")
        }),
        ("a variant without payload", |s| {
            s.begin_variant(&name("V"))?;
            s.end()
        }),
        ("a variant with two payloads", |s| {
            s.begin_variant(&name("V"))?;
            s.null()?;
            s.null()
        }),
        ("an array with too few items", |s| {
            s.begin_array(2)?;
            s.null()?;
            s.end()
        }),
        ("an array with too many items", |s| {
            s.begin_array(1)?;
            s.ints(&[1, 2])
        }),
        ("a logical value without storage", |s| {
            s.begin_logical(&set_type())?;
            s.end()
        }),
        ("a logical value with two storages", |s| {
            s.begin_logical(&set_type())?;
            s.begin_list(0)?;
            s.end()?;
            s.null()
        }),
        ("an extension without value", |s| {
            s.begin_extension(&name("e"))?;
            s.end()
        }),
        ("an extension with two values", |s| {
            s.begin_extension(&name("e"))?;
            s.null()?;
            s.null()
        }),
        ("a long tuple without end", |s| {
            s.begin_tuple(9)?;
            s.ints(&[1, 2, 3, 4, 5, 6, 7, 8, 9])
        }),
        ("a u8 of 256", |s| s.fixed_int(IntKind::U8, 256)),
        ("an i8 of 128", |s| s.fixed_int(IntKind::I8, 128)),
        ("an i8 that is not sign-extended", |s| s.fixed_int(IntKind::I8, 0xFF)),
        ("a big integer without bytes", |s| s.big_int(IntKind::Int, &[])),
        ("a big integer with a byte too many", |s| {
            s.big_int(IntKind::Int, &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
        }),
        ("a negative u128", |s| s.big_int(IntKind::U128, &[0xFF])),
        ("an i128 of 17 bytes", |s| {
            s.big_int(IntKind::I128, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0])
        }),
        ("a big u64 beyond 64 bits", |s| s.big_int(IntKind::U64, &[0, 0, 0, 0, 0, 0, 0, 0, 1])),
    ];
    for (misuse, events) in misuses {
        match told(events) {
            Err(error) => assert_eq!(error.code(), Code::BadSource, "{misuse}: {error}"),
            Ok(bytes) => panic!("{misuse}: {bytes:02X?}"),
        }
        let body = Encoder::new().body(&mut Told(events));
        assert_eq!(body.map_err(|error| error.code()), Err(Code::BadSource), "{misuse}");
    }
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
        let told =
            shredder.tensor(TensorRef { dtype: &dtype, shape, column_major: false, elements });
        assert_eq!(told.unwrap_err().code(), Code::UnsupportedValue, "{dtype} {shape:?}");
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
        let got = told(|s| {
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
    let got = told(|s| {
        s.begin_list(0)?;
        parts.iter().try_for_each(|part| s.ints(part))?;
        s.end()
    });
    assert_eq!(got.unwrap(), expected);
    // Among other types and nulls.
    let items = || [null(), int(1), int(2), text("a"), int(3), int(4)];
    let got = told(|s| {
        s.begin_list(0)?;
        s.null()?;
        s.ints(&[1, 2])?;
        s.string("a")?;
        s.ints(&[3, 4])?;
        s.end()
    });
    assert_eq!(got.unwrap(), to_vec(&list(items())).unwrap());
    // In a tuple each has a site of its own.
    let got = told(|s| {
        s.begin_tuple(2)?;
        s.ints(&[1, 2])?;
        s.end()
    });
    assert_eq!(got.unwrap(), to_vec(&tuple([int(1), int(2)])).unwrap());
    // In a map keys and values alternate.
    let got = told(|s| {
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
        let small = told(|s| s.fixed_int(kind, bits)).unwrap();
        assert_eq!(told(|s| s.big_int(kind, big)).unwrap(), small, "{kind:?} {big:02X?}");
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
        let again = told(|s| holdall::Decoder::new().message(&bytes, s)).unwrap();
        assert_eq!(again, bytes);
    }
}

/// A random event.
fn tell(chance: &mut Chance, shredder: &mut Shredder, keys: &mut i64) -> Result<()> {
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
        let told = told(|shredder| {
            for _ in 0..chance.below(12) {
                // Errors are ignored.
                let _ = tell(&mut chance, shredder, &mut keys);
            }
            for _ in 0..chance.below(6) {
                let _ = shredder.end();
            }
            Ok(())
        });
        match told {
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

// Paths of errors

fn duplicate() -> Value {
    record([("k", int(1)), ("k", int(2))])
}

#[test]
fn an_error_in_writing_has_its_path() {
    let users = |last: Value| {
        let user = |name: Value| record([("id", int(1)), ("name", name)]);
        record([("users", list([user(null()), user(int(1)), user(last)]))])
    };
    let unknown = || Value::Unknown;
    for (value, code, path) in [
        (unknown(), "unsupported_value", "$"),
        (duplicate(), "duplicate_key", "$"),
        (map([(int(1), null()), (int(1), null())]), "duplicate_key", "$"),
        (users(duplicate()), "duplicate_key", "$.users[2].name"),
        (users(unknown()), "unsupported_value", "$.users[2].name"),
        (users(map([(int(1), null()), (int(1), null())])), "duplicate_key", "$.users[2].name"),
        (
            users(map([(text("a"), null()), (text("a"), null())])),
            "duplicate_key",
            "$.users[2].name",
        ),
        (record([("odd name", unknown())]), "unsupported_value", "$[\"odd name\"]"),
        (tuple([null(), unknown()]), "unsupported_value", "$[1]"),
        (map([(int(1), null()), (int(2), unknown())]), "unsupported_value", "$[1]"),
        (map([(int(1), null()), (unknown(), null())]), "unsupported_value", "$[1].key"),
        (object("S", [("a", null()), ("b", unknown())]), "unsupported_value", "$.b"),
        (object("S", [("a", null()), ("b", null()), ("a", null())]), "duplicate_key", "$.a"),
        (list([object("S", [("b", duplicate())])]), "duplicate_key", "$[0].b"),
        (variant("V", unknown()), "unsupported_value", "$<V>"),
        (list([int(1), variant("V", duplicate())]), "duplicate_key", "$[1]<V>"),
    ] {
        let error = to_vec(&value).unwrap_err();
        assert_eq!((error.code().as_str(), error.path()), (code, path), "{value:?}");
        assert_eq!(error.offset(), None);
    }
    // In a mapping that is stored as a map.
    let long: Vec<String> = (0..300).map(|key| key.to_string()).collect();
    let fields = long.iter().map(|key| (&**key, if key == "7" { unknown() } else { null() }));
    let error = to_vec(&record(fields)).unwrap_err();
    assert_eq!((error.code().as_str(), error.path()), ("unsupported_value", "$[7]"));
}

#[test]
fn an_error_inside_the_newer_containers_has_its_path() {
    for (value, path) in [
        (array([null(), duplicate()]), "$[1]"),
        (logical(LogicalType::SET, list([null(), duplicate()])), "$[1]"),
        (record([("a", logical(0xE0, record([("b", duplicate())])))]), "$.a.b"),
        (extension("e", record([("b", duplicate())])), "$.b"),
        (tuple((0..8).map(int).chain([duplicate()])), "$[8]"),
        (logical(LogicalType::ORDERED_MAP, duplicate()), "$"),
        (list([int(1), logical(LogicalType::ORDERED_MAP, duplicate())]), "$[1]"),
    ] {
        let error = to_vec(&value).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::DuplicateKey, path), "{value:?}");
    }
}

#[test]
fn an_error_in_reading_has_its_path() {
    for users in [3, 5, 20] {
        let user = |id: usize| record([("id", int(id as i64)), ("name", text("x"))]);
        let mut bytes = to_vec(&record([("users", list((0..users).map(user)))])).unwrap();
        // The names stand last, and the last byte is the last name.
        *bytes.last_mut().unwrap() = 0xFF;
        let error = holdall::from_slice::<Value>(&bytes).unwrap_err();
        assert_eq!(error.code(), Code::InvalidUtf8);
        assert_eq!(error.path(), format!("$.users[{}].name", users - 1));
    }
    for (bytes, fault) in [
        ("C1 10 12 02 FF", "invalid_utf8 @ 4 in $"),
        ("C1 10 1A 10 04 61 01 04 62 00", "never_has_rows @ 10 in $.b"),
        ("C1 10 18 04 01 1A 08 04 61 05 03 00 08", "int_out_of_range @ 10 in $[1].a"),
    ] {
        let error = holdall::from_slice::<Value>(&hex(bytes)).unwrap_err();
        let offset = error.offset().unwrap();
        assert_eq!(format!("{} @ {offset} in {}", error.code(), error.path()), fault, "{error}");
    }
}
