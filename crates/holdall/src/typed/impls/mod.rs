//! The types of the standard library.

mod bytes;
mod cells;
mod containers;
mod maps;
mod net;
mod numbers;
mod pointers;
mod ranges;
mod text;
mod time;
mod tuples;
mod value;
