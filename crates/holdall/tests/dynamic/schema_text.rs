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
