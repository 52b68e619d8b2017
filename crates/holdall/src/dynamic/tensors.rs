//! Tensors as they are gathered, and their columns.

use std::ops::Range;
use std::sync::Arc;

use super::TensorRef;
use crate::column::bits::BitBuffer;
use crate::column::{Align, Settings, bits, ints};
use crate::pieces::{self, Apart, Payload};

/// The columns of tensors (F-76).
#[derive(Debug, Default)]
pub(crate) struct TensorRows {
    pub(crate) ranks: Vec<u64>,
    pub(crate) dimensions: Vec<u64>,
    pub(crate) orders: BitBuffer,
    /// The elements of small rows, one row after the other.
    small: Vec<u8>,
    rows: Vec<Elements>,
}

/// The elements of one row.
#[derive(Debug)]
enum Elements {
    Small(Range<usize>),
    /// A copy of so many would cost as much as writing them.
    Shared(Arc<Vec<u8>>),
}

/// Rows of fewer bytes are copied: that is cheaper than to count references.
const LARGE: usize = 4096;

impl TensorRows {
    pub(crate) fn push(&mut self, tensor: TensorRef<'_>, shared: Option<&Arc<Vec<u8>>>) {
        self.ranks.push(tensor.shape.len() as u64);
        self.dimensions.extend_from_slice(tensor.shape);
        self.orders.push(tensor.column_major && tensor.shape.len() > 1);
        self.rows.push(match shared {
            Some(shared) if shared.len() >= LARGE => Elements::Shared(Arc::clone(shared)),
            _ => {
                let start = self.small.len();
                self.small.extend_from_slice(tensor.elements);
                Elements::Small(start..self.small.len())
            }
        });
    }

    /// A row whose elements are appended to those before it.
    pub(crate) fn append(
        &mut self,
        shape: impl IntoIterator<Item = u64>,
        column_major: bool,
        elements: impl FnOnce(&mut Vec<u8>),
    ) {
        let before = self.dimensions.len();
        self.dimensions.extend(shape);
        let rank = self.dimensions.len() - before;
        self.ranks.push(rank as u64);
        self.orders.push(column_major && rank > 1);
        let start = self.small.len();
        elements(&mut self.small);
        self.rows.push(Elements::Small(start..self.small.len()));
    }

    /// About how many bytes the rows take in memory.
    pub(crate) fn size(&self) -> usize {
        let shared = self.rows.iter().map(|row| match row {
            Elements::Small(_) => 0,
            Elements::Shared(shared) => shared.len(),
        });
        32 * self.ranks.len() + 8 * self.dimensions.len() + self.small.len() + shared.sum::<usize>()
    }

    /// Keeps so many rows.
    pub(crate) fn truncate(&mut self, len: usize) {
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

    pub(crate) fn clear(&mut self) {
        self.ranks.clear();
        self.dimensions.clear();
        self.orders.clear();
        self.small.clear();
        self.rows.clear();
    }

    /// Some row has elements of 64 bytes or more (F-69).
    pub(crate) fn wants_alignment(&self) -> bool {
        self.rows().any(|row| Align::Tensor.multiple(row.len() as u128) > 1)
    }

    /// The elements of each row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.rows.iter().map(|row| self.elements(row))
    }

    fn elements<'r>(&'r self, row: &'r Elements) -> &'r [u8] {
        match row {
            Elements::Small(range) => &self.small[range.clone()],
            Elements::Shared(shared) => shared,
        }
    }
}

/// Tensors (F-76); elements that are shared go apart if there is where.
pub(crate) fn write_tensors(
    out: &mut Vec<u8>,
    rows: &TensorRows,
    settings: Settings,
    mut apart: Option<&mut Apart>,
) {
    ints::write_u64(out, &rows.ranks, settings);
    ints::write_u64(out, &rows.dimensions, settings);
    bits::write(out, &rows.orders, settings);
    let before = apart.as_ref().map_or(0, |apart| apart.len());
    for row in &rows.rows {
        let elements = rows.elements(row);
        let more = apart.as_ref().map_or(0, |apart| apart.len()) - before;
        settings.behind(more).pad(out, elements.len(), Align::Tensor);
        match (row, &mut apart) {
            (Elements::Shared(shared), Some(apart)) if shared.len() >= pieces::SMALLEST => {
                apart.push(out, Payload::Shared(Arc::clone(shared)));
            }
            _ => out.extend_from_slice(elements),
        }
    }
}
