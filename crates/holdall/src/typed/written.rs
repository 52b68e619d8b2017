//! Several values of one type as the roots of one block (F-85): gathered for writing, and read.

use alloc::vec::Vec;

use super::buffers::Buffers;
use super::columns::Columns;
use super::message::{BlockRows, TypedMessage, TypedReader};
use super::other::Resolved;
use super::plan::{Plan, Site};
use super::rows::Rows;
use super::{Decode, Encode};
use crate::block::Block;
use crate::error::Result;
use crate::input::Scratch;
use crate::memory::GrowVec;
use crate::message::Written;
use crate::schema::Schema;
use holdall_format::stream::StoredBlock;

/// The rows of values of one type, gathered for a block.
pub(crate) struct TypedRows {
    plan: &'static Plan,
    buffers: Buffers,
    /// How many rows the definitions had before the current value.
    before: Vec<u64>,
}

impl TypedRows {
    pub(crate) fn new(plan: &'static Plan) -> TypedRows {
        TypedRows { plan, buffers: Buffers::new(plan), before: Vec::new() }
    }

    /// Whether the rows are those of a plan.
    pub(crate) fn is_of(&self, plan: &Plan) -> bool {
        core::ptr::eq(self.plan, plan)
    }

    /// Adds a value after this many others. A value that fails adds no rows.
    pub(crate) fn add<T: Encode + ?Sized>(
        &mut self,
        value: &T,
        roots: usize,
        depth: usize,
        canonical: bool,
    ) -> Result<()> {
        self.buffers.begin_root();
        self.before.clear();
        self.before.put_slice(self.buffers.definition_rows());
        let mut columns = Columns::new(self.plan, &mut self.buffers, depth).canonical(canonical);
        let done = value.write(Site::ROOT, &mut columns);
        drop(columns);
        if done.is_err() {
            self.buffers.cut(self.plan, roots, &self.before);
            self.forget_failures(false)?;
        }
        done
    }

    fn forget_failures(&mut self, is_last: bool) -> Result<()> {
        match &mut self.buffers.values {
            Some(values) => values.forget_failures(is_last),
            None => Ok(()),
        }
    }

    /// Returns about how many bytes the rows take in memory.
    pub(crate) fn size(&self) -> usize {
        self.buffers.size()
    }

    pub(crate) fn clear(&mut self) {
        self.buffers.clear_rows();
    }

    /// Calls a function with the schema of the rows and their writer.
    pub(crate) fn write(
        &mut self,
        write: &mut dyn FnMut(&Schema, &dyn Written) -> Result<()>,
    ) -> Result<()> {
        self.forget_failures(true)?;
        if let Some(values) = self.buffers.deciding_values() {
            return values.written(self.plan, &self.buffers, write);
        }
        let (schema, rows) = (&self.plan.schema, BlockRows::Columns(&self.buffers));
        write(schema, &TypedMessage { schema, rows })
    }
}

impl TypedReader<'_> {
    /// Reads all roots of a block into values of a type.
    pub(crate) fn decode_roots<'de, T: Decode<'de>>(
        &mut self,
        of: &'de StoredBlock,
    ) -> Result<Vec<T>> {
        self.with_scratch(of.payload().len(), |reader, scratch| {
            reader.decode_columns(of, || of.columns(scratch), scratch)
        })
    }

    /// Reads all roots of a block, whose columns the function reads or has read with this memory, into values of a type.
    pub(crate) fn decode_columns<'de, 'b, T: Decode<'de>>(
        &mut self,
        of: &'de StoredBlock,
        columns: impl FnOnce() -> Result<Block<'b>>,
        scratch: &'b Scratch,
    ) -> Result<Vec<T>> {
        // A type that cannot be read is an error before any damage of the columns.
        let plan = Plan::of_read::<T>()?;
        let block = columns()?;
        // Each root was charged to the budget, so their number fits.
        let (count, bytes) = (of.len() as usize, of.payload());
        let read = |_, rows: &mut Rows<'_, 'de>| read_roots(count, rows);
        let values = if plan.schema == *of.schema() {
            self.block_rows(plan, (block, None), scratch, bytes, read)
        } else {
            let resolved = Resolved::of(plan, of.schema())?;
            self.other_rows(&resolved, (block, of.len()), scratch, bytes, read)
        };
        values.map_err(|error| error.moved_by(of.moved()))
    }
}

fn read_roots<'de, T: Decode<'de>>(count: usize, rows: &mut Rows<'_, 'de>) -> Result<Vec<T>> {
    // Column by column, if nothing leads to a definition.
    if !rows.row_major_only(Site::ROOT) && !rows.dry_run {
        return T::read_list(count, Site::ROOT, rows);
    }
    let mut all = rows.room(count)?;
    for _ in 0..count {
        rows.begin_root();
        all.put(T::read(Site::ROOT, rows)?);
    }
    Ok(all)
}
