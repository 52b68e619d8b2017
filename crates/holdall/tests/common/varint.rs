//! Varints, by an implementation of the tests' own.

/// Returns the shortest varint of a number (F-3).
pub fn varint(number: u64) -> Vec<u8> {
    for k in 0..8 {
        if number < 1 << (7 * (k + 1)) {
            let word = u128::from(number) << (k + 1) | ((1 << k) - 1);
            return word.to_le_bytes()[..=k].to_vec();
        }
    }
    [&[0xFF], &number.to_le_bytes()[..]].concat()
}
