//! `holdall schema`

use std::fmt::{self, Write};
use std::path::PathBuf;

use clap::Args;
use holdall::{Code, Decoder, Error, Reader};

use crate::cat::is_a_stream;
use crate::files::{Failure, Streams, at};

/// Print the schema of holdall data. A stream can have several, one per line
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    /// The file to read; `-` or nothing means standard input
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  holdall schema users.hold
  holdall pack users.json | holdall schema";

impl Schema {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let message = streams.read_data(&self.file, "reading")?;
        let schemas = if is_a_stream(&message) {
            of_stream(&message)
        } else {
            holdall::Schema::of_message(&message).map(|schema| vec![schema])
        };
        let schemas = schemas.map_err(at(&self.file, "stdin"))?;
        let mut text =
            Limited { text: String::new(), limit: Decoder::new().output_limit(&message) };
        if schemas.iter().any(|schema| writeln!(text, "{schema}").is_err()) {
            let error = Error::new(Code::LimitOutput)
                .expected(format!("a schema of at most {} bytes of text", text.limit))
                .got("more");
            return Err(at(&self.file, "stdin")(error));
        }
        streams.write_stdout(text.text.as_bytes())
    }
}

/// The schemas of a stream's blocks, each once.
fn of_stream(bytes: &[u8]) -> holdall::Result<Vec<holdall::Schema>> {
    let mut schemas: Vec<holdall::Schema> = Vec::new();
    let mut reader = Reader::new(bytes).unfinished(true);
    while let Some(block) = reader.next_block()? {
        if !schemas.contains(block.schema()) {
            schemas.push(block.schema().clone());
        }
    }
    Ok(schemas)
}

/// Text up to a limit: names occur once in a message, but in the text at every place.
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
