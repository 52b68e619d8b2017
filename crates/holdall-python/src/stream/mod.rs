//! Streams for Python: files that the library opens, and file objects.
//!
//! Encoding and making objects holds the interpreter; reading, checking and writing blocks does
//! not.

mod feeder;
pub mod gil_mutex;
mod object;
mod reader;
mod report;
mod values;
mod writer;

use holdall::Limits;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::raw;
pub use object::Input as FileInput;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<writer::StreamWriter>()?;
    module.add_class::<reader::StreamReader>()?;
    module.add_class::<feeder::StreamFeeder>()?;
    module.add_function(wrap_pyfunction!(report::verify, module)?)?;
    module.add_function(wrap_pyfunction!(report::recover, module)?)
}

fn limits(budget: Option<u64>, frame: Option<u64>) -> Limits {
    let limits = Limits::new();
    let limits = budget.map_or(limits, |budget| limits.budget(budget));
    frame.map_or(limits, |frame| limits.frame(frame))
}

/// Describes what was skipped, for `holdall.Damage`.
fn damage<'py>(py: Python<'py>, damage: &holdall::stream::Damage) -> PyResult<Bound<'py, PyDict>> {
    let described = raw::dict(py)?;
    described.set_item("offset", damage.offset())?;
    described.set_item("skipped", damage.skipped())?;
    described.set_item("frames", (damage.frames().start, damage.frames().end))?;
    described.set_item("code", damage.code().as_str())?;
    described.set_item("at", damage.error().offset())?;
    described.set_item("text", damage.to_string())?;
    Ok(described)
}
