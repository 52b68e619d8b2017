//! Containers, part by part; and variants.

use alloc::vec::{self, Vec};

use serde::de::value::UnitDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};

use super::deserializer::{Spot, part};
use super::name::Name;
use crate::dynamic::{Entry, OtherTypes, SubTensor, Tape, charge};
use crate::error::{Code, Error, Result};
use crate::memory::GrowVec;
use crate::number::IntKind;
use crate::schema::path;

/// A visitor must consume a container completely: it skips what it does not want.
fn check_left(taken: usize, len: usize) -> Result<()> {
    if taken < len {
        return Err(Error::new(Code::Unconvertible)
            .expected(format!("a length of {taken}"))
            .got(format!("a length of {len}")));
    }
    Ok(())
}

/// The items of a list, array or tuple, or the fields of a tuple struct.
pub(super) struct Items<'t, 'de> {
    spot: Spot<'t, 'de>,
    at: usize,
    index: usize,
    len: usize,
    /// The offsets of the items, if they are not contiguous.
    places: Option<vec::IntoIter<usize>>,
}

impl<'t, 'de> Items<'t, 'de> {
    pub(super) fn new(spot: Spot<'t, 'de>, at: usize, len: usize) -> Items<'t, 'de> {
        Items { spot, at, index: 0, len, places: None }
    }

    pub(super) fn at(spot: Spot<'t, 'de>, places: Vec<usize>) -> Items<'t, 'de> {
        let len = places.len();
        Items { spot, at: 0, index: 0, len, places: Some(places.into_iter()) }
    }

    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_seq(&mut self)?;
        check_left(self.index, self.len)?;
        Ok(value)
    }
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if self.index == self.len {
            return Ok(None);
        }
        let (index, at) = (
            self.index,
            match &mut self.places {
                Some(places) => places.next().unwrap_or(self.at),
                None => self.at,
            },
        );
        self.index += 1;
        self.at = self.spot.tape.behind(at);
        part(seed, self.spot.inside(at), || format!("[{index}]")).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.len - self.index)
    }
}

/// The parts of a tensor along its first dimension.
pub(super) struct TensorItems<'t, 'de> {
    spot: Spot<'t, 'de>,
    tensor: SubTensor<'de>,
    index: usize,
    /// The part that is read.
    tape: Tape<'de>,
}

impl<'t, 'de> TensorItems<'t, 'de> {
    pub(super) fn new(spot: Spot<'t, 'de>, tensor: &SubTensor<'de>) -> TensorItems<'t, 'de> {
        TensorItems { spot, tensor: tensor.clone(), index: 0, tape: Tape::default() }
    }

    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_seq(&mut self)?;
        check_left(self.index, self.tensor.len())?;
        Ok(value)
    }

    fn next(&mut self) -> Result<()> {
        self.tape.clear();
        if self.tensor.rank() > 1 {
            // There can be very many empty ones, and each takes longer than a number.
            charge(self.spot.left, 64)?;
            return self.tape.push_tensor(self.tensor.part(self.index));
        }
        // A scalar stays the same size, unlike a container.
        if self.tensor.cost() > 8 {
            charge(self.spot.left, self.tensor.cost())?;
        }
        self.tensor.element(self.index, &mut self.tape)
    }
}

impl<'de> SeqAccess<'de> for TensorItems<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let index = self.index;
        if index == self.tensor.len() {
            return Ok(None);
        }
        let emitted = self.next();
        self.index += 1;
        part(seed, emitted.and_then(|()| self.spot.apart(&self.tape)), || format!("[{index}]"))
            .map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.tensor.len() - self.index)
    }
}

/// Bytes as a sequence.
pub(super) struct ByteAccess<'t, 'de> {
    spot: Spot<'t, 'de>,
    bytes: &'t [u8],
    index: usize,
    /// The byte that is read.
    tape: Tape<'de>,
}

impl<'t, 'de> ByteAccess<'t, 'de> {
    pub(super) fn new(spot: Spot<'t, 'de>, bytes: &'t [u8]) -> ByteAccess<'t, 'de> {
        ByteAccess { spot, bytes, index: 0, tape: Tape::default() }
    }

    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_seq(&mut self)?;
        check_left(self.index, self.bytes.len())?;
        Ok(value)
    }
}

impl<'de> SeqAccess<'de> for ByteAccess<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let index = self.index;
        let Some(byte) = self.bytes.get(index) else { return Ok(None) };
        self.index += 1;
        self.tape.entries.clear();
        self.tape.entries.put(Entry::Int(IntKind::U8, u64::from(*byte)));
        part(seed, self.spot.apart(&self.tape), || format!("[{index}]")).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.bytes.len() - self.index)
    }
}

/// A key that is a value, or the name of a field or variant.
#[derive(Clone, Copy)]
pub(super) enum MapKey<'t, 'de> {
    At(Spot<'t, 'de>),
    Name(Name<'t>),
}

impl<'t, 'de> MapKey<'t, 'de> {
    fn read<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        match self {
            MapKey::At(spot) => seed.deserialize(spot),
            MapKey::Name(name) => seed.deserialize(name),
        }
    }

    /// Its text, if it is one.
    fn text(self) -> Option<&'t str> {
        match self {
            MapKey::Name(name) => Some(name.text),
            MapKey::At(spot) => spot.tape.string_at(spot.at),
        }
    }
}

impl EntryNames<'_> {
    /// Whether each key is on the tape before its value.
    fn is_before_values(self) -> bool {
        matches!(self, EntryNames::None | EntryNames::Inside)
    }
}

