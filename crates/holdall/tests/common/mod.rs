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
mod varint;
pub mod vectors;

pub use tagged::hex;
pub use varint::varint;

/// Whether a message has padding before columns that programs use in place (F-69).
pub fn is_aligned(message: &[u8]) -> bool {
    message[1] & 4 != 0
}

/// Returns a message from a schema without definitions and a block.
pub fn message(schema: &[u8], block: &[u8]) -> Vec<u8> {
    [&[0xC1, 0x10], schema, block].concat()
}
