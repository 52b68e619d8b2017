//! The default settings read everything that they write: zero bytes follow a block whose charge exceeds the default
//! budget for an input that short (F-95).
//!
//! Few blocks need filler, so a writer checks in two steps. First it derives an upper bound of the charge from the size
//! of the rows, which is nearly always within the budget.
//! If it is not, the writer reads the block again with a budget that only counts: writer and reader cannot disagree.

use crate::block::Block;
use crate::error::Result;
use crate::input::{Input, Scratch};
use crate::limits::{Budget, default_budget, length_for};
use crate::schema::Schema;

/// A block as written.
pub struct WrittenBlock<'w> {
    /// An upper bound of the charge for reading it, without the bytes written: text, and columns whose encoding is
    /// charged.
    pub most_units: u64,
    pub schema: &'w dyn Fn() -> Result<Schema>,
    /// The bytes from the position that padding offsets count from (F-69), and where the block begins in them.
    pub bytes: &'w [u8],
    pub start: usize,
    pub roots: u64,
    pub aligned: bool,
}

/// Whether the default budget of an input of `len` bytes certainly covers reading a block in it.
#[inline]
pub fn is_enough(len: usize, most_units: u64) -> bool {
    most_units.saturating_add(len as u64) <= default_budget(len)
}

impl WrittenBlock<'_> {
    /// The fewest bytes that the block's input needs, if that is more than the `len` that it has.
    #[inline]
    pub fn wants(&self, len: usize) -> Option<usize> {
        if is_enough(len, self.most_units) { None } else { self.counted(len) }
    }

    #[cold]
    fn counted(&self, len: usize) -> Option<usize> {
        let units = self.units()?;
        (units > default_budget(len)).then(|| length_for(units))
    }

    /// Returns the charge for reading the block; none if no reader accepts it, whatever its budget.
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
