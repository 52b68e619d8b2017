//! A [`Resolver`] with a decoder's limits and schemas, and with values without types.

use super::Decoder;
use crate::dynamic::{Sink, message_of};
use crate::error::Result;
use crate::input::{Input, Scratch};
use crate::resolution::{Field, Plan, Resolver};
use crate::value::{Value, ValueBuilder};

impl Resolver {
    /// What rows get that lack a field. It is read into the field's type like data; one that cannot be is an error of
    /// [`Resolver::plan`]. Each row has its own, but for what is [`Shared`](crate::Shared) in it.
    #[must_use]
    pub fn default(self, field: Field, value: Value) -> Resolver {
        self.default_message(field, message_of(&mut &value, false))
    }

    /// Reads a message into a value of the reader's schema.
    ///
    /// # Errors
    /// As [`Resolver::message`].
    pub fn read(&self, message: &[u8]) -> Result<Value> {
        let mut builder = ValueBuilder::new();
        self.message(&mut Decoder::new(), message, &mut builder)?;
        builder.finish()
    }

    /// Reads a message into a sink, with the decoder's limits and the schemas that it knows.
    ///
    /// # Errors
    /// As [`Decoder::message`], [`Resolver::plan`] and [`Plan::body`].
    pub fn message(
        &self,
        decoder: &mut Decoder,
        message: &[u8],
        sink: &mut impl Sink,
    ) -> Result<()> {
        let scratch = Scratch::default();
        let (schema, input) = decoder.messages.open(message, &scratch)?;
        self.plan(&schema)?.block(decoder.messages.limits, input, message.len(), sink)
    }

    /// A value as one of the reader's schema: what reading gives once it is written.
    ///
    /// # Errors
    /// As [`to_vec`](crate::to_vec) and [`Resolver::message`].
    pub fn convert(&self, value: &Value) -> Result<Value> {
        self.read(&message_of(&mut &*value, false)?)
    }
}

impl Plan {
    /// Reads a bare body (F-12) of the writer's schema into a sink.
    ///
    /// What is told is charged to a budget of its own, as large as that of reading the body: 8 units for each value, each
    /// reference followed and each option, union, logical type or extension on the way, and 1 for each of these that is
    /// passed by and for each byte of text, of names and of what is joined to one value; where a byte string or tensor has
    /// to be looked at item by item, 8 more for each value in it.
    ///
    /// # Errors
    /// As [`Decoder::body`]; `unconvertible`, `missing_field`, `unknown_field`, `duplicate_key` with the path in the value;
    /// `limit_budget`; and the sink's own.
    pub fn body(&self, decoder: &Decoder, body: &[u8], sink: &mut impl Sink) -> Result<()> {
        let scratch = Scratch::default();
        let input = Input::new(body, decoder.messages.budget_for(body.len()), &scratch);
        self.block(decoder.messages.limits, input, body.len(), sink)
    }
}
