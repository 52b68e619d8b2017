//! A sink that drops all events, for walks that check values, or find those that are shared.

use std::sync::Arc;

use half::{bf16, f16};

use super::{RowId, Sink, TensorRef};
use crate::error::Result;
use crate::number::IntKind;
use crate::schema::{LogicalType, Shape};

/// Takes everything and keeps nothing.
pub(crate) struct NullSink;

macro_rules! ignore {
    ($($name:ident($($argument:ty),*))*) => {
        $(fn $name(&mut self, $(_: $argument),*) -> Result<()> { Ok(()) })*
    };
}

impl Sink for NullSink {
    ignore! {
        null() bool(bool) int(i64) fixed_int(IntKind, u64) big_int(IntKind, &[u8])
        f16(f16) bf16(bf16) f32(f32) f64(f64)
        string(&str) bytes(&[u8]) fixed(&[u8]) tensor(TensorRef<'_>) unknown()
        begin_list(usize) begin_tuple(usize) begin_array(usize) begin_map(usize)
        begin_record(&Shape) begin_struct(&Arc<str>, &Shape) begin_variant(&Arc<str>)
        begin_logical(&Arc<LogicalType>) begin_extension(&Arc<str>) end()
        identify(RowId) reference(RowId)
    }
}
