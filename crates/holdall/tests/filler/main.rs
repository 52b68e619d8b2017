//! What the default writes, the default reads. A program of its own, as its values take much memory.

#[path = "../common/dtypes.rs"]
#[allow(dead_code, reason = "every test binary uses another part")]
mod dtypes;
mod laws;
#[path = "../common/tagged.rs"]
mod tagged;
mod tensors;
mod vectors;
mod wide;
