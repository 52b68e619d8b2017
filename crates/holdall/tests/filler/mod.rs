//! What the default writes, the default reads.

mod laws;
mod tensors;
mod vectors;
mod wide;
