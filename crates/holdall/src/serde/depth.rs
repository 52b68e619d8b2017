//! Limits the nesting of a value, for code that recurses.

use super::NESTING;
use crate::error::{Code, Error, Result};

/// Parts of a level.
const LEVEL: usize = 4;
/// The share of an option or newtype: it takes less than a quarter of a struct's stack.
const WRAPPER: usize = 1;

/// The containers, options and newtypes around a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Depth(usize);

impl Depth {
    /// Returns the depth inside one more container.
    pub(super) fn container(self) -> Result<Depth> {
        self.add(LEVEL)
    }

    /// Returns the depth inside one more option or newtype.
    pub(super) fn wrapper(self) -> Result<Depth> {
        self.add(WRAPPER)
    }

    fn add(self, parts: usize) -> Result<Depth> {
        if self.0 + parts > NESTING * LEVEL {
            return Err(Error::new(Code::LimitNesting)
                .expected(format!("values nested at most {NESTING} deep"))
                .got("more"));
        }
        Ok(Depth(self.0 + parts))
    }
}
