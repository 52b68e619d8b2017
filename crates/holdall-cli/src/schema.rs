//! `holdall schema`

use std::fmt::{self, Write};
use std::path::PathBuf;

use clap::Args;
use holdall::{Code, Decoder, Error};

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
        let mut text =
            Limited { text: String::new(), limit: Decoder::new().output_limit(&message) };
        if writeln!(text, "{schema}").is_err() {
            let error = Error::new(Code::LimitOutput)
                .expected(format!("a schema of at most {} bytes of text", text.limit))
                .got("more");
            return Err(at(&self.file, "stdin")(error));
        }
        streams.write_stdout(text.text.as_bytes())
    }
}

/// Text up to a limit: names stand once in a message, but in every place of its schema as text.
struct Limited {
    text: String,
    limit: usize,
}

impl Write for Limited {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if piece.len() > self.limit - self.text.len() {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}
