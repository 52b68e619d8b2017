//! Small messages, one like the other: where a whole message is a few scalars, to find out again what they are takes longer
//! than to write or read them.
//!
//! A plan is learned from a message that was written or read in full, and used for those that are just like it: for packing,
//! objects with the same keys or of the same class, whose values are of the same types; for unpacking, bytes that begin with
//! the same schema. Whatever is not just so, a fault among it, a plan leaves to the full way.

mod pack;
mod unpack;

pub use pack::PackPlan;
pub use unpack::{Learning, UnpackPlan};

/// Messages with more bytes are no small ones.
pub const SMALL: usize = 1024;
/// So many plans are kept: values are alike in so many ways.
const PLANS: usize = 8;
/// The longest pause after a plan that was learned.
const LONGEST_PAUSE: u32 = 1024;

/// The plans for the messages of one packer or unpacker.
pub struct Plans<P> {
    plans: Vec<P>,
    /// The place of the plan that goes when another comes.
    next: usize,
    /// What no plan was for, since one was learned; where that comes again and again, learning is given up for longer.
    misses: u32,
    pause: u32,
}

impl<P> Default for Plans<P> {
    fn default() -> Self {
        Plans { plans: Vec::new(), next: 0, misses: 0, pause: 1 }
    }
}

impl<P> Plans<P> {
    /// What the first plan answers that answers something.
    #[inline]
    pub fn find<T>(&self, answer: impl FnMut(&P) -> Option<T>) -> Option<T> {
        self.plans.iter().find_map(answer)
    }

    /// Counts a message that no plan was for, and whether one should be learned from it: the first is not worth it.
    pub fn learns(&mut self) -> bool {
        self.misses += 1;
        if self.misses <= self.pause {
            return false;
        }
        self.misses = 0;
        self.pause = (2 * self.pause).min(LONGEST_PAUSE);
        true
    }

    /// Keeps a plan.
    pub fn keep(&mut self, plan: P) {
        if self.plans.len() < PLANS {
            self.plans.push(plan);
        } else {
            self.plans[self.next] = plan;
            self.next = (self.next + 1) % PLANS;
        }
    }

    /// Forgets those that do not hold any more.
    pub fn retain(&mut self, holds: impl FnMut(&P) -> bool) {
        self.plans.retain(holds);
        self.next = 0;
    }
}
