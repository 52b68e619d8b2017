//! Measures holdall's inner loops beside memcpy of the rows that they decode.
//!
//! [`case`] makes cases: a kernel there and back, its rows and what its results must be. `benches/kernels.rs` times them.

pub mod case;
