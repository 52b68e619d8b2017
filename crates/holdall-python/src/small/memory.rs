//! The memory that one walk leaves to the next.

use super::scalars::Scalars;

/// Memory for more rows than this is kept only for messages of as many values, and for more than the other not at all.
const KEPT: usize = 1 << 14;
const MOST_KEPT: usize = 1 << 19;
/// It is kept during this many messages of fewer values.
const LONGEST_IDLE: u32 = 64;

/// Empty vectors, kept for their memory.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) cells: Vec<usize>,
    pub(super) keys: Vec<usize>,
    pub(super) numbers: Vec<u64>,
    pub(super) scalars: Scalars<'static>,
    /// How many messages with few values came since the last one with many.
    pub(super) idle: u32,
}

impl Memory {
    /// Drops what large messages needed, if the latest had far fewer values.
    pub(super) fn bounded(mut self, values: usize) -> Memory {
        self.idle = if values > KEPT { 0 } else { self.idle + 1 };
        let rows = self.cells.capacity() + self.numbers.capacity() + self.scalars.capacity();
        let is_idle = rows > KEPT && self.idle > LONGEST_IDLE;
        if is_idle || rows > MOST_KEPT { Memory::default() } else { self }
    }
}
