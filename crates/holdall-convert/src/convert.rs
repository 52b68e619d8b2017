//! All formats behind one type for each direction.

use std::fmt;
use std::io::BufRead;
use std::path::Path;

use holdall::bindings::{Refused, memory};
#[cfg(feature = "serde")]
use holdall::serde::{EventReader, SerdeForms};
use holdall::{Decoder, Encoder, Result, Schema};

use crate::coding::{
    AnySource, Coding, Emitted, Emitter, Reading, all_registered, register, registered,
};
use crate::{bson, cbor, csv, dlhn, json, message, msgpack, ndjson};

/// A format by its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A message of holdall itself.
    Holdall,
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
    /// See [`bson`](crate::bson).
    Bson,
    /// See [`dlhn`](crate::dlhn).
    Dlhn,
    /// One that the program registered.
    Registered(Registered),
}

/// A coding that the program [registered](Format::register).
#[derive(Clone, Copy)]
pub struct Registered(&'static dyn Coding);

impl PartialEq for Registered {
    fn eq(&self, other: &Registered) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Registered {}

impl std::hash::Hash for Registered {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Format {
    /// Every format but holdall's own.
    pub const ALL: &[Format] = &[
        Format::Json,
        Format::Ndjson,
        Format::Csv,
        Format::Msgpack,
        Format::Cbor,
        Format::Bson,
        Format::Dlhn,
    ];

    /// Registers a coding of the program, for the rest of the process.
    ///
    /// # Errors
    /// [`Code::BadInput`](holdall::Code::BadInput) if a format has its name already, or if it [extends](crate::Extended::new) one without
    /// extensions by actions that decode them.
    pub fn register(coding: impl Coding + 'static) -> Result<Format> {
        Ok(Format::Registered(Registered(register(Box::new(coding))?)))
    }

    /// Returns the format of a name, if there is one.
    ///
    /// ```
    /// use holdall_convert::Format;
    ///
    /// assert_eq!(Format::named("dlhn"), Some(Format::Dlhn));
    /// assert_eq!(Format::named("yaml"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        let registered = || registered(name).map(|coding| Format::Registered(Registered(coding)));
        Format::built_in(name).or_else(registered)
    }

    pub(crate) fn built_in(name: &str) -> Option<Format> {
        let all = Format::ALL.iter().chain(&[Format::Holdall]);
        all.copied().find(|format| format.name() == name)
    }

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
        let own = all_registered().into_iter().map(|coding| Format::Registered(Registered(coding)));
        let mut all = Format::ALL.iter().copied().chain(own);
        all.find(|format| format.coding().extensions().contains(&&*extension))
    }

    /// Returns the name, as on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.coding().name()
    }

    pub(crate) fn coding(self) -> &'static dyn Coding {
        match self {
            Format::Holdall => &message::Message,
            Format::Json => &json::Json,
            Format::Ndjson => &ndjson::Ndjson,
            Format::Csv => &csv::Csv,
            Format::Msgpack => &msgpack::Msgpack,
            Format::Cbor => &cbor::Cbor,
            Format::Bson => &bson::Bson,
            Format::Dlhn => &dlhn::Dlhn,
            Format::Registered(Registered(coding)) => coding,
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
pub struct Packer<'s> {
    format: Format,
    reading: Reading<'s>,
}

impl<'s> Packer<'s> {
    /// Creates a packer of this format, which changes no value.
    #[must_use]
    pub fn new(format: Format) -> Packer<'s> {
        Packer { format, reading: Reading::default() }
    }

    /// Sets whether the cells of CSV become numbers, booleans and null if all cells of a column are; see
    /// [`CsvSource::infer`](crate::csv::CsvSource::infer). The other formats define the types of their values.
    #[must_use]
    pub fn infer(mut self, infer: bool) -> Packer<'s> {
        self.reading.infer = infer;
        self
    }

    /// Sets the schema of the program's type. DLHN, which has no names, gets those of its fields and variants from it. CSV, which has
    /// only text, keeps the cells of its text fields as they are, and infers the type of all others ([`Packer::infer`]).
    #[must_use]
    pub fn names(mut self, schema: &'s Schema) -> Packer<'s> {
        self.reading.names = Some(schema);
        self
    }

    /// A packer of this format that reads in the way of another one.
    pub(crate) fn with(format: Format, reading: Reading<'s>) -> Packer<'s> {
        Packer { format, reading }
    }

    /// Sets the schema of the program's type, unless there is one.
    pub(crate) fn or_names<'n>(self, schema: Option<&'n Schema>) -> Packer<'n>
    where
        's: 'n,
    {
        let names = self.reading.names.or(schema);
        Packer { reading: Reading { names, ..self.reading }, ..self }
    }

    /// Packs an input in memory.
    ///
    /// # Errors
    /// [`Code::BadInput`](holdall::Code::BadInput) and [`Code::DuplicateKey`](holdall::Code::DuplicateKey) with the offset
    /// in the input, and those of [`Encoder::message`].
    pub fn pack(&self, encoder: &mut Encoder, input: &[u8]) -> Result<Vec<u8>> {
        memory::guarded(|| {
            encoder.message(&mut AnySource(self.format.coding().read(input, &self.reading)?))
        })
    }

    /// Whether the format is text for people.
    pub(crate) fn is_human_readable(&self) -> bool {
        self.format.coding().is_human_readable()
    }

    /// Whether newtypes of serde are read from tuples of one, too.
    #[cfg(feature = "serde")]
    pub(crate) fn has_newtypes(&self) -> bool {
        self.format.coding().has_newtypes()
    }

    /// Emits an input in memory to a reader of serde's types; false if it must become a message first.
    #[cfg(feature = "serde")]
    pub(crate) fn read_events(&self, input: &[u8], to: &mut EventReader<'_>) -> Result<bool> {
        memory::guarded(|| self.format.coding().read_events(input, to))
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
        if let Some(rows) = self.format.coding().read_rows(&mut reader, &self.reading) {
            return encoder.message(&mut AnySource(rows));
        }
        let mut input = Vec::new();
        // It fails where memory does not suffice.
        reader.read_to_end(&mut input)?;
        self.pack(encoder, &input)
    }
}

