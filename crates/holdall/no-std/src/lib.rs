//! Programs without std use holdall as here.
#![no_std]

extern crate alloc;

pub mod values;
