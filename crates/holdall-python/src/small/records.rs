//! Packing the dicts and objects of a site: their shapes, and then field by field.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use std::ops::Range;

use holdall::bindings::{Shapes, is_data};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString, PyTuple};

use super::classes::Class;
use super::fields::{FIELDS, Gathered};
use super::pack::{Walk, held};
use crate::attributes::Own;
use crate::entries::{Entries, Pair};
use crate::raw;

impl<'py> Walk<'_, 'py> {
    /// Writes dicts, or objects of a class.
    pub(super) fn records(
        &mut self,
        class: Option<usize>,
        rows: Range<usize>,
        levels: usize,
    ) -> Option<()> {
        self.identify(rows.clone())?;
        if class.is_none() && self.are_maps(rows.clone())? {
            return self.maps(rows, levels);
        }
        let (keys, cells, around) = (self.keys.len(), self.cells.len(), self.around.len());
        let outermost = self.outermost;
        if let Some(class) = class {
            let is_known = |own: &usize| self.have_one_name(*own, class);
            if self.structs.iter().any(is_known) {
                return None;
            }
            self.structs.try_push(class).ok()?;
            self.outermost = around;
        }
        if rows.len() == 1 {
            self.record(class, rows.start, levels)?;
        } else {
            self.several_records(class, rows, levels)?;
        }
        self.keys.truncate(keys);
        self.cells.truncate(cells);
        self.around.truncate(around);
        self.outermost = outermost;
        Some(())
    }

    /// Whether two classes have the same name in messages, and so one type.
    pub(super) fn have_one_name(&self, one: usize, other: usize) -> bool {
        let name = |class| raw::text_of(self.name_of(class)?);
        one == other || name(one) == name(other)
    }

    /// Returns the name of a class in messages.
    fn name_of(&self, class: usize) -> Option<Borrowed<'_, 'py, PyAny>> {
        let name = self.classes.get(class).name()?;
        Some(name.bind(self.cells[0].py()).as_any().as_borrowed())
    }

    /// Whether dicts are maps (F-49): the first that has entries decides. None where they are maps
    /// and records.
    fn are_maps(&self, mut rows: Range<usize>) -> Option<bool> {
        let mut has_empty = false;
        let first = rows.find_map(|at| {
            let dict = self.cells[at].cast_exact::<PyDict>().ok()?;
            has_empty |= dict.is_empty();
            (!dict.is_empty()).then_some(dict)
        });
        let Some(dict) = first else { return Some(false) };
        // SAFETY: nothing changes the dict during the walk.
        let mut keys = unsafe { Entries::of(&dict) }.map(|(key, _)| raw::text_of(key));
        let is_name = |key: Option<&str>| key.is_some_and(|key| !is_data(key));
        if keys.next().is_some_and(is_name) {
            return Some(false);
        }
        // SAFETY: as above.
        let keys = unsafe { Entries::of(&dict) }.map(|(key, _)| raw::text_of(key));
        let has_names = keys.clone().any(is_name);
        let has_others = keys.clone().any(|key| key.is_none());
        match (has_others, has_names) {
            // Such a map leaves the empty dicts before it records.
            (true, _) => (!has_empty).then_some(true),
            (false, has_names) => Some(!has_names),
        }
    }

    /// Writes maps: their keys, and then their values.
    fn maps(&mut self, rows: Range<usize>, levels: usize) -> Option<()> {
        let start = self.cells.len();
        self.numbers.clear();
        for at in rows.clone() {
            let dict = self.cells[at];
            let dict = dict.cast_exact::<PyDict>().ok()?;
            self.count(2 * dict.len())?;
            self.numbers.push(dict.len() as u64);
            // SAFETY: nothing changes the dict during the walk, and it holds its keys.
            unsafe {
                self.cells.extend(Entries::of(&dict).map(|(key, _)| held(key)));
            }
        }
        self.writer.maps(&self.numbers);
        // Two of these are equal in data, but not in Python.
        let is_nan = |key: &Borrowed<'_, '_, PyAny>| {
            key.cast_exact::<PyFloat>().is_ok_and(|key| key.value().is_nan())
        };
        if self.cells[start..].iter().any(is_nan) {
            return None;
        }
        self.site(start..self.cells.len(), levels)?;
        self.cells.truncate(start);
        for at in rows {
            let dict = self.cells[at];
            let dict = dict.cast_exact::<PyDict>().ok()?;
            // SAFETY: as above.
            unsafe {
                self.cells.extend(Entries::of(&dict).map(|(_, value)| held(value)));
            }
        }
        self.site(start..self.cells.len(), levels)?;
        self.cells.truncate(start);
        Some(())
    }

    /// Writes one dict or object.
    fn record(&mut self, class: Option<usize>, at: usize, levels: usize) -> Option<()> {
        let (keys, cells) = (self.keys.len(), self.cells.len());
        self.push_fields(class, at)?;
        let count = self.keys.len() - keys;
        self.count(count)?;
        if count > FIELDS {
            return None;
        }
        if class.is_none() && count > 0 {
            let shape = self.check_record(keys)?;
            self.around.push(shape);
        }
        self.begin_records(class, count, Shapes::One)?;
        for field in 0..count {
            let key = self.keys[keys + field];
            self.writer.name(hash(key)?, raw::text_of(key)?)?;
            self.one(cells + field, levels)?;
        }
        Some(())
    }

    fn begin_records(
        &mut self,
        class: Option<usize>,
        fields: usize,
        shapes: Shapes<'_>,
    ) -> Option<()> {
        let Some(class) = class else {
            self.writer.records(fields, shapes);
            return Some(());
        };
        let name = self.classes.get(class).name()?;
        let name = name.bind(self.cells[0].py()).as_any().as_borrowed();
        self.writer.structs((hash(name)?, raw::text_of(name)?), fields, shapes)
    }

    /// Checks the keys of the first dict of a site that has some: whether it is a record (F-49) that
    /// is not recursive (F-50). Returns the hash of its shape.
    fn check_record(&self, keys: usize) -> Option<u64> {
        let keys = &self.keys[keys..];
        let shape = hash_of_shape(keys.iter().copied())?;
        if self.around[self.outermost..].contains(&shape) {
            return None;
        }
        for key in keys {
            if !is_data(raw::text_of(*key)?) {
                return Some(shape);
            }
        }
        None
    }

    /// Writes several dicts or objects.
    fn several_records(
        &mut self,
        class: Option<usize>,
        rows: Range<usize>,
        levels: usize,
    ) -> Option<()> {
        let keys = self.keys.len();
        let mut gathered = Gathered::default();
        let mut starts = Vec::with_capacity(rows.len());
        let mut is_first = class.is_none();
        for at in rows {
            starts.push(self.cells.len());
            self.push_fields(class, at)?;
            let count = self.keys.len() - keys;
            self.count(count)?;
            if is_first && count > 0 {
                self.check_record(keys)?;
                is_first = false;
            }
            gathered.add(&self.keys[keys..])?;
            self.keys.truncate(keys);
        }
        if class.is_none() {
            for shape in &gathered.shapes {
                let keys = shape.iter().map(|field| gathered.fields[*field as usize]);
                self.around.push(hash_of_shape(keys)?);
            }
        }
        let has_one = gathered.shapes.len() == 1;
        let shapes = if has_one { Shapes::One } else { Shapes::Several(&gathered.rows) };
        let count = gathered.fields.len();
        self.begin_records(class, count, shapes)?;
        let positions = gathered.positions();
        let start = self.cells.len();
        for (field, key) in gathered.fields.iter().enumerate() {
            self.writer.name(hash(*key)?, raw::text_of(*key)?)?;
            for (row, shape) in starts.iter().zip(&gathered.rows) {
                if let Some(position) = positions[*shape as usize * count + field] {
                    self.cells.push(self.cells[row + position]);
                }
            }
            self.site(start..self.cells.len(), levels)?;
            self.cells.truncate(start);
        }
        if !has_one {
            self.writer.shapes(gathered.shapes.iter().map(Vec::as_slice));
        }
        Some(())
    }

    /// Appends the keys and values of a dict, or the names and values of an object's attributes.
    #[inline]
    fn push_fields(&mut self, class: Option<usize>, at: usize) -> Option<()> {
        let object = self.cells[at];
        if let Ok(dict) = object.cast_exact::<PyDict>() {
            // SAFETY: nothing changes the dict during the walk.
            return self.push_all(unsafe { Entries::of(&dict) });
        }
        let (py, keys) = (object.py(), self.keys.len());
        let (slots, has_dict) = match self.classes.get(class?) {
            Class::Object { slots, has_dict, .. } => (slots, *has_dict),
            Class::Row { fields, .. } => {
                let tuple =
                    object.cast::<PyTuple>().ok().filter(|row| row.len() == fields.len())?;
                for (name, item) in fields.iter().zip(tuple.iter_borrowed()) {
                    // SAFETY: the tuple holds the item, and its class the name.
                    unsafe {
                        self.keys.push(held(name.bind(py).as_any().as_borrowed()));
                        self.cells.push(held(item));
                    }
                }
                return Some(());
            }
            _ => return None,
        };
        for (name, slot) in slots {
            // SAFETY: nothing changes the object during the walk; its class holds the name.
            unsafe {
                if let Some(value) = slot.get_borrowed(&object) {
                    self.keys.push(held(name.bind(py).as_any().as_borrowed()));
                    self.cells.push(held(value));
                }
            }
        }
        if !has_dict {
            return Some(());
        }
        let beside = self.keys.len();
        // SAFETY: as above.
        if let Some(own) = unsafe { Own::of(&object) } {
            self.push_all(own)?;
        } else {
            let dict = raw::dict_of(&object)?;
            // SAFETY: as above, as the object holds the dict.
            self.push_all(unsafe { Entries::of(&dict) })?;
        }
        let (in_slots, in_dict) = self.keys[keys..].split_at(beside - keys);
        let is_double = |key: &Borrowed<'_, '_, PyAny>| {
            in_slots.iter().any(|own| raw::text_of(*own) == raw::text_of(*key))
        };
        (in_slots.is_empty() || !in_dict.iter().any(is_double)).then_some(())
    }

    #[inline]
    fn push_all<'a>(&mut self, fields: impl Iterator<Item = Pair<'a, 'py>>) -> Option<()>
    where
        'py: 'a,
    {
        for (key, value) in fields {
            if !key.is_exact_instance_of::<PyString>() {
                return None;
            }
            // SAFETY: the container of both holds them.
            unsafe {
                self.keys.push(held(key));
                self.cells.push(held(value));
            }
        }
        Some(())
    }
}

/// The hash of a name, the same in the entire message.
#[inline]
pub(super) fn hash(name: Borrowed<'_, '_, PyAny>) -> Option<u64> {
    Some(raw::hash_of(name)?.cast_unsigned() as u64)
}

/// The hash of a sequence of keys.
#[inline]
fn hash_of_shape<'a, 'py: 'a>(keys: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>) -> Option<u64> {
    let mut shape = 0_u64;
    for key in keys {
        shape = (shape.rotate_left(5) ^ hash(key)?).wrapping_mul(0x517C_C1B7_2722_0A95);
    }
    Some(shape)
}
