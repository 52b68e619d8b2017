//! Small messages have the bytes that an encoder gives, and are read with the same checks.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::*;
use crate::message::Header;
use crate::number::{IntKind, write_varint};
use crate::schema::{LogicalType, Scalar};
use crate::value::{Extension, Logical, Variant};
use crate::{Encoder, Profile, Schema, Value};

const PROFILES: [Profile; 2] = [Profile::Fast, Profile::Balanced];

/// Checks that what is written is the message of a value, whatever its header.
fn check(value: &Value, write: impl Fn(&mut SmallWriter) -> Option<()>) {
    for profile in PROFILES {
        let mut writer = SmallWriter::new(profile);
        for header in [Header::Schema, Header::Fingerprint, Header::Bare] {
            writer.begin();
            write(&mut writer).unwrap();
            let expected =
                Encoder::new().profile(profile).header(header).message(&mut &*value).unwrap();
            assert_eq!(writer.message(header).concat(), expected, "{value:?}");
        }
    }
}

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::list(items)
}

#[test]
fn one_row_is_written_as_an_encoder_writes_it() {
    check(&Value::Null, |out| {
        out.null();
        Some(())
    });
    for value in [0, 1, -1, 63, 64, -64, -65, 300, i64::MAX, i64::MIN] {
        check(&value.into(), |out| {
            out.int(value);
            Some(())
        });
    }
    for value in [0.0, -0.0, 2.5, f64::NAN, f64::INFINITY] {
        check(&value.into(), |out| {
            out.f64(value);
            Some(())
        });
    }
    for value in [true, false] {
        check(&value.into(), |out| {
            out.bool(value);
            Some(())
        });
    }
    for text in ["", "a", "Grüße", &"x".repeat(200)] {
        check(&text.into(), |out| out.string(text));
        check(&Value::Bytes(text.as_bytes().to_vec()), |out| out.byte_string(text.as_bytes()));
    }
}

#[test]
fn rows_of_a_list_are_written_as_an_encoder_writes_them() {
    check(&list([]), |out| {
        out.lists(&[0]);
        out.never();
        Some(())
    });
    for len in [1, 2, 3, 4, 9, 100] {
        let ints: Vec<u64> = (0..len).map(|at| at * at).collect();
        check(&list(ints.iter().map(|int| Value::from(*int as i64))), |out| {
            out.lists(&[len]);
            out.ints(&ints);
            Some(())
        });
        let floats: Vec<f64> = ints.iter().map(|int| *int as f64 / 10.0).collect();
        check(&list(floats.iter().map(|float| Value::from(*float))), |out| {
            out.lists(&[len]);
            out.floats(&floats);
            Some(())
        });
        let bools = ints.iter().map(|int| int % 3 == 0);
        check(&list(bools.clone().map(Value::from)), |out| {
            out.lists(&[len]);
            out.bools(bools.clone());
            Some(())
        });
        let texts: Vec<String> = ints.iter().map(|int| format!("text {}", int % 5)).collect();
        check(&list(texts.iter().map(|text| Value::from(&**text))), |out| {
            out.lists(&[len]);
            out.strings(&texts.iter().map(String::as_bytes).collect::<Vec<_>>())
        });
    }
}

#[test]
fn types_inside_each_other_are_written_as_an_encoder_writes_them() {
    // Two shapes, a null beside another type, two types, a name used again.
    let value = list([
        Value::record([("a", Value::from(1)), ("b", Value::tuple([Value::Null, "x".into()]))]),
        Value::record([("b", Value::Null)]),
        Value::record([("b", "y".into()), ("c", Value::record([("a", Value::from(true))]))]),
    ]);
    check(&value, |out| {
        out.lists(&[3]);
        out.records(3, Shapes::Several(&[0, 1, 2]));
        out.name(7, "a");
        out.int(1);
        out.name(9, "b");
        out.option([true, false, true].into_iter());
        out.union(2, &[0, 1]);
        out.tuples(2);
        out.null();
        out.string("x")?;
        out.string("y")?;
        // A name's hash may be that of another.
        out.name(9, "c");
        out.records(1, Shapes::One);
        out.name(7, "a");
        out.bool(true);
        out.shapes([&[0, 1][..], &[1], &[1, 2]].into_iter());
        Some(())
    });
}

fn logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Value::Logical(Logical::new(LogicalType::new(kind, parameters).unwrap(), storage))
}

