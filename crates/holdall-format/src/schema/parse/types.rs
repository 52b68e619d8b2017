//! The types of schema text, one branch for each form (F-99).

use alloc::string::ToString;
use alloc::vec::Vec;

use super::super::logical::{LogicalType, Storage};
use super::super::{Scalar, SchemaWriter, code};
use super::outline::AfterGroup;
use super::tokens::{Token, TokenKind, bad, unquoted};
use super::{Parser, Result};
use crate::error::{Code, Error};
use crate::limits::{NESTING, TYPES};
use crate::memory::{self, GrowMap, GrowVec};
use crate::number::IntKind;

impl<'t> Parser<'t> {
    /// Appends a type's code, which comes from a place.
    fn code(&mut self, place: usize, code: u8) {
        self.note_offset(place);
        self.writer.code(code);
    }

    // The recursion ends at NESTING levels.
    pub(super) fn ty(&mut self, level: usize) -> Result<()> {
        let begin = self.place();
        if level > NESTING {
            let expected = format!("at most {NESTING} levels");
            return Err(Error::at(Code::LimitNesting, begin).expected(expected));
        }
        if self.writer.types() >= TYPES {
            return Err(self.too_many_types());
        }
        let inner = level + 1;
        match self.token.kind {
            TokenKind::Label => {
                self.code(begin, code::DEF);
                return self.label();
            }
            TokenKind::Word => {}
            _ => return Err(self.unexpected("a type")),
        }
        let (word, whole) = (self.word(), self.token.clone());
        self.advance()?;
        match word {
            "never" => self.code(begin, code::NEVER),
            "null" => self.code(begin, code::NULL),
            "fixed" => {
                self.code(begin, code::FIXED);
                self.take(b'(')?;
                self.count()?;
                self.take(b')')?;
            }
            "option" => self.around(begin, code::OPTION, inner)?,
            "list" => self.around(begin, code::LIST, inner)?,
            "tensor" => self.around(begin, code::TENSOR, inner)?,
            "packed" => self.around(begin, code::PACKED, inner)?,
            "array" => {
                self.code(begin, code::ARRAY);
                self.take(b'(')?;
                self.count()?;
                self.take(b',')?;
                self.ty(inner)?;
                self.end_of_items(b')')?;
            }
            "map" => {
                self.code(begin, code::MAP);
                self.take(b'(')?;
                self.ty(inner)?;
                self.take(b',')?;
                self.ty(inner)?;
                self.end_of_items(b')')?;
            }
            "tuple" => {
                self.code(begin, code::TUPLE);
                self.items(inner, 1)?;
            }
            "union" => {
                self.code(begin, code::UNION);
                match self.is(b'{') {
                    true => self.named(inner, 2, 1)?,
                    false => self.items(inner, 2)?,
                }
            }
            "record" => {
                self.code(begin, code::RECORD);
                self.fields(inner)?;
            }
            "struct" => {
                self.code(begin, code::STRUCT);
                self.name()?;
                self.fields(inner)?;
            }
            "shared" => {
                self.code(begin, code::SHARED);
                self.take(b'(')?;
                self.label()?;
                self.take(b')')?;
            }
            "extension" => {
                self.code(begin, code::EXTENSION);
                match self.token.kind {
                    TokenKind::Quoted => self.name()?,
                    _ => return Err(self.unexpected("a name in double quotes")),
                }
                self.inside(inner)?;
            }
            "unknown" => {
                let (place, bytes) = self.hex()?;
                let [later @ (code::LATER..), parameters @ ..] = &*bytes else {
                    return Err(no_later(place));
                };
                self.code(begin, *later);
                self.note_offset(begin);
                self.writer.later(parameters);
            }
            "logical" => {
                let (place, bytes) = self.hex()?;
                let [kind @ (code::LATER..), parameters @ ..] = &*bytes else {
                    return Err(no_later(place));
                };
                self.note_offset(begin);
                self.writer.logical(&LogicalType::unchecked(*kind, parameters));
                self.inside(inner)?;
            }
            _ => match Scalar::ALL.iter().find(|(scalar, _)| scalar.to_string() == word) {
                Some((_, code)) => self.code(begin, *code),
                None => self.logical(&whole, word, inner)?,
            },
        }
        Ok(())
    }

    fn around(&mut self, begin: usize, code: u8, inner: usize) -> Result<()> {
        self.code(begin, code);
        self.inside(inner)
    }

    fn inside(&mut self, inner: usize) -> Result<()> {
        self.take(b'(')?;
        self.ty(inner)?;
        self.end_of_items(b')')
    }

    /// Reads what follows the last item.
    fn end_of_items(&mut self, close: u8) -> Result<()> {
        self.take_if(b',')?;
        self.take(close)
    }

    /// A number that is written as a varint.
    fn count(&mut self) -> Result<()> {
        self.note_offset(self.place());
        let number = self.number("a number")?;
        self.writer.varint(number);
        Ok(())
    }

    pub(super) fn number(&mut self, expected: &'static str) -> Result<u64> {
        let digits = self.word();
        let is_number =
            self.token.kind == TokenKind::Word && digits.bytes().all(|c| c.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| is_number);
        let number = number.ok_or_else(|| self.unexpected(expected))?;
        self.advance()?;
        Ok(number)
    }

    /// The types between parentheses, after their number times `factor`.
    fn items(&mut self, inner: usize, factor: usize) -> Result<()> {
        self.note_offset(self.place());
        self.writer.number(factor * self.group()?.items as usize);
        self.take(b'(')?;
        while !self.take_if(b')')? {
            self.ty(inner)?;
            if !self.take_if(b',')? {
                self.take(b')')?;
                break;
            }
        }
        Ok(())
    }

