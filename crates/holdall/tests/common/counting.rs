//! Counts the allocations of a thread, and fails one. It replaces the allocator of its test program.
#![allow(unsafe_code, reason = "an allocator that counts is unsafe to implement")]
#![allow(dead_code, reason = "each program uses another part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Debug;

use holdall::{Code, Result};

/// The system's allocator. It counts the bytes that the current thread holds, their maximum, and its allocations.
struct Counting;

thread_local! {
    pub static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static COUNT: Cell<usize> = const { Cell::new(0) };
    /// The number of large requests that succeed before one fails; none if all succeed.
    static BEFORE_FAILURE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Requests of as many bytes can fail. What a failure itself takes is less.
pub const LARGE_REQUEST: usize = 16 << 10;

/// Whether this request is the one that fails.
fn fails(bytes: usize) -> bool {
    if bytes < LARGE_REQUEST {
        return false;
    }
    let left = BEFORE_FAILURE.try_with(|left| {
        let before = left.get()?;
        left.set(before.checked_sub(1));
        Some(before)
    });
    matches!(left, Ok(Some(0)))
}

fn count(bytes: isize) {
    // A thread that is about to end has no counters any more.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// `realloc` is a new allocation, a copy, and a release of the old one, so that both are counted at once.
//
// SAFETY: every call is passed to the system's allocator unchanged; the counters are plain cells, which neither
// allocate nor panic.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: as `GlobalAlloc::alloc` has it.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size()) {
            return std::ptr::null_mut();
        }
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

    // SAFETY: as `GlobalAlloc::realloc` has it.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // No allocator fails to make an allocation smaller.
        let kept = if size <= layout.size() { BEFORE_FAILURE.take() } else { None };
        // SAFETY: the caller promises that `size` is not 0 and does not overflow with this alignment.
        let larger = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: `size` is not 0.
        let new = unsafe { self.alloc(larger) };
        if !new.is_null() {
            // SAFETY: both have at least these bytes, and the old one, which ends here, came from `alloc` with this layout.
            unsafe {
                std::ptr::copy_nonoverlapping(pointer, new, size.min(layout.size()));
                self.dealloc(pointer, layout);
            }
        }
        if kept.is_some() {
            BEFORE_FAILURE.set(kept);
        }
        new
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

/// Runs a function in which one large request fails, after this many others. Returns its result, and whether one failed.
pub fn failing_after<T>(before: usize, work: impl FnOnce() -> T) -> (T, bool) {
    BEFORE_FAILURE.set(Some(before));
    let result = work();
    (result, BEFORE_FAILURE.take().is_none())
}

/// Runs an operation until no large request is left to fail, or every n-th of them. It fails with `out_of_memory`, or needs nothing of
/// what it has asked for.
#[track_caller]
pub fn every_large_request_can_fail<T: Debug + PartialEq>(
    name: &str,
    nth: usize,
    mut operation: impl FnMut() -> Result<T>,
) {
    let expected = operation().unwrap_or_else(|error| panic!("{name}: {error}"));
    for before in (0..).step_by(nth) {
        let (result, has_failed) = failing_after(before, &mut operation);
        if !has_failed {
            assert!(result.unwrap() == expected, "{name} after {before} requests");
            return;
        }
        match result {
            Err(error) => assert_eq!(error.code(), Code::OutOfMemory, "{name}: request {before}"),
            // Memory to keep for later, which is not needed.
            Ok(value) => assert!(value == expected, "{name}: request {before}"),
        }
    }
}
