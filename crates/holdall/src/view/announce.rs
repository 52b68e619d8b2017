//! Announces the columns that are read next, for sources in network storage.

use alloc::vec::Vec;
use core::ops::Range;

use super::block::{BlockPlaces, BlockSource};
use super::{View, ViewBlock, ViewSite};
use crate::error::Result;
use crate::memory::{self, Collect, GrowVec};
use crate::schema::{Schema, Type, TypeId, parents};

/// Columns of about this many bytes are announced at once, and those of the blocks after them when they are needed.
const ANNOUNCED_BYTES: u64 = 1 << 26;

/// The most bytes that a window reads ahead, which can be those of the next column.
const AHEAD: u64 = 64;

/// How much of each column is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The beginnings, which have the encodings.
    Beginnings,
    /// Whole columns.
    All,
}

/// Marks the types whose columns are read for the values of a place: those around it, and all inside.
fn mark(schema: &Schema, place: TypeId, parents: &[Option<TypeId>], needs: &mut [bool]) {
    core::iter::successors(parents[place], |id| parents[*id]).for_each(|id| needs[id] = true);
    let mut open = vec![place];
    while let Some(id) = open.pop() {
        for inside in schema.inside(id) {
            needs[inside] = true;
            if let Type::Def(number) | Type::Shared(number) = schema.types()[inside] {
                let body = schema.definitions().get(number);
                open.put_each(body.copied().filter(|body| !needs[*body]));
            }
        }
    }
}

impl BlockPlaces {
    /// The ranges of the columns that the values of places are read from, if a directory has them.
    fn ranges(
        &self,
        source: BlockSource<'_>,
        places: &[TypeId],
        extent: Extent,
    ) -> Result<Vec<Range<u64>>> {
        let Some(starts) = self.starts(source)? else { return Ok(Vec::new()) };
        let (schema, mut needs) = (source.schema, memory::filled(false, starts.len() - 1));
        let parents = parents(schema);
        places.iter().for_each(|id| mark(schema, *id, &parents, &mut needs));
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for (id, bounds) in starts.windows(2).enumerate() {
            if !needs[id] || bounds[0] == bounds[1] {
                continue;
            }
            let end = match extent {
                Extent::Beginnings => bounds[0],
                Extent::All => bounds[1],
            };
            let end = end.saturating_add(AHEAD).min(self.end());
            match ranges.last_mut() {
                Some(last) if last.end >= bounds[0] => last.end = last.end.max(end),
                _ => ranges.put(bounds[0]..end),
            }
        }
        Ok(ranges)
    }
}

impl View<'_> {
    /// Announces columns of some blocks, from the first block on as many as are fetched at once. `places` returns the
    /// places of a block whose values are read. Returns the block after those that were announced.
    ///
    /// # Errors
    /// Faults of the heads of blocks; `io`; those of the function.
    #[doc(hidden)]
    pub fn announce(
        &self,
        blocks: Range<usize>,
        extent: Extent,
        places: impl Fn(&ViewBlock<'_>) -> Result<Vec<TypeId>>,
    ) -> Result<usize> {
        let reading = self.source.reading();
        if !self.is_stream() || !reading.wants_announcements() {
            return Ok(blocks.end);
        }
        let (mut parts, mut bytes, mut next) = (Vec::new(), 0, blocks.start);
        while next < blocks.end && bytes < ANNOUNCED_BYTES {
            let block = self.block(next)?;
            let places = places(&block)?;
            let (source, columns) = block.parts();
            let own = columns.ranges(source, &places, extent)?;
            bytes += own.iter().map(|part| part.end - part.start).sum::<u64>();
            parts.put_each(own);
            next += 1;
        }
        reading.announce(&parts)?;
        Ok(next)
    }
}

impl ViewSite<'_> {
    /// Announces the column of this place in some blocks, as [`View::announce`] does.
    pub(super) fn announce(self, blocks: Range<usize>) -> Result<usize> {
        let place = |block: &ViewBlock<'_>| Ok(block.place_of(self).into_iter().collected());
        self.view.announce(blocks, Extent::All, place)
    }
}
