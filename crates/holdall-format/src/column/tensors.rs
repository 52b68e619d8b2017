//! Tensors, gathered row by row, and their columns.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::pieces::{self, Apart, Payload};
use super::raw::{self, Of};
use super::{Profile, Settings, bits, ints};
use crate::input::LARGE;
use crate::memory::GrowVec;
use crate::schema::DType;

/// The columns of tensors (F-76).
#[derive(Debug)]
pub struct TensorRows {
    /// What the elements are.
    of: Of,
    pub ranks: Vec<u64>,
    pub dimensions: Vec<u64>,
    pub orders: Vec<bool>,
    /// The elements of small rows, concatenated.
    small: Vec<u8>,
    rows: Vec<Elements>,
}

/// Rows with fewer bytes are copied, which is cheaper than counting references.
const SHARED: usize = 4096;

/// The elements of one row.
#[derive(Debug)]
enum Elements {
    Small(Range<usize>),
    /// Kept by reference: copying them would cost as much as writing them.
    Shared(Arc<Vec<u8>>),
}

impl TensorRows {
    /// Makes empty columns for elements of this type.
    pub fn of(dtype: &DType) -> TensorRows {
        let (ranks, dimensions, orders) = Default::default();
        let of = Of::elements(dtype);
        TensorRows { of, ranks, dimensions, orders, small: Vec::new(), rows: Vec::new() }
    }

    /// Releases the rows and their memory.
    pub fn release(&mut self) {
        let (ranks, dimensions, orders) = Default::default();
        let of = self.of;
        *self = TensorRows { of, ranks, dimensions, orders, small: Vec::new(), rows: Vec::new() };
    }

    /// Appends a row; `elements` appends the bytes of its elements.
    pub fn append(
        &mut self,
        shape: impl IntoIterator<Item = u64>,
        column_major: bool,
        elements: impl FnOnce(&mut Vec<u8>),
    ) {
        self.shape(shape, column_major);
        let start = self.small.len();
        elements(&mut self.small);
        self.rows.put(Elements::Small(start..self.small.len()));
    }

    /// Appends a row whose elements others hold, too.
    pub fn append_shared(&mut self, shape: &[u64], column_major: bool, elements: &Arc<Vec<u8>>) {
        if elements.len() < SHARED {
            let copy = |all: &mut Vec<u8>| all.put_slice(elements);
            return self.append(shape.iter().copied(), column_major, copy);
        }
        self.shape(shape.iter().copied(), column_major);
        self.rows.put(Elements::Shared(Arc::clone(elements)));
    }

    fn shape(&mut self, shape: impl IntoIterator<Item = u64>, column_major: bool) {
        let before = self.dimensions.len();
        self.dimensions.put_each(shape);
        let rank = self.dimensions.len() - before;
        self.ranks.put(rank as u64);
        self.orders.put(column_major && rank > 1);
    }

    /// Estimates the memory of the rows, in bytes.
    pub fn size(&self) -> usize {
        let shared = self.rows.iter().map(|row| match row {
            Elements::Small(_) => 0,
            Elements::Shared(shared) => shared.len(),
        });
        32 * self.ranks.len() + 8 * self.dimensions.len() + self.small.len() + shared.sum::<usize>()
    }

    /// Keeps only the first `len` rows.
    pub fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
        self.ranks.truncate(len);
        self.orders.truncate(len);
        self.dimensions.truncate(self.ranks.iter().sum::<u64>() as usize);
        let end = self.rows.iter().rev().find_map(|row| match row {
            Elements::Small(range) => Some(range.end),
            Elements::Shared(_) => None,
        });
        self.small.truncate(end.unwrap_or(0));
    }

    pub fn clear(&mut self) {
        self.ranks.clear();
        self.dimensions.clear();
        self.orders.clear();
        self.small.clear();
        self.rows.clear();
    }

    /// Whether the elements take 4,096 bytes or more (F-69).
    pub fn wants_alignment(&self) -> bool {
        self.len() >= LARGE
    }

    /// Returns the size of the elements in bytes.
    fn len(&self) -> usize {
        self.rows().map(<[u8]>::len).sum()
    }

    /// Iterates over the elements of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.rows.iter().map(|row| self.elements(row))
    }

    fn elements<'r>(&'r self, row: &'r Elements) -> &'r [u8] {
        match row {
            Elements::Small(range) => &self.small[range.clone()],
            Elements::Shared(shared) => shared,
        }
    }
}

/// Appends the columns (F-76). Shared elements become pieces of `apart`, if given.
pub fn write(
    out: &mut Vec<u8>,
    rows: &TensorRows,
    settings: Settings,
    mut apart: Option<&mut Apart>,
) {
    ints::write_u64(out, &rows.ranks, settings);
    ints::write_u64(out, &rows.dimensions, settings);
    bits::write(out, &rows.orders, settings);
    let len = rows.len();
    if settings.profile == Profile::Small {
        let mut all = rows.rows();
        let elements = match (all.next(), all.next()) {
            (Some(only), None) => Cow::Borrowed(only),
            _ => Cow::Owned(rows.rows().flatten().copied().collect()),
        };
        return raw::write(out, rows.of, &elements, settings);
    }
    raw::write_head(out, len, settings);
    for row in &rows.rows {
        match (row, &mut apart) {
            (Elements::Shared(shared), Some(apart)) if shared.len() >= pieces::SMALLEST => {
                apart.push(out, Payload::Shared(Arc::clone(shared)));
            }
            _ => out.put_slice(rows.elements(row)),
        }
    }
}
