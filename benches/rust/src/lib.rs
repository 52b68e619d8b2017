//! Measures holdall beside other serializers of Rust types.
//!
//! [`data`] makes values of typical kinds, [`peers`] has the serializers, [`case`] sets both side by side, and [`cases`]
//! lists who does what. [`measure`] times them, [`instructions`] counts, and [`report`] prints.

pub mod case;
pub mod cases;
pub mod data;
pub mod instructions;
pub mod machine;
pub mod measure;
pub mod memory;
pub mod peers;
pub mod report;
