//! `holdall cat`

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use holdall::stream;
use holdall::{Decoder, OnDamage, Reader, Value};
use holdall_convert::{Format, Unpacker, json};

use crate::files::{Failure, Streams, at, is_stream, json_of, take_data};
use crate::known::Known;
use crate::pick::{Condition, Missing, Place};
use crate::remote::url_of;

/// Print the values of a stream, or the items of a list, as JSON, one per line
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cat {
    /// The file or URL to read; `-` or nothing means standard input
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// Print only this part of each value, such as `name`, `address.city` or `tags[0]`; skip values that lack it
    #[arg(long, value_name = "PATH", value_parser = Place::parse)]
    column: Option<Place>,
    /// Print only values with this content: `level=warn`, `user.id=7`. The part after `=` is JSON or, if it is not valid JSON,
    /// a string. If you repeat the option, all conditions must hold
    #[arg(long = "where", value_name = "PATH=VALUE", value_parser = Condition::parse)]
    conditions: Vec<Condition>,
    /// Print only the first COUNT values
    #[arg(long, value_name = "COUNT", conflicts_with = "tail")]
    head: Option<u64>,
    /// Print only the last COUNT values
    #[arg(long, value_name = "COUNT")]
    tail: Option<usize>,
    /// Wait for values that are appended to the file, until the output is closed
    #[arg(long)]
    follow: bool,
    /// Skip damaged parts, and report them at the end
    #[arg(long)]
    skip_damage: bool,
    /// The largest amount of memory to use for a block, as for unpack
    #[arg(long, value_name = "UNITS")]
    budget: Option<u64>,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall cat log.hold --tail 10
  holdall cat log.hold --where level=error --column message
  holdall cat log.hold --follow | jq .message

Logical values, such as sets, are printed in their stored form, dates, times, UUIDs and addresses as text. A shared value is printed at each place.";

/// How long `--follow` waits before it looks for new values.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);

/// The output so far.
struct OutputLines<'c> {
    cat: &'c Cat,
    unpacker: Unpacker,
    decoder: Decoder,
    /// The last lines, for `--tail`.
    last: VecDeque<String>,
    /// The places of `--column` and `--where` that no value has had so far.
    missing: Vec<Missing<'c>>,
    /// Whether there was no value yet.
    is_empty: bool,
    count: u64,
    out: String,
}

/// Output is written once it is this long.
const CHUNK: usize = 1 << 16;

impl OutputLines<'_> {
    /// Prints a value that passes the options; `false` if no more values are needed.
    fn add(&mut self, value: &Value) -> holdall::Result<bool> {
        self.missing.retain_mut(|place| place.is_missing_in(value));
        self.is_empty = false;
        if !self.cat.conditions.iter().all(|condition| condition.holds(value)) {
            return Ok(true);
        }
        let picked = match &self.cat.column {
            None => Some(value),
            Some(place) => place.of(value),
        };
        let Some(picked) = picked else { return Ok(true) };
        let message = holdall::to_vec(picked)?;
        let text = self.unpacker.unpack(&mut self.decoder, &message)?;
        let line = json_of(&text);
        self.count += 1;
        match self.cat.tail {
            None => self.out += &line,
            Some(count) => {
                self.last.push_back(line);
                if self.last.len() > count {
                    self.last.pop_front();
                }
            }
        }
        Ok(self.cat.head.is_none_or(|head| self.count < head))
    }

    fn write(&mut self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let out = std::mem::take(&mut self.out);
        streams.write_stdout(out.as_bytes())
    }

    fn finish(&mut self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        self.out.extend(self.last.drain(..));
        self.write(streams)
    }

    /// A place that no value had is a mistake, unless there were no values.
    fn check_places(&self) -> Result<(), Failure> {
        match self.missing.first() {
            Some(place) if !self.is_empty => Err(Failure::Arguments(place.to_string())),
            _ => Ok(()),
        }
    }
}

