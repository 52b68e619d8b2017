//! Files and standard streams, and their errors.

use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use holdall::{Error, LooksLike, Value};
use holdall_convert::json;
use holdall_inspect::{is_control, printable};
use indicatif::ProgressDrawTarget;

use crate::progress::Watched;
use crate::remote::{OpenUrl, url_of};
use crate::terminal::{Shows, TextOnly};

/// Why a command ended early.
pub(crate) enum Failure {
    /// The reader of standard output has closed it.
    Closed,
    /// There are differences, which were printed.
    Different,
    /// Why a comparison has no result.
    Trouble(Box<Failure>),
    /// A file, or a stream by its name, and its error.
    At(String, Error),
    /// A file, or a stream by its name, its error, and what helps.
    Hint(String, Error, &'static str),
    /// Files that were reported one by one.
    Bad(String),
    /// An argument by name, and its error.
    Usage(&'static str, Error),
    /// An error in the arguments, with a hint.
    Arguments(String),
}

impl Failure {
    /// Adds a hint, if there is one.
    pub(crate) fn with_hint(self, hint: Option<&'static str>) -> Failure {
        match (self, hint) {
            // Recognised formats have their own hint.
            (Failure::At(file, error), Some(hint)) if error.looks_like().is_none() => {
                Failure::Hint(file, error, hint)
            }
            (failure, _) => failure,
        }
    }
}

impl fmt::Display for Failure {
    /// On one line, whatever the names in it.
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

/// Whether this build of the command converts tables.
const TABLES: bool = cfg!(feature = "tables");

/// The text of an error, with the command for the recognised format.
pub(crate) fn words(error: &Error) -> String {
    let remedy = match error.looks_like() {
        Some(LooksLike::Message) => "`holdall unpack` reads it",
        Some(LooksLike::Stream) => "`holdall cat` prints it",
        Some(LooksLike::Pickle) => "`holdall pack --from pickle` of the Python package converts it",
        Some(LooksLike::Json) => "`holdall pack --from json` converts it",
        Some(LooksLike::MessagePack) => "`holdall pack --from msgpack` converts it",
        Some(LooksLike::Gzip) => "`gzip -d` decompresses it",
        Some(LooksLike::Zstd) => "`zstd -d` decompresses it",
        Some(LooksLike::Zip) => "`unzip` extracts its files",
        Some(LooksLike::Npy) => "Python's `numpy.load` reads it",
        Some(LooksLike::Parquet) if TABLES => "`holdall pack --from parquet` converts it",
        Some(LooksLike::ArrowFile) if TABLES => "`holdall pack --from arrow` converts it",
        Some(LooksLike::ArrowStream) if TABLES => "`holdall pack --from arrow-stream` converts it",
        Some(
            LooksLike::Parquet | LooksLike::ArrowFile | LooksLike::ArrowStream | LooksLike::Feather,
        ) => "Python's `pyarrow` reads it",
        Some(_) | None => return format!("{error:#}"),
    };
    format!("{error:#}: {remedy}")
}

/// The same JSON value, without characters that control a terminal.
fn printable_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if is_control(char) {
            // They occur only in strings, and none has more than 16 bits.
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

/// Whether this is a file of this machine.
#[cfg(feature = "tables")]
pub(crate) fn is_local(path: &Path) -> bool {
    !is_stream(path) && url_of(path).is_none()
}

/// The number of bytes to read first from a file, usually enough for its head.
const FIRST: u64 = 1 << 14;

/// The standard streams of a command.
pub(crate) struct Streams<'a> {
    pub(crate) stdin: &'a mut dyn Read,
    pub(crate) stdout: &'a mut dyn Write,
    pub(crate) shows: Shows,
    /// Opens files at URLs.
    pub(crate) open_url: &'a OpenUrl<'a>,
}

/// A file or stream being read.
pub(crate) type Input<'s> = BufReader<Watched<Box<dyn Read + 's>>>;

/// The first byte of messages and streams (F-7, F-81).
pub(crate) const MAGIC: u8 = 0xC1;
/// The size of a single read.
const CHUNK: usize = 1 << 16;

impl Streams<'_> {
    /// Opens a file, or the standard input for `-`; `verb` names the operation.
    pub(crate) fn open(&mut self, path: &Path, verb: &'static str) -> Result<Input<'_>, Failure> {
        let target = self.shows.progress.then(ProgressDrawTarget::stderr);
        let (reader, len) = self.source(path).map_err(at(path, "stdin"))?;
        Ok(BufReader::with_capacity(CHUNK, Watched::new(reader, len, verb, target)))
    }

    /// A file, the file at a URL, or the standard input for `-`; and its length, if it is known.
    fn source(&mut self, path: &Path) -> io::Result<(Box<dyn Read + '_>, Option<u64>)> {
        if is_stream(path) {
            return Ok((Box::new(&mut *self.stdin), None));
        }
        if let Some(url) = url_of(path) {
            let mut file = (self.open_url)(url)?;
            let len = file.seek(SeekFrom::End(0)).ok();
            file.rewind()?;
            return Ok((Box::new(file), len));
        }
        let file = fs::File::open(path)?;
        // Pipes and devices have a length of 0.
        let len = file.metadata().ok().filter(fs::Metadata::is_file).map(|file| file.len());
        Ok((Box::new(file), len))
    }

    /// Reads a file, or the standard input for `-`.
    pub(crate) fn read(&mut self, path: &Path) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let mut input = self.open(path, "reading")?;
        input.read_to_end(&mut bytes).map_err(at(path, "stdin"))?;
        Ok(bytes)
    }

    /// Reads a file of holdall data, or the standard input for `-`; of other data only the beginning, which is enough
    /// for the error.
    pub(crate) fn read_data(
        &mut self,
        path: &Path,
        verb: &'static str,
    ) -> Result<Vec<u8>, Failure> {
        self.read_data_into(path, verb, |bytes| bytes)
    }

    /// Reads a file of text, or the standard input for `-`; of data that are no text only up to a byte that no text has, which is
    /// enough for the error. Holdall data, which the standard input can have in place of text, are read as a whole.
    pub(crate) fn read_text(&mut self, path: &Path) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let mut input = self.open(path, "reading")?;
        take_text(&mut input, &mut bytes).map_err(at(path, "stdin"))?;
        Ok(bytes)
    }

    /// Reads data as `read_data` does, and converts it; the progress bar covers both.
    pub(crate) fn read_data_into<T>(
        &mut self,
        path: &Path,
        verb: &'static str,
        make: impl FnOnce(Vec<u8>) -> T,
    ) -> Result<T, Failure> {
        let mut bytes = Vec::new();
        let mut input = self.open(path, verb)?;
        take_data(&mut input, &mut bytes).map_err(at(path, "stdin"))?;
        Ok(make(bytes))
    }

    /// Reads the beginning of a file, or of the standard input for `-`: as much as is needed, or all of it.
    pub(crate) fn read_head(
        &mut self,
        path: &Path,
        is_enough: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<u8>, Failure> {
        let (mut source, _) = self.source(path).map_err(at(path, "stdin"))?;
        let mut head = Vec::new();
        let mut size = FIRST;
        loop {
            let read =
                source.by_ref().take(size).read_to_end(&mut head).map_err(at(path, "stdin"))?;
            if (read as u64) < size || is_enough(&head) {
                return Ok(head);
            }
            // It doubles each time, so that all attempts together are linear.
            size = head.len() as u64;
        }
    }

    /// Writes to a file, or to the standard output for `-`.
    pub(crate) fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        if is_stream(path) {
            self.write_stdout(bytes)
        } else {
            replace(path, |file| file.write_all(bytes).map_err(Error::from))
                .map_err(at(path, "stdout"))
        }
    }

    /// Writes to a file step by step, or to the standard output for `-` at the end. Errors that are not the system's are
    /// those of the input, which `of_input` names.
    #[cfg(feature = "tables")]
    pub(crate) fn write_by(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut (dyn Write + Send)) -> holdall::Result<()>,
        of_input: impl FnOnce(Error) -> Failure,
    ) -> Result<(), Failure> {
        let failure = |error: Error| match error.os_error() {
            Some(_) => at(path, "stdout")(error),
            None => of_input(error),
        };
        if !is_stream(path) {
            let buffered = |file: &mut fs::File| {
                let mut out = io::BufWriter::new(file);
                write(&mut out)?;
                out.flush().map_err(Error::from)
            };
            return replace(path, buffered).map_err(failure);
        }
        let mut bytes = Vec::new();
        write(&mut bytes).map_err(failure)?;
        self.write_stdout(&bytes)
    }

