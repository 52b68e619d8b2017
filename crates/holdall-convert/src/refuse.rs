//! Errors for values that a format cannot hold, with the same texts for all formats.

use std::borrow::Cow;

use holdall::bindings::Refused;
use holdall::events::Event;
use holdall::{Code, Error};

const NO_TYPE: &str = "a value of a type that the format has";

/// An error for a value that a format does not have.
#[cold]
pub(crate) fn refuse(
    expected: impl Into<Cow<'static, str>>,
    got: impl Into<Cow<'static, str>>,
) -> Error {
    Error::new(Code::Unrepresentable).expected(expected).got(got)
}

/// The error for an event that no format has, except for its own types.
#[cold]
pub(crate) fn event(event: Event<'_>) -> Error {
    match event {
        Event::Logical(ty) => lacks(ty.to_string(), format!("one of type {ty}")),
        Event::Extension(name) => lacks(&**name, format!("one of the extension {name:?}")),
        Event::Reference(_) => {
            refuse("each value in one place", "one that is referenced from several places")
                .refusing(Refused::Shared)
        }
        Event::Variant(name) => lacks("named variants", format!("variant {name}")),
        Event::Tensor(..) => tensor(),
        Event::Unknown => {
            refuse("values that this version knows", "one of a later version, which was skipped")
        }
        other => other.unrepresentable(),
    }
}

/// The error for a value of a type that the format does not have, whose stored form it may have.
#[cold]
pub(crate) fn lacks(ty: impl Into<String>, got: impl Into<Cow<'static, str>>) -> Error {
    refuse(NO_TYPE, got).refusing(Refused::Type(ty.into()))
}

#[cold]
pub(crate) fn tensor() -> Error {
    refuse("a list in place of a tensor", "a tensor").refusing(Refused::Tensor)
}

/// A byte string, in a format of text.
#[cold]
pub(crate) fn bytes(format: &str, value: &[u8]) -> Error {
    let expected = format!("text, because {format} has no byte strings; store Base64 for example");
    refuse(expected, format!("{} bytes", value.len()))
}

/// An option of [`Unpacker`](crate::Unpacker) that writes a rejected value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// [`Unpacker::storage`](crate::Unpacker::storage).
    Storage,
    /// [`Unpacker::copies`](crate::Unpacker::copies).
    Copies,
}

impl Remedy {
    /// Returns the option that avoids an error, if there is one.
    ///
    /// ```
    /// use holdall::value::Logical;
    /// use holdall::{LogicalType, Value};
    /// use holdall_convert::{Remedy, json};
    ///
    /// let date = Logical::new(LogicalType::new(LogicalType::DATE, &[])?, Value::from(20_000));
    /// let error = json::unpack(&holdall::to_vec(&Value::from(date))?).unwrap_err();
    /// assert_eq!(Remedy::of(&error), Some(Remedy::Storage));
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn of(error: &Error) -> Option<Remedy> {
        match error.refused()? {
            Refused::Shared => Some(Remedy::Copies),
            Refused::Type(_) | Refused::Keys | Refused::EmptyText => Some(Remedy::Storage),
            // A copy of a value that contains itself has no end: messages of holdall alone have such values.
            Refused::Cycle | Refused::Tensor => None,
        }
    }
}
