//! Integers in memory.

use alloc::vec::Vec;

use crate::memory::{self, GrowVec};
use core::ops::Range;

/// Integers as a writer gathers them and a reader receives them: 64-bit patterns, and separately the few numbers that
/// exceed 64 bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntBuffer {
    /// The bits of each row; of a big number, its index among these.
    pub values: Vec<u64>,
    bigs: Bigs,
}

/// Big numbers, one after the other: most columns that have any have many, and an allocation for each would take longer
/// than its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bigs {
    rows: Vec<usize>,
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl IntBuffer {
    /// Numbers of 64 bits.
    pub fn of(values: Vec<u64>) -> IntBuffer {
        IntBuffer { values, bigs: Bigs::default() }
    }

    /// A buffer with room for this many rows, all of them big numbers, of this many bytes together.
    pub fn with_room(rows: usize, bytes: usize) -> IntBuffer {
        let (own, ends) = (memory::with_capacity(rows), memory::with_capacity(rows));
        let bigs = Bigs { rows: own, ends, bytes: memory::with_capacity(bytes) };
        IntBuffer { values: memory::with_capacity(rows), bigs }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    #[inline]
    pub fn push(&mut self, bits: u64) {
        self.values.put(bits);
    }

    pub fn push_big(&mut self, big: &[u8]) {
        let Bigs { rows, ends, bytes } = &mut self.bigs;
        rows.put(self.values.len());
        bytes.put_slice(big);
        ends.put(bytes.len());
        self.values.put(rows.len() as u64 - 1);
    }

    /// Whether some number exceeds 64 bits.
    #[inline]
    pub fn has_bigs(&self) -> bool {
        !self.bigs.rows.is_empty()
    }

    /// The bytes of a row's number, if it exceeds 64 bits.
    #[inline]
    pub fn big(&self, row: usize) -> Option<&[u8]> {
        if !self.has_bigs() {
            return None;
        }
        let at = usize::try_from(*self.values.get(row)?).ok()?;
        // Other rows have any bits; no big number is theirs.
        (*self.bigs.rows.get(at)? == row).then(|| self.bigs.get(at))
    }

    /// The rows and bytes of all big numbers.
    pub fn bigs(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.bigs.rows.iter().enumerate().map(|(at, row)| (*row, self.bigs.get(at)))
    }

    /// The ends of all numbers among their bytes, if all are big.
    pub fn only_bigs(&self) -> Option<(&[usize], &[u8])> {
        let Bigs { rows, ends, bytes } = &self.bigs;
        (rows.len() == self.values.len()).then_some((ends, bytes))
    }

    /// How many bytes the big numbers have.
    pub fn big_bytes(&self) -> usize {
        self.bigs.bytes.len()
    }

    /// About how many bytes the rows take in memory.
    pub fn size(&self) -> usize {
        8 * self.values.len() + 24 * self.bigs.rows.len() + self.big_bytes()
    }

    /// Appends the rows of another buffer.
    pub fn append(&mut self, more: &IntBuffer) {
        self.append_rows(more, 0..more.values.len());
    }

    /// A copy of some rows.
    #[must_use]
    pub fn some(&self, runs: &[Range<usize>]) -> IntBuffer {
        let mut some = IntBuffer::default();
        runs.iter().for_each(|run| some.append_rows(self, run.clone()));
        some
    }

    fn append_rows(&mut self, of: &IntBuffer, rows: Range<usize>) {
        if !of.has_bigs() {
            return self.values.put_slice(&of.values[rows]);
        }
        for row in rows {
            match of.big(row) {
                Some(big) => self.push_big(big),
                None => self.push(of.values[row]),
            }
        }
    }

    /// Keeps the first rows.
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        let Bigs { rows, ends, bytes } = &mut self.bigs;
        rows.truncate(rows.partition_point(|row| *row < len));
        ends.truncate(rows.len());
        bytes.truncate(ends.last().copied().unwrap_or(0));
    }

    pub fn clear(&mut self) {
        self.truncate(0);
    }
}

impl Bigs {
    #[inline]
    fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[at]]
    }
}
