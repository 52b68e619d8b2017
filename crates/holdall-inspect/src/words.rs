//! The names of codes, from the tables in the spec's chapter 15.

use std::fmt::Write;

/// The name of a type (F-56).
pub(crate) fn of_type(code: u64) -> &'static str {
    const NAMES: [&str; 36] = [
        "never",
        "null",
        "bool",
        "int",
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "f16",
        "bf16",
        "f32",
        "f64",
        "string",
        "bytes",
        "byte strings of one length",
        "option of",
        "list of",
        "array of",
        "tuple of",
        "struct",
        "record",
        "map of",
        "union of",
        "tensor of",
        "packed",
        "definition",
        "shared definition",
        "same as a struct",
        "logical type",
        "extension",
    ];
    let known = usize::try_from(code).ok().and_then(|code| NAMES.get(code).copied());
    known.unwrap_or(if code >= 0xE0 { "type of a later version" } else { "no type" })
}

/// The name of an encoding (F-57).
pub(crate) fn of_encoding(byte: u64) -> String {
    let name = match byte {
        0..=0x39 | 0x40 => return frame(byte),
        0x80..=0xB9 | 0xC0 => return frame(byte - 0x80) + " above a base",
        0x41 => "delta",
        0x42 => "scaled",
        0x44 => "big integers",
        0x45 => "widths",
        0x46 => "bins",
        0x50 => "all false",
        0x51 => "all true",
        0x48 | 0x52 | 0x58 => "raw",
        0x59 => "constant",
        0x5B => "decimal",
        0x49 => "byte planes",
        0x5C => "patterns",
        0x60 => "plain",
        0x61 => "dictionary",
        0x62 => "templates",
        0x70 => "zstd",
        0xE0.. => "encoding of a later version",
        _ => "no encoding",
    };
    name.to_owned()
}

fn frame(width: u64) -> String {
    match width {
        0 => "frame of no bits".to_owned(),
        1 => "frame of 1 bit".to_owned(),
        _ => format!("frame of {width} bits"),
    }
}

/// Version and flags (F-58).
pub(crate) fn of_flags(byte: u64) -> String {
    const FLAGS: [&str; 4] = ["fingerprint", "definitions", "aligned", "extended"];
    let set: Vec<&str> = (0..4).filter(|bit| byte >> bit & 1 != 0).map(|bit| FLAGS[bit]).collect();
    let flags = if set.is_empty() { "no flags".to_owned() } else { set.join(", ") };
    match byte >> 4 {
        15 => format!("a stream; {flags}"),
        version => format!("version {version}; {flags}"),
    }
}

/// Extended flags (F-66).
pub(crate) fn of_extended_flags(byte: u64) -> String {
    const FLAGS: [&str; 4] = ["metadata", "checksum", "length", "dictionary"];
    let name = |bit: usize| FLAGS.get(bit).copied().unwrap_or("reserved");
    let set: Vec<&str> = (0..8).filter(|bit| byte >> bit & 1 != 0).map(name).collect();
    if set.is_empty() { "none".to_owned() } else { set.join(", ") }
}

/// The form of a record's shapes (F-18).
pub(crate) fn of_form(form: u64) -> &'static str {
    match form {
        0 => "all in every row",
        1 => "of several shapes",
        2 => "each row says which",
        _ => "of no form",
    }
}

/// Without an article.
pub(crate) fn bare(words: &str) -> &str {
    ["the ", "an ", "a "].iter().find_map(|article| words.strip_prefix(article)).unwrap_or(words)
}

/// A count with its noun.
pub(crate) fn count(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Bytes as digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A number with its digits in groups of three.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Text that cannot control a terminal or reverse the text around it.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if is_control(char) {
            out.extend(char.escape_default());
        } else {
            out.push(char);
        }
    }
    out
}

/// Whether a character controls a terminal, or reverses the text around it.
#[must_use]
pub fn is_control(char: char) -> bool {
    let turns =
        matches!(char, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    char.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups_of_three_digits() {
        let all = [0, 12, 123, 1_234, 123_456, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
    }
}
