//! Laws of statistics, over vectors, examples, profiles and envelopes.

use crate::common::{Input, examples, vectors};
use holdall::trace::locate_columns;
use holdall::{Alignment, Decoder, Encoder, Header, Metadata, Profile, Schema, Value};
use holdall_inspect::{Sort, Statistics, Summary};

const PROFILES: [Profile; 3] = [Profile::Fast, Profile::Balanced, Profile::Small];

fn valid() -> Vec<Input> {
    let mut all = [vectors("valid"), vectors("dictionaries"), examples()].concat();
    all.retain(|input| input.is_valid);
    assert!(all.len() > 400, "{}", all.len());
    all
}

fn statistics(message: &[u8]) -> Statistics {
    let decoder = Decoder::new();
    Statistics::of(message, &decoder).unwrap().compare(message, &decoder)
}

/// Rows of many kinds: sorted and repeated numbers, text, nothing, several types at one place, records of several
/// shapes.
fn rows(count: i64) -> Value {
    let row = |n: i64| {
        let mut fields = vec![
            ("id", Value::from(n)),
            ("word", Value::from(["red", "green", "blue"][n as usize % 3])),
            ("share", Value::from(n as f64 / 8.0)),
            ("tags", Value::from(vec![Value::from(n % 2 == 0); n as usize % 3])),
            ("odd name", if n % 4 == 0 { Value::Null } else { Value::from(n * n) }),
        ];
        if n % 5 == 0 {
            fields.push(("more", Value::from("one of several types")));
        } else if n % 7 == 0 {
            fields.push(("more", Value::from(n)));
        }
        Value::record(fields)
    };
    Value::from((0..count).map(row).collect::<Vec<_>>())
}

#[test]
fn the_bytes_of_all_parts_are_the_message() {
    for input in valid() {
        let statistics = Statistics::of(&input.bytes, &input.decoder()).unwrap();
        let sum: usize = statistics.parts().iter().map(|(_, bytes)| bytes).sum();
        assert_eq!(statistics.bytes, input.bytes.len(), "{}", input.name);
        assert_eq!(sum, statistics.decompressed.unwrap_or(statistics.bytes), "{}", input.name);
        for column in &statistics.columns {
            let is_named = !column.path.is_empty()
                && !column.type_text.is_empty()
                && !column.role.is_empty()
                && !column.encoding.is_empty();
            assert!(is_named && column.rows > 0, "{}: {column:?}", input.name);
            assert!(column.bytes > 0 || column.encoding == "raw", "{}: {column:?}", input.name);
        }
    }
}

#[test]
fn a_message_with_a_dictionary_has_the_columns_of_one_without() {
    let dictionary = vectors("dictionaries").remove(0).dictionary.unwrap();
    let mut decoder = Decoder::new();
    decoder.add_dictionary(&dictionary);
    // In profile small, columns are compressed already, and the dictionary does not help.
    for profile in [Profile::Fast, Profile::Balanced] {
        let metadata = Metadata::new([("source", "a test")]).unwrap();
        let encoder = || Encoder::new().profile(profile).metadata(metadata.clone()).checksum(true);
        let plain = encoder().message(&mut &rows(50)).unwrap();
        let message = encoder().dictionary(&dictionary).message(&mut &rows(50)).unwrap();
        let of = |message: &[u8]| {
            let statistics = Statistics::of(message, &decoder).unwrap().compare(message, &decoder);
            let columns = statistics.columns.iter();
            let columns: Vec<_> =
                columns.map(|own| (own.path.clone(), own.role, own.rows, own.bytes)).collect();
            (statistics, columns)
        };
        let ((own, columns), (other, others)) = (of(&message), of(&plain));
        assert_eq!(columns, others);
        assert_eq!((own.schema, own.row_counts), (other.schema, other.row_counts));
        // One more byte of flags would be there without it, too; the hash of 8 bytes would not.
        let decompressed = own.decompressed.unwrap();
        assert!((plain.len() + 8..plain.len() + 10).contains(&decompressed), "{decompressed}");
        assert_eq!((own.bytes, other.decompressed), (message.len(), None));
        assert!(own.bytes < other.bytes);
        // The sizes in other profiles are of messages with the same dictionary.
        let savings = own.savings.unwrap();
        assert!(savings.sizes.contains(&(profile, message.len())), "{savings:?}");
    }
}

