//! Reading with another schema (spec, chapter 13).

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::common::chance::{Chance, rounds};
use crate::common::evolving::{NODES, fault, on_error, schema, schema_of, text_value};
use crate::common::graphs::{graph, same_graph};
use crate::common::make::{int, list, null, object, record, tuple, variant};
use crate::common::mutate::mutate;
use crate::common::tagged::{TaggedSink, compact, read};
use crate::common::{hex, schemas};
use holdall::resolution::{ChangeKind, Reads};
use holdall::{
    Decoder, Field, Limits, Resolver, Result, Schema, Value, ValueBuilder, from_slice, to_vec,
};
use serde_json::Value as Json;

/// The vectors of conformance/evolution: the area, and one record of a file.
fn vectors() -> Vec<(String, Json)> {
    let folder: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "..", "conformance", "evolution"].iter().collect();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut vectors = Vec::new();
    for file in files {
        let area = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let json: Json = serde_json::from_str(&text).unwrap();
        vectors
            .extend(json["vectors"].as_array().unwrap().iter().map(|v| (area.clone(), v.clone())));
    }
    vectors
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_else(|| panic!("a string expected, not {json}"))
}

fn texts(json: &Json) -> Vec<&str> {
    json.as_array().unwrap().iter().map(text).collect()
}

fn field(entry: &Json) -> Field {
    match &entry[0] {
        Json::Null => Field::of_record(text(&entry[1])),
        owner => Field::of_struct(text(owner), text(&entry[1])),
    }
}

/// The reader that a vector describes.
fn resolver(vector: &Json) -> Resolver {
    let schema = Schema::from_bytes(&hex(text(&vector["reader_schema_hex"]))).unwrap();
    assert_eq!(schema.to_string(), text(&vector["reader_schema"]));
    let mut resolver = Resolver::new(schema);
    let none = Vec::new();
    for (name, what) in vector.as_object().unwrap() {
        let entries = what.as_array().unwrap_or(&none).iter();
        match name.as_str() {
            "aliases" => {
                for entry in entries {
                    resolver = resolver.alias(field(entry), texts(&entry[2]));
                }
            }
            "struct_aliases" => {
                for entry in entries {
                    resolver = resolver.struct_alias(text(&entry[0]), texts(&entry[1]));
                }
            }
            "variant_aliases" => {
                for entry in entries {
                    resolver = resolver.variant_alias(text(&entry[0]), texts(&entry[1]));
                }
            }
            "other_variants" => {
                for entry in entries {
                    resolver = resolver.other_variant(text(entry));
                }
            }
            "defaults" => {
                for entry in entries {
                    resolver = resolver.default(field(entry), read(&entry[2].to_string()));
                }
            }
            "open" => {
                for entry in entries {
                    resolver = resolver.open(field(entry));
                }
            }
            "round" => resolver = resolver.round_floats(what.as_bool().unwrap()),
            "unknown_fields" => {
                assert_eq!(what, "error");
                resolver = resolver.deny_unknown_fields(true);
            }
            "name" | "rules" | "note" | "hex" | "schema" | "schema_hex" | "budget"
            | "reader_schema" | "reader_schema_hex" | "value" | "code" | "path" | "rule"
            | "offset" => {}
            other => panic!("what is {other}?"),
        }
    }
    resolver
}

fn told(resolver: &Resolver, message: &[u8]) -> Result<String> {
    let mut sink = TaggedSink::default();
    resolver.message(&mut Decoder::new(), message, &mut sink)?;
    Ok(sink.finish())
}

