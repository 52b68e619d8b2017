//! What the sources of formats emit to: the shredder, which makes a message; a reader of serde's types; a builder of another language's
//! plain objects.

use holdall::Result;
use holdall::events::{Shredder, Sink};
#[cfg(feature = "serde")]
use holdall::serde::EventReader;

/// A sink that takes the lengths of containers at their ends.
pub trait Receiver: Sink {
    /// Begins a mapping with these keys.
    ///
    /// # Errors
    /// As [`Sink::event`]; `duplicate_key`.
    fn mapping<'k>(&mut self, keys: impl Iterator<Item = &'k str> + Clone) -> Result<()>;

    /// Takes the key of the next value of a mapping, once more.
    ///
    /// # Errors
    /// As [`Sink::event`].
    fn key<'k>(&mut self, key: impl FnOnce() -> &'k str) -> Result<()>;
}

impl Receiver for Shredder {
    fn mapping<'k>(&mut self, keys: impl Iterator<Item = &'k str> + Clone) -> Result<()> {
        self.begin_mapping(keys)
    }

    fn key<'k>(&mut self, _: impl FnOnce() -> &'k str) -> Result<()> {
        Ok(())
    }
}

#[cfg(feature = "serde")]
impl Receiver for EventReader<'_> {
    fn mapping<'k>(&mut self, keys: impl Iterator<Item = &'k str> + Clone) -> Result<()> {
        EventReader::mapping(self, keys)
    }

    fn key<'k>(&mut self, key: impl FnOnce() -> &'k str) -> Result<()> {
        EventReader::key(self, key)
    }
}
