//! What an object keeps from one call to the next.

use std::sync::{Mutex, PoisonError};

/// A place for it. A call takes it out, so that calls of other threads, and calls inside that call, find none.
pub struct BetweenCalls<T>(Mutex<Option<T>>);

impl<T> BetweenCalls<T> {
    pub const fn new() -> Self {
        BetweenCalls(Mutex::new(None))
    }

    pub fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps a value for the next call. What a call meanwhile put here is dropped without the lock: that can run code of the program,
    /// which may use the same object.
    pub fn put_back(&self, value: T) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(value);
        drop(before);
    }
}
