//! `holdall hash`

use std::fmt::Write;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use clap::Args;
use holdall::stream;
use holdall::{Decoder, Encoder, Profile, Reader, Value};
use sha2::{Digest, Sha256};

use crate::files::{Failure, Streams, at, take_data};
use crate::known::Known;

/// Print the SHA-256 of the values in holdall data: equal for equal values, however they are stored
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hash {
    /// The files to read; `-` or nothing means standard input
    #[arg(default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,
    /// The largest amount of memory to use for each file, as for unpack
    #[arg(long, value_name = "UNITS")]
    budget: Option<u64>,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall hash users.hold
  holdall hash before.hold after.hold

The hash of a message is that of its value's canonical bytes: profile balanced, sets and hash maps in the order of \
the format, without length, checksum, metadata and alignment. In Python it is holdall.digest(value). The hash of a \
stream is that of all such messages, each preceded by its length in 8 bytes, lowest first.";

impl Hash {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let mut decoder = self.known.decoder(self.budget, streams)?;
        let schemas = self.known.read(streams)?;
        for path in &self.files {
            let hash = self.hash(path, &mut decoder, &schemas, streams)?;
            let mut line = String::new();
            for byte in hash {
                // Text is written without failure.
                let _ = write!(line, "{byte:02x}");
            }
            let _ = writeln!(line, "  {}", path.display());
            streams.write_stdout(line.as_bytes())?;
        }
        Ok(())
    }

    fn hash(
        &self,
        path: &Path,
        decoder: &mut Decoder,
        schemas: &[holdall::Schema],
        streams: &mut Streams<'_>,
    ) -> Result<[u8; 32], Failure> {
        let failure = |error: holdall::Error| self.known.failure(path, error);
        let mut encoder = Encoder::new().profile(Profile::Balanced).canonical(true);
        let mut input = streams.open(path, "hashing")?;
        let start = input.fill_buf().map_err(at(path, "stdin"))?;
        if !stream::is_stream(start) {
            let mut bytes = Vec::new();
            take_data(&mut input, &mut bytes).map_err(at(path, "stdin"))?;
            let value: Value = decoder.decode(&bytes).map_err(failure)?;
            let message = encoder.encode(&value).map_err(failure)?;
            return Ok(Sha256::digest(&message).into());
        }
        let mut hash = Sha256::new();
        let mut reader = Reader::new(input).limits(self.known.limits(self.budget));
        schemas.iter().for_each(|schema| reader.add_schema(schema));
        for value in reader.values::<Value>() {
            let message = encoder.encode(&value.map_err(failure)?).map_err(failure)?;
            hash.update((message.len() as u64).to_le_bytes());
            hash.update(&message);
        }
        Ok(hash.finalize().into())
    }
}
