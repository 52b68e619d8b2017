//! The types of the standard library, and of other crates.

mod big_ints;
mod bytes;
mod cells;
mod containers;
mod crates;
mod floats;
mod maps;
mod net;
mod numbers;
mod pointers;
mod ranges;
mod text;
mod time;
mod tuples;
mod value;
mod wrappers;
