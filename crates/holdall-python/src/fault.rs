//! Errors that pass from Python through the library and back.

use std::cell::Cell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use holdall::bindings::memory;
use holdall::{Code, Error};
use pyo3::exceptions::{PyException, PyMemoryError, PyRecursionError};
use pyo3::prelude::*;

use crate::ALLOCATOR;
use crate::once::Once;

/// Holds an exception that travels through the library as an error, which cannot hold one itself.
#[derive(Default)]
pub struct Raised(Option<PyErr>);

impl Raised {
    /// Keeps an exception; the error stands for it.
    #[cold]
    pub fn keep(&mut self, exception: PyErr) -> Error {
        self.0 = Some(exception);
        Error::new(Code::Custom)
    }

    /// Returns the result of a call, or keeps its exception and returns an error.
    #[inline]
    pub fn check<T>(&mut self, result: PyResult<T>) -> holdall::Result<T> {
        result.map_err(|exception| self.keep(exception))
    }

    pub fn take(&mut self) -> Option<PyErr> {
        self.0.take()
    }

    /// Whether it holds an exception that no handler of ordinary ones may take.
    #[cold]
    pub fn is_interrupt(&self) -> bool {
        self.0.as_ref().is_some_and(|exception| Python::attach(|py| !is_ordinary(py, exception)))
    }
}

/// Whether an exception says something about a value: it is no interrupt and no lack of memory.
fn is_ordinary(py: Python<'_>, exception: &PyErr) -> bool {
    let value = exception.value(py);
    value.is_instance_of::<PyException>() && !value.is_instance_of::<PyMemoryError>()
}

/// Returns the text of an exception, as far as it can be made.
#[cold]
pub fn text_of(exception: &PyErr) -> String {
    let mut text = String::new();
    // Where memory is missing, `to_string` panics.
    let _ = write!(text, "{exception}");
    text
}

/// What PyO3 panics with where CPython has no object for a call that fails without memory alone.
const NO_OBJECT: &str = "PyObject pointer is null";

/// A call inside another needs as many bytes of the stack: some times what it takes until it calls code of the program.
const STACK_LEFT: usize = 64 << 10;

thread_local! {
    /// How many calls this thread is in: a hook or a method of a class can pack and unpack again.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Runs a function in which CPython may have no memory for an object, after which PyO3 panics, or Rust none for what is large. Other panics
/// go on. The allocator has its reserve again, if a function before took it.
///
/// # Errors
/// Those of the function; `out_of_memory`; RecursionError inside other calls, where the stack would overflow.
#[inline]
pub fn guarded<T>(py: Python<'_>, side: Side, run: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let outside = CALLS.get();
    if outside > 0 && is_stack_used_up() {
        return Err(too_deep());
    }
    ALLOCATOR.fill_reserve();
    CALLS.set(outside + 1);
    // What the function had in use is dropped.
    let done = catch_unwind(AssertUnwindSafe(run));
    CALLS.set(outside);
    done.unwrap_or_else(|payload| {
        if !memory::is_lack(&*payload) && payload.downcast_ref() != Some(&NO_OBJECT) {
            resume_unwind(payload);
        }
        Err(exception(py, &Error::new(Code::OutOfMemory), None, side))
    })
}

#[cold]
fn is_stack_used_up() -> bool {
    // Nothing is left according to a coroutine that has a stack of its own.
    stacker::remaining_stack().is_some_and(|left| left > 0 && left < STACK_LEFT)
}

#[cold]
fn too_deep() -> PyErr {
    PyRecursionError::new_err(
        "no stack is left for calls of holdall inside each other: a hook or a method of a class packs or unpacks again, perhaps the \
         same object",
    )
}

/// The direction in which an error occurred.
#[derive(Clone, Copy)]
pub enum Side {
    Encode,
    Decode,
}

/// Whether an exception is this package's own report that an object cannot be packed. One from a
/// nested call has a path.
#[cold]
pub fn is_refusal(py: Python<'_>, exception: &PyErr) -> bool {
    let value = exception.value(py);
    let is = |name: &str, expected: Option<&str>| {
        let text = value.getattr(name).and_then(|text| text.extract::<Option<String>>());
        text.is_ok_and(|text| text.as_deref() == expected)
    };
    is("code", Some(Code::UnsupportedValue.as_str())) && is("path", None)
}

static MAKER: Once<Py<PyAny>> = Once::new();

fn maker(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    let make = MAKER
        .get_or_try_init(py, || py.import("holdall._errors")?.getattr("make").map(Bound::unbind))?;
    Ok(make.bind(py))
}

/// Returns what is wrong, and what a Python caller can do about it.
fn text(error: &Error) -> String {
    match error.limit() {
        None => format!("{error:#}"),
        Some(limit) => {
            format!(
                "{error:#}; if you trust the data, pass a larger limits=holdall.Limits({limit}=...)"
            )
        }
    }
}

/// Returns the exception for an error, and for the exception that caused it.
///
/// A base exception that is no `Exception` (an interrupt), a lack of memory and errors of this
/// package pass unchanged.
#[cold]
pub fn exception(py: Python<'_>, error: &Error, raised: Option<PyErr>, side: Side) -> PyErr {
    let of_python = match raised {
        Some(raised) if !is_ordinary(py, &raised) => return raised,
        raised => raised,
    };
    let made = (|| {
        let side = match side {
            Side::Encode => "encode",
            Side::Decode => "decode",
        };
        let cause = of_python.as_ref().map(|cause| cause.value(py).clone());
        let arguments = (
            side,
            error.code().as_str(),
            error.offset(),
            error.path(),
            text(error),
            error.rule(),
            error.os_error(),
            error.looks_like().map(|guess| guess.as_str()),
            cause,
        );
        maker(py)?.call1(arguments)
    })();
    match made {
        Ok(made) => PyErr::from_value(made),
        Err(failed) => failed,
    }
}
