//! Why making values in place stops, and what is known until then.

use holdall::{Code, Error, Result};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use super::Builder;

/// Why a value could not be made here.
pub enum Stop {
    /// Something in it has to be told.
    Other,
    /// Something is wrong with it: what, the walk that tells finds out.
    Fault,
    /// An exception that will not come again.
    Raised(Box<Error>),
}

/// What a builder knows of values made in place.
#[derive(Default)]
pub struct Inside<'py> {
    /// The values of rows that are still to be made.
    pub(super) values: Vec<Bound<'py, PyAny>>,
    pub(super) marks: Vec<(usize, usize)>,
    pub(super) stop: Option<Stop>,
    /// An exception that stopped it: if the walk that tells does not meet it again, it is raised at the end.
    exception: Option<PyErr>,
    /// How many values were made, and how many of them for nothing.
    pub(super) made: u64,
    pub(super) wasted: u64,
    /// How many sites were marked.
    pub(super) marked: u64,
    /// From here on all is told.
    pub(super) is_over: bool,
    /// What comes is told, though it is inside of what is made here.
    pub(super) is_told: bool,
}

impl<'py> Builder<'py, '_> {
    /// Stops it.
    #[cold]
    pub(super) fn stop<T>(&mut self, stop: Stop) -> Option<T> {
        self.inside.stop = Some(stop);
        None
    }

    /// An exception stops it. One that does not say that something went wrong (Ctrl-C) goes on as it is; of others the walk that
    /// tells finds out where they come from.
    #[cold]
    fn stop_by<T>(&mut self, exception: PyErr) -> Option<T> {
        if self.signals.have_come() || !exception.is_instance_of::<PyException>(self.py) {
            let error = self.fail(exception);
            return self.stop(Stop::Raised(Box::new(error)));
        }
        self.inside.exception = Some(exception);
        self.stop(Stop::Fault)
    }

    /// The exception that stopped it, if nobody has met it since.
    pub(super) fn exception_inside(&mut self) -> Option<PyErr> {
        self.inside.exception.take()
    }

    /// Code of the program would run, which it must not do twice: not in what is told inside of what is made here.
    pub(super) fn may_run_code(&self) -> Result<()> {
        if self.inside.is_told {
            return Err(Error::new(Code::BadSource).expected("a value that needs no code"));
        }
        Ok(())
    }

    /// An answer, or none of a fault.
    #[inline]
    pub(super) fn got<T>(&mut self, answer: Result<T>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(_) => match self.raised.take() {
                Some(exception) => self.stop_by(exception),
                None => self.stop(Stop::Fault),
            },
        }
    }

    /// The same of Python.
    #[inline]
    pub(super) fn done<T>(&mut self, answer: PyResult<T>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(exception) => self.stop_by(exception),
        }
    }

    /// So many values are made: from time to time the builder looks for signals.
    #[inline]
    pub(super) fn count(&mut self, values: usize) -> Option<()> {
        self.inside.made += values as u64;
        match self.ticks(values) {
            Ok(()) => Some(()),
            Err(error) => self.stop(Stop::Raised(Box::new(error))),
        }
    }

    /// A container of so many values begins.
    #[inline]
    pub(super) fn container(&mut self, values: usize) -> Option<()> {
        self.frames += 1;
        self.count(1 + values)
    }
}
