//! Streams: frames with their own checksums, which hold blocks of values (spec, chapter 14).

mod block;
mod by_place;
mod damage;
mod frame;
mod frame_writer;
mod index;
mod parser;
mod scanner;
mod trace;

pub use block::{BlockForm, StoredBlock, values, write_block};
pub use by_place::{BlockHead, Blocks, Bytes, is_stream};
pub use damage::{Damage, OnDamage, missing_end, trailing_bytes};
pub use frame::{HEAD, Head, Kind, PREAMBLE, SCHEMA, SEQUENCE, SIGNATURE, Sync, check, no_frame};
pub use frame_writer::FrameWriter;
pub use index::{Entry, Index};
pub use parser::{Event, FrameParser, metadata_of, schema_of};
pub use scanner::{Scanner, Step};
pub use trace::trace;
