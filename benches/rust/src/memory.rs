//! What a piece of work allocates.
#![allow(unsafe_code, reason = "an allocator that counts is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, which counts while [`measure`] runs. Else it costs a load and a branch, the same for all.
pub struct Counting;

static ON: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Bytes that are allocated beyond those when the counting began. It wraps below 0 where older ones are freed.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[inline]
fn took(bytes: usize, freed: usize) {
    if ON.load(Relaxed) {
        COUNT.fetch_add(1, Relaxed);
        let live = LIVE.load(Relaxed).wrapping_add(bytes).wrapping_sub(freed);
        LIVE.store(live, Relaxed);
        if live.cast_signed() > PEAK.load(Relaxed).cast_signed() {
            PEAK.store(live, Relaxed);
        }
    }
}

// SAFETY: every call goes to the system's allocator as it came; the counters neither allocate nor panic.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: as `GlobalAlloc::alloc` has it.
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size(), 0);
        // SAFETY: the caller keeps the rules of `GlobalAlloc::alloc`, which are those of this call.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: as `GlobalAlloc::alloc_zeroed` has it.
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size(), 0);
        // SAFETY: the caller keeps the rules of `GlobalAlloc::alloc_zeroed`, which are those of this call.
        unsafe { System.alloc_zeroed(layout) }
    }

    // SAFETY: as `GlobalAlloc::realloc` has it.
    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        took(size, layout.size());
        // SAFETY: `pointer` came from `System` with this layout, as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }

    // SAFETY: as `GlobalAlloc::dealloc` has it.
    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if ON.load(Relaxed) {
            LIVE.store(LIVE.load(Relaxed).wrapping_sub(layout.size()), Relaxed);
        }
        // SAFETY: `pointer` came from `System` with this layout, as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What some work allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// How often memory was allocated, or made larger or smaller.
    pub allocations: usize,
    /// The most bytes that were allocated at once, beyond those before.
    pub peak: usize,
}

/// Counts what the work allocates, if [`Counting`] is the program's allocator, and no other thread works meanwhile.
pub fn measure(work: impl FnOnce()) -> Memory {
    for counter in [&COUNT, &LIVE, &PEAK] {
        counter.store(0, Relaxed);
    }
    ON.store(true, Relaxed);
    work();
    ON.store(false, Relaxed);
    Memory { allocations: COUNT.load(Relaxed), peak: PEAK.load(Relaxed) }
}
