//! Small messages: for a message of a few scalars, finding its schema or its classes takes longer
//! than writing or reading the values.
//!
//! A plan is learned from a message that was written or read in full, and used for messages of the
//! same form. For packing, that is objects with the same keys or of the same class, with values of
//! the same types; for unpacking, bytes that begin with the same schema. A plan declines anything
//! else, including faults, and leaves it to the general path.

mod pack;
mod unpack;

pub use pack::PackPlan;
pub use unpack::{Learning, UnpackPlan};

/// The largest message, in bytes, for which plans are used.
pub const SMALL_MESSAGE: usize = 1024;
/// The number of plans that are kept.
const PLANS: usize = 8;
/// The longest pause after a learned plan.
const LONGEST_PAUSE: u32 = 1024;

/// The plans for the messages of one packer or unpacker.
pub struct Plans<P> {
    plans: Vec<P>,
    /// The position of the plan that is replaced next.
    next: usize,
    /// Messages without a plan since one was learned. If there are many, the pauses between
    /// attempts to learn grow.
    misses: u32,
    pause: u32,
}

impl<P> Default for Plans<P> {
    fn default() -> Self {
        Plans { plans: Vec::new(), next: 0, misses: 0, pause: 1 }
    }
}

impl<P> Plans<P> {
    /// Returns the first result that a plan has.
    #[inline]
    pub fn find<T>(&self, answer: impl FnMut(&P) -> Option<T>) -> Option<T> {
        self.plans.iter().find_map(answer)
    }

    /// Counts a message without a plan. Returns whether to learn from it: a first message is not
    /// worth it.
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

    /// Drops plans that are outdated.
    pub fn retain(&mut self, holds: impl FnMut(&P) -> bool) {
        self.plans.retain(holds);
        self.next = 0;
    }
}
