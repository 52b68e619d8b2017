//! [`Value`] among the types of a program.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, SerializeTuple, Serializer};

use super::NESTING;
use super::deserializer::Spot;
use super::events::EventTarget;
use super::handover::{self, NAME};
use crate::dynamic::{Event, Sink, Tape};
use crate::memory::GrowVec;
use crate::number::{IntKind, wide_of_big};
use crate::value::{BigInt, Record, Tensor, Value, ValueBuilder};

/// Our own serializer writes the value unchanged. Any other gets it as serde can express it: structs and variants as maps,
/// logical values as their storage, tensors as nested sequences, 16-bit floats as f32. A value inside itself,
/// one of a later version, and an integer of more than 128 bits are errors.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, &Asked(self))
    }
}

/// A value that our own side may ask for.
struct Asked<'v>(&'v Value);

impl Serialize for Asked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if handover::answer(self.0) {
            return serializer.serialize_unit();
        }
        Plain(self.0, 0).serialize(serializer)
    }
}

/// A value as serde can express it, limited to a depth.
struct Plain<'v>(&'v Value, usize);

// The recursion ends at NESTING.
impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Plain(value, depth) = *self;
        if depth > NESTING {
            return Err(S::Error::custom(format_args!("values nested more than {NESTING} deep")));
        }
        let inside = |value| Plain(value, depth + 1);
        match value.get() {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) | Value::I64(value) => serializer.serialize_i64(*value),
            Value::BigInt(value) => big(value, serializer),
            Value::U8(value) => serializer.serialize_u8(*value),
            Value::U16(value) => serializer.serialize_u16(*value),
            Value::U32(value) => serializer.serialize_u32(*value),
            Value::U64(value) => serializer.serialize_u64(*value),
            Value::U128(value) => serializer.serialize_u128(**value),
            Value::I8(value) => serializer.serialize_i8(*value),
            Value::I16(value) => serializer.serialize_i16(*value),
            Value::I32(value) => serializer.serialize_i32(*value),
            Value::I128(value) => serializer.serialize_i128(**value),
            Value::F16(value) => serializer.serialize_f32(value.to_f32()),
            Value::Bf16(value) => serializer.serialize_f32(value.to_f32()),
            Value::F32(value) => serializer.serialize_f32(*value),
            Value::F64(value) => serializer.serialize_f64(*value),
            Value::String(value) => serializer.serialize_str(value),
            Value::Bytes(value) | Value::Fixed(value) => serializer.serialize_bytes(value),
            Value::List(items) => sequence(items, depth, serializer),
            Value::Array(items) => sequence(items, depth, serializer),
            Value::Tuple(items) => {
                let mut tuple = serializer.serialize_tuple(items.len())?;
                items.iter().try_for_each(|item| tuple.serialize_element(&inside(item)))?;
                tuple.end()
            }
            Value::Record(record) => fields(record, depth, serializer),
            Value::Struct(of) => fields(of.fields(), depth, serializer),
            Value::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries.iter() {
                    map.serialize_entry(&inside(key), &inside(value))?;
                }
                map.end()
            }
            Value::Variant(variant) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry(&**variant.name(), &inside(variant.value()))?;
                map.end()
            }
            Value::Tensor(tensor) => nested(tensor, depth, serializer),
            Value::Logical(logical) => inside(logical.storage()).serialize(serializer),
            Value::Extension(extension) => inside(extension.value()).serialize(serializer),
            Value::Unknown => Err(S::Error::custom("a value of a later version")),
            Value::Shared(_) | Value::Weak(_) => Err(S::Error::custom("a value inside itself")),
        }
    }
}

fn sequence<S: Serializer>(
    items: &[Value],
    depth: usize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut seq = serializer.serialize_seq(Some(items.len()))?;
    items.iter().try_for_each(|item| seq.serialize_element(&Plain(item, depth + 1)))?;
    seq.end()
}

fn fields<S: Serializer>(record: &Record, depth: usize, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(record.values().len()))?;
    for (key, value) in record.iter() {
        map.serialize_entry(key, &Plain(value, depth + 1))?;
    }
    map.end()
}

