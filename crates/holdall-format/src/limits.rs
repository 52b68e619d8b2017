//! What a reader may make of its input, and a writer of its value (spec, chapter 8).

use crate::error::{Code, Error};

/// Types deeper than this in a schema are refused (F-15, F-38).
pub const NESTING: usize = 128;
/// More types than this in a schema are refused (F-15).
pub const TYPES: usize = 1 << 18;
/// Tensors of more dimensions than this are refused (F-76).
pub const RANK: u64 = 32;

/// A writer's answer when a message has more bytes than it may (F-40).
#[cold]
pub fn beyond_output(limit: usize) -> Error {
    Error::new(Code::LimitOutput).expected(format!("at most {limit} bytes")).got("more")
}

/// Limits that a caller can set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    budget: Option<u64>,
    output: Option<usize>,
    frame: Option<u64>,
    depth: Option<usize>,
}

/// How deep values of one Rust type may be inside each other by default: what `Drop` frees by recursion on a stack of 2 MiB.
///
/// In WebAssembly the stack of calls is the engine's and cannot grow: browsers have about 1 MiB.
const DEPTH: usize = if cfg!(target_family = "wasm") { 512 } else { 10_000 };

/// The largest budget on a machine of 32 bits: what is made of a unit may take some bytes, and no vector has more than 2^31 of
/// them there. So each count that was charged also fits `usize`.
const MOST: u64 = 1 << 28;

/// The most bytes that values of Rust types may take. What was charged for their rows bounds how many they are, and the reader's
/// types how large each is: so this is but what a machine can count, and of 32 bits can hold.
pub const MEMORY: u64 = if usize::BITS < 64 { 4 * MOST } else { isize::MAX as u64 };

/// The default budget of any input (F-39), and what each byte of a longer one adds to.
const LEAST_BUDGET: u64 = 1 << 26;
const UNITS_PER_BYTE: u64 = 1000;

/// The units that an input of so many bytes may take by default (F-39).
pub fn default_budget(input: usize) -> u64 {
    (input as u64).saturating_mul(UNITS_PER_BYTE).max(LEAST_BUDGET)
}

/// The bytes of the shortest input with more than the least budget that may take so many units.
pub fn length_for(units: u64) -> usize {
    usize::try_from(units.div_ceil(UNITS_PER_BYTE)).unwrap_or(usize::MAX)
}

/// Whether zero bytes may follow the block of an input of so many bytes (F-95).
pub fn may_be_filled(input: usize) -> bool {
    default_budget(input) > LEAST_BUDGET
}

impl Limits {
    /// The default limits: a budget by the input's length (F-39), output of any size.
    #[must_use]
    pub fn new() -> Self {
        Limits::default()
    }

    /// How many units a reader may make of one message: 8 for each row of each site, 1 for each byte of text, of a big
    /// integer and out of a compressed column (F-39). By default the larger of 2^26 and 1,000 times the input's length, which is
    /// enough for all that a writer writes (F-95). A row takes the memory that its Rust type takes, however large that is: an absent
    /// `Option<T>` is a row of 8 units, so set less for types that are large, or box them. On a machine of 32 bits it is 2^28 at most, whatever is set: more it could
    /// not hold.
    #[must_use]
    pub fn budget(mut self, units: u64) -> Self {
        self.budget = Some(units);
        self
    }

    /// How many bytes a writer may write into one message (F-40), and a converter into one text.
    #[must_use]
    pub fn output(mut self, bytes: usize) -> Self {
        self.output = Some(bytes);
        self
    }

    /// How many values of Rust types may be inside each other, where a type is inside itself: a linked list of so many boxes.
    /// By default 10,000, in WebAssembly 512. `Value` has no such limit. The stack grows with the depth, on the
    /// heap; but what frees a deep value by recursion, as `Drop` of a `Box` does, needs the stack that it needs.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = Some(depth);
        self
    }

    /// How many bytes a frame of a stream may hold that is read or written (F-83). By default 2^31.
    #[must_use]
    pub fn frame(mut self, bytes: u64) -> Self {
        self.frame = Some(bytes);
        self
    }

    pub fn frame_bytes(&self) -> u64 {
        let bytes = self.frame.unwrap_or(1 << 31);
        // It is held in memory as one piece.
        if usize::BITS < 64 { bytes.min(MOST) } else { bytes }
    }

    pub fn depth_or_default(&self) -> usize {
        self.depth.unwrap_or(DEPTH)
    }

    pub fn budget_for(&self, input: usize) -> Budget {
        let units = self.budget.unwrap_or_else(|| default_budget(input));
        Budget(if usize::BITS < 64 { units.min(MOST) } else { units })
    }

    pub fn output_for(&self, input: usize) -> usize {
        let units = usize::try_from(self.budget_for(input).0).unwrap_or(usize::MAX);
        self.output.unwrap_or(units)
    }

    pub fn output_bytes(&self) -> usize {
        self.output.unwrap_or(usize::MAX)
    }
}

/// Units that are left.
#[derive(Clone, Default)]
pub struct Budget(u64);

impl Budget {
    pub fn of(units: u64) -> Budget {
        Budget(units)
    }

    pub fn left(&self) -> u64 {
        self.0
    }

    /// Takes units, or says how many are left.
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
