//! Converts other formats to and from [holdall]: JSON, NDJSON, CSV, MessagePack, CBOR, BSON and DLHN.
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
//! handle all formats, with options; a program [registers](Format::register) [codings](Coding) of its own. A value that a format cannot hold is an error with its path, never a silent
//! change.

pub mod bson;
pub mod cbor;
mod coding;
mod convert;
pub mod csv;
pub mod dlhn;
pub mod json;
mod message;
pub mod msgpack;
pub mod ndjson;
mod nesting;
mod number;
mod path;
mod refuse;
mod stored;
mod tape;

pub use coding::{Coding, Emitter, Reading, Target, ValueSource};
pub use convert::{Format, Packer, Registered, Unpacker};
pub use refuse::Remedy;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
