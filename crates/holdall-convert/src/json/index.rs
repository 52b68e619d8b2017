//! Indexes a JSON text in one pass: its values and their offsets.
//!
//! The tokens are in one flat list, in the order of the text. A container's token has the position of its end token, so
//! that a reader of an object's keys can skip its values.

use holdall::Result;
use holdall::bindings::memory::{Grow, GrowVec};
use jiter::{Jiter, JiterError, JiterErrorType, JsonErrorType, NumberAny, NumberInt, Peek};

use super::fault;
use crate::number;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    Null,
    False,
    True,
    /// The payload is the value.
    Int,
    /// An integer beyond 64 bits; the payload is the length of its text.
    BigInt,
    /// The payload is the value's bits.
    Float,
    /// The payload is the length in the text.
    String,
    /// The payload is the number of the unescaped string.
    EscapedString,
    /// A key, otherwise like a string; its value follows.
    Key,
    EscapedKey,
    /// The payload is the position of the end token.
    List,
    Object,
    /// Ends a list or object.
    End,
}

/// The payload of an open container: beyond every token.
const OPEN: u64 = u64::MAX;

/// 16 bytes: a kind, an offset in the text below 2^48, and a payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextToken {
    pub(super) kind: TextKind,
    offset_high: u16,
    offset_low: u32,
    pub(super) payload: u64,
}

const _: () = assert!(size_of::<TextToken>() == 16);

impl TextToken {
    fn new(kind: TextKind, offset: usize, payload: u64) -> TextToken {
        let offset = offset as u64;
        TextToken { kind, offset_high: (offset >> 32) as u16, offset_low: offset as u32, payload }
    }

    /// Returns the offset of the token's first byte; of a string, that of its quote.
    pub(super) fn offset(self) -> usize {
        (u64::from(self.offset_high) << 32 | u64::from(self.offset_low)) as usize
    }

    /// Returns the position after the value that starts with this token, at `position`.
    pub(super) fn after(self, position: usize) -> usize {
        match self.kind {
            TextKind::List | TextKind::Object => (self.payload as usize).saturating_add(1),
            _ => position + 1,
        }
    }
}

/// The tokens of a text.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) tokens: Vec<TextToken>,
    /// The strings that have escapes in the text, unescaped, one after the other.
    unescaped: String,
    /// The end offset of each of them.
    ends: Vec<usize>,
}

impl Index {
    /// Indexes a text.
    pub(super) fn of(text: &str) -> Result<Index> {
        let mut builder = IndexBuilder {
            text,
            jiter: Jiter::new(text.as_bytes()),
            index: Index::default(),
            open: Vec::new(),
        };
        // Real texts have a token for each 8 to 20 bytes. Reserved pages that are not used cost nothing.
        builder.index.tokens.room(text.len() / 8 + 16);
        builder.run()?;
        Ok(builder.index)
    }

    /// Returns the string of a token that is a string or a key.
    #[inline]
    pub(super) fn str<'a>(&'a self, text: &'a str, token: TextToken) -> &'a str {
        match token.kind {
            TextKind::EscapedString | TextKind::EscapedKey => {
                let number = token.payload as usize;
                let start = if number == 0 { 0 } else { self.ends[number - 1] };
                &self.unescaped[start..self.ends[number]]
            }
            _ => {
                let start = token.offset() + 1;
                &text[start..start + token.payload as usize]
            }
        }
    }

    fn push(&mut self, kind: TextKind, offset: usize, payload: u64) {
        self.tokens.put(TextToken::new(kind, offset, payload));
    }

    /// Adds a string whose quote is the first at or after `from`.
    fn push_string(&mut self, kind: TextKind, text: &str, from: usize, string: &str) {
        // jiter returns a part of the text or, if there are escapes, of its own buffer. The address shows which:
        // searching for a backslash would read the string a second time, 8 % of indexing a text of strings.
        let start = string.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
        if start < text.len() {
            self.push(kind, start - 1, string.len() as u64);
            return;
        }
        let quote = text.as_bytes()[from..].iter().position(|&byte| byte == b'"');
        let kind =
            if kind == TextKind::Key { TextKind::EscapedKey } else { TextKind::EscapedString };
        self.push(kind, from + quote.unwrap_or(0), self.ends.len() as u64);
        self.unescaped.room(string.len());
        self.unescaped.push_str(string);
        self.ends.put(self.unescaped.len());
    }
}

/// The state of [`Index::of`].
pub(super) struct IndexBuilder<'t> {
    pub(super) text: &'t str,
    pub(super) jiter: Jiter<'t>,
    pub(super) index: Index,
    /// The positions of the open containers, innermost last.
    open: Vec<usize>,
}

