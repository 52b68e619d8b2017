//! `holdall pack`

use std::io::BufRead;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use holdall::{Alignment, Encoder, Metadata};
use holdall_convert::{Format, Packer};

use crate::files::{Failure, Streams, at};
use crate::formats::{FormatName, format_of};

/// Pack data of another format into holdall data
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Pack {
    /// The file to pack; `-` or none is the standard input
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// The format of the file; without this its name has to tell: .json, .ndjson or .jsonl, .csv, .msgpack or .mpk, .cbor
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    from: Option<FormatName>,
    /// Of csv, take columns as numbers or booleans where every cell is one, and empty cells as null; without this every
    /// cell is a string
    #[arg(long)]
    infer: bool,
    /// What the bytes are made for: `fast` is quick to write, `balanced` is smaller where numbers are sorted and texts
    /// repeat, `small` tries every encoding and compresses
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
    /// End the data with a checksum, so that damage is noticed
    #[arg(long)]
    checksum: bool,
    /// Put a text beside the data, under a key that `holdall meta` shows; can be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    meta: Vec<(String, String)>,
    /// Put large columns of numbers at multiples of 8 bytes, so that programs can look at them in place
    #[arg(long)]
    aligned: bool,
    /// Where the data goes; `-` or none is the standard output. A file takes its name only when it is complete
    #[arg(short, long, value_name = "OUT", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  holdall pack users.json -o users.hold
  echo '[1, 2, 3]' | holdall pack --from json > numbers.hold
  holdall pack log.ndjson --profile small -o log.hold
  holdall pack users.csv --infer -o users.hold
  holdall pack users.json --checksum --meta source=crm -o users.hold

Formats:
  json     one value (RFC 8259) in UTF-8
  ndjson   a JSON value a line; together they are a list
  csv      comma-separated values (RFC 4180) in UTF-8, names in the first row; a list of records
  msgpack  one MessagePack value
  cbor     one CBOR data item (RFC 8949)

ndjson, and csv without --infer, are read row by row: the input need not fit into memory, its columns do.";

/// Splits at the first `=`; the value may have more.
fn key_and_value(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text.split_once('=').ok_or("there is no `=` in it")?;
    Ok((key.to_owned(), value.to_owned()))
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Profile {
    #[default]
    Fast,
    Balanced,
    Small,
}

impl Profile {
    fn encoder(self) -> Encoder {
        Encoder::new().profile(match self {
            Profile::Fast => holdall::Profile::Fast,
            Profile::Balanced => holdall::Profile::Balanced,
            Profile::Small => holdall::Profile::Small,
        })
    }
}

impl Pack {
    fn encoder(&self) -> Result<Encoder, Failure> {
        let pairs = self.meta.iter().map(|(key, value)| (&**key, &**value));
        let metadata = Metadata::new(pairs).map_err(|error| Failure::Usage("--meta", error))?;
        let alignment = if self.aligned { Alignment::On } else { Alignment::Automatic };
        let encoder = self.profile.encoder().metadata(metadata);
        Ok(encoder.checksum(self.checksum).aligned(alignment))
    }

    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let format = format_of("--from", self.from, &self.file, "stdin")?;
        if self.infer && format != Format::Csv {
            let words =
                format!("--infer is for csv; {} says itself what its values are", format.name());
            return Err(Failure::Arguments(words));
        }
        let mut encoder = self.encoder()?;
        let message = {
            let mut input = streams.open(&self.file, "packing")?;
            let first = input.fill_buf().map_err(at(&self.file, "stdin"))?.first().copied();
            let message = Packer::new(format).infer(self.infer).pack_from(&mut encoder, input);
            message.map_err(|error| {
                let packed = first == Some(0xC1);
                let hint = packed.then_some("this looks like holdall data, which unpack reads");
                at(&self.file, "stdin")(error).with_hint(hint)
            })?
        };
        streams.write(&self.output, &message)
    }
}
