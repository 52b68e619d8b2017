//! `holdall completions`

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::Command;
use crate::files::{Failure, Streams};

/// Print a script for argument completion in a shell
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  holdall completions bash > ~/.local/share/bash-completion/completions/holdall
  holdall completions zsh > ~/.zfunc/_holdall
  holdall completions fish > ~/.config/fish/completions/holdall.fish";

impl Completions {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut Command::command(), "holdall", &mut script);
        streams.write_stdout(&script)
    }
}
