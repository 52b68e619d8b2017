//! `holdall pack`

#[cfg(feature = "tables")]
mod table;

use std::fs::File;
use std::io::{BufRead, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use holdall::{
    Alignment, Decoder, Dictionary, Encoder, Header, Limits, Metadata, SchemaStore, Value, Writer,
    WriterOptions,
};
use holdall_convert::{Format, Packer, ndjson};

use crate::files::{Failure, Streams, at, check_distinct, check_file, is_stream};
use crate::formats::{FileKind, format_of, parser};
use crate::known::read_dictionary;

/// Convert data of another format to holdall
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Pack {
    /// The file to pack; `-` or nothing means standard input
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// The format of the input. Default: by the file's extension, which is .json, .ndjson, .jsonl, .csv, .msgpack,
    /// .mpk, .cbor, .bson, .dlhn, .parquet, .arrow, .feather or .arrows
    #[arg(long, value_parser = parser(), value_name = "FORMAT", hide_possible_values = true)]
    from: Option<FileKind>,
    /// For csv: read a column as numbers or booleans if all its cells are, and empty cells as null. Default: every
    /// cell is a string
    #[arg(long)]
    infer: bool,
    /// How hard to try to make the data small: `fast` writes quickly, `balanced` is smaller if numbers are sorted,
    /// decimal, multiples of one number or of very different sizes, or if texts repeat, `small` tries every encoding
    /// and compresses
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
    /// How many threads encode columns: 0 for as many as the machine runs at once. The bytes are the same
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    threads: usize,
    /// Add a checksum, so that readers notice damage
    #[arg(long)]
    checksum: bool,
    /// Add a text under a key, which `holdall meta` shows. You can repeat the option
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    meta: Vec<(String, String)>,
    /// Align large columns of numbers, so that programs can read them in place
    #[arg(long)]
    aligned: bool,
    /// Sort the members of sets (tag 258 in cbor), so that equal values give equal bytes in profiles fast and
    /// balanced. Lists and maps keep their order, which is part of the value
    #[arg(long)]
    canonical: bool,
    /// Write only the fingerprint of the schema, and put the schema into this folder; `--store` of the other commands
    /// reads it from there
    #[arg(long, value_name = "FOLDER", conflicts_with = "stream")]
    store: Option<PathBuf>,
    /// Compress the message with a dictionary that `holdall train` wrote; `--dictionary` of the other commands reads
    /// it. It pays for small messages
    #[arg(long, value_name = "FILE", conflicts_with = "stream")]
    dictionary: Option<PathBuf>,
    /// Write a stream whose values are the lines of ndjson, or the rows of a table. A stream in a file can be larger
    /// than memory, and stays readable if the command is stopped. A table becomes a stream in any case, which without
    /// this option replaces the file once it is complete
    #[arg(long)]
    stream: bool,
    /// Append to the stream in the output file, or create it
    #[arg(long, requires = "stream")]
    append: bool,
    /// Write the bounds of the columns of each block of a stream, so that a search can leave out blocks
    #[arg(long, requires = "stream")]
    statistics: bool,
    /// The sync marker that begins each frame of a stream, as 16 hexadecimal digits: with it, the same input gives
    /// the same bytes. The 8 bytes must not occur in the data. Default: random
    #[arg(long, value_name = "HEX", requires = "stream", value_parser = sync_of)]
    sync: Option<u64>,
    /// Where to write; `-` or nothing means standard output. An existing file is replaced once the new one is
    /// complete
    #[arg(short, long, value_name = "OUT", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  holdall pack users.json -o users.hold
  echo '[1, 2, 3]' | holdall pack --from json > numbers.hold
  holdall pack log.ndjson --profile small -o log.hold
  holdall pack users.csv --infer -o users.hold
  holdall pack log.ndjson --stream --append -o log.hold
  holdall pack users.json --checksum --meta source=crm -o users.hold
  holdall pack flights.parquet --profile balanced -o flights.hold

Formats:
  json     one value (RFC 8259) in UTF-8
  ndjson   one JSON value per line, read as a list
  csv      comma-separated values (RFC 4180) in UTF-8, names in the first row; a list of records
  msgpack  one MessagePack value
  cbor     one CBOR data item (RFC 8949)
  bson     one BSON document
  dlhn     one DLHN header and body (0.1)
  parquet, arrow, feather, arrow-stream
           a table; each row becomes a value of a stream
  pickle   in the command of the Python package alone: holdall pack --from pickle --help

ndjson, and csv without --infer, are read row by row: only the columns, not the input, must fit into memory.";

/// Splits at the first `=`; the value may contain more.
fn key_and_value(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text.split_once('=').ok_or("there is no `=` in it")?;
    Ok((key.to_owned(), value.to_owned()))
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum Profile {
    #[default]
    Fast,
    Balanced,
    Small,
}

impl Profile {
    pub(crate) fn choice(self) -> holdall::Profile {
        match self {
            Profile::Fast => holdall::Profile::Fast,
            Profile::Balanced => holdall::Profile::Balanced,
            Profile::Small => holdall::Profile::Small,
        }
    }

    fn encoder(self) -> Encoder {
        Encoder::new().profile(self.choice())
    }
}

/// Rewrites a message with sets in canonical order.
fn in_order(
    encoder: &mut Encoder,
    message: &[u8],
    dictionary: Option<&Dictionary>,
) -> holdall::Result<Vec<u8>> {
    // It was written above.
    let mut decoder = Decoder::new().limits(Limits::new().budget(u64::MAX));
    dictionary.into_iter().for_each(|dictionary| decoder.add_dictionary(dictionary));
    let value: Value = decoder.decode(message)?;
    encoder.message(&mut &value)
}

impl Pack {
    fn encoder(&self, dictionary: Option<&Dictionary>) -> Result<Encoder, Failure> {
        let pairs = self.meta.iter().map(|(key, value)| (&**key, &**value));
        let metadata = Metadata::new(pairs).map_err(|error| Failure::Usage("--meta", error))?;
        let alignment = if self.aligned { Alignment::On } else { Alignment::Automatic };
        let mut encoder = self.profile.encoder().threads(self.threads).metadata(metadata);
        if let Some(folder) = &self.store {
            encoder = encoder.header(Header::Fingerprint).store(&SchemaStore::folder(folder));
        }
        if let Some(dictionary) = dictionary {
            encoder = encoder.dictionary(dictionary);
        }
        Ok(encoder.checksum(self.checksum).aligned(alignment).canonical(self.canonical))
    }

    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let kind = format_of("--from", self.from, &self.file, "stdin")?;
        if self.infer && kind != FileKind::Value(Format::Csv) {
            let words = format!("--infer is for csv; values of {} have types already", kind.name());
            return Err(Failure::Arguments(words));
        }
        check_distinct(&self.file, &self.output)?;
        let format = match kind {
            #[cfg(feature = "tables")]
            FileKind::Table(table) => return self.pack_table(table, streams),
            FileKind::Value(format) if self.stream => return self.pack_lines(format, streams),
            FileKind::Value(format) => format,
        };
        let dictionary = self.dictionary.as_deref();
        let dictionary = dictionary.map(|path| read_dictionary(path, streams)).transpose()?;
        let mut encoder = self.encoder(dictionary.as_ref())?;
        let message = {
            let mut input = streams.open(&self.file, "packing")?;
            let first = input.fill_buf().map_err(at(&self.file, "stdin"))?.first().copied();
            let message = Packer::new(format).infer(self.infer).pack_from(&mut encoder, input);
            let message = message.and_then(|message| match self.canonical {
                true => in_order(&mut encoder, &message, dictionary.as_ref()),
                false => Ok(message),
            });
            message.map_err(|error| {
                let packed = first == Some(0xC1);
                let hint =
                    packed.then_some("this looks like holdall data: `holdall unpack` reads it");
                at(&self.file, "stdin")(error).with_hint(hint)
            })?
        };
        streams.write(&self.output, &message)
    }

    fn pack_lines(&self, format: Format, streams: &mut Streams<'_>) -> Result<(), Failure> {
        if format != Format::Ndjson {
            let words = "--stream needs ndjson or a table, whose lines or rows become the values";
            return Err(Failure::Arguments(words.to_owned()));
        }
        let options = self.stream_options()?;
        let to = |error| at(&self.output, "stdout")(error);
        if is_stream(&self.output) {
            let mut bytes = Vec::new();
            let mut writer = options.to(&mut bytes).map_err(to)?;
            self.lines(&mut writer, streams)?;
            writer.finish().map_err(to)?;
            return streams.write(&self.output, &bytes);
        }
        let mut writer = self.open(options)?;
        let packed = self.lines(&mut writer, streams);
        // The lines before a bad one were written.
        writer.finish().map_err(to)?;
        packed
    }

    fn stream_options(&self) -> Result<WriterOptions, Failure> {
        let only = |words: &str| Err(Failure::Arguments(words.to_owned()));
        if self.append && is_stream(&self.output) {
            return only("--append needs a file: name it with --output");
        }
        if self.append {
            let words = "--append needs a file, and this is none: a pipe or device takes a whole stream, without --append";
            check_file(&self.output, words)?;
        }
        if self.append && !self.meta.is_empty() {
            return only("--append cannot add --meta, which is at the start of the stream");
        }
        let pairs = self.meta.iter().map(|(key, value)| (&**key, &**value));
        let metadata = Metadata::new(pairs).map_err(|error| Failure::Usage("--meta", error))?;
        let mut options = WriterOptions::new()
            .profile(self.profile.choice())
            .threads(self.threads)
            .metadata(metadata)
            .statistics(self.statistics)
            .canonical(self.canonical);
        if let Some(sync) = self.sync {
            options = options.sync(sync.to_be_bytes());
        }
        Ok(options)
    }

    /// Creates the stream in the output file, or opens it to append.
    fn open(&self, options: WriterOptions) -> Result<Writer<File>, Failure> {
        let writer =
            if self.append { options.append(&self.output) } else { options.create(&self.output) };
        writer.map_err(|error| at(&self.output, "stdout")(error))
    }

    fn lines<W: Write>(
        &self,
        writer: &mut Writer<W>,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let input = streams.open(&self.file, "packing")?;
        ndjson::pack_stream(input, writer).map(drop).map_err(|error| at(&self.file, "stdin")(error))
    }
}

/// 8 bytes as hexadecimal digits.
fn sync_of(text: &str) -> Result<u64, &'static str> {
    let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u64::from_str_radix(text, 16).ok().filter(|_| is_hex);
    number.ok_or("16 hexadecimal digits are expected")
}
