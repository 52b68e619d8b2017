//! CSV (RFC 4180) to holdall and back: a list of records.
//!
//! The first row has the names of the fields, each further row is a record. Commas separate cells. A cell with a comma,
//! a quote or a line break is quoted, with quotes in it doubled. Rows end with `
//! `, `\r
//! ` or `\r`; empty lines and a byte order mark are skipped. Errors are: a row with more or fewer cells than names, a
//! duplicate name, a quote that is not closed or has text after it, and bytes that are not UTF-8.
//!
//! CSV has only text. Every cell becomes a string, and comes back unchanged, unless you call [`CsvSource::infer`] or
//! [`CsvSource::types`].
//!
//! To become CSV, a message must hold a list of records (structs, or maps with string keys) of scalars:
//!
//! | holdall | CSV |
//! |---|---|
//! | string | the text; in quotes if need be, and if it is empty |
//! | integers, floats | their digits, as in JSON, at most 131,072 of an integer; NaN and the infinities are refused |
//! | bool | `true`, `false` |
//! | null, and a field that the record lacks | an empty cell, without quotes unless the row has no other cell |
//!
//! Many programs, this one too, read an empty cell as null where a type says that it can be, with quotes or without. So an empty
//! string is rejected in a column in which others are null or can be, unless [storage](crate::Unpacker::storage) is requested.
//!
//! The names are those of all records, in the order in which they first appear. A field with any other value, such as
//! bytes or a list, is rejected with its path, and so is any value except a list of records. Logical values and
//! extensions are rejected unless their [storage](crate::Unpacker::storage), which of dates, times, UUIDs and addresses is text, is requested, shared records unless
//! [copies](crate::Unpacker::copies) are.

mod fields;
mod infer;
mod sink;
mod source;
mod strict;

use std::io::BufRead;

use holdall::events::Source;
use holdall::{Decoder, Encoder, Result};

use crate::coding::{Coding, Emitter, Reading};
use crate::{Format, Packer, Unpacker};

pub use sink::CsvSink;
#[cfg(feature = "serde")]
pub(crate) use sink::empty_text;
pub use source::{CsvSource, CsvStream};

/// Packs CSV into a message, every cell as a string.
///
/// ```
/// let message = holdall_convert::csv::pack(b"id,name\n007,\"Bond, James\"\n")?;
/// assert_eq!(
///     holdall_convert::json::unpack(&message)?,
///     br#"[{"id":"007","name":"Bond, James"}]"#,
/// );
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// [`Code::BadInput`](holdall::Code::BadInput), [`Code::DuplicateKey`](holdall::Code::DuplicateKey), both with the offset of
/// the row or quote, and those of [`Encoder::message`].
pub fn pack(text: &[u8]) -> Result<Vec<u8>> {
    Packer::new(Format::Csv).pack(&mut Encoder::new(), text)
}

/// Unpacks a message into CSV.
///
/// ```
/// let message = holdall_convert::json::pack(br#"[{"id": 1, "name": "a,b"}, {"name": null, "on": true}]"#)?;
/// assert_eq!(holdall_convert::csv::unpack(&message)?, b"id,name,on\n1,\"a,b\",\n,,true\n");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`json::unpack`](crate::json::unpack).
pub fn unpack(message: &[u8]) -> Result<Vec<u8>> {
    Unpacker::new(Format::Csv).unpack(&mut Decoder::new(), message)
}

/// CSV.
#[derive(Debug)]
pub(crate) struct Csv;

impl Coding for Csv {
    fn name(&self) -> &str {
        "csv"
    }

    fn extensions(&self) -> &[&str] {
        &["csv"]
    }

    fn has_extensions(&self) -> bool {
        false
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    // Rows have columns.
    fn has_tuple_structs(&self) -> bool {
        false
    }

    fn read<'i>(&self, input: &'i [u8], reading: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        let source = CsvSource::new(input).infer(reading.infer);
        Ok(Box::new(match reading.names {
            Some(schema) => source.types(schema),
            None => source,
        }))
    }

    fn read_rows<'r>(
        &self,
        reader: &'r mut dyn BufRead,
        reading: &Reading<'_>,
    ) -> Option<Box<dyn Source + 'r>> {
        // Only a column that is there entirely shows what it is.
        let is_inferred = reading.infer || reading.names.is_some();
        if is_inferred { None } else { Some(Box::new(CsvStream::new(reader))) }
    }

    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
        // Its schema also makes records of maps, whose keys are the columns.
        let schema = value.schema()?;
        let mut sink = CsvSink::new().limit(value.limit()).storage(value.storage).types(&schema);
        value.emit(&mut sink)?;
        sink.take()
    }
}
