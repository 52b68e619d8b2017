//! The format that an option or a file's extension names.

use std::path::Path;

use clap::ValueEnum;
use holdall_convert::Format;

use crate::files::{Failure, is_stream};

/// A format's name on the command line.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FormatName {
    /// One value (RFC 8259) in UTF-8
    Json,
    /// One JSON value per line
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

/// The format that the option names or, without the option, the file's extension.
pub(crate) fn format_of(
    option: &'static str,
    chosen: Option<FormatName>,
    file: &Path,
    stream: &str,
) -> Result<Format, Failure> {
    let by_extension = if is_stream(file) { None } else { Format::of_path(file) };
    chosen.map(Format::from).or(by_extension).ok_or_else(|| {
        let all: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        let all = all.join(", ");
        let what = match is_stream(file) {
            true => format!("{stream} has no extension that names its format"),
            false => format!("the extension of {} names no known format", file.display()),
        };
        let words = format!("{what}; add {option} with one of {all}");
        Failure::Arguments(words)
    })
}
