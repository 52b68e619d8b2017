//! The format that an option or a file's extension names.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use holdall_convert::Format;

use crate::files::{Failure, is_stream};

/// Parses a format's name. Pickles are read by the Python package, which has their classes.
pub(crate) fn parser() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.iter().map(|format| PossibleValue::new(format.name()));
    let pickle = PossibleValue::new("pickle").hide(true);
    PossibleValuesParser::new(names.chain([pickle])).try_map(|name| {
        let elsewhere = "only the command of the Python package converts pickles, by `pack`: \
                         pip install holdall";
        Format::named(&name).ok_or(elsewhere)
    })
}

/// The format that the option names or, without the option, the file's extension.
pub(crate) fn format_of(
    option: &'static str,
    chosen: Option<Format>,
    file: &Path,
    stream: &str,
) -> Result<Format, Failure> {
    let by_extension = if is_stream(file) { None } else { Format::of_path(file) };
    chosen.or(by_extension).ok_or_else(|| {
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
