//! One thread at a time, which may give up the interpreter while it works.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How long to wait before the next look: first, and at most. Who has it writes or reads a block, which takes milliseconds.
const FIRST: Duration = Duration::from_micros(50);
const LONGEST: Duration = Duration::from_millis(10);

pub struct Turn<T> {
    state: Mutex<T>,
    /// The thread whose turn it is; 0 if nobody's.
    holder: AtomicUsize,
}

/// Ends the turn when it is dropped.
pub struct Held<'a, T> {
    pub state: MutexGuard<'a, T>,
    holder: &'a AtomicUsize,
}

impl<T> Turn<T> {
    pub fn new(state: T) -> Turn<T> {
        Turn { state: Mutex::new(state), holder: AtomicUsize::new(0) }
    }

    /// Waits for a turn, without the interpreter: who has it may need that.
    ///
    /// # Errors
    /// A hook or signal handler that comes back to what called it, as files answer (`RuntimeError`); what a signal handler raised.
    pub fn take(&self, py: Python<'_>) -> PyResult<Held<'_, T>> {
        let own = this_thread();
        if self.holder.load(Ordering::Relaxed) == own {
            return Err(PyRuntimeError::new_err(
                "a hook or signal handler came back to the stream that called it",
            ));
        }
        let mut pause = FIRST;
        loop {
            let state = match self.state.try_lock() {
                Ok(state) => state,
                // A panic leaves it as whole as an error does.
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    py.check_signals()?;
                    py.detach(|| std::thread::sleep(pause));
                    pause = (pause * 2).min(LONGEST);
                    continue;
                }
            };
            self.holder.store(own, Ordering::Relaxed);
            return Ok(Held { state, holder: &self.holder });
        }
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Relaxed);
    }
}

/// A number that no other living thread has.
fn this_thread() -> usize {
    thread_local!(static OWN: u8 = const { 0 });
    OWN.with(|own| std::ptr::from_ref(own) as usize)
}