    /// The fields or variants between braces, after the head `factor` times their number plus `form`.
    fn named(&mut self, inner: usize, factor: usize, form: usize) -> Result<()> {
        self.note_offset(self.place());
        self.writer.number(factor * self.group()?.items as usize + form);
        self.take(b'{')?;
        while !self.take_if(b'}')? {
            self.take_doc();
            self.name()?;
            if !self.take_if(b':')? {
                return Err(self.unexpected("`:`, or double quotes around a name with other signs"));
            }
            self.ty(inner)?;
            if !self.take_if(b',')? {
                self.take(b'}')?;
                break;
            }
        }
        Ok(())
    }

    fn fields(&mut self, inner: usize) -> Result<()> {
        let form = match self.group()?.then {
            AfterGroup::Other => 0,
            AfterGroup::Shapes => 1,
            AfterGroup::Sparse => 2,
        };
        self.named(inner, 4, form)?;
        match form {
            1 => self.shapes()?,
            2 => self.advance()?,
            _ => {}
        }
        Ok(())
    }

    /// The shapes between brackets: each has the numbers of its fields, or is `-`.
    fn shapes(&mut self) -> Result<()> {
        self.note_offset(self.place());
        self.writer.number(self.group()?.items as usize);
        self.take(b'[')?;
        while !self.take_if(b']')? {
            self.note_offset(self.place());
            let numbers = self.words_ahead()?;
            self.writer.number(numbers);
            match numbers {
                0 => self.take(b'-')?,
                _ => (0..numbers).try_for_each(|_| self.count())?,
            }
            if !self.take_if(b',')? {
                self.take(b']')?;
                break;
            }
        }
        Ok(())
    }

    /// How many words are next.
    fn words_ahead(&self) -> Result<usize> {
        let (mut ahead, mut kind, mut words) = (self.tokens.clone(), self.token.kind, 0);
        while kind == TokenKind::Word {
            words += 1;
            kind = ahead.next()?.kind;
        }
        Ok(words)
    }

    fn label(&mut self) -> Result<()> {
        let is_label = self.token.kind == TokenKind::Label;
        let label = &self.word()[usize::from(is_label)..];
        if label.is_empty() || !is_label {
            return Err(self.unexpected("`#` and a label"));
        }
        // F-20: a definition's number is that of its first mention.
        let new = self.mentioned.len();
        let known = self.numbers.get(label).copied();
        let number = known.unwrap_or(new);
        if known.is_none() {
            self.numbers.put(label, new);
            self.mentioned.put(label);
            self.mentions.put(self.place());
        }
        self.note_offset(self.place());
        self.writer.number(number);
        self.advance()
    }

    fn name(&mut self) -> Result<()> {
        let place = self.token.place.clone();
        let name = match self.token.kind {
            TokenKind::Quoted => unquoted(self.text, place)?,
            TokenKind::Word if !self.word().starts_with(|c: char| c.is_ascii_digit()) => {
                memory::text(self.word())
            }
            _ => return Err(self.unexpected("a name")),
        };
        self.note_offset(self.place());
        self.writer.name(&memory::shared(&name));
        self.advance()
    }

    /// The bytes between brackets, two hexadecimal digits each, and where they begin.
    fn hex(&mut self) -> Result<(usize, Vec<u8>)> {
        self.take(b'[')?;
        let place = self.place();
        let mut bytes = Vec::new();
        while !self.take_if(b']')? {
            let word = self.word();
            let is_byte = self.token.kind == TokenKind::Word && word.len() == 2;
            let byte = u8::from_str_radix(word, 16).ok().filter(|_| is_byte);
            bytes.put(byte.ok_or_else(|| self.unexpected("two hexadecimal digits or `]`"))?);
            self.advance()?;
        }
        Ok((place, bytes))
    }

    /// A logical type by the name of its kind, with its storage or, where the kind has one alone, without.
    fn logical(&mut self, begin: &Token, word: &'t str, inner: usize) -> Result<()> {
        let Some(kind) = LogicalType::kind_of_name(word) else {
            return Err(self.unexpected_token(begin, "a type"));
        };
        let begin = begin.place.start;
        let mut parameters = Vec::new();
        let count = LogicalType::parameter_count(kind);
        for index in 0..count {
            self.take(if index == 0 { b'[' } else { b',' })?;
            let byte = LogicalType::parameter_of_word(kind, index, self.word());
            parameters.put(byte.ok_or_else(|| self.unexpected(format!("a parameter of {word}")))?);
            self.advance()?;
        }
        if count > 0 {
            self.end_of_items(b']')?;
        }
        let ty = LogicalType::unchecked(kind, &parameters);
        self.note_offset(begin);
        self.writer.logical(&ty);
        if self.is(b'(') {
            return self.inside(inner);
        }
        if !ty.storage().is_one() {
            return Err(self.unexpected(format!("`(` and {}, the storage of {word}", ty.storage())));
        }
        self.note_offset(begin);
        write_storage(&ty.storage(), &mut self.writer);
        Ok(())
    }
}

#[cold]
fn no_later(place: usize) -> Error {
    bad(place, "a code from E0 on", "another")
}

/// Appends the storage of a kind that has one alone.
fn write_storage(storage: &Storage, out: &mut SchemaWriter) {
    match storage {
        Storage::Scalar(scalar) => out.scalar(*scalar),
        Storage::Whole => out.scalar(Scalar::Int(IntKind::Int)),
        Storage::Tuple(items) => {
            out.code(code::TUPLE);
            out.number(items.len());
            items.iter().for_each(|item| write_storage(item, out));
        }
        // Not one alone.
        Storage::Any | Storage::List | Storage::BitList | Storage::Map => {}
    }
}
