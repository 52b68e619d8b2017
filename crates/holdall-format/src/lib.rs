//! The holdall format: what of it needs no types and values of a program. Programs use the crate `holdall`, which is built on
//! this one and shows what they need of it; nothing else here is promised to stay.
//!
//! One storey above the other, each uses those below it alone:
//!
//! | storey | holds |
//! |---|---|
//! | [`kernel`], [`number`], [`error`], [`limits`] | loops over slices, varints and integers of any size, error codes, budgets |
//! | [`input`] | bytes with a position, a window of a file, memory for what comes of them, a hook for who wants to know |
//! | [`schema`] | types, names, text, fingerprint, their bytes |
//! | [`mod@column`] | each kind of column: write, locate, validate, decode, skip |
//! | [`block`], [`envelope`], [`message`], [`stream`] | the columns of values, what stands around them, frames |
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::len_without_is_empty,
    clippy::new_without_default,
    reason = "an inner crate: users see what `holdall` re-exports"
)]

pub mod block;
pub mod column;
pub mod envelope;
pub mod error;
pub mod input;
pub mod kernel;
pub mod limits;
pub mod message;
pub mod number;
pub mod schema;
pub mod stream;
