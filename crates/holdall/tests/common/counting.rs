//! What a thread allocates. Binaries that use it have its allocator, so it is none of those that all share.
#![allow(unsafe_code, reason = "an allocator that counts is unsafe to implement")]
#![allow(dead_code, reason = "each program uses another part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator; it counts the bytes that the running thread has, the most it had, and its allocations.
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

// `realloc` is the default one: a new allocation, a copy, and the old one freed, so that both are counted at once.
//
// SAFETY: every call goes to the system's allocator as it came; the counters are plain cells, which neither allocate
// nor panic.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: as `GlobalAlloc::alloc` has it.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `GlobalAlloc::alloc`, which are those of this call.
        let pointer = unsafe { System.alloc(layout) };
        // What the system has no memory for takes none.
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

/// The most bytes that were allocated at once while this ran, beyond those before.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    (result, usize::try_from(PEAK.get() - before).unwrap())
}

/// How many allocations this made.
pub fn allocations_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.get();
    let result = work();
    (result, COUNT.get() - before)
}
