//! The command: its lines as files, its laws, and what files cannot show. One program: each takes its time to build.

mod cli;
mod damage;
mod diff;
mod generate;
mod generated;
mod json_schema;
mod pages;
#[cfg(feature = "http")]
mod remote;
mod run;
mod store;
#[cfg(feature = "tables")]
mod tables;
mod terminal;
