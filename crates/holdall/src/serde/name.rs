//! Names of fields and variants as values: they are in the schema, once for all rows.

use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::depth::Depth;
use super::handover;
use crate::error::{Error, Result};
use crate::value::Value;

/// A name as a key.
#[derive(Clone, Copy)]
pub(super) struct Name<'t> {
    pub(super) text: &'t str,
    pub(super) depth: Depth,
    /// Whether the format is text for people, such as JSON, which has keys only as text: it may be that of a number or boolean.
    pub(super) is_in_text: bool,
}

macro_rules! integers {
    ($($method:ident $visit:ident $ty:ty,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.digits().and_then(|text| text.parse::<$ty>().ok()) {
                Some(value) => visitor.$visit(value),
                None => visitor.visit_str(self.text),
            }
        })*
    };
}

macro_rules! floats {
    ($($method:ident $visit:ident $ty:ty,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let value = self.decimal().and_then(|text| text.parse::<$ty>().ok());
            match value.filter(|value| value.is_finite()) {
                Some(value) => visitor.$visit(value),
                None => visitor.visit_str(self.text),
            }
        })*
    };
}

impl Name<'_> {
    fn deeper(self) -> Result<Self> {
        Ok(Name { depth: self.depth.wrapper()?, ..self })
    }

    /// Its text, if it is an integer as JSON writes it: without needless zeros, so that different keys are different integers.
    fn digits(&self) -> Option<&str> {
        let is_integer = self.is_in_text
            && matches!(self.text.as_bytes(), b"0" | [b'1'..=b'9', ..] | [b'-', b'1'..=b'9', ..]);
        is_integer.then_some(self.text)
    }

    /// Its text, if it may be a number as JSON writes it.
    fn decimal(&self) -> Option<&str> {
        let is_decimal = self.is_in_text
            && matches!(self.text.as_bytes(), [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..]);
        is_decimal.then_some(self.text)
    }
}

impl<'de> Deserializer<'de> for Name<'_> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        self.is_in_text
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_str(self.text)
    }

    integers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
        deserialize_u128 visit_u128 u128,
    }

    floats! {
        deserialize_f32 visit_f32 f32,
        deserialize_f64 visit_f64 f64,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.text {
            "true" if self.is_in_text => visitor.visit_bool(true),
            "false" if self.is_in_text => visitor.visit_bool(false),
            text => visitor.visit_str(text),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self.deeper()?)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == handover::NAME {
            return handover::give(Value::from(self.text), || visitor.visit_newtype_struct(self));
        }
        visitor.visit_newtype_struct(self.deeper()?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let text: StrDeserializer<'_, Error> = self.text.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
