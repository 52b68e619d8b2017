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
mod blocks;
#[cfg(feature = "tokio-util")]
mod codec;
mod damage;
mod feeder;
mod file;
mod frame;
mod index;
mod parser;
mod places;
mod reader;
mod recover;
mod rows;
mod scanner;
mod writer;

pub use block::Block;
pub(crate) use blocks::{BlockHead, Blocks, Bytes, is_stream};
#[cfg(feature = "tokio-util")]
pub use codec::Codec;
pub use damage::{Damage, OnDamage};
pub use feeder::{Feeder, Item};
pub use frame::Sync;
pub use reader::{Reader, Values};
pub use recover::{Report, recover, verify};
pub use writer::{Writer, WriterOptions};
