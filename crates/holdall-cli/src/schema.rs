//! `holdall schema`

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use holdall::resolution::Reads;
use holdall::schema_text::SchemaText;
use holdall::stream;
use holdall::{Code, Decoder, Diff, Error, Reader};

use crate::diff::{json, schemas};
use crate::files::{Failure, MAGIC, Streams, at, is_stream};
use crate::json_schema;
use crate::known::{Known, is_schema_text, parse, read_schema_text};

/// Print the schema of holdall data, or work with files of schema text (.holds)
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    /// The file to read: holdall data, or schema text if it ends in .holds; `-` or nothing means standard input. A
    /// stream can have several schemas, one per line. For --check, the old and the new file
    #[arg(default_value = "-", hide_default_value = true, num_args = 1..=2)]
    files: Vec<PathBuf>,
    /// Lay the schema out as a .holds file, with its comments
    #[arg(long, conflicts_with = "check")]
    format: bool,
    /// Print the JSON Schema (2020-12) of what `holdall unpack --to json --logical storage` writes
    #[arg(long, conflicts_with_all = ["check", "format"])]
    json_schema: bool,
    /// Print the columns that `holdall.scan` of the Python package hands over, in Arrow's types, one per line. Those without
    /// one are shown as text of JSON. Of schema text, columns whose type follows from the values are marked
    #[cfg(feature = "tables")]
    #[arg(long, conflicts_with_all = ["check", "format", "json_schema"])]
    arrow: bool,
    /// Read JSON Schema, and lay it out as a .holds file, with its descriptions as docs
    #[arg(long, conflicts_with_all = ["check", "format", "json_schema"])]
    from_json_schema: bool,
    /// Compare two files, and fail unless the programs that --require names can read each other's data
    #[arg(long)]
    check: bool,
    /// What --check requires
    #[arg(long, value_enum, default_value_t, requires = "check", value_name = "WHAT")]
    require: Requirement,
    /// For --check: show at most this many changes
    #[arg(long, value_name = "LINES", default_value_t = 1000, requires = "check")]
    limit: usize,
    /// For --check: print one JSON object, for programs
    #[arg(long, requires = "check")]
    json: bool,
    /// Where to write; `-` or nothing means standard output. The input may be replaced: it is read before
    #[arg(short, long, value_name = "OUT", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall schema users.hold
  holdall pack users.json | holdall schema
  holdall schema --format users.hold -o users.holds
  holdall schema --format users.holds -o users.holds
  holdall schema --check old.holds new.holds --require both
  holdall schema --json-schema users.holds -o users.schema.json
  holdall schema --arrow users.hold
  holdall schema --arrow users.holds
  holdall schema --from-json-schema users.schema.json -o users.holds

Exit status of --check: 0 if the required programs read all data, 1 if not, 2 for trouble.";

/// Who must be able to read what, whatever the values are.
#[derive(Clone, Copy, Default, ValueEnum)]
enum Requirement {
    /// Programs with the new schema read data with the old one
    #[default]
    NewReadsOld,
    /// Programs with the old schema read data with the new one
    OldReadsNew,
    /// Both
    Both,
}

impl Schema {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        match &*self.files {
            [old, new] if self.check => {
                self.check(old, new, streams).map_err(|failure| match failure {
                    Failure::Different | Failure::Closed => failure,
                    other => Failure::Trouble(Box::new(other)),
                })
            }
            _ if self.check => {
                Err(Failure::Arguments("--check needs the old and the new file".to_owned()))
            }
            [file] if self.format => {
                let text = laid_out(file, &self.known, streams)?;
                let text = text.to_layout().map_err(at(file, "stdin"))?;
                streams.write(&self.output, text.as_bytes())
            }
            [file] if self.json_schema => {
                let text = laid_out(file, &self.known, streams)?;
                let text = json_schema::of(&text).map_err(at(file, "stdin"))?;
                streams.write(&self.output, text.as_bytes())
            }
            #[cfg(feature = "tables")]
            [file] if self.arrow => {
                // Before the input: a dictionary can come from a pipe.
                let decoder = self.known.decoder(None, streams)?;
                let text = match text_or_data(file, streams)? {
                    TextOrData::Text(text) => crate::arrow_schema::of_schema(text.schema()),
                    TextOrData::Data(data) => crate::arrow_schema::of(data, &decoder),
                };
                let text = text.map_err(|error| self.known.failure(file, error))?;
                streams.write(&self.output, text.as_bytes())
            }
            [file] if self.from_json_schema => {
                let text = streams.read_text(file)?;
                let text = json_schema::parse(&text).map_err(at(file, "stdin"))?;
                let text = text.to_layout().map_err(at(file, "stdin"))?;
                streams.write(&self.output, text.as_bytes())
            }
            [file] => {
                let text = of_file(file, &self.known, streams)?;
                streams.write(&self.output, text.as_bytes())
            }
            _ => Err(Failure::Arguments("only --check takes two files".to_owned())),
        }
    }

    fn check(&self, old: &Path, new: &Path, streams: &mut Streams<'_>) -> Result<(), Failure> {
        if is_stream(old) && is_stream(new) {
            let words = "only one of the two can be standard input; name a file for the other";
            return Err(Failure::Arguments(words.to_owned()));
        }
        // A dictionary can come from a pipe, which is read once.
        let mut decoder = self.known.decoder(None, streams)?;
        let mut schema = |file| one_schema(file, &self.known, &mut decoder, streams);
        let both = [schema(old)?, schema(new)?];
        let diff = Diff::between(&both[0], &both[1]);
        let text = match self.json {
            true => json(&schemas::to_value(&diff, schemas::is_equal(&both, &diff), self.limit))?,
            false => schemas::print(&diff, self.limit, streams.shows.colour),
        };
        streams.show(&text)?;
        let always = |reads: &Reads| matches!(reads, Reads::Always);
        let is_met = match self.require {
            Requirement::NewReadsOld => always(&diff.new_reads_old),
            Requirement::OldReadsNew => always(&diff.old_reads_new),
            Requirement::Both => always(&diff.new_reads_old) && always(&diff.old_reads_new),
        };
        if is_met { Ok(()) } else { Err(Failure::Different) }
    }
}

