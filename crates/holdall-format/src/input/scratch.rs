//! Memory for decoded columns, reused from one message to the next.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::{OnceCell, RefCell};
use core::fmt;

use typed_arena::Arena;

use crate::kernel::{IS_FORMAT_ORDER, Word, raw};
use crate::memory::{self, GrowVec};

/// The most bytes of row buffers that a decoder keeps from one message to the next.
const KEPT: usize = 16 << 20;

/// Shorter buffers are allocated each time. Columns of fewer than 4 rows never use the pool: one such buffer on top of
/// it once blocked all buffers below.
const MIN_POOLED_ROWS: usize = 64;

/// The number of buffers on top of a pool that are searched for one that is long enough.
const LOOKED_AT: usize = 8;

/// Holds decompressed columns for as long as the input lives, and provides buffers for rows of integers.
pub struct Scratch {
    unpacked: OnceCell<Arena<Vec<u8>>>,
    /// None if no memory is kept.
    pool: RefCell<Option<Box<BufferPool>>>,
}

impl Scratch {
    /// Starts with the buffers kept from the previous message.
    pub fn of(pool: Option<Box<BufferPool>>) -> Scratch {
        // Few messages need the arena, and it costs an allocation.
        Scratch { unpacked: OnceCell::new(), pool: RefCell::new(pool) }
    }

    /// Keeps the bytes of a decompressed column.
    pub fn keep(&self, unpacked: Vec<u8>) -> &[u8] {
        self.unpacked.get_or_init(Arena::new).alloc(unpacked)
    }

    /// The bytes of rows in the format's order: the rows themselves on machines that store them so.
    pub fn bytes_of<'b, T: raw::Number<N>, const N: usize>(&'b self, rows: &'b [T]) -> &'b [u8] {
        if IS_FORMAT_ORDER {
            return bytemuck::cast_slice(rows);
        }
        let mut bytes = Vec::new();
        raw::append(&mut bytes, rows);
        self.keep(bytes)
    }

    /// Returns `count` rows of unspecified values.
    pub fn rows<W: Pooled>(&self, count: usize) -> Vec<W> {
        let mut pool = self.pool.borrow_mut();
        let pool = pool.as_mut().filter(|_| count >= MIN_POOLED_ROWS);
        let Some((mut rows, pool)) =
            pool.and_then(|pool| Some((take(W::buffers(pool), count)?, pool)))
        else {
            // Zeros come from calloc, whose fresh pages are faster for many rows. For few rows, glibc's calloc takes 10
            // to 30 ns more than malloc and filling with ones.
            return match count < 4096 {
                true => memory::filled(W::truncate(u64::MAX), count),
                false => memory::zeros(count),
            };
        };
        pool.bytes -= rows.capacity() * size_of::<W>();
        if rows.capacity() < count {
            // This buffer is too short for this message, so it is freed.
            drop(rows);
            return memory::zeros(count);
        }
        rows.put_fill(count, W::default());
        rows
    }

    /// Takes back rows that are no longer used.
    pub fn take_back<W: Pooled>(&self, rows: Vec<W>) {
        let mut pool = self.pool.borrow_mut();
        let Some(pool) = pool.as_mut() else { return };
        let bytes = pool.bytes + rows.capacity() * size_of::<W>();
        if bytes <= KEPT && rows.capacity() >= MIN_POOLED_ROWS {
            pool.bytes = bytes;
            W::buffers(pool).put(rows);
        }
    }

    /// Whether rows are kept for the next message.
    pub fn keeps_rows(&self) -> bool {
        self.pool.borrow().is_some()
    }

    /// Returns the memory kept for the next message.
    pub fn into_pool(self) -> Option<Box<BufferPool>> {
        self.pool.into_inner()
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch::of(None)
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

/// Buffers for the rows of the next message, by their width.
#[derive(Debug, Default)]
pub struct BufferPool {
    w8: Vec<Vec<u8>>,
    w16: Vec<Vec<u16>>,
    w32: Vec<Vec<u32>>,
    w64: Vec<Vec<u64>>,
    bytes: usize,
}

impl Clone for BufferPool {
    /// A copy of a decoder starts without memory.
    fn clone(&self) -> Self {
        BufferPool::default()
    }
}

impl BufferPool {
    /// Returns an empty buffer of the pool.
    pub fn take_any<W: Pooled>(&mut self) -> Vec<W> {
        let mut rows = W::buffers(self).pop().unwrap_or_default();
        rows.clear();
        rows
    }

    /// Takes back rows that have been written.
    pub fn put<W: Pooled>(&mut self, rows: Vec<W>) {
        W::buffers(self).put(rows);
    }
}

/// The topmost buffer that is long enough; otherwise the top one.
fn take<W>(buffers: &mut Vec<Vec<W>>, count: usize) -> Option<Vec<W>> {
    let top = buffers.len().saturating_sub(LOOKED_AT)..buffers.len();
    match top.rev().find(|at| buffers[*at].capacity() >= count) {
        Some(at) => Some(buffers.remove(at)),
        None => buffers.pop(),
    }
}

/// A word whose row buffers are pooled.
pub trait Pooled: Word {
    fn buffers(pool: &mut BufferPool) -> &mut Vec<Vec<Self>>;
}

macro_rules! spared {
    ($($word:ty, $buffers:ident;)*) => {$(
        impl Pooled for $word {
            #[inline(always)]
            fn buffers(pool: &mut BufferPool) -> &mut Vec<Vec<Self>> {
                &mut pool.$buffers
            }
        }
    )*};
}

spared! {
    u8, w8;
    u16, w16;
    u32, w32;
    u64, w64;
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use super::{MIN_POOLED_ROWS, Scratch};

    #[test]
    fn returned_rows_are_reused_in_any_order() {
        let scratch = Scratch::of(Some(Box::default()));
        let long = scratch.rows::<u64>(10_000);
        let place = long.as_ptr();
        scratch.take_back(long);
        scratch.take_back(vec![7_u64; MIN_POOLED_ROWS - 1]);
        scratch.take_back(vec![7_u64; 2 * MIN_POOLED_ROWS]);
        let few = scratch.rows::<u64>(3);
        assert_ne!(few.as_ptr(), place);
        let again = scratch.rows::<u64>(9_000);
        assert_eq!((again.as_ptr(), again.len()), (place, 9_000));
        // No buffer is long enough: the top one is dropped, and the fresh one has the requested length.
        assert_eq!(scratch.rows::<u64>(20_000).len(), 20_000);
    }

    #[test]
    fn the_limit_bounds_the_rows_kept() {
        let scratch = Scratch::of(Some(Box::default()));
        for _ in 0..20 {
            scratch.take_back(vec![0_u64; 1 << 17]);
        }
        let kept = scratch.into_pool().unwrap();
        assert_eq!((kept.w64.len(), kept.bytes), (16, super::KEPT));
    }
}
