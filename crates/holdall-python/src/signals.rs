//! Periodic checks for signals: Ctrl-C in a long call.

use pyo3::prelude::*;

use crate::fault::Raised;

/// The number of values between two checks: a tenth of a second at worst.
pub const EACH: usize = 1 << 16;

/// Counts the values until the next check.
pub struct Signals {
    left: usize,
    /// Whether a handler raised an exception.
    have_come: bool,
}

impl Default for Signals {
    fn default() -> Self {
        Signals { left: EACH, have_come: false }
    }
}

impl Signals {
    /// Whether the handler of a signal raised an exception.
    pub fn have_come(&self) -> bool {
        self.have_come
    }

    /// Counts values, and checks for signals when enough have passed.
    ///
    /// # Errors
    /// The exception of a signal handler.
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
                let checked = py.check_signals();
                self.have_come |= checked.is_err();
                raised.check(checked)?;
            }
        }
        Ok(())
    }
}
