//! Hash tables. Those of std have a seed from the system. Without std it is made of addresses in memory alone: where these are
//! the same after each start, data that someone else chose can have all its keys in one place of a table.

#[cfg(feature = "std")]
pub use std::collections::{HashMap, HashSet, hash_map};

#[cfg(not(feature = "std"))]
pub use hashbrown::{HashMap, HashSet, hash_map};