impl IndexBuilder<'_> {
    fn run(&mut self) -> Result<()> {
        let mut peek = self.peek()?;
        'values: loop {
            let offset = self.jiter.current_index();
            match peek {
                Peek::String => match self.jiter.known_str() {
                    Ok(string) => {
                        self.index.push_string(TextKind::String, self.text, offset, string);
                    }
                    Err(error) => return Err(fault::of(self, &error)),
                },
                Peek::Array => {
                    self.begin(TextKind::List, offset);
                    match self.jiter.known_array() {
                        Ok(Some(first)) => {
                            peek = first;
                            continue 'values;
                        }
                        Ok(None) => self.end(),
                        Err(error) => return Err(fault::of(self, &error)),
                    }
                }
                Peek::Object => {
                    self.begin(TextKind::Object, offset);
                    match self.jiter.known_object() {
                        Ok(Some(key)) => {
                            self.index.push_string(TextKind::Key, self.text, offset, key);
                            peek = self.peek()?;
                            continue 'values;
                        }
                        Ok(None) => self.end(),
                        Err(error) => return Err(fault::of(self, &error)),
                    }
                }
                Peek::Null => match self.jiter.known_null() {
                    Ok(()) => self.index.push(TextKind::Null, offset, 0),
                    Err(error) => return Err(fault::of(self, &error)),
                },
                Peek::True | Peek::False => match self.jiter.known_bool(peek) {
                    Ok(true) => self.index.push(TextKind::True, offset, 0),
                    Ok(false) => self.index.push(TextKind::False, offset, 0),
                    Err(error) => return Err(fault::of(self, &error)),
                },
                _ => self.number(peek, offset)?,
            }
            // A value ends. Its container continues, or ends and is itself a value that ends.
            while let Some(&container) = self.open.last() {
                if self.index.tokens[container].kind == TextKind::List {
                    match self.jiter.array_step() {
                        Ok(Some(next)) => {
                            peek = next;
                            continue 'values;
                        }
                        Ok(None) => self.end(),
                        Err(error) => return Err(fault::of(self, &error)),
                    }
                } else {
                    let offset = self.jiter.current_index();
                    match self.jiter.next_key() {
                        Ok(Some(key)) => {
                            self.index.push_string(TextKind::Key, self.text, offset, key);
                            peek = self.peek()?;
                            continue 'values;
                        }
                        Ok(None) => self.end(),
                        Err(error) => return Err(fault::of(self, &error)),
                    }
                }
            }
            return self.jiter.finish().map_err(|error| fault::of(self, &error));
        }
    }

    /// Whether a key follows, if the object continues.
    pub(super) fn expects_key(&self) -> bool {
        let kind = |position: usize| self.index.tokens.get(position).map(|token| token.kind);
        let last = kind(self.index.tokens.len().wrapping_sub(1));
        self.open.last().is_some_and(|&open| kind(open) == Some(TextKind::Object))
            && !matches!(last, Some(TextKind::Key | TextKind::EscapedKey))
    }

    fn peek(&mut self) -> Result<Peek> {
        self.jiter.peek().map_err(|error| fault::of(self, &error))
    }

    fn begin(&mut self, kind: TextKind, offset: usize) {
        self.open.put(self.index.tokens.len());
        self.index.push(kind, offset, OPEN);
    }

    fn end(&mut self) {
        let end = self.index.tokens.len();
        if let Some(begin) = self.open.pop() {
            self.index.tokens[begin].payload = end as u64;
        }
        self.index.push(TextKind::End, self.jiter.current_index() - 1, 0);
    }

    fn number(&mut self, peek: Peek, offset: usize) -> Result<()> {
        match self.jiter.known_number(peek) {
            // An integer has no negative zero, a float does.
            Ok(NumberAny::Int(NumberInt::Int(0))) if peek == Peek::Minus => {
                self.index.push(TextKind::Float, offset, (-0.0_f64).to_bits());
            }
            Ok(NumberAny::Int(NumberInt::Int(value))) => {
                self.index.push(TextKind::Int, offset, value.cast_unsigned());
            }
            Ok(NumberAny::Float(value)) => self.float(value, offset)?,
            // Only if another crate of the build enables jiter's big integers.
            #[allow(unreachable_patterns)]
            Ok(_) => self.big_int(offset)?,
            Err(JiterError {
                error_type: JiterErrorType::JsonError(JsonErrorType::NumberOutOfRange),
                ..
            }) => {
                // Beyond 64 bits, or more digits than jiter accepts for an integer. As a float it accepts any.
                let value = match self.jiter.known_float(peek) {
                    Ok(value) => value,
                    Err(error) => return Err(fault::of(self, &error)),
                };
                let literal = self.jiter.slice_to_current(offset);
                if literal.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
                    self.float(value, offset)?;
                } else {
                    self.big_int(offset)?;
                }
            }
            Err(error) => return Err(fault::of(self, &error)),
        }
        Ok(())
    }

    fn big_int(&mut self, offset: usize) -> Result<()> {
        let end = self.jiter.current_index();
        if number::has_many_digits(&self.text[offset..end]) {
            return Err(fault::many_digits(self, offset));
        }
        self.index.push(TextKind::BigInt, offset, (end - offset) as u64);
        Ok(())
    }

    fn float(&mut self, value: f64, offset: usize) -> Result<()> {
        let literal = self.jiter.slice_to_current(offset);
        if !number::is_faithful(value, literal) {
            return Err(fault::out_of_range(self, offset));
        }
        self.index.push(TextKind::Float, offset, value.to_bits());
        Ok(())
    }
}
