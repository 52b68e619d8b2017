//! Views: one column, or one value, without the rest.

mod announce;
mod block;
mod blocks;
mod bounds;
mod budget;
mod column;
mod decoded;
mod gather;
mod join;
mod kept_value;
mod leaves;
mod many;
mod packed;
mod ranks;
mod rows;
mod runs;
mod site;
mod site_path;
mod slice;
mod stream;
mod tensors;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use std::fs::File;
use std::path::Path;

#[doc(hidden)]
pub use self::announce::Extent;
pub use self::blocks::ViewBlock;
pub(crate) use self::bounds::{ColumnBounds, of_block as bounds_of_block};
pub use self::column::{Column, Numbers, Strings, Tensors, TextBytes, Values, WideInts};
#[doc(hidden)]
pub use self::many::SomeRows;
pub use self::packed::packed_message;
pub use self::site::ViewSite;
pub use self::tensors::TensorPlace;
pub use crate::input::ReadAt;

use holdall_format::stream::Blocks;

use self::block::BlockPlaces;
use crate::dynamic::{Sink, assemble};
use crate::envelope::{Metadata, Preamble, has_dictionary};
use crate::error::{Code, Error, Result};
use crate::input::{Input, LINE, Reading, Scratch, Source};
use crate::limits::Limits;
use crate::memory::{self, Collect, GrowVec};
use crate::message::MessageReader;
use crate::schema::{Schema, Type, TypeId};
use crate::value::{Value, ValueBuilder};

/// The first read has this many bytes, enough for most schemas. It doubles until the schema is complete.
const HEAD: u64 = 1 << 12;

/// The part of the end that is announced together with the first read: the index of thousands of a stream's blocks.
const TAIL: u64 = 1 << 15;

/// The bytes that a view reads: a slice, an owner of bytes, a file, or anything that is read by offset.
pub struct Bytes<'a>(Source<'a>);

impl<'a> Bytes<'a> {
    /// Bytes in memory that belong to something: a `Vec`, an `Arc<[u8]>`, a memory-mapped file (whose crate says what
    /// you must ensure).
    pub fn owned(owner: impl AsRef<[u8]> + Send + Sync + 'a) -> Self {
        Bytes(Source::Owned(Box::new(owner)))
    }

    /// Bytes that are read by offset.
    ///
    /// # Errors
    /// `io`.
    pub fn reader(reader: impl ReadAt + 'a) -> Result<Self> {
        let size = reader.size()?;
        Ok(Bytes(Source::At(Box::new(reader), size)))
    }
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Bytes(Source::Slice(bytes))
    }
}

impl<'a> From<&'a Vec<u8>> for Bytes<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Bytes(Source::Slice(bytes))
    }
}