#[test]
fn columns_are_those_that_the_decoder_locates() {
    let mut count = 0;
    for input in valid() {
        // It knows no schemas.
        let Ok(located) = locate_columns(&input.bytes) else { continue };
        let columns = Statistics::of(&input.bytes, &input.decoder()).unwrap().columns;
        assert_eq!(columns.len(), located.len(), "{}", input.name);
        for (column, located) in columns.iter().zip(&located) {
            assert_eq!(column.rows, located.place.rows, "{}", input.name);
            // Very long ones are truncated, each in its own way.
            if located.site.len() < 160 {
                assert_eq!(column.path, located.site);
            }
            assert!(column.bytes <= located.place.range.len(), "{}: {column:?}", input.name);
        }
        count += columns.len();
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn invalid_messages_have_no_statistics() {
    for input in vectors("invalid").iter().chain(&examples()) {
        let error = Statistics::of(&input.bytes, &input.decoder()).err();
        let expected = Summary::of(&input.bytes, &mut input.decoder()).err();
        let place = |error: holdall::Error| (error.code(), error.offset());
        assert_eq!(error.map(place), expected.map(place), "{}", input.name);
    }
}

#[test]
fn encodings_have_the_names_of_the_spec_and_their_number() {
    let value = rows(300);
    let encodings = |profile| {
        let message = Encoder::new().profile(profile).message(&mut &value).unwrap();
        let columns = statistics(&message).columns.into_iter();
        columns
            .map(|column| format!("{} {} {}", column.path, column.role, column.encoding))
            .collect::<Vec<_>>()
    };
    let [fast, balanced, small] = PROFILES.map(encodings);
    let has = |all: &[String], line: &str| {
        assert!(all.iter().any(|own| own == line), "{line} is not in {all:#?}");
    };
    has(&fast, "$ lengths few rows");
    has(&fast, "$[] shapes frame of 1 bit");
    has(&fast, "$[].id values frame of 9 bits");
    has(&fast, "$[].word values plain");
    has(&fast, "$[].share values raw");
    has(&balanced, "$[].id values delta");
    has(&balanced, "$[].word values dictionary of 3");
    has(&small, "$[].share values decimal");
    has(&small, "$[].more values dictionary of 1");
}

#[test]
fn a_column_s_family_is_that_of_its_type() {
    let types = [
        ("a", Value::from("few rows")),
        ("b", Value::from(7)),
        ("c", Value::from(0.5)),
        ("d", Value::from(true)),
        ("e", Value::from(vec![Value::from(String::new()); 9])),
        ("f", Value::from(vec![Value::from(1.5); 9])),
    ];
    for profile in PROFILES {
        let value = Value::record(types.clone());
        let message = Encoder::new().profile(profile).message(&mut &value).unwrap();
        let families: Vec<_> =
            statistics(&message).columns.iter().map(holdall_inspect::Column::family).collect();
        let expected =
            ["text", "integers", "floats", "bools", "structure", "text", "structure", "floats"];
        assert_eq!(families, expected);
    }
}

#[test]
fn rewriting_a_value_gives_the_size_shown_for_its_profile() {
    for count in [0, 1, 30, 300] {
        let value = rows(count);
        let write = |profile| Encoder::new().profile(profile).message(&mut &value).unwrap();
        let messages = PROFILES.map(write);
        let sizes: Vec<(Profile, usize)> =
            PROFILES.into_iter().zip(messages.iter().map(Vec::len)).collect();
        for message in &messages {
            let statistics = statistics(message);
            let savings = statistics.savings.as_ref().unwrap();
            assert_eq!(savings.sizes, sizes);
            let next = sizes[1..].iter().find(|(_, size)| *size < message.len());
            assert_eq!(savings.next, next.map(|(profile, _)| *profile));
            // Schema and envelope are the same, so the savings are those of the columns.
            let saved = next.map(|(_, size)| (message.len() - size) as i64);
            assert_eq!(statistics.saved(), saved);
            assert_eq!(savings.note, None);
        }
        assert_eq!(sizes[2].1 < sizes[0].1, count >= 30);
    }
}

#[test]
fn savings_exclude_the_envelope() {
    let value = rows(300);
    let metadata = Metadata::new([("source", "a test")]).unwrap();
    for (name, encoder) in [
        ("checksum", (|| Encoder::new().checksum(true)) as fn() -> Encoder),
        ("length", || Encoder::new().length(true)),
        ("aligned", || Encoder::new().aligned(Alignment::On)),
        ("fingerprint", || Encoder::new().header(Header::Fingerprint)),
    ] {
        let write = |profile| {
            let encoder = encoder().metadata(metadata.clone());
            encoder.profile(profile).message(&mut &value).unwrap()
        };
        let [fast, balanced, small] = PROFILES.map(write);
        let mut decoder = Decoder::new();
        decoder.add_schema(
            &Schema::of_message(&Encoder::new().message(&mut &value).unwrap()).unwrap(),
        );
        let statistics = Statistics::of(&fast, &decoder).unwrap().compare(&fast, &decoder);
        let savings = statistics.savings.as_ref().unwrap();
        let sizes: Vec<usize> = savings.sizes.iter().map(|(_, size)| *size).collect();
        assert_eq!(sizes, [fast.len(), balanced.len(), small.len()], "{name}");
        assert_eq!(statistics.metadata, 15, "{name}");
        let saved = statistics.saved().unwrap();
        if name == "aligned" {
            assert!(statistics.padding > 0 && saved > 0, "{name}");
        } else {
            assert_eq!((statistics.padding, saved as usize), (0, fast.len() - balanced.len()));
        }
    }
}

#[test]
fn rewriting_canonical_bytes_gives_the_same_bytes() {
    let (mut same, mut notes, mut others) = (0, 0, 0);
    for input in valid() {
        let decoder = input.decoder();
        let statistics = Statistics::of(&input.bytes, &decoder).unwrap();
        let statistics = statistics.compare(&input.bytes, &decoder);
        let savings = statistics.savings.unwrap();
        match savings.sizes.first() {
            Some((Profile::Fast, size)) if *size == input.bytes.len() => same += 1,
            Some(_) => others += 1,
            None => {
                assert!(savings.note.is_some() && savings.next.is_none(), "{}", input.name);
                notes += 1;
            }
        }
    }
    assert!(same > 200 && others > 20 && notes > 5, "{same} {others} {notes}");
}

#[test]
fn another_schema_does_not_change_sizes() {
    // A list of 100 packed u8, all 7: the value, written again, is a list of u8.
    let message = [&b"\xC1\x10\x16\x1E\x04\xC8\x48"[..], &[7; 100]].concat();
    let statistics = statistics(&message);
    assert_eq!(statistics.columns[1].type_text, "packed(u8)");
    assert_eq!(statistics.columns[1].encoding, "raw");
    let savings = statistics.savings.as_ref().unwrap();
    assert_eq!((savings.next, savings.sizes.len()), (Some(Profile::Balanced), 3));
    assert!(savings.columns.is_none() && savings.note.as_ref().unwrap().contains("schema"));
    assert!((0..2).all(|column| statistics.saving(column).is_none()));
}

#[test]
fn an_unknown_value_has_statistics_but_no_savings() {
    let input = valid().into_iter().find(|input| {
        let columns = Statistics::of(&input.bytes, &input.decoder()).unwrap().columns;
        columns.iter().any(|column| column.encoding == "of a later version")
    });
    let input = input.unwrap();
    let statistics = Statistics::of(&input.bytes, &input.decoder()).unwrap();
    let savings = statistics.compare(&input.bytes, &input.decoder()).savings.unwrap();
    assert!(savings.note.unwrap().starts_with("the value cannot be written again: "));
    assert!(savings.sizes.is_empty() && savings.columns.is_none());
}

#[test]
fn an_order_has_each_column_once() {
    let statistics = statistics(&holdall::to_vec(&rows(50)).unwrap());
    let all: Vec<usize> = (0..statistics.columns.len()).collect();
    assert_eq!(statistics.sorted(Sort::Order), all);
    for sort in [Sort::Bytes, Sort::Path] {
        let mut order = statistics.sorted(sort);
        let columns: Vec<_> = order.iter().map(|at| &statistics.columns[*at]).collect();
        assert!(match sort {
            Sort::Bytes => columns.is_sorted_by_key(|column| std::cmp::Reverse(column.bytes)),
            _ => columns.is_sorted_by_key(|column| &column.path),
        });
        order.sort_unstable();
        assert_eq!(order, all);
    }
}

#[test]
fn items_are_those_of_the_outermost_list_or_map() {
    let list = Value::from(vec![Value::from(1); 1000]);
    assert_eq!(statistics(&holdall::to_vec(&list).unwrap()).items, Some(1000));
    let inside = Value::record([("list", list)]);
    assert_eq!(statistics(&holdall::to_vec(&inside).unwrap()).items, None);
    // A map from int to bool, of two entries.
    let map = b"\xC1\x10\x1B\x03\x02\x04\x02\x04\x01";
    assert_eq!(statistics(map).items, Some(2));
    assert_eq!(statistics(&holdall::to_vec(&Value::from(vec![0_i64; 0])).unwrap()).items, Some(0));
}
