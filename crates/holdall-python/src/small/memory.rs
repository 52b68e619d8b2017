//! The memory that one walk leaves to the next.

use super::scalars::Scalars;

/// Memory for more rows than this is not kept here: the allocator keeps it.
const MAX_KEPT_ROWS: usize = 1 << 14;

/// Empty vectors, kept for their memory.
#[derive(Default)]
pub(super) struct WalkMemory {
    pub(super) cells: Vec<usize>,
    pub(super) keys: Vec<usize>,
    pub(super) numbers: Vec<u64>,
    pub(super) scalars: Scalars<'static>,
}

impl WalkMemory {
    /// Drops what large messages needed.
    pub(super) fn bounded(self) -> WalkMemory {
        let rows = self.cells.capacity() + self.numbers.capacity() + self.scalars.capacity();
        if rows > MAX_KEPT_ROWS { WalkMemory::default() } else { self }
    }
}
