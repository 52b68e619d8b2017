//! The values of a binary input, MessagePack or CBOR, as a flat list of tokens.
//!
//! A reader builds it in one pass, so the entire input is checked before the first event. A container's token has the
//! position of its end token, so that a reader of a mapping's keys can skip its values. Nothing recurses.

mod build;
mod drive;
mod meaning;

use std::borrow::Cow;

use crate::path::{self, Step};
use holdall::bindings::kernel::text::short_utf8;
use holdall::bindings::memory::GrowVec;
use holdall::f16;

pub(crate) use build::Builder;
pub(crate) use drive::{CBOR_SIMPLE, CBOR_TAG, MSGPACK_EXT};
pub(crate) use meaning::{Form, MEANINGS, NANOSECONDS, meaning_of};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Null,
    False,
    True,
    /// The payload is the value.
    Int,
    /// An integer beyond 64 bits: in the spill, in two's complement.
    Big,
    /// The payload of these is their bits.
    F16,
    F32,
    F64,
    String,
    /// A string that is a key in an object; its value follows.
    Key,
    Bytes,
    /// An extension of MessagePack: a byte of type, then its data.
    Ext,
    /// A simple value of CBOR; the payload is its number.
    Simple,
    /// The payload of a container is the position of the end token.
    List,
    /// A mapping whose keys are all strings.
    Object,
    Map,
    /// A number or meaning, and the value that it applies to.
    Tag,
    /// The first token in a tag; the payload is its number in CBOR, or in the table of meanings.
    TagNumber,
    Meaning,
    /// Ends a container.
    End,
    /// Ends a tag without a known meaning, which becomes a tuple in an extension.
    EndTag,
}

/// The payload of an open container: beyond every token.
const OPEN: u64 = u64::MAX;

/// In a payload that gives the position of contents, the upper byte is their distance from the token's offset.
const LEN_BITS: u32 = 56;

/// 16 bytes: a kind, an offset in the input below 2^48, and a payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// The contents are not contiguous in the input: the payload is their number in the spill.
    is_spilled: bool,
    offset_high: u16,
    offset_low: u32,
    pub(crate) payload: u64,
}

const _: () = assert!(size_of::<Token>() == 16);

impl Token {
    fn new(kind: Kind, offset: usize, payload: u64) -> Token {
        let offset = offset as u64;
        let (offset_high, offset_low) = ((offset >> 32) as u16, offset as u32);
        Token { kind, is_spilled: false, offset_high, offset_low, payload }
    }

    /// Returns the offset of the token's first byte.
    pub(crate) fn offset(self) -> usize {
        (u64::from(self.offset_high) << 32 | u64::from(self.offset_low)) as usize
    }

    /// Returns the number of a float.
    fn float(self) -> Option<f64> {
        match self.kind {
            Kind::F16 => Some(f16::from_bits(self.payload as u16).into()),
            Kind::F32 => Some(f32::from_bits(self.payload as u32).into()),
            Kind::F64 => Some(f64::from_bits(self.payload)),
            _ => None,
        }
    }

    /// Returns the position after the value that starts with this token, at `position`.
    pub(crate) fn after(self, position: usize) -> usize {
        match self.kind {
            Kind::List | Kind::Object | Kind::Map | Kind::Tag => {
                (self.payload as usize).saturating_add(1)
            }
            _ => position + 1,
        }
    }
}

/// Shorter bytes are checked faster without SIMD.
const SHORT: usize = 64;

/// Bytes as text.
#[inline]
fn utf8(bytes: &[u8]) -> Option<&str> {
    if bytes.len() < SHORT { short_utf8(bytes) } else { simdutf8::basic::from_utf8(bytes).ok() }
}

/// The tokens of an input.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    tokens: Vec<Token>,
    /// Contents that are not contiguous in the input, one after the other: strings in parts, big integers.
    spill: Vec<u8>,
    /// The end offset of each of them.
    ends: Vec<usize>,
}

impl Tape {
    /// Returns the bytes of a token that has some.
    #[inline]
    fn content<'a>(&'a self, input: &'a [u8], token: Token) -> &'a [u8] {
        let payload = token.payload as usize;
        if token.is_spilled {
            let start = if payload == 0 { 0 } else { self.ends[payload - 1] };
            return &self.spill[start..self.ends[payload]];
        }
        let start = token.offset() + (token.payload >> LEN_BITS) as usize;
        &input[start..start + (token.payload & ((1 << LEN_BITS) - 1)) as usize]
    }

    /// Returns the text of a string or key, which was checked when the token was built.
    #[inline]
    fn str<'a>(&'a self, input: &'a [u8], token: Token) -> &'a str {
        utf8(self.content(input, token)).unwrap_or_default()
    }

    /// Returns the path (F-41) to the token at a position, which may be the next one.
    #[cold]
    fn path_to(&self, input: &[u8], position: usize) -> String {
        path::path(&self.steps_to(input, position))
    }

    fn steps_to<'a>(&'a self, input: &'a [u8], position: usize) -> Vec<Step<'a>> {
        let kind = |at: usize| self.tokens.get(at).map(|token| token.kind);
        // The end of the value at `at`, if that is not after the position.
        let hop =
            |at: usize| Some(self.tokens.get(at)?.after(at)).filter(|&after| after <= position);
        let mut steps = Vec::new();
        let mut at = 0;
        while at < position {
            match kind(at) {
                Some(Kind::List) => {
                    let (mut child, mut number) = (at + 1, 0);
                    while let Some(after) = hop(child).filter(|_| kind(child) != Some(Kind::End)) {
                        child = after;
                        number += 1;
                    }
                    if kind(child) == Some(Kind::End) {
                        break;
                    }
                    steps.put(Step::Item(number));
                    at = child;
                }
                Some(Kind::Object | Kind::Map) => {
                    let (mut key, mut number) = (at + 1, 0);
                    let (step, child) = loop {
                        if kind(key) == Some(Kind::End) {
                            return steps;
                        }
                        let Some(value) = hop(key) else { break (Step::KeyOf(number), key) };
                        let Some(next) = hop(value) else {
                            break (self.step_of(input, key, number), value);
                        };
                        key = next;
                        number += 1;
                    };
                    steps.put(step);
                    at = child;
                }
                // Its number comes first.
                Some(Kind::Tag) => at += 2,
                _ => break,
            }
        }
        steps
    }

    /// Returns the step to a mapping's value.
    fn step_of<'a>(&'a self, input: &'a [u8], key: usize, number: usize) -> Step<'a> {
        match self.tokens.get(key) {
            Some(token) if matches!(token.kind, Kind::String | Kind::Key) => {
                Step::Key(Cow::Borrowed(self.str(input, *token)))
            }
            _ => Step::Item(number),
        }
    }
}
