//! Numbers beyond what jiter and the standard library convert.

use dashu_int::IBig;
use holdall::Result;
use holdall::bindings::memory::GrowVec;
use holdall::bindings::shorten_big;

use crate::path::excerpt;
use crate::refuse::refuse;

/// Whether a decimal became the right f64: finite, and zero only if it is zero.
#[inline]
pub(crate) fn is_faithful(value: f64, literal: &[u8]) -> bool {
    value.is_finite() && (value != 0.0 || is_zero(literal))
}

#[cold]
fn is_zero(literal: &[u8]) -> bool {
    let mut mantissa = literal.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
    mantissa.all(|byte| !matches!(byte, b'1'..=b'9'))
}

/// Converts an integer in JSON's form to the shortest two's complement form (F-6).
///
/// Up to 38 digits without an allocation; beyond, in less than quadratic time.
pub(crate) fn with_big<T>(literal: &str, take: impl FnOnce(&[u8]) -> T) -> T {
    if let Ok(value) = literal.parse::<i128>() {
        return take(shorten_big(&value.to_le_bytes()));
    }
    // The literal was checked to be an integer, so this always parses.
    let value: IBig = literal.parse().unwrap_or_default();
    take(shorten_big(&value.to_le_bytes()))
}

/// The most digits of an integer in text: those of more take longer than linear time, 10 million of them 20 s.
pub(crate) const MAX_DIGITS: usize = 1 << 17;
/// The bytes in two's complement of integers of which some have more digits; those with fewer bytes have fewer digits.
const MAX_BYTES: usize = 54_427;

pub(crate) const MANY_DIGITS: &str = "an integer of at most 131072 digits; store text for more";

/// Whether an integer in JSON's form has more digits than text may have.
pub(crate) fn has_many_digits(literal: &str) -> bool {
    literal.len() > MAX_DIGITS && literal.trim_start_matches('-').len() > MAX_DIGITS
}

/// Checks that a number in two's complement has few enough digits for text.
///
/// # Errors
/// [`Code::Unrepresentable`](holdall::Code::Unrepresentable).
pub(crate) fn check_digits(twos_complement: &[u8]) -> Result<()> {
    let has_many = match twos_complement.len() {
        ..MAX_BYTES => return Ok(()),
        MAX_BYTES => has_many_digits(&IBig::from_le_bytes(twos_complement).to_string()),
        _ => true,
    };
    if has_many {
        return Err(refuse(MANY_DIGITS, format!("one of {} bytes", twos_complement.len())));
    }
    Ok(())
}

/// Formats a number in two's complement for an error.
#[cold]
pub(crate) fn words(twos_complement: &[u8]) -> String {
    if twos_complement.len() > 64 {
        return format!("an integer of {} bytes", twos_complement.len());
    }
    let mut digits = Vec::new();
    push_big(&mut digits, twos_complement);
    excerpt(&String::from_utf8_lossy(&digits))
}

/// Appends the decimal digits of a number in two's complement.
pub(crate) fn push_big(out: &mut Vec<u8>, twos_complement: &[u8]) {
    if let Some(value) = small(twos_complement) {
        out.put_slice(itoa::Buffer::new().format(value).as_bytes());
        return;
    }
    out.put_slice(IBig::from_le_bytes(twos_complement).to_string().as_bytes());
}

/// Returns a number in two's complement, if it has at most 16 bytes.
pub(crate) fn small(twos_complement: &[u8]) -> Option<i128> {
    let fill = if *twos_complement.last()? < 0x80 { 0 } else { 0xFF };
    let mut word = [fill; 16];
    word.get_mut(..twos_complement.len())?.copy_from_slice(twos_complement);
    Some(i128::from_le_bytes(word))
}
