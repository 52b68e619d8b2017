use super::*;
use crate::message::Header;
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
            out.strings(texts.iter().map(String::as_bytes))
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
        out.name(7, "a")?;
        out.int(1);
        out.name(9, "b")?;
        out.option([true, false, true].into_iter());
        out.union(2, &[0, 1]);
        out.tuples(2);
        out.null();
        out.string("x")?;
        out.string("y")?;
        // A name's hash may be that of another.
        out.name(9, "c")?;
        out.records(1, Shapes::One);
        out.name(7, "a")?;
        out.bool(true);
        out.shapes([&[0, 1][..], &[1], &[1, 2]].into_iter());
        Some(())
    });
}

#[test]
fn a_message_with_much_text_is_not_small() {
    let mut writer = SmallWriter::new(Profile::Fast);
    let text = "x".repeat(1 << 19);
    for _ in 0..2 {
        writer.begin();
        assert_eq!(writer.string(&text), Some(()));
        assert_eq!(writer.strings([text.as_bytes(), b"x"].into_iter()), None);
    }
}

#[test]
fn a_schema_with_many_names_is_not_small() {
    let mut writer = SmallWriter::new(Profile::Fast);
    for _ in 0..2 {
        writer.begin();
        for at in 0..512 {
            assert_eq!(writer.name(at % 3, &at.to_string()), Some(()));
        }
        assert_eq!(writer.name(0, "0"), Some(()));
        assert_eq!(writer.name(0, "one more"), None);
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
    let kinds = b"\x00\x01\x02\x03\x04\x11\x12\x13\x15\x16\x18\x19\x1A\x1C\x1F\x06\x08";
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
    writer.strings([&b"ab"[..], b""].into_iter()).unwrap();
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
