//! All formats behind one type for each direction.

use std::io::BufRead;
use std::path::Path;

use holdall::bindings::emit_copies;
use holdall::{Decoder, Encoder, LogicalType, Result, Sink, ValueBuilder};

use crate::cbor::{CborSink, CborSource};
use crate::csv::{CsvSink, CsvSource, CsvStream};
use crate::json::{JsonSink, JsonSource};
use crate::msgpack::{MsgpackSink, MsgpackSource};
use crate::ndjson::{NdjsonSource, NdjsonStream};
use crate::stored::Stored;
use crate::{msgpack, tape};

/// A format other than holdall's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// One value as text, see [`json`](crate::json).
    Json,
    /// One JSON value per line; see [`ndjson`](crate::ndjson).
    Ndjson,
    /// Comma-separated values, see [`csv`](crate::csv).
    Csv,
    /// See [`msgpack`](crate::msgpack).
    Msgpack,
    /// See [`cbor`](crate::cbor).
    Cbor,
}

impl Format {
    /// Every format.
    pub const ALL: &[Format] =
        &[Format::Json, Format::Ndjson, Format::Csv, Format::Msgpack, Format::Cbor];

    /// Returns the format that a file's extension names, if any.
    ///
    /// ```
    /// use holdall_convert::Format;
    ///
    /// assert_eq!(Format::of_path("users.JSONL".as_ref()), Some(Format::Ndjson));
    /// assert_eq!(Format::of_path("users.txt".as_ref()), None);
    /// ```
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match &*extension {
            "json" => Format::Json,
            "ndjson" | "jsonl" => Format::Ndjson,
            "csv" => Format::Csv,
            "msgpack" | "mpk" => Format::Msgpack,
            "cbor" => Format::Cbor,
            _ => return None,
        })
    }

    /// Returns the name, as on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Ndjson => "ndjson",
            Format::Csv => "csv",
            Format::Msgpack => "msgpack",
            Format::Cbor => "cbor",
        }
    }
}

/// Packs data of a format into messages.
///
/// ```
/// use holdall::Encoder;
/// use holdall_convert::{Format, Packer, json};
///
/// let text = b"id,name\n1,Ada\n";
/// let message = Packer::new(Format::Csv).pack(&mut Encoder::new(), text)?;
/// assert_eq!(json::unpack(&message)?, br#"[{"id":"1","name":"Ada"}]"#);
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Packer {
    format: Format,
    infer: bool,
}

impl Packer {
    /// Creates a packer of this format, which changes no value.
    #[must_use]
    pub fn new(format: Format) -> Packer {
        Packer { format, infer: false }
    }

    /// Sets whether the cells of CSV become numbers, booleans and null if all cells of a column are; see
    /// [`CsvSource::infer`]. The other formats define the types of their values.
    #[must_use]
    pub fn infer(mut self, infer: bool) -> Packer {
        self.infer = infer;
        self
    }

    /// Packs an input in memory.
    ///
    /// # Errors
    /// [`Code::BadInput`](holdall::Code::BadInput) and [`Code::DuplicateKey`](holdall::Code::DuplicateKey) with the offset
    /// in the input, and those of [`Encoder::message`].
    pub fn pack(&self, encoder: &mut Encoder, input: &[u8]) -> Result<Vec<u8>> {
        match self.format {
            Format::Json => encoder.message(&mut JsonSource::new(input)?),
            Format::Ndjson => encoder.message(&mut NdjsonSource::new(input)),
            Format::Csv => encoder.message(&mut CsvSource::new(input).infer(self.infer)),
            Format::Msgpack => encoder.message(&mut MsgpackSource::new(input)?),
            Format::Cbor => encoder.message(&mut CborSource::new(input)?),
        }
    }

    /// Packs the input of a reader. NDJSON, and CSV without [`Packer::infer`], are read row by row, so that only one
    /// row and the columns are in memory; other inputs are read completely first.
    ///
    /// Use a new encoder: a reused one may need to read a value twice, which a reader cannot.
    ///
    /// # Errors
    /// As [`Packer::pack`], and [`Code::Io`](holdall::Code::Io); [`Code::BadSource`](holdall::Code::BadSource) if the
    /// encoder reads twice.
    pub fn pack_from(&self, encoder: &mut Encoder, mut reader: impl BufRead) -> Result<Vec<u8>> {
        match self.format {
            Format::Ndjson => encoder.message(&mut NdjsonStream::new(reader)),
            Format::Csv if !self.infer => encoder.message(&mut CsvStream::new(reader)),
            _ => {
                let mut input = Vec::new();
                reader.read_to_end(&mut input)?;
                self.pack(encoder, &input)
            }
        }
    }
}

