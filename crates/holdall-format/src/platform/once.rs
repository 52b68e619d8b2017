//! Values that are set once.

#[cfg(feature = "std")]
pub use std::sync::OnceLock;

#[cfg(not(feature = "std"))]
use super::OnceBox;

#[cfg(feature = "std")]
mod settled {
    use std::sync::OnceLock;

    /// A value that its creator sets before others can, and that the last owner takes.
    #[derive(Debug, Default)]
    pub struct Settled<T>(OnceLock<T>);

    impl<T> Settled<T> {
        #[inline]
        pub fn get(&self) -> Option<&T> {
            self.0.get()
        }

        /// Sets the value, if it is not set.
        pub fn set(&self, value: T) {
            // The creator alone does.
            let _ = self.0.set(value);
        }

        pub fn take(&mut self) -> Option<T> {
            self.0.take()
        }
    }

    impl<T> From<T> for Settled<T> {
        fn from(value: T) -> Self {
            Settled(OnceLock::from(value))
        }
    }
}

#[cfg(not(feature = "std"))]
mod settled {
    use spin::Once;

    /// A value that its creator sets before others can, and that the last owner takes. `Once` waits only for others
    /// that set it, of which there are none.
    #[derive(Debug)]
    pub struct Settled<T>(Once<T>);

    impl<T> Default for Settled<T> {
        fn default() -> Self {
            Settled(Once::new())
        }
    }

    impl<T> Settled<T> {
        #[inline]
        pub fn get(&self) -> Option<&T> {
            self.0.get()
        }

        /// Sets the value, if it is not set.
        pub fn set(&self, value: T) {
            self.0.call_once(|| value);
        }

        pub fn take(&mut self) -> Option<T> {
            core::mem::take(self).0.try_into_inner()
        }
    }

    impl<T> From<T> for Settled<T> {
        fn from(value: T) -> Self {
            Settled(Once::initialized(value))
        }
    }
}

pub use settled::Settled;

/// As that of std. Several may compute the value; the first that is done sets it.
#[cfg(not(feature = "std"))]
#[derive(Debug)]
pub struct OnceLock<T>(OnceBox<T>);

#[cfg(not(feature = "std"))]
impl<T> OnceLock<T> {
    #[must_use]
    pub const fn new() -> Self {
        OnceLock(OnceBox::new())
    }

    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(|| alloc::boxed::Box::new(make()))
    }
}

#[cfg(not(feature = "std"))]
impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        OnceLock::new()
    }
}
