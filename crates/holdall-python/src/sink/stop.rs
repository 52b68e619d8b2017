//! Why a direct build stops, and the state that it keeps until then.

use holdall::{Code, Error, Result};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use super::{Builder, Depth};

/// Why a value could not be built directly.
pub enum Stop {
    /// A part of it needs events.
    Other,
    /// Code of the program makes it. Its effects cannot be undone, so it runs only for the outermost value of a direct build,
    /// after everything inside.
    Code,
    /// Something is wrong with it; the walk of events finds out what.
    Fault,
    /// An exception that the walk of events would not raise again.
    Raised(Box<Error>),
}

/// The builder's state for direct builds.
#[derive(Default)]
pub struct DirectBuild<'py> {
    /// The values of rows that are still to be built.
    pub(super) values: Vec<Bound<'py, PyAny>>,
    /// The fields of rows that list these.
    pub(super) fields: Vec<usize>,
    pub(super) marks: Vec<(usize, usize)>,
    pub(super) stop: Option<Stop>,
    /// An exception that stopped a build. If the walk of events does not raise it again, `take`
    /// does.
    exception: Option<PyErr>,
    /// How many values were built.
    pub(super) made: u64,
    /// How many of them were undone.
    pub(super) wasted: u64,
    /// How many sites were marked.
    pub(super) marked: u64,
    /// How deep the values are that events built inside the direct build, and the largest weight of an object that it
    /// made.
    pub(super) depth: Depth,
    pub(super) weight: u32,
    /// Everything from here on is built from events.
    pub(super) is_off: bool,
    /// Events build a value inside a direct build.
    pub(super) is_by_events: bool,
}

impl<'py> Builder<'py, '_> {
    /// Stops the build.
    #[cold]
    pub(super) fn stop<T>(&mut self, stop: Stop) -> Option<T> {
        self.direct.stop = Some(stop);
        None
    }

    /// Stops the build by an exception. One that reports no failure (Ctrl-C) is passed on; for
    /// others the walk of events finds out where they come from.
    #[cold]
    fn stop_by<T>(&mut self, exception: PyErr) -> Option<T> {
        if self.signals.have_come() || !exception.is_instance_of::<PyException>(self.py) {
            let error = self.fail(exception);
            return self.stop(Stop::Raised(Box::new(error)));
        }
        self.direct.exception = Some(exception);
        self.stop(Stop::Fault)
    }

    /// Returns the exception that stopped a build, if nothing has raised it since.
    pub(super) fn exception_of_direct_build(&mut self) -> Option<PyErr> {
        self.direct.exception.take()
    }

    /// Fails if events build a value inside a direct build: code of the program would run twice.
    pub(super) fn may_run_code(&self) -> Result<()> {
        if self.direct.is_by_events {
            return Err(Error::new(Code::BadSource).expected("a value that needs no code"));
        }
        Ok(())
    }

    /// Returns the value of a result, or stops the build.
    #[inline(always)]
    pub(super) fn got<T>(&mut self, answer: Result<T>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(error) => self.stop_by_fault(error),
        }
    }

    #[cold]
    #[inline(never)]
    fn stop_by_fault<T>(&mut self, _error: Error) -> Option<T> {
        match self.raised.take() {
            Some(exception) => self.stop_by(exception),
            None => self.stop(Stop::Fault),
        }
    }

    /// The same for results of Python.
    #[inline(always)]
    pub(super) fn done<T>(&mut self, answer: PyResult<T>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(exception) => self.stop_by(exception),
        }
    }

    /// Counts values; from time to time checks for signals.
    #[inline]
    pub(super) fn count(&mut self, values: usize) -> Option<()> {
        self.direct.made += values as u64;
        match self.ticks(values) {
            Ok(()) => Some(()),
            Err(error) => self.stop(Stop::Raised(Box::new(error))),
        }
    }

    /// Counts a container and its values.
    #[inline]
    pub(super) fn container(&mut self, values: usize) -> Option<()> {
        self.frames += 1;
        self.count(1 + values)
    }
}
