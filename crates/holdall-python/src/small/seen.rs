//! The containers of one message that something else holds, too: a second occurrence is the same
//! value, which has an identity.

use holdall::bindings::memory::filled;

/// The containers for which a table has room at first. Half of it stays empty.
const ROOM: usize = 512;

/// Addresses, in a table that is never cleared.
pub struct Seen {
    /// The message and the address.
    slots: Vec<(u32, usize)>,
    /// The number of the message. None has that of empty slots, 0.
    stamp: u32,
    count: usize,
}

impl Default for Seen {
    fn default() -> Self {
        Seen { slots: Vec::new(), stamp: 1, count: 0 }
    }
}

impl Seen {
    /// Forgets the containers of the message before.
    pub(super) fn begin(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        self.count = 0;
        if self.stamp == 0 || self.slots.len() > 2 * ROOM {
            self.slots = Vec::new();
            self.stamp = 1;
        }
    }

    /// Adds an address; none if the message had it before.
    #[inline]
    pub fn add(&mut self, address: usize) -> Option<()> {
        if 2 * self.count >= self.slots.len() {
            self.grow();
        }
        let at = self.place(address);
        if self.slots[at].0 == self.stamp {
            return None;
        }
        self.slots[at] = (self.stamp, address);
        self.count += 1;
        Some(())
    }

    /// Returns the place of an address, or the one where it would be.
    #[inline]
    fn place(&self, address: usize) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (address >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 & mask;
        while self.slots[at].0 == self.stamp && self.slots[at].1 != address {
            at = (at + 1) & mask;
        }
        at
    }

    /// Doubles the table.
    #[cold]
    fn grow(&mut self) {
        let stamp = self.stamp;
        let len = (2 * self.slots.len()).max(2 * ROOM);
        let before = std::mem::replace(&mut self.slots, filled((0, 0), len));
        for (_, address) in before.into_iter().filter(|(own, _)| *own == stamp) {
            let at = self.place(address);
            self.slots[at] = (stamp, address);
        }
    }
}
