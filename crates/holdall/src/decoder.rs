//! Reads messages.

mod resolve;

use crate::block::Block;
use crate::dynamic::{Sink, assemble, read_message};
use crate::error::Result;
use crate::input::{Input, Scratch, Spare};
use crate::limits::Limits;
use crate::message::{MessageReader, Trace, read_block};
use crate::schema::{Schema, SchemaStore};
use crate::typed::{Decode, TypedReader};
use crate::value;
use crate::view::{Bytes, View};

/// Reads messages. Up to 16 MiB of memory for the columns of typed values are kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    pub(crate) messages: MessageReader,
    /// Memory of the typed value before.
    spare: Option<Box<Spare>>,
}

impl Decoder {
    /// A decoder with the default limits.
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

    /// How many bytes of text a converter should make of a message at most: [`Limits::output`], or if that is not set the
    /// number of units in the budget.
    #[must_use]
    pub fn output_limit(&self, message: &[u8]) -> usize {
        self.messages.limits.output_for(message.len())
    }

    /// Sets where schemas are looked up of messages that carry only the fingerprint, if they were not added. Nothing is put
    /// there.
    #[must_use]
    pub fn store(mut self, store: &SchemaStore) -> Self {
        self.messages.known.store = Some(store.clone());
        self
    }

    /// Makes a schema known, for messages that carry only its fingerprint.
    pub fn add_schema(&mut self, schema: &Schema) {
        self.messages.known.added.insert(schema.fingerprint(), schema.clone());
    }

    /// The schema of a message, or the known one of its fingerprint.
    ///
    /// # Errors
    /// The faults of the spec's chapters 3 and 4, with their offsets; with a store those of [`SchemaStore::get`].
    pub fn schema(&mut self, message: &[u8]) -> Result<Schema> {
        Ok(self.messages.open(message, &Scratch::default())?.0)
    }

    /// Reads a whole message into a sink.
    ///
    /// # Errors
    /// Every fault of the spec's chapter 9, with its offset, and the sink's own.
    pub fn message(&mut self, message: &[u8], sink: &mut impl Sink) -> Result<()> {
        read_message(&mut self.messages, message, sink)
    }

    /// Reads a whole message but for its values, and hands them over to be told: all checks of the bytes come before. So a
    /// program can take what guards its values only then.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// use holdall::{Decoder, Value, ValueBuilder};
    /// let mut builder = ValueBuilder::new();
    /// let schema = Decoder::new().read(&[0xC1, 0x10, 0x03, 0x61, 0x09], |checked| {
    ///     let schema = checked.schema().to_string();
    ///     checked.tell(&mut builder)?;
    ///     Ok(schema)
    /// })?;
    /// assert_eq!((builder.finish()?, &*schema), (Value::from(300), "int"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Decoder::message`], and what `then` answers.
    pub fn read<T>(
        &mut self,
        message: &[u8],
        then: impl FnOnce(Checked<'_>) -> Result<T>,
    ) -> Result<T> {
        let scratch = Scratch::default();
        let (schema, input) = self.messages.open(message, &scratch)?;
        let block = read_block(&schema, input, 1, false)?;
        then(Checked { schema, block })
    }

    /// The same of a bare body (F-12), written under this schema.
    ///
    /// # Errors
    /// As [`Decoder::read`], offsets counted from the body's first byte.
    pub fn read_bare<T>(
        &self,
        schema: &Schema,
        body: &[u8],
        then: impl FnOnce(Checked<'_>) -> Result<T>,
    ) -> Result<T> {
        let scratch = Scratch::default();
        let input = Input::new(body, self.messages.limits.budget_for(body.len()), &scratch);
        let block = read_block(schema, input, 1, false)?;
        then(Checked { schema: schema.clone(), block })
    }

    /// Reads a bare body (F-12), written under this schema, into a sink.
    ///
    /// # Errors
    /// As [`Decoder::message`], offsets counted from the body's first byte.
    pub fn body(&self, schema: &Schema, body: &[u8], sink: &mut impl Sink) -> Result<()> {
        self.read_bare(schema, body, |checked| checked.tell(sink))
    }

    /// Reads a message into a value of a type. Data of another schema are read as [`Resolver`](crate::Resolver) says.
    ///
    /// # Errors
    /// As [`Decoder::message`] and [`Resolver::message`](crate::Resolver::message); `unconvertible`, `duplicate_key`, `limit_depth`, `limit_budget`.
    pub fn decode<'de, T: Decode<'de>>(&mut self, message: &'de [u8]) -> Result<T> {
        match T::OF_VALUE {
            Some(of_value) => value::of_message(&mut self.messages, message).map(of_value),
            None => self.typed().decode(message),
        }
    }

    /// As [`Decoder::decode`], in place of a value: what that has allocated, its lists and strings and those inside them, is
    /// used again.
    ///
    /// ```
    /// let mut list = Vec::<u32>::with_capacity(100);
    /// holdall::Decoder::new().decode_into(&holdall::to_vec(&vec![1_u32, 2, 3])?, &mut list)?;
    /// assert_eq!((list.len(), list.capacity()), (3, 100));
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Decoder::decode`]. The value then may be partly the old one, partly the other.
    pub fn decode_into<'de, T: Decode<'de>>(
        &mut self,
        message: &'de [u8],
        value: &mut T,
    ) -> Result<()> {
        match T::OF_VALUE {
            Some(_) => *value = self.decode(message)?,
            None => self.typed().decode_into(message, value)?,
        }
        Ok(())
    }

    /// Reads a bare body (F-12) that was written by the same type.
    ///
    /// # Errors
    /// As [`Decoder::decode`].
    pub fn decode_body<'de, T: Decode<'de>>(&mut self, body: &'de [u8]) -> Result<T> {
        self.typed().decode_body(body)
    }

    /// What reads into Rust types.
    pub(crate) fn typed(&mut self) -> TypedReader<'_> {
        TypedReader { messages: &mut self.messages, spare: &mut self.spare }
    }

    /// A [`View`] of a message, with this decoder's limits, for schemas that it knows or finds in its store.
    ///
    /// # Errors
    /// As [`View::new`].
    pub fn view<'a>(&self, message: impl Into<Bytes<'a>>) -> Result<View<'a>> {
        View::with(&self.messages, message)
    }

    /// Tells what each byte of a message is, as far as that can be told, with the first of the values. The message need not
    /// be valid; an error is a part of the answer.
    ///
    /// ```
    /// let trace = holdall::Decoder::new().trace(b"\xC1\x10\x1A\x08\x04a\x03\x04");
    /// let span = trace.spans.last().unwrap();
    /// assert_eq!((span.range.clone(), span.rule, span.number), (7..8, 29, Some(2))); // F-29; zigzag 2 is 1
    /// assert_eq!(trace.path(span.site.unwrap()), "$.a");
    /// assert!(trace.errors.is_empty());
    /// ```
    #[must_use]
    pub fn trace(&self, message: &[u8]) -> Trace {
        self.messages.trace(message)
    }
}

/// A message whose bytes are checked and whose values are not told yet.
pub struct Checked<'a> {
    schema: Schema,
    block: Block<'a>,
}

impl Checked<'_> {
    /// The message's schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Tells the value to a sink.
    ///
    /// # Errors
    /// Those that only a walk over the values shows, and the sink's own.
    pub fn tell(self, sink: &mut impl Sink) -> Result<()> {
        assemble(&self.schema, self.block, sink)
    }
}
