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
//! [`Format::to_vec`] and [`Format::from_slice`] take values of Rust types:
//!
//! ```
//! use holdall_convert::Format;
//!
//! let data = Format::Cbor.to_vec(&(7, "a"))?;
//! assert_eq!(data, b"\x82\x07\x61a");
//! assert_eq!(Format::Cbor.from_slice::<(u8, String)>(&data)?, (7, "a".to_owned()));
//! # Ok::<(), holdall::Error>(())
//! ```
//!
//! The module of each format describes how its values are converted in both directions. [`Packer`] and [`Unpacker`]
//! handle all formats, with options; a program [registers](Format::register) [codings](Coding) of its own, or [extends](Extended) one that exists.
//! A value that a format cannot hold is an error with its path, never a silent change. `serde` is the feature for types with serde's
//! derives.

mod addresses;
pub mod bson;
mod calendar;
pub mod cbor;
mod coding;
mod convert;
pub mod csv;
pub mod dlhn;
mod extended;
pub mod json;
mod message;
mod moment;
pub mod msgpack;
pub mod ndjson;
mod nesting;
mod number;
mod path;
mod receiver;
mod refuse;
#[cfg(feature = "serde")]
pub mod serde;
mod spelled;
mod stored;
mod tape;
mod times;
mod typed;

pub use coding::{Coding, Emitter, Reading, Target, ValueSource};
pub use convert::{Format, Packer, Registered, Unpacker};
pub use extended::{Actions, Extended};
#[doc(hidden)]
pub use receiver::Receiver;
pub use refuse::Remedy;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "serde"))]
#[doc = include_str!("../../../docs/formats.md")]
struct Formats;
