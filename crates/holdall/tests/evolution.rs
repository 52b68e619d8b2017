//! Reading with another schema (spec, chapter 13).

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use common::chance::Chance;
use common::graphs::{graph, same_graph};
use common::make::{int, list, null, object, record, tuple, variant};
use common::mutate::mutate;
use common::tagged::{TaggedSink, compact, read};
use common::{hex, schemas};
use holdall::{
    ChangeKind, Decoder, Error, Field, Limits, Reads, Resolver, Result, Schema, Shared, Value,
    ValueBuilder, from_slice, to_vec,
};
use serde_json::Value as Json;

/// The vectors of conformance/evolution: area, and one record of a file.
fn vectors() -> Vec<(String, Json)> {
    let folder: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "conformance", "evolution"].iter().collect();
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
            | "reader_schema" | "reader_schema_hex" | "value" | "code" | "path" => {}
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

fn fault(error: &Error) -> String {
    format!("{} in {}", error.code(), error.path())
}

#[test]
fn vectors_are_read_as_they_say() {
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
            (Json::Null, Err(error)) => {
                let path = vector["path"].as_str().unwrap_or(error.path());
                (format!("{} in {path}", text(&vector["code"])), fault(error))
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

// Who can read whom: each line of F-78, both ways.

/// A schema alone, with its number of definitions.
fn schema(digits: &str) -> Schema {
    Schema::from_bytes(&hex(digits)).unwrap_or_else(|error| panic!("{digits}: {error}"))
}

fn schema_of(value: &Value) -> Schema {
    Schema::of_message(&to_vec(value).unwrap()).unwrap()
}

/// `always`, `depends` with the conditions, or the code and path.
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
    // tensor(fixed(2)), tensor(fixed(3)); list(fixed(2)), tensor(fixed(2)): no elements that are looked at by themselves
    ("00 1D 14 04", "00 1D 14 06", "incompatible in $", "incompatible in $"),
    ("00 16 14 04", "00 1D 14 04", "incompatible in $", "$ if all rows have rank 1"),
    // 22: list(u8), array(2, u8); list(u8), bytes; list(u8), tensor(u8); tuple(u8), tuple(u8, u8); list(u8), string
    ("00 16 04", "00 17 04 04", "$ if all rows have 2 items", "always"),
    ("00 16 04", "00 13", "always", "always"),
    ("00 16 04", "00 1D 04", "always", "$ if all rows have rank 1"),
    ("00 18 02 04", "00 18 04 04 04", "incompatible in $", "incompatible in $"),
    ("00 16 04", "00 12", "incompatible in $", "incompatible in $"),
    ("00 22 0A 00 16 04", "00 22 0B 00 16 04", "always", "always"),
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
fn each_line_says_who_reads_whom() {
    let mut faults = Vec::new();
    for (old, new, expected, back) in PAIRS {
        let (old, new) = (schema_bytes(old), schema_bytes(new));
        let diff = old.diff(&new);
        let got = (verdict(&diff.new_reads_old), verdict(&diff.old_reads_new));
        if (&*got.0, &*got.1) != (*expected, *back) {
            faults.push(format!("{old}, {new}\n  expected {expected}, {back}\n  got      {got:?}"));
        }
        // Who has a schema reads it.
        for schema in [old, new] {
            let own = schema.diff(&schema);
            assert_eq!(verdict(&own.new_reads_old), "always", "{schema}");
            assert!(own.changes.is_empty(), "{own}");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A schema whose names are written as 2 bytes: their length as it is, not doubled, for the eye.
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
fn an_option_that_cannot_be_read_says_why_what_is_inside_cannot() {
    let writer = schema_of(&list([record([("a", text_value("x"))]), null()]));
    let reader = schema_of(&list([record([("a", int(1))])]));
    let error = Resolver::new(reader).plan(&writer).unwrap_err();
    assert_eq!(error.to_string(), "incompatible in $[].a: expected int, got string");
}

#[test]
fn an_alias_is_looked_at_where_rows_differ() {
    // Every row has new, one has old too.
    let rows = [record([("new", int(1))]), record([("old", text_value("x")), ("new", int(2))])];
    let resolver = Resolver::new(schema_of(&list([record([("new", int(1))])])))
        .alias(Field::of_record("new"), ["old"]);
    let error = on_error(resolver.convert(&list(rows)));
    assert_eq!(fault(&error), "incompatible in $[].new");
    // Where all rows have both, it is not.
    let rows = list([record([("new", int(1)), ("old", text_value("x"))])]);
    assert_eq!(resolver.convert(&rows).unwrap(), list([record([("new", int(1))])]));
}

#[test]
fn what_a_diff_says_of_a_message_holds() {
    // What always can be read is read, and what never can be is not.
    let mut chance = Chance::new(7);
    let mut counts = [0; 3];
    for _ in 0..400 {
        let (value, _kept) = graph(&mut chance);
        let Ok(message) = to_vec(&value) else { continue };
        let writer = Schema::of_message(&message).unwrap();
        let reader = match chance.below(2) {
            0 => schema_of_random(&mut chance),
            // Not every graph can be written: one may be nothing but itself.
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
        let diff = old.diff(&new);
        assert!(!diff.to_string().is_empty());
        read += usize::from(!matches!(diff.new_reads_old, Reads::Never(_)));
        let own = old.diff(&old);
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
fn a_message_read_with_its_own_schema_is_the_same_value() {
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
    for vector in common::vectors::valid() {
        let input = &vector.input;
        let message = input.form == common::vectors::Form::Message;
        // Rows of encodings of later versions are read into no type; only a reader without one passes them on.
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

/// Reads a message with its own schema: into the same value, and the same events.
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
    // Two rows that are one value have two identities there, and here one.
    if !plain.contains("[\"id\"") {
        assert_eq!(own, plain, "{schema}");
    }
}

// Depth and identity

const DEPTH: usize = 1_000_000;

/// Runs a test where recursion would show: a million frames of even 1 byte are more than the stack has.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// #0 where #0 = struct N {next: option(#0), v: f64}
const NODES: &str = "02 1F 00 19 04 4E 10 10 6E 65 78 74 15 1F 00 04 76 11";

#[test]
fn a_linked_list_of_a_million_records() {
    on_a_small_stack(|| {
        let value =
            (0..DEPTH).fold(null(), |next, at| record([("v", int(at as i64)), ("next", next)]));
        let message = to_vec(&value).unwrap();
        drop(value);
        let read = Resolver::new(schema(NODES)).read(&message).unwrap();
        let mut at = &read;
        for number in (0..DEPTH).rev() {
            assert_eq!(at["v"], Value::F64(number as f64));
            at = at.field("next").unwrap();
        }
        assert_eq!(*at, null());
    });
}

#[test]
fn a_fault_a_million_levels_deep_has_its_path() {
    on_a_small_stack(|| {
        let innermost = list([Value::F64(0.1)]);
        let message = to_vec(&(0..DEPTH).fold(innermost, |value, _| list([value]))).unwrap();
        let reader = Value::list([(0..40).fold(list([Value::F32(0.0)]), |value, _| list([value]))]);
        let resolver = Resolver::new(schema_of(&reader));
        // A list of lists and of a float narrower than the data's.
        let error = resolver.read(&message).map(|_| ()).unwrap_err();
        assert_eq!(error.code().as_str(), "unconvertible");
        assert!(error.path().starts_with("$[0][0]"), "{:.80}", error.path());
    });
}

fn shared(value: Value) -> Value {
    Value::Shared(Shared::new(value))
}

#[test]
fn a_chain_that_doubles_stays_small() {
    let double =
        |innermost: Value| (0..50).fold(innermost, |value, _| shared(list([value.clone(), value])));
    let message = to_vec(&double(list([int(7)]))).unwrap();
    // Each level into f64, and those of one type at one place.
    let reader = schema_of(&double(list([Value::F64(7.0)])));
    let read = Resolver::new(reader).read(&message).unwrap();
    assert_eq!(read, double(list([Value::F64(7.0)])));
    same_graph(&read, &double(list([Value::F64(7.0)]))).unwrap();
}

#[test]
fn a_chain_that_doubles_into_ever_other_types_ends() {
    // #0 = record {a: option(shared(#0)), b: option(shared(#0))}, read into two types that lead to each other.
    let link = |next: Value| shared(record([("a", next.clone()), ("b", next)]));
    let message = to_vec(&(0..50).fold(null(), |next, _| link(next))).unwrap();
    // #0 where #0 = struct A {a: option(#0), b: option(#1)}, #1 = struct B {a: option(#1), b: option(#0)}
    let reader = schema(
        "04 1F 00 19 04 41 10 04 61 15 1F 00 04 62 15 1F 02 19 04 42 10 06 15 1F 02 0A 15 1F 00",
    );
    let read = Resolver::new(reader).read(&message).unwrap();
    let written = to_vec(&read).unwrap();
    // Each of the 50 once in each type.
    assert!(written.len() < 1000, "{}", written.len());
    assert_eq!(read.field("a").unwrap().get(), read.field("a").unwrap());
    let Value::Struct(of) = read.field("b").unwrap().get() else { panic!() };
    assert_eq!(&**of.name(), "B");
}

#[test]
fn a_ring_of_200000_is_a_ring() {
    on_a_small_stack(|| {
        let len = 200_000;
        let ring = Value::Shared(Shared::cyclic(|first| {
            let last = Value::Weak(first.clone());
            (0..len).fold(last, |next, at| {
                let node = record([("v", int(at as i64)), ("next", next)]);
                if at + 1 == len { node } else { shared(node) }
            })
        }));
        let message = to_vec(&ring).unwrap();
        let read = Resolver::new(schema(NODES)).read(&message).unwrap();
        let Value::Shared(first) = &read else { panic!("{:.200}", format!("{read:?}")) };
        let mut at = first.clone();
        for number in (0..len).rev() {
            assert_eq!(at.get()["v"], Value::F64(number as f64));
            at = match at.get().field("next") {
                Some(Value::Shared(next)) => next.clone(),
                Some(Value::Weak(next)) => next.upgrade().unwrap(),
                // Only what comes again has a handle.
                Some(Value::Struct(_)) | None => {
                    let mut value = at.get().field("next").unwrap();
                    let mut rest = number;
                    while let Value::Struct(_) = value {
                        rest -= 1;
                        assert_eq!(value["v"], Value::F64(rest as f64));
                        value = value.field("next").unwrap();
                    }
                    let Value::Weak(weak) = value else { panic!("not a ring") };
                    assert!(weak.upgrade().unwrap().is_same(first));
                    return;
                }
                other => panic!("{other:?}"),
            };
        }
        assert!(at.is_same(first));
    });
}

#[test]
fn what_comes_again_in_a_default_is_one_value() {
    let tag = shared(list([text_value("x")]));
    let default = list([tag.clone(), tag]);
    let message = to_vec(&list([record([("a", int(1))]), record([("a", int(2))])])).unwrap();
    let reader = schema_of(&list([record([
        ("a", int(1)),
        ("tags", list([list([text_value("x")]), list([])])),
    ])]));
    let resolver = Resolver::new(reader).default(Field::of_record("tags"), default.clone());
    let read = resolver.read(&message).unwrap();
    let tags = |row: usize| read[row]["tags"].clone();
    assert_eq!(tags(0), default);
    let (first, second) = (tags(0), tags(1));
    let handle = |value: &Value| match &value[0] {
        Value::Shared(shared) => shared.clone(),
        other => panic!("{other:?}"),
    };
    assert!(handle(&first).is_same(&handle(&second)));
}

fn text_value(text: &str) -> Value {
    Value::from(text)
}

// Options, limits, plans

#[test]
fn a_plan_is_made_once() {
    let resolver = Resolver::new(schema_of(&list([Value::F64(0.0)])));
    let writer = schema_of(&list([int(1)]));
    let plan = resolver.plan(&writer).unwrap();
    assert!(Arc::ptr_eq(&plan, &resolver.plan(&writer).unwrap()));
    // Not by its address: an equal schema has it too.
    let again = Schema::from_bytes(writer.as_bytes()).unwrap();
    assert!(Arc::ptr_eq(&plan, &resolver.plan(&again).unwrap()));
    resolver.read(&to_vec(&list([int(3)])).unwrap()).unwrap();
    // A message with that schema keeps it in use, and 200 others do not push it out.
    for len in 0..200 {
        let value = list([shared_tuple(len)]);
        assert!(resolver.plan(&schema_of(&value)).is_err());
        let other = format!("00 16 15 {}", "15 ".repeat(len % 100) + "11");
        resolver.plan(&schema(&other)).unwrap();
        assert!(Arc::ptr_eq(&plan, &resolver.plan(&writer).unwrap()), "{len}");
    }
    // Other options, other plans.
    let rounding = resolver.round_floats(true);
    assert!(!Arc::ptr_eq(&plan, &rounding.plan(&writer).unwrap()));
}

fn shared_tuple(len: usize) -> Value {
    Value::tuple((0..len % 9).map(|_| null()))
}

#[test]
fn a_default_that_its_field_cannot_hold_is_an_error_of_the_plan() {
    let resolver = Resolver::new(schema_of(&record([("a", int(1)), ("b", Value::U8(0))])))
        .default(Field::of_record("b"), text_value("no number"));
    let error = resolver.plan(&schema_of(&record([("a", int(1))]))).unwrap_err();
    assert_eq!(error.to_string(), "incompatible in $.b: expected u8, got string");
    // It is read as data are.
    let resolver = resolver.default(Field::of_record("b"), int(7));
    let read = resolver.convert(&record([("a", int(1))])).unwrap();
    assert_eq!(read, record([("a", int(1)), ("b", Value::U8(7))]));
}

#[test]
fn a_default_that_lacks_itself_runs_into_the_budget() {
    // struct P {z: struct... } cannot be without end; a definition can: #0 where #0 = struct P {z: #0}
    let reader = schema("02 1F 00 19 04 50 08 04 7A 1F 00");
    let empty = Value::Struct(holdall::Struct::new("P", holdall::Record::from_iter([])));
    let resolver = Resolver::new(reader).default(Field::of_struct("P", "z"), empty.clone());
    let error = on_error(resolver.convert(&empty));
    assert_eq!(error.code().as_str(), "limit_budget");
}

fn on_error(read: Result<Value>) -> Error {
    read.map(|_| ()).unwrap_err()
}

#[test]
fn what_a_message_grows_to_is_charged() {
    // 100,000 references to one list of 1,000, each row into a type of its own would be 10^8 values; into one it is few.
    let one = shared(list((0..1000).map(int)));
    let message = to_vec(&list((0..1000).map(|_| one.clone()))).unwrap();
    let floats = Resolver::new(schema("00 16 16 11"));
    assert_eq!(floats.read(&message).unwrap()[999][999], Value::F64(999.0));
    let mut decoder = Decoder::new().limits(Limits::new().budget(40_000));
    let mut builder = ValueBuilder::new();
    // 1 list, 1,000 of its items, 1,000 others, 8 units each.
    floats.message(&mut decoder, &message, &mut builder).unwrap();
    // Bytes become 8 times as many units where they are items.
    let bytes = to_vec(&Value::Bytes(vec![7; 3000])).unwrap();
    let lists = Resolver::new(schema("00 16 03"));
    let error = lists.message(&mut decoder, &bytes, &mut ValueBuilder::new()).unwrap_err();
    assert_eq!(error.code().as_str(), "limit_budget");
    let mut wider = Decoder::new().limits(Limits::new().budget(80_000));
    lists.message(&mut wider, &bytes, &mut ValueBuilder::new()).unwrap();
}

#[test]
fn rows_that_only_lead_to_each_other_are_read_soon_or_not() {
    // list(shared(#0)) where #0 = extension "e"(union(int, shared(#0))): row k is row k - 1, and 2,000,000 items are each
    // a row.
    let message =
        hex("c1 12 02 16 20 00 23 04 65 1c 08 03 20 00 03 24 f4 03 24 f4 00 42 04 01 02 \
         40 01 00 00 00 00 00 00 00 7f 84 1e 00 00 00 00 00 0a 41 02 80 04");
    let start = std::time::Instant::now();
    match Resolver::new(schema("00 16 03")).read(&message) {
        Ok(read) => assert!(matches!(&read, Value::List(items) if items.len() == 2_000_000)),
        Err(error) => assert_eq!(error.code().as_str(), "limit_budget"),
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn hostile_schemas_are_refused_soon() {
    // A union of as many lists as a schema may have, and a reader with a union of many.
    let union = |count: usize| {
        let lists = (0..count).map(|at| [&[0x16; 2][..], &[0x04 + (at % 10) as u8]].concat());
        let head = common::varint(2 * count as u64);
        [&[0x00, 0x1C], &head[..], &lists.collect::<Vec<_>>().concat()].concat()
    };
    let reader = Schema::from_bytes(&union(300)).unwrap();
    let writer = Schema::from_bytes(&union(80_000)).unwrap();
    let start = std::time::Instant::now();
    let error = Resolver::new(reader).plan(&writer).map(|_| ()).unwrap_err();
    assert_eq!(error.code().as_str(), "limit_sites");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_long_name_of_many_types_is_looked_at_seldom() {
    // #0 = list(int), and a tuple of shared(#0) and records whose field's name is the first's, by its index (F-16).
    let (count, len) = (100_000, 500_000);
    let mut bytes = vec![0x02, 0x18];
    bytes.extend(common::varint(count + 1));
    bytes.extend([0x20, 0x00, 0x1A, 0x08]);
    bytes.extend(common::varint(2 * len));
    bytes.extend(std::iter::repeat_n(b'n', len as usize));
    bytes.push(0x03);
    bytes.extend([0x1A, 0x08, 0x02, 0x03].repeat(count as usize - 1));
    bytes.extend([0x16, 0x03]);
    let hostile = Schema::from_bytes(&bytes).unwrap();
    let start = std::time::Instant::now();
    let error = Resolver::new(hostile.clone()).plan(&hostile).map(|_| ()).unwrap_err();
    assert_eq!(error.code().as_str(), "limit_sites");
    // A reader that asks for none of them.
    let error = Resolver::new(schema("00 16 03")).plan(&hostile).map(|_| ()).unwrap_err();
    assert_eq!(error.code().as_str(), "incompatible");
    assert!(hostile.diff(&hostile).changes.is_empty());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn unions_of_many_variants_are_compared_soon() {
    let union = |item: u8, count: usize| {
        let head = common::varint(2 * count as u64);
        let bytes = [&[0x00, 0x1C], &head[..], &[0x16, 0x16, item].repeat(count)].concat();
        Schema::from_bytes(&bytes).unwrap()
    };
    let (old, new) = (union(0x04, 80_000), union(0x12, 80_000));
    let start = std::time::Instant::now();
    let error = Resolver::new(schema("00 03")).plan(&old).map(|_| ()).unwrap_err();
    assert_eq!(error.code().as_str(), "incompatible");
    assert_eq!(old.diff(&new).changes.len(), 80_000);
    assert!(start.elapsed().as_secs() < 40, "{:?}", start.elapsed());
}

#[test]
fn every_int_of_16_bits_becomes_what_it_is_or_nothing() {
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
fn a_diff_tells_each_change_with_its_path() {
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
    let diff = schema_of(&old).diff(&schema_of(&new));
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
fn a_diff_tells_options_and_what_only_values_decide() {
    let rows = |rows: Vec<Value>| schema_of(&list(rows));
    let old =
        rows(vec![record([("a", int(1)), ("b", null())]), record([("a", int(1)), ("b", int(2))])]);
    let new = rows(vec![
        record([("a", null()), ("b", int(1))]),
        record([("a", Value::U8(1)), ("b", int(2))]),
    ]);
    assert_eq!(
        old.diff(&new).to_string(),
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
    let diff = nodes.diff(&other);
    let changes: Vec<String> =
        diff.changes.iter().map(|change| format!("{} {:?}", change.path, change.kind)).collect();
    assert_eq!(changes, ["$ StructRenamed", "$.v TypeChanged"]);
    assert_eq!(verdict(&diff.new_reads_old), "incompatible in $.v");
}

// Damage

#[test]
fn damaged_messages_are_read_or_refused() {
    let vectors = vectors();
    let sources: Vec<(Vec<u8>, Resolver)> =
        vectors.iter().map(|(_, it)| (hex(text(&it["hex"])), resolver(it))).collect();
    let mut chance = Chance::new(20_240_911);
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    const COUNT: usize = 20_000;
    for number in 0..COUNT {
        let (message, resolver) = &sources[number % sources.len()];
        let mut message = message.clone();
        for _ in 0..*chance.pick(&[1, 1, 1, 2, 3]) {
            let other = &chance.pick(&sources).0;
            mutate(&mut chance, &mut message, other);
        }
        // Now and then a reader of something else.
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
        assert!(met.get(code).is_some_and(|count| *count > COUNT / 500), "{met:?}");
    }
}
