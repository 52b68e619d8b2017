//! The garbage collector while many objects are made.
//!
//! Containers that are being filled are no garbage; to look at all of them again and again takes longer than to make them.

use pyo3::prelude::*;

use crate::raw;

/// The collector stays off as long as this lives, if it was on.
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

/// Containers that a stream gave and that may be in cycles. They come a block at a time, all alive, so that the collector
/// takes them for old ones when it looks first, and looks again only after many blocks: it is called before the next one.
#[derive(Default)]
pub struct Cycles(u64);

impl Cycles {
    pub fn add(&mut self, containers: u64) {
        self.0 += containers;
    }

    /// Collects those that nobody has any more, if they are many.
    pub fn collect(&mut self, py: Python<'_>) {
        if self.0 < MANY {
            return;
        }
        self.0 = 0;
        let collected = (|| -> PyResult<()> {
            let gc = py.import(pyo3::intern!(py, "gc"))?;
            if gc.call_method0(pyo3::intern!(py, "isenabled"))?.is_truthy()? {
                gc.call_method1(pyo3::intern!(py, "collect"), (YOUNG,))?;
            }
            Ok(())
        })();
        // Nobody asked for it.
        let _ = collected;
    }
}

/// The generation of what was looked at once.
const YOUNG: u8 = 1;
const MANY: u64 = 10_000;

/// Counts all objects as old, so that the next collection does not look at the new ones: that takes microseconds.
///
/// Not where a program has frozen objects: to unfreeze would give them all back. If it fails, the collector does what it
/// would have done.
pub fn settle(py: Python<'_>) {
    let settled = (|| -> PyResult<()> {
        let gc = py.import(pyo3::intern!(py, "gc"))?;
        if gc.call_method0(pyo3::intern!(py, "get_freeze_count"))?.extract::<usize>()? == 0 {
            gc.call_method0(pyo3::intern!(py, "freeze"))?;
            gc.call_method0(pyo3::intern!(py, "unfreeze"))?;
        }
        Ok(())
    })();
    // Nobody asked for it.
    let _ = settled;
}
