//! Counts the allocations of a thread. It replaces the allocator of its test program, so only `memory` uses it.
#![allow(unsafe_code, reason = "an allocator that counts is unsafe to implement")]
#![allow(dead_code, reason = "each program uses another part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator. It counts the bytes that the current thread holds, their maximum, and its allocations.
struct Counting;

thread_local! {
    pub static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that is about to end has no counters any more.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// `realloc` is the default one (a new allocation, a copy, and a release of the old one), so that both are counted at
// once.
//
// SAFETY: every call is passed to the system's allocator unchanged; the counters are plain cells, which neither
// allocate nor panic.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: as `GlobalAlloc::alloc` has it.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `GlobalAlloc::alloc`, which are those of this call.
        let pointer = unsafe { System.alloc(layout) };
        // A failed allocation takes no memory.
        if !pointer.is_null() {
            count(layout.size() as isize);
            let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        }
        pointer
    }

    // SAFETY: as `GlobalAlloc::dealloc` has it.
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: `pointer` came from `System.alloc` above with this layout, as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the maximum number of bytes allocated at once while the function ran, beyond those before.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    (result, usize::try_from(PEAK.get() - before).unwrap())
}

/// Returns the number of allocations that the function made.
pub fn allocations_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.get();
    let result = work();
    (result, COUNT.get() - before)
}
