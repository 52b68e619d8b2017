//! Writes logical values and extensions in their stored form.

use std::sync::Arc;

use holdall::events::{RowId, TensorRef};
use holdall::{IntKind, LogicalType, Result, Shape, Sink, bf16, f16};

use crate::convert::Target;
use crate::nesting::beyond;

/// Passes events on to a target, but for logical values and extensions that it lacks, only those of their contents.
pub(crate) struct Stored<'t, T> {
    target: &'t mut T,
    /// For each open container, whether its beginning was skipped.
    left_out: Vec<bool>,
    /// How many more may be skipped. They write nothing, and copies of a few nested ones can be very many.
    left: usize,
    limit: usize,
}

impl<'t, T: Target> Stored<'t, T> {
    /// Skips at most `limit` beginnings.
    pub(crate) fn new(target: &'t mut T, limit: usize) -> Self {
        Stored { target, left_out: Vec::new(), left: limit, limit }
    }

    fn leave_out(&mut self) -> Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| beyond(self.limit))?;
        Ok(())
    }
}

macro_rules! hand_on {
    ($(fn $name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name(&mut self $(, $argument: $type)*) -> Result<()> {
            self.target.$name($($argument),*)
        })*
    };
}

macro_rules! hand_on_begin {
    ($(fn $name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name(&mut self $(, $argument: $type)*) -> Result<()> {
            self.left_out.push(false);
            self.target.$name($($argument),*)
        })*
    };
}

impl<T: Target> Sink for Stored<'_, T> {
    hand_on! {
        fn null();
        fn bool(value: bool);
        fn int(value: i64);
        fn fixed_int(kind: IntKind, bits: u64);
        fn big_int(kind: IntKind, twos_complement: &[u8]);
        fn f16(value: f16);
        fn bf16(value: bf16);
        fn f32(value: f32);
        fn f64(value: f64);
        fn string(value: &str);
        fn bytes(value: &[u8]);
        fn fixed(value: &[u8]);
        fn tensor(tensor: TensorRef<'_>);
        fn shared_tensor(tensor: TensorRef<'_>, elements: &Arc<Vec<u8>>);
        fn unknown();
        fn identify(row: RowId);
        fn reference(row: RowId);
        fn choice(variant: usize);
        fn ints(values: &[u64]);
    }

    hand_on_begin! {
        fn begin_list(len: usize);
        fn begin_tuple(len: usize);
        fn begin_record(shape: &Shape);
        fn begin_struct(name: &Arc<str>, shape: &Shape);
        fn begin_map(len: usize);
        fn begin_variant(name: &Arc<str>);
        fn begin_array(len: usize);
    }

    fn refers(&self, row: RowId) -> bool {
        self.target.refers(row)
    }

    fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        let holds = self.target.holds(ty);
        self.left_out.push(!holds);
        if holds { self.target.begin_logical(ty) } else { self.leave_out() }
    }

    fn begin_extension(&mut self, name: &Arc<str>) -> Result<()> {
        let holds = self.target.holds_extension(name);
        self.left_out.push(!holds);
        if holds { self.target.begin_extension(name) } else { self.leave_out() }
    }

    fn end(&mut self) -> Result<()> {
        if self.left_out.pop() == Some(true) { Ok(()) } else { self.target.end() }
    }
}
