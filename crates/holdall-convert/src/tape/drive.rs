//! Emits tokens as events.

use std::collections::HashSet;
use std::sync::Arc;

use dashu_int::IBig;
use dashu_int::ops::UnsignedAbs;
use holdall::bindings::memory::GrowSet;
use holdall::bindings::shorten_big;
use holdall::events::Event;
use holdall::{Code, Error, IntKind, LogicalType, Result, f16};

use super::{Form, Kind, MEANINGS, Tape, Token};
use crate::path::{excerpt, key_twice};
use crate::receiver::Receiver;

/// The number of integers emitted in one piece.
const RUN: usize = 64;

/// Extensions that hold values of the other format.
pub(crate) const MSGPACK_EXT: &str = "msgpack.ext";
pub(crate) const CBOR_TAG: &str = "cbor.tag";
pub(crate) const CBOR_SIMPLE: &str = "cbor.simple";

impl Tape {
    /// Emits the input's value.
    pub(crate) fn drive(&self, input: &[u8], to: &mut impl Receiver) -> Result<()> {
        let mut drive = Drive { tape: self, input, types: [const { None }; MEANINGS.len()] };
        let mut position = 0;
        while position < self.tokens.len() {
            let begin = position;
            position = drive.token(begin, to).map_err(|error| self.locate(input, error, begin))?;
        }
        Ok(())
    }

    #[cold]
    fn locate(&self, input: &[u8], error: Error, position: usize) -> Error {
        let token = self.tokens[position];
        if error.code() == Code::DuplicateKey && token.kind == Kind::Object {
            let mut seen = HashSet::new();
            let mut keys = TapeKeys { tape: self, input, position: position + 1 };
            while let Some(at) = keys.next_position() {
                let key = self.tokens[at];
                let text = self.str(input, key);
                if !seen.put(text) {
                    return key_twice(key.offset(), &excerpt(text))
                        .with_path(|| self.path_to(input, at + 1));
                }
            }
        }
        error.with_path(|| self.path_to(input, position))
    }
}

struct Drive<'a> {
    tape: &'a Tape,
    input: &'a [u8],
    /// The logical types used so far.
    types: [Option<Arc<LogicalType>>; MEANINGS.len()],
}

