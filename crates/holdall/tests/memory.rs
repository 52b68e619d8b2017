//! The allocations of reading and writing, counted by an allocator, and values that take much memory.

mod allocation;
mod common;
#[path = "common/counting.rs"]
mod counting;
#[cfg(all(feature = "derive", feature = "serde", feature = "zstd"))]
mod exhaustion;
#[cfg(all(feature = "derive", feature = "zstd"))]
mod filler;
mod schema_text_memory;
#[cfg(feature = "derive")]
mod typed_allocation;
#[cfg(feature = "derive")]
mod typed_budget;
mod view_allocation;
