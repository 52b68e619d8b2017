//! Laws of descriptions of messages and streams: each byte, all bytes, and the page.

mod common;
mod inspect;
mod page;
mod stat;
mod streams;
