//! Containers, part by part.

use alloc::string::String;

use serde::ser::{self, Serialize};

use super::depth::Depth;
use super::events::{OpenMap, OpenRow};
use super::out::Out;
use super::serializer::ValuePlace;
use crate::error::{Code, Error, Result};
use crate::schema::path;

/// An open container.
pub(super) struct Compound<'o, 's> {
    pub(super) out: &'o mut Out<'s>,
    pub(super) depth: Depth,
    pub(super) kind: CompoundKind,
    /// The number of parts so far.
    pub(super) count: usize,
    /// The number of ends after its own.
    pub(super) ends: usize,
    /// The variant whose payload this is.
    pub(super) variant: Option<&'static str>,
}

pub(super) enum CompoundKind {
    Items,
    /// Open if it is recorded.
    Struct(Option<OpenRow>),
    Record(OpenRow),
    /// A mapping or map.
    Map(OpenMap),
}

impl Compound<'_, '_> {
    /// Adds a part, whose step is used in the paths of errors.
    fn part<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
        step: impl FnOnce(&mut Self) -> String,
    ) -> Result<()> {
        self.count += 1;
        let depth = self.depth.container();
        let emitted = depth.and_then(|depth| ValuePlace::at(self.out, depth).emit(value));
        emitted.map_err(|error| {
            let variant = self.variant.map(path::variant).unwrap_or_default();
            error.under(|| variant + &step(self))
        })
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let index = self.count;
        self.part(value, |_| format!("[{index}]"))
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        match self.kind {
            CompoundKind::Record(_) => self.out.recorder().field(name),
            _ => self.out.field_of_struct(name)?,
        }
        self.part(value, |_| path::field(name))
    }

    fn finish(self) -> Result<()> {
        match &self.kind {
            CompoundKind::Items => self.out.end_items(self.count)?,
            CompoundKind::Struct(open) => self.out.end_struct(open.as_ref())?,
            CompoundKind::Record(open) => self.out.end_record(open)?,
            CompoundKind::Map(open) => self.out.end_map(open, self.count)?,
        }
        self.out.end_all(self.ends)
    }
}

impl ser::SerializeSeq for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.item(value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl ser::SerializeTuple for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.item(value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl ser::SerializeTupleVariant for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.item(value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl ser::SerializeTupleStruct for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if let CompoundKind::Items = self.kind {
            return self.item(value);
        }
        let name = number(self.count).ok_or_else(|| {
            Error::new(Code::UnsupportedValue).expected("at most 256 fields in a struct")
        })?;
        self.field(name, value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl ser::SerializeStruct for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(name, value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl ser::SerializeStructVariant for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(name, value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl ser::SerializeMap for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let index = self.count;
        let at = self.out.recorder().tape().entries.len();
        self.part(key, |_| format!("[{index}].key"))?;
        // It is counted with its value.
        self.count = index;
        if let CompoundKind::Map(open) = &mut self.kind {
            self.out.recorder().end_key(open, at);
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let index = self.count;
        self.part(value, |own| {
            let key = match &own.kind {
                CompoundKind::Map(open) => own.out.recorder().key(open, index),
                _ => None,
            };
            key.map_or_else(|| format!("[{index}]"), path::field)
        })
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

/// The largest number that is a name, and one with one digit more.
const NUMBERS: usize = 256;
const DIGITS: usize = 3;

/// Each number with three digits.
const TEXT: [u8; NUMBERS * DIGITS] = {
    let mut text = [b'0'; NUMBERS * DIGITS];
    let mut number = 0;
    while number < NUMBERS {
        text[number * DIGITS] = b'0' + (number / 100) as u8;
        text[number * DIGITS + 1] = b'0' + (number / 10 % 10) as u8;
        text[number * DIGITS + 2] = b'0' + (number % 10) as u8;
        number += 1;
    }
    text
};

/// Returns the name of a tuple struct's field; none beyond the maximum number of fields.
pub(super) fn number(index: usize) -> Option<&'static str> {
    static NAMES: [u8; NUMBERS * DIGITS] = TEXT;
    let end = (index + 1) * DIGITS;
    let zeros = match index {
        0..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    core::str::from_utf8(NAMES.get(end - DIGITS + zeros..end)?).ok()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn numbers_of_fields_are_their_digits() {
        for index in 0..NUMBERS {
            assert_eq!(number(index), Some(&*index.to_string()));
        }
        assert_eq!(number(NUMBERS), None);
    }
}
