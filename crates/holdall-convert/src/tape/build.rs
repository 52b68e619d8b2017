//! Builds tokens from the values that a reader of a format finds.

use std::collections::HashSet;

use holdall::bindings::memory::{Grow, GrowSet, GrowVec};
use holdall::{Code, Error, Result};

use super::{Kind, LEN_BITS, OPEN, Tape, Token, utf8};
use crate::path::{excerpt, hex, key_twice, not_utf8};

/// The tag of an exponent of 2 and an integer (RFC 8949, 3.4.4).
const BINARY_FRACTION: u64 = 5;

/// Takes values in the order of the input, and closes containers when they are complete.
pub(crate) struct Builder<'i> {
    pub(crate) input: &'i [u8],
    tape: Tape,
    /// The open containers, innermost last.
    open: Vec<Open>,
    is_done: bool,
}

struct Open {
    /// The position of its token.
    token: usize,
    /// The values inside so far; of a map, keys and values.
    count: u64,
    /// The number of values; none if a break ends it.
    len: Option<u64>,
    /// All keys so far are strings.
    has_names: bool,
}

impl<'i> Builder<'i> {
    pub(crate) fn new(input: &'i [u8]) -> Self {
        let mut tape = Tape::default();
        // Real inputs have a token for each 4 to 20 bytes. Reserved pages that are not used cost nothing.
        tape.tokens.room(input.len() / 8 + 16);
        Builder { input, tape, open: Vec::new(), is_done: false }
    }