impl Cat {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        if self.follow && (is_stream(&self.file) || self.tail.is_some()) {
            let words = "--follow needs a file, and cannot be combined with --tail";
            return Err(Failure::Arguments(words.to_owned()));
        }
        let decoder = self.known.decoder(self.budget, streams)?;
        let unpacker = Unpacker::new(Format::Json).storage(true).copies(true);
        let column = self.column.iter().map(|place| place.missing("--column"));
        let conditions = self.conditions.iter().map(|each| each.place().missing("--where"));
        let mut lines = OutputLines {
            cat: self,
            unpacker,
            decoder,
            last: VecDeque::new(),
            missing: conditions.chain(column).collect(),
            is_empty: true,
            count: 0,
            out: String::new(),
        };
        if self.head == Some(0) {
            return Ok(());
        }
        let here = || at(&self.file, "stdin");
        if let Some(url) = url_of(&self.file) {
            if self.follow {
                let words = "--follow needs a file on this machine";
                return Err(Failure::Arguments(words.to_owned()));
            }
            let mut file = (streams.open_url)(url).map_err(here())?;
            if begins_stream(&mut file).map_err(here())? {
                return self.file(file, streams, &mut lines);
            }
        } else if !is_stream(&self.file) {
            let mut file = File::open(&self.file).map_err(here())?;
            if !file.metadata().map_err(here())?.is_file() {
                return self.pipe(file, streams, &mut lines);
            }
            if begins_stream(&mut file).map_err(here())? || self.follow {
                return self.file(file, streams, &mut lines);
            }
        }
        let bytes = streams.read_data(&self.file, "printing")?;
        self.data(&bytes, streams, &mut lines)
    }

    /// The values of a pipe or device, in which nothing can be skipped: those of a stream as they arrive.
    fn pipe(
        &self,
        pipe: File,
        streams: &mut Streams<'_>,
        lines: &mut OutputLines<'_>,
    ) -> Result<(), Failure> {
        if self.follow {
            let words = "--follow needs a file, and this is none: without it, the values of a pipe are printed as they arrive";
            return Err(Failure::Arguments(words.to_owned()));
        }
        let mut pipe = BufReader::with_capacity(CHUNK, pipe);
        let mut start = Vec::new();
        pipe.by_ref().take(PIPE_HEAD).read_to_end(&mut start).map_err(at(&self.file, "stdin"))?;
        let is_stream = stream::is_stream(&start);
        let mut whole = Cursor::new(start).chain(pipe);
        if is_stream {
            return self.values(Reader::new(whole).whole(true), streams, lines);
        }
        let mut bytes = Vec::new();
        take_data(&mut whole, &mut bytes).map_err(at(&self.file, "stdin"))?;
        self.data(&bytes, streams, lines)
    }

    /// The values of a message, or of a stream in memory.
    fn data(
        &self,
        bytes: &[u8],
        streams: &mut Streams<'_>,
        lines: &mut OutputLines<'_>,
    ) -> Result<(), Failure> {
        if stream::is_stream(bytes) {
            return self.values(Reader::new(bytes).whole(true), streams, lines);
        }
        let value: Value = lines.decoder.decode(bytes).map_err(|error| self.failure(error))?;
        let items = value.as_slice().unwrap_or_else(|| std::slice::from_ref(&value));
        for item in items {
            if !lines.add(item).map_err(at(&self.file, "stdin"))? {
                break;
            }
        }
        lines.finish(streams)?;
        lines.check_places()
    }

    /// The values of a file. `--tail` alone starts near the end.
    fn file(
        &self,
        file: impl Read + Seek,
        streams: &mut Streams<'_>,
        lines: &mut OutputLines<'_>,
    ) -> Result<(), Failure> {
        let mut reader = Reader::new(file).whole(true);
        if self.follow {
            reader = reader.follow(|| {
                sleep(FOLLOW_INTERVAL);
                true
            });
        }
        if let (Some(tail), true) = (self.tail, self.conditions.is_empty() && self.column.is_none())
        {
            let mut looks = reader.on_damage(self.on_damage());
            let len = looks.len().map_err(|error| self.failure(error))?;
            let first = len.saturating_sub(tail as u64);
            if first > 0 {
                looks.go_to(first).map_err(|error| self.failure(error))?;
            }
            reader = looks;
        }
        self.values(reader, streams, lines)
    }

    fn on_damage(&self) -> OnDamage {
        if self.skip_damage { OnDamage::Skip } else { OnDamage::Error }
    }

    fn values(
        &self,
        reader: Reader<impl Read>,
        streams: &mut Streams<'_>,
        lines: &mut OutputLines<'_>,
    ) -> Result<(), Failure> {
        let mut reader = reader.on_damage(self.on_damage()).limits(self.known.limits(self.budget));
        for schema in self.known.read(streams)? {
            reader.add_schema(&schema);
        }
        let (mut values, mut failed) = (reader.values::<Value>(), None);
        for value in &mut values {
            let more = match value {
                Ok(value) => lines.add(&value),
                Err(error) => Err(error),
            };
            match more {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    failed = Some(self.failure(error));
                    break;
                }
            }
            if self.follow || lines.out.len() > CHUNK {
                lines.write(streams)?;
            }
        }
        // Intact values are printed before the error is reported.
        lines.finish(streams)?;
        if let Some(failed) = failed {
            return Err(failed);
        }
        match reader.damage() {
            [] => lines.check_places(),
            [damage] => {
                let words = self.known.words(damage);
                Err(Failure::Bad(format!("{}: {words}", self.file.display())))
            }
            [first, rest @ ..] => Err(Failure::Bad(format!(
                "{}: {first:#}; and {} more faults",
                self.file.display(),
                rest.len()
            ))),
        }
    }

    fn failure(&self, error: holdall::Error) -> Failure {
        self.known.failure(&self.file, error)
    }
}

/// The number of bytes of a pipe that show what is in it; the shortest stream has more.
const PIPE_HEAD: u64 = 12;

/// Whether a file is a stream; its position stays.
fn begins_stream(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let mut start = [0; 2];
    let begun = file.read(&mut start)?;
    file.rewind()?;
    Ok(stream::is_stream(&start[..begun]))
}

/// A value from text on the command line: JSON or, if it is not valid JSON, the text itself.
pub(crate) fn value_of(text: &str) -> Value {
    let packed = json::pack(text.as_bytes());
    packed.and_then(|message| holdall::from_slice(&message)).unwrap_or_else(|_| Value::from(text))
}
