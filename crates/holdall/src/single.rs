//! Small values with one row at each site, written and read without columns: for bindings, where the calls for a
//! small message cost more than its bytes.
//!
//! Where each site has one row, a block holds the values in the order of the types, each in plain form (F-28 to
//! F-32). A caller that knows a value's schema beforehand writes the block with [`SingleWriter`], and reads it with
//! [`SingleReader`]. Reading reports only whether it succeeded: a [`Decoder`](crate::Decoder) then finds the fault
//! and its offset.

use std::sync::Arc;

use crate::column::FEW;
use crate::input::trace::{Field, field};
use crate::input::{Input, Scratch};
use crate::limits::Limits;
use crate::number::{IntKind, unzigzag, write_varint, zigzag};
use crate::schema::{Fields, Form, Scalar, Schema, Type, TypeId};

const NUMBER: Field = field("a number", "F-29");
const TEXT: Field = field("text", "F-32");

/// The most types in the schema of a small value.
const TYPES: usize = 64;

/// A type of a small value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Single {
    /// Null.
    Null,
    /// A bool.
    Bool,
    /// An integer of type int.
    Int,
    /// A float of 64 bits.
    F64,
    /// Text.
    String,
    /// Bytes.
    Bytes,
    /// A list of scalars, of fewer than [`Single::ITEMS`] items; none if the list is always empty.
    List(Option<Box<Single>>),
    /// A record with all its fields, in their order.
    Record(Box<[(Arc<str>, Single)]>),
    /// A struct: a record with a name.
    Struct(Arc<str>, Box<[(Arc<str>, Single)]>),
}

impl Single {
    /// Lists of this many items have columns.
    pub const ITEMS: usize = FEW;

    /// Returns the type of a schema's values if they can be small: scalars, lists of scalars, and records and
    /// structs of these.
    #[must_use]
    pub fn of(schema: &Schema) -> Option<Single> {
        if !schema.definitions().is_empty() || schema.sites() > TYPES {
            return None;
        }
        Single::of_type(schema.types(), 0)
    }

    fn of_type(types: &[Type], id: TypeId) -> Option<Single> {
        let fields = |of: &Fields| {
            let field = |(name, id): &(Arc<str>, TypeId)| {
                Some((Arc::clone(name), Single::of_type(types, *id)?))
            };
            let all_are_there = of.form == Form::One;
            if all_are_there { of.fields.iter().map(field).collect() } else { None }
        };
        Some(match &types[id] {
            Type::Null => Single::Null,
            Type::Scalar(Scalar::Bool) => Single::Bool,
            Type::Scalar(Scalar::Int(IntKind::Int)) => Single::Int,
            Type::Scalar(Scalar::F64) => Single::F64,
            Type::Scalar(Scalar::String) => Single::String,
            Type::Scalar(Scalar::Bytes) => Single::Bytes,
            Type::List(item) => match &types[*item] {
                Type::Never => Single::List(None),
                Type::Scalar(_) => Single::List(Some(Box::new(Single::of_type(types, *item)?))),
                _ => return None,
            },
            Type::Record(of) => Single::Record(fields(of)?),
            Type::Struct(name, of) => Single::Struct(Arc::clone(name), fields(of)?),
            _ => return None,
        })
    }
}

/// Writes a block of single rows: the values in the order of the schema's types, nothing for null.
pub struct SingleWriter<'o>(&'o mut Vec<u8>);