#[test]
fn logical_values_are_written_as_an_encoder_writes_them() {
    const INT: Scalar = Scalar::Int(IntKind::Int);
    const U8: Scalar = Scalar::Int(IntKind::U8);
    const I32: Scalar = Scalar::Int(IntKind::I32);
    for len in [1, 2, 3, 4, 5, 40] {
        let rows: Vec<u64> = (0..len).map(|at| at * 1000 / 7).collect();
        let values = |value: &dyn Fn(u64) -> Value| list(rows.iter().map(|row| value(*row)));
        let time = |row: u64| logical(LogicalType::TIMESTAMP, &[2, 1], Value::from(row as i64));
        check(&values(&time), |out| {
            out.lists(&[len]);
            out.logical(LogicalType::TIMESTAMP, &[2, 1]);
            out.words(INT, &rows);
            Some(())
        });
        let decimal = |row: u64| {
            let parts = [Value::U8((row % 2) as u8), Value::from(row as i64), Value::from(-2)];
            logical(LogicalType::DECIMAL, &[], Value::tuple(parts))
        };
        check(&values(&decimal), |out| {
            out.lists(&[len]);
            out.logical(LogicalType::DECIMAL, &[]);
            out.tuples(3);
            out.words(U8, &rows.iter().map(|row| row % 2).collect::<Vec<_>>());
            out.words(INT, &rows);
            out.words(INT, &vec![(-2_i64).cast_unsigned(); rows.len()]);
            Some(())
        });
        let offset = |row: u64| {
            let parts = [Value::from(row as i64), Value::I32(-(row as i32))];
            logical(LogicalType::TIMESTAMP, &[2, 2], Value::tuple(parts))
        };
        check(&values(&offset), |out| {
            out.lists(&[len]);
            out.logical(LogicalType::TIMESTAMP, &[2, 2]);
            out.tuples(2);
            out.words(INT, &rows);
            let negative = |row: &u64| (-row.cast_signed()).cast_unsigned();
            out.words(I32, &rows.iter().map(negative).collect::<Vec<_>>());
            Some(())
        });
        let complex = |row: u64| {
            let parts = [Value::from(row as f64), Value::from(0.5)];
            logical(LogicalType::COMPLEX, &[8], Value::tuple(parts))
        };
        check(&values(&complex), |out| {
            out.lists(&[len]);
            out.logical(LogicalType::COMPLEX, &[8]);
            out.tuples(2);
            out.words(
                Scalar::F64,
                &rows.iter().map(|row| (*row as f64).to_bits()).collect::<Vec<_>>(),
            );
            out.words(Scalar::F64, &vec![0.5_f64.to_bits(); rows.len()]);
            Some(())
        });
        let uuid = |row: u64| {
            let bytes = [row.to_le_bytes(), 7_u64.to_le_bytes()].concat();
            logical(LogicalType::UUID, &[], Value::Fixed(bytes))
        };
        check(&values(&uuid), |out| {
            out.lists(&[len]);
            out.logical(LogicalType::UUID, &[]);
            out.words(
                Scalar::Fixed(16),
                &rows.iter().flat_map(|row| [*row, 7]).collect::<Vec<_>>(),
            );
            Some(())
        });
    }
}

#[test]
fn maps_and_named_variants_are_written_as_an_encoder_writes_them() {
    let map = Value::map([(Value::from(1), Value::from("x")), (Value::from(5), Value::from("y"))]);
    check(&list([map, Value::map([(Value::from(9), Value::from("z"))])]), |out| {
        out.lists(&[2]);
        out.maps(&[2, 1]);
        out.ints(&[1, 5, 9]);
        out.strings(&[b"x", b"y", b"z"])
    });
    let member = |name: &str| {
        let variant = Value::Variant(Variant::new(name, Value::Null));
        Value::Extension(Extension::new("Colour", variant))
    };
    check(&list(["RED", "BLUE", "RED"].map(member)), |out| {
        out.lists(&[3]);
        out.extension(1, "Colour");
        out.choice(2, &[0, 1, 0]);
        out.variant(2, "RED");
        out.variant(3, "BLUE");
        Some(())
    });
    check(&member("RED"), |out| {
        out.extension(1, "Colour");
        out.choice(1, &[0]);
        out.variant(2, "RED");
        Some(())
    });
    check(&logical(LogicalType::SET, &[], list([1.into(), 2.into()])), |out| {
        out.logical(LogicalType::SET, &[]);
        out.lists(&[2]);
        out.ints(&[1, 2]);
        Some(())
    });
}

#[test]
fn a_message_with_much_text_is_not_small() {
    let mut writer = SmallWriter::new(Profile::Fast);
    let text = "x".repeat(1 << 23);
    for _ in 0..2 {
        writer.begin();
        assert_eq!(writer.string(&text), Some(()));
        assert_eq!(writer.strings(&[text.as_bytes(), b"x"]), None);
    }
}

#[test]
fn each_of_many_names_has_one_number() {
    let mut writer = SmallWriter::new(Profile::Fast);
    for _ in 0..2 {
        writer.begin();
        for at in 0..2000 {
            writer.name(at % 3, &at.to_string());
        }
        let before = writer.message(Header::Schema)[0].len();
        for at in 0..2000 {
            writer.name(at % 3, &at.to_string());
        }
        let numbers = &writer.message(Header::Schema)[0][before..];
        let mut expected = Vec::new();
        (0..2000).for_each(|at| write_varint(&mut expected, 2 * at + 1));
        assert_eq!(numbers, expected);
    }
}

