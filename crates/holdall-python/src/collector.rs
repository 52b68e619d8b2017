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