/// Reads one column or one row of a message or a stream, without the rest.
///
/// Opening a view reads the envelope and the schema, whatever the size of the message. Locating a column skips the
/// columns before it: for most of them that takes their first bytes. It reads columns that give numbers of rows
/// (lengths, presence, variants), the lengths of text and the widths of integers. The view remembers what it located,
/// and continues from there.
///
/// ```
/// use holdall::view::Values;
/// use holdall::{Value, View};
///
/// let users = [("Ada", 1815), ("Grace", 1906)].map(|(name, born)| {
///     Value::record([("name", Value::from(name)), ("born", Value::from(born))])
/// });
/// let message = holdall::to_vec(&Value::record([("users", Value::list(users))]))?;
///
/// let view = View::new(&message)?;
/// let born = view.root().field("users")?.field("born")?.column()?;
/// assert_eq!(born.values().as_slice::<i64>(), Some(&[1815, 1906][..]));
/// let Values::Strings(names) = view.site("users.name")?.column()?.into_values() else { panic!() };
/// assert_eq!(names.get(1), Some("Grace"));
/// assert_eq!(view.site("users")?.row(1)?.field("name").and_then(Value::as_str), Some("Grace"));
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Streams
/// Opening a [stream](crate::stream) reads its end and its schemas; without an end it reads the heads of all frames.
/// The values of a stream are rows, like the items of a list: [`View::len`] counts them, [`ViewSite::row`] of the root
/// returns one. A column covers all blocks: for each block the view reads the header, which locates the columns, and
/// then only the requested column. The result is one column in memory; [`ViewSite::blocks`] returns it block by block.
/// If a block's schema lacks the place, its entries are absent. The view does not see values appended after it was
/// opened.
///
/// ```
/// use holdall::{Value, View, Writer};
///
/// let mut writer = Writer::new(Vec::new())?;
/// for n in 0..1000 {
///     writer.write(&Value::record([("n", Value::from(n)), ("half", Value::from(f64::from(n) / 2.0))]))?;
/// }
/// let stream = writer.finish()?;
///
/// let view = View::new(&stream)?;
/// assert_eq!(view.len()?, Some(1000));
/// assert_eq!(view.site("half")?.column()?.values().as_slice::<f64>().unwrap()[3], 1.5);
/// assert_eq!(view.root().row(700)?.field("n").and_then(Value::as_i64), Some(700));
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Checks
/// A view checks the envelope, the schema and the columns that it reads as a [`Decoder`](crate::Decoder) does, with the
/// same codes and offsets. Of skipped columns it checks only that they end within the message. It does not check the
/// checksum, because that would read all bytes, the end of the message, or whether keys of maps are distinct. Each
/// call that returns a column, a part of one or a row has the full budget of [`Limits`]; in a stream, for each block.
///
/// # Files
/// [`View::open`] keeps the file open and copies parts of it into memory as needed. No reference leads into the file,
/// so columns do not change with it. If the file is
/// - removed or replaced by another of the same name, the view continues to read the file that it opened;
/// - truncated, reading past the new end is the error `io`, never a crash;
/// - overwritten in place, the view reads the new bytes, checks them as always, and may mix both contents.
///
/// A memory-mapped file has no such guarantee: access past the end of a truncated one kills the process. If you can
/// rule that out, pass the map to [`Bytes::owned`], and columns are slices of it.
pub struct View<'a> {
    source: Source<'a>,
    schema: Schema,
    metadata: Metadata,
    limits: Limits,
    body: ViewBody,
}

/// The columns.
enum ViewBody {
    Message(Box<BlockPlaces>),
    Stream(Box<stream::Stream>),
}

