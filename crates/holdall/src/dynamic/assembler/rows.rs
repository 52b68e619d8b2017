//! Several rows of a block: one after the other, or as one list.

use super::{Assembler, BlockReader};
use crate::block::Block;
use crate::dynamic::{Event, NullSink, Sink};
use crate::error::Result;
use crate::schema::{Schema, TypeId};

/// Reads the roots of a block into a sink, and passes the sink on after each.
pub(crate) fn assemble_each<S: Sink>(
    schema: &Schema,
    mut block: Block<'_>,
    roots: u64,
    sink: &mut S,
    mut after: impl FnMut(&mut S) -> Result<()>,
) -> Result<()> {
    sink.budget(block.units);
    let mut reader = BlockReader::new(schema, &mut block);
    for _ in 0..roots {
        Assembler::new(&mut reader, sink).root()?;
        after(sink)?;
    }
    block.check_taken(|number| reader.taken(number))
}

/// Reads the first row of a site into a sink. The block holds the columns of that row alone.
pub(crate) fn assemble_at<S: Sink>(
    schema: &Schema,
    mut block: Block<'_>,
    site: TypeId,
    sink: &mut S,
) -> Result<()> {
    sink.budget(block.units);
    Assembler::new(&mut BlockReader::new(schema, &mut block), sink).locate(site)
}

/// Reads the first rows of a site into a sink, as a list. The block holds the columns of these rows alone.
pub(crate) fn assemble_rows<S: Sink>(
    schema: &Schema,
    mut block: Block<'_>,
    site: TypeId,
    count: usize,
    sink: &mut S,
) -> Result<()> {
    sink.budget(block.units);
    let mut reader = BlockReader::new(schema, &mut block);
    let mut walk = Assembler::new(&mut reader, sink);
    walk.begin_list(site, count)
        .and_then(|()| walk.rest())
        .map_err(|error| error.under(|| walk.path()))
}

/// Reads some roots of a block into a sink, as a list. Their numbers ascend. It walks the others, too, because they determine which
/// definition rows belong to these.
pub(crate) fn assemble_roots<S: Sink>(
    schema: &Schema,
    mut block: Block<'_>,
    numbers: impl ExactSizeIterator<Item = u64>,
    sink: &mut S,
) -> Result<()> {
    sink.budget(block.units);
    let mut reader = BlockReader::new(schema, &mut block);
    let mut next = 0;
    sink.event(Event::List(numbers.len()))?;
    for number in numbers {
        for _ in next..number {
            Assembler::new(&mut reader, &mut NullSink).root()?;
        }
        Assembler::new(&mut reader, sink).root()?;
        next = number + 1;
    }
    sink.event(Event::End)
}