impl<'o> SingleWriter<'o> {
    /// Creates a writer that appends to bytes.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        SingleWriter(out)
    }

    /// A bool.
    #[inline]
    pub fn bool(&mut self, value: bool) {
        self.bools(&[value]);
    }

    /// The bools of a list, at least one.
    #[inline]
    pub fn bools(&mut self, values: &[bool]) {
        self.0.push(values.iter().rev().fold(0, |bits, &bit| bits << 1 | u8::from(bit)));
    }

    /// An int of 64 bits.
    #[inline]
    pub fn int(&mut self, value: i64) {
        write_varint(self.0, zigzag(value));
    }

    /// A float.
    #[inline]
    pub fn f64(&mut self, value: f64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Text or bytes.
    #[inline]
    pub fn text(&mut self, text: &[u8]) {
        self.texts(&[text]);
    }

    /// The texts of a list.
    #[inline]
    pub fn texts(&mut self, texts: &[&[u8]]) {
        texts.iter().for_each(|text| write_varint(self.0, text.len() as u64));
        texts.iter().for_each(|text| self.0.extend_from_slice(text));
    }

    /// The length of a list, whose items are written next.
    #[inline]
    pub fn list(&mut self, len: usize) {
        write_varint(self.0, len as u64);
    }
}

/// Reads blocks that [`SingleWriter`] writes; none for any others.
pub struct SingleReader<'m>(Input<'m>);

