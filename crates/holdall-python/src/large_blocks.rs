//! An allocator that keeps large blocks after they are freed. The system clears the pages of a new block, which takes about as long as
//! to fill them, and the next value often has the size of the one before.
//!
//! A reserve is freed when a small request fails: an error, and the way to it, take a few hundred bytes, without which the process would
//! end. Python's objects have memory from elsewhere, so they can have taken the last of it. It is filled again when the package is called, or
//! when a large block is asked for or freed; not at once, because the rest of the way may need what was freed.
#![allow(unsafe_code, reason = "an allocator; each block has its proof")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};

/// Smaller blocks are left to the system, which keeps them itself.
const MIN_KEPT: usize = 1 << 17;
/// The blocks that are kept have at most this many bytes together.
const MAX_BYTES: usize = 1 << 25;
const MAX_BLOCKS: usize = 32;
/// Who asks for more can do without: only such requests are made by functions that can fail.
const MAX_SMALL: usize = 1 << 12;
/// What is kept for small requests that fail.
const RESERVE: Layout = Layout::new::<[u128; 1 << 12]>();
/// A block that was not used for so long is freed when another large one is asked for or freed.
const LONGEST_IDLE: Duration = Duration::from_secs(10);

/// What is large comes from the system in sizes of four steps for each power of two, so that a block that is kept
/// fits values of about its size.
pub struct LargeBlocks {
    kept: Mutex<KeptBlocks>,
    /// Null after it was freed.
    reserve: AtomicPtr<u8>,
    is_off: AtomicBool,
}

struct KeptBlocks {
    /// In the order in which they were freed.
    blocks: [Block; MAX_BLOCKS],
    count: usize,
    bytes: usize,
}

#[derive(Clone, Copy)]
struct Block {
    start: *mut u8,
    /// What the system was asked for.
    layout: Layout,
    /// When it was freed; none only in an empty place.
    since: Option<Instant>,
}

// SAFETY: a block that is kept has no other owner.
unsafe impl Send for KeptBlocks {}

impl LargeBlocks {
    pub const fn new() -> Self {
        let none = Block { start: ptr::null_mut(), layout: Layout::new::<u8>(), since: None };
        let kept = KeptBlocks { blocks: [none; MAX_BLOCKS], count: 0, bytes: 0 };
        let reserve = AtomicPtr::new(ptr::null_mut());
        LargeBlocks { kept: Mutex::new(kept), reserve, is_off: AtomicBool::new(false) }
    }

    /// Keeps no blocks from now on, if the environment has `HOLDALL_NO_KEPT_BLOCKS`.
    pub fn read_environment(&self) {
        let is_off =
            std::env::var_os("HOLDALL_NO_KEPT_BLOCKS").is_some_and(|value| !value.is_empty());
        self.is_off.store(is_off, Ordering::Relaxed);
        self.fill_reserve();
    }

    /// Fills the reserve, if it is empty and there is memory.
    #[inline]
    pub fn fill_reserve(&self) {
        if self.reserve.load(Ordering::Relaxed).is_null() {
            self.ask_for_reserve();
        }
    }

    #[cold]
    fn ask_for_reserve(&self) {
        // SAFETY: the size is not zero.
        let block = unsafe { System.alloc(RESERVE) };
        let none = ptr::null_mut();
        let filled =
            self.reserve.compare_exchange(none, block, Ordering::AcqRel, Ordering::Relaxed);
        if filled.is_err() && !block.is_null() {
            // SAFETY: it has just come from the system with this layout, and has no other owner.
            unsafe { System.dealloc(block, RESERVE) }
        }
    }

    /// Returns whether there was a reserve.
    fn free_reserve(&self) -> bool {
        let block = self.reserve.swap(ptr::null_mut(), Ordering::AcqRel);
        if !block.is_null() {
            // SAFETY: it came from the system with this layout, and what takes it out of its place owns it.
            unsafe { System.dealloc(block, RESERVE) }
        }
        !block.is_null()
    }

