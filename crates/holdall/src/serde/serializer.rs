//! Emits a type's `serialize` calls as events.

use serde::ser::{Serialize, Serializer};

use super::compound::{Compound, CompoundKind};
use super::depth::Depth;
use super::out::Out;
use super::{SOME, handover, unordered};
use crate::dynamic::Event;
use crate::error::{Error, Result};
use crate::number::{IntKind, shorten_big};
use crate::schema::path;

/// Receives one value.
pub(super) struct ValuePlace<'o, 's> {
    pub(super) out: &'o mut Out<'s>,
    pub(super) depth: Depth,
    /// The number of `Some` directly around the value.
    somes: usize,
}

impl<'o, 's> ValuePlace<'o, 's> {
    pub(super) fn root(out: &'o mut Out<'s>) -> ValuePlace<'o, 's> {
        ValuePlace::at(out, Depth::default())
    }

    /// A receiver at this depth.
    pub(super) fn at(out: &'o mut Out<'s>, depth: Depth) -> ValuePlace<'o, 's> {
        ValuePlace { out, depth, somes: 0 }
    }

    /// The receiver of the contents of a newtype or option.
    fn deeper(self) -> Result<ValuePlace<'o, 's>> {
        Ok(ValuePlace { depth: self.depth.wrapper()?, ..self })
    }

    /// Emits a null, which in an option would be `None`.
    fn null(self) -> Result<()> {
        self.out.begin_somes(self.somes)?;
        self.out.event(Event::Null)?;
        self.out.end_all(self.somes)
    }

    /// In an option this one would be mistaken for the variant of a present option.
    fn somes_around(&self, variant: &str) -> usize {
        if variant == SOME { self.somes } else { 0 }
    }

    /// Begins a variant; returns the number of ends that must follow.
    fn begin_variant(&mut self, name: &'static str) -> Result<usize> {
        let somes = self.somes_around(name);
        self.out.begin_somes(somes)?;
        self.out.begin_variant(name)?;
        Ok(somes + 1)
    }

    /// A number that does not fit 64 bits, by its two's complement.
    fn big(self, kind: IntKind, bytes: &[u8]) -> Result<()> {
        self.out.event(Event::BigInt(kind, shorten_big(bytes)))
    }

    fn compound(self, kind: CompoundKind) -> Compound<'o, 's> {
        Compound { out: self.out, depth: self.depth, kind, count: 0, ends: 0, variant: None }
    }

    /// The payload of a variant, which is a container too.
    fn payload(
        self,
        kind: CompoundKind,
        ends: usize,
        variant: &'static str,
    ) -> Result<Compound<'o, 's>> {
        let depth = self.depth.container()?;
        Ok(Compound { depth, ends, variant: Some(variant), ..self.compound(kind) })
    }
}

macro_rules! integers {
    ($($method:ident($ty:ty) = $kind:ident,)*) => {
        $(fn $method(self, value: $ty) -> Result<()> {
            // As 64 bits, sign-extended for a signed number.
            self.out.event(Event::FixedInt(IntKind::$kind, i64::from(value).cast_unsigned()))
        })*
    };
}

