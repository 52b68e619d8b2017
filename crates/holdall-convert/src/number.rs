//! Numbers beyond what jiter and the standard library convert.

use dashu_int::IBig;
use holdall::bindings::memory::GrowVec;
use holdall::bindings::shorten_big;

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
