//! JSON text to holdall and back.

mod laws;
mod model;
mod rejects;
mod scale;
mod sink;
mod values;
