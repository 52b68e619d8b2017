//! Finds the fault of a text and its place. Nothing here runs before an error is certain.

use std::borrow::Cow;

use holdall::bindings::memory::GrowVec;
use holdall::{Code, Error};
use jiter::{JiterError, JiterErrorType, JsonErrorType};

use super::index::{Index, IndexBuilder, TextKind};
use crate::number::MANY_DIGITS;
use crate::path::{Step, excerpt, not_utf8, path};

const KEY: &str = "a key in double quotes";

/// Checks what must hold before the first token: no byte order mark, and UTF-8.
pub(super) fn check_utf8(text: &[u8]) -> Result<&str, Error> {
    if text.starts_with(b"\xEF\xBB\xBF") {
        return Err(Error::at(Code::BadInput, 0)
            .expected("text without a byte order mark")
            .got("EF BB BF"));
    }
    std::str::from_utf8(text).map_err(|_| {
        let (offset, got) = not_utf8(text, "the end of the text").unwrap_or_default();
        Error::at(Code::BadInput, offset).expected("UTF-8").got(got)
    })
}

/// Returns the error for a text that jiter rejected.
#[cold]
pub(super) fn of(builder: &IndexBuilder<'_>, error: &JiterError) -> Error {
    let text = builder.text;
    // The place that jiter reports, and the beginning of the value, key or separator that it could not read.
    let (at, begin) = (error.index, builder.jiter.current_index());
    let bad = |offset: usize, expected: &'static str, got: Cow<'static, str>| {
        Error::at(Code::BadInput, offset).expected(expected).got(got)
    };
    let seen = |offset: usize| Cow::Owned(seen(text, offset));
    let JiterErrorType::JsonError(kind) = &error.error_type else {
        return Error::at(Code::BadInput, at).got(error.error_type.to_string());
    };
    let error = match kind {
        JsonErrorType::EofWhileParsingValue if is_number(&text[begin..]) => number(text, begin, at),
        JsonErrorType::EofWhileParsingValue if builder.expects_key() => bad(at, KEY, seen(at)),
        JsonErrorType::EofWhileParsingValue
        | JsonErrorType::ExpectedSomeValue
        | JsonErrorType::ExpectedSomeIdent => bad(begin, "a value", seen(begin)),
        JsonErrorType::EofWhileParsingList => bad(at, "the end of the array", seen(at)),
        JsonErrorType::EofWhileParsingObject => bad(at, "the end of the object", seen(at)),
        JsonErrorType::EofWhileParsingString => {
            bad(text.len(), "the end of the string", seen(text.len()))
        }
        JsonErrorType::ExpectedColon => bad(at, "`:`", seen(at)),
        JsonErrorType::ExpectedListCommaOrEnd => bad(at, "`,` or `]`", seen(at)),
        JsonErrorType::ExpectedObjectCommaOrEnd => bad(at, "`,` or `}`", seen(at)),
        JsonErrorType::KeyMustBeAString => bad(at, KEY, seen(at)),
        JsonErrorType::TrailingComma => bad(at, "another item after the comma", seen(at)),
        JsonErrorType::TrailingCharacters => bad(at, "the end of the text", seen(at)),
        JsonErrorType::InvalidNumber => number(text, begin, at),
        JsonErrorType::InvalidEscape => bad(at, "a valid JSON escape", seen(at)),
        JsonErrorType::ControlCharacterWhileParsingString => {
            bad(at, "control characters in strings to be escaped", seen(at))
        }
        JsonErrorType::LoneLeadingSurrogateInHexEscape
        | JsonErrorType::UnexpectedEndOfHexEscape => {
            let at = lone_surrogate(text, begin).unwrap_or(at);
            let got = excerpt(text.get(at..at + 6).unwrap_or(""));
            bad(at, "surrogates in pairs", Cow::Owned(format!("{got} alone")))
        }
        other => Error::at(Code::BadInput, at).got(other.to_string()),
    };
    match kind {
        // Between values the fault is the container's; after the last value there is none.
        JsonErrorType::TrailingCharacters => error,
        JsonErrorType::ExpectedListCommaOrEnd => error.with_path(|| {
            let mut steps = steps_to(&builder.index, text, builder.index.tokens.len());
            steps.pop();
            path(&steps)
        }),
        _ => error.with_path(|| path_to(&builder.index, text, builder.index.tokens.len())),
    }
}

