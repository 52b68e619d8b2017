//! Compares holdall with other serializers of Rust types.
//!
//! [`data`] generates values of typical kinds, [`peers`] has the serializers, [`case`] combines both, and [`cases`]
//! lists the peers of each case. [`measure`] times them, [`instructions`] counts instructions, and [`report`] prints
//! the results. [`access`] is about fields and rows in place.

pub mod access;
pub mod case;
pub mod cases;
pub mod data;
pub mod instructions;
pub mod machine;
pub mod measure;
pub mod memory;
pub mod peers;
pub mod report;
