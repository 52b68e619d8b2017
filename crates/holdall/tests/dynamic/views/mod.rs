//! Views: each column, and each row, is what the decoder gives; what is not asked for is not read.

mod columns;
mod damage;
mod files;
mod streams;
mod touched;
mod walk;
