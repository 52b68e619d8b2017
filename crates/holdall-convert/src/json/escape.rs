//! Writes strings as JSON, escaping only what must be.

use holdall::bindings::memory::{Grow, GrowVec};

/// Whether a byte must be escaped in a JSON string.
#[inline]
fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Returns how many leading bytes can be copied unchanged.
#[inline]
fn plain_len(bytes: &[u8]) -> usize {
    let mut len = 0;
    // Sixteen at a time without a branch, which compiles to a few vector instructions.
    while let Some(chunk) = bytes[len..].first_chunk::<16>() {
        if chunk.iter().fold(false, |any, &byte| any | is_special(byte)) {
            break;
        }
        len += 16;
    }
    let rest = &bytes[len..];
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
