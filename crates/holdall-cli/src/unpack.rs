//! `holdall unpack`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use holdall::{Code, Decoder, Limits};
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
    /// How much may be made of the data, in units of 8 for each value and 1 for each byte of text, and of the text that
    /// is written; by default the larger
    /// of 67108864 and 1000 times the file's size, but at most 2147483648
    #[arg(long, value_name = "UNITS")]
    budget: Option<u64>,
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
        let limits = Limits::new();
        let limits = self.budget.map_or(limits, |units| limits.budget(units));
        let mut decoder = Decoder::new().limits(limits);
        let text = match self.to {
            To::Json => json::unpack_with(&mut decoder, &message),
        };
        let mut text = text.map_err(|error| {
            let hint = match error.code() {
                Code::LimitBudget | Code::LimitOutput => {
                    Some("if you trust the data, raise the limit with --budget")
                }
                Code::BadMagic => Some("this is not holdall data"),
                _ => None,
            };
            at(&self.file, "stdin")(error).with_hint(hint)
        })?;
        text.push(b'\n');
        streams.write(&self.output, &text)
    }
}
