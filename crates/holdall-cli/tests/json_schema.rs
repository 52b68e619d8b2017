//! JSON Schema of schemas, and schemas of it.

use std::fs;
use std::path::Path;

use holdall::resolution::Reads;
use holdall::{Diff, Schema};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// What a command line prints, or its error.
fn run(arguments: &[&str], stdin: &[u8]) -> Result<String, String> {
    let arguments: Vec<_> = std::iter::once("schema").chain(arguments.iter().copied()).collect();
    crate::printed(&arguments, stdin).map(|text| String::from_utf8(text).unwrap())
}

#[test]
fn a_schema_of_json_comes_back_from_its_json_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/valid");
    let (mut held, mut refused) = (0, 0);
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
        let vectors = vectors["vectors"].as_array().or(vectors.as_array()).unwrap();
        for vector in vectors {
            let Some(schema) = vector["schema"].as_str() else { continue };
            let written = match run(&["--json-schema"], schema.as_bytes()) {
                Ok(written) => written,
                Err(error) => {
                    let is_known = ["a type that JSON can hold", "at most 128"]
                        .iter()
                        .any(|known| error.contains(known));
                    assert!(is_known, "{schema}: {error}");
                    refused += 1;
                    continue;
                }
            };
            let read = run(&["--from-json-schema"], written.as_bytes());
            let read = read.unwrap_or_else(|error| panic!("{schema}: {error}\n{written}"));
            // What JSON cannot tell apart is one type now, and stays it.
            let again = run(&["--json-schema"], read.as_bytes()).unwrap();
            assert_eq!(run(&["--from-json-schema"], again.as_bytes()).unwrap(), read, "{schema}");
            held += 1;
        }
    }
    assert!(held > 300 && refused > 20, "{held} schemas, {refused} refused");
}

#[test]
fn a_root_that_its_parts_name_is_written_once() {
    let direct = r##"{"title": "T", "description": "Docs.", "type": "object", "required": ["next"],
        "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}}"##;
    let by_another = r##"{"title": "T", "type": "object", "required": ["u"],
        "properties": {"u": {"$ref": "#/$defs/u"}}, "$defs": {"u": {"type": "array", "items": {"$ref": "#"}}}}"##;
    let cases = [
        (direct, "#root where /// Docs. #root = struct T {next: option(#root)}"),
        (by_another, "#root where #root = struct T {u: #u}, #u = list(#root)"),
    ];
    for (text, expected) in cases {
        let read = run(&["--from-json-schema"], text.as_bytes()).unwrap();
        let words = |text: &str| text.replace(['\n', ' ', ','], "");
        assert_eq!(words(&read), words(expected));
        let written = run(&["--json-schema"], read.as_bytes()).unwrap();
        assert_eq!(run(&["--from-json-schema"], written.as_bytes()).unwrap(), read);
    }
}

