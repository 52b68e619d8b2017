//! The error type (F-41), one word wide.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::string::String;
#[cfg(feature = "std")]
use alloc::string::ToString;
use core::fmt;

mod code;
mod looks_like;
mod refused;

pub use code::Code;
pub use looks_like::{LooksLike, PREFIX};
pub use refused::Refused;

/// The rule that errors cite if no line of the table of conversions fits (F-78).
pub const NO_LINE: &str = "F-78";
/// The line of that table on the variants of named unions.
pub const VARIANTS: &str = "F-78 line 7";
/// The rules on fields (F-79).
pub const FIELDS: &str = "F-79";

/// `Result` with [`Error`].
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The reason why something could not be read or written.
///
/// Boxed, so that a `Result<(), Error>` is one word: it travels in a register.
///
/// ```
/// let error = holdall::from_slice::<holdall::Value>(b"{}").unwrap_err();
/// assert_eq!(error.code().as_str(), "bad_magic");
/// assert_eq!(error.offset(), Some(0));
/// assert_eq!(
///     error.to_string(),
///     "bad_magic at offset 0: expected C1, got 7B; this looks like JSON: `holdall_convert::json::pack` makes holdall data of it",
/// );
/// ```
pub struct Error(Box<Inner>);

// One word: a result travels in registers.
const _: () = assert!(size_of::<Error>() == size_of::<usize>());

#[derive(Clone)]
struct Inner {
    code: Code,
    offset: Option<u64>,
    /// The row of the column with the error, for the path.
    row: Option<usize>,
    path: String,
    expected: Cow<'static, str>,
    got: Cow<'static, str>,
    /// Empty if the error names none.
    rule: &'static str,
    /// The operating system's number for the error.
    os: Option<i32>,
    /// The limit that you can raise, by its name in `Limits`; empty if there is none.
    limit: &'static str,
    looks_like: Option<LooksLike>,
    refused: Option<Refused>,
}

impl Error {
    /// An error without a place.
    #[cold]
    #[must_use]
    pub fn new(code: Code) -> Self {
        Error(Box::new(Inner {
            code,
            offset: None,
            row: None,
            path: String::new(),
            expected: Cow::Borrowed(""),
            got: Cow::Borrowed(""),
            rule: "",
            os: None,
            limit: if code == Code::LimitBudget { "budget" } else { "" },
            looks_like: None,
            refused: None,
        }))
    }

    /// An error at a byte of the input.
    #[cold]
    #[must_use]
    pub fn at(code: Code, offset: usize) -> Self {
        let mut error = Error::new(code);
        error.0.offset = Some(offset as u64);
        error
    }

    /// Adds what was expected.
    #[must_use]
    pub fn expected(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.0.expected = text.into();
        self
    }

    /// Adds what was found.
    #[must_use]
    pub fn got(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.0.got = text.into();
        self
    }

    /// Adds what the input looks like instead.
    #[doc(hidden)]
    #[must_use]
    pub fn looking_like(mut self, guess: impl Into<Option<LooksLike>>) -> Self {
        self.0.looks_like = guess.into();
        self
    }

    /// Adds which value another format cannot hold.
    #[doc(hidden)]
    #[must_use]
    pub fn refusing(mut self, refused: Refused) -> Self {
        self.0.refused = Some(refused);
        self
    }

    /// Which value another format cannot hold, if that is what failed.
    #[doc(hidden)]
    #[must_use]
    pub fn refused(&self) -> Option<&Refused> {
        self.0.refused.as_ref()
    }

    /// Adds the rule of the spec.
    #[doc(hidden)]
    #[must_use]
    pub fn by(mut self, rule: &'static str) -> Self {
        self.0.rule = rule;
        self
    }

    /// Reading takes more units than the budget has left (F-39).
    #[doc(hidden)]
    #[cold]
    pub fn over_budget(units: u128, left: u64) -> Self {
        Error::new(Code::LimitBudget).got(format!(
            "reading this takes {units} units of memory (a unit is about a byte), and {left} are left of the budget"
        ))
    }

