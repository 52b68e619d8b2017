//! Tables of names, for a schema or for the fields of a record.

use alloc::sync::Arc;
use alloc::vec::Vec;

use foldhash::quality::RandomState;

use crate::memory::{Collect, GrowMap, GrowVec};
use crate::platform::HashMap;

/// Up to this many names, a linear search is faster than hashing. Most records and schemas have fewer.
const MAX_SCANNED: usize = 12;

/// Names by number and numbers by name, in the order in which they were added.
///
/// The hash is randomly seeded, so hostile data cannot choose names that collide.
#[derive(Default)]
pub struct Names {
    names: Vec<Arc<str>>,
    /// Empty while there are few names.
    numbers: HashMap<Arc<str>, usize, RandomState>,
}

impl Names {
    pub fn as_slice(&self) -> &[Arc<str>] {
        &self.names
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        if self.numbers.is_empty() {
            return self.names.iter().position(|own| **own == *name);
        }
        self.numbers.get(name).copied()
    }

    /// Finds a name, faster where it is the object that was added.
    pub fn find_shared(&self, name: &Arc<str>) -> Option<usize> {
        let few = &self.names[..self.names.len().min(MAX_SCANNED)];
        few.iter().position(|own| Arc::ptr_eq(own, name)).or_else(|| self.find(name))
    }

    /// Moves all names into a list, and drops those that the list has.
    pub fn move_to(&mut self, names: &mut Vec<Arc<str>>) {
        names.clear();
        names.append(&mut self.names);
        self.numbers.clear();
    }

    /// Adds a name that is not in the table yet.
    pub fn add(&mut self, name: Arc<str>) {
        if self.names.len() == MAX_SCANNED {
            self.numbers = self.names.iter().cloned().zip(0..).collected();
        }
        if self.names.len() >= MAX_SCANNED {
            self.numbers.put(Arc::clone(&name), self.names.len());
        }
        self.names.put(name);
    }
}
