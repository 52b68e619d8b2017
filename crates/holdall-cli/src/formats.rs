//! The format that an option or a file's extension names.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use holdall_convert::Format;

use crate::files::{Failure, is_stream};
#[cfg(feature = "tables")]
use crate::tables::TableFormat;

/// A format that the command converts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// One value.
    Value(Format),
    /// The rows of a table.
    #[cfg(feature = "tables")]
    Table(TableFormat),
}

impl FileKind {
    fn names() -> impl Iterator<Item = &'static str> {
        let names = Format::ALL.iter().map(|format| format.name());
        #[cfg(feature = "tables")]
        let names = names.chain(TableFormat::names());
        names
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            FileKind::Value(format) => format.name(),
            #[cfg(feature = "tables")]
            FileKind::Table(table) => table.name(),
        }
    }

    fn named(name: &str) -> Option<FileKind> {
        let found = Format::named(name).map(FileKind::Value);
        #[cfg(feature = "tables")]
        let found = found.or_else(|| TableFormat::named(name).map(FileKind::Table));
        found
    }

    fn of_path(path: &Path) -> Option<FileKind> {
        let found = Format::of_path(path).map(FileKind::Value);
        #[cfg(feature = "tables")]
        let found = found.or_else(|| TableFormat::of_path(path).map(FileKind::Table));
        found
    }
}

/// Parses a format's name. Pickles are read by the Python package, which has their classes.
pub(crate) fn parser() -> impl TypedValueParser<Value = FileKind> {
    let pickle = PossibleValue::new("pickle").hide(true);
    let names = FileKind::names().map(PossibleValue::new).chain([pickle]);
    PossibleValuesParser::new(names).try_map(|name| {
        let elsewhere = "only the command of the Python package converts pickles, by `pack`: \
                         pip install holdall";
        FileKind::named(&name).ok_or(elsewhere)
    })
}

/// The format that the option names or, without the option, the file's extension.
pub(crate) fn format_of(
    option: &'static str,
    chosen: Option<FileKind>,
    file: &Path,
    stream: &str,
) -> Result<FileKind, Failure> {
    let by_extension = if is_stream(file) { None } else { FileKind::of_path(file) };
    chosen.or(by_extension).ok_or_else(|| {
        let all = FileKind::names().collect::<Vec<_>>().join(", ");
        let what = match is_stream(file) {
            true => format!("{stream} has no extension that names its format"),
            false => format!("the extension of {} names no known format", file.display()),
        };
        let words = format!("{what}; add {option} with one of {all}");
        Failure::Arguments(words)
    })
}
