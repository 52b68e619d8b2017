//! Which format an option or a file's name tells.

use std::path::Path;

use clap::ValueEnum;
use holdall_convert::Format;

use crate::files::{Failure, is_stream};

/// A format's name on the command line.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FormatName {
    /// One value (RFC 8259) in UTF-8
    Json,
    /// A JSON value a line
    Ndjson,
    /// Comma-separated values (RFC 4180) in UTF-8, names in the first row
    Csv,
    /// One MessagePack value
    Msgpack,
    /// One CBOR data item (RFC 8949)
    Cbor,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Format {
        match name {
            FormatName::Json => Format::Json,
            FormatName::Ndjson => Format::Ndjson,
            FormatName::Csv => Format::Csv,
            FormatName::Msgpack => Format::Msgpack,
            FormatName::Cbor => Format::Cbor,
        }
    }
}

/// The format that an option says, or else the name of the file does.
pub(crate) fn format_of(
    option: &'static str,
    said: Option<FormatName>,
    file: &Path,
    stream: &str,
) -> Result<Format, Failure> {
    let told = if is_stream(file) { None } else { Format::of_path(file) };
    said.map(Format::from).or(told).ok_or_else(|| {
        let all: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        let all = all.join(", ");
        let what = match is_stream(file) {
            true => format!("{stream} has no name that tells its format"),
            false => format!("the name {} does not tell its format", file.display()),
        };
        let words = format!("{what}; add {option} and one of {all}");
        Failure::Arguments(words)
    })
}
