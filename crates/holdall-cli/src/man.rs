//! `holdall man`

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;

use crate::Command;
use crate::files::{Failure, Streams};

/// Print the manual page of holdall or of a command
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// The command; without it, the page is about holdall
    command: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  holdall man > ~/.local/share/man/man1/holdall.1
  holdall man pack > ~/.local/share/man/man1/holdall-pack.1
  holdall man pack | man -l -";

impl Man {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let mut command = Command::command();
        // Gives the subcommands their full names, such as `holdall-pack`.
        command.build();
        let command = match &self.command {
            None => &command,
            Some(name) => command.find_subcommand(name).ok_or_else(|| {
                let all: Vec<&str> =
                    command.get_subcommands().map(clap::Command::get_name).collect();
                let all = all.join(", ");
                Failure::Arguments(format!("there is no command {name}; the commands are {all}"))
            })?,
        };
        let mut page = Vec::new();
        let version = concat!("holdall ", env!("CARGO_PKG_VERSION"));
        let rendered = Page::new(command.clone()).source(version).render(&mut page);
        rendered.map_err(|error| Failure::At("stdout".to_owned(), error.into()))?;
        streams.write_stdout(&page)
    }
}
