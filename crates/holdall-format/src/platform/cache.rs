//! A cache that threads share.

#[cfg(feature = "std")]
use std::sync::{Mutex, PoisonError};

#[cfg(not(feature = "std"))]
use spin::Mutex;

/// Values that are computed again if they are missing. With std, others wait for the lock.
#[derive(Default)]
pub struct Cache<T>(Mutex<T>);

impl<T: Default> Cache<T> {
    /// Passes the cache to a function.
    #[cfg(feature = "std")]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Passes the cache to a function; while another has it, an empty one.
    #[cfg(not(feature = "std"))]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        match self.0.try_lock() {
            Some(mut cache) => work(&mut cache),
            None => work(&mut T::default()),
        }
    }
}
