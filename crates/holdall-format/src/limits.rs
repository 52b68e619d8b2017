//! Limits on what a reader makes of its input, and a writer of its value (spec, chapter 8).

use crate::error::{Code, Error};

/// The deepest nesting of types in a schema (F-15, F-38).
pub const NESTING: usize = 128;
/// The most types in a schema (F-15).
pub const TYPES: usize = 1 << 18;
/// The most dimensions of a tensor (F-76).
pub const RANK: u64 = 32;

/// The error of a writer whose message would exceed its limit (F-40).
#[cold]
pub fn beyond_output(limit: usize) -> Error {
    Error::new(Code::LimitOutput).expected(format!("at most {limit} bytes of output")).got("more")
}

/// Limits that you can set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    budget: Option<u64>,
    output: Option<usize>,
    frame: Option<u64>,
    depth: Option<usize>,
}

/// The default nesting of values of one Rust type: as deep as `Drop` can free by recursion on a stack of 2 MiB.
///
/// In WebAssembly the engine owns the call stack, which cannot grow: browsers have about 1 MiB.
///
/// Without std the stack cannot grow either.
const DEPTH: usize = match (cfg!(feature = "std"), cfg!(target_family = "wasm")) {
    (false, _) => 32,
    (_, true) => 512,
    _ => 10_000,
};

/// The largest budget on a 32-bit machine. A unit may take several bytes, and no vector exceeds 2^31 bytes there. So
/// every charged count also fits `usize`.
const MAX_BUDGET_32_BITS: u64 = 1 << 28;

/// The most bytes that values of Rust types may take. The charge for their rows bounds their number, and the reader's
/// types bound their size, so this is only what the machine can address.
pub const MEMORY: u64 = if usize::BITS < 64 { 4 * MAX_BUDGET_32_BITS } else { isize::MAX as u64 };

/// The default budget of any input (F-39), and the units that each byte of a longer input adds.
const LEAST_BUDGET: u64 = 1 << 26;
const UNITS_PER_BYTE: u64 = 1000;

/// The default budget in units of an input of this length (F-39).
pub fn default_budget(input: usize) -> u64 {
    (input as u64).saturating_mul(UNITS_PER_BYTE).max(LEAST_BUDGET)
}

/// The length in bytes of the shortest input, above the least budget, that may take this many units.
pub fn length_for(units: u64) -> usize {
    usize::try_from(units.div_ceil(UNITS_PER_BYTE)).unwrap_or(usize::MAX)
}

/// Whether filler may follow the block of an input of this length (F-95).
pub fn may_be_filled(input: usize) -> bool {
    default_budget(input) > LEAST_BUDGET
}

impl Limits {
    /// The default limits: a budget by the input's length (F-39), output of any size.
    #[must_use]
    pub fn new() -> Self {
        Limits::default()
    }

    /// The budget of one message in units: 8 for each row of each site, and 1 for each byte of text, of big integers
    /// and of decompressed columns (F-39). By default it is the larger of 2^26 and 1,000 times the input's length,
    /// which is enough for everything that a writer writes (F-95). A row takes the memory of its Rust type, however
    /// large: an absent `Option<T>` is one row of 8 units, so set a smaller budget for large types, or box them. On a
    /// 32-bit machine the budget is at most 2^28, whatever you set.
    #[must_use]
    pub fn budget(mut self, units: u64) -> Self {
        self.budget = Some(units);
        self
    }

    /// The most bytes that a writer writes into one message (F-40), and a converter into one text.
    #[must_use]
    pub fn output(mut self, bytes: usize) -> Self {
        self.output = Some(bytes);
        self
    }

    /// The nesting of values of Rust types that contain themselves, such as the boxes of a linked list. By default
    /// 10,000, in WebAssembly 512, without std 32.
    ///
    /// Writing and reading grow their stack on the heap, so any depth that memory holds works if you set it here. But what is
    /// read is freed by the program: the `Drop` of a `Box` inside a `Box` recurses on the thread's own stack, and
    /// overflows it, which aborts the process. 10,000 levels are what a thread of std, with 2 MiB, frees in an unoptimised
    /// build. So hostile data cannot abort a program that sets nothing. A type whose `Drop` is a loop can have any depth, as
    /// `Value` does, which has no limit.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = Some(depth);
        self
    }

    /// The most bytes of a stream's frame, read or written (F-83). By default 2^31.
    #[must_use]
    pub fn frame(mut self, bytes: u64) -> Self {
        self.frame = Some(bytes);
        self
    }

    pub fn frame_bytes(&self) -> u64 {
        let bytes = self.frame.unwrap_or(1 << 31);
        // A frame is held in memory in one piece.
        if usize::BITS < 64 { bytes.min(MAX_BUDGET_32_BITS) } else { bytes }
    }

    pub fn depth_or_default(&self) -> usize {
        self.depth.unwrap_or(DEPTH)
    }

    pub fn budget_for(&self, input: usize) -> Budget {
        let units = self.budget.unwrap_or_else(|| default_budget(input));
        Budget(if usize::BITS < 64 { units.min(MAX_BUDGET_32_BITS) } else { units })
    }

    pub fn output_for(&self, input: usize) -> usize {
        let units = usize::try_from(self.budget_for(input).0).unwrap_or(usize::MAX);
        self.output.unwrap_or(units)
    }

    pub fn output_bytes(&self) -> usize {
        self.output.unwrap_or(usize::MAX)
    }
}

/// The remaining units of a budget.
#[derive(Clone, Default)]
pub struct Budget(u64);

impl Budget {
    pub fn of(units: u64) -> Budget {
        Budget(units)
    }

    pub fn left(&self) -> u64 {
        self.0
    }

    /// Takes units, or returns how many are left.
    pub fn charge(&mut self, units: u128) -> Result<(), u64> {
        match u64::try_from(units).ok().and_then(|units| self.0.checked_sub(units)) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(self.0),
        }
    }
}
