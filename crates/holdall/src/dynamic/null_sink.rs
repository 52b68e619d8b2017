//! A sink that drops all events, for walks that only check values or find shared ones.

use super::{Event, Sink};
use crate::error::Result;

/// Accepts every event and keeps nothing.
pub(crate) struct NullSink;

impl Sink for NullSink {
    #[inline(always)]
    fn event(&mut self, _: Event<'_>) -> Result<()> {
        Ok(())
    }
}
