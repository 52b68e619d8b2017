//! What benchmarks share: [`time`] measures tasks side by side, [`table`] prints for people, [`random`] makes data.

pub mod random;
pub mod table;
pub mod time;
