//! NDJSON to holdall and back: each line is a JSON value, and all lines are a list.
//!
//! A line is a text of [`json`](crate::json) without line breaks, and ends with `\n` or `\r\n`, which the last one may lack. Blank lines
//! are skipped. Errors have the line, and the offset in the entire input.
//!
//! To become NDJSON, a message must hold a list, tuple or array; each item becomes a line, written as [`json`](crate::json) does, with
//! `\n` after it.

use std::io::{BufRead, ErrorKind, Write};

use holdall::bindings::memory::GrowVec;
use holdall::events::{Event, Shredder, Source};
#[cfg(feature = "serde")]
use holdall::serde::EventReader;
use holdall::{Code, Decoder, Encoder, Error, Result, Writer};

use memchr::memchr;

use crate::coding::{Coding, Emitter, Reading};
use crate::json::{JsonSink, JsonSource};
use crate::receiver::Receiver;
use crate::{Format, Packer, Unpacker};

/// Packs NDJSON into a message.
///
/// ```
/// let message = holdall_convert::ndjson::pack(b"{\"id\": 1}\n{\"id\": 2}\n")?;
/// assert_eq!(holdall_convert::json::unpack(&message)?, br#"[{"id":1},{"id":2}]"#);
///
/// let error = holdall_convert::ndjson::pack(b"{\"id\": 1}\n{\"id\": }\n").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "bad_input at offset 17 in $[1].id: expected a value, got `}`, in line 2",
/// );
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`json::pack`](crate::json::pack).
pub fn pack(text: &[u8]) -> Result<Vec<u8>> {
    Packer::new(Format::Ndjson).pack(&mut Encoder::new(), text)
}

/// Unpacks a message into NDJSON.
///
/// ```
/// let message = holdall_convert::json::pack(b"[1, [2, 3]]")?;
/// assert_eq!(holdall_convert::ndjson::unpack(&message)?, b"1\n[2,3]\n");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`json::unpack`](crate::json::unpack); [`Code::Unrepresentable`] also for anything but a list.
pub fn unpack(message: &[u8]) -> Result<Vec<u8>> {
    Unpacker::new(Format::Ndjson).unpack(&mut Decoder::new(), message)
}

/// NDJSON in memory as a [`Source`]. Faults are found when it is driven.
#[derive(Debug)]
pub struct NdjsonSource<'t> {
    text: &'t [u8],
}

impl<'t> NdjsonSource<'t> {
    /// Creates a source of the lines of a text.
    #[must_use]
    pub fn new(text: &'t [u8]) -> NdjsonSource<'t> {
        NdjsonSource { text }
    }

    /// Emits the list of the lines' values.
    ///
    /// # Errors
    /// As [`pack`], and those of the receiver.
    #[doc(hidden)]
    pub fn emit(&self, to: &mut impl Receiver) -> Result<()> {
        emit(&mut &*self.text, to)
    }
}

impl Source for NdjsonSource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        self.emit(shredder)
    }
}

/// NDJSON from a reader as a [`Source`], of which only one line is in memory. It can be driven once, so use a new
/// encoder.
#[derive(Debug)]
pub struct NdjsonStream<R> {
    reader: Option<R>,
}

impl<R: BufRead> NdjsonStream<R> {
    /// Creates a source of the lines of a reader.
    pub fn new(reader: R) -> NdjsonStream<R> {
        NdjsonStream { reader: Some(reader) }
    }
}

impl<R: BufRead> Source for NdjsonStream<R> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let mut reader = self.reader.take().ok_or_else(driven_twice)?;
        emit(&mut reader, shredder)
    }
}

/// The error for a stream that would have to be read twice.
#[cold]
pub(crate) fn driven_twice() -> Error {
    Error::new(Code::BadSource)
        .expected("a new encoder for each stream, which can be read only once")
        .got("a second read")
}

/// Writes NDJSON from a reader into a stream, each line as a value; returns their number.
///
/// ```
/// use holdall::{Reader, Value, Writer};
///
/// let mut writer = Writer::new(Vec::new())?;
/// assert_eq!(holdall_convert::ndjson::pack_stream(&b"{\"id\": 1}\n[2]\n"[..], &mut writer)?, 2);
/// let bytes = writer.finish()?;
/// let values: Result<Vec<Value>, _> = Reader::new(&bytes[..]).values().collect();
/// assert_eq!(values?[0]["id"], Value::from(1));
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`json::pack`](crate::json::pack), for the first bad line: those before it are written; `io`.
pub fn pack_stream(mut reader: impl BufRead, writer: &mut Writer<impl Write>) -> Result<u64> {
    let mut values = 0;
    each_line(&mut reader, |mut source| {
        writer.write_source(&mut source)?;
        values += 1;
        Ok(())
    })?;
    Ok(values)
}

fn emit(reader: &mut impl BufRead, to: &mut impl Receiver) -> Result<()> {
    to.event(Event::List(0))?;
    each_line(reader, |source| source.emit(to))?;
    to.event(Event::End)
}

/// Passes the value of each non-empty line to a function.
fn each_line(
    reader: &mut impl BufRead,
    mut take: impl FnMut(JsonSource<'_>) -> Result<()>,
) -> Result<()> {
    let mut line = Vec::new();
    let (mut offset, mut number, mut items) = (0, 0_u64, 0_usize);
    loop {
        line.clear();
        read_line(reader, &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        number += 1;
        let text = trim(&line);
        if !text.is_empty() {
            let emitted = JsonSource::new(text).and_then(&mut take);
            emitted.map_err(|error| locate(error, offset, number, items))?;
            items += 1;
        }
        offset += line.len() as u64;
    }
}

/// As `read_until` a line break, whose memory can be missing.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> Result<()> {
    loop {
        let bytes = match reader.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            filled => filled?,
        };
        let end = memchr(b'\n', bytes).map(|at| at + 1);
        let count = end.unwrap_or(bytes.len());
        line.put_slice(&bytes[..count]);
        reader.consume(count);
        if end.is_some() || count == 0 {
            return Ok(());
        }
    }
}

/// A line without trailing spaces and line break.
fn trim(line: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let len = line.iter().rposition(|byte| !is_space(byte)).map_or(0, |last| last + 1);
    &line[..len]
}

#[cold]
fn locate(error: Error, offset: u64, line: u64, item: usize) -> Error {
    // Errors without an offset are the shredder's, which knows the full path.
    if error.offset().is_none() {
        return error;
    }
    error.inside(offset, &format!("$[{item}]"), &format!("line {line}"))
}

/// NDJSON.
#[derive(Debug)]
pub(crate) struct Ndjson;

impl Coding for Ndjson {
    fn name(&self) -> &str {
        "ndjson"
    }

    fn extensions(&self) -> &[&str] {
        &["ndjson", "jsonl"]
    }

    fn has_extensions(&self) -> bool {
        false
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    fn read<'i>(&self, input: &'i [u8], _: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        Ok(Box::new(NdjsonSource::new(input)))
    }

    #[cfg(feature = "serde")]
    fn read_events(&self, input: &[u8], to: &mut EventReader<'_>) -> Result<bool> {
        NdjsonSource::new(input).emit(to)?;
        Ok(true)
    }

    fn read_rows<'r>(
        &self,
        reader: &'r mut dyn BufRead,
        _: &Reading<'_>,
    ) -> Option<Box<dyn Source + 'r>> {
        Some(Box::new(NdjsonStream::new(reader)))
    }

    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
        let like_serde = value.is_like_serde();
        let mut sink = JsonSink::new().lines().limit(value.limit()).like_serde(like_serde);
        value.emit(&mut sink)?;
        sink.take()
    }
}
