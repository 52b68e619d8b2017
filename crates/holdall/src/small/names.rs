//! The names of one small schema after the other (F-16), in a table that is never cleared.

/// The most names of a schema. Half of the table stays empty.
pub(super) const NAMES: usize = 512;

/// Where a name of the schema is in its bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
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
    slots: Vec<Slot>,
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
        if self.stamp == 0 || self.slots.is_empty() {
            self.slots.clear();
            self.slots.resize(2 * NAMES, Slot::default());
            self.stamp = 1;
        }
    }

    /// Finds a name of this hash in the schema's bytes.
    #[inline]
    pub(super) fn find(&self, hash: u64, name: &[u8], schema: &[u8]) -> NameSlot {
        // The high bits are those that a multiplication mixes best.
        let mask = self.slots.len() - 1;
        let mut at = (hash ^ (hash >> 32)) as usize & mask;
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

    /// Adds a name, at the place where it was looked for; none if there are too many.
    #[inline]
    pub(super) fn add(&mut self, place: usize, hash: u64, start: usize, len: usize) -> Option<u32> {
        let number = self.count;
        if number as usize == NAMES {
            return None;
        }
        self.slots[place] = Slot { stamp: self.stamp, number, hash, start, len };
        self.count += 1;
        Some(number)
    }
}