#[test]
fn vectors_give_their_results() {
    let vectors = vectors();
    assert!(vectors.len() >= 300, "{}", vectors.len());
    let mut faults = Vec::new();
    for (area, vector) in &vectors {
        let name = text(&vector["name"]);
        let message = hex(text(&vector["hex"]));
        let schema = Schema::of_message(&message).unwrap();
        assert_eq!(schema.to_string(), text(&vector["schema"]), "{name}");
        let resolver = resolver(vector);
        let answer = told(&resolver, &message);
        let (expected, got) = match (&vector["value"], &answer) {
            (Json::Null, Err(error)) if vector["offset"].is_u64() => {
                let expected = (text(&vector["code"]), vector["offset"].as_u64());
                let got = (error.code().as_str(), error.offset());
                (format!("{expected:?}"), format!("{got:?}"))
            }
            (Json::Null, Err(error)) => {
                let [code, path, rule] = ["code", "path", "rule"].map(|part| text(&vector[part]));
                let got = format!("{} by {}", fault(error), error.rule().unwrap_or("none"));
                (format!("{code} in {path} by {rule}"), got)
            }
            (Json::Null, Ok(got)) => (text(&vector["code"]).to_owned(), got.clone()),
            (value, Ok(got)) => (compact(&value.to_string()), got.clone()),
            (value, Err(error)) => (compact(&value.to_string()), error.to_string()),
        };
        if expected != got {
            faults.push(format!("{area}/{name}\n  expected {expected}\n  got      {got}"));
            continue;
        }
        if let Ok(expected) = &answer {
            let expected = read(expected);
            let value = resolver.read(&message).unwrap();
            assert!(value == expected, "{name}: {value:?}");
            same_graph(&expected, &value).unwrap();
        }
    }
    assert!(faults.is_empty(), "{} of {}\n{}", faults.len(), vectors.len(), faults.join("\n"));
}

// Whether each schema reads the other's data: each line of F-78, in both directions.

/// Returns `always`, `depends` with the conditions, or the code and path.
fn verdict(reads: &Reads) -> String {
    match reads {
        Reads::Always => "always".to_owned(),
        Reads::Depends(doubts) => {
            let each = doubts.iter().map(|doubt| format!("{} {}", doubt.path, doubt.condition));
            each.collect::<Vec<_>>().join("; ")
        }
        Reads::Never(error) => fault(error),
    }
}

