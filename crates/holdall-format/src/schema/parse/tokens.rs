//! The tokens of schema text, and the comments before and beside them (F-99).

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

use crate::error::{Code, Error, Result};
use crate::memory::Grow;

/// A token, without its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters, digits and `_`.
    Word,
    /// A word after `#`.
    Label,
    /// A JSON string.
    Quoted,
    /// One of `()[]{},:=-`.
    Mark(u8),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub place: Range<usize>,
    /// Where the token before ends. White space and comments are in between.
    pub after: usize,
}

/// The tokens of a text one by one: only their text is as long as the text.
#[derive(Clone)]
pub struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    /// The tokens from a place on, at which none is cut.
    pub fn new(text: &'t str, at: usize) -> Self {
        Tokens { text, at }
    }

    /// The next token; at the end of the text always the end.
    pub fn next(&mut self) -> Result<Token> {
        let (text, bytes, after) = (self.text, self.text.as_bytes(), self.at);
        let at = end_of_gap(text, after)?;
        let (kind, end) = match bytes.get(at) {
            None => (TokenKind::End, at),
            Some(byte) if is_word(*byte) => (TokenKind::Word, end_of_word(bytes, at)),
            Some(b'#') => (TokenKind::Label, end_of_word(bytes, at + 1)),
            Some(b'"') => (TokenKind::Quoted, end_of_quoted(bytes, at)?),
            Some(mark @ (b'(' | b')' | b'[' | b']' | b'{' | b'}')) => {
                (TokenKind::Mark(*mark), at + 1)
            }
            Some(mark @ (b',' | b':' | b'=' | b'-')) => (TokenKind::Mark(*mark), at + 1),
            Some(_) => {
                let got = text[at..].chars().next().unwrap_or_default();
                return Err(bad(at, "a type, a name or a mark", format!("{got:?}")));
            }
        };
        self.at = end;
        Ok(Token { kind, place: at..end, after })
    }
}

/// The place after white space and comments.
fn end_of_gap(text: &str, mut at: usize) -> Result<usize> {
    let bytes = text.as_bytes();
    loop {
        match &bytes[at..] {
            [b' ' | b'\t' | b'\r' | b'\n', ..] => at += 1,
            [b'/', b'/', ..] => at = end_of_comment(bytes, at)?,
            _ => return Ok(at),
        }
    }
}

/// A comment with its place.
pub struct Comment {
    pub place: Range<usize>,
    /// Whether it belongs to the token before it, on whose line it is. Docs belong to what follows.
    pub is_beside: bool,
}

impl Token {
    /// The comments between the token before and this one.
    pub fn comments<'t>(&self, text: &'t str) -> impl Iterator<Item = Comment> + use<'t> {
        let (end, mut at, mut new_line) = (self.place.start, self.after, self.after == 0);
        core::iter::from_fn(move || {
            let begin = at + text[at..end].find('/')?;
            new_line |= text[at..begin].contains('\n');
            at = begin + text[begin..end].find('\n').unwrap_or(end - begin);
            let comment = text[begin..at].trim_end();
            let is_beside = !new_line && !comment.starts_with("///");
            Some(Comment { place: begin..begin + comment.len(), is_beside })
        })
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn end_of_word(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count()
}

/// The place of the line end after a comment. Editors and other languages end lines at characters at which schema text does not, so
/// what follows one would look like text, or become code where the comment is copied.
fn end_of_comment(bytes: &[u8], begin: usize) -> Result<usize> {
    let is_end = |byte: &u8| matches!(byte, 0..=0x1F) && *byte != b'\t';
    let at = bytes[begin..].iter().position(is_end).map_or(bytes.len(), |len| begin + len);
    match &bytes[at..] {
        [] | [b'\n', ..] | [b'\r', b'\n', ..] => Ok(at),
        [byte, ..] => {
            let got = format!("{:?}", char::from(*byte));
            Err(bad(at, "a comment without control characters", got))
        }
    }
}

/// The place after the closing quote.
fn end_of_quoted(bytes: &[u8], begin: usize) -> Result<usize> {
    let mut at = begin + 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') if bytes.get(at + 1) != Some(&b'\n') => at += 2,
            Some(b'\n') | None => return Err(bad(begin, "a string that ends on its line", "none")),
            Some(_) => at += 1,
        }
    }
}

/// The text of a JSON string with its quotes at a place.
pub fn unquoted(text: &str, place: Range<usize>) -> Result<String> {
    let mut name = String::new();
    let inside = place.start + 1..place.end - 1;
    let mut at = inside.start;
    while let Some(c) = text[at..inside.end].chars().next() {
        let rest = &text[at..inside.end];
        let (c, len) = match c {
            '\\' => escape(rest).ok_or_else(|| bad(at, "an escape of JSON", "another"))?,
            '\0'..='\x1F' => {
                return Err(bad(at, "control characters to be escaped", "one that is not"));
            }
            c => (c, c.len_utf8()),
        };
        name.room(c.len_utf8());
        name.push(c);
        at += len;
    }
    Ok(name)
}

/// The character of an escape, and the escape's length.
fn escape(text: &str) -> Option<(char, usize)> {
    let c = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\x08',
        b'f' => '\x0C',
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'u' => {
            let unit = hex(text, 2)?;
            let low = text.get(6..8).filter(|next| *next == "\\u").and_then(|_| hex(text, 8));
            return match (unit, low) {
                (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
                    let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                    Some((char::from_u32(code)?, 12))
                }
                _ => Some((char::from_u32(unit)?, 6)),
            };
        }
        _ => return None,
    };
    Some((c, 2))
}

fn hex(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if all { u32::from_str_radix(digits, 16).ok() } else { None }
}

#[cold]
pub fn bad(
    at: usize,
    expected: impl Into<Cow<'static, str>>,
    got: impl Into<Cow<'static, str>>,
) -> Error {
    Error::at(Code::BadInput, at).expected(expected).got(got)
}

/// Adds line and column to an error, which has the offset of a byte of this text.
pub fn locate(text: &str, error: Error) -> Error {
    let at = error.offset().map_or(text.len(), |offset| (offset as usize).min(text.len()));
    let before = &text.as_bytes()[..at];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let begin = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    // Characters, as editors count: bytes that begin one.
    let column = 1 + before[begin..].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    error.inside(0, "", &format!("line {line}, column {column}"))
}