    /// Takes a block of a layout, if there is one. While another thread has the lock, and ever after a fork during that time, the
    /// system has all blocks.
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        self.fill_reserve();
        let mut kept = self.kept.try_lock().ok()?;
        kept.free_idle();
        // The latest one may still be in the cache of the processor.
        let at = kept.blocks[..kept.count].iter().rposition(|block| block.layout == layout)?;
        Some(kept.remove(at).start)
    }

    /// Frees all blocks that are kept, for what has memory from elsewhere. Returns whether there were any.
    pub fn free_all(&self) -> bool {
        let Ok(mut kept) = self.kept.try_lock() else { return false };
        let are_any = kept.count > 0;
        while kept.count > 0 {
            kept.remove(0).free();
        }
        are_any
    }

    /// Asks the system for a number of bytes, and again if it has no memory while blocks are kept or, for few bytes, the reserve.
    fn ask(&self, size: usize, system: impl Fn() -> *mut u8) -> *mut u8 {
        let mut start = system();
        if start.is_null() && self.free_all() {
            start = system();
        }
        if start.is_null() && size < MAX_SMALL && self.free_reserve() {
            start = system();
        }
        start
    }

    /// Keeps a block, or returns false.
    fn keep(&self, start: *mut u8, layout: Layout) -> bool {
        if layout.size() > MAX_BYTES / 2 || self.is_off.load(Ordering::Relaxed) {
            return false;
        }
        let Ok(mut kept) = self.kept.try_lock() else { return false };
        kept.free_idle();
        while kept.count == MAX_BLOCKS || kept.bytes + layout.size() > MAX_BYTES {
            kept.remove(0).free();
        }
        let at = kept.count;
        kept.blocks[at] = Block { start, layout, since: Some(Instant::now()) };
        kept.count += 1;
        kept.bytes += layout.size();
        true
    }
}

impl KeptBlocks {
    fn remove(&mut self, at: usize) -> Block {
        let block = self.blocks[at];
        self.blocks.copy_within(at + 1..self.count, at);
        self.count -= 1;
        self.bytes -= block.layout.size();
        block
    }

    fn free_idle(&mut self) {
        let is_idle =
            |block: &Block| block.since.is_some_and(|since| since.elapsed() > LONGEST_IDLE);
        while self.count > 0 && is_idle(&self.blocks[0]) {
            self.remove(0).free();
        }
    }
}

impl Block {
    fn free(self) {
        // SAFETY: it came from the system with this layout, and has no other owner.
        unsafe { System.dealloc(self.start, self.layout) }
    }
}

/// What the system is asked for: large sizes are rounded up by at most a quarter.
fn rounded(layout: Layout) -> Layout {
    let size = layout.size();
    if size < MIN_KEPT {
        return layout;
    }
    let step = 1 << (size.ilog2() - 2);
    let size = size.checked_next_multiple_of(step).unwrap_or(size);
    Layout::from_size_align(size, layout.align()).unwrap_or(layout)
}

// SAFETY: all memory comes from the system's allocator, which each time gets the layout that `rounded` returns: the same for the
// same layout. A block that is kept has the rounded layout of the one that takes it.
unsafe impl GlobalAlloc for LargeBlocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let rounded = rounded(layout);
        if rounded.size() >= MIN_KEPT
            && let Some(start) = self.take(rounded)
        {
            return start;
        }
        // SAFETY: the size is not zero, as the caller's is not.
        self.ask(rounded.size(), || unsafe { System.alloc(rounded) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // New pages of the system are zero, and a block that is kept is not.
        // SAFETY: the size is not zero, as the caller's is not.
        self.ask(layout.size(), || unsafe { System.alloc_zeroed(rounded(layout)) })
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        let layout = rounded(layout);
        if layout.size() < MIN_KEPT || !self.keep(start, layout) {
            // SAFETY: the system gave it with this layout.
            unsafe { System.dealloc(start, layout) }
        }
        if layout.size() >= MIN_KEPT {
            self.fill_reserve();
        }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let old = rounded(layout);
        // SAFETY: the caller's size is not zero, and is not too large for its alignment.
        let wanted = rounded(unsafe { Layout::from_size_align_unchecked(size, layout.align()) });
        if wanted == old {
            return start;
        }
        if wanted.size() >= MIN_KEPT
            && size > layout.size()
            && let Some(taken) = self.take(wanted)
        {
            // SAFETY: both blocks have as many bytes as the caller's layout, and are apart; the old one is the caller's.
            unsafe {
                ptr::copy_nonoverlapping(start, taken, layout.size());
                self.dealloc(start, layout);
            }
            return taken;
        }
        // SAFETY: the system gave it with the old layout, and the size is that of a layout. A call that fails changes nothing.
        self.ask(size, || unsafe { System.realloc(start, old, wanted.size()) })
    }
}
