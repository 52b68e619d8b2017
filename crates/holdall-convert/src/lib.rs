//! Converts other formats to and from [holdall]: JSON text, so far.
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

pub mod json;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
