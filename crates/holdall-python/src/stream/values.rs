//! The values of a block as objects, one after the other; some are skipped.

use std::collections::VecDeque;
use std::sync::Arc;

use holdall::events::{RowId, TensorRef};
use holdall::stream::Block;
use holdall::{Error, IntKind, LogicalType, Result, Shape, Sink, bf16, f16};
use pyo3::prelude::*;

use crate::collector::{self, Cycles, WithoutCollector};
use crate::fault::{Side, exception};
use crate::sink::{Builder, Kept, Settings};

/// From this many new containers on, the garbage collector is made to treat them as old.
const MANY_CONTAINERS: u64 = 10_000;

/// The result of a block.
pub enum Made {
    /// All requested objects.
    All,
    /// The value of this number in the block could not be made; those before it were.
    Failed(u64, PyErr),
    /// The bytes have a fault: none of the block's values may be used.
    Fault(Error),
}

/// Makes objects of the requested values of a block, by their numbers in it. The entire block is
/// checked.
pub fn make<'py, 's>(
    py: Python<'py>,
    block: &Block,
    settings: Settings<'py, 's>,
    kept: &'s mut Kept,
    wanted: &dyn Fn(u64) -> bool,
    objects: &mut VecDeque<Py<PyAny>>,
    cycles: &mut Cycles,
) -> Made {
    cycles.collect(py);
    kept.refresh(py, block.schema());
    let before = objects.len();
    let is_asked = settings.types.are_asked();
    let off = WithoutCollector::new(py);
    let builder = Builder::new(py, settings, kept);
    let mut values = Values { builder, passes: !wanted(0), has_failed: false };
    let mut number = 0;
    let emitted = block.emit(&mut values, |values| {
        if !values.passes {
            objects.push_back(values.builder.take()?.unbind());
        }
        number += 1;
        values.passes = !wanted(number);
        Ok(())
    });
    let Values { mut builder, has_failed, .. } = values;
    if !builder.makes_no_cycles() {
        cycles.add(builder.containers());
    }
    let made = match emitted {
        Ok(()) => {
            // Objects in possible cycles must stay young: in an endless stream, no collection would
            // reach old ones.
            if builder.containers() >= MANY_CONTAINERS && builder.makes_no_cycles() && off.was_on()
            {
                collector::settle(py);
            }
            Made::All
        }
        Err(fault) if has_failed => {
            let raised = builder.raised.take();
            Made::Failed(number, exception(py, &fault, raised, Side::Decode))
        }
        Err(fault) => {
            objects.truncate(before);
            Made::Fault(fault)
        }
    };
    if is_asked {
        forget_fitted(py);
    }
    made
}

/// Drops what Python's side keeps of fitted values until they are complete.
fn forget_fitted(py: Python<'_>) {
    let forget = || -> PyResult<()> {
        let fitted = py.import("holdall._nodes")?.getattr("fitted")?;
        if fitted.getattr("is_used")?.is_truthy()? {
            fitted.call_method0("forget")?;
        }
        Ok(())
    };
    // A failure only delays the release of memory.
    let _ = forget();
}

/// A builder that skips some values.
struct Values<'py, 's> {
    builder: Builder<'py, 's>,
    passes: bool,
    has_failed: bool,
}

impl Values<'_, '_> {
    #[inline]
    fn noted(&mut self, emitted: Result<()>) -> Result<()> {
        self.has_failed |= emitted.is_err();
        emitted
    }
}

macro_rules! passed_on {
    ($($name:ident($($argument:ident: $ty:ty),*);)*) => {$(
        #[inline]
        fn $name(&mut self, $($argument: $ty),*) -> Result<()> {
            if self.passes {
                return Ok(());
            }
            let emitted = self.builder.$name($($argument),*);
            self.noted(emitted)
        }
    )*};
}

impl Sink for Values<'_, '_> {
    passed_on! {
        null();
        bool(value: bool);
        int(value: i64);
        fixed_int(kind: IntKind, bits: u64);
        big_int(kind: IntKind, twos_complement: &[u8]);
        f32(value: f32);
        f64(value: f64);
        f16(value: f16);
        bf16(value: bf16);
        string(value: &str);
        entry(table: usize, number: usize, value: &str);
        bytes(value: &[u8]);
        fixed(value: &[u8]);
        tensor(tensor: TensorRef<'_>);
        shared_tensor(tensor: TensorRef<'_>, elements: &Arc<Vec<u8>>);
        unknown();
        begin_list(len: usize);
        begin_array(len: usize);
        begin_tuple(len: usize);
        begin_record(shape: &Shape);
        begin_struct(name: &Arc<str>, shape: &Shape);
        begin_map(len: usize);
        begin_variant(name: &Arc<str>);
        begin_logical(ty: &Arc<LogicalType>);
        begin_extension(name: &Arc<str>);
        end();
        identify(row: RowId);
        reference(row: RowId);
        choice(variant: usize);
        ints(values: &[u64]);
        floats(values: &[f64]);
    }

    fn refers(&self, row: RowId) -> bool {
        self.passes || self.builder.refers(row)
    }

    fn takes_ints(&self) -> bool {
        self.passes || self.builder.takes_ints()
    }

    fn takes_floats(&self) -> bool {
        self.passes || self.builder.takes_floats()
    }
}
