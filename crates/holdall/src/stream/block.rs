//! Blocks: several values in the columns of one schema (F-85 to F-87).

use std::ops::Range;

use holdall_format::stream::StoredBlock;

use crate::decoder::Decoder;
use crate::dynamic::{NullSink, Sink, assemble_each};
use crate::error::{Code, Error, Result};
use crate::input::Scratch;
use crate::resolution::Plan;
use crate::schema::Schema;
use crate::typed::Decode;
use crate::value::{Value, ValueBuilder};

/// Values of a stream that were written together, as they are stored: taken from a [`Reader`](crate::Reader), read when they are
/// asked for.
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
    /// The number of the first value in the stream, counted from 0; values that were lost before are not counted.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.stored.first()
    }

    /// How many values there are; never none.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a block is never empty")]
    pub fn len(&self) -> u64 {
        self.stored.len()
    }

    /// The schema of the values.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        self.stored.schema()
    }

    /// Where the block's payload begins in the stream, and how many bytes it has.
    #[must_use]
    pub fn place(&self) -> Range<u64> {
        self.stored.place()
    }

    /// Reads the values into a type; see [`Decoder::decode`] for data of another schema. They can borrow from the block.
    ///
    /// # Errors
    /// As [`Decoder::decode`]; offsets count from the beginning of the stream.
    pub fn decode<'de, T: Decode<'de>>(&'de self) -> Result<Vec<T>> {
        self.decode_by(&mut Decoder::new().limits(self.stored.limits()))
    }

    /// The same with the memory of a decoder.
    pub(super) fn decode_by<'de, T: Decode<'de>>(
        &'de self,
        decoder: &mut Decoder,
    ) -> Result<Vec<T>> {
        match T::OF_VALUE {
            Some(of_value) => Ok(self.to_values()?.into_iter().map(of_value).collect()),
            None => decoder.typed().decode_roots(&self.stored),
        }
    }

    /// Tells each value to a sink, and hands it over after each: all checks of the bytes come before the first. What a sink keeps
    /// by a number that it was told (of a shape, a table, a row) is of this block alone.
    ///
    /// # Errors
    /// As [`Decoder::message`], with offsets in the stream; what `after` answers.
    pub fn tell<S: Sink>(
        &self,
        sink: &mut S,
        after: impl FnMut(&mut S) -> Result<()>,
    ) -> Result<()> {
        let scratch = Scratch::default();
        let block = self.stored.columns(&scratch)?;
        assemble_each(self.schema(), block, self.len(), sink, after)
            .map_err(|error| error.moved_by(self.stored.moved()))
    }

    /// The same, read into another schema. What a sink keeps by a number that it was told is of one value alone.
    ///
    /// # Errors
    /// `bad_source` for a plan of another writer's schema; as [`Block::tell`] and [`Plan::body`].
    pub fn tell_as<S: Sink>(
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
        let scratch = Scratch::default();
        let block = self.stored.columns(&scratch)?;
        let limits = self.stored.limits();
        plan.roots(limits, block, self.len(), self.stored.payload().len(), sink, after)
            .map_err(|error| error.moved_by(self.stored.moved()))
    }

    fn to_values(&self) -> Result<Vec<Value>> {
        let (mut values, mut builder) = (Vec::new(), ValueBuilder::new());
        self.tell(&mut builder, |builder| {
            values.push(std::mem::take(builder).finish()?);
            Ok(())
        })?;
        Ok(values)
    }

    /// All checks of the bytes, those of the walk among them: what passes is read by every sink that can hold it.
    ///
    /// # Errors
    /// As [`Block::tell`].
    pub fn check(&self) -> Result<()> {
        self.tell(&mut NullSink, |_| Ok(()))
    }
}
