//! What benchmarks share: [`time`] measures tasks side by side, [`table`] prints for people.

pub mod table;
pub mod time;
