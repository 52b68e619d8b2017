//! `holdall unpack`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use holdall_convert::json;

use crate::files::{Failure, Streams, at};

/// Unpack holdall data into text
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Unpack {
    /// The file to unpack; `-` or none is the standard input
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// The format of the text; json is one value (RFC 8259) in UTF-8, on one line
    #[arg(long, value_enum, default_value_t)]
    to: To,
    /// Where the text goes; `-` or none is the standard output. A file takes its name only when it is complete
    #[arg(short, long, value_name = "OUT", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  holdall unpack users.hold
  holdall unpack users.hold | jq '.[0].name'
  holdall unpack users.hold -o users.json";

#[derive(Clone, Copy, Default, ValueEnum)]
enum To {
    #[default]
    Json,
}

impl Unpack {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let message = streams.read(&self.file)?;
        let mut text = match self.to {
            To::Json => json::unpack(&message).map_err(at(&self.file, "stdin"))?,
        };
        text.push(b'\n');
        streams.write(&self.output, &text)
    }
}
