//! Counts the allocations of some work.
#![allow(unsafe_code, reason = "an allocator that counts is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, which counts while [`measure`] runs. Otherwise it costs a load and a branch, the same for
/// all.
pub struct Counting;

static ON: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The allocated bytes beyond those at the start. Wraps below 0 if older memory is freed.
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

// SAFETY: every call is passed to the system's allocator unchanged; the counters neither allocate nor panic.
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

/// The allocations of some work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The number of allocations and reallocations.
    pub allocations: usize,
    /// The maximum number of bytes allocated at once, beyond those before.
    pub peak: usize,
}

/// Counts the allocations of the work, if [`Counting`] is the program's allocator and no other thread is active.
pub fn measure(work: impl FnOnce()) -> Memory {
    for counter in [&COUNT, &LIVE, &PEAK] {
        counter.store(0, Relaxed);
    }
    ON.store(true, Relaxed);
    work();
    ON.store(false, Relaxed);
    Memory { allocations: COUNT.load(Relaxed), peak: PEAK.load(Relaxed) }
}
