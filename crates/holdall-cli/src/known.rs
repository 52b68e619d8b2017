//! `--schema`, `--store`, `--dictionary`: what data needs that is not in it, and hints for errors.

use std::path::{Path, PathBuf};

use clap::Args;
use holdall::schema_text::SchemaText;
use holdall::stream::{self, Damage};
use holdall::{Code, Decoder, Dictionary, Error, Limits, Reader, Schema, SchemaStore};

use crate::files::{Failure, MAGIC, Streams, at};

/// The schemas and dictionaries that the command line names.
#[derive(Args)]
pub(crate) struct Known {
    /// A file with the schema, for data that has only its fingerprint: other data with the same schema, schema text
    /// (.holds), or the bytes of the schema alone. You can repeat the option
    #[arg(long = "schema", value_name = "FILE")]
    schemas: Vec<PathBuf>,
    /// A folder with schemas by their fingerprints, as `pack --store` fills it
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
    /// A dictionary that `holdall train` wrote, for messages that are compressed with it. You can repeat the option
    #[arg(long = "dictionary", value_name = "FILE")]
    dictionaries: Vec<PathBuf>,
}

impl Known {
    /// Returns a decoder that knows the schemas and dictionaries.
    pub(crate) fn decoder(
        &self,
        budget: Option<u64>,
        streams: &mut Streams<'_>,
    ) -> Result<Decoder, Failure> {
        let mut decoder = self.with_dictionaries(streams)?;
        let schemas = self.schemas(&mut decoder, streams)?;
        schemas.iter().for_each(|schema| decoder.add_schema(schema));
        Ok(decoder.limits(self.limits(budget)))
    }

    fn with_dictionaries(&self, streams: &mut Streams<'_>) -> Result<Decoder, Failure> {
        let mut decoder = Decoder::new();
        for path in &self.dictionaries {
            decoder.add_dictionary(&read_dictionary(path, streams)?);
        }
        Ok(decoder)
    }

    pub(crate) fn limits(&self, budget: Option<u64>) -> Limits {
        // A frame has no more bytes than it is charged units, so one option is enough.
        let set = |units: u64| Limits::new().budget(units).frame(units.max(1 << 31));
        budget.map_or(Limits::new(), set)
    }

    /// The error of a part of a stream, with a hint.
    pub(crate) fn words(&self, damage: &Damage) -> String {
        match self.hint(damage.error()) {
            Some(hint) => format!("{damage:#}; {hint}"),
            None => damage.to_string(),
        }
    }

    /// The schemas.
    pub(crate) fn read(&self, streams: &mut Streams<'_>) -> Result<Vec<Schema>, Failure> {
        // A file of a dictionary can be a pipe, which is read once.
        let needs_none = self.schemas.is_empty();
        let decoder = if needs_none { Ok(Decoder::new()) } else { self.with_dictionaries(streams) };
        self.schemas(&mut decoder?, streams)
    }

    /// The schemas, some of them of messages with dictionaries that the decoder has.
    fn schemas(
        &self,
        decoder: &mut Decoder,
        streams: &mut Streams<'_>,
    ) -> Result<Vec<Schema>, Failure> {
        let mut schemas = Vec::new();
        for path in &self.schemas {
            if is_schema_text(path) {
                schemas.push(read_schema_text(path, streams)?.schema().clone());
                continue;
            }
            let bytes = streams.read_head(path, is_no_schema)?;
            schemas.push(read_schema(&bytes, decoder).map_err(|error| {
                let hint = match error.code() {
                    Code::UnknownDictionary => self.hint(&error),
                    _ => Some("--schema takes data with its schema in it, or a schema alone"),
                };
                at(path, "stdin")(error).with_hint(hint)
            })?);
        }
        if let Some(folder) = &self.store {
            let store = SchemaStore::folder(folder);
            for fingerprint in store.fingerprints().map_err(at(folder, "stdin"))? {
                schemas.extend(store.get(fingerprint).map_err(at(folder, "stdin"))?);
            }
        }
        Ok(schemas)
    }

    /// The failure for an error of a file's data.
    pub(crate) fn failure(&self, file: &Path, error: Error) -> Failure {
        let hint = self.hint(&error);
        at(file, "stdin")(error).with_hint(hint)
    }