/// Two schemas, whether the second reads the first, and the first the second.
const PAIRS: &[(&str, &str, &str, &str)] = &[
    // 1: list(never), list(int); list(union {}), list(int)
    ("00 16 00", "00 16 03", "always", "incompatible in $[]"),
    ("00 16 1C 02", "00 16 03", "always", "incompatible in $[]"),
    // 2, 3 and 5: int, option(int); option(int), null; option(string), option(int)
    ("00 03", "00 15 03", "always", "$ if no row is null"),
    ("00 15 03", "00 01", "$ if all rows are null", "always"),
    ("00 15 12", "00 15 03", "incompatible in $", "incompatible in $"),
    ("00 01", "00 15 03", "always", "$ if all rows are null"),
    // 4 and 6: union(int, string), int; union(int, string), bool; union(int, string), union(string, int)
    ("00 1C 08 03 12", "00 03", "$ if no row is of type string", "always"),
    ("00 1C 08 03 12", "00 02", "incompatible in $", "incompatible in $"),
    ("00 1C 08 03 12", "00 1C 08 12 03", "always", "always"),
    ("00 1C 08 03 12", "00 1C 0C 03 12 02", "always", "$ if no row is of type bool"),
    // 7: union {A: int}, union {A: int, B: null}; union {A: int}, union {B: int}
    (
        "00 1C 06 02 41 03",
        "00 1C 0A 02 41 03 02 42 01",
        "always",
        "$<B> which is no variant of the reader",
    ),
    ("00 1C 06 02 41 03", "00 1C 06 02 42 03", "incompatible in $", "incompatible in $"),
    // 12 to 15: date(int), date(i64); date(int), duration[s](int); time[s](int), time[ms](int), both of int and i64
    ("00 22 01 00 03", "00 22 01 00 0C", "$ if the numbers are in its range", "always"),
    ("00 22 01 00 03", "00 22 04 02 00 03", "incompatible in $", "incompatible in $"),
    ("00 22 02 02 00 03", "00 22 02 02 01 03", "always", "$ if the times are whole in its unit"),
    (
        "00 22 02 02 00 0C",
        "00 22 02 02 01 0C",
        "$ if the times are in its range",
        "$ if the times are whole in its unit",
    ),
    // 8 to 10, 14: unknown[E0], unknown[E1]; extension "a"(int), int; extension "a"(int), extension "b"(int); date(int), int
    ("00 E0 00", "00 E1 00", "always", "always"),
    ("00 23 02 61 03", "00 03", "always", "always"),
    ("00 23 02 61 03", "00 23 02 62 03", "incompatible in $", "incompatible in $"),
    ("00 22 01 00 03", "00 03", "always", "always"),
    // 16: null, bool, string, bytes
    ("00 01", "00 02", "incompatible in $", "incompatible in $"),
    ("00 12", "00 13", "incompatible in $", "incompatible in $"),
    // 17: u8, u16; i8, u8; u64, i64; u8, i16; int, i128; u128, int
    ("00 04", "00 05", "always", "$ if the numbers are in its range"),
    ("00 09", "00 04", "$ if the numbers are in its range", "$ if the numbers are in its range"),
    ("00 04", "00 0A", "always", "$ if the numbers are in its range"),
    ("00 03", "00 0D", "$ if the numbers are in its range", "always"),
    ("00 08", "00 03", "always", "$ if the numbers are in its range"),
    // 18: u8, f16; u16, f16; i32, f64; i64, f64; u8, bf16
    ("00 04", "00 0E", "always", "incompatible in $"),
    ("00 05", "00 0E", "$ if it has exactly these numbers", "incompatible in $"),
    ("00 0B", "00 11", "always", "incompatible in $"),
    ("00 0C", "00 11", "$ if it has exactly these numbers", "incompatible in $"),
    ("00 04", "00 0F", "always", "incompatible in $"),
    // 19: f32, f64; f16, bf16; bf16, f32
    ("00 10", "00 11", "always", "$ if it has exactly these numbers"),
    ("00 0E", "00 0F", "$ if it has exactly these numbers", "$ if it has exactly these numbers"),
    ("00 0F", "00 10", "always", "$ if it has exactly these numbers"),
    // 20: fixed(2), bytes; fixed(2), fixed(3)
    ("00 14 04", "00 13", "always", "$ if all rows have 2 bytes"),
    ("00 14 04", "00 14 06", "incompatible in $", "incompatible in $"),
    // 21: tensor(u8), tensor(u16); tensor(bool), tensor(u8)
    ("00 1D 04", "00 1D 05", "always", "$[] if the numbers are in its range"),
    ("00 1D 02", "00 1D 04", "incompatible in $[]", "incompatible in $[]"),
    // tensor(fixed(2)), tensor(fixed(3)); list(fixed(2)), tensor(fixed(2)): elements are not compared one by one
    ("00 1D 14 04", "00 1D 14 06", "incompatible in $", "incompatible in $"),
    ("00 16 14 04", "00 1D 14 04", "incompatible in $", "$ if all rows have rank 1"),
    // 22: list(u8), array(2, u8); list(u8), bytes; list(u8), tensor(u8); tuple(u8), tuple(u8, u8); list(u8), string
    ("00 16 04", "00 17 04 04", "$ if all rows have 2 items", "always"),
    ("00 16 04", "00 13", "always", "always"),
    ("00 16 04", "00 1D 04", "always", "$ if all rows have rank 1"),
    ("00 18 02 04", "00 18 04 04 04", "incompatible in $", "incompatible in $"),
    ("00 16 04", "00 12", "incompatible in $", "incompatible in $"),
    ("00 22 0A 00 16 04", "00 22 0B 00 16 04", "always", "always"),
    // 5: option(union(union {Some: null}, u8)), option(option(u8)); union {Some: null, A: null}, option(option(u8));
    // and option(option(union {A: null}))
    ("00 15 1C 08 1C 06 10 53 6F 6D 65 01 04", "00 15 15 04", "always", "$ if no row is null"),
    (
        "00 1C 0A 10 53 6F 6D 65 01 02 41 01",
        "00 15 15 04",
        "$ if all rows are of variant Some",
        "incompatible in $",
    ),
    (
        "00 1C 0A 10 53 6F 6D 65 01 02 41 01",
        "00 15 15 1C 06 02 41 01",
        "always",
        "$ if no row is null; $ if no row is null",
    ),
    // 14 and 15: struct A {secs: u64, nanos: u32}, duration[ns](int); struct A {secs: i64, nanos: u16}, duration[s](i64)
    (
        "00 19 02 41 10 10 73 65 63 73 07 14 6E 61 6E 6F 73 06",
        "00 22 04 02 03 03",
        "$ if the nanoseconds are below 10^9",
        "$ if the times are in its range",
    ),
    (
        "00 19 02 41 10 10 73 65 63 73 0C 14 6E 61 6E 6F 73 05",
        "00 22 04 02 00 0C",
        "$ if the times are whole in its unit and the times are in its range",
        "always",
    ),
    // 23: record {a: int}, struct P {a: int, b: option(int)}; record {a: int}, record {a: int, b: int};
    // map(string, int), record {a: int}
    ("00 1A 08 02 61 03", "00 19 02 50 10 02 61 03 02 62 15 03", "always", "always"),
    ("00 1A 08 02 61 03", "00 1A 10 02 61 03 02 62 03", "missing_field in $.b", "always"),
    ("00 1B 12 03", "00 1A 08 02 61 03", "$.a if no row lacks the field", "always"),
    // record {a: int, b: int} sparse, record {a: int, b: int}
    (
        "00 1A 14 02 61 03 02 62 03",
        "00 1A 10 02 61 03 02 62 03",
        "$.a if no row lacks the field; $.b if no row lacks the field",
        "always",
    ),
    // 24 and 25: record {a: int}, map(int, int); map(union(int, u8), null), map(int, null)
    ("00 1A 08 02 61 03", "00 1B 03 03", "incompatible in $", "incompatible in $"),
    ("00 1B 1C 08 03 04 01", "00 1B 03 01", "$ if keys stay different", "always"),
];

