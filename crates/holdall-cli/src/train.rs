//! `holdall train`

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use holdall::{Decoder, Dictionary, Encoder, Reader, Value, Writer, stream};
use holdall_convert::{Format, Packer, ndjson};

use crate::files::{Failure, MAGIC, Streams, at};
use crate::formats::{FileKind, format_of, parser};
use crate::known::Known;
use crate::pack::Profile;

/// Train a dictionary that makes small messages smaller, from messages like them
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Train {
    /// The samples: holdall messages, streams, of which each value is a sample, or files of other formats: each line
    /// of ndjson is a sample, and each file of any other format
    #[arg(required = true)]
    samples: Vec<PathBuf>,
    /// The format of samples that are not holdall data. Default: by the files' extensions
    #[arg(long, value_parser = parser(), value_name = "FORMAT", hide_possible_values = true)]
    from: Option<FileKind>,
    /// The profile of the messages to come: that of samples of other formats, and of the values of a stream
    #[arg(long, value_enum, default_value_t = Profile::Balanced)]
    profile: Profile,
    /// The most bytes that the dictionary has
    #[arg(long, value_name = "BYTES", default_value_t = 100_000)]
    size: usize,
    /// Where to write; `-` or nothing means standard output. An existing file is replaced once the new one is
    /// complete
    #[arg(short, long, value_name = "OUT", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall train events.ndjson -o events.dictionary
  holdall train messages/*.hold --size 30000 -o events.dictionary
  holdall train new/*.hold --dictionary events.dictionary -o newer.dictionary
  holdall unpack message.hold --dictionary events.dictionary --to json

Some hundred samples are enough, if they have ten times as many bytes as the dictionary. Messages and programs name \
the dictionary by a hash of it, so keep it for as long as the messages: nothing else can read them.";

impl Train {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let decoder = self.known.decoder(None, streams)?;
        let mut samples = Vec::new();
        for path in &self.samples {
            self.read(path, &decoder, &mut samples, streams)?;
        }
        let dictionary = Dictionary::train(&samples, self.size)
            .map_err(|error| Failure::At("the samples".to_owned(), error))?;
        streams.write(&self.output, dictionary.as_bytes())
    }

    /// Adds the samples of a file.
    fn read(
        &self,
        path: &Path,
        decoder: &Decoder,
        samples: &mut Vec<Vec<u8>>,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let mut input = streams.open(path, "reading")?;
        let start = input.fill_buf().map_err(at(path, "stdin"))?;
        let is_data = start.first() == Some(&MAGIC);
        // What is no sample is not read.
        let format = if is_data { None } else { Some(self.format(path)?) };
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(at(path, "stdin"))?;
        let failed = |error| self.known.failure(path, error);
        let Some(format) = format else {
            if stream::is_stream(&bytes) {
                return self.read_stream(&bytes, decoder, samples).map_err(failed);
            }
            let plain = decoder.without_dictionary(&bytes).map_err(failed)?;
            samples.push(plain.unwrap_or(bytes));
            return Ok(());
        };
        let packed = match format {
            Format::Ndjson => {
                of_lines(&bytes).and_then(|rows| self.read_stream(&rows, decoder, samples))
            }
            _ => Packer::new(format)
                .pack_from(&mut self.encoder(), &bytes[..])
                .map(|message| samples.push(message)),
        };
        packed.map_err(failed)
    }

    /// The format of a file that is not holdall data.
    fn format(&self, path: &Path) -> Result<Format, Failure> {
        match format_of("--from", self.from, path, "stdin")? {
            FileKind::Value(format) => Ok(format),
            #[cfg(feature = "tables")]
            FileKind::Table(_) => {
                let words = "the rows of a table are samples if `holdall pack` made a stream of it";
                Err(Failure::Arguments(words.to_owned()))
            }
        }
    }

    /// Adds the values of a stream.
    fn read_stream(
        &self,
        bytes: &[u8],
        decoder: &Decoder,
        samples: &mut Vec<Vec<u8>>,
    ) -> holdall::Result<()> {
        let mut encoder = self.encoder();
        for value in Reader::with_decoder(bytes, decoder).values::<Value>() {
            samples.push(encoder.encode(&value?)?);
        }
        Ok(())
    }

    fn encoder(&self) -> Encoder {
        Encoder::new().profile(self.profile.choice())
    }
}

/// The lines of NDJSON as a stream.
fn of_lines(text: &[u8]) -> holdall::Result<Vec<u8>> {
    let mut writer = Writer::new(Vec::new())?;
    ndjson::pack_stream(text, &mut writer)?;
    writer.finish()
}
