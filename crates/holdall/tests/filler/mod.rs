//! What the default settings write, they read.

mod laws;
mod tensors;
mod vectors;
mod wide;
