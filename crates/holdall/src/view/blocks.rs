//! The blocks of a view, for bindings that read many columns of each: in order, or several at once.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::block::{BlockPlaces, BlockSource, SitePlace};
use super::budget::{CallBudget, units_of};
use super::site_path::{SamePlace, same_place};
use super::stream::OpenBlock;
use super::{View, ViewBody, ViewSite};
use crate::block::{Column, LONGEST_PATH, site_path};
use crate::dynamic::assemble_each;
use crate::error::Result;
use crate::input::Reading;
use crate::memory::{self, GrowVec};
use crate::schema::{Schema, TypeId, parents};
use crate::value::{Value, ValueBuilder};

/// All columns of a message, or of one block of a stream. What is read through it takes no more than one budget.
pub struct ViewBlock<'v> {
    view: &'v View<'v>,
    part: Part<'v>,
    budget: Mutex<CallBudget>,
}

enum Part<'v> {
    Message(&'v BlockPlaces),
    Block(Arc<OpenBlock>),
}

impl View<'_> {
    /// Returns the number of blocks; a message has one.
    #[doc(hidden)]
    #[must_use]
    pub fn block_count(&self) -> usize {
        match &self.body {
            ViewBody::Message(_) => 1,
            ViewBody::Stream(stream) => stream.blocks.len(),
        }
    }

    /// Whether this is a stream, whose values are rows.
    #[doc(hidden)]
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self.body, ViewBody::Stream(_))
    }

    /// Returns the number of a block's first value.
    #[doc(hidden)]
    #[must_use]
    pub fn first_value(&self, block: usize) -> u64 {
        match &self.body {
            ViewBody::Message(_) => 0,
            ViewBody::Stream(stream) => stream.blocks.first(block),
        }
    }

    /// Returns the values of a block of a stream, or the value of a message.
    ///
    /// # Errors
    /// The faults of the block.
    #[doc(hidden)]
    pub fn block_values(&self, number: usize) -> Result<Vec<Value>> {
        let block = self.block(number)?;
        let (source, places) = block.parts();
        let (mut builder, mut values) = (ValueBuilder::new(), Vec::new());
        memory::guarded(|| {
            places.whole(source, |columns| {
                assemble_each(source.schema, columns, places.roots, &mut builder, |builder| {
                    values.put(core::mem::take(builder).finish()?);
                    Ok(())
                })
            })
        })?;
        Ok(values)
    }

    /// Opens a block by its number.
    ///
    /// # Errors
    /// The faults of the block's head.
    #[doc(hidden)]
    pub fn block(&self, number: usize) -> Result<ViewBlock<'_>> {
        let part = match &self.body {
            ViewBody::Message(places) => Part::Message(places),
            ViewBody::Stream(stream) => {
                Part::Block(stream.block(number, self.source.reading(), self.limits)?)
            }
        };
        let budget = Mutex::new(CallBudget::new(part.source(self)));
        Ok(ViewBlock { view: self, part, budget })
    }
}

impl Part<'_> {
    fn source<'s>(&'s self, view: &'s View<'_>) -> BlockSource<'s> {
        match self {
            Part::Message(_) => view.parts(),
            Part::Block(block) => block.source(view.source.reading(), view.limits),
        }
    }
}

