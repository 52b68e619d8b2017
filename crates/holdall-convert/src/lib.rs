//! Converts other formats to and from [holdall]: JSON, NDJSON, CSV, MessagePack and CBOR.
//!
//! ```
//! use holdall_convert::json;
//!
//! let text = br#"[{"id":5,"tags":["a","b"]},{"id":null,"tags":[]}]"#;
//! let message = json::pack(text)?;
//! assert!(message.len() < text.len());
//! assert_eq!(json::unpack(&message)?, text);
//! # Ok::<(), holdall::Error>(())
//! ```
//!
//! The module of each format describes how its values are converted in both directions. [`Packer`] and [`Unpacker`]
//! handle all formats, with options. A value that a format cannot hold is an error with its path, never a silent
//! change.

pub mod cbor;
mod convert;
pub mod csv;
pub mod json;
pub mod msgpack;
pub mod ndjson;
mod nesting;
mod number;
mod path;
mod refuse;
mod stored;
mod tape;

pub use convert::{Format, Packer, Unpacker};
pub use refuse::Remedy;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