impl<'o, 's> Serializer for ValuePlace<'o, 's> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'o, 's>;
    type SerializeTuple = Compound<'o, 's>;
    type SerializeTupleStruct = Compound<'o, 's>;
    type SerializeTupleVariant = Compound<'o, 's>;
    type SerializeMap = Compound<'o, 's>;
    type SerializeStruct = Compound<'o, 's>;
    type SerializeStructVariant = Compound<'o, 's>;

    fn is_human_readable(&self) -> bool {
        self.out.forms.is_human_readable
    }

    integers! {
        serialize_i8(i8) = I8,
        serialize_i16(i16) = I16,
        serialize_i32(i32) = I32,
        serialize_i64(i64) = I64,
        serialize_u8(u8) = U8,
        serialize_u16(u16) = U16,
        serialize_u32(u32) = U32,
    }

    fn serialize_u64(self, value: u64) -> Result<()> {
        self.out.event(Event::FixedInt(IntKind::U64, value))
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.out.event(Event::FixedInt(IntKind::I128, value.cast_unsigned())),
            Err(_) => self.big(IntKind::I128, &value.to_le_bytes()),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        match u64::try_from(value) {
            Ok(value) => self.out.event(Event::FixedInt(IntKind::U128, value)),
            Err(_) => {
                // Its highest bit is not a sign.
                let mut bytes = [0; 17];
                bytes[..16].copy_from_slice(&value.to_le_bytes());
                self.big(IntKind::U128, &bytes)
            }
        }
    }

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.out.event(Event::Bool(value))
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        self.out.event(Event::F32(value))
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        self.out.event(Event::F64(value))
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.out.char(value)
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        if let Some(error) = self.out.forms.empty_some
            && self.somes > 0
            && value.is_empty()
        {
            return Err(error());
        }
        self.out.string(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.out.event(Event::Bytes(value))
    }

    fn serialize_none(self) -> Result<()> {
        self.null()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        let somes = self.somes + 1;
        ValuePlace { somes, ..self.deeper()? }.emit(value)
    }

    fn serialize_unit(self) -> Result<()> {
        self.null()
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<()> {
        self.out.unit_struct(name)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<()> {
        // A reader expects a payload inside it, even without fields.
        self.depth.container()?;
        let somes = self.somes_around(variant);
        self.out.begin_somes(somes)?;
        self.out.unit_variant(variant)?;
        self.out.end_all(somes)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        let mut place = self.deeper()?;
        if name == handover::NAME && place.value(value)? {
            return Ok(());
        }
        place.emit(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let ends = self.begin_variant(variant)?;
        let place = ValuePlace::at(self.out, self.depth.container()?);
        place.emit(value).map_err(|error| error.under(|| path::variant(variant)))?;
        self.out.end_all(ends)
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Compound<'o, 's>> {
        self.out.event(Event::List(0))?;
        Ok(self.compound(CompoundKind::Items))
    }

    fn serialize_tuple(self, len: usize) -> Result<Compound<'o, 's>> {
        self.out.event(Event::Tuple(len))?;
        Ok(self.compound(CompoundKind::Items))
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Compound<'o, 's>> {
        if self.out.forms.has_tuple_structs {
            return self.serialize_tuple(len);
        }
        let open = self.out.begin_struct(name)?;
        Ok(self.compound(CompoundKind::Struct(open)))
    }

    fn serialize_tuple_variant(
        mut self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Compound<'o, 's>> {
        let ends = self.begin_variant(variant)?;
        self.out.event(Event::Tuple(len))?;
        self.payload(CompoundKind::Items, ends, variant)
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Compound<'o, 's>> {
        let open = self.out.begin_map()?;
        Ok(self.compound(CompoundKind::Map(open)))
    }

    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Compound<'o, 's>> {
        let open = self.out.begin_struct(name)?;
        Ok(self.compound(CompoundKind::Struct(open)))
    }

    fn serialize_struct_variant(
        mut self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Compound<'o, 's>> {
        let ends = self.begin_variant(variant)?;
        let open = self.out.begin_record(variant)?;
        self.payload(CompoundKind::Record(open), ends, variant)
    }
}

impl ValuePlace<'_, '_> {
    /// Emits a value of a type recognised by its name.
    pub(super) fn emit<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        if self.out.is_canonical() && unordered::is::<T>() {
            return unordered::emit(value, self);
        }
        value.serialize(self)
    }

    /// Takes a complete [`Value`](crate::Value), if the announced one is a `Value`.
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<bool> {
        let ask = || value.serialize(ValuePlace::root(&mut Out::default()));
        let somes = match self.somes {
            0 => 0,
            somes => match handover::look(ask)? {
                Some(true) => somes,
                Some(false) => 0,
                None => return Ok(false),
            },
        };
        self.out.begin_somes(somes)?;
        let is_value = self.out.value(ask)?;
        self.out.end_all(somes)?;
        Ok(is_value)
    }
}
