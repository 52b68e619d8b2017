//! Errors on their way from Python to the library and back.

use holdall::{Code, Error};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// An exception that travels as an error of the library: beside it, as that cannot hold one.
#[derive(Default)]
pub struct Raised(Option<PyErr>);

impl Raised {
    /// Keeps an exception; the error stands for it.
    #[cold]
    pub fn keep(&mut self, exception: PyErr) -> Error {
        self.0 = Some(exception);
        Error::new(Code::Custom)
    }

    /// What a call answers, or its exception as an error.
    #[inline]
    pub fn check<T>(&mut self, result: PyResult<T>) -> holdall::Result<T> {
        result.map_err(|exception| self.keep(exception))
    }

    pub fn take(&mut self) -> Option<PyErr> {
        self.0.take()
    }
}

/// The two sides that an error can be of.
#[derive(Clone, Copy)]
pub enum Side {
    Encode,
    Decode,
}

/// Whether an exception is this package's own word that an object cannot be packed: one of a call inside has a path.
#[cold]
pub fn is_refusal(py: Python<'_>, exception: &PyErr) -> bool {
    let value = exception.value(py);
    let is = |name: &str, expected: Option<&str>| {
        let text = value.getattr(name).and_then(|text| text.extract::<Option<String>>());
        text.is_ok_and(|text| text.as_deref() == expected)
    };
    is("code", Some(Code::UnsupportedValue.as_str())) && is("path", None)
}

static MAKER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

fn maker(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    let make = MAKER
        .get_or_try_init(py, || py.import("holdall._errors")?.getattr("make").map(Bound::unbind))?;
    Ok(make.bind(py))
}

/// What is wrong, and what a caller of Python does about it.
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

/// The exception of an error, and of the exception that led to it.
///
/// What is no `Exception` (an interrupt), a lack of memory and errors of this package go through as they are.
#[cold]
pub fn exception(py: Python<'_>, error: &Error, raised: Option<PyErr>, side: Side) -> PyErr {
    let of_python = match raised {
        Some(raised) => {
            let value = raised.value(py);
            let is_ordinary = value.is_instance_of::<PyException>()
                && !value.is_instance_of::<pyo3::exceptions::PyMemoryError>();
            if !is_ordinary {
                return raised;
            }
            Some(raised)
        }
        None => None,
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
