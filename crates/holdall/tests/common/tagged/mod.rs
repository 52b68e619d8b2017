//! Tagged JSON, the notation of the conformance vectors: `["int","5"]`, `["list",[["null"]]]`.
//!
//! Values nest as deep as the data does, so nothing here recurses.
#![allow(dead_code, reason = "the example writes only, the tests read too")]

mod read;
mod write;

use std::fmt::Write;

#[allow(unused_imports, reason = "the example writes only")]
pub use read::read;
pub use write::TaggedSink;

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

/// A token of JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// One of `[ ] { } , :`.
    Mark(char),
    /// A string with its quotes and escapes.
    String(&'t str),
    /// `true`, `null`, a number.
    Word(&'t str),
}

/// The tokens of a JSON text. It accepts all JSON, and some text that is not.
#[derive(Clone)]
pub struct Tokens<'t>(pub &'t str);

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let text = self.0.trim_start();
        let first = text.chars().next()?;
        let len = match first {
            '[' | ']' | '{' | '}' | ',' | ':' => 1,
            '"' => {
                let mut escaped = false;
                let end = text[1..].find(|char| {
                    let ends = char == '"' && !escaped;
                    escaped = char == '\\' && !escaped;
                    ends
                });
                end.map_or(text.len(), |end| end + 2)
            }
            _ => {
                let ends = |char: char| char.is_whitespace() || "[]{},:\"".contains(char);
                text.find(ends).unwrap_or(text.len())
            }
        };
        let (token, rest) = text.split_at(len);
        self.0 = rest;
        Some(match first {
            '[' | ']' | '{' | '}' | ',' | ':' => Token::Mark(first),
            '"' => Token::String(token),
            _ => Token::Word(token),
        })
    }
}

/// Formats a string as JSON, escaping as little as possible.
pub fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}

/// Parses a JSON string.
pub fn unquote(literal: &str) -> String {
    serde_json::from_str(literal).unwrap_or_else(|error| panic!("{literal}: {error}"))
}

/// JSON text without spaces, in the spelling of [`TaggedSink`].
pub fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in Tokens(text) {
        match token {
            Token::Mark(mark) => out.push(mark),
            Token::Word(word) => out.push_str(word),
            Token::String(literal) => out.push_str(&quote(&unquote(literal))),
        }
    }
    out
}
