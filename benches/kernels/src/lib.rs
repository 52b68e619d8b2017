//! Compares holdall's inner loops with memcpy of the rows that they decode.
//!
//! [`case`] builds cases: a kernel in both directions, its rows and the expected results. `benches/kernels.rs` times
//! them.

pub mod case;
