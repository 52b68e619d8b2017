//! The inner loops of columns: functions from slices to slices, without errors and without the format's envelope.
//!
//! Public for benchmarks and for code that other crates of this project generate. It is **not part of the public
//! promise**: anything here may change or be removed in any version.
//!
//! Each kernel is plain Rust that compilers vectorize. Where a measurement shows more than 20 % for it, there is a second
//! version for [`Machine::Avx2`], which [`Machine::here`] chooses at run time; `make bench-kernels` shows both.

pub mod bits;
pub mod borrow;
pub mod digits;
pub mod frame;
pub mod lengths;
mod narrow;
mod order;
pub mod range;
pub mod rans;
pub mod raw;
pub mod short;
pub mod text;
pub mod widths;
mod word;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

use alloc::vec::Vec;

pub use order::IS_FORMAT_ORDER;
pub use word::Word;
#[cfg(target_arch = "x86_64")]
pub use x86::Avx2;

/// The instructions that a kernel may use.
#[derive(Clone, Copy, Debug)]
pub enum Machine {
    /// The instructions that every machine of the target has.
    Plain,
    /// AVX2, BMI2 and POPCNT.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Machine {
    /// The best that this machine supports.
    #[inline]
    #[must_use]
    pub fn here() -> Machine {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detect() {
            return Machine::Avx2(avx2);
        }
        Machine::Plain
    }

    /// All that this machine supports, with their names.
    #[must_use]
    pub fn all() -> Vec<(&'static str, Machine)> {
        let plain = ("plain", Machine::Plain);
        match Machine::here() {
            Machine::Plain => vec![plain],
            #[cfg(target_arch = "x86_64")]
            best @ Machine::Avx2(_) => vec![plain, ("AVX2", best)],
        }
    }
}
