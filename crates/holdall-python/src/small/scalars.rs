//! The scalars of a site, gathered in one pass: one type, or several, null among them (F-48).

use holdall::bindings::SmallWriter;
use holdall::bindings::memory::GrowVec;
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

use arrayvec::ArrayVec;

use super::emptied;
use crate::raw;

/// The types of scalars, without null.
const TYPES: usize = 5;

#[derive(Clone, Copy, PartialEq)]
enum ScalarType {
    Null,
    Bool,
    Int,
    Float,
    String,
    Bytes,
}

/// The values of each type, in the order of the rows. Its memory is kept for the next site.
#[derive(Default)]
pub(super) struct Scalars<'w> {
    ints: Vec<u64>,
    floats: Vec<f64>,
    bools: Vec<bool>,
    strings: Vec<&'w [u8]>,
    bytes: Vec<&'w [u8]>,
    /// Rows of one type that follow each other: the number of the first, and the type.
    runs: Vec<(usize, ScalarType)>,
    /// The number of rows.
    rows: usize,
    /// A buffer for the variants of rows.
    numbers: Vec<u64>,
}

impl<'w> Scalars<'w> {
    /// Forgets the rows of the site before.
    pub(super) fn begin(&mut self) {
        self.ints.clear();
        self.floats.clear();
        self.bools.clear();
        self.strings.clear();
        self.bytes.clear();
        self.runs.clear();
        self.rows = 0;
    }

    /// Adds rows; returns whether all are scalars. None for a value that has another type here than in a message.
    #[inline]
    pub(super) fn add<'py>(
        &mut self,
        cells: impl Iterator<Item = Borrowed<'w, 'py, PyAny>>,
    ) -> Option<bool> {
        let mut latest = self.runs.last().map(|(_, own)| *own);
        for cell in cells {
            let own = if cell.is_exact_instance_of::<PyString>() {
                self.strings.put(raw::text_of(cell)?.as_bytes());
                ScalarType::String
            } else if cell.is_exact_instance_of::<PyInt>() {
                self.ints.put(raw::int_bits(&cell).ok()??.cast_unsigned());
                ScalarType::Int
            } else if let Ok(float) = cell.cast_exact::<PyFloat>() {
                self.floats.put(float.value());
                ScalarType::Float
            } else if cell.is_none() {
                ScalarType::Null
            } else if let Ok(bool) = cell.cast_exact::<PyBool>() {
                self.bools.put(bool.is_true());
                ScalarType::Bool
            } else if let Some(bytes) = raw::content_of(cell) {
                self.bytes.put(bytes);
                ScalarType::Bytes
            } else {
                return Some(false);
            };
            if latest != Some(own) {
                self.runs.put((self.rows, own));
                latest = Some(own);
            }
            self.rows += 1;
        }
        Some(true)
    }

    /// The types of the runs, and how many rows each has.
    fn runs(&self) -> impl Iterator<Item = (ScalarType, usize)> {
        let ends = self.runs.iter().skip(1).map(|(first, _)| *first).chain([self.rows]);
        self.runs.iter().zip(ends).map(|((first, own), end)| (*own, end - first))
    }

    /// Writes the rows.
    pub(super) fn write(&mut self, writer: &mut SmallWriter) -> Option<()> {
        match self.runs[..] {
            [] => writer.never(),
            [(_, own)] => self.column(own, writer)?,
            _ => self.columns(writer)?,
        }
        Some(())
    }

    /// Writes rows of several types, each type by itself.
    fn columns(&mut self, writer: &mut SmallWriter) -> Option<()> {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        let mut variants = ArrayVec::<ScalarType, TYPES>::new();
        let mut has_null = false;
        for (own, rows) in self.runs() {
            if own == ScalarType::Null {
                has_null = true;
                continue;
            }
            let known = variants.iter().position(|variant| *variant == own);
            let variant = known.unwrap_or(variants.len());
            if known.is_none() {
                variants.push(own);
            }
            numbers.put_fill(numbers.len() + rows, variant as u64);
        }
        if has_null {
            let presence = |(own, rows)| std::iter::repeat_n(own != ScalarType::Null, rows);
            writer.option(self.runs().flat_map(presence));
        }
        if variants.len() > 1 {
            writer.union(variants.len(), &numbers);
        }
        self.numbers = numbers;
        variants.into_iter().try_for_each(|own| self.column(own, writer))
    }

    fn column(&self, own: ScalarType, writer: &mut SmallWriter) -> Option<()> {
        match own {
            ScalarType::Null => writer.null(),
            ScalarType::Bool => writer.bools(self.bools.iter().copied()),
            ScalarType::Int => writer.ints(&self.ints),
            ScalarType::Float => writer.floats(&self.floats),
            ScalarType::String => writer.strings(&self.strings)?,
            ScalarType::Bytes => writer.byte_strings(&self.bytes)?,
        }
        Some(())
    }

    /// Returns the memory for another walk.
    pub(super) fn into_memory<'u>(self) -> Scalars<'u> {
        let (strings, bytes) = (emptied(self.strings), emptied(self.bytes));
        Scalars { strings, bytes, ..self }
    }

    /// For how many rows there is memory, by the size of a number.
    pub(super) fn capacity(&self) -> usize {
        let numbers = self.ints.capacity() + self.floats.capacity() + self.numbers.capacity();
        let texts = self.strings.capacity() + self.bytes.capacity() + self.runs.capacity();
        numbers + 2 * texts + self.bools.capacity() / 8
    }
}
