//! Data without Rust types: values, messages, and reading with another schema.

mod deep;
mod envelope;
mod evolution;
mod evolution_deep;
mod gathering;
mod hostile;
mod identity;
mod inference;
mod limits;
mod looks_like;
mod mutation;
mod pieces;
mod profiles;
mod properties;
mod resolution;
mod resolution_errors;
mod rows;
mod schema_text;
mod shapes;
mod sizes;
mod slots;
mod source_protocol;
mod store;
mod threads;
mod unlike;
mod views;