impl<'m> SingleReader<'m> {
    /// Calls a function with a reader of a block. The result counts only if the function reads the entire block.
    pub fn read<T>(
        block: &'m [u8],
        read: impl for<'r> FnOnce(&mut SingleReader<'r>) -> Option<T>,
    ) -> Option<T> {
        let scratch = Scratch::default();
        let budget = Limits::new().budget_for(block.len());
        let mut reader = SingleReader(Input::new(block, budget, &scratch));
        let value = read(&mut reader)?;
        (reader.0.remaining() == 0).then_some(value)
    }

    /// A bool.
    #[inline]
    pub fn bool(&mut self) -> Option<bool> {
        self.bools(1).map(|bits| bits != 0)
    }

    /// The bools of a list, from one to [`Single::ITEMS`], the first in the lowest bit.
    #[inline]
    pub fn bools(&mut self, len: usize) -> Option<u8> {
        self.0.byte(NUMBER).ok().filter(|bits| u32::from(*bits) < 1 << len)
    }

    /// An int of 64 bits.
    #[inline]
    pub fn int(&mut self) -> Option<i64> {
        self.0.varint(NUMBER).ok().map(unzigzag)
    }

    /// A float.
    #[inline]
    pub fn f64(&mut self) -> Option<f64> {
        let bytes = self.0.take(8, NUMBER).ok()?;
        Some(f64::from_le_bytes(*bytes.first_chunk()?))
    }

    /// The length of a list, whose items are read next: fewer than [`Single::ITEMS`].
    #[inline]
    pub fn list(&mut self) -> Option<usize> {
        let len = self.length()?;
        (len < Single::ITEMS).then_some(len)
    }

    /// Bytes.
    #[inline]
    pub fn bytes(&mut self) -> Option<&'m [u8]> {
        let len = self.length()?;
        self.0.take(len as u128, TEXT).ok()
    }

    /// Text.
    #[inline]
    pub fn string(&mut self) -> Option<&'m str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The byte strings of a list of this length, with their number.
    pub fn each_bytes(&mut self, len: usize) -> Option<impl Iterator<Item = &'m [u8]> + use<'m>> {
        let mut lengths = [0; Single::ITEMS];
        for length in lengths.get_mut(..len)? {
            *length = self.length()?;
        }
        let total = lengths.iter().map(|length| *length as u128).sum();
        let mut rest = self.0.take(total, TEXT).ok()?;
        Some(lengths.into_iter().take(len).map(move |length| {
            let (bytes, behind) = rest.split_at(length);
            rest = behind;
            bytes
        }))
    }

    #[inline]
    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.0.varint(NUMBER).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BigInt, Encoder, Header, Value};

    fn bare(value: &Value) -> Vec<u8> {
        Encoder::new().header(Header::Bare).message(&mut &*value).unwrap()
    }

    fn written(write: impl FnOnce(&mut SingleWriter<'_>)) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut SingleWriter::new(&mut out));
        out
    }

    fn type_of(value: &Value) -> Option<Single> {
        Single::of(&Schema::of_message(&crate::to_vec(value).unwrap()).unwrap())
    }

    #[test]
    fn each_kind_of_row_is_written_as_an_encoder_writes_it() {
        let list = |items: &[Value]| Value::list(items.to_vec());
        for value in [0, 1, -1, 63, 64, -64, -65, 300, i64::MAX, i64::MIN] {
            assert_eq!(written(|out| out.int(value)), bare(&value.into()), "{value}");
        }
        for value in [0.0, -0.0, 2.5, f64::NAN, f64::INFINITY] {
            assert_eq!(written(|out| out.f64(value)), bare(&value.into()), "{value}");
        }
        for value in [true, false] {
            assert_eq!(written(|out| out.bool(value)), bare(&value.into()));
        }
        for text in ["", "a", "Grüße", &"x".repeat(200)] {
            assert_eq!(written(|out| out.text(text.as_bytes())), bare(&text.into()));
        }
        let texts: [&[u8]; 3] = [b"ab", b"", b"c"];
        let as_list = list(&["ab".into(), "".into(), "c".into()]);
        let bytes = written(|out| {
            out.list(3);
            out.texts(&texts);
        });
        assert_eq!(bytes, bare(&as_list));
        let bytes = written(|out| {
            out.list(3);
            out.bools(&[false, true, true]);
        });
        assert_eq!(bytes, bare(&list(&[false.into(), true.into(), true.into()])));
    }

    #[test]
    fn only_written_rows_are_read() {
        let bytes = written(|out| {
            out.int(-300);
            out.text("né".as_bytes());
            out.bool(true);
            out.list(2);
            out.texts(&[b"ab", b""]);
            out.f64(0.5);
        });
        let read = |bytes: &[u8]| {
            SingleReader::read(bytes, |reader| {
                let (int, text, bool) =
                    (reader.int()?, reader.string()?.to_owned(), reader.bool()?);
                let len = reader.list()?;
                let texts: Vec<Vec<u8>> = reader.each_bytes(len)?.map(<[u8]>::to_vec).collect();
                Some((int, text, bool, texts, reader.f64()?))
            })
        };
        let texts = vec![b"ab".to_vec(), vec![]];
        assert_eq!(read(&bytes), Some((-300, "né".to_owned(), true, texts, 0.5)));
        for len in 0..bytes.len() {
            assert_eq!(read(&bytes[..len]), None, "{len} bytes");
        }
        assert_eq!(read(&[&bytes[..], &[0]].concat()), None);
        // Numbers not in their shortest form, invalid text, invalid bools.
        assert_eq!(SingleReader::read(&[0x01, 0x00], |reader| reader.int()), None);
        assert_eq!(SingleReader::read(&[0x02, 0xFF], |reader| reader.string().map(str::len)), None);
        assert_eq!(SingleReader::read(&[0x02], |reader| reader.bool()), None);
        assert_eq!(SingleReader::read(&[0x04], |reader| reader.bools(2)), None);
        assert_eq!(SingleReader::read(&[0x08], |reader| reader.list()), None);
        // An int beyond 64 bits.
        let big =
            bare(&Value::BigInt(BigInt::from_le_bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 1]).unwrap()));
        assert_eq!(SingleReader::read(&big, |reader| reader.int()), None);
    }

    #[test]
    fn values_are_small_if_they_are_scalars_and_records_of_them() {
        let record =
            Value::record([("a", Value::from(1)), ("b", Value::list([])), ("c", "x".into())]);
        let a: [(Arc<str>, Single); 3] = [
            ("a".into(), Single::Int),
            ("b".into(), Single::List(None)),
            ("c".into(), Single::String),
        ];
        assert_eq!(type_of(&record), Some(Single::Record(a.into())));
        assert_eq!(type_of(&Value::list([record.clone()])), None);
        assert_eq!(type_of(&Value::from(vec![1, 2])), Some(Single::List(Some(Single::Int.into()))));
        assert_eq!(type_of(&Value::list([Value::Null])), None);
        assert_eq!(type_of(&Value::F32(0.5)), None);
    }
}
