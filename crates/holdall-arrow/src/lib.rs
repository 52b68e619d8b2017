//! holdall data as Arrow arrays.
//!
//! A [`Scan`] reads a list of rows out of a [`View`](holdall::View) as record batches: the items of a list, or the
//! values of a stream. It decodes only the columns that you name, in parallel, and hands them over in Arrow's layout.
//! `docs/tables.md` has the Arrow type of each type.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::RecordBatchReader;
//! use holdall::{Value, View, view::Bytes};
//!
//! let rows = (0..3).map(|n| Value::record([("n", Value::from(n)), ("half", Value::from(f64::from(n) / 2.0))]));
//! let view = View::new(Bytes::owned(holdall::to_vec(&Value::list(rows))?))?;
//! let batches = holdall_arrow::Scan::new(Arc::new(view)).columns(["half"]).batches()?;
//! assert_eq!(batches.schema().field(0).data_type(), &arrow_schema::DataType::Float64);
//! assert_eq!(batches.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 3);
//! # Ok::<(), holdall::Error>(())
//! ```

mod arrays;
mod definitions;
mod fault;
mod mask;
mod memory;
mod merge;
mod of_schema;
mod parallel;
mod rows;
mod scan;
mod types;
mod unmappable;
mod values;

pub use memory::Memory;
pub use of_schema::schema_of;
pub use scan::{Batches, Scan};
pub use unmappable::OnUnmappable;
pub use values::{Arrays, Collector, Row};
