//! Finds the differences between two values, by path.

use holdall::{Code, Error, Result, Value};
use holdall_inspect::Pattern;
use typed_arena::Arena;

use super::graph::Builder;
use super::steps::leads_anywhere;
use super::walk::Walk;

/// What to compare, and how much to report.
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) limit: usize,
    pub(super) ignores_order: bool,
    pub(super) ignores_identity: bool,
    pub(super) pattern: Option<Pattern>,
}

impl Default for Options {
    fn default() -> Self {
        Options { limit: 1000, ignores_order: false, ignores_identity: false, pattern: None }
    }
}

impl Options {
    /// Compares everything, and reports 1,000 differences.
    #[must_use]
    pub fn new() -> Options {
        Options::default()
    }

    /// Sets how many differences to report; all are counted.
    #[must_use]
    pub fn limit(mut self, differences: usize) -> Options {
        self.limit = differences;
        self
    }

    /// Sets whether to ignore the order of entries.
    #[must_use]
    pub fn ignore_order(mut self, ignore: bool) -> Options {
        self.ignores_order = ignore;
        self
    }

    /// Sets whether to accept a copy in place of a shared value.
    #[must_use]
    pub fn ignore_identity(mut self, ignore: bool) -> Options {
        self.ignores_identity = ignore;
        self
    }

    /// Reports only differences at this path, inside it, or around it: `$.users[3].name`, `users[].name`.
    #[must_use]
    pub fn path(mut self, path: &str) -> Options {
        self.pattern = Some(Pattern::new(path));
        self
    }
}

/// The kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The value differs.
    Changed,
    /// The type around the contents differs; the contents are compared separately.
    Retyped,
    /// Only the new value has something here.
    Added,
    /// Only the old value has something here.
    Removed,
    /// The same entries have another order.
    Reordered,
    /// A value that is shared in one of the values is a copy in the other.
    Identity,
    /// A later version of the format wrote it, so it cannot be compared.
    Unknown,
}

impl DifferenceKind {
    /// All kinds, in order.
    pub const ALL: [DifferenceKind; 7] = [
        DifferenceKind::Changed,
        DifferenceKind::Retyped,
        DifferenceKind::Added,
        DifferenceKind::Removed,
        DifferenceKind::Reordered,
        DifferenceKind::Identity,
        DifferenceKind::Unknown,
    ];

    /// Returns its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            DifferenceKind::Changed => "changed",
            DifferenceKind::Retyped => "retyped",
            DifferenceKind::Added => "added",
            DifferenceKind::Removed => "removed",
            DifferenceKind::Reordered => "reordered",
            DifferenceKind::Identity => "identity",
            DifferenceKind::Unknown => "unknown",
        }
    }
}

/// One side of a difference, as text, truncated if it is long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Side {
    /// The path, such as `$.users[3].name`.
    pub path: String,
    /// The type: `int`, `record`, `struct User`.
    pub ty: String,
    /// The value; for a difference of identity, the path of the earlier occurrence, or nothing.
    pub text: String,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The kind of difference.
    pub kind: DifferenceKind,
    /// The old value, if there is one.
    pub old: Option<Side>,
    /// The new value, if there is one.
    pub new: Option<Side>,
    /// Additional information: for tensors, the number of different elements.
    pub note: String,
}

/// The differences between two values.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Differences {
    /// The first differences, in the order of the old value.
    pub list: Vec<Difference>,
    /// The number of each kind, in the order of [`DifferenceKind::ALL`].
    pub counts: [usize; 7],
    /// Whether there could be more: not all paths to shared values were followed, because there are too many.
    pub is_cut: bool,
}

impl Differences {
    /// Returns the total number.
    #[must_use]
    pub fn count(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Whether the values are equal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0 && !self.is_cut
    }
}

/// Compares two values of any depth, cyclic ones included.
///
/// Time and memory are linear in the sizes of both. Floats are compared by their bits, sets by their members, mappings
/// by their keys. Items of lists are aligned, so that an inserted one does not change all that follow; records in lists
/// are matched by a field that identifies them.
///
/// ```
/// use holdall::Value;
/// use holdall_cli::diff::values::{DifferenceKind, Options, differences};
///
/// let old = Value::record([("name", Value::from("Ann")), ("tags", Value::from(vec!["x", "y"]))]);
/// let new = Value::record([("name", Value::from("Ada")), ("tags", Value::from(vec!["w", "x", "y"]))]);
/// let differences = differences(&old, &new, &Options::new())?;
/// let [name, tag] = &differences.list[..] else { panic!() };
/// assert_eq!((name.kind, &*name.new.as_ref().unwrap().text), (DifferenceKind::Changed, "\"Ada\""));
/// assert_eq!((tag.kind, &*tag.new.as_ref().unwrap().path), (DifferenceKind::Added, "$.tags[0]"));
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// `limit_budget` for values of more than 2^32 parts; `bad_input` if neither value has anything at the requested path.
pub fn differences(old: &Value, new: &Value, options: &Options) -> Result<Differences> {
    let kept = Arena::new();
    let mut builder = Builder::new(&kept, options.ignores_order);
    let (mut old, mut new) = (builder.graph(old)?, builder.graph(new)?);
    if let Some(pattern) = &options.pattern
        && !leads_anywhere(&old, pattern)
        && !leads_anywhere(&new, pattern)
    {
        return Err(Error::new(Code::BadInput)
            .expected(format!("a value at {pattern}"))
            .got("none in either file"));
    }
    builder.settle([&mut old, &mut new]);
    Ok(Walk::new([&old, &new], &builder.classes, options).run())
}
