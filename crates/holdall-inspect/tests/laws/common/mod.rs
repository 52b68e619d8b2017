//! Inputs: the conformance vectors, the spec's examples, and damage to them.

use std::fs;
use std::path::PathBuf;

use holdall::{Decoder, Dictionary, Limits, Schema};
use serde_json::Value;

#[allow(dead_code, reason = "these laws have random values alone")]
#[path = "../../../../holdall/tests/common/chance.rs"]
pub mod chance;
#[path = "../../../../holdall/tests/common/mutate.rs"]
pub mod mutate;
#[path = "../../../../holdall/tests/common/varint.rs"]
mod varint;

pub use varint::varint;

/// A message or stream, and the rest of a reader's input.
#[derive(Clone)]
pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
    pub schema: Option<Vec<u8>>,
    pub dictionary: Option<Dictionary>,
    pub budget: Option<u64>,
    /// Whether it contains a value; otherwise only a schema, or a fault.
    pub is_valid: bool,
    /// The faults of a stream, as code and offset.
    pub faults: Vec<(String, u64)>,
}

impl Input {
    pub fn decoder(&self) -> Decoder {
        let limits = self.budget.map_or(Limits::new(), |units| Limits::new().budget(units));
        let mut decoder = Decoder::new().limits(limits);
        if let Some(schema) =
            self.schema.as_deref().and_then(|bytes| Schema::from_bytes(bytes).ok())
        {
            decoder.add_schema(&schema);
        }
        self.dictionary.iter().for_each(|dictionary| decoder.add_dictionary(dictionary));
        decoder
    }
}

fn root() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", ".."].iter().collect()
}

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

/// Turns a body or a schema on its own into a message by adding a head.
fn head(schema: &[u8]) -> Vec<u8> {
    match schema {
        // No definitions.
        [0, schema @ ..] => [&[0xC1, 0x10], schema].concat(),
        schema => [&[0xC1, 0x12], schema].concat(),
    }
}

/// The vectors of a folder, with bodies and schemas as messages.
pub fn vectors(kind: &str) -> Vec<Input> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("conformance").join(kind))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    let mut inputs = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let parsed: Value = serde_json::from_str(&text).unwrap();
        let dictionary = parsed["dictionaries"]["events"].as_str();
        let dictionary = dictionary.map(|bytes| Dictionary::from_bytes(&hex(bytes)).unwrap());
        for vector in parsed["vectors"].as_array().unwrap() {
            // Without bytes it concerns writers.
            let Some(bytes) = vector["hex"].as_str().map(hex) else { continue };
            let schema = vector["schema_hex"].as_str().map(hex);
            let form = vector["form"].as_str().unwrap_or("message");
            let bytes = match form {
                "bare" => [head(schema.as_ref().unwrap()), bytes].concat(),
                "schema" => head(&bytes),
                _ => bytes,
            };
            inputs.push(Input {
                name: vector["name"].as_str().unwrap().to_owned(),
                bytes,
                schema,
                dictionary: dictionary.clone(),
                budget: vector["budget"].as_u64(),
                is_valid: match kind {
                    "streams" | "dictionaries" => vector["code"].is_null(),
                    kind => kind == "valid" && form != "schema",
                },
                faults: faults(vector),
            });
        }
    }
    assert!(!inputs.is_empty());
    inputs
}

/// The faults that a reader of a stream finds if it continues.
fn faults(vector: &Value) -> Vec<(String, u64)> {
    let fault = |code: &Value, offset: &Value| {
        (code.as_str().unwrap().to_owned(), offset.as_u64().unwrap())
    };
    match (vector["going_on"]["faults"].as_array(), vector["code"].is_null()) {
        (Some(faults), _) => faults.iter().map(|own| fault(&own[0], &own[1])).collect(),
        (None, true) => Vec::new(),
        (None, false) => vec![fault(&vector["code"], &vector["offset"])],
    }
}

/// The worked examples of the spec.
pub fn examples() -> Vec<Input> {
    let text = fs::read_to_string(root().join("spec/format.md")).unwrap();
    let blocks = text.split("```hold\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let example = |(number, block): (usize, &str)| {
        let (mut bytes, mut is_valid) = (Vec::new(), true);
        for line in block.lines() {
            let digits = line.split("  ").next().unwrap();
            if line.starts_with("error ") {
                is_valid = false;
            } else if !["value ", "balanced ", "other ", "schema "]
                .iter()
                .any(|key| line.starts_with(key))
            {
                bytes.extend(hex(digits));
            }
        }
        let name = format!("example {number}");
        let (schema, dictionary, budget, faults) = (None, None, None, Vec::new());
        Input { name, bytes, schema, dictionary, budget, is_valid, faults }
    };
    let all: Vec<Input> = blocks.enumerate().map(example).collect();
    assert!(all.len() > 20);
    all
}
