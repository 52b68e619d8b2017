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
}

impl Name<'_> {
    fn deeper(self) -> Result<Self> {
        Ok(Name { depth: self.depth.wrapper()?, ..self })
    }
}

impl<'de> Deserializer<'de> for Name<'_> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_str(self.text)
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
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
