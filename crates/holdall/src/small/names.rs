//! The names of one small schema after the other (F-16), in a table that is never cleared.

use alloc::vec::Vec;

use crate::memory;

/// The names for which a table has room at first. Half of it stays empty.
const ROOM: usize = 512;

/// Where a name of the schema is in its bytes.
#[derive(Clone, Copy, Debug, Default)]
struct NamePlace {
    /// The schema that the name is of.
    stamp: u32,
    number: u32,
    hash: u64,
    start: usize,
    len: usize,
}

/// Names by their hashes, which the caller computes.
#[derive(Debug, Default)]
pub(super) struct Names {
    slots: Vec<NamePlace>,
    stamp: u32,
    count: u32,
}

/// A name of the schema, or the place of one that it does not have yet.
pub(super) enum NameSlot {
    Known(u32),
    New(usize),
}

impl Names {
    /// Forgets the names of the schema before.
    pub(super) fn begin(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        self.count = 0;
        if self.stamp == 0 || self.slots.len() != 2 * ROOM {
            self.slots = memory::filled(NamePlace::default(), 2 * ROOM);
            self.stamp = 1;
        }
    }

    /// Finds a name of this hash in the schema's bytes.
    #[inline]
    pub(super) fn find(&self, hash: u64, name: &[u8], schema: &[u8]) -> NameSlot {
        let mask = self.slots.len() - 1;
        let mut at = first_place(hash, mask);
        loop {
            let slot = &self.slots[at];
            if slot.stamp != self.stamp {
                return NameSlot::New(at);
            }
            if slot.hash == hash && schema.get(slot.start..slot.start + slot.len) == Some(name) {
                return NameSlot::Known(slot.number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a name, at the place where it was looked for.
    #[inline]
    pub(super) fn add(&mut self, place: usize, hash: u64, start: usize, len: usize) {
        self.slots[place] = NamePlace { stamp: self.stamp, number: self.count, hash, start, len };
        self.count += 1;
        if 2 * self.count as usize == self.slots.len() {
            self.grow();
        }
    }

    /// Doubles the table, whose names all differ.
    #[cold]
    fn grow(&mut self) {
        let (mask, stamp) = (2 * self.slots.len() - 1, self.stamp);
        let before =
            core::mem::replace(&mut self.slots, memory::filled(NamePlace::default(), mask + 1));
        for slot in before.into_iter().filter(|slot| slot.stamp == stamp) {
            let mut at = first_place(slot.hash, mask);
            while self.slots[at].stamp == stamp {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }
}

/// Where the search for a name begins.
#[inline]
fn first_place(hash: u64, mask: usize) -> usize {
    // The high bits are those that a multiplication mixes best.
    (hash ^ (hash >> 32)) as usize & mask
}
