//! Shape cache: the shapes of mappings in one slot, or of objects of one class. A row with a known
//! shape is encoded without a look-up of its names.

use std::cell::RefCell;
use std::collections::HashMap;

use foldhash::quality::RandomState;
use holdall::bindings::RowShape;
use holdall::bindings::memory::{self, Collect, GrowMap, GrowVec};
use pyo3::Borrowed;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::raw;

/// The number of shapes kept per slot or class: mappings whose keys differ each time gain little.
const SHAPES: usize = 1 << 14;
/// The number of names, which is more than a record can have.
const NAMES: usize = 1 << 10;

/// Known lists of names. A name is found by the hash that Python keeps in it, and then mostly is
/// the same object; a list by the numbers of its names.
#[derive(Default)]
pub struct Shapes<'py> {
    /// The first shape is not learned: a single row is not worth it.
    is_second: bool,
    names: Vec<Bound<'py, PyString>>,
    /// Hashes and numbers of names, by the last bits of their hashes. The length is a power of two;
    /// half of it is empty.
    slots: Vec<Option<(isize, u32)>>,
    /// By the numbers of their names.
    shapes: HashMap<Box<[u32]>, RowShape, RandomState>,
    /// The shape found last, and its names: finding it again takes no look-up.
    latest: Option<RowShape>,
    latest_names: Vec<*mut PyObject>,
    /// A buffer for the numbers of names.
    numbers: Vec<u32>,
    /// A loose record of the shredder, its fields by the numbers of their names, and a buffer for fields.
    loose: Option<usize>,
    fields: Vec<Option<u32>>,
    found: Vec<u32>,
}

impl<'py> Shapes<'py> {
    /// Returns the shape of rows with exactly these names, in this order, if it is known.
    #[inline]
    pub(super) fn find<'a>(
        &mut self,
        names: impl Iterator<Item = Borrowed<'a, 'py, PyAny>> + Clone,
    ) -> Option<RowShape>
    where
        'py: 'a,
    {
        match self.find_latest(names.clone()) {
            Some(latest) => Some(latest),
            None => self.find_aside(names),
        }
    }

    /// Returns the shape found last, if these are its names, the same objects.
    #[inline]
    pub(super) fn find_latest<'a>(
        &self,
        names: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
    ) -> Option<RowShape>
    where
        'py: 'a,
    {
        let latest = self.latest?;
        names.map(|name| name.as_ptr()).eq(self.latest_names.iter().copied()).then_some(latest)
    }

    /// Returns the fields of a loose record that have these names, if it has all of them; `field` finds one.
    pub(super) fn fields_of<'a>(
        &mut self,
        record: usize,
        names: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
        field: impl Fn(&str) -> Option<u32>,
    ) -> Option<&[u32]>
    where
        'py: 'a,
    {
        if self.loose.replace(record) != Some(record) {
            self.fields.clear();
        }
        self.found.clear();
        for name in names {
            let number = match self.number(name) {
                Some(number) => number,
                None => self.add(&*name.cast_exact().ok()?)?,
            };
            let number = number as usize;
            if let Some(Some(known)) = self.fields.get(number) {
                self.found.put(*known);
                continue;
            }
            let known = field(raw::text_of(name)?)?;
            if self.fields.len() <= number {
                self.fields.put_fill(number + 1, None);
            }
            self.fields[number] = Some(known);
            self.found.put(known);
        }
        Some(&self.found)
    }

    pub(super) fn find_aside<'a>(
        &mut self,
        names: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
    ) -> Option<RowShape>
    where
        'py: 'a,
    {
        self.numbers.clear();
        for name in names {
            self.numbers.put(self.number(name)?);
        }
        let shape = *self.shapes.get(&*self.numbers)?;
        self.latest = Some(shape);
        self.latest_names.clear();
        let names = self.numbers.iter().map(|at| self.names[*at as usize].as_ptr());
        self.latest_names.put_each(names);
        Some(shape)
    }

    /// Returns the number of a name, if it has one.
    #[inline]
    fn number(&self, name: Borrowed<'_, 'py, PyAny>) -> Option<u32> {
        let hash = raw::hash_of(name)?;
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash.cast_unsigned() & mask;
        loop {
            let (own, number) = self.slots[at]?;
            if own == hash {
                let known = &self.names[number as usize];
                // A parser makes new strings for the keys of each text.
                if known.as_ptr() == name.as_ptr() || raw::is_same_text(&name, known) {
                    return Some(number);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Forgets the shapes, which belong to a shredder; keeps the names.
    pub(super) fn forget(&mut self) {
        self.shapes.clear();
        self.latest = None;
        self.latest_names.clear();
        self.loose = None;
    }

    /// Whether the next shape should be learned.
    pub(super) fn learns(&mut self) -> bool {
        std::mem::replace(&mut self.is_second, true) && self.shapes.len() < SHAPES
    }

    /// Learns the shape of rows with these names.
    pub(super) fn learn<'a>(
        &mut self,
        names: impl Iterator<Item = Borrowed<'a, 'py, PyString>>,
        shape: RowShape,
    ) where
        'py: 'a,
    {
        let numbers =
            names.map(|name| self.number(name.as_any().as_borrowed()).or_else(|| self.add(&name)));
        let Some(numbers) = numbers.collected::<Option<Box<[u32]>>>() else { return };
        self.shapes.put(numbers, shape);
    }

    fn add(&mut self, name: &Bound<'py, PyString>) -> Option<u32> {
        let number = self.names.len();
        if number == NAMES {
            return None;
        }
        if self.slots.len() < 2 * (number + 1) {
            self.slots = memory::filled(None, (4 * (number + 1)).next_power_of_two());
            for number in 0..number {
                self.put(number)?;
            }
        }
        self.names.put(name.clone());
        self.put(number)
    }

    fn put(&mut self, number: usize) -> Option<u32> {
        let hash = raw::hash_of(self.names[number].as_any().as_borrowed())?;
        let mask = self.slots.len() - 1;
        let mut at = hash.cast_unsigned() & mask;
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = Some((hash, number as u32));
        Some(number as u32)
    }
}

/// The shapes that a plan learns.
pub type LearnedShapes<'py> = RefCell<Shapes<'py>>;