    pub(crate) fn write_stdout(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let result = if self.shows.text_only {
            TextOnly::new(&mut *self.stdout).write_all(bytes)
        } else {
            self.stdout.write_all(bytes)
        };
        self.written(result)
    }

    /// Writes text in which only colours control a terminal.
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

/// Appends holdall data; of other data only the beginning.
pub(crate) fn take_data(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<()> {
    let start = input.fill_buf()?;
    if start.first().is_some_and(|first| *first != MAGIC) {
        bytes.extend_from_slice(start);
        return Ok(());
    }
    input.read_to_end(bytes).map(drop)
}

/// Appends text up to a control character other than white space, or holdall data.
fn take_text(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<()> {
    if input.fill_buf()?.first() == Some(&MAGIC) {
        return take_data(input, bytes);
    }
    loop {
        let chunk = input.fill_buf()?;
        let is_none = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
        let end = chunk.iter().position(is_none);
        let len = end.map_or(chunk.len(), |end| end + 1);
        bytes.try_reserve(len)?;
        bytes.extend_from_slice(&chunk[..len]);
        input.consume(len);
        if len == 0 || end.is_some() {
            return Ok(());
        }
    }
}

/// Fails if a path is that of a pipe or device, where a command needs a file, in which it can go back.
pub(crate) fn check_file(path: &Path, words: &str) -> Result<(), Failure> {
    let is_other = |found: fs::Metadata| !found.is_file() && !found.is_dir();
    match fs::metadata(path).is_ok_and(is_other) {
        true => Err(Failure::Arguments(words.to_owned())),
        false => Ok(()),
    }
}

/// Fails if a command would replace the file that it reads, by its name or as the process's standard input.
pub(crate) fn check_distinct(input: &Path, output: &Path) -> Result<(), Failure> {
    let is_same = || match is_stream(input) {
        true => is_stdin(output),
        false => is_same_file(input, output),
    };
    if is_stream(output) || !is_same() {
        return Ok(());
    }
    let file = output.display();
    Err(Failure::Arguments(format!("{file} is also the input: name another file with --output")))
}

/// Whether two names lead to one regular file, such as by links. A file that is missing is no other file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let (Ok(first), Ok(second)) = (fs::metadata(one), fs::metadata(other)) else { return false };
    #[cfg(unix)]
    let is_same = are_of_one_file(&first, &second);
    #[cfg(not(unix))]
    let is_same = fs::canonicalize(one).ok() == fs::canonicalize(other).ok();
    first.is_file() && second.is_file() && is_same
}

#[cfg(unix)]
fn are_of_one_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    one.dev() == other.dev() && one.ino() == other.ino()
}

/// Whether a file is what the shell redirects into the process.
#[cfg(unix)]
fn is_stdin(file: &Path) -> bool {
    use std::os::fd::AsFd;
    let stdin = io::stdin().as_fd().try_clone_to_owned().map(fs::File::from);
    let stdin = stdin.and_then(|stdin| stdin.metadata());
    match (stdin, fs::metadata(file)) {
        (Ok(stdin), Ok(file)) => file.is_file() && are_of_one_file(&stdin, &file),
        _ => false,
    }
}

/// Other systems do not let a file be replaced while it is open.
#[cfg(not(unix))]
fn is_stdin(_: &Path) -> bool {
    false
}

/// Replaces a file's contents in one step: every reader sees the complete old or new contents.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut fs::File) -> holdall::Result<()>,
) -> holdall::Result<()> {
    let old = fs::metadata(path).ok();
    // Only a regular file can be replaced; a pipe or device is written to, a folder is an error.
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return write(&mut fs::OpenOptions::new().write(true).open(path)?);
    }
    // Keeps a symbolic link.
    let path = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    // This gives it the permissions of any new file; tempfile's own are for its owner only.
    let mut file = tempfile::Builder::new()
        .prefix(".holdall-")
        .make_in(folder(&path), |path| fs::File::create_new(path))?;
    write(file.as_file_mut())?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    // Otherwise a crash soon afterwards could leave an empty file with this name.
    file.as_file().sync_all()?;
    file.persist(&path).map_err(io::Error::from)?;
    Ok(())
}

/// The folder that a file is in.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
