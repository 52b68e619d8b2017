//! Looking for signals from time to time: Ctrl-C in a long call.

use pyo3::prelude::*;

use crate::fault::Raised;

/// After so many values: a tenth of a second at worst.
pub const EACH: usize = 1 << 16;

/// Counts the values until the next look.
pub struct Signals {
    left: usize,
}

impl Default for Signals {
    fn default() -> Self {
        Signals { left: EACH }
    }
}

impl Signals {
    /// So many values more.
    ///
    /// # Errors
    /// What the handler of a signal raised.
    #[inline]
    pub fn after(
        &mut self,
        values: usize,
        py: Python<'_>,
        raised: &mut Raised,
    ) -> holdall::Result<()> {
        match self.left.checked_sub(values).filter(|left| *left > 0) {
            Some(left) => self.left = left,
            None => {
                self.left = EACH;
                raised.check(py.check_signals())?;
            }
        }
        Ok(())
    }
}
