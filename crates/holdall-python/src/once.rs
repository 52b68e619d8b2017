//! Values that are made once in a process.

use std::sync::OnceLock;

use pyo3::PyTypeCheck;
use pyo3::prelude::*;

/// A cell for such a value. No thread releases the interpreter while it has the cell's lock, neither where the value is made nor where
/// it is stored: a child that another thread forks then would wait for the lock of a thread that it does not have. PyO3's cells, also
/// those of its `intern!`, have their lock in both.
pub struct Once<T>(OnceLock<T>);

impl<T> Once<T> {
    pub const fn new() -> Self {
        Once(OnceLock::new())
    }

    /// Returns the value, made if there is none yet. Where several threads make one, all get the first.
    pub fn get_or_init(&self, _: Python<'_>, make: impl FnOnce() -> T) -> &T {
        match self.0.get() {
            Some(value) => value,
            None => {
                let made = make();
                self.0.get_or_init(|| made)
            }
        }
    }

    /// The same; an error leaves the cell empty.
    pub fn get_or_try_init(
        &self,
        py: Python<'_>,
        make: impl FnOnce() -> PyResult<T>,
    ) -> PyResult<&T> {
        match self.0.get() {
            Some(value) => Ok(value),
            None => {
                let made = make()?;
                Ok(self.get_or_init(py, || made))
            }
        }
    }
}

impl<T: PyTypeCheck> Once<Py<T>> {
    /// Returns an object of a module.
    pub fn import<'py>(
        &self,
        py: Python<'py>,
        module: &str,
        name: &str,
    ) -> PyResult<&Bound<'py, T>> {
        let import = || Ok(py.import(module)?.getattr(name)?.cast_into::<T>()?.unbind());
        self.get_or_try_init(py, import).map(|object| object.bind(py))
    }
}

/// Returns an interned string, which is made once.
macro_rules! intern {
    ($py:expr, $text:expr) => {{
        static TEXT: $crate::once::Once<pyo3::Py<pyo3::types::PyString>> =
            $crate::once::Once::new();
        let py: pyo3::Python<'_> = $py;
        TEXT.get_or_init(py, || pyo3::types::PyString::intern(py, $text).unbind()).bind(py)
    }};
}
pub(crate) use intern;
