//! The fields of the rows of one site, gathered from dicts or objects.

use pyo3::Borrowed;
use pyo3::prelude::*;

use crate::raw;

/// The most shapes: more are written in another way (F-53).
const SHAPES: usize = 16;
/// The most fields of a record (F-49).
pub(super) const FIELDS: usize = 256;

/// The fields of rows in the order of their first appearance, and the shapes of the rows (F-53).
#[derive(Default)]
pub(super) struct Gathered<'w, 'py> {
    pub(super) fields: Vec<Borrowed<'w, 'py, PyAny>>,
    pub(super) shapes: Vec<Vec<u32>>,
    /// The number of each row's shape.
    pub(super) rows: Vec<u64>,
}

impl<'w, 'py> Gathered<'w, 'py> {
    /// Adds a row by its keys; none if there are too many fields or shapes.
    pub(super) fn add(&mut self, keys: &[Borrowed<'w, 'py, PyAny>]) -> Option<()> {
        // Most rows have the shape of the one before, and keys that are the same objects.
        if let Some(&latest) = self.rows.last() {
            let shape =
                self.shapes[latest as usize].iter().map(|at| self.fields[*at as usize].as_ptr());
            if shape.eq(keys.iter().map(|key| key.as_ptr())) {
                self.rows.push(latest);
                return Some(());
            }
        }
        let shape = keys.iter().map(|key| self.field(*key)).collect::<Option<Vec<u32>>>()?;
        let known = self.shapes.iter().position(|own| *own == shape);
        let number = known.unwrap_or(self.shapes.len());
        if known.is_none() {
            self.shapes.push(shape);
        }
        self.rows.push(number as u64);
        (self.shapes.len() <= SHAPES).then_some(())
    }

    /// The number of a key's field, added if it is new.
    fn field(&mut self, key: Borrowed<'w, 'py, PyAny>) -> Option<u32> {
        let known = self.fields.iter().position(|own| own.as_ptr() == key.as_ptr());
        let known = match known {
            None => {
                let (hash, text) = (raw::hash_of(key)?, raw::text_of(key)?);
                let is_it = |own: &Borrowed<'_, '_, PyAny>| {
                    raw::hash_of(*own) == Some(hash) && raw::text_of(*own) == Some(text)
                };
                self.fields.iter().position(is_it)
            }
            known => known,
        };
        let number = known.unwrap_or(self.fields.len());
        if known.is_none() {
            self.fields.push(key);
        }
        (self.fields.len() <= FIELDS).then_some(number as u32)
    }

    /// For each shape and field, the position of the field in the shape, if it has it.
    pub(super) fn positions(&self) -> Vec<Option<usize>> {
        let count = self.fields.len();
        let mut positions = vec![None; count * self.shapes.len()];
        for (number, shape) in self.shapes.iter().enumerate() {
            for (position, field) in shape.iter().enumerate() {
                positions[number * count + *field as usize] = Some(position);
            }
        }
        positions
    }
}
