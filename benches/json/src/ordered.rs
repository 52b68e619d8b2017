//! JSON as a tree that keeps the order of keys, which `serde_json::Value` does not.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value; equal values have their keys in the same order.
#[derive(Debug, PartialEq)]
pub enum Ordered {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer or a float, which differ: `1` is not `1.0`.
    Number(serde_json::Number),
    /// A string, its escapes resolved.
    String(String),
    /// An array.
    Array(Vec<Ordered>),
    /// An object's members in their order.
    Object(Vec<(String, Ordered)>),
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OrderedVisitor)
    }
}

struct OrderedVisitor;

impl<'de> Visitor<'de> for OrderedVisitor {
    type Value = Ordered;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Ordered, E> {
        Ok(Ordered::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Ordered, E> {
        Ok(Ordered::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Ordered, E> {
        Ok(Ordered::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Ordered, E> {
        Ok(Ordered::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Ordered, E> {
        serde_json::Number::from_f64(value)
            .map(Ordered::Number)
            .ok_or_else(|| E::custom("JSON has finite numbers only"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Ordered, E> {
        Ok(Ordered::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Ordered, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(Ordered::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Ordered, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(Ordered::Object(object))
    }
}

/// Removes the white space between the tokens of valid JSON, so that no format benefits from its layout.
///
/// `{ "a b": 1.50 }` becomes `{"a b":1.50}`: keys keep their order and numbers their spelling.
#[must_use]
pub fn compact(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut in_string = false;
    let mut escaped = false;
    for &byte in text {
        if in_string {
            out.push(byte);
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            out.push(byte);
            in_string = byte == b'"';
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Ordered {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn compact_removes_white_space_between_tokens_only() {
        let text = b" [ \"a \\\" b\" ,\t\"\\\\\" , 1.50,\r\n { \" k\" : null } ] ";
        let expected = b"[\"a \\\" b\",\"\\\\\",1.50,{\" k\":null}]";
        assert_eq!(compact(text), expected);
    }

    #[test]
    fn the_order_of_keys_distinguishes_values() {
        assert_eq!(parse(r#"{"a":1,"b":2}"#), parse(r#"{"a": 1, "b": 2}"#));
        assert_ne!(parse(r#"{"a":1,"b":2}"#), parse(r#"{"b":2,"a":1}"#));
    }

    #[test]
    fn integers_and_floats_are_not_equal() {
        assert_ne!(parse("1"), parse("1.0"));
    }
}
