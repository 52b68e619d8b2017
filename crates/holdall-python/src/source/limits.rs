//! Limits on walks, because code of a class can make new objects without end.

use holdall::bindings::memory::GrowVec;
use holdall::{Code, Error, Result};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use super::Walker;
use crate::signals::EACH;

/// The limits of a walk.
pub struct WalkLimits {
    /// The most values to encode.
    objects: u64,
    /// The deepest nesting of values.
    depth: usize,
    /// The most bytes of objects that code of the program makes for it.
    held: u64,
}

/// The limits as the caller passed them: objects, depth and bytes held.
pub type Passed = (Option<u64>, Option<usize>, Option<u64>);

impl WalkLimits {
    pub fn new((objects, depth, held): Passed) -> WalkLimits {
        WalkLimits {
            objects: objects.unwrap_or(1 << 32),
            depth: depth.unwrap_or(4_000_000),
            held: held.unwrap_or(1 << 33),
        }
    }
}

impl Default for WalkLimits {
    fn default() -> Self {
        WalkLimits::new((None, None, None))
    }
}

/// The minimum size of an object; `ITEM`: of an item in it.
const OBJECT: u64 = 128;
const ITEM: u64 = 8;

impl<'py> Walker<'py, '_> {
    /// Fails if more values were encoded than allowed.
    #[inline]
    pub(super) fn check_objects(&mut self) -> Result<()> {
        if self.values <= self.options.limits.objects {
            return Ok(());
        }
        let error = Error::new(Code::LimitOutput)
            .expected(format!("at most {} values", self.options.limits.objects))
            .got("more; if the object is not endless, pass a larger limits=holdall.Limits(objects=...)");
        Err(self.shredder.refuse(error))
    }

    /// Fails if more containers are open than allowed.
    #[inline]
    pub(super) fn check_depth(&mut self) -> Result<()> {
        if self.stack.len() <= self.options.limits.depth {
            return Ok(());
        }
        let error = Error::new(Code::LimitDepth)
            .expected(format!("values nested at most {} deep", self.options.limits.depth))
            .got(
                "more; if the object is not endless, pass a larger limits=holdall.Limits(depth=...)",
            );
        Err(self.shredder.refuse(error))
    }

    /// Counts the size of objects that code of the program made.
    pub(super) fn count_held(&mut self, made: &[Bound<'py, PyAny>]) -> Result<()> {
        for object in made {
            self.held = self.held.saturating_add(OBJECT + size_of_contents(object));
        }
        if self.held <= self.options.limits.held {
            return Ok(());
        }
        let error = Error::new(Code::LimitOutput)
            .expected(format!(
                "at most {} bytes made by methods and hooks",
                self.options.limits.held
            ))
            .got(
                "more; if the object is not endless, pass a larger limits=holdall.Limits(held=...)",
            );
        Err(self.shredder.refuse(error))
    }
}

impl WalkLimits {
    /// Returns the items of an iterator that code of the program made.
    pub(super) fn items_of<'py, T>(
        &self,
        items: &Bound<'py, PyAny>,
        convert: impl Fn(Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<Vec<T>> {
        let most = self.held / (OBJECT / 2);
        let mut taken = Vec::new();
        for item in items.try_iter()? {
            if taken.len() as u64 >= most {
                let text = format!(
                    "an iterator has more than {most} items; if it is not endless, pass a larger limits=holdall.Limits(held=...)"
                );
                return Err(limit_error(items.py(), &text));
            }
            let room = taken.try_reserve(1);
            room.map_err(|_| PyMemoryError::new_err("no memory for the items of an iterator"))?;
            taken.put(convert(item?)?);
            if taken.len() % EACH == 0 {
                items.py().check_signals()?;
            }
        }
        Ok(taken)
    }
}

#[cold]
fn limit_error(py: Python<'_>, text: &str) -> PyErr {
    let made = py
        .import("holdall._errors")
        .and_then(|errors| errors.getattr("unlimited"))
        .and_then(|unlimited| unlimited.call1((text,)));
    made.map_or_else(|failed| failed, PyErr::from_value)
}

fn size_of_contents(object: &Bound<'_, PyAny>) -> u64 {
    if let Ok(items) = object.cast::<PyTuple>() {
        return ITEM * items.len() as u64;
    }
    if let Ok(items) = object.cast::<PyList>() {
        return ITEM * items.len() as u64;
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return bytes.as_bytes().len() as u64;
    }
    let text = object.cast::<PyString>();
    text.map_or(0, |text| text.len().unwrap_or(0) as u64)
}
