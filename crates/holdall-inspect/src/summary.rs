//! Reads a message to its end, with all checks, and counts its values.

use std::fmt::{self, Write};

use holdall::events::{Event, Sink};
use holdall::stream::is_stream;
use holdall::trace::has_checksum;
use holdall::{Code, Decoder, Metadata, Reader, Result, Schema};

/// The contents of a valid message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The message's length.
    pub bytes: usize,
    /// The number of values, nested ones included; each row of a shared one counts once.
    pub values: u64,
    /// The number of types in its schema, each at its place.
    pub sites: usize,
    /// The schema as text, truncated if it is long.
    pub schema: String,
    /// Whether the message has the fingerprint instead of the schema.
    pub has_fingerprint: bool,
    /// The number of pairs of metadata.
    pub metadata: usize,
    /// Whether it has a checksum, which is then right.
    pub has_checksum: bool,
}

/// The text of a schema is truncated to this many bytes.
const SCHEMA: usize = 120;

impl Summary {
    /// Reads a message with all checks, including those of values.
    ///
    /// # Errors
    /// As [`Decoder::message`].
    pub fn of(message: &[u8], decoder: &mut Decoder) -> Result<Summary> {
        let mut counter = Counter::default();
        decoder.message(message, &mut counter)?;
        let schema = decoder.schema(message)?;
        let own = Schema::of_message(message).map_err(|error| error.code());
        Ok(Summary {
            bytes: message.len(),
            values: counter.values,
            sites: schema.sites(),
            schema: short(&schema),
            has_fingerprint: own == Err(Code::UnknownFingerprint),
            metadata: Metadata::of_message(message)?.len(),
            has_checksum: has_checksum(message)?,
        })
    }
}

/// The beginning of a schema's text.
fn short(schema: &Schema) -> String {
    let mut text = Cut(String::new());
    // It stops when it is full: the text can be very much longer than the message.
    if write!(text, "{schema}").is_err() {
        text.0.push('…');
    }
    text.0
}

struct Cut(String);

impl Write for Cut {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        for char in more.chars() {
            if self.0.len() >= SCHEMA {
                return Err(fmt::Error);
            }
            self.0.push(char);
        }
        Ok(())
    }
}

/// Walks over the values of a message or a stream, with all checks.
pub(crate) fn walk(data: &[u8], decoder: &Decoder) -> Result<()> {
    let mut counter = Counter::default();
    if !is_stream(data) {
        return decoder.clone().message(data, &mut counter);
    }
    let mut reader = Reader::with_decoder(data, decoder).whole(true);
    while let Some(block) = reader.next_block()? {
        block.emit(&mut counter, |_| Ok(()))?;
    }
    Ok(())
}

/// Accepts values and keeps none.
#[derive(Default)]
pub(crate) struct Counter {
    values: u64,
}

impl Sink for Counter {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Variant(_) | Event::Logical(_) | Event::Extension(_) | Event::End => {}
            Event::Identity(_) | Event::Reference(_) | Event::Choice(_) => {}
            _ => self.values += 1,
        }
        Ok(())
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        self.values += values.len() as u64;
        Ok(())
    }
}
