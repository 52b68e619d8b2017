//! Controls the garbage collector while many objects are made.
//!
//! Containers that are being filled are not garbage, and repeatedly traversing them takes longer
//! than making them.

use pyo3::prelude::*;

use crate::once::intern;
use crate::raw;

/// Keeps the collector off until it is dropped, if it was on.
pub struct WithoutCollector<'py> {
    py: Python<'py>,
    was_on: bool,
}

impl<'py> WithoutCollector<'py> {
    pub fn new(py: Python<'py>) -> Self {
        WithoutCollector { py, was_on: raw::switch_collector_off(py) }
    }

    pub fn was_on(&self) -> bool {
        self.was_on
    }
}

impl Drop for WithoutCollector<'_> {
    fn drop(&mut self) {
        if self.was_on {
            raw::switch_collector_on(self.py);
        }
    }
}

/// Containers that a stream returned and that may be in cycles. A block's containers are all alive
/// when the collector first traverses them, so it treats them as old and returns to them only after
/// many blocks. Therefore it is called before the next block.
#[derive(Default)]
pub struct Cycles(u64);

impl Cycles {
    pub fn add(&mut self, containers: u64) {
        self.0 += containers;
    }

    /// Collects the unreachable ones, if there are many.
    pub fn collect(&mut self, py: Python<'_>) {
        if self.0 < MANY_CONTAINERS {
            return;
        }
        self.0 = 0;
        let collected = (|| -> PyResult<()> {
            let gc = py.import(intern!(py, "gc"))?;
            if gc.call_method0(intern!(py, "isenabled"))?.is_truthy()? {
                gc.call_method1(intern!(py, "collect"), (YOUNG,))?;
            }
            Ok(())
        })();
        // The caller did not request it, so a failure is ignored.
        let _ = collected;
    }
}

/// The generation of objects that survived one collection.
const YOUNG: u8 = 1;
/// From this many new containers on, the garbage collector is made to treat them as old, or to look for cycles.
pub const MANY_CONTAINERS: u64 = 10_000;

/// Treats all objects as old, so that the next collection skips the new ones: that takes
/// microseconds.
///
/// It does nothing where a program has frozen objects, because unfreezing would release them all.
/// If it fails, the collector works as usual.
pub fn settle(py: Python<'_>) {
    let settled = (|| -> PyResult<()> {
        let gc = py.import(intern!(py, "gc"))?;
        if gc.call_method0(intern!(py, "get_freeze_count"))?.extract::<usize>()? == 0 {
            gc.call_method0(intern!(py, "freeze"))?;
            gc.call_method0(intern!(py, "unfreeze"))?;
        }
        Ok(())
    })();
    // The caller did not request it, so a failure is ignored.
    let _ = settled;
}
