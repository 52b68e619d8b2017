//! The conformance vectors of messages.

use std::fs;
use std::path::Path;

use holdall::{Code, Decoder, Encoder, Error, Limits, Profile, Value};
use serde_json::Value as Json;

/// Only every `NTH` vector is tried, from files of at most `LONGEST` bytes. An interpreter, which stands for machines that are not at
/// hand, takes a second for a vector, and minutes for a long file.
const NTH: usize = if cfg!(miri) { 8 } else { 1 };
const LONGEST: usize = if cfg!(miri) { 1 << 14 } else { 1 << 24 };
/// How many there are at least.
const LEAST: usize = if cfg!(miri) { 20 } else { 400 };

/// The vectors of a folder, each with its bytes.
fn vectors(folder: &str) -> Vec<(Json, Vec<u8>)> {
    let conformance = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conformance");
    let mut all = Vec::new();
    for entry in fs::read_dir(conformance.join(folder)).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        if text.len() > LONGEST {
            continue;
        }
        let file: Json = serde_json::from_str(&text).unwrap();
        for vector in file["vectors"].as_array().unwrap().iter().step_by(NTH) {
            let Some(hex) = vector["hex"].as_str() else { continue };
            let byte = |part| u8::from_str_radix(part, 16);
            let Ok(bytes) = hex.split_whitespace().map(byte).collect() else { continue };
            all.push((vector.clone(), bytes));
        }
    }
    all
}

/// Reads a message. An interpreter refuses those of very many rows.
fn read(bytes: &[u8]) -> Result<Value, Error> {
    let limits = if cfg!(miri) { Limits::new().budget(1 << 12) } else { Limits::new() };
    Decoder::new().limits(limits).decode(bytes)
}

/// Whether a message is not for this test: columns inside zstd need one of the decoders, which need std.
fn is_left_out(code: Code) -> bool {
    code == Code::Unsupported || (cfg!(miri) && code == Code::LimitBudget)
}

#[test]
fn valid_messages_are_read_and_canonical_ones_written_again() {
    let (mut valid, mut written) = (0, 0);
    for (vector, bytes) in vectors("valid") {
        // Those without their schema need one that is given.
        if bytes.first() != Some(&0xC1) || bytes[1] & 1 != 0 || !vector["form"].is_null() {
            continue;
        }
        let name = &vector["name"];
        let value: Value = match read(&bytes) {
            Ok(value) => value,
            Err(error) if is_left_out(error.code()) => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        valid += 1;
        let profile = match vector["profile"].as_str() {
            Some("fast") => Profile::Fast,
            Some("balanced") => Profile::Balanced,
            _ => continue,
        };
        if vector["canonical"] == true {
            let again = Encoder::new().profile(profile).encode(&value).unwrap();
            assert_eq!(again, bytes, "{name}");
            written += 1;
        }
    }
    assert!(valid > LEAST && written > LEAST / 2, "{valid} read, {written} written");
}

#[test]
fn invalid_messages_give_their_codes_and_offsets() {
    let mut checked = 0;
    for (vector, bytes) in vectors("invalid") {
        let has_schema = bytes.get(1).is_none_or(|flags| flags & 1 == 0);
        if bytes.first() != Some(&0xC1)
            || !has_schema
            || !vector["form"].is_null()
            || !vector["budget"].is_null()
        {
            continue;
        }
        let (name, code) = (&vector["name"], vector["code"].as_str().unwrap());
        let error = read(&bytes).expect_err(code);
        if is_left_out(error.code()) {
            continue;
        }
        assert_eq!(error.code().as_str(), code, "{name}: {error}");
        if let Some(offset) = vector["offset"].as_u64() {
            assert_eq!(error.offset(), Some(offset), "{name}");
        }
        checked += 1;
    }
    assert!(checked > LEAST, "{checked}");
}