impl From<Format> for Packer<'_> {
    fn from(format: Format) -> Self {
        Packer::new(format)
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
    pub(crate) like_serde: bool,
    copies: bool,
    is_of_values: bool,
}

impl From<Format> for Unpacker {
    fn from(format: Format) -> Unpacker {
        Unpacker::new(format)
    }
}

impl Unpacker {
    /// Creates an unpacker that rejects whatever the format cannot hold.
    #[must_use]
    pub fn new(format: Format) -> Unpacker {
        Unpacker { format, storage: false, like_serde: false, copies: false, is_of_values: false }
    }

    /// Sets whether logical values and extensions without a type in the format are written in their stored form, such
    /// as a set as a list, and variants as [`Unpacker::like_serde`] says. Otherwise they are rejected.
    ///
    /// JSON, NDJSON and CSV have dates, times of day and timestamps as text of ISO 8601, timestamps with a zone as RFC 3339 has them. Other
    /// formats have their numbers, and so have these where there is no such text: beyond the years 1 to 9999, for times with the name of a
    /// zone, for an offset that is not one of whole minutes, and for durations. They have UUIDs, IP addresses and networks as text, too, where
    /// other formats have bytes.
    #[must_use]
    pub fn storage(mut self, storage: bool) -> Unpacker {
        self.storage = storage;
        self
    }

    /// What the format has for types of serde.
    #[cfg(feature = "serde")]
    pub(crate) fn serde_forms(self) -> SerdeForms {
        let coding = self.format.coding();
        SerdeForms {
            is_human_readable: coding.is_human_readable(),
            has_tuple_structs: coding.has_tuple_structs(),
            empty_some: (self.format == Format::Csv && !self.storage).then_some(csv::empty_text),
        }
    }

    /// Sets whether what serde's own formats have a form for is written in it: a variant without a payload, or of null, as its name, one
    /// with another payload as a map with one entry, a char as text, in JSON a key as the text of its number or boolean. [`Unpacker::to_vec`]
    /// of types with a schema and `serde::to_vec` always do. Otherwise they are rejected: without the type they are read as strings and records. In JSON an f32 is its shortest
    /// decimal, which only a reader of an f32 reads as the same number.
    ///
    /// ```
    /// use holdall::Decoder;
    /// use holdall_convert::{Format, Unpacker};
    ///
    /// #[derive(holdall::Encode)]
    /// enum Shape { Point, Circle(f64), Box { width: u8 } }
    ///
    /// let shapes = [Shape::Point, Shape::Circle(0.5), Shape::Box { width: 3 }];
    /// let text = Unpacker::new(Format::Json).like_serde(true).unpack(&mut Decoder::new(), &holdall::to_vec(&shapes)?)?;
    /// assert_eq!(text, br#"["Point",{"Circle":0.5},{"Box":{"width":3}}]"#);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn like_serde(mut self, like_serde: bool) -> Unpacker {
        self.like_serde = like_serde;
        self
    }

    /// Sets whether a shared value is copied to each of its places. Otherwise it is rejected. A value that contains
    /// itself is always rejected, and [`Remedy::of`](crate::Remedy::of) its error is `None`: only messages of holdall have such values.
    #[must_use]
    pub fn copies(mut self, copies: bool) -> Unpacker {
        self.copies = copies;
        self
    }

    /// Sets whether the schema of messages is that of their values alone, which do not show the variants that they could have had. Then
    /// DLHN, which numbers all variants of a type, refuses them.
    #[doc(hidden)]
    #[must_use]
    pub fn of_values(mut self, of_values: bool) -> Unpacker {
        self.is_of_values = of_values;
        self
    }

    /// Unpacks a message.
    ///
    /// # Errors
    /// [`Code::Unrepresentable`](holdall::Code::Unrepresentable) for values that the format cannot hold,
    /// [`Code::LimitOutput`](holdall::Code::LimitOutput) for more bytes than [`Decoder::output_limit`], or for more
    /// logical values and extensions in their stored form than that, and those of [`Decoder::message`].
    pub fn unpack(&self, decoder: &mut Decoder, message: &[u8]) -> Result<Vec<u8>> {
        self.write(decoder, Emitted::Message(message.into()))
    }

    pub(crate) fn write(&self, decoder: &mut Decoder, value: Emitted<'_>) -> Result<Vec<u8>> {
        let Unpacker { format, storage, like_serde, copies, is_of_values } = *self;
        let emitter = &mut Emitter { value, decoder, storage, like_serde, copies, is_of_values };
        let written = memory::guarded(|| format.coding().write(emitter));
        written.map_err(|error| match error.refused() {
            Some(Refused::Shared) => {
                memory::guarded(|| Ok(emitter.cycle())).ok().flatten().unwrap_or(error)
            }
            _ => error,
        })
    }
}
