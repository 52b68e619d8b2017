//! A sink that drops all events, for walks that check values, or find those that are shared.

use super::{Event, Sink};
use crate::error::Result;

/// Takes everything and keeps nothing.
pub(crate) struct NullSink;

impl Sink for NullSink {
    #[inline(always)]
    fn event(&mut self, _: Event<'_>) -> Result<()> {
        Ok(())
    }
}
