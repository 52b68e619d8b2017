//! Entire messages from events, and back.

use alloc::vec::Vec;

use super::{Shredder, Sink, Source, assemble, assemble_each};
use crate::column::{Profile, Settings};
use crate::error::Result;
use crate::input::{Input, Scratch};
use crate::limits::Limits;
use crate::message::{MessageReader, MessageWriter, Written, read_block};
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

/// Returns a shredder that holds these rows and nothing else.
///
/// Writing and reading the bytes of the rows takes 6 % of the instructions; walking and shredding them again takes the
/// rest.
pub(crate) fn rebuilt(shredder: &Shredder, roots: u64) -> Result<Shredder> {
    let layout = shredder.layout()?;
    let schema = layout.to_schema()?;
    let settings = Settings::of(Profile::Fast);
    let mut columns = Vec::new();
    shredder.written(&layout, 0).write_block(&mut columns, settings, usize::MAX, &mut |_| {})?;
    let scratch = Scratch::default();
    // The rows are in memory already.
    let budget = Limits::new().budget(u64::MAX).budget_for(columns.len());
    let block = read_block(&schema, Input::new(&columns, budget, &scratch), roots, false)?;
    let (mut fresh, mut left) = (Shredder::default(), roots);
    fresh.begin_root();
    assemble_each(&schema, block, roots, &mut fresh, |fresh| {
        fresh.check_complete()?;
        left -= 1;
        if left > 0 {
            fresh.begin_root();
        }
        Ok(())
    })?;
    Ok(fresh)
}
