//! Streams: any number of values in blocks, each with its own checksum (spec, chapter 14).
//!
//! - [`Writer`] writes one, [`Reader`] reads it, from files, pipes and sockets, with one block in memory.
//! - [`Reader::len`], [`Reader::get`] and [`Reader::go_to`] find values by their number in seekable input.
//!
//! - [`Feeder`] takes bytes as they arrive, for programs that serve many connections; with the feature `tokio-util`, `Codec`
//!   reads and writes values where tokio's framing does.
//! - [`verify`] checks one, [`recover`] writes the intact blocks of one.
//!
//! `docs/files.md` has the guarantees for files that are half-written, damaged or growing.

mod ahead;
mod block;
mod by_number;
#[cfg(feature = "tokio-util")]
mod codec;
#[cfg(test)]
mod faults;
mod feeder;
mod file;
mod reader;
mod recover;
mod rows;
mod statistics;
mod writer;

pub use holdall_format::stream::{Damage, OnDamage, Sync, is_stream};

pub use block::Block;
#[cfg(feature = "tokio-util")]
pub use codec::Codec;
pub use feeder::{Feeder, Item};
pub use reader::{Reader, ValueIter};
pub use recover::{Report, recover, verify};
pub use statistics::{BlockStatistics, ColumnStatistics};
pub use writer::{Writer, WriterOptions};
