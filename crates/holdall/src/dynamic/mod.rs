//! Values without declared types: the shredder turns events into columns, the assembler turns columns into events.

mod assembler;
mod layout;
mod message;
mod null_sink;
mod records;
mod row_types;
mod scalar_key;
mod shredder;
mod sink;
mod sites;
#[cfg_attr(
    not(feature = "serde"),
    allow(dead_code, reason = "serde reads more of it than a resolver")
)]
mod tape;
mod variants;
mod writer;

pub use assembler::{BlockReader, RowInt, SiteForm};
pub(crate) use assembler::{
    assemble, assemble_at, assemble_each, assemble_next, assemble_roots, assemble_rows,
    is_comparable,
};
pub(crate) use layout::Layout;
pub(crate) use message::{message_of, read_message, rebuilt};
pub(crate) use null_sink::NullSink;
pub(crate) use scalar_key::{KeyOf, ScalarKey};
pub(crate) use shredder::TUPLE_ITEMS;
pub use shredder::is_data;
pub use shredder::{Container, Handle, ListHandle, Row, RowShape, Shredder};
pub use sink::{Event, RowId, Sink, Source, TensorRef};
pub(crate) use tape::{Entry, Mark, Tape, TextKind};
#[cfg(feature = "serde")]
pub(crate) use tape::{ItemsKind, OtherTypes, Span, SubTensor, TapeShape, charge};
