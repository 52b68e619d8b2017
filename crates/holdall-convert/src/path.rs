//! Places and pieces of an input in words: for errors, so nothing here is quick.

use std::borrow::Cow;

/// Paths longer than this many steps leave out the middle ones: a text can be nested a million levels deep.
const MAX_STEPS: usize = 32;
/// Literals and names longer than this many characters are cut.
const MAX_CHARS: usize = 60;
/// Of more bytes than this, the first are shown.
const MAX_BYTES: usize = 16;

/// A step from a container to what is in it.
pub(crate) enum Step<'a> {
    Item(usize),
    /// The key itself, of the entry with this number.
    KeyOf(usize),
    Key(Cow<'a, str>),
    Variant(Cow<'a, str>),
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
            Step::Variant(name) => path += &format!("<{}>", cut(name)),
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

/// A piece of the text in backticks, cut if it is long.
pub(crate) fn excerpt(piece: &str) -> String {
    format!("`{}`", cut(piece))
}

fn cut(piece: &str) -> Cow<'_, str> {
    match piece.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &piece[..end])),
        None => Cow::Borrowed(piece),
    }
}

/// Bytes in hexadecimal, the first of them if they are many.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().take(MAX_BYTES).map(|byte| format!("{byte:02X}"));
    let rest = (bytes.len() > MAX_BYTES).then(|| "…".to_owned());
    digits.chain(rest).collect::<Vec<_>>().join(" ")
}

/// Where bytes stop to be UTF-8, and what stands there in words; `end` names what they end with.
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
