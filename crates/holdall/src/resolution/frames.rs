//! The containers that are open during a conversion.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;

use super::plan::StepId;
use super::rows::RowPlan;
use super::rules::{PairId, Scale};
use crate::dynamic::{Mark, ScalarKey};
use crate::platform::HashSet;
use crate::schema::path;

/// An open container.
pub(super) enum OpenContainer<'p> {
    Items {
        next: usize,
        index: usize,
        len: usize,
        steps: Steps<'p>,
        /// The conversion of the first item, if that is a time in another unit.
        scale: Option<Scale>,
        /// Where the entries of an expanded tensor or byte string begin; they are removed at the end.
        forget: Option<Mark>,
    },
    /// A row; the positions of its values start at this index.
    Row {
        plan: Rc<RowPlan>,
        first: usize,
        index: usize,
    },
    /// A row read as a map, which emits each key before its value.
    Entries {
        plan: Rc<RowPlan>,
        first: usize,
        index: usize,
    },
    Map(Box<ConvertedMap>),
    /// One value, until it is read; a variant has a name.
    One {
        inside: Option<(usize, StepId, Option<Scale>)>,
        variant: Option<&'p str>,
    },
}

pub(super) struct ConvertedMap {
    pub(super) next: usize,
    pub(super) index: usize,
    pub(super) len: usize,
    pub(super) on_value: bool,
    pub(super) key: PairId,
    pub(super) value: PairId,
    /// The keys so far, if two of them could be equal.
    pub(super) seen: Option<HashSet<ScalarKey<Box<[u8]>>>>,
}

/// How to read the items of a container.
#[derive(Clone, Copy)]
pub(super) enum Steps<'p> {
    All(PairId),
    Each(&'p [PairId]),
}

impl Steps<'_> {
    pub(super) fn of(&self, index: usize) -> PairId {
        match self {
            Steps::All(pair) => *pair,
            Steps::Each(pairs) => pairs[index],
        }
    }
}

/// Returns the path to the current value, such as `$.users[3].name`.
#[cold]
pub(super) fn path_of(stack: &[OpenContainer<'_>]) -> String {
    let mut text = "$".to_owned();
    for frame in stack {
        match frame {
            OpenContainer::Items { index, .. } => text += &format!("[{}]", index.saturating_sub(1)),
            OpenContainer::Row { plan, index, .. } | OpenContainer::Entries { plan, index, .. } => {
                if let Some(key) = plan.shape.keys().get(index.saturating_sub(1)) {
                    text += &path::field(key);
                }
            }
            OpenContainer::Map(map) => {
                let key = if map.on_value { ".key" } else { "" };
                text += &format!("[{}]{key}", map.index.saturating_sub(1));
            }
            OpenContainer::One { variant: Some(name), .. } => text += &path::variant(name),
            OpenContainer::One { variant: None, .. } => {}
        }
    }
    text
}
