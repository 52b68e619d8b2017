//! Blocks: several values in the columns of one schema (F-85 to F-87).

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use std::sync::{Mutex, PoisonError};

use holdall_format::stream::StoredBlock;
use self_cell::self_cell;

use crate::block as columns;
use crate::decoder::Decoder;
use crate::dynamic::{NullSink, Sink, assemble_each};
use crate::error::{Code, Error, Result};
use crate::input::Scratch;
use crate::memory::{self, Collect, GrowVec};
use crate::resolution::ResolutionPlan;
use crate::schema::Schema;
use crate::typed::{Decode, DecodeOwned};
use crate::value::{Value, ValueBuilder};

/// A block of values as it is stored. A [`Reader`](crate::Reader) returns it; its values are read when you ask for
/// them.
///
/// ```
/// use holdall::{Reader, Writer};
///
/// let mut writer = Writer::new(Vec::new())?;
/// writer.write("one")?;
/// writer.write("two")?;
/// let bytes = writer.finish()?;
///
/// let block = Reader::new(&bytes[..]).next_block()?.unwrap();
/// assert_eq!((block.len(), block.schema().to_string()), (2, "string".to_owned()));
/// assert_eq!(block.decode::<&str>()?, ["one", "two"]); // borrowed from the block
/// # Ok::<(), holdall::Error>(())
/// ```
pub struct Block {
    stored: Arc<StoredBlock>,
    /// The columns, if a thread has read them already: for the first who asks.
    columns: Mutex<Option<ReadColumns>>,
}

/// The columns of a block, or their fault; none once they were taken.
type ShreddedBlock<'a> = Option<Result<columns::Block<'a>>>;

self_cell!(
    /// The columns of a block with what they borrow from.
    pub(super) struct ReadColumns {
        owner: (Arc<StoredBlock>, Scratch),
        #[not_covariant]
        dependent: ShreddedBlock,
    }
);

impl ReadColumns {
    /// Reads the columns of a block.
    pub(super) fn of(block: Arc<StoredBlock>) -> ReadColumns {
        ReadColumns::new((block, Scratch::default()), |(block, scratch)| {
            Some(memory::guarded(|| block.columns(scratch)))
        })
    }
}

impl From<StoredBlock> for Block {
    fn from(stored: StoredBlock) -> Block {
        Block { stored: Arc::new(stored), columns: Mutex::default() }
    }
}

impl Clone for Block {
    fn clone(&self) -> Block {
        Block { stored: Arc::clone(&self.stored), columns: Mutex::default() }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stored.fmt(f)
    }
}

impl Block {
    /// Returns the number of the first value in the stream, counted from 0. Values lost before it are not counted.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.stored.first()
    }

    /// Returns the number of values, at least 1.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a block is never empty")]
    pub fn len(&self) -> u64 {
        self.stored.len()
    }

    /// Returns the schema of the values.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        self.stored.schema()
    }

    /// Returns the range of the block's payload in the stream.
    #[must_use]
    pub fn place(&self) -> Range<u64> {
        self.stored.place()
    }

    /// Reads the values into a type; see [`Decoder::decode`] for data with another schema. Values can borrow from
    /// the block.
    ///
    /// # Errors
    /// As [`Decoder::decode`]; offsets count from the beginning of the stream.
    pub fn decode<'de, T: Decode<'de>>(&'de self) -> Result<Vec<T>> {
        self.decode_by(&mut Decoder::new().limits(self.stored.limits()))
    }

    fn decode_by<'de, T: Decode<'de>>(&'de self, decoder: &mut Decoder) -> Result<Vec<T>> {
        memory::guarded(|| match T::OF_VALUE {
            Some(of_value) => Ok(self.to_values()?.into_iter().map(of_value).collected()),
            None => decoder.typed().decode_roots(&self.stored),
        })
    }

    /// Reads the values into a type that borrows nothing, with the memory of a decoder, and from columns that were read ahead.
    pub(super) fn decode_owned<T: DecodeOwned>(&self, decoder: &mut Decoder) -> Result<Vec<T>> {
        if T::OF_VALUE.is_some() {
            return self.decode_by(decoder);
        }
        match self.taken() {
            None => self.decode_by(decoder),
            Some(mut read) => memory::guarded(|| {
                read.with_dependent_mut(|(stored, scratch), columns| {
                    let columns = || columns.take().unwrap_or_else(|| stored.columns(scratch));
                    decoder.typed().decode_columns(stored, columns, scratch)
                })
            }),
        }
    }

    /// The stored block, for a thread that reads its columns.
    pub(super) fn stored(&self) -> Arc<StoredBlock> {
        Arc::clone(&self.stored)
    }

    /// Adds columns that a thread has read.
    pub(super) fn set_columns(&mut self, columns: ReadColumns) {
        self.columns = Mutex::new(Some(columns));
    }

    fn taken(&self) -> Option<ReadColumns> {
        self.columns.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls a function with the columns: those that were read ahead, or they are read now.
    fn with_columns<R>(
        &self,
        work: impl for<'a> FnOnce(columns::Block<'a>) -> Result<R>,
    ) -> Result<R> {
        let mut read = self.taken().unwrap_or_else(|| ReadColumns::of(self.stored()));
        read.with_dependent_mut(|(stored, scratch), columns| {
            work(columns.take().unwrap_or_else(|| stored.columns(scratch))?)
        })
    }

    /// Emits each value into a sink, and calls `after` with the sink after each. All checks of the bytes come
    /// before the first. Numbers of shapes, tables and rows that a sink keeps are valid for this block alone.
    ///
    /// # Errors
    /// As [`Decoder::message`], with offsets in the stream; those of `after`.
    pub fn emit<S: Sink>(
        &self,
        sink: &mut S,
        after: impl FnMut(&mut S) -> Result<()>,
    ) -> Result<()> {
        memory::guarded(|| {
            self.with_columns(|block| {
                assemble_each(self.schema(), block, self.len(), sink, after)
                    .map_err(|error| error.moved_by(self.stored.moved()))
            })
        })
    }

    /// Like [`Block::emit`], converted to another schema. Numbers that a sink keeps are valid for one value alone.
    ///
    /// # Errors
    /// `bad_source` for a plan of another writer's schema; as [`Block::emit`] and [`ResolutionPlan::body`].
    pub fn emit_as<S: Sink>(
        &self,
        plan: &ResolutionPlan,
        sink: &mut S,
        after: impl FnMut(&mut S) -> Result<()>,
    ) -> Result<()> {
        if plan.writer() != self.schema() {
            return Err(Error::new(Code::BadSource)
                .expected("a plan for the block's schema")
                .got("one for another"));
        }
        memory::guarded(|| {
            let limits = self.stored.limits();
            self.with_columns(|block| {
                plan.roots(limits, block, self.len(), self.stored.payload().len(), sink, after)
                    .map_err(|error| error.moved_by(self.stored.moved()))
            })
        })
    }

    fn to_values(&self) -> Result<Vec<Value>> {
        let (mut values, mut builder) = (Vec::new(), ValueBuilder::new());
        self.emit(&mut builder, |builder| {
            values.put(core::mem::take(builder).finish()?);
            Ok(())
        })?;
        Ok(values)
    }

    /// Checks all bytes, including the walk over the values: a block that passes can be read into any sink that can
    /// hold its values.
    ///
    /// # Errors
    /// As [`Block::emit`].
    pub fn check(&self) -> Result<()> {
        self.emit(&mut NullSink, |_| Ok(()))
    }
}