#[test]
fn each_rule_gives_the_directions_in_which_it_reads() {
    let mut faults = Vec::new();
    for (old, new, expected, back) in PAIRS {
        let (old, new) = (schema_bytes(old), schema_bytes(new));
        let diff = holdall::Diff::between(&old, &new);
        let got = (verdict(&diff.new_reads_old), verdict(&diff.old_reads_new));
        if (&*got.0, &*got.1) != (*expected, *back) {
            faults.push(format!("{old}, {new}\n  expected {expected}, {back}\n  got      {got:?}"));
        }
        // A schema reads its own data.
        for schema in [old, new] {
            let own = holdall::Diff::between(&schema, &schema);
            assert_eq!(verdict(&own.new_reads_old), "always", "{schema}");
            assert!(own.changes.is_empty(), "{own}");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A schema whose name lengths are written undoubled in the digits, for readability.
fn schema_bytes(digits: &str) -> Schema {
    let mut bytes = hex(digits);
    // A name of one letter has the varint 04.
    for at in 1..bytes.len() {
        if bytes[at - 1] == 0x02 && bytes[at].is_ascii_alphabetic() {
            bytes[at - 1] = 0x04;
        }
    }
    Schema::from_bytes(&bytes).unwrap_or_else(|error| panic!("{digits}: {error}"))
}

#[test]
fn an_incompatible_option_gives_the_reason_of_its_contents() {
    let writer = schema_of(&list([record([("a", text_value("x"))]), null()]));
    let reader = schema_of(&list([record([("a", int(1))])]));
    let error = Resolver::new(reader).plan(&writer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "incompatible in $[].a: expected int, got string (F-78: no line fits)"
    );
}

#[test]
fn aliases_apply_row_by_row() {
    // Every row has new, one has old too.
    let rows = [record([("new", int(1))]), record([("old", text_value("x")), ("new", int(2))])];
    let resolver = Resolver::new(schema_of(&list([record([("new", int(1))])])))
        .alias(Field::of_record("new"), ["old"]);
    let error = on_error(resolver.convert(&list(rows)));
    assert_eq!(fault(&error), "incompatible in $[].new");
    // If all rows have both, it is not.
    let rows = list([record([("new", int(1)), ("old", text_value("x"))])]);
    assert_eq!(resolver.convert(&rows).unwrap(), list([record([("new", int(1))])]));
}

#[test]
fn diffs_agree_with_messages() {
    // Data that can always be read are read, and data that never can are not.
    let mut chance = Chance::new(7);
    let mut counts = [0; 3];
    for _ in 0..400 {
        let (value, _kept) = graph(&mut chance);
        let Ok(message) = to_vec(&value) else { continue };
        let writer = Schema::of_message(&message).unwrap();
        let reader = match chance.below(2) {
            0 => schema_of_random(&mut chance),
            // Some graphs cannot be written, because a value would be nothing but itself.
            _ => match to_vec(&graph(&mut chance).0) {
                Ok(other) => Schema::of_message(&other).unwrap(),
                Err(_) => continue,
            },
        };
        let resolver = Resolver::new(reader.clone());
        let read = resolver.read(&message);
        match resolver.reads(&writer) {
            Reads::Always => {
                counts[0] += 1;
                assert!(read.is_ok(), "{writer} into {reader}: {read:?}");
            }
            Reads::Depends(_) => counts[1] += 1,
            Reads::Never(error) => {
                counts[2] += 1;
                assert_eq!(read.unwrap_err().to_string(), error.to_string());
            }
        }
    }
    assert!(counts[1] > 0 && counts[2] > 0, "{counts:?}");
}

#[test]
fn any_two_schemas_have_a_diff() {
    let mut chance = Chance::new(11);
    let mut read = 0;
    for _ in 0..3000 {
        let [old, new] = [(); 2].map(|()| schema_of_random(&mut chance));
        let diff = holdall::Diff::between(&old, &new);
        assert!(!diff.to_string().is_empty());
        read += usize::from(!matches!(diff.new_reads_old, Reads::Never(_)));
        let own = holdall::Diff::between(&old, &old);
        assert!(!matches!(own.new_reads_old, Reads::Never(_)), "{old}\n{own}");
        assert!(own.changes.is_empty(), "{own}");
    }
    assert!(read > 100, "{read}");
}

fn schema_of_random(chance: &mut Chance) -> Schema {
    Schema::from_bytes(&schemas::schema(chance)).unwrap()
}

// The same schema

#[test]
fn resolving_to_the_same_schema_changes_nothing() {
    let mut chance = Chance::new(3);
    let mut count = 0;
    for _ in 0..1500 {
        let (value, _kept) = graph(&mut chance);
        let Ok(message) = to_vec(&value) else { continue };
        check_itself(&message);
        count += 1;
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn valid_vectors_read_with_their_own_schema_are_the_same() {
    let mut count = 0;
    for vector in crate::common::vectors::valid() {
        let input = &vector.input;
        let message = input.form == crate::common::vectors::Form::Message;
        // Rows in encodings of later versions cannot be read into a type; only a reader without one passes them on.
        let later = vector.value.as_ref().is_some_and(|value| value.contains("unknown"));
        if !message || input.has_fingerprint() || input.budget.is_some() || later {
            continue;
        }
        if Schema::of_message(&input.bytes).is_ok() {
            check_itself(&input.bytes);
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

/// Reads a message with its own schema: the value and the events must be the same.
fn check_itself(message: &[u8]) {
    let schema = Schema::of_message(message).unwrap();
    let resolver = Resolver::new(schema.clone());
    let (expected, got) = (from_slice::<Value>(message).unwrap(), resolver.read(message));
    let got = got.unwrap_or_else(|error| panic!("{schema}: {error}"));
    assert!(got == expected, "{schema}: {expected:?} became {got:?}");
    same_graph(&expected, &got).unwrap();
    let mut plain = TaggedSink::default();
    Decoder::new().message(message, &mut plain).unwrap();
    let (plain, own) = (plain.finish(), told(&resolver, message).unwrap());
    // Two rows that are one value had two identities there, and have one here.
    if !plain.contains("[\"id\"") {
        assert_eq!(own, plain, "{schema}");
    }
}

#[test]
fn every_int_of_16_bits_is_equal_or_rejected() {
    let all = list((i32::from(i16::MIN) - 2..=i32::from(u16::MAX) + 2).map(|n| int(n.into())));
    let Value::List(items) = &all else { panic!() };
    for (code, range) in [
        ("04", 0..=255),
        ("09", -128..=127),
        ("05", 0..=65535),
        ("0A", -32768..=32767),
        ("0E", -2048..=2048),
        ("0F", -256..=256),
    ] {
        let resolver = Resolver::new(schema(&format!("00 {code}")));
        for item in items.iter().filter(|item| item.as_i64().unwrap() % 7 == 0 || items.len() < 9) {
            let number = item.as_i64().unwrap();
            let read = resolver.convert(item);
            if range.contains(&number) {
                let read = read.unwrap();
                let same = read.as_i64() == Some(number) || read.as_f64() == Some(number as f64);
                assert!(same, "{number} into {code}: {read:?}");
            } else if let Ok(read) = read {
                assert_eq!(read.as_f64(), Some(number as f64), "{code}");
            }
        }
    }
}

// Diffs

#[test]
fn a_diff_reports_each_change_with_its_path() {
    let user = |fields: Vec<(&'static str, Value)>| list([object("User", fields)]);
    let old = user(vec![
        ("id", Value::U32(1)),
        ("name", text_value("Ada")),
        ("mail", text_value("a@b")),
        ("at", tuple([int(1), int(2)])),
        ("kind", variant("Admin", null())),
        ("note", list([int(1), text_value("x")])),
    ]);
    let new = user(vec![
        ("name", list([text_value("Ada"), null()])[0].clone()),
        ("id", Value::U64(1)),
        ("at", tuple([int(1), Value::F64(2.0)])),
        ("kind", variant("Guest", null())),
        ("note", list([int(1), Value::Bool(true)])),
        ("age", int(1)),
    ]);
    let diff = holdall::Diff::between(&schema_of(&old), &schema_of(&new));
    let changes: Vec<String> = diff.changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        changes,
        [
            "$[].mail: field removed, string",
            "$[].age: field added, int",
            "$[]: fields reordered",
            "$[].id: type changed, u32 to u64",
            "$[].at[1]: type changed, int to f64",
            "$[].kind<Admin>: variant removed, null",
            "$[].kind<Guest>: variant added, null",
            "$[].note[]: variant removed, string",
            "$[].note[]: variant added, bool",
        ]
    );
    assert_eq!(diff.changes[0].kind, ChangeKind::FieldRemoved);
    assert_eq!(diff.changes[3].old.as_deref(), Some("u32"));
    assert_eq!(verdict(&diff.new_reads_old), "incompatible in $[].kind");
}

#[test]
fn a_diff_reports_options_and_what_values_decide() {
    let rows = |rows: Vec<Value>| schema_of(&list(rows));
    let old =
        rows(vec![record([("a", int(1)), ("b", null())]), record([("a", int(1)), ("b", int(2))])]);
    let new = rows(vec![
        record([("a", null()), ("b", int(1))]),
        record([("a", Value::U8(1)), ("b", int(2))]),
    ]);
    assert_eq!(
        holdall::Diff::between(&old, &new).to_string(),
        "$[].a: made optional, int to option(u8)\n\
         $[].a: type changed, int to u8\n\
         $[].b: made required, option(int) to int\n\
         old reads new: depends on the values\n  \
           $[].a: option(u8) into int, if no row is null\n\
         new reads old: depends on the values\n  \
           $[].a: int into u8, if the numbers are in its range\n  \
           $[].b: option(int) into int, if no row is null\n"
    );
}

#[test]
fn recursive_schemas_have_a_diff() {
    let nodes = schema(NODES);
    // The same with another name, and v: string.
    let other = schema("02 1F 00 19 04 4D 10 10 6E 65 78 74 15 1F 00 04 76 12");
    let diff = holdall::Diff::between(&nodes, &other);
    let changes: Vec<String> =
        diff.changes.iter().map(|change| format!("{} {:?}", change.path, change.kind)).collect();
    assert_eq!(changes, ["$ StructRenamed", "$.v TypeChanged"]);
    assert_eq!(verdict(&diff.new_reads_old), "incompatible in $.v");
}

// Damage

#[test]
fn damaged_messages_are_read_or_rejected() {
    let vectors = vectors();
    let sources: Vec<(Vec<u8>, Resolver)> =
        vectors.iter().map(|(_, it)| (hex(text(&it["hex"])), resolver(it))).collect();
    let mut chance = Chance::new(20_240_911);
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let count = rounds(20_000);
    for number in 0..count {
        let (message, resolver) = &sources[number % sources.len()];
        let mut message = message.clone();
        for _ in 0..*chance.pick(&[1, 1, 1, 2, 3]) {
            let other = &chance.pick(&sources).0;
            mutate(&mut chance, &mut message, other);
        }
        // Sometimes a reader of another schema.
        let resolver = match chance.below(8) {
            0 => &chance.pick(&sources).1,
            _ => resolver,
        };
        let budget = *chance.pick(&[1 << 18, 1 << 16, 1 << 14, 500, 60]);
        let mut decoder = Decoder::new().limits(Limits::new().budget(budget));
        let mut builder = ValueBuilder::new();
        let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            resolver.message(&mut decoder, &message, &mut builder)?;
            builder.finish()
        }));
        let read = read.unwrap_or_else(|_| panic!("{message:02X?} into {}", resolver.reader()));
        let code = read.map_or_else(|error| error.code().to_string(), |_| "value".to_owned());
        *met.entry(code).or_default() += 1;
    }
    for code in ["value", "incompatible", "unconvertible"] {
        assert!(met.get(code).is_some_and(|times| *times > count / 500), "{met:?}");
    }
}
