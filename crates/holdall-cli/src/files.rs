//! Files and standard streams, and what can go wrong with them.

use std::fmt;
use std::fs;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use holdall::{Error, LooksLike, Value};
use holdall_convert::json;
use holdall_inspect::{is_control, printable};
use indicatif::ProgressDrawTarget;

use crate::progress::Watched;
use crate::terminal::{Shows, TextOnly};

/// Why a command ended early.
pub(crate) enum Failure {
    /// The reader of standard output is gone.
    Closed,
    /// There are differences, which were printed.
    Different,
    /// What kept a comparison from an answer.
    Trouble(Box<Failure>),
    /// A file, or a stream by its name, and what is wrong with it.
    At(String, Error),
    /// The same, and what to do about it.
    Hint(String, Error, &'static str),
    /// Files that have been reported one by one.
    Bad(String),
    /// An argument by its name, and what is wrong with it.
    Usage(&'static str, Error),
    /// What is wrong with the arguments, and what to do.
    Arguments(String),
}

impl Failure {
    /// Adds what to do, if there is something.
    pub(crate) fn with_hint(self, hint: Option<&'static str>) -> Failure {
        match (self, hint) {
            // What it looks like has words of its own.
            (Failure::At(file, error), Some(hint)) if error.looks_like().is_none() => {
                Failure::Hint(file, error, hint)
            }
            (failure, _) => failure,
        }
    }
}

impl fmt::Display for Failure {
    /// On one line, whatever the names in it are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Failure::Closed => "stdout is closed".to_owned(),
            Failure::Different => "there are differences".to_owned(),
            Failure::Trouble(failure) => return failure.fmt(f),
            Failure::At(file, error) => format!("{file}: {}", words(error)),
            Failure::Arguments(text) => text.clone(),
            Failure::Usage(argument, error) => format!("{argument}: {error:#}"),
            Failure::Hint(file, error, hint) => format!("{file}: {error:#}; {hint}"),
            Failure::Bad(text) => text.clone(),
        };
        f.write_str(&printable(&text))
    }
}

/// An error's text, with the command that takes what it was about.
pub(crate) fn words(error: &Error) -> String {
    let remedy = match error.looks_like() {
        Some(LooksLike::Message) => "`holdall unpack` reads it",
        Some(LooksLike::Stream) => "`holdall cat` prints it",
        Some(LooksLike::Pickle) => "Python's `pickle` reads it",
        Some(LooksLike::Json) => "`holdall pack --from json` converts it",
        Some(LooksLike::MessagePack) => "`holdall pack --from msgpack` converts it",
        Some(LooksLike::Gzip) => "`gzip -d` decompresses it",
        Some(LooksLike::Zstd) => "`zstd -d` decompresses it",
        Some(LooksLike::Zip) => "`unzip` extracts its files",
        Some(LooksLike::Npy) => "Python's `numpy.load` reads it",
        Some(
            LooksLike::Parquet | LooksLike::ArrowFile | LooksLike::ArrowStream | LooksLike::Feather,
        ) => "Python's `pyarrow` reads it",
        Some(_) | None => return format!("{error:#}"),
    };
    format!("{error:#}: {remedy}")
}

/// JSON of which no part is obeyed by a terminal, for the same value.
fn printable_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if is_control(char) {
            // They stand in strings alone, and none has more than 16 bits.
            out += &format!("\\u{:04x}", u32::from(char));
        } else {
            out.push(char);
        }
    }
    out
}

/// A value as a line of JSON, for programs.
pub(crate) fn json_line(value: &Value) -> holdall::Result<String> {
    let text = holdall::to_vec(value).and_then(|message| json::unpack(&message))?;
    Ok(json_of(&text))
}

/// JSON as a line, for programs.
pub(crate) fn json_of(text: &[u8]) -> String {
    printable_json(&String::from_utf8_lossy(text)) + "\n"
}

/// Adds the file to an error.
pub(crate) fn at<E: Into<Error>>(path: &Path, stream: &str) -> impl FnOnce(E) -> Failure {
    let name = if is_stream(path) { stream.to_owned() } else { path.display().to_string() };
    move |error| Failure::At(name, error.into())
}

pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// How many bytes of a file are read first, where its head may be enough.
const FIRST: u64 = 1 << 14;