    /// Marks that a frame is too long.
    #[doc(hidden)]
    pub fn by_frame(mut self) -> Self {
        self.0.limit = "frame";
        self
    }

    /// An error at a byte of a stream, which can be longer than memory.
    #[doc(hidden)]
    #[cold]
    pub fn in_stream(code: Code, offset: u64) -> Self {
        let mut error = Error::new(code);
        error.0.offset = Some(offset);
        error
    }

    /// Shifts the offset: the input begins at this byte of another one.
    #[doc(hidden)]
    pub fn moved_by(mut self, bytes: u64) -> Self {
        self.0.offset = self.0.offset.map(|own| own.saturating_add(bytes));
        self
    }

    /// Removes the offset: the rows in which the error was found were converted from others.
    #[doc(hidden)]
    pub fn without_offset(mut self) -> Self {
        self.0.offset = None;
        self
    }

    /// Moves the error to another byte.
    #[doc(hidden)]
    pub fn moved_to(mut self, offset: usize) -> Self {
        self.0.offset = Some(offset as u64);
        self
    }

    /// Adds the row of its site, if the error is in one.
    #[doc(hidden)]
    pub fn in_row(mut self, row: impl Into<Option<usize>>) -> Self {
        self.0.row = row.into();
        self
    }

    #[doc(hidden)]
    pub fn row(&self) -> Option<usize> {
        self.0.row
    }

    /// Adds the path in the value, unless it is known already.
    #[must_use]
    pub fn with_path(mut self, path: impl FnOnce() -> String) -> Self {
        if self.0.path.is_empty() {
            self.0.path = path();
        }
        self
    }

    /// Removes the place: the error was found in a part that was written by itself.
    #[doc(hidden)]
    #[must_use]
    pub fn unplaced(mut self) -> Self {
        (self.0.offset, self.0.row, self.0.path) = (None, None, String::new());
        self
    }

    /// Replaces the path in the value.
    #[doc(hidden)]
    pub fn at_path(mut self, path: String) -> Self {
        self.0.path = path;
        self
    }

    /// Marks that the input was a part of another one: it begins at this byte of it and has this path in its value.
    /// `part` names it.
    ///
    /// ```
    /// use holdall::{Code, Error};
    ///
    /// let error = Error::at(Code::BadInput, 4).with_path(|| "$.id".to_owned()).got("`x`");
    /// let error = error.inside(100, "$[7]", "line 8");
    /// assert_eq!(error.to_string(), "bad_input at offset 104 in $[7].id: `x`, in line 8");
    /// ```
    #[must_use]
    pub fn inside(mut self, offset: u64, path: &str, part: &str) -> Self {
        let inner = &mut self.0;
        inner.offset = inner.offset.map(|own| own.saturating_add(offset));
        let below = inner.path.strip_prefix('$').unwrap_or(&inner.path);
        inner.path = format!("{path}{below}");
        // After the last words, so that none is left without what belongs to it.
        let words = if inner.got.is_empty() { &mut inner.expected } else { &mut inner.got };
        *words = match words.is_empty() {
            true => format!("in {part}"),
            false => format!("{words}, in {part}"),
        }
        .into();
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The offset of the error in the input in bytes, counted from 0.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// The path in the value, such as `$.users[3].name`; empty where there is none.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The rule of the spec that forbids reading data of another schema (chapter 13): `"F-78 line 22"` for a line of
    /// the table of F-78, `"F-78"` where no line fits, `"F-79"` for the rules on fields. Other errors have none.
    ///
    /// ```
    /// let error = holdall::from_slice::<Vec<u8>>(&holdall::to_vec("text")?).unwrap_err();
    /// assert_eq!(error.rule(), Some("F-78"));
    /// assert_eq!(error.to_string(), "incompatible in $: expected list(u8), got string (F-78: no line fits)");
    ///
    /// let error = holdall::from_slice::<[u8; 3]>(&holdall::to_vec(&[1_u8, 2])?).unwrap_err();
    /// assert_eq!(error.rule(), Some("F-78 line 22"));
    /// assert_eq!(error.to_string(), "incompatible in $: expected array(3, u8), got array(2, u8) (F-78 line 22)");
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn rule(&self) -> Option<&'static str> {
        Some(self.0.rule).filter(|rule| !rule.is_empty())
    }

