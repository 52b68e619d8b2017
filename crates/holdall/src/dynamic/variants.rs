//! The types at one site: columns of scalars and uses of row types, and how a value finds its variant (F-47).

use std::collections::HashMap;

use foldhash::quality::RandomState;
use half::{bf16, f16};

use super::row_types::{Kind, RowTypeId};
use crate::column::ints::IntBuffer;
use crate::column::text::GatheredText;
use crate::schema::Scalar;

/// Up to this many variants, a linear scan is faster than hashing.
pub(super) const SCANNED_VARIANTS: usize = 12;

/// The initial capacity of a new column, in rows.
const ROOM: usize = 16;

/// The class by which a value finds its variant (F-47). Structs are found by their row type instead.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Class {
    Scalar(Scalar),
    Row(Kind),
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
            Class::Row(Kind::Record) => self.record,
            Class::Row(Kind::List) => self.list,
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
            Class::Row(Kind::Record) => self.record = Some(variant),
            Class::Row(Kind::List) => self.list = Some(variant),
            class => self.set_other(class, variant),
        }
    }

    fn set_other(&mut self, class: Class, variant: usize) {
        if let Some(many) = &mut self.many {
            many.insert(class, variant);
            return;
        }
        match self.few.iter_mut().find(|(own, _)| *own == class) {
            Some((_, first)) => *first = variant,
            None => self.few.push((class, variant)),
        }
        if self.few.len() > SCANNED_VARIANTS {
            self.many = Some(self.few.drain(..).collect());
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

/// One type at a site; the rows too if it is a scalar type.
pub(crate) enum Variant {
    Bool(Vec<bool>),
    Int(Scalar, IntBuffer),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Text(Scalar, GatheredText),
    /// Byte strings of one length, concatenated.
    Fixed(u64, Vec<u8>),
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
        let mut references = vec![0; self.len];
        for &(row, reference) in &self.back {
            references[row] = reference;
        }
        references
    }
}

impl Variant {
    pub(super) fn of(scalar: Scalar) -> Variant {
        match scalar {
            Scalar::Bool => Variant::Bool(Vec::new()),
            Scalar::Int(_) => Variant::Int(scalar, IntBuffer::default()),
            Scalar::F16 => Variant::F16(Vec::new()),
            Scalar::Bf16 => Variant::Bf16(Vec::new()),
            Scalar::F32 => Variant::F32(Vec::new()),
            Scalar::F64 => Variant::F64(Vec::new()),
            Scalar::String | Scalar::Bytes => Variant::Text(scalar, GatheredText::default()),
            Scalar::Fixed(len) => Variant::Fixed(len, Vec::new()),
        }
    }

    /// Reserves room for the first rows. With many columns of few rows, growing them would dominate.
    pub(super) fn with_room(mut self) -> Variant {
        match &mut self {
            Variant::Int(_, column) => column.values.reserve(ROOM),
            Variant::F64(column) => column.reserve(ROOM),
            Variant::Text(_, column) => column.reserve(ROOM),
            _ => {}
        }
        self
    }

    /// Estimates the memory of the rows, in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Variant::Bool(column) => column.len() / 8,
            Variant::Int(_, column) => column.size(),
            Variant::F16(column) => 2 * column.len(),
            Variant::Bf16(column) => 2 * column.len(),
            Variant::F32(column) => 4 * column.len(),
            Variant::F64(column) => 8 * column.len(),
            Variant::Text(_, column) => column.size(),
            Variant::Fixed(_, bytes) => bytes.len(),
            Variant::Row(uses) => 16 * uses.back.len(),
        }
    }

    /// The same, but counts dictionary text by its entries.
    pub(super) fn held(&self) -> usize {
        match self {
            Variant::Text(_, column) => column.held(),
            other => other.size(),
        }
    }

    /// Releases the rows and their memory.
    pub(crate) fn release(&mut self) {
        *self = match (&*self, self.scalar()) {
            (Variant::Row(uses), _) => Variant::Row(Uses::of(uses.row_type)),
            (_, Some(scalar)) => Variant::of(scalar),
            (_, None) => return,
        };
    }

    /// Keeps only the first `rows` rows.
    pub(super) fn truncate(&mut self, rows: usize) {
        match self {
            Variant::Bool(column) => column.truncate(rows),
            Variant::Int(_, column) => column.truncate(rows),
            Variant::F16(column) => column.truncate(rows),
            Variant::Bf16(column) => column.truncate(rows),
            Variant::F32(column) => column.truncate(rows),
            Variant::F64(column) => column.truncate(rows),
            Variant::Text(_, column) => column.truncate(rows),
            Variant::Fixed(len, bytes) => bytes.truncate(rows * *len as usize),
            Variant::Row(uses) => {
                uses.len = rows;
                uses.back.truncate(uses.back.partition_point(|(row, _)| *row < rows));
            }
        }
    }

    /// Drops the rows.
    pub(super) fn clear(&mut self) {
        match self {
            Variant::Bool(bits) => bits.clear(),
            Variant::Int(_, ints) => ints.clear(),
            Variant::F16(floats) => floats.clear(),
            Variant::Bf16(floats) => floats.clear(),
            Variant::F32(floats) => floats.clear(),
            Variant::F64(floats) => floats.clear(),
            Variant::Text(_, text) => text.clear(),
            Variant::Fixed(_, bytes) => bytes.clear(),
            Variant::Row(uses) => {
                uses.len = 0;
                uses.back.clear();
            }
        }
    }

    /// Returns the scalar type, or `None` for a row type.
    #[inline]
    pub(crate) fn scalar(&self) -> Option<Scalar> {
        Some(match self {
            Variant::Bool(_) => Scalar::Bool,
            Variant::Int(scalar, _) | Variant::Text(scalar, _) => *scalar,
            Variant::F16(_) => Scalar::F16,
            Variant::Bf16(_) => Scalar::Bf16,
            Variant::F32(_) => Scalar::F32,
            Variant::F64(_) => Scalar::F64,
            Variant::Fixed(len, _) => Scalar::Fixed(*len),
            Variant::Row(_) => return None,
        })
    }
}
