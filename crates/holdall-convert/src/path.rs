//! Formats places and pieces of an input for errors, so nothing here is optimised.

use std::borrow::Cow;

use holdall::{Code, Error};

/// Paths longer than this many steps leave out the middle ones: a text can be nested a million levels deep.
const MAX_STEPS: usize = 32;
/// Longer literals and names are truncated to this many characters.
const MAX_CHARS: usize = 60;
/// The number of bytes shown of a longer byte string.
const MAX_BYTES: usize = 16;

/// A step from a container to a value inside.
pub(crate) enum Step<'a> {
    Item(usize),
    /// The key of the entry with this number.
    KeyOf(usize),
    Key(Cow<'a, str>),
}

/// Steps as a path (F-41).
pub(crate) fn path(steps: &[Step<'_>]) -> String {
    let mut path = "$".to_owned();
    for (number, step) in steps.iter().enumerate() {
        if steps.len() > MAX_STEPS && number == MAX_STEPS / 2 {
            path.push('…');
        }
        if steps.len() > MAX_STEPS && (MAX_STEPS / 2..steps.len() - MAX_STEPS / 2).contains(&number)
        {
            continue;
        }
        match step {
            Step::Item(number) => path += &format!("[{number}]"),
            Step::KeyOf(number) => path += &format!("[{number}].key"),
            Step::Key(name) if is_bare(name) => path += &format!(".{}", cut(name)),
            Step::Key(name) => {
                let mut quoted = Vec::new();
                crate::json::push_string(&mut quoted, &cut(name));
                path += &format!("[{}]", String::from_utf8_lossy(&quoted));
            }
        }
    }
    path
}

/// Whether a name is written without quotes (F-55).
fn is_bare(name: &str) -> bool {
    !name.starts_with(|char: char| char.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns a piece of the text in backticks, truncated if it is long.
pub(crate) fn excerpt(piece: &str) -> String {
    format!("`{}`", cut(piece))
}

/// The error for a key that comes twice in a container: at its offset, with the text that shows it.
#[cold]
pub(crate) fn key_twice(at: usize, shown: &str) -> Error {
    Error::at(Code::DuplicateKey, at).expected("each key once").got(format!("{shown} twice"))
}

fn cut(piece: &str) -> Cow<'_, str> {
    match piece.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &piece[..end])),
        None => Cow::Borrowed(piece),
    }
}

/// Returns bytes in hexadecimal, truncated if there are many.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().take(MAX_BYTES).map(|byte| format!("{byte:02X}"));
    let rest = (bytes.len() > MAX_BYTES).then(|| "…".to_owned());
    digits.chain(rest).collect::<Vec<_>>().join(" ")
}

/// Returns the offset of the first byte that is not UTF-8, and a description; `end` names what the bytes end with.
pub(crate) fn not_utf8(bytes: &[u8], end: &str) -> Option<(usize, String)> {
    let error = std::str::from_utf8(bytes).err()?;
    let at = error.valid_up_to();
    Some((
        at,
        match error.error_len() {
            Some(len) => hex(&bytes[at..at + len]),
            None => format!("{end} within a character"),
        },
    ))
}
