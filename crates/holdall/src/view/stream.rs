//! A stream as a view: its blocks one by one.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use super::block::{BlockPlaces, BlockSource};
use super::column::Column;
use super::gather;
use super::kept_value::KeptRoots;
use super::many::SomeRows;
use super::site_path::{SamePlace, same_place};
use crate::dynamic::{Event, Sink, assemble_roots};
use crate::error::Result;
use crate::input::Reading;
use crate::limits::Limits;
use crate::memory::{self, Collect};
use crate::schema::{Known, Schema, Type, TypeId};
use holdall_format::stream::{BlockHead, Blocks};

/// The number of blocks whose column locations are kept. Nearby rows are in one block.
const OPEN: usize = 16;

pub(super) struct Stream {
    pub(super) blocks: Blocks,
    known: Known,
    checked: bool,
    open: Mutex<VecDeque<(usize, Arc<OpenBlock>)>>,
}

/// A block whose head was read.
pub(super) struct OpenBlock {
    pub(super) schema: Schema,
    pub(super) places: BlockPlaces,
    roots: KeptRoots,
}

impl OpenBlock {
    pub(super) fn new(head: BlockHead) -> OpenBlock {
        let BlockHead { schema, body, roots, aligned, sizes } = head;
        let mut sizes = sizes.into_iter();
        let directory: Option<Box<[u64]>> = match sizes.len() {
            0 => None,
            _ => {
                let all = schema.with_columns().into_iter();
                Some(all.map(|has| if has { sizes.next().unwrap_or(0) } else { 0 }).collected())
            }
        };
        let aligned_from = aligned.then_some(body.start);
        let places = BlockPlaces::new(body, aligned_from, roots, directory);
        OpenBlock { schema, places, roots: KeptRoots::default() }
    }

    pub(super) fn source<'s>(&'s self, reading: Reading<'s>, limits: Limits) -> BlockSource<'s> {
        BlockSource { schema: &self.schema, reading, limits }
    }

    /// The column of a place of another schema. If this schema lacks the place, its entries are absent.
    pub(super) fn column<'s>(
        &'s self,
        reading: Reading<'s>,
        limits: Limits,
        schema: &Schema,
        id: TypeId,
    ) -> Result<Column<'s>> {
        let source = self.source(reading, limits);
        match same_place(schema, id, &self.schema) {
            SamePlace::Whole(id) => gather::column(source, &self.places, id),
            SamePlace::Ancestor(last) => {
                Ok(Column::absent(self.entries_without(source, schema, id, last)?))
            }
        }
    }

    /// Emits the values of a place of another schema as a list; those inside options, logical types and extensions if it is
    /// plain. Returns which entries of the column they are.
    pub(super) fn emit_values(
        &self,
        source: BlockSource<'_>,
        schema: &Schema,
        id: TypeId,
        is_plain: bool,
        sink: &mut impl Sink,
    ) -> Result<Option<Vec<bool>>> {
        match same_place(schema, id, &self.schema) {
            SamePlace::Whole(id) => self.places.emit_all(source, id, is_plain, sink),
            SamePlace::Ancestor(last) => {
                sink.event(Event::List(0))?;
                sink.event(Event::End)?;
                Ok(Some(memory::filled(false, self.entries_without(source, schema, id, last)?)))
            }
        }
    }

    /// The number of entries of a place that this schema lacks from `last` on.
    fn entries_without(
        &self,
        source: BlockSource<'_>,
        schema: &Schema,
        id: TypeId,
        last: TypeId,
    ) -> Result<usize> {
        // There is nothing inside a missing list.
        if is_inside_list(schema, id, &self.schema) {
            return Ok(0);
        }
        let last = gather::plain(self.schema.types(), last);
        Ok(gather::presence(source, &self.places, last)?.0)
    }
}

/// Whether the entries of a place are items of a list below the last place on the path that the other schema has.
fn is_inside_list(schema: &Schema, id: TypeId, other: &Schema) -> bool {
    let (types, parents) = (schema.types(), crate::schema::parents(schema));
    let above = core::iter::successors(parents[id], |above| parents[*above]);
    let is_there = |id: TypeId| matches!(same_place(schema, id, other), SamePlace::Whole(_));
    let mut missing = above.take_while(|above| !is_there(*above));
    missing.any(|above| matches!(types[above], Type::List(_) | Type::Array(..) | Type::Map(..)))
}

impl Stream {
    pub(super) fn open(reading: Reading<'_>, known: &Known, limits: Limits) -> Result<Stream> {
        let blocks = Blocks::find(&reading, limits)?;
        Ok(Stream { blocks, known: known.clone(), checked: false, open: Mutex::default() })
    }

    pub(super) fn check(&mut self, checked: bool) {
        self.checked = checked;
        self.open = Mutex::default();
    }

    /// The schema of the last block.
    pub(super) fn schema(&self, reading: Reading<'_>, limits: Limits) -> Result<Schema> {
        match self.blocks.len().checked_sub(1) {
            Some(last) => Ok(self.block(last, reading, limits)?.schema.clone()),
            // It has no values.
            None => Schema::from_bytes(&[0, crate::schema::code::NEVER]),
        }
    }

    pub(super) fn block(
        &self,
        number: usize,
        reading: Reading<'_>,
        limits: Limits,
    ) -> Result<Arc<OpenBlock>> {
        let open = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, block)) = open().iter().find(|(own, _)| *own == number) {
            return Ok(Arc::clone(block));
        }
        let head = self.blocks.block(&reading, number, &self.known, limits, self.checked)?;
        let block = Arc::new(OpenBlock::new(head));
        let mut open = open();
        if open.len() == OPEN {
            open.pop_front();
        }
        open.push_back((number, Arc::clone(&block)));
        Ok(block)
    }

    /// Emits a value to a sink.
    pub(super) fn emit_row(
        &self,
        number: u64,
        reading: Reading<'_>,
        limits: Limits,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let of = self.blocks.block_of(number);
        let block = self.block(of, reading, limits)?;
        let (source, row) = (block.source(reading, limits), number - self.blocks.first(of));
        if block.schema.definitions().is_empty() {
            return block.places.emit_row(source, 0, row, sink);
        }
        block.places.emit_root(source, &block.roots, row, sink)
    }

    /// Emits some values of one block to a sink, as a list.
    pub(super) fn emit_rows(
        &self,
        some: SomeRows,
        reading: Reading<'_>,
        limits: Limits,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let of = self.blocks.block_of(some.first);
        let block = self.block(of, reading, limits)?;
        let source = block.source(reading, limits);
        let some = SomeRows { first: some.first - self.blocks.first(of), ..some };
        if block.schema.definitions().is_empty() {
            return block.places.emit_some(source, 0, some, sink);
        }
        let numbers = some.numbers()?;
        block.places.whole(source, |columns| assemble_roots(&block.schema, columns, numbers, sink))
    }
}
