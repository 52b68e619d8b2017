//! Whole messages from events, and to them.

use super::{Shredder, Sink, Source, assemble};
use crate::error::Result;
use crate::input::Scratch;
use crate::message::{MessageReader, MessageWriter, read_block};

/// The message of one value, its schema inline, as an encoder writes it that was asked for nothing else.
pub(crate) fn message_of(source: &mut impl Source, canonical: bool) -> Result<Vec<u8>> {
    let mut shredder = Shredder::default();
    shredder.set_canonical(canonical);
    source.drive(&mut shredder)?;
    let (layout, size) = (shredder.layout()?, shredder.size());
    let mut out = Vec::new();
    MessageWriter::default().write(&shredder.written(&layout, size), &mut out)?;
    Ok(out)
}

/// Reads a whole message into a sink.
pub(crate) fn read_message(
    messages: &mut MessageReader,
    message: &[u8],
    sink: &mut impl Sink,
) -> Result<()> {
    let scratch = Scratch::default();
    let (schema, input) = messages.open(message, &scratch)?;
    assemble(&schema, read_block(&schema, input, 1, false)?, sink)
}