/// The schemas of values that are small.
fn schemas() -> Vec<Vec<u8>> {
    let record = |fields: &[(&str, Value)]| Value::record(fields.iter().cloned());
    // Clones of a container would be one value.
    let inner = || record(&[("d", Value::from(1)), ("b", list(["x".into(), Value::Null]))]);
    let values = [
        list([record(&[("a", Value::Null)]), record(&[("b", list([])), ("c", inner())]), 7.into()]),
        record(&[("a", inner()), ("b", Value::tuple([inner(), Value::from(0.5)]))]),
        list([Value::from(true), Value::Bytes(b"x".to_vec())]),
        list([
            logical(LogicalType::UUID, &[], Value::Fixed(vec![0; 16])),
            logical(LogicalType::SET, &[], list(["x".into()])),
            Value::map([(Value::from(1), inner())]),
            Value::Extension(Extension::new("E", Value::Variant(Variant::new("A", Value::Null)))),
            logical(LogicalType::TIMESTAMP, &[2, 2], Value::tuple([1.into(), Value::I32(0)])),
        ]),
    ];
    // struct S {a: null, S: string}
    let of_struct = b"\x19\x04S\x10\x04a\x01\x02\x12".to_vec();
    let bytes = |value: &Value| {
        let message = crate::to_vec(value).unwrap();
        Schema::of_message(&message).unwrap().as_bytes()[1..].to_vec()
    };
    values.iter().map(bytes).chain([of_struct]).collect()
}

#[test]
fn a_small_schema_is_a_valid_one() {
    let mut random = 1_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % below
    };
    let kinds =
        b"\x00\x01\x02\x03\x04\x0B\x11\x12\x13\x14\x15\x16\x18\x19\x1A\x1B\x1C\x1F\x22\x23\x06\x08";
    let (mut small, mut seen) = (SmallSchema::default(), 0);
    for bytes in schemas() {
        assert_eq!(small.read(&bytes), Some(bytes.len()));
        for _ in 0..20_000 {
            let mut bytes = bytes.clone();
            for _ in 0..=next(2) {
                let at = next(bytes.len());
                match next(4) {
                    0 => bytes[at] = next(256) as u8,
                    1 => bytes[at] = kinds[next(kinds.len())],
                    2 => bytes.insert(at, kinds[next(kinds.len())]),
                    _ => drop(bytes.remove(at)),
                }
            }
            let Some(len) = small.read(&bytes) else { continue };
            let whole = [&[0], &bytes[..len]].concat();
            let schema = Schema::from_bytes(&whole).unwrap_or_else(|error| {
                panic!("{bytes:02X?}: {error}");
            });
            assert_eq!(schema.sites(), small.types().len());
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn only_entire_blocks_are_read() {
    let mut writer = SmallWriter::new(Profile::Fast);
    writer.begin();
    writer.int(-300);
    writer.string("né").unwrap();
    writer.bool(true);
    writer.lists(&[2]);
    writer.strings(&[b"ab", b""]).unwrap();
    writer.f64(0.5);
    writer.ints(&[1, 2, 3, 4]);
    let block = writer.message(Header::Schema)[1].to_vec();
    let read = |block: &[u8]| {
        SmallReader::read(block.len(), block, |reader| {
            let (int, text) = (reader.int()?, reader.string()?.to_owned());
            let (bool, len) = (reader.bool()?, reader.number()?);
            let (mut texts, mut ints) = (Vec::new(), Vec::new());
            reader.strings(len as usize, |_, text| {
                texts.push(text.to_owned());
                Some(())
            })?;
            let float = reader.f64()?;
            reader.ints(4, |int| ints.push(int))?;
            Some((int, text, bool, texts, float, ints))
        })
    };
    let texts = vec!["ab".to_owned(), String::new()];
    assert_eq!(read(&block), Some((-300, "né".to_owned(), true, texts, 0.5, vec![1, 2, 3, 4])));
    for len in 0..block.len() {
        assert_eq!(read(&block[..len]), None, "{len} bytes");
    }
    assert_eq!(read(&[&block[..], &[0]].concat()), None);
    // A number that is not in its shortest form, invalid text, an invalid bool, an int beyond 64 bits.
    let one = |block: &[u8]| SmallReader::read(block.len(), block, |reader| reader.int());
    assert_eq!(one(&[0x01, 0x00]), None);
    assert_eq!(one(b"\x01\x00\x44\x04\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"), None);
    let text = SmallReader::read(2, &[0x02, 0xFF], |reader| reader.string().map(str::len));
    assert_eq!(text, None);
    assert_eq!(SmallReader::read(1, &[0x02], |reader| reader.bool()), None);
}

#[test]
fn rows_are_charged() {
    let read = |rows: usize| SmallReader::read(0, &[], |reader| reader.rows(rows));
    assert_eq!(read(1 << 23), Some(()));
    assert_eq!(read((1 << 23) + 1), None);
}
