//! Views: one column, or one value, without the rest.

mod block;
mod column;
mod gather;
mod join;
mod ranks;
mod rows;
mod site;
mod site_path;
mod slice;
mod stream;
mod tensors;

use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub use self::column::{Column, Numbers, Strings, Tensors, TextBytes, Values, WideInts};
pub use self::site::ViewSite;
pub use self::tensors::TensorPlace;
pub use crate::input::ReadAt;

use self::block::BlockPlaces;
use crate::dynamic::{Sink, assemble};
use crate::envelope::{Metadata, Preamble};
use crate::error::{Code, Error, Result};
use crate::input::{Input, LINE, Reading, Scratch, Source};
use crate::limits::Limits;
use crate::message::MessageReader;
use crate::schema::{Schema, Type, TypeId};
use crate::value::{Value, ValueBuilder};

/// So many bytes are read first, which hold most schemas; twice as many as long as they end within the schema.
const HEAD: u64 = 1 << 12;

/// The bytes that a view is of: a slice, what owns one, a file, or anything that is read by place.
pub struct Bytes<'a>(Source<'a>);

impl<'a> Bytes<'a> {
    /// Bytes in memory that belong to something: a `Vec`, an `Arc<[u8]>`, a map of a file (which says itself what its user
    /// must promise).
    pub fn owned(owner: impl AsRef<[u8]> + Send + Sync + 'a) -> Self {
        Bytes(Source::Owned(Box::new(owner)))
    }

    /// Bytes that are read by their place.
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

/// A message, or a stream, of which only what is asked for is read: one column, or one row.
///
/// To open it reads envelope and schema, whatever the message's size. To find a column, the columns before it are skipped:
/// of most that takes the first bytes. Those that say how many rows others have (lengths, presence, variants), the lengths
/// of text and the widths of integers are read. Where columns are is kept, so the next one is found from there.
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
/// To open a [stream](crate::stream) reads its end, or without one the heads of all frames, and its schemas. Its values are rows as those
/// of a list are: [`View::len`] of them, [`ViewSite::row`] of the root. A column is that of all blocks, of which the heads and that
/// column are read, and is in memory as one; [`ViewSite::blocks`] gives it block by block. Where a block's schema lacks a place,
/// entries are absent. What is appended after the view was opened is not seen.
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
/// # What is checked
/// Envelope and schema, as by a [`Decoder`](crate::Decoder); of the columns that are read all that the decoder checks of them, with its codes
/// and offsets; of those passed over, that they end within the message. What is not touched is not checked: not the
/// checksum, for which all bytes would have to be read, nor that the message ends behind its last column, nor that keys of
/// maps differ. Each column, and each part of one, has the budget of [`Limits`] for itself.
///
/// # Files
/// [`View::open`] keeps the file open and reads parts of it into memory of its own, by their place. So no reference leads
/// into a file, and columns stay what they are whatever becomes of it:
/// - removed, or replaced by another one under its name: the view continues to read the file that it opened;
/// - truncated: what is asked for behind the new end is the error `io`, never a crash;
/// - overwritten in place: the view reads what is there then, which is checked as ever, and may be of both contents.
///
/// A map of a file cannot promise that: access behind the end of a truncated one kills the process. Who rules that out gives
/// the map to [`Bytes::owned`], and columns are slices of it.
pub struct View<'a> {
    source: Source<'a>,
    schema: Schema,
    metadata: Metadata,
    limits: Limits,
    body: Body,
}

/// The columns.
enum Body {
    Message(BlockPlaces),
    Stream(Box<stream::Stream>),
}

