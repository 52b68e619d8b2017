//! Tagged JSON, the notation of the conformance vectors: `["int","5"]`, `["list",[["null"]]]`.
//!
//! Values nest as deep as the data does, so nothing here recurses.
#![allow(dead_code, unused_imports, reason = "the example writes only, the tests read too")]

mod reader;
mod sink;
mod tokens;

pub use reader::read;
pub use sink::TaggedSink;
pub use tokens::{Token, Tokens, compact, quote, unquote};

use std::fmt::Write;

/// Parses pairs of hexadecimal digits, with spaces anywhere.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    assert!(rest.is_empty(), "an odd number of digits: {text}");
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.iter().map(byte).collect()
}

/// Formats bytes as pairs of hexadecimal digits.
fn unhex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(digits, "{byte:02x}").expect("strings take everything");
    }
    digits
}
