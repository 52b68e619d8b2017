//! Streams: any number of values in blocks that each check themselves (spec, chapter 14).
//!
//! - [`Writer`] writes one, [`Reader`] reads it, from files, pipes and sockets, with one block in memory.
//! - [`Reader::len`], [`Reader::get`] and [`Reader::go_to`] find values by their number in what can be sought.
//!
//! - [`Feeder`] takes bytes as they come, for programs that wait for many connections at once; with the feature `tokio-util`, `Codec`
//!   reads and writes values where tokio's framing does.
//! - [`verify`] checks one, [`recover`] writes what is whole of one.
//!
//! `docs/files.md` says what is promised of files that are half-written, damaged or growing.

mod block;
#[cfg(feature = "tokio-util")]
mod codec;
mod feeder;
mod file;
mod places;
mod reader;
mod recover;
mod rows;
mod writer;

pub use holdall_format::stream::{Damage, OnDamage, Sync};

pub use block::Block;
#[cfg(feature = "tokio-util")]
pub use codec::Codec;
pub use feeder::{Feeder, Item};
pub use reader::{Reader, ValueIter};
pub use recover::{Report, recover, verify};
pub use writer::{Writer, WriterOptions};
