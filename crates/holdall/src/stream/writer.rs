//! Writes a stream.

use std::hash::{BuildHasher, RandomState};
use std::io::Write;

use holdall_format::stream::{self, BlockForm, FrameWriter, Sync};

use super::rows::Rows;
use crate::column::Profile;
use crate::dynamic::{Shredder, Source};
use crate::envelope::Metadata;
use crate::error::Result;
use crate::limits::Limits;
use crate::message::Alignment;
use crate::typed::Encode;

/// How a stream is written.
///
/// ```
/// use holdall::{Profile, WriterOptions};
///
/// let mut writer = WriterOptions::new().profile(Profile::Balanced).block_values(2).to(Vec::new())?;
/// for n in 0..5 {
///     writer.write(&n)?;
/// }
/// writer.flush()?;
/// assert_eq!(writer.blocks(), 3);
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WriterOptions {
    pub(super) profile: Profile,
    pub(super) block_bytes: usize,
    pub(super) block_values: u64,
    pub(super) alignment: Alignment,
    pub(super) metadata: Metadata,
    pub(super) sync: Option<Sync>,
    pub(super) limits: Limits,
    pub(super) canonical: bool,
}

impl Default for WriterOptions {
    fn default() -> Self {
        WriterOptions {
            profile: Profile::default(),
            block_bytes: 1 << 20,
            block_values: u64::MAX,
            alignment: Alignment::On,
            metadata: Metadata::default(),
            sync: None,
            limits: Limits::new(),
            canonical: false,
        }
    }
}

impl WriterOptions {
    /// Profile fast, blocks of 1 MiB of rows, aligned, without metadata.
    #[must_use]
    pub fn new() -> Self {
        WriterOptions::default()
    }

    /// Sets which encodings are chosen.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Sets how many bytes the rows of a block take, as they are in memory before they are encoded: then it is written. A block
    /// has whole values, so one of a larger value has more.
    #[must_use]
    pub fn block_bytes(mut self, bytes: usize) -> Self {
        self.block_bytes = bytes;
        self
    }

    /// Sets how many values a block has at most, at least 1.
    #[must_use]
    pub fn block_values(mut self, values: u64) -> Self {
        self.block_values = values.max(1);
        self
    }

    /// Sets whether blocks are aligned, so that large columns of numbers can be looked at where they are in a file that is
    /// mapped into memory. By default they are: that takes up to 63 bytes for each column of 4,096 or more.
    #[must_use]
    pub fn aligned(mut self, alignment: Alignment) -> Self {
        self.alignment = alignment;
        self
    }

    /// Sets the metadata of the stream, which are read without its values.
    #[must_use]
    pub fn metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// Sets the 8 bytes that all frames begin with, so that the same values give the same bytes. Otherwise they are random, so
    /// that nothing else in a file looks like a frame of it: choose so that no value has them, and other ones for a
    /// stream inside a stream. Where a target has no random numbers (`wasm32-unknown-unknown`), choose them yourself.
    #[must_use]
    pub fn sync(mut self, sync: Sync) -> Self {
        self.sync = Some(sync);
        self
    }

    /// Sets the limits; a writer looks at [`Limits::output`] and [`Limits::frame`], of each block, and at [`Limits::depth`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether members without an order of their own stand in that of the format; see
    /// [`Encoder::canonical`](crate::Encoder::canonical).
    #[must_use]
    pub fn canonical(mut self, canonical: bool) -> Self {
        self.canonical = canonical;
        self
    }

    /// Begins a stream in a file, pipe, socket or vector.
    ///
    /// # Errors
    /// `io`; `unsupported` of [`Profile::Small`] without the feature `zstd`.
    pub fn to<W: Write>(self, out: W) -> Result<Writer<W>> {
        self.profile.check()?;
        let sync = self.sync.unwrap_or_else(random_sync);
        let frames = FrameWriter::begin(out, sync, &self.metadata, self.limits)?;
        Ok(self.over(frames))
    }

    /// Goes on with the frames of a stream.
    pub(super) fn over<W: Write>(self, frames: FrameWriter<W>) -> Writer<W> {
        Writer { frames, options: self, rows: Rows::default(), columns: Vec::new() }
    }
}

/// 8 bytes that nobody foresees.
fn random_sync() -> Sync {
    RandomState::new().hash_one("holdall").to_le_bytes()
}

/// Writes any number of values, a block of them at a time: what is in memory is one block, however long the stream gets.
///
/// A block that was written stays readable, whatever comes after it: [`Writer::flush`] writes those values that are in memory,
/// [`Writer::finish`] the end of the stream. Without an end it is read, too, but a reader says that it is missing.
///
/// Values of one type have one schema. Those that come without a type ([`Value`](crate::Value), or by [`Writer::write_source`])
/// have the one that is found for all so far; when it grows, the block has a new one.
///
/// ```
/// use holdall::{Reader, Writer};
///
/// let mut writer = Writer::new(Vec::new())?;
/// for n in 0..100_000_u32 {
///     writer.write(&(n, "text"))?;
/// }
/// let bytes = writer.finish()?;
///
/// let mut reader = Reader::new(&bytes[..]);
/// for (n, value) in (0..).zip(reader.values::<(u32, String)>()) {
///     assert_eq!(value?, (n, "text".to_owned()));
/// }
/// # Ok::<(), holdall::Error>(())
/// ```
pub struct Writer<W: Write> {
    pub(super) frames: FrameWriter<W>,
    options: WriterOptions,
    rows: Rows,
    /// Memory for the columns of a block.
    columns: Vec<u8>,
}

