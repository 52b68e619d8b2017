//! Objects from records of which not all have the same fields.

use holdall::bindings::memory::{self, GrowVec};
use holdall::bindings::{Fields, SmallReader};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::build::{Build, lengths, numbers, starts};
use crate::entries::{self, Dicts};
use crate::raw;

impl Build<'_, '_> {
    /// Reads records that have several shapes (F-18).
    pub(super) fn shaped(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: usize,
        fields: &Fields,
    ) -> Option<()> {
        let (py, schema, keys) = (self.py, self.schema, &self.keys[fields.names.clone()]);
        let of_rows = numbers(reader, rows)?;
        // How many rows have each shape, and each field.
        let mut of_shapes = memory::filled(0, fields.shapes.len());
        for shape in &of_rows {
            *of_shapes.get_mut(*shape)? += 1;
        }
        let mut counts = memory::filled(0, keys.len());
        for (shape, rows) in fields.shapes.clone().zip(of_shapes) {
            schema.shape(shape).iter().for_each(|field| counts[*field] += rows);
        }
        let mut columns = self.columns(reader, at, counts.iter().copied())?;
        let mut next = starts(&counts);
        let mut dicts = Vec::new();
        dicts.put_fill_with(fields.shapes.len(), Dicts::default);
        for number in of_rows {
            let shape = schema.shape(fields.shapes.start + number);
            let dict = dicts[number].begin(py, || shape.iter().map(|field| &keys[*field])).ok()?;
            for (place, field) in shape.iter().enumerate() {
                let value = columns[next[*field]].take()?;
                entries::set(&dict, 1, place, keys[*field].bind(py), value).ok()?;
                next[*field] += 1;
            }
            self.values.put(Some(dict.into_any()));
        }
        Some(())
    }

    /// Reads records whose rows list their fields (F-31).
    pub(super) fn sparse(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: usize,
        keys: &[Py<PyString>],
    ) -> Option<()> {
        let (of_rows, total) = lengths(reader, rows)?;
        self.left = self.left.checked_sub(total)?;
        let listed = if total == 0 { Vec::new() } else { numbers(reader, total)? };
        let mut counts = memory::filled(0, keys.len());
        for field in &listed {
            *counts.get_mut(*field)? += 1;
        }
        let mut columns = self.columns(reader, at, counts.iter().copied())?;
        let mut next = starts(&counts);
        let mut listed = listed.into_iter();
        for len in of_rows {
            let dict = raw::dict(self.py).ok()?;
            for field in listed.by_ref().take(len) {
                dict.set_item(&keys[field], columns[next[field]].take()?).ok()?;
                next[field] += 1;
            }
            // A field was listed twice.
            (dict.len() == len).then_some(())?;
            self.values.put(Some(dict.into_any()));
        }
        Some(())
    }
}
