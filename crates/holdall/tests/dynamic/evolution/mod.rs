//! Reading with another schema (spec, chapter 13).

mod diffs;
mod directions;

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

/// Returns `always`, `depends` with the conditions, or the code and path.
fn verdict(reads: &Reads) -> String {
    match reads {
        Reads::Always => "always".to_owned(),
        Reads::Depends(checks) => {
            let each = checks.iter().map(|check| format!("{} {}", check.path, check.condition));
            each.collect::<Vec<_>>().join("; ")
        }
        Reads::Never(error) => fault(error),
    }
}

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

fn resolved(resolver: &Resolver, message: &[u8]) -> Result<String> {
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
        let answer = resolved(&resolver, &message);
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

fn schema_of_random(chance: &mut Chance) -> Schema {
    Schema::from_bytes(&schemas::schema(chance)).unwrap()
}

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
    let (plain, own) = (plain.finish(), resolved(&resolver, message).unwrap());
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
