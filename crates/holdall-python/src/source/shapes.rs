//! Shape cache: the shapes of mappings in one slot, or of objects of one class. A row with a known
//! shape is encoded without a look-up of its names.

use std::cell::RefCell;
use std::collections::HashMap;

use foldhash::quality::RandomState;
use holdall::bindings::RowShape;
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
        if let Some(latest) = self.latest
            && names.clone().map(|name| name.as_ptr()).eq(self.latest_names.iter().copied())
        {
            return Some(latest);
        }
        self.find_aside(names)
    }

    fn find_aside<'a>(
        &mut self,
        names: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
    ) -> Option<RowShape>
    where
        'py: 'a,
    {
        self.numbers.clear();
        for name in names {
            self.numbers.push(self.number(name)?);
        }
        let shape = *self.shapes.get(&*self.numbers)?;
        self.latest = Some(shape);
        self.latest_names.clear();
        let names = self.numbers.iter().map(|at| self.names[*at as usize].as_ptr());
        self.latest_names.extend(names);
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
        let Some(numbers) = numbers.collect::<Option<Box<[u32]>>>() else { return };
        self.shapes.insert(numbers, shape);
    }

    fn add(&mut self, name: &Bound<'py, PyString>) -> Option<u32> {
        let number = self.names.len();
        if number == NAMES {
            return None;
        }
        if self.slots.len() < 2 * (number + 1) {
            self.slots = vec![None; (4 * (number + 1)).next_power_of_two()];
            for number in 0..number {
                self.put(number)?;
            }
        }
        self.names.push(name.clone());
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
pub type Learned<'py> = RefCell<Shapes<'py>>;
