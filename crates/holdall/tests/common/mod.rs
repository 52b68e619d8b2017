//! Shared code of the tests. Each test program uses a part of it.
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

/// Returns the shortest varint of a number (F-3), by an implementation of the tests' own.
pub fn varint(number: u64) -> Vec<u8> {
    for k in 0..8 {
        if number < 1 << (7 * (k + 1)) {
            let word = u128::from(number) << (k + 1) | ((1 << k) - 1);
            return word.to_le_bytes()[..=k].to_vec();
        }
    }
    [&[0xFF], &number.to_le_bytes()[..]].concat()
}

/// Whether a message has padding before columns that programs use in place (F-69).
pub fn is_aligned(message: &[u8]) -> bool {
    message[1] & 4 != 0
}

/// Returns a message from a schema without definitions and a block.
pub fn message(schema: &[u8], block: &[u8]) -> Vec<u8> {
    [&[0xC1, 0x10], schema, block].concat()
}
