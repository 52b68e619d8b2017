//! How the project is built: what its source and its documents say of each other.

mod documents;
mod faces;
mod sources;
mod storeys;
mod unsafe_code;
