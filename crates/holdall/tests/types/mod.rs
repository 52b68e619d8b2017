//! Rust types by derive.

mod basics;
mod borrowed;
mod bound;
mod check;
mod deep;
mod lone;
mod mutation;
mod three_ways;
mod unlike;
mod versions;
