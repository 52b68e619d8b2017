//! The laws of the library. What needs an allocator of its own, or much memory, is in `memory`.

mod common;
#[cfg(feature = "crates")]
mod crates;
#[cfg(feature = "derive")]
mod dynamic;
mod golden;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "derive")]
mod stream;
#[cfg(feature = "derive")]
mod typed_packed;
#[cfg(all(feature = "derive", feature = "serde"))]
mod types;
mod vectors;
mod zstd;
