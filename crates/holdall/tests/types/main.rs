//! Rust types by derive. One program, since each takes seconds to build.

#[path = "../common/mod.rs"]
mod common;

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
