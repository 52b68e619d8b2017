//! JSON text to events.

use std::collections::HashSet;

use holdall::bindings::memory::GrowSet;
use holdall::events::{Event, Shredder, Source};
use holdall::{Code, Error, IntKind, Result};

use super::fault;
use super::index::{Index, TextKind, TextToken};
use crate::receiver::Receiver;
use crate::{number, path};

/// The number of integers emitted in one piece.
const RUN: usize = 64;

/// A JSON text as a [`Source`].
///
/// For most uses call [`pack`](super::pack). Use the source for an [`Encoder`](holdall::Encoder) with its own options.
///
/// ```
/// use holdall::{Encoder, Limits};
/// use holdall_convert::json::JsonSource;
///
/// let mut source = JsonSource::new(br#"{"a": 1}"#)?;
/// let mut encoder = Encoder::new().limits(Limits::new().output(100));
/// assert_eq!(encoder.message(&mut source)?, b"\xC1\x10\x1A\x08\x04a\x03\x04");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Debug)]
pub struct JsonSource<'t> {
    text: &'t str,
    index: Index,
}

impl<'t> JsonSource<'t> {
    /// Reads a text, which must be one JSON value as RFC 8259 describes it.
    ///
    /// # Errors
    /// [`Code::BadInput`], with the offset in the text and, if there is one, the path of the value. Duplicate keys are
    /// found when the source is driven.
    ///
    /// ```
    /// use holdall_convert::json::JsonSource;
    ///
    /// let error = JsonSource::new(br#"{"users": [1, 2,]}"#).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "bad_input at offset 16 in $.users[2]: expected another item after the comma, got `]`",
    /// );
    /// ```
    pub fn new(text: &'t [u8]) -> Result<JsonSource<'t>> {
        let text = fault::check_utf8(text)?;
        let index = Index::of(text)?;
        Ok(JsonSource { text, index })
    }

    fn str(&self, token: TextToken) -> &str {
        self.index.str(self.text, token)
    }

    #[cold]
    fn locate(&self, error: Error, position: usize) -> Error {
        let token = self.index.tokens[position];
        if error.code() == Code::DuplicateKey && token.kind == TextKind::Object {
            let mut seen = HashSet::new();
            let mut keys = Keys::of(&self.index, self.text, position);
            while let Some(at) = keys.next_position() {
                let key = self.index.tokens[at];
                if !seen.put(self.str(key)) {
                    return path::key_twice(key.offset(), &path::excerpt(self.str(key)))
                        .with_path(|| fault::path_to(&self.index, self.text, at));
                }
            }
        }
        error.with_path(|| fault::path_to(&self.index, self.text, position))
    }
}

impl Source for JsonSource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        self.emit(shredder)
    }
}

impl JsonSource<'_> {
    /// Emits the text's value.
    ///
    /// # Errors
    /// Those of the receiver.
    #[doc(hidden)]
    pub fn emit(&self, to: &mut impl Receiver) -> Result<()> {
        let tokens = &self.index.tokens;
        let mut position = 0;
        while let Some(&token) = tokens.get(position) {
            let begin = position;
            position += 1;
            let result = match token.kind {
                TextKind::Null => to.event(Event::Null),
                TextKind::False => to.event(Event::Bool(false)),
                TextKind::True => to.event(Event::Bool(true)),
                TextKind::Int
                    if tokens.get(position).is_some_and(|next| next.kind == TextKind::Int) =>
                {
                    // Only in an array does an integer follow another. Emitting them in one piece takes a third of the
                    // time.
                    let mut run = [0; RUN];
                    let mut len = 0;
                    while let Some(token) = tokens.get(begin + len)
                        && token.kind == TextKind::Int
                        && len < RUN
                    {
                        run[len] = token.payload;
                        len += 1;
                    }
                    position = begin + len;
                    to.ints(&run[..len])
                }
                TextKind::Int => to.event(Event::Int(token.payload.cast_signed())),
                TextKind::BigInt => {
                    let begin = token.offset();
                    let literal = &self.text[begin..begin + token.payload as usize];
                    number::with_big(literal, |big| to.event(Event::BigInt(IntKind::Int, big)))
                }
                TextKind::Float => to.event(Event::F64(f64::from_bits(token.payload))),
                TextKind::String | TextKind::EscapedString => {
                    to.event(Event::String(self.str(token)))
                }
                TextKind::Key | TextKind::EscapedKey => to.key(|| self.str(token)),
                TextKind::List => to.event(Event::List(0)),
                TextKind::Object => to.mapping(Keys::of(&self.index, self.text, begin)),
                TextKind::End => to.event(Event::End),
            };
            if let Err(error) = result {
                return Err(self.locate(error, begin));
            }
        }
        Ok(())
    }
}

/// The keys of an object: skips from one over its value to the next.
#[derive(Clone)]
struct Keys<'a> {
    index: &'a Index,
    text: &'a str,
    /// The position of the next key, or of the object's end.
    position: usize,
}

impl<'a> Keys<'a> {
    fn of(index: &'a Index, text: &'a str, object: usize) -> Self {
        Keys { index, text, position: object + 1 }
    }

    #[inline]
    fn next_position(&mut self) -> Option<usize> {
        let key = self.position;
        let tokens = &self.index.tokens;
        if tokens[key].kind == TextKind::End {
            return None;
        }
        self.position = tokens[key + 1].after(key + 1);
        Some(key)
    }
}

impl<'a> Iterator for Keys<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let key = self.next_position()?;
        Some(self.index.str(self.text, self.index.tokens[key]))
    }
}
