//! Schema text as people write it: what is read, what is refused and where, and how it is laid out.

use std::path::Path;

use holdall::schema_text::SchemaText;
use holdall::{Code, Schema};
use serde_json::Value as Json;

fn vectors() -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conformance/text/schema.json");
    let file: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    file["vectors"].as_array().unwrap().clone()
}

#[test]
fn texts_are_read_or_refused_at_their_fault() {
    for vector in vectors() {
        let text = vector["text"].as_str().unwrap();
        let outcome = text.parse::<Schema>();
        let got = match &outcome {
            Ok(schema) => schema.to_string(),
            Err(error) => format!("{} @ {}", error.code(), error.offset().unwrap()),
        };
        let expected = match vector["schema"].as_str() {
            Some(schema) => schema.to_owned(),
            None => format!("{} @ {}", vector["code"].as_str().unwrap(), vector["offset"]),
        };
        assert_eq!(got, expected, "{}: {outcome:?}", vector["name"]);
    }
}

#[test]
fn a_layout_is_the_same_schema_and_its_own_layout() {
    for vector in vectors().iter().filter(|vector| vector["schema"].is_string()) {
        let text = SchemaText::parse(vector["text"].as_str().unwrap()).unwrap();
        let once = text.to_string();
        let again = SchemaText::parse(&once).unwrap_or_else(|error| panic!("{once}: {error}"));
        assert_eq!(again.schema(), text.schema(), "{once}");
        assert_eq!(again.to_string(), once);
    }
}

#[test]
fn errors_name_line_and_column() {
    let error = "list(\n  // é\n  é)".parse::<Schema>().unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::BadInput, Some(16)));
    assert_eq!(
        error.to_string(),
        "bad_input at offset 16: expected a type, a name or a mark, got 'é', in line 3, column 3",
    );
    let error = "record {\"é\": int,\n a: u8, a: u8}".parse::<Schema>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "duplicate_name at offset 27: expected a different name for each, got \"a\" twice, in line 2, column 9",
    );
}

#[test]
fn errors_of_types_name_what_stands_there() {
    let cases = [
        ("set(u8)", "bad_storage at offset 4: expected a list as the storage of set, got u8"),
        ("uuid(u8)", "bad_storage at offset 5: expected fixed(16) as the storage of uuid, got u8"),
        (
            "date(string)",
            "bad_storage at offset 5: expected int or i64 as the storage of date, got string",
        ),
        (
            "decimal(tuple(u8, int))",
            "bad_storage at offset 8: expected tuple(u8, int, int) as the storage of decimal, got tuple",
        ),
        (
            "bit_vector(list(u8))",
            "bad_storage at offset 11: expected list(bool) as the storage of bit_vector, got list(u8)",
        ),
        (
            "packed(string)",
            "bad_packed at offset 7: expected a type whose values have a fixed width, got string",
        ),
        (
            "tensor(option(u8))",
            "bad_packed at offset 7: expected a type whose values have a fixed width, got option",
        ),
        (
            "packed(tuple())",
            "bad_packed at offset 7: expected a type whose values have 1 to 2^20 bytes, got tuple",
        ),
        (
            "packed(record {a: u8} sparse)",
            "bad_packed at offset 14: expected one shape, got rows with several",
        ),
        (
            "union()",
            "bad_union at offset 5: expected at least 2 unnamed variants, none of them an unnamed union, got 0",
        ),
        (
            "union(u8, union(u16, string))",
            "bad_union at offset 15: expected at least 2 unnamed variants, none of them an unnamed union, got an unnamed union in another",
        ),
        (
            "union(u8, null)",
            "bad_union at offset 10: expected a type that is not never, null or option, and each scalar once, got null",
        ),
    ];
    for (text, words) in cases {
        let error = text.parse::<Schema>().unwrap_err();
        let offset = error.offset().unwrap();
        assert_eq!(
            error.to_string(),
            format!("{words}, in line 1, column {}", offset + 1),
            "{text}"
        );
    }
    // There is no more to say than what is expected.
    let deep = format!("{}u8{}", "list(".repeat(200), ")".repeat(200));
    let error = deep.parse::<Schema>().unwrap_err();
    assert_eq!(error.code(), Code::LimitNesting);
    assert!(
        error.to_string().contains(": expected at most 128 levels, in line 1, column "),
        "{error}"
    );
}

const WRITTEN: &str = "// Users of the service.

version 1
/// A user.
struct User { id: u64, // never reused
  /// Since when.
  ///
  /// In UTC.
  born: option(timestamp[us,utc]), friends: list(shared( #user )),
  // The rest is unused:
  address: record { street: string, number: option(u16), city: string, country: string, more: map(string, string), } sparse,
  kind: union { Person: null, Robot: record{} } // for now
  // More to come.
}
where #user = #other2 // wrong on purpose
";

const LAID_OUT: &str = "// Users of the service.
version 1
/// A user.
struct User {
    id: u64, // never reused
    /// Since when.
    ///
    /// In UTC.
    born: option(timestamp[us, utc]),
    friends: list(shared(#user)),
    // The rest is unused:
    address: record {
        street: string,
        number: option(u16),
        city: string,
        country: string,
        more: map(string, string),
    } sparse,
    kind: union {Person: null, Robot: record {}}, // for now
    // More to come.
}
where
    #user = struct Friend {id: u64}, // others
";

#[test]
fn a_layout_keeps_comments_and_breaks_what_is_long() {
    let written =
        WRITTEN.replace("#other2 // wrong on purpose", "struct Friend {id:u64} // others");
    let text = SchemaText::parse(&written).unwrap();
    assert_eq!(text.to_string(), LAID_OUT);
    assert_eq!(SchemaText::parse(LAID_OUT).unwrap().to_string(), LAID_OUT);
    assert_eq!(text.doc(0), Some("A user."));
    assert_eq!(text.doc(2), Some("Since when.\n\nIn UTC."));
    assert_eq!(text.label(0), Some("user"));
}

#[test]
fn a_definition_that_is_a_label_is_refused_where_it_is_written() {
    let error = SchemaText::parse(WRITTEN).unwrap_err();
    assert_eq!(error.code(), Code::BadDefinition);
    assert_eq!(error.offset(), Some(WRITTEN.find("#other2").unwrap() as u64));
}
