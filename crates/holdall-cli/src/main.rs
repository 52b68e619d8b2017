//! The `holdall` binary: [`holdall_cli::run_at_terminal`] with the process's own arguments and streams.

use std::env::args_os;
use std::io::{IsTerminal, stderr, stdin, stdout};
use std::process::ExitCode;

use holdall_cli::{TextOnly, run_at_terminal};

fn main() -> ExitCode {
    let (mut stdin, mut stdout, mut stderr) = (stdin().lock(), stdout().lock(), stderr());
    let status = if stdout.is_terminal() {
        run_at_terminal(args_os(), &mut stdin, &mut TextOnly::new(stdout), &mut stderr)
    } else {
        run_at_terminal(args_os(), &mut stdin, &mut stdout, &mut stderr)
    };
    ExitCode::from(status)
}