// A writer can go to another thread.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Writer<Vec<u8>>>();
};

impl<W: Write> Writer<W> {
    /// Begins a stream, with the options of [`WriterOptions::new`].
    ///
    /// # Errors
    /// `io`.
    pub fn new(out: W) -> Result<Writer<W>> {
        WriterOptions::new().to(out)
    }

    /// Adds a value. It is in the stream when its block is full, or by [`Writer::flush`]. If this fails with another code than
    /// `io`, the value is not in the stream and the writer goes on.
    ///
    /// # Errors
    /// As [`Encoder::encode`](crate::Encoder::encode); `io`, after which the writer takes no more.
    pub fn write<T: Encode + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.frames.check()?;
        if let Some(drive) = T::DRIVE {
            return self.tell(|shredder| drive(value, shredder));
        }
        if self.rows.is_other::<T>()? {
            self.end_block()?;
        }
        self.rows.add(value, self.options.limits.depth_or_default(), self.options.canonical)?;
        self.end_full_block()
    }

    /// Adds a value that is told by a source.
    ///
    /// # Errors
    /// As [`Writer::write`], and the source's own.
    pub fn write_source(&mut self, source: &mut impl Source) -> Result<()> {
        self.frames.check()?;
        self.tell(|shredder| source.drive(shredder))
    }

    /// Adds a value that is told by a source, and writes nothing: answers whether the block is full, so that
    /// [`Writer::write_block`] should come next. For programs that must not write where they tell values, under a lock for example.
    ///
    /// # Errors
    /// As [`Writer::write_source`].
    pub fn gather(&mut self, source: &mut impl Source) -> Result<bool> {
        self.frames.check()?;
        self.add(|shredder| source.drive(shredder))?;
        Ok(self.is_full())
    }

    /// Writes the values that are in memory as a block, if there are some. What is written to may still keep it back;
    /// [`Writer::flush`] sees to that, too.
    ///
    /// # Errors
    /// As [`Writer::flush`].
    pub fn write_block(&mut self) -> Result<()> {
        self.frames.check()?;
        self.end_block()
    }

    fn tell(&mut self, tell: impl FnOnce(&mut Shredder) -> Result<()>) -> Result<()> {
        self.add(tell)?;
        self.end_full_block()
    }

    fn add(&mut self, tell: impl FnOnce(&mut Shredder) -> Result<()>) -> Result<()> {
        if self.rows.is_typed() {
            self.end_block()?;
        }
        let canonical = self.options.canonical;
        self.rows.tell(|shredder| {
            shredder.set_canonical(canonical);
            tell(shredder)
        })
    }

    /// How many values the stream has, those that are not written yet included; of one that was appended to, all.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.frames.values() + self.rows.len() as u64
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many blocks this writer has written.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.frames.blocks()
    }

    /// Writes the values that are in memory as a block, and passes all on. When this has returned, they stay readable if the
    /// process dies; for what else can happen to a machine see [`Writer::sync`].
    ///
    /// # Errors
    /// `io`, after which the writer takes no more; `limit_output`, `limit_sites` and the like, after which these values are lost.
    pub fn flush(&mut self) -> Result<()> {
        self.frames.check()?;
        self.end_block()?;
        self.frames.flush()
    }

    /// Writes the values that are in memory, and the end of the stream.
    ///
    /// # Errors
    /// As [`Writer::flush`].
    pub fn finish(mut self) -> Result<W> {
        self.frames.check()?;
        self.end_block()?;
        self.frames.finish()
    }

    fn end_full_block(&mut self) -> Result<()> {
        if self.is_full() { self.end_block() } else { Ok(()) }
    }

    fn is_full(&mut self) -> bool {
        self.rows.len() as u64 >= self.options.block_values
            || self.rows.reaches(self.options.block_bytes)
    }

    /// Writes the rows as a block, with its schema if that is another than before.
    fn end_block(&mut self) -> Result<()> {
        let roots = self.rows.len() as u64;
        if roots == 0 {
            return Ok(());
        }
        let mut rows = std::mem::take(&mut self.rows);
        let mut columns = std::mem::take(&mut self.columns);
        let (profile, limit) = (self.options.profile, self.options.limits.output_bytes());
        let alignment = self.options.alignment;
        let done = rows.write(|schema, written| {
            let aligned = match alignment {
                Alignment::On => true,
                Alignment::Automatic => written.wants_alignment(),
                Alignment::Off => false,
            };
            let form = BlockForm { profile, aligned, limit };
            self.frames.put_block(schema, roots, |frame| {
                stream::write_block(frame, &mut columns, written, roots, form)
            })
        });
        // Values that make no block are lost; those to come are not.
        rows.clear();
        (self.rows, self.columns) = (rows, columns);
        done.map(|_| ())
    }
}
