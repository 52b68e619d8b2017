//! The command: its lines as files, its laws, and what files cannot show. One program: each takes its time to build.

mod cli;
mod damage;
mod diff;
mod docs;
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

/// What the command prints to the standard output; its errors, if it fails.
fn printed(arguments: &[&str], stdin: &[u8]) -> Result<Vec<u8>, String> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("holdall").chain(arguments.iter().copied()).map(Into::into);
    match holdall_cli::run(arguments, &mut &stdin[..], &mut stdout, &mut stderr) {
        0 => Ok(stdout),
        _ => Err(String::from_utf8(stderr).unwrap()),
    }
}
