//! The fields of the rows of one site, gathered from dicts or objects.

use holdall::bindings::memory::{self, GrowMap, GrowVec};
use std::collections::HashMap;

use foldhash::fast::RandomState;
use pyo3::Borrowed;
use pyo3::prelude::*;

use super::place::nth;
use super::records::hash;
use crate::raw;

/// The most fields of a record (F-49).
pub(super) const FIELDS: usize = 256;
/// Up to this many fields or shapes, comparing with each is faster than a table.
const MAX_SCANNED_FIELDS: usize = 16;

/// The fields of rows in the order of their first appearance, and the shapes of the rows (F-53).
#[derive(Default)]
pub(super) struct Gathered<'w, 'py> {
    pub(super) fields: Vec<Borrowed<'w, 'py, PyAny>>,
    /// The fields by the hashes of their names, if there are more than a few.
    by_name: HashMap<u64, u32, RandomState>,
    /// The fields of all shapes, shape by shape; where each begins; and the hash of its names.
    shape_fields: Vec<u32>,
    shapes: Vec<(usize, u64)>,
    by_shape: HashMap<u64, usize, RandomState>,
    /// The number of each row's shape.
    pub(super) rows: Vec<u64>,
    /// Where the cells of each row begin.
    pub(super) starts: Vec<usize>,
    /// The keys of the latest row.
    pub(super) latest: Vec<Borrowed<'w, 'py, PyAny>>,
    /// The fields of one row.
    found: Vec<u32>,
}

impl<'w, 'py> Gathered<'w, 'py> {
    /// Adds a row whose keys are the same objects as those of the row before.
    #[inline]
    pub(super) fn add_like_latest(&mut self, start: usize) {
        self.rows.put_each(self.rows.last().copied());
        self.starts.put(start);
    }

    /// Adds a row by its keys, whose values are in the cells from one on; returns whether the record has room for its
    /// fields. None if hashes are not unique.
    pub(super) fn add(&mut self, keys: &[Borrowed<'w, 'py, PyAny>], start: usize) -> Option<bool> {
        let hash = hash_of_shape(keys.iter().copied())?;
        let number = match self.find_shape(hash) {
            Some(known) => self.has_keys(known, keys).then_some(known)?,
            None => {
                let before = self.fields.len();
                self.found.clear();
                for key in keys {
                    let field = match self.find(*key)? {
                        Some(field) => field,
                        None => self.add_field(*key)?,
                    };
                    self.found.put(field);
                    if self.fields.len() > FIELDS {
                        self.forget_fields(before)?;
                        return Some(false);
                    }
                }
                self.add_shape(hash)
            }
        };
        self.rows.put(number as u64);
        self.starts.put(start);
        self.latest.clear();
        self.latest.put_slice(keys);
        Some(true)
    }

    /// Returns the number of a key's field.
    fn find(&self, key: Borrowed<'_, '_, PyAny>) -> Option<Option<u32>> {
        if self.fields.len() <= MAX_SCANNED_FIELDS {
            let known = self.fields.iter().position(|own| own.as_ptr() == key.as_ptr());
            if let Some(known) = known {
                return Some(Some(known as u32));
            }
            let (own_hash, text) = (hash(key)?, raw::text_of(key)?);
            let is_it = |own: &Borrowed<'_, '_, PyAny>| {
                hash(*own) == Some(own_hash) && raw::text_of(*own) == Some(text)
            };
            return Some(self.fields.iter().position(is_it).map(|known| known as u32));
        }
        let Some(&known) = self.by_name.get(&hash(key)?) else { return Some(None) };
        let own = self.fields[known as usize];
        let is_it = own.as_ptr() == key.as_ptr() || raw::text_of(own) == Some(raw::text_of(key)?);
        is_it.then_some(Some(known))
    }

