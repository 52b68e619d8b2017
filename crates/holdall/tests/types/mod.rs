//! Rust types by derive.

mod basics;
mod batches;
mod borrowed;
mod bound;
mod check;
mod deep;
mod inline;
mod mutation;
mod three_ways;
mod unlike;
mod variants;
mod versions;