/// The lines of docs. They end wherever an editor or a programming language ends one, so that no part of them leaves its comment.
pub(crate) fn lines_of_docs(docs: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    docs.split_terminator(is_end)
}

enum TextOrData {
    Text(SchemaText),
    Data(Vec<u8>),
}

/// Schema text or data, by the name of the file. Standard input may be either.
fn text_or_data(file: &Path, streams: &mut Streams<'_>) -> Result<TextOrData, Failure> {
    let may_be_text = is_schema_text(file) || is_stream(file);
    let bytes = match may_be_text {
        true => streams.read_text(file)?,
        false => streams.read_data(file, "reading")?,
    };
    Ok(match is_schema_text(file) || (may_be_text && bytes.first() != Some(&MAGIC)) {
        true => TextOrData::Text(parse(file, &bytes)?),
        false => TextOrData::Data(bytes),
    })
}

/// A file's schema as text with the comments that it has.
pub(crate) fn laid_out(
    file: &Path,
    known: &Known,
    streams: &mut Streams<'_>,
) -> Result<SchemaText, Failure> {
    let bytes = match text_or_data(file, streams)? {
        TextOrData::Text(text) => return Ok(text),
        TextOrData::Data(bytes) => bytes,
    };
    let schema = only_schema(file, &bytes, known, &mut known.decoder(None, streams)?)?;
    SchemaText::parse(&schema.to_string()).map_err(at(file, "stdin"))
}

/// The one schema of a file.
pub(crate) fn one_schema(
    file: &Path,
    known: &Known,
    decoder: &mut Decoder,
    streams: &mut Streams<'_>,
) -> Result<holdall::Schema, Failure> {
    if is_schema_text(file) {
        return Ok(read_schema_text(file, streams)?.schema().clone());
    }
    let data = streams.read_data(file, "reading")?;
    only_schema(file, &data, known, decoder)
}

fn only_schema(
    file: &Path,
    data: &[u8],
    known: &Known,
    decoder: &mut Decoder,
) -> Result<holdall::Schema, Failure> {
    let [schema] = <[_; 1]>::try_from(of_data(file, data, known, decoder)?).map_err(|all| {
        let error = Error::new(Code::BadInput)
            .expected("data with one schema")
            .got(format!("a stream with {}", all.len()));
        at(file, "stdin")(error)
    })?;
    Ok(schema)
}

/// The schemas of a file, one per line.
fn of_file(file: &Path, known: &Known, streams: &mut Streams<'_>) -> Result<String, Failure> {
    if is_schema_text(file) {
        return Ok(format!("{}\n", read_schema_text(file, streams)?.schema()));
    }
    let data = streams.read_data(file, "reading")?;
    let limit = Decoder::new().output_limit(&data);
    let mut text = Limited { text: String::new(), limit };
    let schemas = of_data(file, &data, known, &mut known.decoder(None, streams)?)?;
    if schemas.iter().any(|schema| writeln!(text, "{schema}").is_err()) {
        let error = Error::new(Code::LimitOutput)
            .expected(format!("a schema of at most {limit} bytes of text"))
            .got("more");
        return Err(at(file, "stdin")(error));
    }
    Ok(text.text)
}

fn of_data(
    file: &Path,
    data: &[u8],
    known: &Known,
    decoder: &mut Decoder,
) -> Result<Vec<holdall::Schema>, Failure> {
    let schemas = match stream::is_stream(data) {
        true => of_stream(data, decoder),
        false => decoder.schema(data).map(|schema| vec![schema]),
    };
    schemas.map_err(|error| known.failure(file, error))
}

/// The schemas of a stream's blocks, each once.
fn of_stream(bytes: &[u8], decoder: &Decoder) -> holdall::Result<Vec<holdall::Schema>> {
    let mut schemas: Vec<holdall::Schema> = Vec::new();
    let mut reader = Reader::with_decoder(bytes, decoder).unfinished(true);
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
