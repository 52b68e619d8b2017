//! Values of one type over a connection, as `tokio_util` frames them.

use alloc::collections::VecDeque;
use core::fmt;

use tokio_util::bytes::{Buf as _, BytesMut};

use super::feeder::{Feeder, Item};
use crate::decoder::Decoder;
use crate::encoder::Encoder;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::schema::Schema;
use crate::typed::{DecodeOwned, Encode};

/// Reads values of a type from a connection and writes values to it: for `tokio_util::codec::Framed`, `FramedRead` and `FramedWrite`.
///
/// Writes messages that begin with their length. Reads such messages and streams, one after the other, with
/// [`Feeder`]: each value of a stream arrives as if it were a message.
///
/// ```
/// use futures_util::{SinkExt, StreamExt};
/// use holdall::stream::Codec;
/// use tokio_util::codec::Framed;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let (ours, theirs) = tokio::io::duplex(64);
/// let mut client = Framed::new(ours, Codec::<u64>::new());
/// let mut server = Framed::new(theirs, Codec::<String>::new());
/// client.send("how many?").await?;
/// assert_eq!(server.next().await.unwrap()?, "how many?");
/// server.send(&42_u64).await?;
/// assert_eq!(client.next().await.unwrap()?, 42);
/// # Ok::<(), holdall::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Codec<T> {
    encoder: Encoder,
    decoder: Decoder,
    feeder: Feeder,
    /// Values of a block not returned yet.
    ready: VecDeque<T>,
}

impl<T> Codec<T> {
    /// Creates a codec with the options of [`Encoder::new`].
    #[must_use]
    pub fn new() -> Codec<T> {
        Codec {
            encoder: Encoder::new().length(true),
            decoder: Decoder::new(),
            feeder: Feeder::new(),
            ready: VecDeque::new(),
        }
    }

    /// Sets how values are written. Each message begins with its length, whatever the encoder's options are.
    #[must_use]
    pub fn encoder(mut self, encoder: Encoder) -> Codec<T> {
        self.encoder = encoder.length(true);
        self
    }

    /// Sets the limits for reading. [`Limits::frame`] also bounds the bytes of a message.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Codec<T> {
        self.decoder = self.decoder.limits(limits);
        self.feeder = self.feeder.limits(limits);
        self
    }

    /// Adds a schema, for messages and blocks without their own.
    pub fn add_schema(&mut self, schema: &Schema) {
        self.decoder.add_schema(schema);
        self.feeder.add_schema(schema);
    }
}

impl<T> Default for Codec<T> {
    fn default() -> Self {
        Codec::new()
    }
}

impl<T> fmt::Debug for Codec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Codec").field("feeder", &self.feeder).finish_non_exhaustive()
    }
}

impl<T: DecodeOwned> tokio_util::codec::Decoder for Codec<T> {
    type Item = T;
    type Error = Error;

    /// Returns the next value, if it is complete.
    ///
    /// # Errors
    /// As [`Feeder::feed`] and [`Decoder::decode`].
    fn decode(&mut self, bytes: &mut BytesMut) -> Result<Option<T>> {
        loop {
            if let Some(value) = self.ready.pop_front() {
                return Ok(Some(value));
            }
            let (taken, item) = self.feeder.feed(bytes)?;
            bytes.advance(taken);
            match item {
                None => return Ok(None),
                Some(Item::Message(message)) => return self.decoder.decode(&message).map(Some),
                Some(Item::Block(block)) => self.ready = block.decode::<T>()?.into(),
                Some(Item::End) => {}
            }
        }
    }

    /// # Errors
    /// `truncated` if an item is incomplete.
    fn decode_eof(&mut self, bytes: &mut BytesMut) -> Result<Option<T>> {
        match self.decode(bytes)? {
            None if self.feeder.is_within() => Err(Error::new(Code::Truncated)
                .expected("the rest of a message or stream")
                .got("no more bytes")),
            value => Ok(value),
        }
    }
}

impl<T, V: Encode + ?Sized> tokio_util::codec::Encoder<&V> for Codec<T> {
    type Error = Error;

    /// # Errors
    /// As [`Encoder::encode`].
    fn encode(&mut self, value: &V, bytes: &mut BytesMut) -> Result<()> {
        bytes.extend_from_slice(&self.encoder.encode(value)?);
        Ok(())
    }
}
