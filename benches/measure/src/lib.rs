//! Shared by the benchmarks: [`time`] times tasks in turn, [`table`] prints results, [`random`] generates data.

pub mod random;
pub mod table;
pub mod time;
