//! Values with identity, found by their rows: a list of references to few objects looks each up again.

use holdall::bindings::memory::{self, GrowVec};
use holdall::events::RowId;

use super::Known;

#[derive(Default)]
pub(super) struct KnownRows<'py> {
    /// By the numbers of definitions.
    rows: Vec<Rows>,
    values: Vec<Known<'py>>,
}

/// The rows of a definition.
#[derive(Default)]
struct Rows {
    first: usize,
    /// By rows from the first on: the number of the row's value, from 1 on, or 0. Values of one block come in the order of their rows.
    numbers: Vec<u32>,
}

impl Rows {
    #[inline]
    fn number(&self, row: usize) -> Option<usize> {
        let number = *self.numbers.get(row.checked_sub(self.first)?)?;
        (number as usize).checked_sub(1)
    }

    fn set(&mut self, row: usize, number: u32) {
        if self.numbers.is_empty() {
            self.first = row;
        } else if let Some(more @ 1..) = self.first.checked_sub(row) {
            let after = std::mem::replace(&mut self.numbers, memory::filled(0, more));
            self.numbers.put_slice(&after);
            self.first = row;
        }
        let at = row - self.first;
        if self.numbers.len() <= at {
            self.numbers.put_fill(at + 1, 0);
        }
        self.numbers[at] = number;
    }
}

impl<'py> KnownRows<'py> {
    #[inline]
    pub(super) fn get(&self, id: RowId) -> Option<&Known<'py>> {
        self.values.get(self.rows.get(id.definition)?.number(id.row)?)
    }

    pub(super) fn get_mut(&mut self, id: RowId) -> Option<&mut Known<'py>> {
        self.values.get_mut(self.rows.get(id.definition)?.number(id.row)?)
    }

    pub(super) fn put(&mut self, id: RowId, value: Known<'py>) {
        if let Some(known) = self.get_mut(id) {
            *known = value;
            return;
        }
        if self.rows.len() <= id.definition {
            self.rows.put_fill_with(id.definition + 1, Rows::default);
        }
        self.values.put(value);
        // As many values as this do not fit memory.
        let number = u32::try_from(self.values.len()).unwrap_or(0);
        self.rows[id.definition].set(id.row, number);
    }

    pub(super) fn clear(&mut self) {
        self.rows.iter_mut().for_each(|rows| rows.numbers.clear());
        self.values.clear();
    }
}
