//! Blocks: several values in the columns of one schema (F-85 to F-87).

use std::ops::Range;

use crate::block;
use crate::column::Settings;
use crate::dynamic::{Sink, assemble_each};
use crate::error::{Code, Error, Result};
use crate::filler::WrittenBlock;
use crate::input::Input;
use crate::limits::{Budget, Limits, beyond_output};
use crate::message::{Decoder, Profile, Written, read_block};
use crate::number::write_varint;
use crate::resolution::{Nobody, Plan};
use crate::schema::Schema;
use crate::scratch::Scratch;
use crate::trace::field;
use crate::typed::{BlockOf, Decode};
use crate::value::{Value, ValueBuilder};

/// The bits of a block's head.
const ALIGNED: u64 = 1;
const DIRECTORY: u64 = 2;
/// What an aligned block begins at a multiple of.
const MULTIPLE: usize = 8;
/// A block with fewer bytes for each site that has columns has no directory: it would cost more than it saves.
const BYTES_PER_SITE: usize = 64;

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
    bytes: Vec<u8>,
    /// The block behind its head.
    body: Range<usize>,
    /// The payload's bytes, and where they begin in the stream.
    payload: Range<usize>,
    at: u64,
    roots: u64,
    /// The number of the first value in the stream.
    first: u64,
    aligned: bool,
    sizes: Vec<Size>,
    schema: Schema,
    limits: Limits,
}

/// An entry of the directory, and where in the payload it stands.
#[derive(Clone, Debug)]
pub(super) struct Size {
    bytes: u64,
    at: usize,
}

impl Size {
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Block {
    /// Reads the head of a block, which is a part of bytes and begins at an offset of the stream.
    pub(super) fn read(
        bytes: Vec<u8>,
        payload: Range<usize>,
        at: u64,
        schema: Schema,
        limits: Limits,
    ) -> Result<Block> {
        let head =
            read_head(&bytes[payload.clone()], &schema).map_err(|error| error.moved_by(at))?;
        let (roots, aligned, sizes, len) = head;
        let body = payload.start + len..payload.end;
        Ok(Block { bytes, body, payload, at, roots, first: 0, aligned, sizes, schema, limits })
    }

    pub(super) fn numbered(self, first: u64) -> Block {
        Block { first, ..self }
    }

    /// The number of the first value in the stream, counted from 0; values that were lost before are not counted.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// How many values there are; never none.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a block is never empty")]
    pub fn len(&self) -> u64 {
        self.roots
    }

    /// The schema of the values.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Where the block's payload begins in the stream, and how many bytes it has.
    #[must_use]
    pub fn place(&self) -> Range<u64> {
        self.at..self.at + self.payload.len() as u64
    }

    /// Reads the values into a type; see [`Decoder::decode`] for data of another schema. They can borrow from the block.
    ///
    /// # Errors
    /// As [`Decoder::decode`]; offsets count from the beginning of the stream.
    pub fn decode<'de, T: Decode<'de>>(&'de self) -> Result<Vec<T>> {
        self.decode_by(&mut Decoder::new().limits(self.limits))
    }

    /// The same with the memory of a decoder.
    pub(super) fn decode_by<'de, T: Decode<'de>>(
        &'de self,
        decoder: &mut Decoder,
    ) -> Result<Vec<T>> {
        match T::dynamic_roots(self) {
            Some(values) => values,
            None => decoder.decode_roots(&self),
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
        let block = self.columns(&scratch)?;
        assemble_each(&self.schema, block, self.roots, sink, after)
            .map_err(|error| error.moved_by(self.moved()))
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
        if plan.writer() != &self.schema {
            return Err(Error::new(Code::BadSource)
                .expected("a plan for the block's schema")
                .got("one for another"));
        }
        let scratch = Scratch::default();
        let block = self.columns(&scratch)?;
        let decoder = Decoder::new().limits(self.limits);
        plan.roots(&decoder, block, self.roots, self.payload.len(), sink, after)
            .map_err(|error| error.moved_by(self.moved()))
    }

    pub(crate) fn to_values(&self) -> Result<Vec<Value>> {
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
        self.tell(&mut Nobody, |_| Ok(()))
    }

    /// Where the block begins in the stream: errors of what is in it count from there.
    fn moved(&self) -> u64 {
        self.at + (self.body.start - self.payload.start) as u64
    }

    fn budget(&self) -> Budget {
        self.limits.budget_for(self.payload.len())
    }

    /// The columns, with all checks of the bytes.
    fn columns<'a>(&'a self, scratch: &'a Scratch) -> Result<block::Block<'a>> {
        let mut input = Input::new(&self.bytes[self.body.clone()], self.budget(), scratch)
            .of_whole(self.payload.len());
        if self.aligned {
            input.align();
        }
        let block = read_block(&self.schema, input, self.roots, false)
            .map_err(|error| error.moved_by(self.moved()))?;
        self.check_directory(&block)?;
        Ok(block)
    }

    /// The directory tells how many bytes the columns of each site have (F-86).
    fn check_directory(&self, block: &block::Block<'_>) -> Result<()> {
        let mut sizes = self.sizes.iter();
        if self.sizes.is_empty() {
            return Ok(());
        }
        let with_columns = self.schema.with_columns();
        for id in (0..with_columns.len()).filter(|id| with_columns[*id]) {
            let own = (block.starts[id + 1] - block.starts[id]) as u64;
            let entry = sizes.next();
            if let Some(entry) = entry.filter(|entry| entry.bytes != own) {
                return Err(Error::in_stream(Code::BadDirectory, self.at + entry.at as u64)
                    .expected(format!("{own} bytes, as the site's columns have"))
                    .got(entry.bytes.to_string()));
            }
        }
        Ok(())
    }
}

impl<'de> BlockOf<'de> for &'de Block {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn roots(&self) -> u64 {
        self.roots
    }

