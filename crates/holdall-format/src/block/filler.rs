//! What the default writes, the default reads: zero bytes behind a block that is charged more than the default budget of so few
//! bytes (F-95).
//!
//! Few blocks need them, so a writer checks in two steps. The size of its rows bounds the charge, which nearly always settles it.
//! Where not, the block is read once more, with a budget that only counts: so writer and reader cannot disagree.

use crate::block::Block;
use crate::error::Result;
use crate::input::{Input, Scratch};
use crate::limits::{Budget, default_budget, length_for};
use crate::schema::Schema;

/// A block that was written.
pub struct WrittenBlock<'w> {
    /// Reading it is charged no more than this, and what was written: text, and what has an encoding for itself.
    pub most_units: u64,
    pub schema: &'w dyn Fn() -> Result<Schema>,
    /// The bytes from where the offsets of padding count (F-69), and where among them the block begins.
    pub bytes: &'w [u8],
    pub start: usize,
    pub roots: u64,
    pub aligned: bool,
}

/// Whether reading a block in an input of `len` bytes cannot be charged more than the default budget of that.
#[inline]
pub fn is_enough(len: usize, most_units: u64) -> bool {
    most_units.saturating_add(len as u64) <= default_budget(len)
}

impl WrittenBlock<'_> {
    /// How many bytes the input of the block must have at least, if that is more than the `len` that it has.
    #[inline]
    pub fn wants(&self, len: usize) -> Option<usize> {
        if is_enough(len, self.most_units) { None } else { self.counted(len) }
    }

    #[cold]
    fn counted(&self, len: usize) -> Option<usize> {
        let units = self.units()?;
        (units > default_budget(len)).then(|| length_for(units))
    }

    /// Returns the charge for reading the block; none if no reader accepts it with any budget.
    fn units(&self) -> Option<u64> {
        let (scratch, budget) = (Scratch::default(), Budget::of(u64::MAX));
        let mut input = Input::new(self.bytes, budget, &scratch);
        input.advance(self.start);
        if self.aligned {
            input.align();
        }
        let schema = (self.schema)().ok()?;
        Block::read(&mut input, &schema, self.roots, false).ok()?;
        Some(u64::MAX - input.budget.left())
    }
}
