//! Row types as the shredder finds them: types that have rows of their own, to which sites refer (spec, chapter 11).

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::records::RecordType;
use super::sites::SiteId;
use crate::column::tensors::TensorRows;
use crate::memory::GrowVec;
use crate::schema::names::Names;
use crate::schema::{DType, LogicalType};

pub(crate) type RowTypeId = usize;

/// The kind of a row type, regardless of its contents. A site has at most one row type of each kind (F-47).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowKind {
    List,
    Array(usize),
    Tuple(usize),
    Record,
    Map,
    Undecided,
    NamedUnion,
    /// A tensor, logical type or extension, by the index of its label.
    Labelled(usize),
}

/// Distinguishes row types of which a message can have any number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Label {
    Tensor(Arc<DType>),
    Logical(Arc<LogicalType>),
    Extension(Arc<str>),
}

/// A row type, with the rows that were begun and filled so far.
pub(crate) struct RowType {
    /// The site that first used it.
    pub(crate) home: SiteId,
    /// All deep sites of the message share it (F-51).
    pub(crate) gathered: bool,
    /// The sites that use it, each with its variant there. More than one make it a definition (F-54).
    pub(crate) users: Vec<(SiteId, usize)>,
    /// Whether a row was referred to a second time, which also makes it a definition.
    pub(crate) referenced: bool,
    pub(crate) rows: usize,
    pub(crate) body: RowBody,
}

pub(crate) enum RowBody {
    List {
        lengths: Vec<u64>,
        item: SiteId,
    },
    Array {
        item: SiteId,
        len: usize,
    },
    /// The sites of its items start at `first` in the shredder's list of members.
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
    /// Empty mappings whose type is not decided yet (F-49).
    Undecided,
    /// A named union.
    NamedUnion {
        which: Vec<u64>,
        names: Names,
        payloads: Vec<SiteId>,
    },
    Tensor(usize, TensorRows),
    /// A logical type or extension: the index of its label, and the site of the value inside.
    Wrapped(usize, SiteId),
}

impl RowType {
    /// `users` is an empty list, passed in to reuse its memory.
    pub(crate) fn new(
        home: SiteId,
        gathered: bool,
        body: RowBody,
        users: Vec<(SiteId, usize)>,
    ) -> RowType {
        RowType { home, gathered, users, referenced: false, rows: 0, body }
    }

    /// Returns the kind. Structs have none, because their names distinguish them.
    pub(crate) fn kind(&self) -> Option<RowKind> {
        Some(match &self.body {
            RowBody::List { .. } => RowKind::List,
            RowBody::Tuple { len, .. } => RowKind::Tuple(*len),
            RowBody::Record(_) => RowKind::Record,
            RowBody::Map { .. } => RowKind::Map,
            RowBody::Undecided => RowKind::Undecided,
            RowBody::NamedUnion { .. } => RowKind::NamedUnion,
            RowBody::Array { len, .. } => RowKind::Array(*len),
            RowBody::Tensor(label, _) | RowBody::Wrapped(label, _) => RowKind::Labelled(*label),
            RowBody::Struct(..) => return None,
        })
    }

    /// Begins a row. Returns its number.
    #[inline]
    pub(crate) fn begin(&mut self) -> usize {
        self.rows += 1;
        match &mut self.body {
            // `end` fills in the length. Until then 0 holds the place, because nested rows may begin meanwhile.
            RowBody::List { lengths, .. } | RowBody::Map { lengths, .. } => lengths.put(0),
            RowBody::Record(record) | RowBody::Struct(_, record) => record.begin_row(),
            RowBody::Array { .. }
            | RowBody::Tuple { .. }
            | RowBody::NamedUnion { .. }
            | RowBody::Undecided
            | RowBody::Tensor(..)
            | RowBody::Wrapped(..) => {}
        }
        self.rows - 1
    }

    /// Ends a row of a list or map.
    #[inline]
    pub(crate) fn end(&mut self, row: usize, len: u64) {
        if let RowBody::List { lengths, .. } | RowBody::Map { lengths, .. } = &mut self.body {
            lengths[row] = len;
        }
    }

    /// Counts the type itself and its shapes. Its fields are sites, which count themselves.
    pub(crate) fn extent(&self) -> usize {
        match &self.body {
            RowBody::Record(record) | RowBody::Struct(_, record) => 1 + record.shapes().len(),
            _ => 1,
        }
    }

    /// Whether a fresh shredder, given these rows, would make the same row type. It might not in four cases: the first keys of a
    /// map made it a map, gathering depends on more than these rows, a shared row depends on the value it belongs to, and an
    /// undecided type depends on later mappings.
    pub(crate) fn is_repeatable(&self) -> bool {
        !self.gathered
            && !self.referenced
            && self.rows > 0
            && match &self.body {
                RowBody::List { .. }
                | RowBody::Array { .. }
                | RowBody::Tuple { .. }
                | RowBody::Tensor(..)
                | RowBody::Wrapped(..) => true,
                RowBody::Record(record) | RowBody::Struct(_, record) => record.shapes().len() == 1,
                RowBody::Map { .. } | RowBody::Undecided => false,
                RowBody::NamedUnion { names, .. } => names.len() == 1,
            }
    }

    /// Estimates the memory of the rows in bytes, without the sites inside.
    pub(crate) fn size(&self) -> usize {
        match &self.body {
            RowBody::List { lengths: numbers, .. }
            | RowBody::Map { lengths: numbers, .. }
            | RowBody::NamedUnion { which: numbers, .. } => 8 * numbers.len(),
            RowBody::Record(record) | RowBody::Struct(_, record) => record.size(),
            RowBody::Tensor(_, rows) => rows.size(),
            RowBody::Array { .. }
            | RowBody::Tuple { .. }
            | RowBody::Undecided
            | RowBody::Wrapped(..) => 0,
        }
    }

    /// Releases the rows. Their contents stay in the sites inside.
    pub(crate) fn release(&mut self) {
        match &mut self.body {
            RowBody::List { lengths: numbers, .. }
            | RowBody::Map { lengths: numbers, .. }
            | RowBody::NamedUnion { which: numbers, .. } => *numbers = Vec::new(),
            RowBody::Record(record) | RowBody::Struct(_, record) => record.release(),
            RowBody::Tensor(_, rows) => rows.release(),
            RowBody::Array { .. }
            | RowBody::Tuple { .. }
            | RowBody::Undecided
            | RowBody::Wrapped(..) => {}
        }
    }

    /// Keeps only the first `rows` rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.rows = rows;
        match &mut self.body {
            RowBody::List { lengths: numbers, .. }
            | RowBody::Map { lengths: numbers, .. }
            | RowBody::NamedUnion { which: numbers, .. } => numbers.truncate(rows),
            RowBody::Record(record) | RowBody::Struct(_, record) => record.truncate(rows),
            RowBody::Tensor(_, own) => own.truncate(rows),
            RowBody::Array { .. }
            | RowBody::Tuple { .. }
            | RowBody::Undecided
            | RowBody::Wrapped(..) => {}
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        match &mut self.body {
            RowBody::List { lengths, .. } | RowBody::Map { lengths, .. } => lengths.clear(),
            RowBody::NamedUnion { which, .. } => which.clear(),
            RowBody::Record(record) | RowBody::Struct(_, record) => record.clear(),
            RowBody::Tensor(_, rows) => rows.release(),
            RowBody::Array { .. }
            | RowBody::Tuple { .. }
            | RowBody::Undecided
            | RowBody::Wrapped(..) => {}
        }
    }
}