impl<'a> View<'a> {
    /// Opens a view of a message or stream.
    ///
    /// # Errors
    /// The faults of the spec's chapters 3 and 4, with their offsets; `unknown_fingerprint` if the message has only the
    /// fingerprint of its schema, `unknown_dictionary` if it needs a [`Dictionary`](crate::Dictionary)
    /// ([`Decoder::view`](crate::Decoder::view) knows both); `io`.
    pub fn new(message: impl Into<Bytes<'a>>) -> Result<View<'a>> {
        View::with(&MessageReader::default(), message)
    }

    /// Opens a view of bytes that are read by offset.
    ///
    /// # Errors
    /// As [`View::new`].
    pub fn of(reader: impl ReadAt + 'a) -> Result<View<'a>> {
        View::new(Bytes::reader(reader)?)
    }

    /// Opens a view of a file.
    ///
    /// # Errors
    /// As [`View::new`].
    pub fn open(path: impl AsRef<Path>) -> Result<View<'static>> {
        View::of(File::open(path)?)
    }

    /// Opens a view with the limits and known schemas of a decoder.
    pub(crate) fn with(messages: &MessageReader, bytes: impl Into<Bytes<'a>>) -> Result<View<'a>> {
        let bytes = bytes.into();
        memory::guarded(|| View::opened(messages, bytes))
    }

    fn opened(messages: &MessageReader, Bytes(source): Bytes<'a>) -> Result<View<'a>> {
        let (reading, limits) = (source.reading(), messages.limits);
        let size = reading.size();
        reading.announce(&[0..HEAD.min(size), size.saturating_sub(TAIL)..size])?;
        let first = reading.bytes(0..HEAD.min(size))?;
        if holdall_format::stream::is_stream(&first) {
            let stream = stream::Stream::open(reading, &messages.known, limits)?;
            let schema = stream.schema(reading, limits)?;
            let metadata = stream.blocks.metadata.clone();
            let body = ViewBody::Stream(Box::new(stream));
            return Ok(View { source, schema, metadata, limits, body });
        }
        if has_dictionary(&first) {
            return View::of_content(messages, &reading.bytes(0..size)?);
        }
        let Head { schema, metadata, block, aligned } = Head::read(first, reading, messages)?;
        let body =
            ViewBody::Message(Box::new(BlockPlaces::new(block, aligned.then_some(0), 1, None)));
        Ok(View { source, schema, metadata, limits, body })
    }

    /// Opens a view of a message that is compressed with a dictionary (F-101), and decompressed as a whole. Its source has
    /// the content in the place of the frame.
    fn of_content(messages: &MessageReader, message: &[u8]) -> Result<View<'a>> {
        let scratch = Scratch::default();
        let mut input = Input::new(message, messages.budget_for(message.len()), &scratch);
        let preamble = Preamble::read(&mut input, &messages.dictionaries)?;
        let metadata = Metadata::of_message(message)?;
        let (head, content) = (&message[..input.position()], input.rest());
        let mut bytes = memory::with_capacity(head.len() + content.len());
        bytes.put_slice(head);
        bytes.put_slice(content);
        let schema = preamble.schema(&mut input, &messages.known)?;
        let block = input.position() as u64..bytes.len() as u64;
        let body = ViewBody::Message(Box::new(BlockPlaces::new(block, None, 1, None)));
        let source = Source::Owned(Box::new(bytes));
        Ok(View { source, schema, metadata, limits: messages.limits, body })
    }

    /// Sets whether to check the checksum of a stream's block before reading from it, which reads the entire block. Off
    /// by default: then only the block's header, which has its own checksum, and the requested columns are checked, as
    /// for messages. A changed number can go unnoticed, as it would not by a [`Reader`](crate::Reader).
    #[must_use]
    pub fn check_blocks(mut self, check: bool) -> Self {
        if let ViewBody::Stream(stream) = &mut self.body {
            stream.check(check);
        }
        self
    }

    /// Returns the schema, or that of a stream's last block.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the metadata.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns the bytes, if they are in memory; of a message with a dictionary, those that it decompressed.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        self.source.reading().in_memory()
    }

    /// Returns the site of the entire value.
    #[must_use]
    pub fn root(&self) -> ViewSite<'_> {
        ViewSite::new(self, 0)
    }

