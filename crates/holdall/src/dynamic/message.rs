//! Entire messages from events, and back.

use super::{Shredder, Sink, Source, assemble};
use crate::error::Result;
use crate::input::Scratch;
use crate::message::{MessageReader, MessageWriter, read_block};
use crate::schema::Schema;

/// Encodes one value as a message with an inline schema and default options.
pub(crate) fn message_of(source: &mut impl Source, canonical: bool) -> Result<Vec<u8>> {
    let mut shredder = Shredder::default();
    shredder.set_canonical(canonical);
    source.drive(&mut shredder)?;
    let (layout, size) = (shredder.layout()?, shredder.size());
    let mut out = Vec::new();
    MessageWriter::default().write(&shredder.written(&layout, size), &mut out)?;
    Ok(out)
}

/// Reads an entire message into a sink. Returns its schema.
pub(crate) fn read_message(
    messages: &mut MessageReader,
    message: &[u8],
    sink: &mut impl Sink,
) -> Result<Schema> {
    let scratch = Scratch::default();
    let (schema, input) = messages.open(message, &scratch)?;
    assemble(&schema, read_block(&schema, input, 1, false)?, sink)?;
    Ok(schema)
}
