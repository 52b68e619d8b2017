//! The containers of one message that something else holds, too: a second occurrence is the same
//! value, which has an identity.

/// The most containers. Half of the table stays empty.
const MOST: usize = 512;

/// Addresses, in a table that is never cleared.
#[derive(Default)]
pub(super) struct Seen {
    /// The message and the address.
    slots: Vec<(u32, usize)>,
    stamp: u32,
    count: usize,
}

impl Seen {
    /// Forgets the containers of the message before.
    pub(super) fn begin(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        self.count = 0;
        if self.stamp == 0 {
            self.slots.clear();
            self.stamp = 1;
        }
    }

    /// Adds an address; none if the message had it before, or there are too many.
    #[inline]
    pub(super) fn add(&mut self, address: usize) -> Option<()> {
        if self.slots.is_empty() {
            self.slots.resize(2 * MOST, (0, 0));
        }
        if self.count == MOST {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = (address >> 4).wrapping_mul(0x9E37_79B9) >> 7 & mask;
        loop {
            match self.slots[at] {
                (stamp, _) if stamp != self.stamp => break,
                (_, own) if own == address => return None,
                _ => at = (at + 1) & mask,
            }
        }
        self.slots[at] = (self.stamp, address);
        self.count += 1;
        Some(())
    }
}
