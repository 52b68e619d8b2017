//! Streams: written, read, damaged, appended to.

mod ahead;
mod append;
#[cfg(feature = "tokio-util")]
mod codec;
mod damage;
mod feeding;
mod following;
mod killed;
mod reading;
mod recovery;
mod rows;
mod samples;
mod scale;
mod statistics;
mod vectors;
mod writing;
