//! Rust types by derive.

mod archive;
mod basics;
mod batches;
mod borrowed;
mod bound;
mod check;
mod deep;
mod fields;
mod flatten;
mod inline;
mod mapped;
mod mutation;
#[cfg(feature = "crates")]
mod outputs;
mod readers;
mod refused;
mod std_types;
mod three_ways;
mod unimplemented;
mod unlike;
mod values;
mod variants;
mod versions;
