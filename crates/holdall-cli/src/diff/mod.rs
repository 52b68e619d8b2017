//! `holdall diff`

mod align;
mod classes;
mod graph;
mod path;
mod print;
mod runs;
pub(crate) mod schemas;
mod steps;
mod text;
pub mod values;
mod walk;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use holdall::{Code, Decoder, Error, Schema, Value, ValueBuilder};

use crate::files::{Failure, Streams, at, is_stream, json_line};
use crate::known::{Known, is_schema_text};
use crate::schema::one_schema;
use values::{Differences, Options};

/// Compare the schemas or the values of two files
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diff {
    /// The old file; `-` means standard input
    old: PathBuf,
    /// The new file; `-` means standard input
    new: PathBuf,
    /// Compare the values, by path. Default: compare the schemas, and show whether each can read the other's data
    #[arg(long)]
    values: bool,
    /// Show only differences at this path, inside it or around it, such as `$.users[3].name` or `users[].name`
    #[arg(long, value_name = "PATH", requires = "values")]
    path: Option<String>,
    /// Treat values as equal despite another `order` of entries in mappings, or another `identity`: a copy in place
    /// of a shared value
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT", requires = "values")]
    #[arg(hide_possible_values = true)]
    ignore: Vec<Ignored>,
    /// Show at most this many differences. All are counted
    #[arg(long, value_name = "LINES", default_value_t = 1000)]
    limit: usize,
    /// Print one JSON object, for programs
    #[arg(long)]
    json: bool,
    /// The largest amount of memory to use for each file, as for unpack
    #[arg(long, value_name = "UNITS", requires = "values")]
    budget: Option<u64>,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall diff old.hold new.hold
  holdall diff --values old.hold new.hold
  holdall diff --values --path 'users[].name' --ignore order old.hold new.hold
  holdall pack users.json | holdall diff --values users.hold - --json | jq '.differences[].path'

Lines begin with + for new, - for removed and ~ for changed; for values also with
  &  in one of the files, this is the same value as the one at another path
  ?  a later version wrote this value, so it cannot be compared

In paths of values, `{7}` is the entry of a map whose key is 7.

Metadata and encodings are not compared. Floats are equal if their bits are.

Exit status: 0 for no differences, 1 for differences, 2 for trouble.";

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Ignored {
    Order,
    Identity,
}

/// Two messages, each with its name.
type Pair<'f> = [(&'f Path, Vec<u8>); 2];

impl Diff {
    /// A difference is a failure too, so that it gets its own exit status.
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let (is_equal, text) =
            self.compare(streams).map_err(|failure| Failure::Trouble(Box::new(failure)))?;
        match streams.show(&text) {
            // A reader that closed the output may still use the exit status.
            Ok(()) | Err(Failure::Closed) if is_equal => Ok(()),
            Ok(()) | Err(Failure::Closed) => Err(Failure::Different),
            Err(failure) => Err(Failure::Trouble(Box::new(failure))),
        }
    }

    /// Whether there is no difference, and what to print.
    fn compare(&self, streams: &mut Streams<'_>) -> Result<(bool, String), Failure> {
        if is_stream(&self.old) && is_stream(&self.new) {
            let words = "only one of the two can be standard input; name a file for the other";
            return Err(Failure::Arguments(words.to_owned()));
        }
        if !self.values && (is_schema_text(&self.old) || is_schema_text(&self.new)) {
            let mut decoder = self.known.decoder(None, streams)?;
            let mut schema = |file| one_schema(file, &self.known, &mut decoder, streams);
            let schemas = [schema(&self.old)?, schema(&self.new)?];
            return self.diff_schemas(&schemas, streams.shows.colour);
        }
        let mut decoder = self.known.decoder(self.budget, streams)?;
        let old = streams.read_data(&self.old, "reading")?;
        let messages: Pair<'_> =
            [(&self.old, old), (&self.new, streams.read_data(&self.new, "reading")?)];
        let schemas = self.schemas(&messages, &mut decoder)?;
        let colour = streams.shows.colour;
        if self.values {
            self.diff_values(&messages, &mut decoder, colour)
        } else {
            self.diff_schemas(&schemas, colour)
        }
    }

    fn diff_schemas(&self, schemas: &[Schema; 2], colour: bool) -> Result<(bool, String), Failure> {
        let [old, new] = schemas;
        let diff = holdall::Diff::between(old, new);
        let is_equal = schemas::is_equal(schemas, &diff);
        let text = match self.json {
            true => json(&schemas::to_value(&diff, is_equal, self.limit))?,
            false if is_equal => String::new(),
            false => schemas::print(&diff, self.limit, colour),
        };
        Ok((is_equal, text))
    }

    fn diff_values(
        &self,
        messages: &Pair<'_>,
        decoder: &mut Decoder,
        colour: bool,
    ) -> Result<(bool, String), Failure> {
        let mut options = Options::new()
            .limit(self.limit)
            .ignore_order(self.ignore.contains(&Ignored::Order))
            .ignore_identity(self.ignore.contains(&Ignored::Identity));
        if let Some(path) = &self.path {
            options = options.path(path);
        }
        let [old, new] = messages;
        let value = self.read(old, decoder)?;
        let differences = match old.1 == new.1 && self.path.is_none() {
            // The same bytes are the same value, whatever a later version wrote in it.
            true => Differences::default(),
            false => self.differences(&value, &self.read(new, decoder)?, &options)?,
        };
        let text = match self.json {
            true => json(&print::to_value(&differences))?,
            false => print::print(&differences, colour),
        };
        Ok((differences.is_empty(), text))
    }

    fn differences(
        &self,
        old: &Value,
        new: &Value,
        options: &Options,
    ) -> Result<Differences, Failure> {
        let differences = values::differences(old, new, options).map_err(|error| {
            if error.code() == Code::BadInput {
                let hint = "`holdall schema` shows what there is";
                return Failure::Arguments(format!("--path: {error}; {hint}"));
            }
            at(&self.old, "stdin")(error)
        })?;
        if differences.is_cut && differences.count() == 0 {
            let error = Error::new(Code::LimitBudget)
                .expected("values with few paths to each shared part")
                .got("more paths than `diff` follows, and no difference on those");
            return Err(at(&self.old, "stdin")(error));
        }
        Ok(differences)
    }

    /// The schemas of both. One that has only its fingerprint may have the schema of the other.
    fn schemas(&self, messages: &Pair<'_>, decoder: &mut Decoder) -> Result<[Schema; 2], Failure> {
        for (_, message) in messages {
            if let Ok(schema) = decoder.schema(message) {
                decoder.add_schema(&schema);
            }
        }
        let mut schema = |message: &(&Path, Vec<u8>)| {
            decoder.schema(&message.1).map_err(|error| self.failure(message, error))
        };
        Ok([schema(&messages[0])?, schema(&messages[1])?])
    }

    fn read(&self, message: &(&Path, Vec<u8>), decoder: &mut Decoder) -> Result<Value, Failure> {
        let mut builder = ValueBuilder::new();
        let value = decoder.message(&message.1, &mut builder).and_then(|()| builder.finish());
        value.map_err(|error| self.failure(message, error))
    }

    /// An error of a message, and what to do about it.
    fn failure(&self, (path, _): &(&Path, Vec<u8>), error: Error) -> Failure {
        self.known.failure(path, error)
    }
}

pub(crate) fn json(value: &Value) -> Result<String, Failure> {
    json_line(value).map_err(|error| Failure::At("stdout".to_owned(), error))
}
