//! How the project is built: its source and its documents agree.

mod documents;
mod faces;
mod growth;
mod sources;
mod storeys;
mod unsafe_code;
