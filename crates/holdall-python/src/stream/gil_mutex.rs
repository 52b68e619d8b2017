//! A mutex that never blocks while its thread holds the interpreter.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The pause between attempts to lock: the first, and the longest. The owner reads or writes a
/// block, which takes milliseconds.
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

pub struct GilMutex<T> {
    state: Mutex<T>,
    /// The thread that holds the lock, or 0.
    owner: AtomicUsize,
}

/// Unlocks the mutex when it is dropped.
pub struct Guard<'a, T> {
    pub state: MutexGuard<'a, T>,
    owner: &'a AtomicUsize,
}

impl<T> GilMutex<T> {
    pub fn new(state: T) -> GilMutex<T> {
        GilMutex { state: Mutex::new(state), owner: AtomicUsize::new(0) }
    }

    /// Locks the mutex. It waits without the interpreter, which the owner may need.
    ///
    /// # Errors
    /// `RuntimeError` in a hook, signal handler or source that calls the stream or view that runs it;
    /// any exception of a signal handler.
    pub fn lock(&self, py: Python<'_>) -> PyResult<Guard<'_, T>> {
        let own = this_thread();
        if self.owner.load(Ordering::Relaxed) == own {
            return Err(PyRuntimeError::new_err(
                "a hook or signal handler used the stream that was running it",
            ));
        }
        let mut pause = FIRST_PAUSE;
        loop {
            let state = match self.state.try_lock() {
                Ok(state) => state,
                // A panic leaves the state as consistent as an error does.
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    py.check_signals()?;
                    py.detach(|| std::thread::sleep(pause));
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    continue;
                }
            };
            self.owner.store(own, Ordering::Relaxed);
            return Ok(Guard { state, owner: &self.owner });
        }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.owner.store(0, Ordering::Relaxed);
    }
}

/// Returns a number that no other living thread has.
fn this_thread() -> usize {
    thread_local!(static OWN: u8 = const { 0 });
    OWN.with(|own| std::ptr::from_ref(own) as usize)
}
