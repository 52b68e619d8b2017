//! `holdall unpack`

#[cfg(feature = "tables")]
mod table;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use holdall::bindings::Refused;
use holdall::stream;
use holdall::{Error, Limits, Reader, Value};
use holdall_convert::{Format, Remedy, Unpacker};

use crate::files::{Failure, Streams, at, check_distinct};
use crate::formats::{FileKind, format_of, parser};
use crate::known::Known;

/// Convert holdall data to another format. A stream becomes the list of its values
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Unpack {
    /// The file to unpack; `-` or nothing means standard input
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// The format to write. Default: by the output's extension, which is .json, .ndjson, .jsonl, .csv, .msgpack, .mpk,
    /// .cbor, .bson, .dlhn, .parquet, .arrow, .feather or .arrows
    #[arg(long, value_parser = parser(), value_name = "FORMAT", hide_possible_values = true)]
    to: Option<FileKind>,
    /// The columns of a table, by their names. Default: all
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// What to do with dates, sets, extensions and other values for which the format has no type: `refuse` is an
    /// error, `storage` writes their stored form, and dates, times, UUIDs and addresses as text in JSON, NDJSON and CSV
    #[arg(long, value_enum, default_value_t)]
    logical: Logical,
    /// What to do with a value that is referenced from several places: `refuse` is an error, `copy` writes it at each
    /// place
    #[arg(long, value_enum, default_value_t)]
    shared: Shared,
    /// Where to write; `-` or nothing means standard output. An existing file is replaced once the new one is
    /// complete
    #[arg(short, long, value_name = "OUT", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// The largest amount of memory to use for the data, in units of about a byte: 8 for each value, and 1 for each
    /// byte of text and of output. Default: the larger of 67108864 and 1000 times the file's size, which is enough
    /// for everything that holdall writes by default
    #[arg(long, value_name = "UNITS")]
    budget: Option<u64>,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall unpack users.hold -o users.json
  holdall unpack users.hold --to json | jq '.[0].name'
  holdall unpack users.hold --to csv --logical storage
  holdall unpack flights.hold --columns carrier,distance -o flights.parquet

Formats:
  json     one value (RFC 8259) in UTF-8, on one line
  ndjson   the items of a list, one JSON value per line
  csv      comma-separated values (RFC 4180) in UTF-8: a list of records of scalars
  msgpack  one MessagePack value
  cbor     one CBOR data item (RFC 8949)
  bson     one BSON document
  dlhn     one DLHN header and body (0.1)
  parquet, arrow, feather, arrow-stream
           a table of the rows of a list or a stream

A value that the format cannot hold is an error with the value's path.";

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Logical {
    #[default]
    Refuse,
    Storage,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Shared {
    #[default]
    Refuse,
    Copy,
}

impl Unpack {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let kind = format_of("--to", self.to, &self.output, "stdout")?;
        check_distinct(&self.file, &self.output)?;
        let format = match kind {
            #[cfg(feature = "tables")]
            FileKind::Table(table) => return self.unpack_table(table, streams),
            FileKind::Value(_) if self.columns.is_some() => {
                let words =
                    "--columns is for tables; `holdall cat --column` selects parts of values";
                return Err(Failure::Arguments(words.to_owned()));
            }
            FileKind::Value(format) => format,
        };
        let mut decoder = self.known.decoder(self.budget, streams)?;
        let unpacker = Unpacker::new(format)
            .storage(self.logical == Logical::Storage)
            .copies(self.shared == Shared::Copy);
        let mut out = {
            let mut message = streams.read_data(&self.file, "unpacking")?;
            if stream::is_stream(&message) {
                let list = self.as_list(&message, self.known.limits(self.budget));
                message = list.map_err(|error| self.failure(error))?;
            }
            let out = unpacker.unpack(&mut decoder, &message);
            out.map_err(|error| self.failure(error))?
        };
        if format == Format::Json {
            out.push(b'\n');
        }
        streams.write(&self.output, &out)
    }

    /// The values of a stream as a message of the list of them.
    fn as_list(&self, stream: &[u8], limits: Limits) -> holdall::Result<Vec<u8>> {
        let mut reader = Reader::new(stream).whole(true).limits(limits);
        let values = reader.values::<Value>().collect::<holdall::Result<Vec<_>>>()?;
        holdall::to_vec(&Value::list(values))
    }

    /// The failure for an error of the input, and what to do about it.
    fn failure(&self, error: Error) -> Failure {
        let hint = match Remedy::of(&error) {
            Some(Remedy::Storage) => match error.refused() {
                Some(Refused::Keys) => "--logical storage writes the values without their keys",
                Some(Refused::EmptyText) => "--logical storage writes it as null is written",
                _ => "--logical storage writes the stored value",
            },
            Some(Remedy::Copies) => "--shared copy writes it each time",
            None if matches!(error.refused(), Some(Refused::Cycle)) => {
                "the format cannot hold cycles; keep the data as holdall"
            }
            None => return self.known.failure(&self.file, error),
        };
        at(&self.file, "stdin")(error).with_hint(Some(hint))
    }
}
