//! Inputs of two parts: a schema on its own, and bytes that are read with it.

/// Returns the parts: 2 bytes, little-endian, have the length of the first.
pub fn split(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = input.split_first_chunk()?;
    rest.split_at_checked(usize::from(u16::from_le_bytes(*len)))
}

/// Joins two parts, the first of at most 65,535 bytes.
pub fn join(first: &[u8], second: &[u8]) -> Vec<u8> {
    let first = &first[..first.len().min(usize::from(u16::MAX))];
    [&(first.len() as u16).to_le_bytes(), first, second].concat()
}
