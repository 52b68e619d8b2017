//! Many rows, or all values of a place, as lists: each list takes no more than one budget.

use alloc::vec::Vec;

use super::block::{BlockPlaces, BlockSource};
use super::kept_value::uses_definitions;
use super::{ViewBody, ViewSite, gather};
use crate::dynamic::Sink;
use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowVec};
use crate::schema::TypeId;

/// The numbers of some rows.
#[derive(Clone, Copy, Debug)]
pub struct SomeRows {
    /// The number of the first.
    pub first: u64,
    /// How many there are.
    pub count: u64,
    /// From each to the next.
    pub step: u64,
}

impl SomeRows {
    /// Returns the numbers.
    pub(super) fn numbers(self) -> Result<impl ExactSizeIterator<Item = u64>> {
        let count = usize::try_from(self.count).map_err(|_| Error::new(Code::LimitBudget))?;
        Ok((0..count).map(move |row| self.first + self.step * row as u64))
    }
}

impl BlockPlaces {
    /// Emits the rows of a site as a list, or those of the site inside options, logical types and extensions. Returns which
    /// entries of the column they are, if not all.
    pub(super) fn emit_all(
        &self,
        source: BlockSource<'_>,
        id: TypeId,
        is_plain: bool,
        sink: &mut impl Sink,
    ) -> Result<Option<Vec<bool>>> {
        let id = if is_plain { gather::plain(source.schema.types(), id) } else { id };
        let (_, present) = gather::presence(source, self, id)?;
        let rows = self.site(source, id)?.rows;
        self.emit_some(source, id, SomeRows { first: 0, count: rows, step: 1 }, sink)?;
        Ok(present)
    }
}

impl ViewSite<'_> {
    /// Divides rows among the blocks of a stream; those of a message are in one.
    #[doc(hidden)]
    #[must_use]
    pub fn in_blocks(self, mut some: SomeRows) -> Vec<SomeRows> {
        let ViewBody::Stream(stream) = &self.view.body else { return vec![some] };
        let mut parts = Vec::new();
        while some.count > 0 {
            let next = stream.blocks.block_of(some.first) + 1;
            let end = match next < stream.blocks.len() {
                true => stream.blocks.first(next),
                false => stream.blocks.values(),
            };
            let count = end.saturating_sub(some.first).div_ceil(some.step).clamp(1, some.count);
            parts.put(SomeRows { count, ..some });
            some = SomeRows {
                first: some.first.saturating_add(count * some.step),
                count: some.count - count,
                step: some.step,
            };
        }
        parts
    }

    /// Emits items of the only list, array or set here as a list; of a stream, values of one block. Together they take no more
    /// than one budget.
    ///
    /// # Errors
    /// As [`ViewSite::emit_row`].
    #[doc(hidden)]
    pub fn emit_rows(self, some: SomeRows, sink: &mut impl Sink) -> Result<()> {
        let last = some.count.saturating_sub(1).saturating_mul(some.step);
        self.check_number(some.first.saturating_add(last))?;
        let (view, list) = (self.view, self.one_list()?);
        memory::guarded(|| match (&view.body, list) {
            (ViewBody::Stream(stream), _) => {
                stream.emit_rows(some, view.source.reading(), view.limits, sink)
            }
            (ViewBody::Message(block), Some(item)) if uses_definitions(&view.schema, item) => {
                block.emit_items(view.parts(), self.plain().number(), some, sink)
            }
            (ViewBody::Message(block), Some(item)) => {
                block.emit_some(view.parts(), item, some, sink)
            }
            // It has a length.
            (ViewBody::Message(_), None) => Ok(()),
        })
    }

    /// Emits the values here as a list, or those inside options, logical types and extensions; of a stream, those of a block.
    /// Returns which entries of the column they are, if not all. Together they take no more than one budget.
    ///
    /// # Errors
    /// As [`ViewSite::column`]; `unsupported` for values with definitions; those of the sink.
    #[doc(hidden)]
    pub fn emit_values(
        self,
        block: usize,
        is_plain: bool,
        sink: &mut impl Sink,
    ) -> Result<Option<Vec<bool>>> {
        let (view, id) = (self.view, self.number());
        memory::guarded(|| match &view.body {
            ViewBody::Message(block) => block.emit_all(view.parts(), id, is_plain, sink),
            ViewBody::Stream(stream) => {
                let (reading, limits) = (view.source.reading(), view.limits);
                let block = stream.block(block, reading, limits)?;
                block.emit_values(block.source(reading, limits), &view.schema, id, is_plain, sink)
            }
        })
    }
}