#[test]
fn hostile_json_schema_is_an_error() {
    let nested = |levels| "{\"items\":".repeat(levels) + "true" + &"}".repeat(levels);
    let (deep, deeper) = (nested(200), nested(3_000_000));
    let wide = format!(
        "{{\"anyOf\":[{}]}}",
        (0..300_000)
            .map(|n| format!("{{\"title\":\"t{n}\",\"properties\":{{}}}}"))
            .collect::<Vec<_>>()
            .join(",")
    );
    let cases = [
        (deep.as_str(), "schemas nested at most 128 deep"),
        (deeper.as_str(), "limit_nesting at offset 9216: expected at most 1024 levels"),
        (wide.as_str(), "holdall: stdin: "),
        ("{\"$ref\":\"#\"}", "holdall: stdin: "),
        ("{\"$ref\":\"#/a\",\"a\":{\"$ref\":\"#/a\"}}", "holdall: stdin: "),
        ("{\"$ref\":\"#/%zz\"}", "a reference to a place in this text"),
        ("{\"type\":\"array\"}", "an array of any items"),
        ("{\"type\":\"date\"}", "the name of a type of JSON Schema, got \"date\""),
        ("{\"allOf\":[{},{}]}", "one schema in allOf, got 2"),
        ("[1]", "any value at all has no type"),
        ("{", "bad_input"),
    ];
    for (text, expected) in cases {
        let error = run(&["--from-json-schema"], text.as_bytes()).unwrap_err();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

const NAMES: [&str; 5] = ["a", "B", "c d", "type", "\u{e9}"];

/// Fields or variants of different names.
fn named(
    inner: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = Vec<String>> + Clone {
    subsequence(NAMES.to_vec(), 1..=4).prop_flat_map(move |names| {
        let types = prop::collection::vec(inner.clone(), names.len());
        types.prop_map(move |types| {
            names.iter().zip(types).map(|(name, ty)| format!("{name:?}: {ty}")).collect()
        })
    })
}

/// Types that JSON can hold and tell apart: no options of options, and no unions of types that are one in JSON.
fn types() -> impl Strategy<Value = String> {
    let scalars = ["null", "bool", "int", "u8", "i64", "u128", "f32", "f64", "string"];
    let scalar = select(scalars.map(str::to_owned).to_vec());
    scalar.prop_recursive(4, 24, 4, |inner| {
        let fields = named(inner.clone());
        let required = inner.clone().prop_filter("an option of an option", |ty| {
            !ty.starts_with("option") && !ty.starts_with("null")
        });
        prop_oneof![
            required.clone().prop_map(|ty| format!("option({ty})")),
            required.prop_map(|ty| format!("union(bool, tuple({ty}))")),
            inner.clone().prop_map(|ty| format!("union(string, u8, list({ty}))")),
            inner.clone().prop_map(|ty| format!("list({ty})")),
            inner.clone().prop_map(|ty| format!("array(3, {ty})")),
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|types| format!("tuple({})", types.join(", "))),
            inner.clone().prop_map(|ty| format!("map(string, {ty})")),
            (fields.clone(), any::<bool>()).prop_map(|(fields, is_sparse)| {
                let end = if is_sparse { " sparse" } else { "" };
                format!("record {{{}}}{end}", fields.join(", "))
            }),
            fields.clone().prop_map(|fields| format!("struct S {{{}}}", fields.join(", "))),
            fields.prop_map(|variants| format!("union {{{}}}", variants.join(", "))),
            Just("union {X: null, Y: null}".to_owned()),
        ]
    })
}

proptest! {
    #[test]
    fn what_json_schema_says_of_a_type_reads_its_data(root in types(), inside in types()) {
        let text = format!("record {{root: {root}, chain: #c}} where #c = record {{next: option(#c), own: {inside}}}");
        let back = run(&["--from-json-schema"], run(&["--json-schema"], text.as_bytes()).unwrap().as_bytes()).unwrap();
        let [old, new]: [Schema; 2] = [&text, &back].map(|text| text.parse().unwrap());
        let reads = Diff::between(&old, &new).new_reads_old;
        prop_assert!(matches!(reads, Reads::Always), "{text}\n{back}\n{reads:?}");
    }
}

#[test]
fn named_unions_come_back_as_they_are() {
    let cases = [
        "union {Y: null, X: list(int)}",
        "union {x: null, y: null}",
        "option(union {V: option(int), W: record {a: int}})",
        "union {only: string}",
        "union {}",
        "list(union(int, union {x: null, y: bool}))",
    ];
    for text in cases {
        let text = format!("{text}\n");
        let written = run(&["--json-schema"], text.as_bytes()).unwrap();
        let read = run(&["--from-json-schema"], written.as_bytes()).unwrap();
        assert_eq!(read, text, "{written}");
    }
    let documented = "union {\n    /// First.\n    x: null,\n    /// Second.\n    y: int,\n}\n";
    let written = run(&["--json-schema"], documented.as_bytes()).unwrap();
    assert_eq!(run(&["--from-json-schema"], written.as_bytes()).unwrap(), documented);
}

#[test]
fn a_one_of_that_holdall_did_not_write_is_what_documents_have() {
    let text = br#"{"oneOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false},
        {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"], "additionalProperties": false}]}"#;
    let read = run(&["--from-json-schema"], text).unwrap().replace(['\n', ' '], "");
    assert_eq!(read, "union(record{a:int},record{b:string})");
}

#[test]
fn a_payload_that_is_refused_has_its_place() {
    let text = br#"{"x-holdall": "union", "oneOf": [{"const": "a"},
        {"type": "object", "properties": {"b": {"type": "what"}}, "required": ["b"], "additionalProperties": false}]}"#;
    let error = run(&["--from-json-schema"], text).unwrap_err();
    assert!(error.contains(" in #/oneOf/1/properties/b: "), "{error}");
}

#[test]
fn keywords_that_contradict_themselves_or_each_other_are_errors() {
    for (text, place, expected) in [
        (r#"{"oneOf": []}"#, "#", "schemas in oneOf"),
        (r#"{"properties": {"a": {"anyOf": []}}}"#, "#/properties/a", "schemas in anyOf"),
        (r#"{"type": []}"#, "#", "names in `type`"),
        (
            r#"{"properties": {"a": {"type": "null"}}, "required": ["a", "b"]}"#,
            "#",
            "each name in `required`",
        ),
        (
            r#"{"properties": {"a": {"type": "null"}}, "required": "a"}"#,
            "#",
            "a list of names in `required`",
        ),
        (
            r#"{"properties": {"a": {"type": "null"}}, "required": [1]}"#,
            "#",
            "a list of names in `required`",
        ),
        (r#"{"type": "string", "const": 5}"#, "#", "a value of type string"),
        (
            r#"{"type": ["string", "null"], "enum": ["a", 0.5]}"#,
            "#",
            "a value of type string or null",
        ),
    ] {
        let error = run(&["--from-json-schema"], text.as_bytes()).unwrap_err();
        assert!(
            error.contains(&format!(" in {place}: ")) && error.contains(expected),
            "{text}: {error}"
        );
    }
    for (text, schema) in [
        (r#"{"type": "integer", "const": 5}"#, "int"),
        (r#"{"type": "number", "enum": [5, 0.5]}"#, "union(int, f64)"),
        (r#"{"type": ["string", "null"], "enum": ["a", null]}"#, "option(string)"),
    ] {
        assert_eq!(run(&["--from-json-schema"], text.as_bytes()).unwrap().trim(), schema, "{text}");
    }
}

#[test]
fn an_enum_of_json_schema_is_the_text_that_documents_have() {
    let texts: [&[u8]; 2] = [
        br#"{"enum": ["x", "y"]}"#,
        br#"{"oneOf": [{"const": "x", "description": "First."}, {"const": "y"}]}"#,
    ];
    let [read, other] = texts.map(|text| run(&["--from-json-schema"], text).unwrap());
    assert_eq!((&*read, &*other), ("string\n", "string\n"));
    let document = holdall_convert::json::pack(br#""x""#).unwrap();
    let schema = holdall::Decoder::new().schema(&document).unwrap();
    assert!(matches!(Diff::between(&schema, &read.parse().unwrap()).new_reads_old, Reads::Always));
}
