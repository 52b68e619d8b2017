//! The command line of holdall, as a function: [`run`].
//!
//! The binary `holdall` is this with the process's own arguments and streams.

mod files;
mod meta;
mod pack;
mod schema;
mod terminal;
mod unpack;

use std::ffi::OsString;
use std::io::{Read, Write};

use clap::Parser;

use files::{Failure, Streams};

pub use terminal::TextOnly;

/// Done, or the reader of the output wants no more.
const SUCCESS: u8 = 0;
/// Data that is not valid, or a file that cannot be read or written.
const BAD_DATA: u8 = 1;
/// Arguments that make no command.
const USAGE: u8 = 2;

/// Text does not run wider than this, on whatever terminal, so that it is the same everywhere.
const WIDTH: usize = 100;

#[derive(Parser)]
#[command(name = "holdall", version, about = "Packs JSON into holdall data, and back", term_width = WIDTH)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
enum Command {
    Pack(pack::Pack),
    Unpack(unpack::Unpack),
    Schema(schema::Schema),
    Meta(meta::Meta),
}

const EXAMPLES: &str = "\
Examples:
  holdall pack users.json -o users.hold
  holdall unpack users.hold
  holdall schema users.hold
  curl https://example.com/users.json | holdall pack | holdall schema

Exit status: 0 for success, 1 for bad data or a file that cannot be read or written, 2 for wrong usage.";

/// Runs a command line and answers its exit status: 0 for success, 1 for bad data or a failed read or write, 2 for wrong
/// usage. The first argument is the program's own name.
///
/// A reader that stops before the end, as `head` does, is no failure.
///
/// ```
/// let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
/// let args = ["holdall", "pack"].map(Into::into);
/// let status = holdall_cli::run(args, &mut &br#"{"a": 1}"#[..], &mut stdout, &mut stderr);
/// assert_eq!((status, stdout), (0, b"\xC1\x10\x1A\x08\x04a\x03\x04".to_vec()));
///
/// let args = ["holdall", "unpack", "--to", "yaml"].map(Into::into);
/// assert_eq!(holdall_cli::run(args, &mut &b""[..], &mut Vec::new(), &mut stderr), 2);
/// ```
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> u8 {
    let result = match Command::try_parse_from(args) {
        Ok(command) => {
            let mut streams = Streams { stdin, stdout };
            match command {
                Command::Pack(pack) => pack.run(&mut streams),
                Command::Unpack(unpack) => unpack.run(&mut streams),
                Command::Schema(schema) => schema.run(&mut streams),
                Command::Meta(meta) => meta.run(&mut streams),
            }
        }
        // Help that was asked for is no error.
        Err(message) if !message.use_stderr() => {
            let text = message.render().to_string();
            Streams { stdin, stdout }.write_stdout(text.as_bytes())
        }
        Err(message) => {
            // Where not even stderr can be written to, there is nobody left to tell.
            let _ = write!(stderr, "{}", message.render());
            return USAGE;
        }
    };
    match result {
        Ok(()) | Err(Failure::Closed) => SUCCESS,
        Err(failure) => {
            let _ = writeln!(stderr, "holdall: {failure}");
            if let Failure::Usage(..) = failure { USAGE } else { BAD_DATA }
        }
    }
}
