//! Damaged messages give an error when they are opened, or an archive whose values are those of decoding.

use std::collections::BTreeMap;

use holdall::archive::ArchivedList;
use holdall::{Archive, Code, Decoder, Limits};

use super::{Point, Row, RowRef, ShapeRef, forms, rows};
use crate::common::chance::{Chance, rounds};
use crate::common::mutate::mutate;

/// Reads every field.
fn touch(at: RowRef<'_>) -> usize {
    let points =
        |points: ArchivedList<'_, Point>| points.iter().filter(|at| at.x() > at.y()).count();
    let shape = match at.shape() {
        ShapeRef::Empty => 0,
        ShapeRef::Circle(radius) => usize::from(radius > 1.0),
        ShapeRef::Line { from, to } => usize::from(from.x() > to.y()),
        ShapeRef::Path(path, closed) => points(path) + usize::from(closed),
    };
    let texts = [at.name(), at.place().city(), at.flat().r#type(), at.only()];
    let numbers = (at.id(), at.signed(), at.born(), at.twice(), at.active(), at.ratio(), at.kind());
    let letter = at.letter().decode().map_or(0, |letter| letter.len_utf8());
    let lists: usize = at.nested().iter().map(|list| list.as_slice().unwrap().len()).sum();
    let entries = at.map().iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
    let pixels =
        at.pixels().to_vec().len() + at.set().len() + at.rare().map_or(0, ArchivedList::len);
    let result = at.result().map_or_else(str::len, usize::from);
    shape
        + texts.iter().map(|text| text.len()).sum::<usize>()
        + at.tags().iter().map(str::len).sum::<usize>()
        + usize::from(format!("{numbers:?}").is_empty())
        + points(at.corners())
        + (letter + lists + entries + pixels + result)
}

#[test]
fn damaged_messages_are_refused_or_read_as_by_decoding() {
    let messages: Vec<Vec<u8>> =
        [2, 7, 40].iter().flat_map(|count| forms(&rows(*count, 11))).collect();
    let (mut chance, mut met) = (Chance::new(1), BTreeMap::<String, usize>::new());
    let mutations = rounds(60_000);
    for number in 0..mutations {
        let mut bytes = messages[number % messages.len()].clone();
        for _ in 0..*chance.pick(&[1, 1, 2]) {
            let other = chance.pick(&messages);
            mutate(&mut chance, &mut bytes, other);
        }
        let mut decoder = Decoder::new().limits(Limits::new().budget(1 << 18));
        let decoded = decoder.decode::<Vec<Row>>(&bytes);
        let archive = match decoder.archive::<Vec<Row>>(&bytes) {
            Ok(archive) => archive,
            Err(error) => {
                *met.entry(error.code().to_string()).or_default() += 1;
                // Decoding converts other schemas. Otherwise it finds the same fault.
                if error.code() != Code::Incompatible {
                    let other = decoded.expect_err("an archive is refused only if decoding fails");
                    assert_eq!(
                        (other.code(), other.offset()),
                        (error.code(), error.offset()),
                        "{bytes:02X?}"
                    );
                }
                continue;
            }
        };
        let root = archive.root();
        root.iter().for_each(|at| _ = std::hint::black_box(touch(at)));
        let items = (0..archive.len()).map(|item| archive.get(item));
        match (decoded, items.collect::<Result<Vec<_>, _>>()) {
            (Ok(rows), Ok(items)) => {
                // A float that is not a number is not equal to itself.
                assert_eq!(format!("{items:?}"), format!("{rows:?}"));
                *met.entry("value".into()).or_default() += 1;
            }
            // What a type rejects. Decoding reads column by column, so that it can find another one first.
            (Err(_), Err(error)) => {
                let code = error.code();
                assert!([Code::Unconvertible, Code::DuplicateKey].contains(&code), "{error}");
                *met.entry(format!("value that is {code}")).or_default() += 1;
            }
            (decoded, items) => panic!("{:?} and {:?}", decoded.err(), items.err()),
        }
    }
    println!("{met:?}");
    for end in ["value", "incompatible", "invalid_utf8", "value that is unconvertible"] {
        assert!(met.contains_key(end), "{end}: {met:?}");
    }
    assert!(met["value"] > mutations / 100 && met.len() > 15, "{met:?}");
}

#[test]
fn a_truncated_message_is_refused() {
    for bytes in forms(&rows(5, 2)) {
        for len in 0..bytes.len() {
            assert!(Archive::<Vec<Row>>::new(&bytes[..len]).is_err(), "{len} bytes");
        }
    }
}