/// The fields of a row, the entries of a map, or a variant as an entry.
pub(super) struct MapEntries<'t, 'de> {
    spot: Spot<'t, 'de>,
    names: EntryNames<'t>,
    /// The offset of the next key or value, and that of the last key among the values.
    at: usize,
    key_at: usize,
    index: usize,
    len: usize,
}

/// The keys.
#[derive(Clone, Copy)]
enum EntryNames<'t> {
    /// Any values, each before its value.
    None,
    /// Strings, each before its value.
    Inside,
    Of(&'t [alloc::sync::Arc<str>]),
    One(&'t str),
}

impl<'t, 'de> MapEntries<'t, 'de> {
    pub(super) fn of(spot: Spot<'t, 'de>, node: Entry) -> Option<MapEntries<'t, 'de>> {
        let (names, len) = match node {
            Entry::Row { shape, .. } => {
                let keys = spot.tape.shape(shape).keys();
                (EntryNames::Of(keys), keys.len())
            }
            Entry::Map { len, is_mapping: true, .. } => (EntryNames::Inside, len),
            Entry::Map { len, .. } => (EntryNames::None, len),
            Entry::Variant { name, .. } => (EntryNames::One(spot.tape.name(name)), 1),
            _ => return None,
        };
        let at = spot.at + 1;
        Some(MapEntries { spot, names, at, key_at: at, index: 0, len })
    }

    /// Returns the key of the only entry and the offset of its value, if it is a single entry with a text as its key.
    pub(super) fn only(self) -> Option<(MapKey<'t, 'de>, usize)> {
        if self.len != 1 {
            return None;
        }
        let key = self.key().ok()?;
        key.text()?;
        let is_before = self.names.is_before_values();
        Some((key, if is_before { self.spot.tape.behind(self.at) } else { self.at }))
    }

    fn key(&self) -> Result<MapKey<'t, 'de>> {
        let text = match self.names {
            EntryNames::None => return Ok(MapKey::At(self.spot.inside(self.at)?)),
            // Strings, which are no level of their own.
            EntryNames::Inside => {
                return Ok(match (self.spot.tape.other_types, self.spot.tape.string_at(self.at)) {
                    (OtherTypes::Text, Some(text)) => MapKey::Name(self.spot.key(text)),
                    _ => MapKey::At(self.spot.beside(self.at)),
                });
            }
            EntryNames::Of(keys) => keys.get(self.index).map_or("", |key| key),
            EntryNames::One(name) => name,
        };
        Ok(MapKey::Name(self.spot.name(text)?))
    }

    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_map(&mut self)?;
        check_left(self.index, self.len)?;
        Ok(value)
    }
}

impl<'de> MapAccess<'de> for MapEntries<'_, 'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if self.index == self.len {
            return Ok(None);
        }
        let index = self.index;
        let key = self.key().and_then(|key| {
            if self.names.is_before_values() {
                (self.key_at, self.at) = (self.at, self.spot.tape.behind(self.at));
            }
            key.read(seed)
        });
        key.map(Some).map_err(|error| match self.names {
            // It names the field itself.
            EntryNames::Of(_) | EntryNames::One(_) | EntryNames::Inside => error,
            EntryNames::None => error.under(|| format!("[{index}].key")),
        })
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let (at, index) = (self.at, self.index);
        if index == self.len {
            return Err(Error::new(Code::BadSource).expected("a key before each value"));
        }
        self.index += 1;
        self.at = self.spot.tape.behind(at);
        let (tape, key_at) = (self.spot.tape, self.key_at);
        part(seed, self.spot.inside(at), || match self.names {
            EntryNames::None => format!("[{index}]"),
            EntryNames::Inside => path::field(tape.string_at(key_at).unwrap_or_default()),
            EntryNames::Of(keys) => keys.get(index).map(|key| path::field(key)).unwrap_or_default(),
            EntryNames::One(name) => path::variant(name),
        })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.len - self.index)
    }
}

/// A variant, by its name, and its payload if there is one.
pub(super) struct VariantOf<'t, 'de> {
    pub(super) key: MapKey<'t, 'de>,
    pub(super) payload: Option<Spot<'t, 'de>>,
}

impl<'de> EnumAccess<'de> for VariantOf<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self)> {
        let name = self.key.read(seed)?;
        Ok((name, self))
    }
}

impl<'t, 'de> VariantOf<'t, 'de> {
    fn read<T>(
        self,
        wanted: &'static str,
        read: impl FnOnce(Spot<'t, 'de>) -> Result<T>,
    ) -> Result<T> {
        let of_variant =
            |error: Error| error.under(|| path::variant(self.key.text().unwrap_or_default()));
        match self.payload {
            Some(payload) => read(payload).map_err(of_variant),
            None => Err(of_variant(Error::invalid_type(Unexpected::UnitVariant, &wanted))),
        }
    }
}

impl<'de> VariantAccess<'de> for VariantOf<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        match self.payload {
            Some(_) => self.read("unit variant", Deserialize::deserialize),
            None => Ok(()),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        if self.payload.is_none() {
            // A message does not distinguish null from no payload, so its variants of null are in other formats names, too.
            let null: UnitDeserializer<Error> = ().into_deserializer();
            if let Ok(value) = seed.deserialize(null) {
                return Ok(value);
            }
            return self.read("newtype variant", |_| Err(Error::new(Code::BadSource)));
        }
        self.read("newtype variant", |payload| seed.deserialize(payload))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        self.read("tuple variant", |payload| payload.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.read("struct variant", |payload| payload.deserialize_struct("", fields, visitor))
    }
}