    /// The limit of [`Limits`](crate::limits::Limits) to raise if you trust the data: `budget` or `frame`. The error's
    /// text names it, except in the form `{:#}`, which is for programs whose users set limits in another way.
    ///
    /// ```
    /// let error = holdall::from_slice::<Vec<()>>(b"\xC1\x10\x16\x01\x07\0\0\x10").unwrap_err();
    /// assert_eq!(error.limit(), Some("budget"));
    /// let text = "limit_budget at offset 8 in $[]: reading this takes 134217728 units of memory (a unit is about a byte), \
    ///     and 67108856 are left of the budget";
    /// assert_eq!(format!("{error:#}"), text);
    /// assert_eq!(error.to_string(), format!("{text}; if you trust the data, raise Limits::budget"));
    /// ```
    #[must_use]
    pub fn limit(&self) -> Option<&'static str> {
        Some(self.0.limit).filter(|limit| !limit.is_empty())
    }

    /// What the input looks like instead: data of another format, a stream in place of a message, or a message in
    /// place of a stream. The error's text names it and what reads it in Rust; `{:#}` omits the latter.
    #[must_use]
    pub fn looks_like(&self) -> Option<LooksLike> {
        self.0.looks_like
    }

    /// The error of the operating system.
    #[doc(hidden)]
    #[cfg(feature = "std")]
    #[cold]
    pub fn of_io(error: &std::io::Error) -> Self {
        let code = match error.kind() {
            std::io::ErrorKind::OutOfMemory => Code::OutOfMemory,
            _ => Code::Io,
        };
        let mut own = Error::new(code).got(error.to_string());
        own.0.os = error.raw_os_error();
        own
    }

    /// The operating system's number (`errno`) for an error of reading or writing, if it has one.
    ///
    /// ```
    /// let error = holdall::Writer::append("/no/such/folder/file").err().unwrap();
    /// let own = std::io::Error::from_raw_os_error(error.os_error().unwrap());
    /// assert_eq!(own.kind(), std::io::ErrorKind::NotFound);
    /// ```
    #[must_use]
    pub fn os_error(&self) -> Option<i32> {
        self.0.os
    }

    /// Puts a step before a path that does not begin at the root yet: serde returns from the inside to the outside.
    #[doc(hidden)]
    #[cold]
    pub fn under(self, step: impl FnOnce() -> String) -> Error {
        if self.path().starts_with('$') {
            return self;
        }
        let path = step() + self.path();
        self.at_path(path)
    }

    /// Marks that the path begins at the root.
    #[doc(hidden)]
    #[cold]
    pub fn rooted(self) -> Error {
        self.under(|| "$".to_owned())
    }
}

impl Clone for Error {
    fn clone(&self) -> Self {
        Error(self.0.clone())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { code, offset, path, expected, got, rule, limit, looks_like, .. } = &*self.0;
        write!(f, "{code}")?;
        if let Some(offset) = offset {
            write!(f, " at offset {offset}")?;
        }
        if !path.is_empty() {
            write!(f, " in {path}")?;
        }
        match (expected.is_empty(), got.is_empty()) {
            (true, true) => {}
            (false, true) => write!(f, ": expected {expected}")?,
            (true, false) => write!(f, ": {got}")?,
            (false, false) => write!(f, ": expected {expected}, got {got}")?,
        }
        match *rule {
            "" => {}
            NO_LINE => write!(f, " ({NO_LINE}: no line fits)")?,
            rule => write!(f, " ({rule})")?,
        }
        match looks_like {
            None => {}
            Some(guess) if f.alternate() => write!(f, "; this looks like {}", guess.as_str())?,
            Some(guess) => write!(f, "; this looks like {}: {}", guess.as_str(), guess.remedy())?,
        }
        match limit.is_empty() || f.alternate() {
            true => Ok(()),
            false => write!(f, "; if you trust the data, raise Limits::{limit}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "std")]
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error::of_io(&error)
    }
}