/// The standard streams of a command.
pub(crate) struct Streams<'a> {
    pub(crate) stdin: &'a mut dyn Read,
    pub(crate) stdout: &'a mut dyn Write,
    pub(crate) shows: Shows,
}

/// A file or stream while it is read.
pub(crate) type Input<'s> = BufReader<Watched<Box<dyn Read + 's>>>;

/// How much is read at once.
const CHUNK: usize = 1 << 16;

impl Streams<'_> {
    /// A file, or the standard input for `-`; `verb` says what is done with it.
    pub(crate) fn open(&mut self, path: &Path, verb: &'static str) -> Result<Input<'_>, Failure> {
        let target = self.shows.progress.then(ProgressDrawTarget::stderr);
        let (reader, len): (Box<dyn Read>, _) = if is_stream(path) {
            (Box::new(&mut *self.stdin), None)
        } else {
            let file = fs::File::open(path).map_err(at(path, "stdin"))?;
            // Pipes and devices have a length of 0.
            let len = file.metadata().ok().filter(fs::Metadata::is_file).map(|file| file.len());
            (Box::new(file), len)
        };
        Ok(BufReader::with_capacity(CHUNK, Watched::new(reader, len, verb, target)))
    }

    /// All bytes of a file, or of the standard input for `-`.
    pub(crate) fn read(&mut self, path: &Path) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let mut input = self.open(path, "reading")?;
        input.read_to_end(&mut bytes).map_err(at(path, "stdin"))?;
        Ok(bytes)
    }

    /// What is made of all bytes of a file, or of the standard input for `-`; that it is made shows, too.
    pub(crate) fn read_into<T>(
        &mut self,
        path: &Path,
        verb: &'static str,
        make: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Failure> {
        let mut bytes = Vec::new();
        let mut input = self.open(path, verb)?;
        input.read_to_end(&mut bytes).map_err(at(path, "stdin"))?;
        Ok(make(&bytes))
    }

    /// The first bytes of a file, or of the standard input for `-`: as many as are enough, and some more, or all.
    pub(crate) fn read_head(
        &mut self,
        path: &Path,
        is_enough: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<u8>, Failure> {
        let mut file = None;
        let source: &mut dyn Read = if is_stream(path) {
            self.stdin
        } else {
            file.insert(fs::File::open(path).map_err(at(path, "stdin"))?)
        };
        let mut head = Vec::new();
        let mut size = FIRST;
        loop {
            let read = source.take(size).read_to_end(&mut head).map_err(at(path, "stdin"))?;
            if (read as u64) < size || is_enough(&head) {
                return Ok(head);
            }
            // Twice as many each time, so that all looks at them together are linear.
            size = head.len() as u64;
        }
    }

    /// Writes all there is to a file, or to the standard output for `-`.
    pub(crate) fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        if is_stream(path) {
            self.write_stdout(bytes)
        } else {
            replace(path, bytes).map_err(at(path, "stdout"))
        }
    }

    pub(crate) fn write_stdout(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let result = if self.shows.text_only {
            TextOnly::new(&mut *self.stdout).write_all(bytes)
        } else {
            self.stdout.write_all(bytes)
        };
        self.written(result)
    }

    /// Writes text that has colours, and nothing else that a terminal obeys.
    pub(crate) fn show(&mut self, text: &str) -> Result<(), Failure> {
        let result = self.stdout.write_all(text.as_bytes());
        self.written(result)
    }

    fn written(&mut self, result: io::Result<()>) -> Result<(), Failure> {
        result.and_then(|()| self.stdout.flush()).map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::At("stdout".to_owned(), error.into()),
        })
    }
}

/// Replaces a file's contents in one step: every reader sees all of the old or all of the new contents.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = fs::metadata(path).ok();
    // Only a plain file can be replaced; a pipe or device is written to, a folder is an error.
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    // A link stays a link.
    let path = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    // It gets the permissions of any new file this way; tempfile's own are for their owner alone.
    let mut file = tempfile::Builder::new()
        .prefix(".holdall-")
        .make_in(folder(&path), |path| fs::File::create_new(path))?;
    file.as_file_mut().write_all(bytes)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    // Without this, a crash soon after could leave an empty file under the name.
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}

/// The folder that a file is in.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