/// The error for a decimal that f64 cannot hold.
#[cold]
pub(super) fn out_of_range(builder: &IndexBuilder<'_>, offset: usize) -> Error {
    let literal = &builder.text[offset..builder.jiter.current_index()];
    Error::at(Code::BadInput, offset)
        .expected("a number in the range of f64")
        .got(excerpt(literal))
        .with_path(|| path_to(&builder.index, builder.text, builder.index.tokens.len()))
}

/// The error for an integer of too many digits.
#[cold]
pub(super) fn many_digits(builder: &IndexBuilder<'_>, offset: usize) -> Error {
    let digits = builder.jiter.current_index() - offset;
    Error::at(Code::BadInput, offset)
        .expected(MANY_DIGITS)
        .got(format!("one of {digits} bytes"))
        .with_path(|| path_to(&builder.index, builder.text, builder.index.tokens.len()))
}

fn is_number(text: &str) -> bool {
    text.starts_with(|char: char| char == '-' || char.is_ascii_digit())
}

fn number(text: &str, begin: usize, at: usize) -> Error {
    let before = text[begin..at].trim_start_matches('-');
    let expected = if before == "0" { "no digit after a leading zero" } else { "a digit" };
    Error::at(Code::BadInput, at).expected(expected).got(seen(text, at))
}

/// Returns the offset of the first unpaired surrogate in the string whose quote is the first at or after `from`.
fn lone_surrogate(text: &str, from: usize) -> Option<usize> {
    let unit = |at: usize| match text.get(at..at + 6)?.strip_prefix("\\u") {
        Some(digits) => u16::from_str_radix(digits, 16).ok(),
        None => None,
    };
    let mut at = from + text[from..].find('"')?;
    loop {
        at += text[at..].find('\\')?;
        at += match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => return Some(at),
            _ => 2,
        };
    }
}

/// Describes the text at an offset.
fn seen(text: &str, offset: usize) -> String {
    let rest = text.get(offset..).unwrap_or("");
    match rest.chars().next() {
        None => "the end of the text".to_owned(),
        Some(char) if char.is_control() => format!("U+{:04X}", u32::from(char)),
        Some(char) if char.is_ascii_alphabetic() => {
            let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
            excerpt(&rest[..end.unwrap_or(rest.len())])
        }
        Some(char) => format!("`{char}`"),
    }
}

/// Returns the path (F-41) to the token at a position, which may be the next one.
#[cold]
pub(super) fn path_to(index: &Index, text: &str, position: usize) -> String {
    path(&steps_to(index, text, position))
}

fn steps_to<'a>(index: &'a Index, text: &'a str, position: usize) -> Vec<Step<'a>> {
    let tokens = &index.tokens;
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    // The end of the value at `at`, if that is not after the position.
    let hop = |at: usize| Some(tokens.get(at)?.after(at)).filter(|&after| after <= position);
    let mut steps = Vec::new();
    let mut at = 0;
    while at < position {
        let mut child = at + 1;
        match kind(at) {
            Some(TextKind::List) => {
                let mut number = 0;
                while let Some(after) = hop(child).filter(|_| kind(child) != Some(TextKind::End)) {
                    child = after;
                    number += 1;
                }
                if kind(child) == Some(TextKind::End) {
                    break;
                }
                steps.put(Step::Item(number));
                at = child;
            }
            Some(TextKind::Object) => {
                while let Some(after) =
                    hop(child + 1).filter(|_| kind(child) != Some(TextKind::End))
                {
                    child = after;
                }
                match tokens.get(child) {
                    Some(key) if key.kind != TextKind::End => {
                        steps.put(Step::Key(Cow::Borrowed(index.str(text, *key))));
                    }
                    _ => break,
                }
                at = child + 1;
            }
            _ => break,
        }
    }
    steps
}
