//! Values that are made once in a process.

use pyo3::PyTypeCheck;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A cell for such a value. No lock is held while it is made: that can run Python code and let other threads run, and a child that
/// one of these forks would wait for the lock of a thread that it does not have.
pub struct Once<T>(PyOnceLock<T>);

impl<T> Once<T> {
    pub const fn new() -> Self {
        Once(PyOnceLock::new())
    }

    /// Returns the value, made if there is none yet. Where several threads make one, all get the first.
    pub fn get_or_init(&self, py: Python<'_>, make: impl FnOnce() -> T) -> &T {
        match self.0.get(py) {
            Some(value) => value,
            None => {
                let made = make();
                self.0.get_or_init(py, || made)
            }
        }
    }

    /// The same; an error leaves the cell empty.
    pub fn get_or_try_init(
        &self,
        py: Python<'_>,
        make: impl FnOnce() -> PyResult<T>,
    ) -> PyResult<&T> {
        match self.0.get(py) {
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
