//! What std has and `alloc` has not, in one form for both: hash tables, what is set once, caches behind a lock, checksums.
//!
//! Nothing waits without std: where an interrupt handler encodes or decodes while the code that it interrupted does, a lock
//! that spins would never be released, and one that masks interrupts would hold them off for as long as a plan takes. So
//! what is set once is set by one exchange of a pointer (`once_cell::race`), and a cache whose lock is taken is not used.

mod cache;
mod checksum;
mod once;
mod tables;

pub use cache::Cache;
pub use checksum::checksum;
pub use once::{OnceLock, Settled};
#[cfg(not(feature = "std"))]
pub use once_cell::race::OnceBox;
pub use tables::{HashMap, HashSet, hash_map};
