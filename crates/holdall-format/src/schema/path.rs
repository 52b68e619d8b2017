//! Paths in errors: `$.users[3].name` (F-41).

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;

use crate::schema::fmt_name;

/// The step into a field: `.name`, or `["odd name"]`.
pub fn field(name: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = fmt_name(&mut text, &shorten(name, LONGEST_NAME));
    if text.starts_with('"') { format!("[{text}]") } else { format!(".{text}") }
}

/// The step into a named variant: `<Name>`.
pub fn variant(name: &str) -> String {
    format!("<{}>", shorten(name, LONGEST_NAME))
}

/// Longer names are cut off: a name occurs once in a schema, but can occur in very many paths.
const LONGEST_NAME: usize = 100;

/// A text, or this many bytes of it and `...`.
pub fn shorten(text: &str, longest: usize) -> Cow<'_, str> {
    if text.len() <= longest {
        return Cow::Borrowed(text);
    }
    let end = (0..=longest).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    Cow::Owned(format!("{}...", &text[..end]))
}

/// Longer paths of schemas are cut off: recursive types have paths without end.
const MAX_SHOWN_PATH: usize = 2000;

/// Joins a path and a step.
pub fn join(path: &str, step: &str) -> String {
    match path.len() > MAX_SHOWN_PATH {
        true if path.ends_with("...") => path.to_owned(),
        true => format!("{path}..."),
        false => format!("{path}{step}"),
    }
}