fn big<S: Serializer>(value: &BigInt, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = value.as_le_bytes();
    let wide = wide_of_big(bytes);
    if IntKind::I128.holds_big(bytes) {
        serializer.serialize_i128(i128::from_le_bytes(wide))
    } else if IntKind::U128.holds_big(bytes) {
        serializer.serialize_u128(u128::from_le_bytes(wide))
    } else {
        Err(S::Error::custom("an integer of more than 128 bits"))
    }
}

/// A tensor as nested sequences.
fn nested<S: Serializer>(tensor: &Tensor, depth: usize, serializer: S) -> Result<S::Ok, S::Error> {
    let items = || {
        // One with a dimension of 0 can have very many others.
        let mut tape = Tape::of(&[], 8 * tensor.as_bytes().len() as u64 + (1 << 26));
        tape.event(Event::Tensor(tensor.by_ref(), None))?;
        let left = Cell::new(tape.left());
        Read(0).deserialize(Spot::root(&tape, &left))
    };
    let items = items().map_err(S::Error::custom)?;
    Plain(&items, depth + 1).serialize(serializer)
}

/// Our own deserializer keeps the value exact: its types, logical values, tensors and shared values. From any
/// other, and where serde keeps a value before it knows the type (in a flattened field, an untagged or internally
/// tagged enum), it is what serde can say: a mapping whose keys are all strings is a record, an integer of 64 bits of type
/// int.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, Read(0))
    }
}

/// Reads a value, limited to a depth.
#[derive(Clone, Copy)]
struct Read(usize);

impl Read {
    fn inside<E: serde::de::Error>(self) -> Result<Read, E> {
        if self.0 >= NESTING {
            return Err(E::custom(format_args!("values nested more than {NESTING} deep")));
        }
        Ok(Read(self.0 + 1))
    }
}

impl<'de> DeserializeSeed<'de> for Read {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! scalars {
    ($($method:ident($ty:ty) = |$value:ident| $make:expr,)*) => {
        $(fn $method<E: serde::de::Error>(self, $value: $ty) -> Result<Value, E> {
            Ok($make)
        })*
    };
}

// The recursion ends at NESTING.
impl<'de> Visitor<'de> for Read {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    scalars! {
        visit_bool(bool) = |value| Value::Bool(value),
        visit_i8(i8) = |value| Value::I8(value),
        visit_i16(i16) = |value| Value::I16(value),
        visit_i32(i32) = |value| Value::I32(value),
        visit_i64(i64) = |value| Value::Int(value),
        visit_i128(i128) = |value| Value::I128(Box::new(value)),
        visit_u8(u8) = |value| Value::U8(value),
        visit_u16(u16) = |value| Value::U16(value),
        visit_u32(u32) = |value| Value::U32(value),
        visit_u64(u64) = |value| Value::from(value),
        visit_u128(u128) = |value| Value::U128(Box::new(value)),
        visit_f32(f32) = |value| Value::F32(value),
        visit_f64(f64) = |value| Value::F64(value),
        visit_str(&str) = |value| Value::from(value),
        visit_string(String) = |value| Value::String(value),
        visit_bytes(&[u8]) = |value| Value::Bytes(value.to_vec()),
        visit_byte_buf(Vec<u8>) = |value| Value::Bytes(value),
    }

    fn visit_char<E: serde::de::Error>(self, value: char) -> Result<Value, E> {
        let mut builder = ValueBuilder::new();
        builder.char(value).map_err(E::custom)?;
        builder.finish().map_err(E::custom)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.inside()?.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Value, D::Error> {
        match handover::receive() {
            Some(value) => Ok(value),
            None => self.inside()?.deserialize(deserializer),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(inside)? {
            items.put(item);
        }
        Ok(Value::List(items.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut entries: Vec<(Value, Value)> = Vec::new();
        while let Some(key) = map.next_key_seed(inside)? {
            entries.put((key, map.next_value_seed(inside)?));
        }
        let is_text = |(key, _): &(Value, Value)| matches!(key, Value::String(_));
        if !entries.iter().all(is_text) {
            return Ok(Value::Map(entries.into()));
        }
        let text = |key: Value| key.as_str().map(alloc::sync::Arc::from);
        let record: Option<Record> =
            entries.into_iter().map(|(key, value)| Some((text(key)?, value))).collect();
        record.map(Value::Record).ok_or_else(|| A::Error::custom("keys that are strings"))
    }
}
