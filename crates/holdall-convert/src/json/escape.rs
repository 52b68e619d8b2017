//! Writes strings as JSON, escaping only what must be.

use holdall::bindings::memory::{Grow, GrowVec};

/// Whether a byte must be escaped in a JSON string.
#[inline]
fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Whether one of some bytes must be escaped: without a branch, which compiles to a few vector instructions.
#[inline]
fn has_special<const N: usize>(bytes: &[u8; N]) -> bool {
    bytes.iter().fold(false, |any, &byte| any | is_special(byte))
}

/// Returns how many leading bytes can be copied unchanged.
#[inline]
fn plain_len(bytes: &[u8]) -> usize {
    const WIDE: usize = 16;
    const HALF: usize = 8;
    let mut len = 0;
    while let Some(chunk) = bytes[len..].first_chunk::<WIDE>() {
        if has_special(chunk) {
            break;
        }
        len += WIDE;
    }
    let rest = &bytes[len..];
    // The end of most strings is plain, too; it may overlap what comes before it.
    let is_plain = rest.len() < WIDE
        && match bytes.last_chunk::<WIDE>() {
            Some(last) => !has_special(last),
            None => match (bytes.first_chunk::<HALF>(), bytes.last_chunk::<HALF>()) {
                (Some(first), Some(last)) => !has_special(first) && !has_special(last),
                _ => false,
            },
        };
    if is_plain {
        return bytes.len();
    }
    len + rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len())
}

/// Appends a string in quotes.
#[inline]
pub(crate) fn push_string(out: &mut Vec<u8>, string: &str) {
    let mut rest = string.as_bytes();
    out.room(rest.len() + 2);
    out.put(b'"');
    loop {
        let (plain, special) = rest.split_at(plain_len(rest));
        out.put_slice(plain);
        let Some((&byte, after)) = special.split_first() else { break };
        push_escape(out, byte);
        rest = after;
    }
    out.put(b'"');
}

fn push_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0A => b'n',
        0x0C => b'f',
        0x0D => b'r',
        _ => {
            let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
            out.put_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            return;
        }
    };
    out.put_slice(&[b'\\', short]);
}
