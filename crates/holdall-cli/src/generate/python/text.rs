//! Text of Python: names, strings, and how lines are broken.

use std::fmt::Write;

/// What takes every value.
pub(super) const ANY: &str = "Any";

/// The most characters on a line, and its end.
pub(super) const WIDTH: usize = 101;

pub(super) const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// One of several types. `Any` is all of them.
pub(super) fn either(types: Vec<String>) -> String {
    if types.iter().any(|each| each == ANY) {
        return ANY.to_owned();
    }
    types.join(" | ")
}

pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&name)
        // Names of this form are not fields of objects.
        && !name.starts_with("__")
}

/// Whether a class of enum can have a member of this name.
pub(super) fn is_member(name: &str) -> bool {
    is_identifier(name) && !name.starts_with('_') && name != "mro"
}

/// The names in an annotation that the body of a class can hide: of `datetime.date` the first.
pub(super) fn identifiers(ty: &str) -> impl Iterator<Item = &str> {
    let dotted = ty.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.');
    dotted.filter_map(|name| name.split('.').next()).filter(|name| !name.is_empty())
}

/// A call, on as many lines as ruff gives it.
pub(super) fn call(function: &str, options: &[String]) -> String {
    let all = options.join(", ");
    let line = format!("{function}({all})\n");
    match line.len() {
        ..=WIDTH => line,
        _ if all.len() < WIDTH - 4 => format!("{function}(\n    {all}\n)\n"),
        _ => format!("{function}(\n    {},\n)\n", options.join(",\n    ")),
    }
}

/// A dict as an argument of such a call.
pub(super) fn dict(entries: &[String]) -> String {
    let line = format!("{{{}}}", entries.join(", "));
    match line.len() < WIDTH - "    rename=,".len() {
        true => line,
        false => format!("{{\n        {},\n    }}", entries.join(",\n        ")),
    }
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A string of Python.
pub(super) fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                let _ = write!(out, "\\{c}");
            }
            '\0'..='\x1F' | '\x7F' => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}
