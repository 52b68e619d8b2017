//! Which value another format cannot hold.

use alloc::string::String;

/// Programs give advice by it, as the options that avoid such an error have other names in each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// One that is referenced from several places.
    Shared,
    /// One that contains itself, which cannot be copied either.
    Cycle,
    /// One of a logical type or extension, whose storage the format may have: its name.
    Type(String),
    /// A record whose keys the format would lose.
    Keys,
    /// An empty text, beside null in a format that has one form for both.
    EmptyText,
    /// A tensor.
    Tensor,
}
