//! Values without types: events into columns by the shredder, columns into events by the assembler.

mod assembler;
mod records;
mod shredder;
mod sink;
mod sites;
mod writer;

pub(crate) use assembler::{SchemaShapes, assemble};
pub use shredder::{Row, Shredder};
pub use sink::{RowId, Shape, Sink, Source};
pub(crate) use writer::Layout;
