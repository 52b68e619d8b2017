//! Deserializes a type from the tape.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Visitor};

use super::access::{ByteAccess, Items, MapEntries, MapKey, TensorItems, VariantOf};
use super::depth::Depth;
use super::error::unrepresentable;
use super::name::Name;
use super::scalars::{float, scalar};
use super::{SOME, exact, handover, time};
use crate::dynamic::{Entry, ItemsKind, OtherTypes, Tape, TextKind, charge};
use crate::error::{Error, Result};
use crate::memory;
use crate::number::IntKind;
use crate::resolution::FloatKind;
use crate::schema::LogicalType;

/// Names of up to this many bytes are free: their rows are charged.
const LONG_NAME: u64 = 64;

/// A value on a tape.
#[derive(Clone, Copy)]
pub(super) struct Spot<'t, 'de> {
    pub(super) tape: &'t Tape<'de>,
    pub(super) at: usize,
    pub(super) depth: Depth,
    /// Units for copies, if this is inside a copy.
    copies: Option<&'t Cell<u64>>,
    /// Units for copies, and for the elements of tensors.
    pub(super) left: &'t Cell<u64>,
    /// Whether this is the item of a newtype that may be a tuple of it.
    is_in_newtype: bool,
}

impl<'t, 'de> Spot<'t, 'de> {
    pub(super) fn root(tape: &'t Tape<'de>, left: &'t Cell<u64>) -> Spot<'t, 'de> {
        Spot { tape, at: 0, depth: Depth::default(), copies: None, left, is_in_newtype: false }
    }

    /// A value at the same level.
    pub(super) fn beside(self, at: usize) -> Spot<'t, 'de> {
        Spot { at, is_in_newtype: false, ..self }
    }

    /// A value inside this one.
    pub(super) fn inside(self, at: usize) -> Result<Spot<'t, 'de>> {
        Ok(Spot { at, depth: self.depth.container()?, is_in_newtype: false, ..self })
    }

    /// The value of an option or newtype.
    fn wrapped(self, at: usize) -> Result<Spot<'t, 'de>> {
        Ok(Spot { at, depth: self.depth.wrapper()?, ..self })
    }

    /// A value inside this one that is on a tape of its own.
    pub(super) fn apart<'s>(self, tape: &'s Tape<'de>) -> Result<Spot<'s, 'de>>
    where
        't: 's,
    {
        let Spot { depth, copies, left, .. } = self.inside(0)?;
        Ok(Spot { tape, at: 0, depth, copies, left, is_in_newtype: false })
    }

    /// The item of the newtype that a tuple may be.
    fn in_newtype(self, node: Entry) -> Result<Option<Self>> {
        match node {
            Entry::Items { kind: ItemsKind::Tuple, len: 1, .. } if self.is_in_newtype => {
                Ok(Some(Spot { is_in_newtype: true, ..self.inside(self.at + 1)? }))
            }
            _ => Ok(None),
        }
    }

    /// Follows references, and skips everything that only gives a value a meaning. A newtype that is a tuple is its item.
    fn resolve(self) -> Result<(Self, Entry)> {
        let (mut spot, mut node) = self.resolve_tuple()?;
        while let Some(item) = spot.in_newtype(node)? {
            (spot, node) = item.resolve_tuple()?;
        }
        Ok((spot, node))
    }

    /// The same for a type that may be a tuple of this many items: one of one item stays.
    fn resolve_items(self, len: usize) -> Result<(Self, Entry)> {
        if len == 1 { self.resolve_tuple() } else { self.resolve() }
    }

    /// The same, but a tuple stays.
    fn resolve_tuple(self) -> Result<(Self, Entry)> {
        let (mut spot, mut node) = self.resolve_option()?;
        while let Entry::Present = node {
            (spot, node) = Spot { at: spot.at + 1, ..spot }.resolve_option()?;
        }
        Ok((spot, node))
    }

    /// The same for a visitor of an option, or of any value: stops at a present option.
    // Each reference leads to an earlier, complete value, so this ends.
    fn resolve_option(mut self) -> Result<(Self, Entry)> {
        loop {
            let node = self.tape.entries[self.at];
            if let Some(copies) = self.copies {
                charge(copies, 8 + self.text_len(node))?;
            }
            match node {
                Entry::Ref(to) if self.tape.behind(to) > self.at => {
                    return Err(unrepresentable(
                        "values that end; read into a `Value` instead",
                        "one inside itself",
                    ));
                }
                Entry::Ref(to) => {
                    self.copies = Some(self.left);
                    self.at = to;
                }
                Entry::Logical { ty, .. } => {
                    let is_char = self.tape.ty(ty).kind() == LogicalType::CHAR;
                    self.at += 1;
                    if is_char
                        && let Entry::Int(IntKind::U32, bits) = self.tape.entries[self.at]
                        && let Some(value) = char::from_u32(bits as u32)
                    {
                        return Ok((self, Entry::Char(value)));
                    }
                }
                Entry::Extension { .. } => self.at += 1,
                Entry::Tensor { number, .. } if self.tape.tensor_at(number).rank() == 0 => {
                    self.at += 1;
                }
                node => {
                    if let Some(copies) = self.copies {
                        // Skipped items take time too.
                        charge(copies, 8 * self.len(node) as u64)?;
                    }
                    return Ok((self, node));
                }
            }
        }
    }

