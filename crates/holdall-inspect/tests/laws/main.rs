//! Laws of descriptions of messages: each byte, all bytes, and the page.

mod common;
mod inspect;
mod page;
mod stat;
