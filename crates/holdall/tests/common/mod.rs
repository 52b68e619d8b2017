//! What the tests share. Each of them uses a part of it.
#![allow(dead_code, reason = "each program uses another part")]

pub mod chance;
pub mod dtypes;
pub mod evolving;
pub mod graphs;
pub mod inferred;
pub mod make;
pub mod mutate;
pub mod refusals;
pub mod schemas;
pub mod stack;
pub mod tagged;
pub mod vectors;

pub use tagged::hex;

/// The shortest varint of a number (F-3): the tests' own writer.
pub fn varint(number: u64) -> Vec<u8> {
    for k in 0..8 {
        if number < 1 << (7 * (k + 1)) {
            let word = u128::from(number) << (k + 1) | ((1 << k) - 1);
            return word.to_le_bytes()[..=k].to_vec();
        }
    }
    [&[0xFF], &number.to_le_bytes()[..]].concat()
}

/// Whether a message has padding before what programs map into memory (F-69).
pub fn is_aligned(message: &[u8]) -> bool {
    message[1] & 4 != 0
}

/// A message of a schema without definitions and a block.
pub fn message(schema: &[u8], block: &[u8]) -> Vec<u8> {
    [&[0xC1, 0x10], schema, block].concat()
}
