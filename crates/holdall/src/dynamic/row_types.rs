//! Row types as the shredder finds them: what has rows of its own that sites refer to (spec, chapter 11).

use std::sync::Arc;

use super::records::RecordType;
use super::sites::SiteId;
use super::tensors::TensorRows;
use crate::schema::names::Names;
use crate::schema::{DType, LogicalType};

pub(crate) type RowTypeId = usize;

/// What a row type is, apart from its contents: a site has one of each at most (F-47).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    List,
    Array(usize),
    Tuple(usize),
    Record,
    Map,
    Undecided,
    Choice,
    /// A tensor, logical type or extension, by the number of its label.
    Labelled(usize),
}

/// What distinguishes row types of which a message can have any number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Label {
    Tensor(Arc<DType>),
    Logical(Arc<LogicalType>),
    Extension(Arc<str>),
}

/// A type whose rows are begun and filled.
pub(crate) struct RowType {
    /// The site where it was first made.
    pub(crate) home: SiteId,
    /// One for the whole message, shared by all deep sites (F-51).
    pub(crate) gathered: bool,
    /// The sites that have it as a variant, and which; more than one make it a definition (F-54).
    pub(crate) users: Vec<(SiteId, usize)>,
    /// Whether a row was shared: that too makes it a definition.
    pub(crate) referenced: bool,
    pub(crate) rows: usize,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    List {
        lengths: Vec<u64>,
        item: SiteId,
    },
    Array {
        item: SiteId,
        len: usize,
    },
    /// The sites of its items stand in the shredder's list of members from `first` on.
    Tuple {
        first: usize,
        len: usize,
    },
    Record(RecordType),
    Struct(Arc<str>, RecordType),
    Map {
        lengths: Vec<u64>,
        key: SiteId,
        value: SiteId,
    },
    /// Empty mappings, so far without a type (F-49).
    Undecided,
    /// A named union.
    Choice {
        which: Vec<u64>,
        names: Names,
        payloads: Vec<SiteId>,
    },
    Tensor(usize, TensorRows),
    /// A logical type or extension: the number of its label, and the site of what is inside.
    Wrapped(usize, SiteId),
}

impl RowType {
    /// `users` is an empty list.
    pub(crate) fn new(
        home: SiteId,
        gathered: bool,
        body: Body,
        users: Vec<(SiteId, usize)>,
    ) -> RowType {
        RowType { home, gathered, users, referenced: false, rows: 0, body }
    }

    /// Structs have none: they are told apart by their names.
    pub(crate) fn kind(&self) -> Option<Kind> {
        Some(match &self.body {
            Body::List { .. } => Kind::List,
            Body::Tuple { len, .. } => Kind::Tuple(*len),
            Body::Record(_) => Kind::Record,
            Body::Map { .. } => Kind::Map,
            Body::Undecided => Kind::Undecided,
            Body::Choice { .. } => Kind::Choice,
            Body::Array { len, .. } => Kind::Array(*len),
            Body::Tensor(label, _) | Body::Wrapped(label, _) => Kind::Labelled(*label),
            Body::Struct(..) => return None,
        })
    }

    /// Begins a row; gives its number.
    #[inline]
    pub(crate) fn begin(&mut self) -> usize {
        self.rows += 1;
        match &mut self.body {
            // The length is known at the row's end; rows begun meanwhile come behind.
            Body::List { lengths, .. } | Body::Map { lengths, .. } => lengths.push(0),
            Body::Record(record) | Body::Struct(_, record) => record.begin_row(),
            Body::Array { .. }
            | Body::Tuple { .. }
            | Body::Choice { .. }
            | Body::Undecided
            | Body::Tensor(..)
            | Body::Wrapped(..) => {}
        }
        self.rows - 1
    }

    /// Ends a row of a list or map.
    #[inline]
    pub(crate) fn end(&mut self, row: usize, len: u64) {
        if let Body::List { lengths, .. } | Body::Map { lengths, .. } = &mut self.body {
            lengths[row] = len;
        }
    }

    /// Itself and its shapes; its fields are sites.
    pub(crate) fn extent(&self) -> usize {
        match &self.body {
            Body::Record(record) | Body::Struct(_, record) => 1 + record.shapes().len(),
            _ => 1,
        }
    }

    /// Whether a shredder that starts anew with these rows would make the same row type. A map's first keys decide that it
    /// is one, gathering depends on more than the rows, a shared row on which it is, and an undecided type
    /// on the mappings to come.
    pub(crate) fn is_repeatable(&self) -> bool {
        !self.gathered
            && !self.referenced
            && self.rows > 0
            && match &self.body {
                Body::List { .. }
                | Body::Array { .. }
                | Body::Tuple { .. }
                | Body::Tensor(..)
                | Body::Wrapped(..) => true,
                Body::Record(record) | Body::Struct(_, record) => record.shapes().len() == 1,
                Body::Map { .. } | Body::Undecided => false,
                Body::Choice { names, .. } => names.len() == 1,
            }
    }

    /// About how many bytes the rows take in memory, those of sites inside aside.
    pub(crate) fn size(&self) -> usize {
        match &self.body {
            Body::List { lengths: numbers, .. }
            | Body::Map { lengths: numbers, .. }
            | Body::Choice { which: numbers, .. } => 8 * numbers.len(),
            Body::Record(record) | Body::Struct(_, record) => record.size(),
            Body::Tensor(_, rows) => rows.size(),
            Body::Array { .. } | Body::Tuple { .. } | Body::Undecided | Body::Wrapped(..) => 0,
        }
    }

    /// Releases what each row is: what is in rows is in their sites.
    pub(crate) fn release(&mut self) {
        match &mut self.body {
            Body::List { lengths: numbers, .. }
            | Body::Map { lengths: numbers, .. }
            | Body::Choice { which: numbers, .. } => *numbers = Vec::new(),
            Body::Record(record) | Body::Struct(_, record) => record.release(),
            Body::Tensor(_, rows) => rows.release(),
            Body::Array { .. } | Body::Tuple { .. } | Body::Undecided | Body::Wrapped(..) => {}
        }
    }

    /// Keeps so many rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.rows = rows;
        match &mut self.body {
            Body::List { lengths: numbers, .. }
            | Body::Map { lengths: numbers, .. }
            | Body::Choice { which: numbers, .. } => numbers.truncate(rows),
            Body::Record(record) | Body::Struct(_, record) => record.truncate(rows),
            Body::Tensor(_, own) => own.truncate(rows),
            Body::Array { .. } | Body::Tuple { .. } | Body::Undecided | Body::Wrapped(..) => {}
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        match &mut self.body {
            Body::List { lengths, .. } | Body::Map { lengths, .. } => lengths.clear(),
            Body::Choice { which, .. } => which.clear(),
            Body::Record(record) | Body::Struct(_, record) => record.clear(),
            Body::Tensor(_, rows) => rows.release(),
            Body::Array { .. } | Body::Tuple { .. } | Body::Undecided | Body::Wrapped(..) => {}
        }
    }
}