impl ViewBlock<'_> {
    pub(super) fn parts(&self) -> (BlockSource<'_>, &BlockPlaces) {
        let source = self.part.source(self.view);
        match &self.part {
            Part::Message(places) => (source, places),
            Part::Block(block) => (source, &block.places),
        }
    }

    fn budget(&self) -> MutexGuard<'_, CallBudget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the block's schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        self.parts().0.schema
    }

    /// Returns the bytes, if they are in memory.
    #[must_use]
    pub fn in_memory(&self) -> Option<&[u8]> {
        self.view.source.reading().in_memory()
    }

    /// Returns the place of a site of the view in the block's schema, if it exists there.
    #[must_use]
    pub fn place_of(&self, site: ViewSite<'_>) -> Option<TypeId> {
        match same_place(self.view.schema(), site.number(), self.schema()) {
            SamePlace::Whole(id) => Some(id),
            SamePlace::Ancestor(_) => None,
        }
    }

    /// Returns the number of rows at a site, and charges them once.
    ///
    /// # Errors
    /// Faults of the columns that give the number; `limit_budget`.
    pub fn rows(&self, id: TypeId) -> Result<u64> {
        let (source, places) = self.parts();
        let place = places.charged_site(source, id)?;
        self.pay(id, &place, 0)?;
        Ok(place.rows)
    }

    /// Charges the bytes that a program takes for rows that a site does not have: together at most 32 for each unit of the
    /// budget.
    ///
    /// # Errors
    /// `limit_budget`.
    pub fn charge_absent(&self, id: TypeId, bytes: u128) -> Result<()> {
        self.budget().charge_absent(bytes).map_err(|error| {
            let (source, places) = self.parts();
            let at = places.site(source, id).map_or(0, |place| place.bytes.start);
            error.moved_to(0).moved_by(at).with_path(|| self.path(id))
        })
    }

    /// Checks that the only use of a definition has as many rows as the definition (F-34).
    ///
    /// # Errors
    /// `definition_rows_mismatch`; faults of the columns that give the numbers.
    pub fn check_definition(&self, number: usize, used: TypeId) -> Result<()> {
        let (source, places) = self.parts();
        places.check_definition(source, number, places.site(source, used)?.rows)
    }

    /// Decodes the columns of a site. The site pays once, however often it is read.
    ///
    /// # Errors
    /// Their faults, with their offsets; `limit_budget`; `io`; those of the function.
    pub fn read<T>(&self, id: TypeId, then: impl FnOnce(Column<'_>) -> Result<T>) -> Result<T> {
        let (mut source, places) = self.parts();
        let place = places.site(source, id)?;
        source.limits = source.limits.budget(self.budget().left_for(id));
        places.read(source, id, |column| {
            self.pay(id, &place, places.contents(id))?;
            then(column)
        })
    }

    /// Charges the rows of a site and what its decoded columns hold beyond them.
    fn pay(&self, id: TypeId, place: &SitePlace, contents: u64) -> Result<()> {
        let rows = u64::try_from(units_of(self.schema(), id, place.rows)).unwrap_or(u64::MAX);
        self.budget()
            .charge_once(id, rows.saturating_add(contents), place.bytes.start)
            .map_err(|error| error.with_path(|| self.path(id)))
    }

    /// Returns the encoding byte of a site's last column, if it has one.
    ///
    /// # Errors
    /// Faults of the columns before it.
    pub fn encoding(&self, id: TypeId) -> Result<Option<u8>> {
        let (source, places) = self.parts();
        let place = places.site(source, id)?;
        if place.rows == 0 {
            return Ok(None);
        }
        places.skim(source, id, &place, |_, encoding, _| Ok(encoding))
    }

    /// Returns the range of a site's numbers, if they are stored as in memory.
    ///
    /// # Errors
    /// Faults of the columns before it.
    pub fn raw(&self, id: TypeId) -> Result<Option<Range<u64>>> {
        let (source, places) = self.parts();
        let place = places.site(source, id)?;
        let range = places.raw(source, id, &place)?;
        // The decoder checks what follows the rows.
        Ok(range.filter(|range| range.end == place.bytes.end))
    }

    /// Fills a buffer with the bytes from an offset on.
    ///
    /// # Errors
    /// `io`.
    pub fn read_at(&self, into: &mut [u8], offset: u64) -> Result<()> {
        let reading: Reading<'_> = self.view.source.reading();
        reading.read(into, offset)
    }

    /// Returns the path of a site.
    #[must_use]
    pub fn path(&self, id: TypeId) -> String {
        let schema = self.schema();
        site_path(schema, &parents(schema), id, LONGEST_PATH)
    }
}
