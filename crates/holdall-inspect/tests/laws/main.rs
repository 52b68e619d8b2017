//! Laws of what is told of messages: of each byte, of all of them, and on a page.

mod common;
mod inspect;
mod page;
mod stat;
