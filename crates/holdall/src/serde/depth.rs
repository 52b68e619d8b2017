//! How deep a value is nested: who calls itself for what is inside stops in time.

use super::NESTING;
use crate::error::{Code, Error, Result};

/// Parts of a level.
const LEVEL: usize = 4;
/// What an option or newtype takes of it: its share of the stack is less than a quarter of a struct's.
const WRAPPER: usize = 1;

/// The containers, options and newtypes around a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Depth(usize);

impl Depth {
    /// Inside one more container.
    pub(super) fn container(self) -> Result<Depth> {
        self.add(LEVEL)
    }

    /// Inside one more option or newtype.
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
