//! The values of a block as objects, one after the other; some are skipped.

use std::collections::VecDeque;

use holdall::bindings::BlockReader;
use holdall::bindings::memory::Grow;
use holdall::events::{Event, RowId, Sink};
use holdall::stream::Block;
use holdall::{Error, Result};
use pyo3::prelude::*;

use crate::collector::{self, Cycles, MANY_CONTAINERS, WithoutCollector};
use crate::fault::{Side, exception};
use crate::messages::Schema;
use crate::once::intern;
use crate::sink::{Builder, Kept, Settings};

/// The result of a block.
pub enum MadeValues {
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
) -> MadeValues {
    cycles.collect(py);
    kept.refresh(py, block.schema());
    let before = objects.len();
    let off = WithoutCollector::new(py);
    let resolver = settings.resolver.clone();
    let builder = Builder::new(py, settings, kept);
    let mut values = Values { builder, passes: !wanted(0), has_failed: false };
    let mut number = 0;
    let emitted = block.emit(&mut values, |values| {
        if !values.passes {
            objects.room(1);
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
    match emitted {
        Ok(()) => {
            // Objects in possible cycles must stay young: in an endless stream, no collection would
            // reach old ones.
            if builder.containers() >= MANY_CONTAINERS && builder.makes_no_cycles() && off.was_on()
            {
                collector::settle(py);
            }
            MadeValues::All
        }
        Err(fault) if has_failed => {
            let raised = exception(py, &fault, builder.raised.take(), Side::Decode);
            // The builder knows only the first of the missing classes.
            let list = intern!(py, "list_missing");
            let schema = Schema(block.schema().clone());
            let listed = resolver.call_method1(list, (raised.value(py), schema));
            MadeValues::Failed(number, listed.err().unwrap_or(raised))
        }
        Err(fault) => {
            objects.truncate(before);
            MadeValues::Fault(fault)
        }
    }
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

impl Sink for Values<'_, '_> {
    fn budget(&mut self, units: u64) {
        self.builder.budget(units);
    }

    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        if self.passes {
            return Ok(());
        }
        let emitted = self.builder.event(event);
        self.noted(emitted)
    }

    #[inline]
    fn entry(&mut self, table: usize, number: usize, value: &str) -> Result<()> {
        if self.passes {
            return Ok(());
        }
        let emitted = self.builder.entry(table, number, value);
        self.noted(emitted)
    }

    // Of rows, only Arrow's arrays are taken: their columns become no objects.
    const READS_ROWS: bool = true;

    fn take_rows(&mut self, site: usize, rows: &mut BlockReader<'_, '_>) -> Result<bool> {
        if self.passes {
            return Ok(false);
        }
        let taken = self.builder.take_arrays(site, rows);
        self.has_failed |= taken.is_err();
        taken
    }

    fn refers(&self, row: RowId) -> bool {
        self.passes || self.builder.refers(row)
    }

    fn takes_ints(&self) -> bool {
        self.passes || self.builder.takes_ints()
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        if self.passes {
            return Ok(());
        }
        let emitted = self.builder.ints(values);
        self.noted(emitted)
    }

    fn takes_floats(&self) -> bool {
        self.passes || self.builder.takes_floats()
    }

    fn floats(&mut self, values: &[f64]) -> Result<()> {
        if self.passes {
            return Ok(());
        }
        let emitted = self.builder.floats(values);
        self.noted(emitted)
    }
}
