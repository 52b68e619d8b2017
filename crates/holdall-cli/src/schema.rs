//! `holdall schema`

use std::path::PathBuf;

use clap::Args;

use crate::files::{Failure, Streams, at};

/// Print the schema of holdall data
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    /// The file with the data; `-` or none is the standard input
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  holdall schema users.hold
  holdall pack users.json | holdall schema";

impl Schema {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let message = streams.read(&self.file)?;
        let schema = holdall::Schema::of_message(&message).map_err(at(&self.file, "stdin"))?;
        streams.write_stdout(format!("{schema}\n").as_bytes())
    }
}
