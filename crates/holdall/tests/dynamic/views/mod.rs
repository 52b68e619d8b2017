//! Views: each column and row is what the decoder gives; nothing else is read.

mod columns;
mod damage;
mod files;
mod law;
mod slices;
mod streams;
mod touched;
mod walk;
