//! Blocks: several values in the columns of one schema (F-85 to F-87).

use alloc::vec::Vec;
use core::ops::Range;

use holdall_format::stream::StoredBlock;

use crate::decoder::Decoder;
use crate::dynamic::{NullSink, Sink, assemble_each};
use crate::error::{Code, Error, Result};
use crate::input::Scratch;
use crate::memory::{self, GrowVec};
use crate::resolution::Plan;
use crate::schema::Schema;
use crate::typed::Decode;
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
#[derive(Clone, Debug)]
pub struct Block {
    stored: StoredBlock,
}

impl From<StoredBlock> for Block {
    fn from(stored: StoredBlock) -> Block {
        Block { stored }
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

    /// Like [`Block::decode`], with the memory of a decoder.
    pub(super) fn decode_by<'de, T: Decode<'de>>(
        &'de self,
        decoder: &mut Decoder,
    ) -> Result<Vec<T>> {
        memory::guarded(|| match T::OF_VALUE {
            Some(of_value) => Ok(self.to_values()?.into_iter().map(of_value).collect()),
            None => decoder.typed().decode_roots(&self.stored),
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
            let scratch = Scratch::default();
            let block = self.stored.columns(&scratch)?;
            assemble_each(self.schema(), block, self.len(), sink, after)
                .map_err(|error| error.moved_by(self.stored.moved()))
        })
    }

    /// Like [`Block::emit`], converted to another schema. Numbers that a sink keeps are valid for one value alone.
    ///
    /// # Errors
    /// `bad_source` for a plan of another writer's schema; as [`Block::emit`] and [`Plan::body`].
    pub fn emit_as<S: Sink>(
        &self,
        plan: &Plan,
        sink: &mut S,
        after: impl FnMut(&mut S) -> Result<()>,
    ) -> Result<()> {
        if plan.writer() != self.schema() {
            return Err(Error::new(Code::BadSource)
                .expected("a plan for the block's schema")
                .got("one for another"));
        }
        memory::guarded(|| {
            let scratch = Scratch::default();
            let block = self.stored.columns(&scratch)?;
            let limits = self.stored.limits();
            plan.roots(limits, block, self.len(), self.stored.payload().len(), sink, after)
                .map_err(|error| error.moved_by(self.stored.moved()))
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
