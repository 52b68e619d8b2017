//! `holdall meta`

use std::path::PathBuf;

use clap::Args;
use holdall::stream;
use holdall::{Code, Metadata, Reader, Value};
use holdall_convert::json;

use crate::files::{Failure, Streams, at};

/// Print the metadata of holdall data, as a JSON object of strings
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Meta {
    /// The file to read; `-` or nothing means standard input. Only the metadata is read, so no checksum is verified
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  holdall pack users.json --meta source=crm --meta date=2026-01-31 -o users.hold
  holdall meta users.hold
  holdall meta users.hold | jq -r .source";

impl Meta {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        // Truncated metadata may continue in the next bytes.
        let is_whole = |head: &[u8]| {
            Metadata::of_message(head)
                .map_or_else(|error| error.code() != Code::Truncated, |_| true)
        };
        let is_enough = |head: &[u8]| match stream::is_stream(head) {
            true => of_stream(head).map_or_else(|error| error.code() != Code::Truncated, |_| true),
            false => is_whole(head),
        };
        let head = streams.read_head(&self.file, is_enough)?;
        let metadata =
            if stream::is_stream(&head) { of_stream(&head) } else { Metadata::of_message(&head) };
        let text = metadata.and_then(|metadata| to_json(&metadata));
        let mut text = text.map_err(at(&self.file, "stdin"))?;
        text.push(b'\n');
        streams.write_stdout(&text)
    }
}

/// The metadata of a stream, of which this is the beginning.
fn of_stream(head: &[u8]) -> holdall::Result<Metadata> {
    Reader::new(head).metadata().cloned()
}

/// Formats the metadata like a value with the same strings.
fn to_json(metadata: &Metadata) -> holdall::Result<Vec<u8>> {
    let value = Value::record(metadata.iter().map(|(key, value)| (key, Value::from(value))));
    json::unpack(&holdall::to_vec(&value)?)
}
