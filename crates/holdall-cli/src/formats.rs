//! The format that an option or a file's extension names.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use holdall_convert::Format;

use crate::files::{Failure, is_stream};
#[cfg(feature = "tables")]
use crate::tables::TableFormat;

/// A format that the command converts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One value.
    Value(Format),
    /// The rows of a table.
    #[cfg(feature = "tables")]
    Table(TableFormat),
}

impl Kind {
    fn names() -> impl Iterator<Item = &'static str> {
        let names = Format::ALL.iter().map(|format| format.name());
        #[cfg(feature = "tables")]
        let names = names.chain(TableFormat::names());
        names
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Value(format) => format.name(),
            #[cfg(feature = "tables")]
            Kind::Table(table) => table.name(),
        }
    }

    fn named(name: &str) -> Option<Kind> {
        let found = Format::named(name).map(Kind::Value);
        #[cfg(feature = "tables")]
        let found = found.or_else(|| TableFormat::named(name).map(Kind::Table));
        found
    }

    fn of_path(path: &Path) -> Option<Kind> {
        let found = Format::of_path(path).map(Kind::Value);
        #[cfg(feature = "tables")]
        let found = found.or_else(|| TableFormat::of_path(path).map(Kind::Table));
        found
    }
}

/// Parses a format's name. Pickles are read by the Python package, which has their classes.
pub(crate) fn parser() -> impl TypedValueParser<Value = Kind> {
    let pickle = PossibleValue::new("pickle").hide(true);
    let names = Kind::names().map(PossibleValue::new).chain([pickle]);
    PossibleValuesParser::new(names).try_map(|name| {
        let elsewhere = "only the command of the Python package converts pickles, by `pack`: \
                         pip install holdall";
        Kind::named(&name).ok_or(elsewhere)
    })
}

/// The format that the option names or, without the option, the file's extension.
pub(crate) fn format_of(
    option: &'static str,
    chosen: Option<Kind>,
    file: &Path,
    stream: &str,
) -> Result<Kind, Failure> {
    let by_extension = if is_stream(file) { None } else { Kind::of_path(file) };
    chosen.or(by_extension).ok_or_else(|| {
        let all = Kind::names().collect::<Vec<_>>().join(", ");
        let what = match is_stream(file) {
            true => format!("{stream} has no extension that names its format"),
            false => format!("the extension of {} names no known format", file.display()),
        };
        let words = format!("{what}; add {option} with one of {all}");
        Failure::Arguments(words)
    })
}