    fn add_field(&mut self, key: Borrowed<'w, 'py, PyAny>) -> Option<u32> {
        // All names are text: it is checked where they are found.
        raw::text_of(key)?;
        let number = self.fields.len();
        self.fields.put(key);
        match number {
            ..MAX_SCANNED_FIELDS => {}
            MAX_SCANNED_FIELDS => {
                for (at, field) in self.fields.iter().enumerate() {
                    self.by_name.put(hash(*field)?, at as u32);
                }
            }
            _ => {
                self.by_name.put(hash(key)?, number as u32);
            }
        }
        Some(number as u32)
    }

    /// Keeps the first fields.
    fn forget_fields(&mut self, count: usize) -> Option<()> {
        for field in self.fields.drain(count..) {
            self.by_name.remove(&hash(field)?);
        }
        if count <= MAX_SCANNED_FIELDS {
            self.by_name.clear();
        }
        Some(())
    }

    /// Whether a shape has the fields of these keys.
    fn has_keys(&self, shape: usize, keys: &[Borrowed<'_, '_, PyAny>]) -> bool {
        let fields = self.shape_at(shape);
        let is_it = |(field, key): (&u32, &Borrowed<'_, '_, PyAny>)| {
            let own = self.fields[*field as usize];
            own.as_ptr() == key.as_ptr() || raw::text_of(own) == raw::text_of(*key)
        };
        fields.len() == keys.len() && fields.iter().zip(keys).all(is_it)
    }

    /// Adds the shape that has the fields found; returns its number.
    fn add_shape(&mut self, hash: u64) -> usize {
        let count = self.shapes.len();
        self.shapes.put((self.shape_fields.len(), hash));
        self.shape_fields.put_slice(&self.found);
        match count {
            ..MAX_SCANNED_FIELDS => {}
            MAX_SCANNED_FIELDS => {
                let shapes = self.shapes.iter().enumerate();
                self.by_shape.put_each(shapes.map(|(at, (_, hash))| (*hash, at)));
            }
            _ => {
                self.by_shape.put(hash, count);
            }
        }
        count
    }

    pub(super) fn shape_count(&self) -> usize {
        self.shapes.len()
    }

    /// Returns the number of the shape whose names have a hash.
    pub(super) fn find_shape(&self, hash: u64) -> Option<usize> {
        match self.shapes.len() {
            ..=MAX_SCANNED_FIELDS => self.shapes.iter().position(|(_, own)| *own == hash),
            _ => self.by_shape.get(&hash).copied(),
        }
    }

    /// Whether one of the rows up to one has the shape whose names have a hash.
    pub(super) fn had_shape(&self, hash: u64, row: usize) -> bool {
        let Some(shape) = self.find_shape(hash) else { return false };
        self.rows.iter().take(row + 1).any(|own| *own == shape as u64)
    }

    /// Returns the n-th of the rows that have a field.
    pub(super) fn row_with(&self, field: usize, n: usize) -> Option<usize> {
        if self.shapes.len() == 1 {
            return Some(n);
        }
        nth(self.row_fields().map(|fields| fields.contains(&(field as u32))), n)
    }

    /// Returns the fields of a shape.
    #[inline]
    pub(super) fn shape_at(&self, shape: usize) -> &[u32] {
        let end = self.shapes.get(shape + 1).map_or(self.shape_fields.len(), |(start, _)| *start);
        &self.shape_fields[self.shapes[shape].0..end]
    }

    /// How many rows have each shape.
    pub(super) fn rows_of_shapes(&self) -> Vec<usize> {
        let mut rows = memory::filled(0, self.shapes.len());
        self.rows.iter().for_each(|shape| rows[*shape as usize] += 1);
        rows
    }

    /// The fields of each row.
    #[inline]
    pub(super) fn row_fields(&self) -> impl Iterator<Item = &[u32]> {
        self.rows.iter().map(|shape| self.shape_at(*shape as usize))
    }
}

/// The hash of a sequence of keys.
#[inline]
pub(super) fn hash_of_shape<'a, 'py: 'a>(
    keys: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
) -> Option<u64> {
    let mut shape = 0_u64;
    for key in keys {
        shape = (shape.rotate_left(5) ^ hash(key)?).wrapping_mul(0x517C_C1B7_2722_0A95);
    }
    Some(shape)
}