    fn bytes(&self) -> &'de [u8] {
        &self.bytes[self.payload.clone()]
    }

    fn moved(&self) -> u64 {
        Block::moved(self)
    }

    fn read<'a>(&self, scratch: &'a Scratch) -> Result<block::Block<'a>>
    where
        'de: 'a,
    {
        let block: &'de Block = self;
        block.columns(scratch)
    }
}

/// The number of values, and two flags (F-85).
fn read_number(input: &mut Input<'_>) -> Result<u64> {
    let head = input.varint(field("the number of values", 85))?;
    if head >> 2 == 0 {
        return Err(Error::at(Code::BadFrame, 0).expected("at least one value").got("none"));
    }
    Ok(head)
}

/// The number of values, by the beginning of a payload.
pub(super) fn values(input: &mut Input<'_>) -> Result<u64> {
    Ok(read_number(input)? >> 2)
}

/// What stands ahead of the columns: the number of roots, whether they are aligned, the directory; and its length.
pub(super) fn read_head(payload: &[u8], schema: &Schema) -> Result<(u64, bool, Vec<Size>, usize)> {
    let scratch = Scratch::default();
    let mut input = Input::new(payload, Budget::default(), &scratch);
    let head = read_number(&mut input)?;
    let roots = head >> 2;
    let mut sizes = Vec::new();
    if head & DIRECTORY != 0 {
        for _ in schema.with_columns().into_iter().filter(|has_columns| *has_columns) {
            let at = input.position();
            sizes.push(Size { bytes: input.varint(field("the bytes of a site", 86))?, at });
        }
    }
    let aligned = head & ALIGNED != 0;
    if aligned {
        input.align();
        input.skip_padding(MULTIPLE)?;
    }
    Ok((roots, aligned, sizes, input.position()))
}

/// How the blocks of a stream are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) profile: Profile,
    pub(super) aligned: bool,
    pub(super) limit: usize,
}

/// Appends the payload of a block to a frame. `columns` is memory that is used again: the columns are written first, as their
/// lengths stand ahead of them.
pub(super) fn write(
    frame: &mut Vec<u8>,
    columns: &mut Vec<u8>,
    written: &dyn Written,
    roots: u64,
    form: Form,
) -> Result<()> {
    columns.clear();
    let mut ends = Vec::new();
    let settings = Settings { profile: form.profile, aligned_from: form.aligned.then_some(0) };
    written.write_block(columns, settings, form.limit, &mut |end| ends.push(end))?;
    let sites = ends.len() - 1;
    let has_directory = sites > 0 && columns.len() >= BYTES_PER_SITE * sites;
    let flags = if form.aligned { ALIGNED } else { 0 } | if has_directory { DIRECTORY } else { 0 };
    let start = frame.len();
    write_varint(frame, roots << 2 | flags);
    if has_directory {
        ends.windows(2).for_each(|own| write_varint(frame, (own[1] - own[0]) as u64));
    }
    if form.aligned {
        let len = frame.len() - start;
        frame.resize(start + len.next_multiple_of(MULTIPLE), 0);
    }
    frame.extend_from_slice(columns);
    let block = WrittenBlock {
        most_units: written.most_units(roots),
        schema: &|| written.schema(),
        bytes: columns,
        start: 0,
        roots,
        aligned: form.aligned,
    };
    if let Some(len) = block.wants(frame.len() - start) {
        frame.resize(start + len, 0);
    }
    if frame.len() - start > form.limit { Err(beyond_output(form.limit)) } else { Ok(()) }
}
