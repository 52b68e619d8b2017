//! Columns that have no Arrow type: left out, or as text or bytes that hold each value.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_schema::{DataType, Field};
use holdall::{Decoder, Error, Result, Value};
use holdall_convert::{Format, Unpacker};

use crate::types::Found;

/// How a scan treats a column that has no Arrow type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnUnmappable {
    /// It is an error with its path.
    #[default]
    Error,
    /// It is left out.
    Drop,
    /// Each value is text: the JSON that `holdall unpack --to json --logical storage --shared copy` writes.
    Json,
    /// Each value is a message of its own.
    Binary,
}

/// The key of a field's metadata that says what became of it.
const AS: &str = "holdall:as";

impl OnUnmappable {
    /// The field of a column without an Arrow type.
    pub(crate) fn found(self, error: Error) -> Result<Found> {
        let (data_type, name) = match self {
            OnUnmappable::Error => return Err(error),
            OnUnmappable::Drop => (DataType::Null, "nothing"),
            OnUnmappable::Json => (DataType::Utf8View, "json"),
            OnUnmappable::Binary => (DataType::BinaryView, "message"),
        };
        let metadata = [(AS.to_owned(), name.to_owned())].into();
        Ok(Found { data_type, nullable: true, metadata })
    }

    /// What became of a field; nothing, if it has an Arrow type of its own.
    pub(crate) fn of(field: &Field) -> Option<OnUnmappable> {
        Some(match field.metadata().get(AS)?.as_str() {
            "json" => OnUnmappable::Json,
            "message" => OnUnmappable::Binary,
            _ => OnUnmappable::Drop,
        })
    }

    /// An array of values; null stays null.
    pub(crate) fn array<'v>(
        self,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<ArrayRef> {
        let values = values.map(|value| value.filter(|value| **value != Value::Null));
        if self == OnUnmappable::Binary {
            let mut out = BinaryViewBuilder::new();
            for value in values {
                out.append_option(value.map(holdall::to_vec).transpose()?);
            }
            return Ok(Arc::new(out.finish()));
        }
        let unpacker = Unpacker::new(Format::Json).storage(true).copies(true);
        let (mut decoder, mut out) = (Decoder::new(), StringViewBuilder::new());
        for value in values {
            let Some(value) = value else {
                out.append_null();
                continue;
            };
            let text = unpacker.unpack(&mut decoder, &holdall::to_vec(value)?)?;
            // JSON is UTF-8.
            out.append_value(String::from_utf8_lossy(&text));
        }
        Ok(Arc::new(out.finish()))
    }
}
