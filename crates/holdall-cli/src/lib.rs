//! The command line of holdall, as a function: [`run`].
//!
//! The binary `holdall` calls it with the arguments and streams of the process.

#[cfg(feature = "tables")]
mod arrow_schema;
mod cat;
mod completions;
pub mod diff;
mod files;
mod formats;
mod generate;
mod hash;
#[cfg(feature = "http")]
mod http;
mod inspect;
mod json_schema;
mod known;
mod man;
mod meta;
mod pack;
mod pick;
mod progress;
mod recover;
mod remote;
mod schema;
mod stat;
#[cfg(feature = "tables")]
mod tables;
mod terminal;
mod train;
mod unpack;
mod verify;

use std::ffi::OsString;
use std::io::{Read, Write};

use clap::Parser;

use files::{Failure, Streams};

#[cfg(feature = "http")]
pub use http::open_url;
pub use remote::{OpenUrl, RemoteFile, open_no_url};
pub use terminal::{Shows, TextOnly};

/// Success, or the reader of the output needs no more.
const SUCCESS: u8 = 0;
/// The data is invalid, or a file cannot be read or written.
const BAD_DATA: u8 = 1;
/// For `diff`, as for diff(1): there are differences, or the comparison failed.
const DIFFERENT: u8 = 1;
const TROUBLE: u8 = 2;
/// The arguments are not a command.
const USAGE: u8 = 2;

/// The maximum width of text, the same on every terminal.
const WIDTH: usize = 100;

#[derive(Parser)]
#[command(name = "holdall", version, about = "Converts JSON, NDJSON, CSV, MessagePack, CBOR, BSON, DLHN, Parquet and Arrow to holdall and back, and shows, compares and recovers holdall data", term_width = WIDTH)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
enum Command {
    Pack(pack::Pack),
    Unpack(unpack::Unpack),
    Schema(schema::Schema),
    Generate(generate::Generate),
    Meta(meta::Meta),
    Inspect(inspect::Inspect),
    Stat(stat::Stat),
    Cat(cat::Cat),
    Verify(verify::Verify),
    Hash(hash::Hash),
    Recover(recover::Recover),
    Diff(diff::Diff),
    Train(train::Train),
    Completions(completions::Completions),
    Man(man::Man),
}

const EXAMPLES: &str = "\
Examples:
  holdall pack users.json -o users.hold
  holdall unpack users.hold -o users.csv
  holdall schema users.hold
  holdall generate --rust users.holds
  holdall inspect users.hold
  holdall stat users.hold
  holdall diff old.hold new.hold
  holdall pack log.ndjson --stream --append -o log.hold
  holdall cat log.hold --tail 10
  holdall cat https://example.com/log.hold --tail 10
  curl https://example.com/users.json | holdall pack --from json | holdall schema

Exit status: 0 for success, 1 for bad data or a file that cannot be read or written, 2 for wrong usage.
Exit status of diff: 0 for no differences, 1 for differences, 2 for trouble.";

/// Runs a command line and returns its exit status: 0 for success, 1 for bad data or a failed read or write, 2 for
/// wrong usage; for `diff`, 1 for a difference and 2 for trouble. The first argument is the program's own name.
///
/// A reader that stops early, such as `head`, is not a failure.
///
/// ```
/// let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
/// let args = ["holdall", "pack", "--from", "json"].map(Into::into);
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
    run_with(args, stdin, stdout, stderr, Shows::default(), &open_no_url)
}

/// Runs a command line like [`run`], possibly at a terminal, with a way to read URLs in place of files.
pub fn run_with(
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
    shows: Shows,
    open_url: &OpenUrl<'_>,
) -> u8 {
    let streams = &mut Streams { stdin, stdout, shows, open_url };
    let result = match Command::try_parse_from(args) {
        Ok(command) => match command {
            Command::Pack(pack) => pack.run(streams),
            Command::Unpack(unpack) => unpack.run(streams),
            Command::Schema(schema) => schema.run(streams),
            Command::Generate(generate) => generate.run(streams),
            Command::Meta(meta) => meta.run(streams),
            Command::Inspect(inspect) => inspect.run(streams),
            Command::Stat(stat) => stat.run(streams),
            Command::Cat(cat) => cat.run(streams),
            Command::Verify(verify) => verify.run(streams),
            Command::Hash(hash) => hash.run(streams),
            Command::Recover(recover) => recover.run(streams),
            Command::Diff(diff) => diff.run(streams),
            Command::Train(train) => train.run(streams),
            Command::Completions(completions) => completions.run(streams),
            Command::Man(man) => man.run(streams),
        },
        // Requested help is not an error.
        Err(message) if !message.use_stderr() => {
            streams.write_stdout(message.render().to_string().as_bytes())
        }
        Err(message) => {
            // If stderr fails too, the error cannot be reported.
            let _ = write!(stderr, "{}", message.render());
            return USAGE;
        }
    };
    match result {
        Ok(()) | Err(Failure::Closed) => SUCCESS,
        Err(Failure::Different) => DIFFERENT,
        Err(failure) => {
            let _ = writeln!(stderr, "holdall: {failure}");
            match failure {
                Failure::Usage(..) | Failure::Arguments(_) => USAGE,
                Failure::Trouble(_) => TROUBLE,
                _ => BAD_DATA,
            }
        }
    }
}