    /// Returns the number of parts of a container.
    fn len(self, node: Entry) -> usize {
        match node {
            Entry::Items { len, .. } | Entry::Map { len, .. } => len,
            Entry::Row { shape, .. } => self.tape.shape(shape).keys().len(),
            Entry::Tensor { number, .. } => self.tape.tensor_at(number).len(),
            _ => 0,
        }
    }

    /// Shows a name as a value. A name occurs once in a message and can be shown for every row, so long ones are
    /// charged.
    pub(super) fn name(self, text: &'t str) -> Result<Name<'t>> {
        charge(self.left, (text.len() as u64).saturating_sub(LONG_NAME))?;
        Ok(self.key(text))
    }

    /// Shows a key, which is text, as a value.
    pub(super) fn key(self, text: &'t str) -> Name<'t> {
        Name { text, depth: self.depth, is_in_text: self.tape.other_types == OtherTypes::Text }
    }

    /// The bits of an integer of 128 bits, if the format has it as bytes.
    fn wide_bits(self, node: Entry) -> Option<u128> {
        match node {
            Entry::Text(TextKind::Bytes, span)
                if self.tape.other_types == OtherTypes::WideBytes =>
            {
                self.tape.bytes_of(span).try_into().ok().map(u128::from_be_bytes)
            }
            _ => None,
        }
    }

    fn text_len(self, node: Entry) -> u64 {
        (match node {
            Entry::Text(_, span) | Entry::Big(_, span) => span.len(),
            _ => 0,
        }) as u64
    }

    /// Shows a value as its own type.
    fn any<V: Visitor<'de>>(self, node: Entry, visitor: V) -> Result<V::Value> {
        match node {
            Entry::Present => visitor.visit_some(self.wrapped(self.at + 1)?),
            Entry::Items { .. } | Entry::Tensor { .. } => self.sequence(node, visitor),
            // Before it knows the type, serde keeps a struct as a map or a sequence. It keeps a tuple struct like this.
            Entry::Row { shape, .. } if self.tape.shape(shape).is_numbered => {
                self.sequence(node, visitor)
            }
            Entry::Row { .. } | Entry::Map { .. } => self.mapping(node, visitor),
            Entry::Variant { name, .. } => match self.is_option(name) {
                true => visitor.visit_some(self.wrapped(self.at + 1)?),
                // serde keeps no enums, and accepts them in this form.
                false => self.mapping(node, visitor),
            },
            _ => scalar(self.tape, node, visitor),
        }
    }

    /// Shows a value requested as a scalar. The requested type decides which code is generated: for the visitor of a
    /// number, none that walks containers.
    #[inline]
    fn scalar<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        // Most are where they are read.
        let node = self.tape.entries[self.at];
        if self.copies.is_none() && matches!(node, Entry::Int(..) | Entry::Text(..)) {
            return scalar(self.tape, node, visitor);
        }
        let (spot, node) = self.resolve()?;
        scalar(spot.tape, node, visitor)
    }

    /// Whether a variant with this name was written by an option: null in as many options.
    fn is_option(self, name: usize) -> bool {
        let is_some = |name: usize| **self.tape.name(name) == *SOME;
        is_some(name)
            && match self.tape.entries[self.at + 1] {
                Entry::Null => true,
                Entry::Variant { name, .. } => is_some(name),
                _ => false,
            }
    }

    fn sequence<V: Visitor<'de>>(self, node: Entry, visitor: V) -> Result<V::Value> {
        match node {
            Entry::Items { len, .. } => Items::new(self, self.at + 1, len).visit(visitor),
            Entry::Tensor { number, .. } => {
                TensorItems::new(self, self.tape.tensor_at(number)).visit(visitor)
            }
            Entry::Text(TextKind::Bytes | TextKind::Fixed, span) => {
                ByteAccess::new(self, self.tape.bytes_of(span)).visit(visitor)
            }
            Entry::Row { shape, .. } if self.tape.shape(shape).is_numbered => {
                Items::new(self, self.at + 1, self.tape.shape(shape).keys().len()).visit(visitor)
            }
            _ => scalar(self.tape, node, visitor),
        }
    }

    fn mapping<V: Visitor<'de>>(self, node: Entry, visitor: V) -> Result<V::Value> {
        match MapEntries::of(self, node) {
            Some(entries) => entries.visit(visitor),
            None => scalar(self.tape, node, visitor),
        }
    }

    /// Returns the offsets of a row's fields whose names are the numbers up to their count.
    fn numbered(self, node: Entry) -> Option<Vec<usize>> {
        let keys = match node {
            Entry::Row { shape, .. } if !self.tape.shape(shape).is_numbered => {
                Some(self.tape.shape(shape).keys())
            }
            Entry::Map { is_mapping: true, .. } => None,
            _ => return None,
        };
        let mut places = memory::filled(None, self.len(node));
        let mut at = self.at + 1;
        for index in 0..places.len() {
            let key = match keys {
                Some(keys) => &*keys[index],
                None => {
                    let key = self.tape.string_at(at)?;
                    at = self.tape.behind(at);
                    key
                }
            };
            *places.get_mut(key.parse::<usize>().ok()?)? = Some(at);
            at = self.tape.behind(at);
        }
        places.into_iter().collect()
    }
}