    /// Whether the input's value is complete.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    pub(crate) fn finish(self) -> Tape {
        self.tape
    }

    /// The kind of the innermost container that a break could end, and whether it may end here.
    pub(crate) fn awaits_break(&self) -> Option<bool> {
        let open = self.open.last()?;
        if open.len.is_some() {
            return None;
        }
        Some(self.tape.tokens[open.token].kind == Kind::List || open.count % 2 == 0)
    }

    /// Returns an error at the next value.
    #[cold]
    pub(crate) fn fault(
        &self,
        offset: usize,
        expected: impl Into<std::borrow::Cow<'static, str>>,
        got: impl Into<std::borrow::Cow<'static, str>>,
    ) -> Error {
        Error::at(Code::BadInput, offset)
            .expected(expected)
            .got(got)
            .with_path(|| self.tape.path_to(self.input, self.tape.tokens.len()))
    }

    /// A value that is one token, with its payload.
    #[inline]
    pub(crate) fn scalar(&mut self, kind: Kind, offset: usize, payload: u64) -> Result<()> {
        self.see(kind);
        self.tape.tokens.put(Token::new(kind, offset, payload));
        self.value_is_whole()
    }

    /// Adds a value whose bytes are in the input, from `start` to `end`.
    pub(crate) fn content(
        &mut self,
        kind: Kind,
        offset: usize,
        start: usize,
        end: usize,
    ) -> Result<()> {
        if kind == Kind::String
            && utf8(&self.input[start..end]).is_none()
            && let Some((at, got)) = not_utf8(&self.input[start..end], "the string's end")
        {
            return Err(self.not_utf8(start + at, got));
        }
        let payload = ((start - offset) as u64) << LEN_BITS | (end - start) as u64;
        self.scalar(kind, offset, payload)
    }

    /// The error for a string that is not UTF-8.
    #[cold]
    pub(crate) fn not_utf8(&self, offset: usize, got: String) -> Error {
        self.fault(offset, "UTF-8 in a string; other bytes go into a byte string", got)
    }

    /// Adds a value whose bytes are not contiguous in the input; the caller checks each part.
    pub(crate) fn spilled<'p>(
        &mut self,
        kind: Kind,
        offset: usize,
        parts: impl IntoIterator<Item = &'p [u8]>,
    ) -> Result<()> {
        self.see(kind);
        let mut token = Token::new(kind, offset, self.tape.ends.len() as u64);
        token.is_spilled = true;
        self.tape.tokens.put(token);
        parts.into_iter().for_each(|part| self.tape.spill.put_slice(part));
        self.tape.ends.put(self.tape.spill.len());
        self.value_is_whole()
    }

    /// Begins a list, map or tag; `len` values follow, in a map two for each entry.
    pub(crate) fn begin(&mut self, kind: Kind, offset: usize, len: Option<u64>) -> Result<()> {
        self.see(kind);
        self.open.put(Open { token: self.tape.tokens.len(), count: 0, len, has_names: true });
        self.tape.tokens.put(Token::new(kind, offset, OPEN));
        if len == Some(0) {
            self.close(offset)?;
            return self.value_is_whole();
        }
        Ok(())
    }

    /// Begins a tag with its number and one value.
    pub(crate) fn begin_tag(&mut self, offset: usize, number: Kind, payload: u64) {
        self.see(Kind::Tag);
        let token = self.tape.tokens.len();
        self.open.put(Open { token, count: 0, len: Some(1), has_names: false });
        self.tape.tokens.put(Token::new(Kind::Tag, offset, OPEN));
        self.tape.tokens.put(Token::new(number, offset, payload));
    }

    /// Ends a container of indefinite length.
    pub(crate) fn end_by_break(&mut self, offset: usize) -> Result<()> {
        self.close(offset)?;
        self.value_is_whole()
    }

    /// Records the next value, if it is a key.
    #[inline]
    fn see(&mut self, kind: Kind) {
        if let Some(open) = self.open.last_mut() {
            open.has_names &= kind == Kind::String || open.count % 2 == 1;
        }
    }

    /// Completes a value, and the containers that have all of theirs.
    fn value_is_whole(&mut self) -> Result<()> {
        while let Some(open) = self.open.last_mut() {
            open.count += 1;
            if open.len != Some(open.count) {
                return Ok(());
            }
            let last = self.tape.tokens.last().map_or(0, |token| token.offset());
            self.close(last)?;
        }
        self.is_done = true;
        Ok(())
    }

    fn close(&mut self, offset: usize) -> Result<()> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let (begin, end) = (open.token, self.tape.tokens.len());
        let mut kind = Kind::End;
        match self.tape.tokens[begin].kind {
            Kind::Map if open.has_names => {
                self.tape.tokens[begin].kind = Kind::Object;
                let mut key = begin + 1;
                while key < end {
                    self.tape.tokens[key].kind = Kind::Key;
                    key = self.tape.tokens[key + 1].after(key + 1);
                }
            }
            Kind::Map => self.check_keys(begin, end)?,
            Kind::Tag => {
                if let Some(float) = self.float_of_tag(begin + 1) {
                    let token =
                        Token::new(Kind::F64, self.tape.tokens[begin].offset(), float.to_bits());
                    self.tape.tokens.truncate(begin);
                    self.tape.tokens.put(token);
                    return Ok(());
                }
                kind = self.close_tag(begin + 1);
            }
            _ => {}
        }
        self.tape.tokens[begin].payload = end as u64;
        self.tape.tokens.put(Token::new(kind, offset, 0));
        Ok(())
    }

    /// The float that a tag makes of its value.
    fn float_of_tag(&self, number: usize) -> Option<f64> {
        let tag = self.tape.tokens[number];
        let is_fraction = tag.kind == Kind::TagNumber && tag.payload == BINARY_FRACTION;
        is_fraction.then(|| self.tape.binary_fraction(number + 1)).flatten()
    }

    /// Resolves the meaning of a tag for its value, if it has one; returns the kind of its end.
    fn close_tag(&mut self, number: usize) -> Kind {
        let tag = self.tape.tokens[number];
        if tag.kind == Kind::TagNumber {
            let value = number + 1;
            let meaning = match self.tape.moment(self.input, tag.payload, value) {
                Some((meaning, units)) => {
                    let offset = self.tape.tokens[value].offset();
                    self.tape.tokens[value] = Token::new(Kind::Int, offset, units.cast_unsigned());
                    meaning
                }
                None => match self.tape.meaning(self.input, tag.payload, value) {
                    Some(meaning) => meaning,
                    None => return Kind::EndTag,
                },
            };
            self.tape.tokens[number].kind = Kind::Meaning;
            self.tape.tokens[number].payload = meaning as u64;
        }
        Kind::End
    }

    /// Checks that the keys of a map differ, if some are not strings.
    fn check_keys(&self, begin: usize, end: usize) -> Result<()> {
        let mut seen = HashSet::new();
        // Keys that are containers, by their number of tokens.
        let mut others = Vec::new();
        let mut at = begin + 1;
        while at < end {
            let token = self.tape.tokens[at];
            let value = token.after(at);
            let key = match token.kind {
                Kind::Int | Kind::F16 | Kind::F32 | Kind::F64 | Kind::Simple => {
                    (token.payload, &[][..])
                }
                Kind::String | Kind::Bytes | Kind::Big | Kind::Ext => {
                    (0, self.tape.content(self.input, token))
                }
                Kind::List | Kind::Object | Kind::Map | Kind::Tag => {
                    others.put((value - at, at));
                    (at as u64, &[][..])
                }
                _ => (0, &[][..]),
            };
            if !seen.put((token.kind, key)) {
                return Err(self.comes_twice(at));
            }
            at = self.tape.tokens[value].after(value);
        }
        // Only keys of equal length are compared: keys can be maps whose keys are maps, and comparing the inner ones
        // once for each level would take quadratic time.
        others.sort_unstable();
        for alike in others.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            let mut seen = HashSet::new();
            for &(len, at) in alike {
                if !seen.put(self.bytes_of(at, len)) {
                    return Err(self.comes_twice(at));
                }
            }
        }
        Ok(())
    }

    /// Tokens as bytes, equal for equal values.
    fn bytes_of(&self, at: usize, len: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for token in &self.tape.tokens[at..at + len] {
            bytes.put(token.kind as u8);
            match token.kind {
                Kind::String | Kind::Key | Kind::Bytes | Kind::Big | Kind::Ext => {
                    let content = self.tape.content(self.input, *token);
                    bytes.put_slice(&content.len().to_le_bytes());
                    bytes.put_slice(content);
                }
                // Their payload is a position.
                Kind::List | Kind::Object | Kind::Map | Kind::Tag => {}
                _ => bytes.put_slice(&token.payload.to_le_bytes()),
            }
        }
        bytes
    }

    #[cold]
    fn comes_twice(&self, at: usize) -> Error {
        let token = self.tape.tokens[at];
        key_twice(token.offset(), &self.words(token))
            .with_path(|| self.tape.path_to(self.input, at))
    }

    /// Formats a scalar for an error.
    fn words(&self, token: Token) -> String {
        match token.kind {
            Kind::Null => "null".to_owned(),
            Kind::False => "false".to_owned(),
            Kind::True => "true".to_owned(),
            Kind::Int => token.payload.cast_signed().to_string(),
            Kind::F16 => holdall::f16::from_bits(token.payload as u16).to_string(),
            Kind::F32 => f32::from_bits(token.payload as u32).to_string(),
            Kind::F64 => f64::from_bits(token.payload).to_string(),
            Kind::String => excerpt(self.tape.str(self.input, token)),
            Kind::Big => crate::number::words(self.tape.content(self.input, token)),
            Kind::Bytes | Kind::Ext => hex(self.tape.content(self.input, token)),
            Kind::Simple => format!("simple({})", token.payload),
            Kind::List => "an equal array".to_owned(),
            Kind::Tag => "an equal value with a tag".to_owned(),
            _ => "an equal map".to_owned(),
        }
    }
}
