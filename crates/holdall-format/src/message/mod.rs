//! Messages: schema and block in their envelope (spec, chapter 3).

mod read;
mod trace;
mod write;

pub use read::{ColumnPlace, MessageReader, locate_columns, read_block};
pub use trace::{Trace, TracedColumn, TracedSchemas};
pub use write::{Alignment, Header, MessageWriter, Written};