/// Unpacks messages into a format.
///
/// A value that the format cannot hold is [`Code::Unrepresentable`](holdall::Code::Unrepresentable), with its path,
/// unless an option defines its form.
///
/// ```
/// use holdall::{Decoder, Shared, Value};
/// use holdall_convert::{Format, Unpacker};
///
/// let shared = Value::Shared(Shared::new(Value::from(vec![1])));
/// let message = holdall::to_vec(&Value::list([shared.clone(), shared]))?;
/// let unpacker = Unpacker::new(Format::Json);
/// assert!(unpacker.unpack(&mut Decoder::new(), &message).is_err());
/// let text = unpacker.copies(true).unpack(&mut Decoder::new(), &message)?;
/// assert_eq!(text, b"[[1],[1]]");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Unpacker {
    format: Format,
    storage: bool,
    copies: bool,
}

impl Unpacker {
    /// Creates an unpacker that rejects whatever the format cannot hold.
    #[must_use]
    pub fn new(format: Format) -> Unpacker {
        Unpacker { format, storage: false, copies: false }
    }

    /// Sets whether logical values and extensions without a type in the format are written in their stored form, such
    /// as a date as its number of days. Otherwise they are rejected.
    #[must_use]
    pub fn storage(mut self, storage: bool) -> Unpacker {
        self.storage = storage;
        self
    }

    /// Sets whether a shared value is copied to each of its places. Otherwise it is rejected. A value that contains
    /// itself is always rejected.
    #[must_use]
    pub fn copies(mut self, copies: bool) -> Unpacker {
        self.copies = copies;
        self
    }

    /// Unpacks a message.
    ///
    /// # Errors
    /// [`Code::Unrepresentable`](holdall::Code::Unrepresentable) for values that the format cannot hold,
    /// [`Code::LimitOutput`](holdall::Code::LimitOutput) for more bytes than [`Decoder::output_limit`], or for more
    /// logical values and extensions in their stored form than that, and those of [`Decoder::message`].
    pub fn unpack(&self, decoder: &mut Decoder, message: &[u8]) -> Result<Vec<u8>> {
        let limit = decoder.output_limit(message);
        match self.format {
            Format::Json => self.run(JsonSink::new().limit(limit), limit, decoder, message),
            Format::Ndjson => {
                self.run(JsonSink::new().lines().limit(limit), limit, decoder, message)
            }
            Format::Csv => self.run(CsvSink::new().limit(limit), limit, decoder, message),
            Format::Msgpack => self.run(MsgpackSink::new().limit(limit), limit, decoder, message),
            Format::Cbor => self.run(CborSink::new().limit(limit), limit, decoder, message),
        }
    }

    fn run<T: Target>(
        &self,
        mut to: T,
        limit: usize,
        decoder: &mut Decoder,
        message: &[u8],
    ) -> Result<Vec<u8>> {
        if self.storage {
            self.emit(&mut Stored::new(&mut to, limit), decoder, message)?;
        } else {
            self.emit(&mut to, decoder, message)?;
        }
        to.take()
    }

    fn emit(&self, sink: &mut impl Sink, decoder: &mut Decoder, message: &[u8]) -> Result<()> {
        if !self.copies {
            return decoder.message(message, sink);
        }
        let mut builder = ValueBuilder::new();
        decoder.message(message, &mut builder)?;
        emit_copies(&builder.finish()?, sink)
    }
}

/// A sink for a format.
pub(crate) trait Target: Sink {
    /// Whether the format has its own type for these logical values.
    fn holds(&self, _ty: &LogicalType) -> bool {
        false
    }

    /// Whether this extension represents a value that the format has.
    fn holds_extension(&self, _name: &str) -> bool {
        false
    }

    fn take(&mut self) -> Result<Vec<u8>>;
}

impl Target for JsonSink {
    fn take(&mut self) -> Result<Vec<u8>> {
        JsonSink::take(self)
    }
}

impl Target for CsvSink {
    fn take(&mut self) -> Result<Vec<u8>> {
        CsvSink::take(self)
    }
}

impl Target for MsgpackSink {
    fn holds(&self, ty: &LogicalType) -> bool {
        msgpack::holds(ty)
    }

    fn holds_extension(&self, name: &str) -> bool {
        name == tape::MSGPACK_EXT
    }

    fn take(&mut self) -> Result<Vec<u8>> {
        MsgpackSink::take(self)
    }
}

impl Target for CborSink {
    fn holds(&self, ty: &LogicalType) -> bool {
        tape::meaning_of(ty).is_some()
    }

    fn holds_extension(&self, name: &str) -> bool {
        name == tape::CBOR_TAG || name == tape::CBOR_SIMPLE
    }

    fn take(&mut self) -> Result<Vec<u8>> {
        CborSink::take(self)
    }
}
