//! Paths in errors: `$.users[3].name` (F-41).

use crate::schema::fmt_name;

/// The step into a field: `.name`, or `["odd name"]`.
pub(crate) fn field(name: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = fmt_name(&mut text, name);
    if text.starts_with('"') { format!("[{text}]") } else { format!(".{text}") }
}

/// The step into a named variant: `<Name>`.
pub(crate) fn variant(name: &str) -> String {
    format!("<{name}>")
}
