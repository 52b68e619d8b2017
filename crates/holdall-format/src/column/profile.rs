//! How hard a writer looks for small encodings.

use super::zstd;
use crate::error::{Code, Error, Result};

/// Which encodings a writer chooses. A reader reads all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// The fastest to write: frames of reference, plain text. Equal values give equal bytes everywhere.
    #[default]
    Fast,
    /// Also differences for sorted columns, numbers by their common divisor or in the bits that each needs, floats as decimals,
    /// and dictionaries where strings repeat. Equal values give equal bytes everywhere.
    Balanced,
    /// The smallest of all encodings, and zstd where it gains. The bytes are not promised. Without the feature `zstd` it is the
    /// error `unsupported`; to read what it wrote, `ruzstd` will do.
    Small,
}

impl Profile {
    /// A feature changes no bytes: what this one is for is an error without it.
    pub fn check(self) -> Result<()> {
        if self == Profile::Small && !zstd::WRITES {
            return Err(Error::new(Code::Unsupported)
                .expected("a build with the feature zstd")
                .got("profile small"));
        }
        Ok(())
    }
}
