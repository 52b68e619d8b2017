//! The columns of data, or of a schema, in Arrow's types, as text.

use std::fmt::Write;
use std::sync::Arc;

use arrow_schema::{Field, Schema};
use holdall::view::Bytes;
use holdall::{Decoder, Result};
use holdall_arrow::{OnUnmappable, Scan, schema_of};
use holdall_inspect::printable;

/// A line for each column: its name, its type, whether rows can be null, and what the format says beyond Arrow's type.
pub(crate) fn of(data: Vec<u8>, decoder: &Decoder) -> Result<String> {
    let view = Arc::new(decoder.view(Bytes::owned(data))?);
    let schema = Scan::new(view).on_unmappable(OnUnmappable::Json).schema()?;
    Ok(lines(&schema))
}

/// The same for data that have a schema.
pub(crate) fn of_schema(schema: &holdall::Schema) -> Result<String> {
    let columns = schema_of(schema, OnUnmappable::Json)?;
    Ok(lines(&columns))
}

fn lines(schema: &Schema) -> String {
    let mut text = String::new();
    for field in schema.fields() {
        text += &printable(&line(field));
        text.push('\n');
    }
    text
}

fn line(field: &Field) -> String {
    let mut text = format!("{}: {}", field.name(), field.data_type());
    if !field.is_nullable() {
        text += " not null";
    }
    let mut metadata: Vec<_> = field.metadata().iter().collect();
    metadata.sort();
    for (number, (key, value)) in metadata.into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{} {key}={value}", if number == 0 { " //" } else { "," });
    }
    text
}