macro_rules! scalars {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.scalar(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Spot<'_, 'de> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        self.tape.other_types == OtherTypes::Text
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (spot, node) = self.resolve_option()?;
        spot.any(node, visitor)
    }

    scalars! {
        deserialize_bool deserialize_char deserialize_str deserialize_string deserialize_unit
        deserialize_identifier
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (spot, node) = self.resolve()?;
        match spot.wide_bits(node) {
            Some(bits) => visitor.visit_i128(bits.cast_signed()),
            None => scalar(spot.tape, node, visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (spot, node) = self.resolve()?;
        match spot.wide_bits(node) {
            Some(bits) => visitor.visit_u128(bits),
            None => scalar(spot.tape, node, visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (spot, node) = self.resolve()?;
        float(spot.tape, node, FloatKind::F32, visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (spot, node) = self.resolve()?;
        float(spot.tape, node, FloatKind::F64, visitor)
    }

    // A visitor that accepts both reads lists of numbers as bytes.
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (spot, node) = self.resolve()?;
        match node {
            Entry::Items { .. } | Entry::Tensor { .. } => spot.sequence(node, visitor),
            _ => scalar(spot.tape, node, visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (mut spot, mut node) = self.resolve_option()?;
        while let Some(item) = spot.in_newtype(node)? {
            (spot, node) = item.resolve_option()?;
        }
        match node {
            Entry::Null => visitor.visit_none(),
            Entry::Present => visitor.visit_some(spot.wrapped(spot.at + 1)?),
            Entry::Variant { name, .. } if **self.tape.name(name) == *SOME => {
                visitor.visit_some(spot.wrapped(spot.at + 1)?)
            }
            _ => visitor.visit_some(self.wrapped(self.at)?),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        let (spot, node) = self.resolve()?;
        match node {
            Entry::Row { shape, .. } if self.tape.shape(shape).keys().is_empty() => {
                visitor.visit_unit()
            }
            Entry::Map { len: 0, is_mapping: true, .. } | Entry::Items { len: 0, .. } => {
                visitor.visit_unit()
            }
            _ => scalar(spot.tape, node, visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == handover::NAME {
            let value = exact::value(self.tape, self.at, self.left)?;
            return handover::give(value, || visitor.visit_newtype_struct(self));
        }
        let is_in_newtype = self.tape.other_types == OtherTypes::Newtypes;
        visitor.visit_newtype_struct(Spot { is_in_newtype, ..self.wrapped(self.at)? })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (mut spot, mut node) = self.resolve_tuple()?;
        if let Some(item) = spot.in_newtype(node)? {
            let (item, own) = item.resolve()?;
            if matches!(own, Entry::Items { .. } | Entry::Tensor { .. }) {
                (spot, node) = (item, own);
            }
        }
        spot.sequence(node, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        let (spot, node) = self.resolve_items(len)?;
        spot.sequence(node, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value> {
        let (spot, node) = self.resolve_items(len)?;
        match spot.numbered(node) {
            Some(places) => Items::at(spot, places).visit(visitor),
            None => spot.sequence(node, visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (spot, node) = self.resolve()?;
        spot.mapping(node, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        // A struct is a tuple there, too.
        let (spot, node) = self.resolve_items(fields.len())?;
        if let Some(fields) = time::fields(spot, node, name, fields) {
            return visitor.visit_map(MapDeserializer::new(fields?.into_iter()));
        }
        match node {
            Entry::Items { .. } => spot.sequence(node, visitor),
            _ => spot.mapping(node, visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let (spot, node) = self.resolve()?;
        let key = match node {
            Entry::Text(TextKind::String, _) => {
                return visitor.visit_enum(VariantOf { key: MapKey::At(spot), payload: None });
            }
            Entry::Variant { name, .. } => MapKey::Name(spot.name(self.tape.name(name))?),
            Entry::Row { shape, .. } if self.tape.shape(shape).name.is_some() => {
                return scalar(spot.tape, node, visitor);
            }
            // As in other formats.
            _ => match MapEntries::of(spot, node).and_then(MapEntries::only) {
                Some((key, payload)) => {
                    let payload = Some(spot.inside(payload)?);
                    return visitor.visit_enum(VariantOf { key, payload });
                }
                None => return scalar(spot.tape, node, visitor),
            },
        };
        let payload = Some(spot.inside(spot.at + 1)?);
        visitor.visit_enum(VariantOf { key, payload })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
}

/// Reads a part, and adds its step to an error's path.
pub(super) fn part<'de, S: DeserializeSeed<'de>>(
    seed: S,
    spot: Result<Spot<'_, 'de>>,
    step: impl FnOnce() -> String,
) -> Result<S::Value> {
    spot.and_then(|spot| seed.deserialize(spot)).map_err(|error| error.under(step))
}
