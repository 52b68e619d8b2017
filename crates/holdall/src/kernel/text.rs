//! Whether text is UTF-8: all rows of a column at once, or one that is short.
#![allow(unsafe_code)]

use super::Machine;

/// The payload as one string, if each row is UTF-8 by itself. The lengths must be those of the payload's rows.
///
/// One pass over the payload, then one look at each boundary: valid text that is cut only between characters has only
/// valid rows. In ASCII every cut is between characters.
#[inline]
#[must_use]
pub fn rows_in_utf8<'a>(payload: &'a [u8], lengths: &[u64]) -> Option<&'a str> {
    rows_in_utf8_on(Machine::here(), payload, lengths)
}

/// [`rows_in_utf8`] in the version for a machine.
#[must_use]
pub fn rows_in_utf8_on<'a>(
    machine: Machine,
    payload: &'a [u8],
    lengths: &[u64],
) -> Option<&'a str> {
    let text = match machine {
        Machine::Plain => std::str::from_utf8(payload).ok(),
        // 8 to 11 times as fast as std on text that is not ASCII.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(_) => simdutf8::basic::from_utf8(payload).ok(),
    }?;
    if text.is_ascii() {
        return Some(text);
    }
    let mut at = 0;
    let mut cuts = lengths.iter().map(|&length| {
        at += length as usize;
        !text.is_char_boundary(at)
    });
    (!cuts.any(|cut| cut)).then_some(text)
}

/// A row by itself. Most are ASCII, and short: there std's check took an eighth of reading a small struct.
#[inline]
pub(crate) fn short_utf8(row: &[u8]) -> Option<&str> {
    if row.is_ascii() {
        // SAFETY: bytes that are ASCII are UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(row) });
    }
    std::str::from_utf8(row).ok()
}