impl Drive<'_> {
    /// Emits a token, or several that belong together, and returns the position after them.
    #[inline]
    fn token(&mut self, at: usize, to: &mut impl Receiver) -> Result<usize> {
        let (tape, input) = (self.tape, self.input);
        let token = tape.tokens[at];
        match token.kind {
            Kind::Null => to.event(Event::Null)?,
            Kind::False => to.event(Event::Bool(false))?,
            Kind::True => to.event(Event::Bool(true))?,
            Kind::Int if tape.tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Int) => {
                let mut run = [0; RUN];
                let mut len = 0;
                while let Some(token) = tape.tokens.get(at + len)
                    && token.kind == Kind::Int
                    && len < RUN
                {
                    run[len] = token.payload;
                    len += 1;
                }
                to.ints(&run[..len])?;
                return Ok(at + len);
            }
            Kind::Int | Kind::Big => self.int(token, to)?,
            Kind::F16 => to.event(Event::F16(f16::from_bits(token.payload as u16)))?,
            Kind::F32 => to.event(Event::F32(f32::from_bits(token.payload as u32)))?,
            Kind::F64 => to.event(Event::F64(f64::from_bits(token.payload)))?,
            Kind::String => to.event(Event::String(tape.str(input, token)))?,
            Kind::Bytes => to.event(Event::Bytes(tape.content(input, token)))?,
            Kind::Key => to.key(|| tape.str(input, token))?,
            // Already emitted with the tag.
            Kind::TagNumber | Kind::Meaning => {}
            Kind::Ext => self.ext(token, to)?,
            Kind::Simple => {
                to.event(Event::Extension(&CBOR_SIMPLE.into()))?;
                to.event(Event::FixedInt(IntKind::U8, token.payload))?;
                to.event(Event::End)?;
            }
            Kind::List => to.event(Event::List(0))?,
            Kind::Object => to.mapping(TapeKeys { tape, input, position: at + 1 })?,
            Kind::Map => to.event(Event::Map(0))?,
            Kind::Tag => return self.tag(at, to),
            Kind::End => to.event(Event::End)?,
            Kind::EndTag => {
                to.event(Event::End)?;
                to.event(Event::End)?;
            }
        }
        Ok(at + 1)
    }

    fn int(&self, token: Token, to: &mut impl Receiver) -> Result<()> {
        match token.kind {
            Kind::Int => to.event(Event::Int(token.payload.cast_signed())),
            _ => to.event(Event::BigInt(IntKind::Int, self.tape.content(self.input, token))),
        }
    }

    fn ext(&self, token: Token, to: &mut impl Receiver) -> Result<()> {
        let (ty, data) = self.tape.content(self.input, token).split_first().unwrap_or((&0, &[]));
        to.event(Event::Extension(&MSGPACK_EXT.into()))?;
        to.event(Event::Tuple(2))?;
        let ty = i64::from(ty.cast_signed()).cast_unsigned();
        to.event(Event::FixedInt(IntKind::I8, ty))?;
        to.event(Event::Bytes(data))?;
        to.event(Event::End)?;
        to.event(Event::End)
    }

    /// Emits the beginning of a tag, or all of it if its value is stored in another form than alone.
    fn tag(&mut self, at: usize, to: &mut impl Receiver) -> Result<usize> {
        let (number, value) = (self.tape.tokens[at + 1], at + 2);
        if number.kind == Kind::TagNumber {
            to.event(Event::Extension(&CBOR_TAG.into()))?;
            to.event(Event::Tuple(2))?;
            to.event(Event::FixedInt(IntKind::U64, number.payload))?;
            return Ok(value);
        }
        let meaning = &MEANINGS[number.payload as usize];
        let ty = match &self.types[number.payload as usize] {
            Some(ty) => Arc::clone(ty),
            None => Arc::new(LogicalType::new(meaning.kind, meaning.parameters)?),
        };
        to.event(Event::Logical(&ty))?;
        self.types[number.payload as usize] = Some(ty);
        match meaning.form {
            Form::Int | Form::String | Form::List => return Ok(value),
            Form::Fixed(_) => {
                let content = self.tape.content(self.input, self.tape.tokens[value]);
                to.event(Event::Fixed(content))?;
            }
            Form::Pair => {
                to.event(Event::Tuple(2))?;
                self.int(self.tape.tokens[value + 1], to)?;
                self.int(self.tape.tokens[value + 2], to)?;
                to.event(Event::End)?;
            }
            Form::Decimal => self.decimal(value, to)?,
        }
        to.event(Event::End)?;
        Ok(self.tape.tokens[at].after(at))
    }

    /// The storage of a decimal: its sign, its digits and its exponent.
    fn decimal(&self, at: usize, to: &mut impl Receiver) -> Result<()> {
        let [exponent, mantissa] = [at + 1, at + 2].map(|at| self.tape.tokens[at]);
        let mantissa = match mantissa.kind {
            Kind::Int => IBig::from(mantissa.payload.cast_signed()),
            _ => IBig::from_le_bytes(self.tape.content(self.input, mantissa)),
        };
        to.event(Event::Tuple(3))?;
        to.event(Event::FixedInt(IntKind::U8, u64::from(mantissa < IBig::ZERO)))?;
        let digits = IBig::from(mantissa.unsigned_abs());
        match i64::try_from(&digits) {
            Ok(digits) => to.event(Event::Int(digits))?,
            Err(_) => to.event(Event::BigInt(IntKind::Int, shorten_big(&digits.to_le_bytes())))?,
        }
        to.event(Event::Int(exponent.payload.cast_signed()))?;
        to.event(Event::End)
    }
}

/// The keys of an object: skips from one over its value to the next.
#[derive(Clone)]
struct TapeKeys<'a> {
    tape: &'a Tape,
    input: &'a [u8],
    /// The position of the next key, or of the object's end.
    position: usize,
}

impl TapeKeys<'_> {
    #[inline]
    fn next_position(&mut self) -> Option<usize> {
        let key = self.position;
        let tokens = &self.tape.tokens;
        if tokens[key].kind == Kind::End {
            return None;
        }
        self.position = tokens[key + 1].after(key + 1);
        Some(key)
    }
}

impl<'a> Iterator for TapeKeys<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let key = self.next_position()?;
        Some(self.tape.str(self.input, self.tape.tokens[key]))
    }
}
