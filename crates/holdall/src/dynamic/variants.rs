//! The types at one site: columns of scalars and uses of row types, and how a value finds its variant (F-47).

use alloc::vec::Vec;

use foldhash::quality::RandomState;

use super::row_types::{RowKind, RowTypeId};
use crate::column::buffer::Buffer;
use crate::memory::{self, Collect, GrowMap, GrowVec};
use crate::platform::HashMap;
use crate::schema::Scalar;

/// Up to this many variants, a linear scan is faster than hashing.
pub(super) const SCANNED_VARIANTS: usize = 12;

/// The class by which a value finds its variant (F-47). Structs are found by their row type instead.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Class {
    Scalar(Scalar),
    Row(RowKind),
}

/// The first variant of each class. A site can have thousands of them, for example of extensions.
#[derive(Default)]
pub(super) struct Firsts {
    /// The most frequent classes have their own fields.
    record: Option<usize>,
    list: Option<usize>,
    few: Vec<(Class, usize)>,
    /// A map of all classes, once there are many.
    many: Option<HashMap<Class, usize, RandomState>>,
}

impl Firsts {
    #[inline]
    pub(super) fn get(&self, class: Class) -> Option<usize> {
        match class {
            Class::Row(RowKind::Record) => self.record,
            Class::Row(RowKind::List) => self.list,
            class => self.get_other(class),
        }
    }

    fn get_other(&self, class: Class) -> Option<usize> {
        match &self.many {
            Some(many) => many.get(&class).copied(),
            None => self.few.iter().find(|(own, _)| *own == class).map(|(_, variant)| *variant),
        }
    }

    pub(super) fn set(&mut self, class: Class, variant: usize) {
        match class {
            Class::Row(RowKind::Record) => self.record = Some(variant),
            Class::Row(RowKind::List) => self.list = Some(variant),
            class => self.set_other(class, variant),
        }
    }

    fn set_other(&mut self, class: Class, variant: usize) {
        if let Some(many) = &mut self.many {
            many.put(class, variant);
            return;
        }
        match self.few.iter_mut().find(|(own, _)| *own == class) {
            Some((_, first)) => *first = variant,
            None => self.few.put((class, variant)),
        }
        if self.few.len() > SCANNED_VARIANTS {
            self.many = Some(self.few.drain(..).collected());
        }
    }

    pub(super) fn clear(&mut self) {
        (self.record, self.list, self.many) = (None, None, None);
        self.few.clear();
    }

    /// Removes a class. Records and lists are never removed.
    pub(super) fn remove(&mut self, class: Class) {
        self.few.retain(|(own, _)| *own != class);
        if let Some(many) = &mut self.many {
            many.remove(&class);
        }
    }
}

/// One type at a site.
pub(crate) enum RowVariant {
    /// The rows of a scalar type.
    Column(Buffer),
    Row(Uses),
}

/// The uses of a row type at one site: new rows and references to earlier ones (F-65).
pub(crate) struct Uses {
    pub(crate) row_type: RowTypeId,
    pub(super) len: usize,
    /// The positions of references, each with 1 + the row it refers to.
    pub(super) back: Vec<(usize, u64)>,
    /// Whether any use was ever a reference. If so, the site's type is `shared(i)`.
    pub(crate) shared: bool,
}

impl Uses {
    pub(crate) fn of(row_type: RowTypeId) -> Uses {
        Uses { row_type, len: 0, back: Vec::new(), shared: false }
    }

    /// Returns for each use 0 if its row is new, or else 1 + the row it refers to (F-64).
    pub(crate) fn references(&self) -> Vec<u64> {
        let mut references = memory::filled(0, self.len);
        for &(row, reference) in &self.back {
            references[row] = reference;
        }
        references
    }
}

impl RowVariant {
    /// Estimates the memory of the rows, in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            RowVariant::Column(column) => column.size(),
            RowVariant::Row(uses) => 16 * uses.back.len(),
        }
    }

    /// Estimates the memory of the rows; counts dictionary text by its entries.
    pub(super) fn held(&self) -> usize {
        match self {
            RowVariant::Column(column) => column.held(),
            uses @ RowVariant::Row(_) => uses.size(),
        }
    }

    /// Releases the rows and their memory.
    pub(crate) fn release(&mut self) {
        match self {
            RowVariant::Column(column) => {
                if let Some(scalar) = column.scalar() {
                    *column = Buffer::inferred(scalar);
                }
            }
            RowVariant::Row(uses) => *uses = Uses::of(uses.row_type),
        }
    }

    /// Keeps only the first `rows` rows.
    pub(super) fn truncate(&mut self, rows: usize) {
        match self {
            RowVariant::Column(column) => column.truncate(rows),
            RowVariant::Row(uses) => {
                uses.len = rows;
                uses.back.truncate(uses.back.partition_point(|(row, _)| *row < rows));
            }
        }
    }

    /// Drops the rows.
    pub(super) fn clear(&mut self) {
        match self {
            RowVariant::Column(column) => column.clear(),
            RowVariant::Row(uses) => {
                uses.len = 0;
                uses.back.clear();
            }
        }
    }

    /// Returns the scalar type, or `None` for a row type.
    #[inline]
    pub(crate) fn scalar(&self) -> Option<Scalar> {
        match self {
            RowVariant::Column(column) => column.scalar(),
            RowVariant::Row(_) => None,
        }
    }
}
