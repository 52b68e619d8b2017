//! Laws of the descriptions of messages: of each byte, of all bytes, and on a page.

mod common;
mod inspect;
mod page;
mod stat;
