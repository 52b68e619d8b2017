//! Reads messages.

#[cfg(feature = "std")]
mod arrival;
mod resolve;

use alloc::boxed::Box;
use alloc::vec::Vec;

#[cfg(feature = "std")]
use holdall_format::stream;

use crate::archive::Archive;
use crate::block::Block;
use crate::dynamic::{Sink, assemble, read_message};
use crate::envelope::Dictionary;
use crate::error::Result;
use crate::input::{BufferPool, Input, Scratch};
use crate::limits::Limits;
use crate::memory::{self, GrowMap};
use crate::message::{MessageReader, Trace, read_block};
use crate::schema::Schema;
#[cfg(feature = "std")]
use crate::schema::SchemaStore;
use crate::typed::{Decode, TypedReader};
use crate::value;
#[cfg(feature = "std")]
use crate::view::{Bytes, View};

#[cfg(feature = "tokio")]
pub(crate) use arrival::Arrival;
#[cfg(feature = "std")]
pub(crate) use arrival::no_message;

/// Reads messages. Keeps up to 16 MiB of memory for the columns of typed values from one message to the next.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    pub(crate) messages: MessageReader,
    /// Memory of the previous typed value.
    pool: Option<Box<BufferPool>>,
}

impl Decoder {
    /// Creates a decoder with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Decoder::default()
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.messages.limits = limits;
        self
    }

    /// Returns how many bytes of text a converter should make of a message at most: [`Limits::output`] or, if that
    /// is not set, the units of the budget.
    #[must_use]
    pub fn output_limit(&self, message: &[u8]) -> usize {
        self.messages.limits.output_for(message.len())
    }

    /// Sets a store in which to look up the schemas of messages that carry only a fingerprint, unless they were
    /// added. Nothing is written to it.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn store(mut self, store: &SchemaStore) -> Self {
        self.messages.known.store = Some(store.clone());
        self
    }

    /// Adds a schema, for messages that carry only its fingerprint.
    pub fn add_schema(&mut self, schema: &Schema) {
        self.messages.known.added.put(schema.fingerprint(), schema.clone());
    }

    /// Adds a dictionary, for messages that were compressed with it.
    pub fn add_dictionary(&mut self, dictionary: &Dictionary) {
        self.messages.dictionaries.add(dictionary);
    }

    /// Returns the added dictionary that a message is compressed with.
    #[doc(hidden)]
    #[must_use]
    pub fn dictionary_of(&self, message: &[u8]) -> Option<&Dictionary> {
        self.messages.dictionaries.of_message(message)
    }

    /// Returns a message with a dictionary as one without, for a reader of small messages and for training; none if it has
    /// no dictionary.
    ///
    /// # Errors
    /// Those of the spec's chapter 3; `out_of_memory`.
    #[doc(hidden)]
    pub fn without_dictionary(&self, message: &[u8]) -> Result<Option<Vec<u8>>> {
        memory::guarded(|| self.messages.without_dictionary(message))
    }

    /// Returns the schema of a message, or the added one with its fingerprint.
    ///
    /// # Errors
    /// The faults of the spec's chapters 3 and 4, with their offsets; with a store also those of
    /// [`SchemaStore::get`].
    pub fn schema(&mut self, message: &[u8]) -> Result<Schema> {
        memory::guarded(|| Ok(self.messages.open(message, &Scratch::default())?.0))
    }

    /// Reads an entire message into a sink.
    ///
    /// # Errors
    /// Every fault of the spec's chapter 9, with its offset, and those of the sink; `out_of_memory`.
    pub fn message(&mut self, message: &[u8], sink: &mut impl Sink) -> Result<()> {
        memory::guarded(|| read_message(&mut self.messages, message, sink).map(drop))
    }

    /// Checks an entire message, and passes it to a function that can emit its values: all checks of the bytes come
    /// first. So you can take a lock that the values need only then.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// use holdall::{Decoder, Value, ValueBuilder};
    /// let mut builder = ValueBuilder::new();
    /// let schema = Decoder::new().read(&[0xC1, 0x10, 0x03, 0x61, 0x09], |checked| {
    ///     let schema = checked.schema().to_string();
    ///     checked.emit(&mut builder)?;
    ///     Ok(schema)
    /// })?;
    /// assert_eq!((builder.finish()?, &*schema), (Value::from(300), "int"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Decoder::message`], and those of `then`.
    pub fn read<T>(
        &mut self,
        message: &[u8],
        then: impl FnOnce(Checked<'_>) -> Result<T>,
    ) -> Result<T> {
        memory::guarded(|| {
            let scratch = Scratch::default();
            let (schema, input) = self.messages.open(message, &scratch)?;
            let block = read_block(&schema, input, 1, false)?;
            then(Checked { schema, block })
        })
    }

    /// Like [`Decoder::read`] for a bare body (F-12), written with this schema.
    ///
    /// # Errors
    /// As [`Decoder::read`], with offsets from the body's first byte.
    pub fn read_bare<T>(
        &self,
        schema: &Schema,
        body: &[u8],
        then: impl FnOnce(Checked<'_>) -> Result<T>,
    ) -> Result<T> {
        memory::guarded(|| {
            let scratch = Scratch::default();
            let input = Input::new(body, self.messages.limits.budget_for(body.len()), &scratch);
            let block = read_block(schema, input, 1, false)?;
            then(Checked { schema: schema.clone(), block })
        })
    }

    /// Reads a bare body (F-12), written with this schema, into a sink.
    ///
    /// # Errors
    /// As [`Decoder::message`], with offsets from the body's first byte.
    pub fn body(&self, schema: &Schema, body: &[u8], sink: &mut impl Sink) -> Result<()> {
        self.read_bare(schema, body, |checked| checked.emit(sink))
    }

    /// Reads a message into a value of a type. Data with another schema are converted as
    /// [`Resolver`](crate::Resolver) describes.
    ///
    /// # Errors
    /// As [`Decoder::message`] and [`Resolver::message`](crate::Resolver::message); `unconvertible`, `duplicate_key`, `limit_depth`, `limit_budget`,
    /// `out_of_memory`.
    pub fn decode<'de, T: Decode<'de>>(&mut self, message: &'de [u8]) -> Result<T> {
        memory::guarded(|| match T::OF_VALUE {
            Some(of_value) => value::of_message(&mut self.messages, message).map(of_value),
            None => self.typed().decode(message),
        })
    }

    /// Like [`Decoder::decode`], but overwrites a value and reuses the memory that its lists and strings have
    /// allocated.
    ///
    /// ```
    /// let mut list = Vec::<u32>::with_capacity(100);
    /// holdall::Decoder::new().decode_into(&holdall::to_vec(&vec![1_u32, 2, 3])?, &mut list)?;
    /// assert_eq!((list.len(), list.capacity()), (3, 100));
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Decoder::decode`]. Then parts of the value may be overwritten.
    pub fn decode_into<'de, T: Decode<'de>>(
        &mut self,
        message: &'de [u8],
        value: &mut T,
    ) -> Result<()> {
        match T::OF_VALUE {
            Some(_) => *value = self.decode(message)?,
            None => memory::guarded(|| self.typed().decode_into(message, value))?,
        }
        Ok(())
    }

    /// Reads a bare body (F-12) of the same type.
    ///
    /// # Errors
    /// As [`Decoder::decode`]; `unsupported_value` for a type that contains a [`Value`](crate::Value).
    pub fn decode_body<'de, T: Decode<'de>>(&mut self, body: &'de [u8]) -> Result<T> {
        memory::guarded(|| self.typed().decode_body(body))
    }

    /// Returns the reader of Rust types.
    pub(crate) fn typed(&mut self) -> TypedReader<'_> {
        TypedReader { messages: &mut self.messages, pool: &mut self.pool }
    }

    /// Opens a [`View`] of a message, with this decoder's limits and the schemas in it and in its store.
    ///
    /// # Errors
    /// As [`View::new`].
    #[cfg(feature = "std")]
    pub fn view<'a>(&self, message: impl Into<Bytes<'a>>) -> Result<View<'a>> {
        View::with(&self.messages, message)
    }

    /// Opens an [`Archive`] of a message, with this decoder's limits and the schemas in it and in its store.
    ///
    /// # Errors
    /// As [`Archive::new`].
    pub fn archive<'m, T: Decode<'m>>(&mut self, message: &'m [u8]) -> Result<Archive<'m, T>> {
        Archive::with(&mut self.messages, message)
    }

    /// Describes each byte of a message or a stream, as far as possible, with the first values. The data need not be
    /// valid: an error is part of the result.
    ///
    /// ```
    /// let trace = holdall::Decoder::new().trace(b"\xC1\x10\x1A\x08\x04a\x03\x04");
    /// let span = trace.spans.last().unwrap();
    /// assert_eq!((span.range.clone(), span.rule, span.number), (7..8, 29, Some(2))); // F-29; zigzag 2 is 1
    /// assert_eq!(trace.path(span.site.unwrap()), "$.a");
    /// assert!(trace.errors.is_empty());
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn trace(&self, data: &[u8]) -> Trace {
        match stream::is_stream(data) {
            true => stream::trace(data, self.messages.limits, &self.messages.known),
            false => self.messages.trace(data),
        }
    }
}

/// A message whose bytes are checked and whose values are not emitted yet.
pub struct Checked<'a> {
    schema: Schema,
    block: Block<'a>,
}

impl Checked<'_> {
    /// Returns the message's schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Emits the value into a sink.
    ///
    /// # Errors
    /// Faults that only a walk over the values finds, and those of the sink.
    pub fn emit(self, sink: &mut impl Sink) -> Result<()> {
        assemble(&self.schema, self.block, sink)
    }
}
