//! The `holdall` binary: [`holdall_cli::run_with`] with the process's own arguments and streams.

use std::env::args_os;
use std::io::{IsTerminal, stderr, stdin, stdout};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
#[cfg(not(feature = "http"))]
use holdall_cli::open_no_url as open_url;
#[cfg(feature = "http")]
use holdall_cli::open_url;
use holdall_cli::{Shows, run_with};

fn main() -> ExitCode {
    let (mut stdin, mut stdout, mut stderr) = (stdin().lock(), stdout().lock(), stderr());
    let text_only = stdout.is_terminal();
    // Terminals without colours and users (NO_COLOR) can switch them off.
    let colour = text_only && AutoStream::choice(&stdout) != ColorChoice::Never;
    let shows = Shows { text_only, colour, progress: true };
    ExitCode::from(run_with(args_os(), &mut stdin, &mut stdout, &mut stderr, shows, &open_url))
}
