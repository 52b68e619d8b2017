//! Emits tokens as events.

use std::collections::HashSet;
use std::sync::Arc;

use holdall::bindings::memory::GrowSet;
use holdall::events::Shredder;
use holdall::{Code, Error, IntKind, LogicalType, Result, f16};

use super::{Form, Kind, MEANINGS, Tape, Token};
use crate::path::excerpt;

/// The number of integers emitted in one piece.
const RUN: usize = 64;

/// Extensions that hold values of the other format.
pub(crate) const MSGPACK_EXT: &str = "msgpack.ext";
pub(crate) const CBOR_TAG: &str = "cbor.tag";
pub(crate) const CBOR_SIMPLE: &str = "cbor.simple";

impl Tape {
    /// Emits the input's value.
    pub(crate) fn drive(&self, input: &[u8], shredder: &mut Shredder) -> Result<()> {
        let mut drive = Drive { tape: self, input, types: [const { None }; MEANINGS.len()] };
        let mut position = 0;
        while position < self.tokens.len() {
            let begin = position;
            position =
                drive.token(begin, shredder).map_err(|error| self.locate(input, error, begin))?;
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
                    return Error::at(Code::DuplicateKey, key.offset())
                        .expected("each key once")
                        .got(format!("{} twice", excerpt(text)))
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
    fn token(&mut self, at: usize, shredder: &mut Shredder) -> Result<usize> {
        let (tape, input) = (self.tape, self.input);
        let token = tape.tokens[at];
        match token.kind {
            Kind::Null => shredder.null()?,
            Kind::False => shredder.bool(false)?,
            Kind::True => shredder.bool(true)?,
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
                shredder.ints(&run[..len])?;
                return Ok(at + len);
            }
            Kind::Int | Kind::Big => self.int(token, shredder)?,
            Kind::F16 => shredder.f16(f16::from_bits(token.payload as u16))?,
            Kind::F32 => shredder.f32(f32::from_bits(token.payload as u32))?,
            Kind::F64 => shredder.f64(f64::from_bits(token.payload))?,
            Kind::String => shredder.string(tape.str(input, token))?,
            Kind::Bytes => shredder.bytes(tape.content(input, token))?,
            // Already emitted with the object or tag.
            Kind::Key | Kind::TagNumber | Kind::Meaning => {}
            Kind::Ext => self.ext(token, shredder)?,
            Kind::Simple => {
                shredder.begin_extension(&CBOR_SIMPLE.into())?;
                shredder.fixed_int(IntKind::U8, token.payload)?;
                shredder.end()?;
            }
            Kind::List => shredder.begin_list(0)?,
            Kind::Object => shredder.begin_mapping(TapeKeys { tape, input, position: at + 1 })?,
            Kind::Map => shredder.begin_map(0)?,
            Kind::Tag => return self.tag(at, shredder),
            Kind::End => shredder.end()?,
            Kind::EndTag => {
                shredder.end()?;
                shredder.end()?;
            }
        }
        Ok(at + 1)
    }

    fn int(&self, token: Token, shredder: &mut Shredder) -> Result<()> {
        match token.kind {
            Kind::Int => shredder.int(token.payload.cast_signed()),
            _ => shredder.big_int(IntKind::Int, self.tape.content(self.input, token)),
        }
    }

    fn ext(&self, token: Token, shredder: &mut Shredder) -> Result<()> {
        let (ty, data) = self.tape.content(self.input, token).split_first().unwrap_or((&0, &[]));
        shredder.begin_extension(&MSGPACK_EXT.into())?;
        shredder.begin_tuple(2)?;
        shredder.fixed_int(IntKind::I8, i64::from(ty.cast_signed()).cast_unsigned())?;
        shredder.bytes(data)?;
        shredder.end()?;
        shredder.end()
    }

    /// Emits the beginning of a tag, or all of it if its value is stored in another form than alone.
    fn tag(&mut self, at: usize, shredder: &mut Shredder) -> Result<usize> {
        let (number, value) = (self.tape.tokens[at + 1], at + 2);
        if number.kind == Kind::TagNumber {
            shredder.begin_extension(&CBOR_TAG.into())?;
            shredder.begin_tuple(2)?;
            shredder.fixed_int(IntKind::U64, number.payload)?;
            return Ok(value);
        }
        let meaning = &MEANINGS[number.payload as usize];
        let ty = match &self.types[number.payload as usize] {
            Some(ty) => Arc::clone(ty),
            None => Arc::new(LogicalType::new(meaning.kind, meaning.parameters)?),
        };
        shredder.begin_logical(&ty)?;
        self.types[number.payload as usize] = Some(ty);
        match meaning.form {
            Form::Int | Form::String | Form::List => return Ok(value),
            Form::Fixed(_) => {
                shredder.fixed(self.tape.content(self.input, self.tape.tokens[value]))?;
            }
            Form::Pair => {
                shredder.begin_tuple(2)?;
                self.int(self.tape.tokens[value + 1], shredder)?;
                self.int(self.tape.tokens[value + 2], shredder)?;
                shredder.end()?;
            }
        }
        shredder.end()?;
        Ok(self.tape.tokens[at].after(at))
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
