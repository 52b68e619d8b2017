//! Messages written and read site by site: of a small message, the tables that the library makes for
//! each site cost several times as much as the rows.
//!
//! [`SmallPacker`] walks an object once, [`SmallUnpacker`] a message. Both know the values that most messages consist of,
//! and return none for all others (shared and recursive values, classes with code, very many values) and for invalid
//! data. This has no effect, and the general path packs or unpacks the value from its beginning. Documents are packed in
//! this way, too, up to about a million values, and unpacked up to 256 KiB: all rows of a site at once take less time than one value
//! after the other.
//!
//! To pack: `pack`, then `scalars`, `records` (dicts and objects), `choice` (several types), `wrapped` (members of sets, enums,
//! tuples, logical types), with `fields`, `place`, `memory`, `classes` and `seen`. To unpack: `unpack`, `keys`, `build` (containers), `varied` (records of which not all have the same fields), `wrappers` (logical types, enums).

mod build;
mod choice;
mod classes;
mod fields;
mod keys;
mod memory;
mod pack;
mod place;
mod records;
mod scalars;
mod seen;
mod unpack;
mod varied;
mod wrapped;
mod wrappers;

pub use pack::SmallPacker;
pub use seen::Seen;
pub use unpack::{Learning, SmallUnpacker};

/// The largest message, in bytes, that is unpacked site by site: with objects of classes, and without. Of larger ones the general
/// path takes .8 to 1.04 of the time.
const SMALL_MESSAGE: usize = 1 << 16;
const DOCUMENT_BYTES: usize = 1 << 18;
/// The most values of a small message.
pub const VALUES: usize = 4096;
/// The most values of a document that is packed as small messages are: meanwhile other threads and signals wait, for
/// about 30 ms. Each is in at most 5 rows, so reading costs 40 units a value (F-39), with the text less than any budget.
pub const DOCUMENT: usize = 1 << 20;
/// The longest pause after messages that were not small.
const LONGEST_PAUSE: u32 = 64;

/// Whether to try the next message: a walk that ends early costs time, so after failures in a row
/// the pauses between attempts grow.
#[derive(Default)]
pub struct Attempts {
    left: u32,
    pause: u32,
}

impl Attempts {
    /// Counts a message; returns whether to try it.
    #[inline]
    pub fn begins(&mut self) -> bool {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                false
            }
            None => true,
        }
    }

    #[inline]
    pub fn ended(&mut self, succeeded: bool) {
        if succeeded {
            self.pause = 0;
            return;
        }
        self.left = self.pause;
        self.pause = (2 * self.pause + 1).min(LONGEST_PAUSE);
    }
}

/// Returns the memory of an empty vector for another type of the same size.
fn emptied<T, U>(mut vector: Vec<T>) -> Vec<U> {
    vector.clear();
    // Collecting in place keeps the allocation.
    vector.into_iter().filter_map(|_| None).collect()
}