    /// The hint for an error.
    pub(crate) fn hint(&self, error: &Error) -> Option<&'static str> {
        Some(match error.code() {
            Code::LimitBudget | Code::LimitOutput => {
                "if you trust the data, pass a larger --budget"
            }
            Code::BadMagic => "this is not holdall data",
            Code::UnknownFingerprint if self.schemas.is_empty() && self.store.is_none() => {
                "add --schema and a file that has the schema, or --store and a folder of schemas"
            }
            Code::UnknownDictionary if self.dictionaries.is_empty() => {
                "add --dictionary and the file of the dictionary"
            }
            Code::UnknownDictionary => "no file of --dictionary is this one",
            Code::UnknownFingerprint => {
                "neither a file of --schema nor the folder of --store has the schema"
            }
            _ => return None,
        })
    }
}

/// The first bytes of a dictionary of zstd (RFC 8878, chapter 5).
const DICTIONARY: [u8; 4] = [0x37, 0xA4, 0x30, 0xEC];

/// Reads a dictionary that `holdall train` wrote.
pub(crate) fn read_dictionary(
    path: &Path,
    streams: &mut Streams<'_>,
) -> Result<Dictionary, Failure> {
    let bytes = streams.read_head(path, |head| !head.starts_with(&DICTIONARY))?;
    Dictionary::from_bytes(&bytes).map_err(|error| {
        at(path, "stdin")(error).with_hint(Some("`holdall train` makes a dictionary"))
    })
}

/// Whether a file holds schema text (F-99), by its name.
pub(crate) fn is_schema_text(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "holds")
}

pub(crate) fn read_schema_text(
    path: &Path,
    streams: &mut Streams<'_>,
) -> Result<SchemaText, Failure> {
    parse(path, &streams.read_text(path)?)
}

/// The schema that a file holds as text, after the byte order mark that editors of Windows write: the grammar has none (F-99).
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<SchemaText, Failure> {
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Error::at(Code::InvalidUtf8, error.valid_up_to()).expected("schema text in UTF-8")
    });
    text.and_then(SchemaText::parse).map_err(at(path, "stdin"))
}

/// Whether data that begin so are neither holdall data nor a schema on its own, of which no beginning is whole.
fn is_no_schema(head: &[u8]) -> bool {
    let is_cut =
        || matches!(Schema::from_bytes(head), Err(error) if error.code() == Code::Truncated);
    head.first() != Some(&MAGIC) && !is_cut()
}

/// Reads the schema of a message, the first one of a stream, or a schema on its own (F-22).
fn read_schema(bytes: &[u8], decoder: &mut Decoder) -> holdall::Result<Schema> {
    let alone = Schema::from_bytes(bytes);
    // The number of definitions that begins a schema on its own can look like a message's first bytes.
    if alone.is_err() && stream::is_stream(bytes) {
        let schema = Reader::new(bytes).schema()?.cloned();
        return schema.ok_or_else(|| Error::new(Code::BadInput).expected("a stream with a schema"));
    }
    if alone.is_err() && bytes.first() == Some(&MAGIC) { decoder.schema(bytes) } else { alone }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_the_hint_unless_memory_is_missing() {
        type Rows = Vec<Option<[u64; 32]>>;
        let mut message = holdall::to_vec(&Rows::new()).unwrap();
        assert_eq!(message.pop(), Some(0));
        // 2^60 rows, all of which are null.
        message.push(0xFF);
        message.extend((1_u64 << 60).to_le_bytes());
        message.push(0x50);
        let known = Known { schemas: Vec::new(), store: None, dictionaries: Vec::new() };
        let outcome = |budget| {
            let mut decoder = Decoder::new().limits(known.limits(budget));
            let error = decoder.decode::<Rows>(&message).unwrap_err();
            (error.code(), known.hint(&error))
        };
        let hint = "if you trust the data, pass a larger --budget";
        assert_eq!(outcome(None), (Code::LimitBudget, Some(hint)));
        assert_eq!(outcome(Some(u64::MAX)), (Code::OutOfMemory, None));
    }
}
