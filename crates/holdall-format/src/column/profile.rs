//! How hard a writer looks for small encodings.

use super::zstd;
use crate::error::{Code, Error, Result};

/// Which encodings a writer chooses. A reader reads all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// The fastest to write: frames of reference, plain text. Equal values give equal bytes on every machine.
    #[default]
    Fast,
    /// Also differences for sorted columns, common divisors, the bits that each number needs, floats as decimals, and
    /// dictionaries for repeated strings. Equal values give equal bytes on every machine.
    Balanced,
    /// The smallest of all encodings, and zstd where it saves bytes. The bytes can differ between versions. Without the
    /// feature `zstd`, writing fails with `unsupported`; for reading, `ruzstd` is enough.
    Small,
}

impl Profile {
    /// A feature changes no bytes: without it, the profile that needs it is an error.
    pub fn check(self) -> Result<()> {
        if self == Profile::Small && !zstd::WRITES {
            return Err(Error::new(Code::Unsupported)
                .expected("a build with the feature zstd")
                .got("profile small"));
        }
        Ok(())
    }

    /// Whether it is the smallest. Never in a build that cannot write it: the compiler then leaves out what only that
    /// profile writes, a tenth of a small program.
    #[inline]
    pub fn is_small(self) -> bool {
        zstd::WRITES && self == Profile::Small
    }
}