impl<'a> View<'a> {
    /// A view of a message.
    ///
    /// # Errors
    /// The faults of the spec's chapters 3 and 4, with their offsets; `unknown_fingerprint` where the message has no schema but its
    /// fingerprint (there [`Decoder::view`](crate::Decoder::view) helps); `io`.
    pub fn new(message: impl Into<Bytes<'a>>) -> Result<View<'a>> {
        View::with(&MessageReader::default(), message)
    }

    /// The same of bytes that are read by their place.
    ///
    /// # Errors
    /// As [`View::new`].
    pub fn of(reader: impl ReadAt + 'a) -> Result<View<'a>> {
        View::new(Bytes::reader(reader)?)
    }

    /// A view of a file.
    ///
    /// # Errors
    /// As [`View::new`].
    pub fn open(path: impl AsRef<Path>) -> Result<View<'static>> {
        View::of(File::open(path)?)
    }

    /// A view with the limits of a reader of messages, for schemas that it knows.
    pub(crate) fn with(messages: &MessageReader, bytes: impl Into<Bytes<'a>>) -> Result<View<'a>> {
        let Bytes(source) = bytes.into();
        let (reading, limits) = (source.reading(), messages.limits);
        let first = reading.bytes(0..HEAD.min(reading.size()))?;
        if holdall_format::stream::is_stream(&first) {
            let stream = stream::Stream::open(reading, &messages.known, limits)?;
            let schema = stream.schema(reading, limits)?;
            let metadata = stream.blocks.metadata.clone();
            let body = Body::Stream(Box::new(stream));
            return Ok(View { source, schema, metadata, limits, body });
        }
        let Head { schema, metadata, block, aligned } = Head::read(first, reading, messages)?;
        let body = Body::Message(BlockPlaces::new(block, aligned.then_some(0), 1, None));
        Ok(View { source, schema, metadata, limits, body })
    }

    /// Sets whether of each block of a stream the checksum is checked before something of it is read, which reads all of it. By
    /// default it is not: of blocks their heads are checked, by a checksum of their own, and the columns that are asked for as
    /// those of messages are. So other numbers in place of numbers are not noticed, but by a [`Reader`](crate::Reader).
    #[must_use]
    pub fn check_blocks(mut self, check: bool) -> Self {
        if let Body::Stream(stream) = &mut self.body {
            stream.check(check);
        }
        self
    }

    /// The schema; of a stream that of its last block.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The metadata.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The bytes, if they are in memory.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        self.source.reading().in_memory()
    }

    /// The whole value's place.
    #[must_use]
    pub fn root(&self) -> ViewSite<'_> {
        ViewSite::new(self, 0)
    }

    /// The place of this number, see [`ViewSite::number`].
    #[must_use]
    pub fn numbered(&self, number: usize) -> Option<ViewSite<'_>> {
        (number < self.schema.types().len()).then(|| ViewSite::new(self, number))
    }

    /// The place of a definition's rows, if there is such a definition: all of them, in the order in which they were begun.
    #[must_use]
    pub fn definition(&self, number: usize) -> Option<ViewSite<'_>> {
        Some(ViewSite::new(self, *self.schema.definitions().get(number)?))
    }

    /// The place that field after field leads to, their names separated by dots: `"users.address.city"`. No name leads to the
    /// root. Names with dots are for [`ViewSite::field`].
    ///
    /// # Errors
    /// As [`ViewSite::field`].
    pub fn site(&self, names: &str) -> Result<ViewSite<'_>> {
        let names = names.split('.').filter(|name| !name.is_empty());
        names.into_iter().try_fold(self.root(), |site, name| site.field(name))
    }

    /// All places that have columns of values: numbers, text, bools, tensors and the like. In the order of the bytes.
    #[must_use]
    pub fn columns(&self) -> Vec<ViewSite<'_>> {
        let types = self.schema.types();
        let mut inside_one = vec![false; types.len()];
        for (id, ty) in types.iter().enumerate() {
            // Theirs have no columns of their own.
            if inside_one[id] || matches!(ty, Type::Tensor(_) | Type::Packed(_)) {
                ty.children().for_each(|inner| inside_one[inner] = true);
            }
        }
        let is_column = |id: &TypeId| {
            !inside_one[*id]
                && matches!(
                    types[*id],
                    Type::Scalar(_) | Type::Tensor(_) | Type::Packed(_) | Type::Unknown(_)
                )
        };
        (0..types.len()).filter(is_column).map(|id| ViewSite::new(self, id)).collect()
    }

    /// How many values a stream has, or items the root of a message, if that is a list, set or array; none else.
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

    /// The whole value of a message, with all checks of a decoder but that of the checksum.
    ///
    /// # Errors
    /// As [`Decoder::decode`](crate::Decoder::decode); `unsupported` for a stream, whose values are read one by one.
    pub fn value(&self) -> Result<Value> {
        let mut builder = ValueBuilder::new();
        self.tell(&mut builder)?;
        builder.finish()
    }

    /// The same into a sink.
    ///
    /// # Errors
    /// As [`Decoder::message`](crate::Decoder::message).
    pub fn tell(&self, sink: &mut impl Sink) -> Result<()> {
        let block = self.message().ok_or_else(only_messages)?;
        block.whole(self.parts(), |block| assemble(&self.schema, block, sink))
    }

    fn message(&self) -> Option<&BlockPlaces> {
        match &self.body {
            Body::Message(block) => Some(block),
            Body::Stream(_) => None,
        }
    }

    fn parts(&self) -> block::Source<'_> {
        block::Source { schema: &self.schema, reading: self.source.reading(), limits: self.limits }
    }
}

/// What stands ahead of a message's block, and where that is.
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
                // What is missing may be there.
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

/// What the name of a place is looked up in has no such name.
#[cold]
fn missing(expected: String, got: impl Into<String>) -> Error {
    Error::new(Code::MissingField).expected(expected).got(got.into())
}

// Columns are read by several threads at once.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<View<'_>>();
    is_shared::<Arc<View<'static>>>();
};
