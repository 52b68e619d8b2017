//! JSON Schema of schemas, and schemas of it.

use std::fs;
use std::path::Path;

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