    /// Returns the site with this number; see [`ViewSite::number`].
    #[must_use]
    pub fn numbered(&self, number: usize) -> Option<ViewSite<'_>> {
        (number < self.schema.types().len()).then(|| ViewSite::new(self, number))
    }

    /// Returns the site of a definition's rows, if it exists: all rows, in the order in which they begin.
    #[must_use]
    pub fn definition(&self, number: usize) -> Option<ViewSite<'_>> {
        Some(ViewSite::new(self, *self.schema.definitions().get(number)?))
    }

    /// Returns the site at a path of field names separated by dots: `"users.address.city"`. An empty path is the root.
    /// For names that contain dots use [`ViewSite::field`].
    ///
    /// # Errors
    /// As [`ViewSite::field`].
    pub fn site(&self, names: &str) -> Result<ViewSite<'_>> {
        let names = names.split('.').filter(|name| !name.is_empty());
        names.into_iter().try_fold(self.root(), |site, name| site.field(name))
    }

    /// Returns all sites with columns of values (numbers, text, bools, tensors and so on), in the order of the bytes.
    #[must_use]
    pub fn columns(&self) -> Vec<ViewSite<'_>> {
        let types = self.schema.types();
        let with_columns = self.schema.with_columns();
        let is_column = |id: &TypeId| {
            with_columns[*id]
                && matches!(
                    types[*id],
                    Type::Scalar(_) | Type::Tensor(_) | Type::Packed(_) | Type::Unknown(..)
                )
        };
        (0..types.len()).filter(is_column).map(|id| ViewSite::new(self, id)).collected()
    }

    /// Returns the number of values of a stream, or of items if a message's root is a list, set or array; otherwise
    /// `None`.
    ///
    /// # Errors
    /// Faults of the list's length.
    pub fn len(&self) -> Result<Option<u64>> {
        self.root().len()
    }

    /// Whether the root is a list without items.
    ///
    /// # Errors
    /// As [`View::len`].
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == Some(0))
    }

    /// Returns the entire value of a message, with all checks of a decoder except the checksum.
    ///
    /// # Errors
    /// As [`Decoder::decode`](crate::Decoder::decode); `unsupported` for a stream, whose values are read one by one.
    pub fn value(&self) -> Result<Value> {
        let mut builder = ValueBuilder::new();
        self.emit(&mut builder)?;
        builder.finish()
    }

    /// Emits the entire value of a message into a sink.
    ///
    /// # Errors
    /// As [`Decoder::message`](crate::Decoder::message).
    pub fn emit(&self, sink: &mut impl Sink) -> Result<()> {
        let block = self.message().ok_or_else(only_messages)?;
        memory::guarded(|| block.whole(self.parts(), |block| assemble(&self.schema, block, sink)))
    }

    /// Returns where the blocks of a stream are.
    pub(crate) fn blocks_of_stream(&self) -> Option<&Blocks> {
        match &self.body {
            ViewBody::Message(_) => None,
            ViewBody::Stream(stream) => Some(&stream.blocks),
        }
    }

    fn message(&self) -> Option<&BlockPlaces> {
        match &self.body {
            ViewBody::Message(block) => Some(block),
            ViewBody::Stream(_) => None,
        }
    }

    fn parts(&self) -> block::BlockSource<'_> {
        block::BlockSource {
            schema: &self.schema,
            reading: self.source.reading(),
            limits: self.limits,
        }
    }
}

/// The parts before a message's block, and the block's range.
struct Head {
    schema: Schema,
    metadata: Metadata,
    block: Range<u64>,
    aligned: bool,
}

impl Head {
    fn read<'s>(
        mut first: Cow<'s, [u8]>,
        reading: Reading<'s>,
        messages: &MessageReader,
    ) -> Result<Head> {
        let size = reading.size();
        loop {
            let len = first.len() as u64;
            match Head::parse(&first, size, messages) {
                // The missing bytes may follow.
                Err(error) if error.code() == Code::Truncated && len < size => {
                    first = reading.bytes(0..len.saturating_mul(2).min(size))?;
                }
                read => return read,
            }
        }
    }

    fn parse(bytes: &[u8], size: u64, messages: &MessageReader) -> Result<Head> {
        let scratch = Scratch::default();
        let whole = usize::try_from(size).unwrap_or(usize::MAX);
        let mut input = Input::new(bytes, messages.budget_for(whole), &scratch);
        let (preamble, metadata, end) = Preamble::read_head(&mut input, size)?;
        let schema = preamble.schema(&mut input, &messages.known)?;
        input.skip_padding(LINE)?;
        let block = input.position() as u64..end;
        Ok(Head { schema, metadata, block, aligned: preamble.is_aligned() })
    }
}

#[cold]
fn only_messages() -> Error {
    Error::new(Code::Unsupported).expected("a message").got("a stream, which has many values")
}

/// The error for a name that does not exist at a place.
#[cold]
fn missing(expected: String, got: impl Into<String>) -> Error {
    Error::new(Code::MissingField).expected(expected).got(got.into())
}

// Several threads can read columns at once.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<View<'_>>();
    is_shared::<Arc<View<'static>>>();
};
