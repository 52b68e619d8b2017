//! Writes a stream.

use alloc::vec::Vec;
use core::hash::BuildHasher;
use std::hash::RandomState;
use std::io::Write;

use holdall_format::stream::{self, BlockForm, FrameWriter, Sync};

use super::rows::PendingRows;
use super::statistics::Gathered;
use crate::column::Profile;
use crate::column::ahead::usable_threads;
use crate::dynamic::{Shredder, Source};
use crate::envelope::Metadata;
use crate::error::{Code, Result};
use crate::limits::Limits;
use crate::memory;
use crate::message::Alignment;
use crate::typed::Encode;
use crate::view::bounds_of_block;

/// Options for writing a stream.
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
    pub(super) threads: usize,
    pub(super) statistics: bool,
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
            threads: 1,
            statistics: false,
        }
    }
}

impl WriterOptions {
    /// Profile fast, blocks of 1 MiB of rows, aligned, without metadata.
    #[must_use]
    pub fn new() -> Self {
        WriterOptions::default()
    }

    /// Sets how hard to compress.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Sets the size of a block: it is written when its rows take this many bytes in memory before they are
    /// encoded. A block holds entire values, so a block with a larger value takes more.
    #[must_use]
    pub fn block_bytes(mut self, bytes: usize) -> Self {
        self.block_bytes = bytes;
        self
    }

    /// Sets the maximum number of values in a block, at least 1.
    #[must_use]
    pub fn block_values(mut self, values: u64) -> Self {
        self.block_values = values.max(1);
        self
    }

    /// Sets whether blocks are aligned, so that large columns of numbers in a memory-mapped file can be used in
    /// place. On by default; takes up to 63 bytes for each column of 4,096 bytes or more.
    #[must_use]
    pub fn aligned(mut self, alignment: Alignment) -> Self {
        self.alignment = alignment;
        self
    }

    /// Sets the metadata of the stream, which can be read without its values.
    #[must_use]
    pub fn metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// Sets the 8 bytes that every frame begins with, so that equal values give equal bytes. By default they are
    /// random, so that nothing else in a file looks like a frame of the stream: choose bytes that no value
    /// contains, and different ones for a stream inside a stream. On a target without random numbers
    /// (`wasm32-unknown-unknown`), you must choose them.
    #[must_use]
    pub fn sync(mut self, sync: Sync) -> Self {
        self.sync = Some(sync);
        self
    }

    /// Sets the limits. A writer uses [`Limits::depth`], and for each block [`Limits::output`] and
    /// [`Limits::frame`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how many threads encode the columns of a block; see [`Encoder::threads`](crate::Encoder::threads).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = usable_threads(threads);
        self
    }

    /// Sets whether members of sets and keys of maps without an order of their own are written in canonical order;
    /// see [`Encoder::canonical`](crate::Encoder::canonical).
    #[must_use]
    pub fn canonical(mut self, canonical: bool) -> Self {
        self.canonical = canonical;
        self
    }

    /// Sets whether to write the bounds of each block's columns, by which programs that search for values leave out blocks:
    /// [`View::statistics`](crate::View::statistics). Columns of bools, numbers, text, bytes and times have bounds, where
    /// fields of records lead to them. Off by default: it decodes each block that was written.
    ///
    /// ```
    /// use holdall::{Value, View, WriterOptions};
    ///
    /// let mut writer = WriterOptions::new().block_values(100).statistics(true).to(Vec::new())?;
    /// for n in 0..300_i64 {
    ///     writer.write(&Value::record([("n", Value::from(n))]))?;
    /// }
    /// let bytes = writer.finish()?;
    /// let blocks = View::new(&bytes)?.statistics()?;
    /// let last = &blocks[2].as_ref().expect("all blocks have them").columns[0];
    /// assert_eq!((last.lower.as_i64(), last.upper.as_i64(), last.nulls), (Some(200), Some(299), 0));
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn statistics(mut self, statistics: bool) -> Self {
        self.statistics = statistics;
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

    /// Continues the frames of a stream.
    pub(super) fn over<W: Write>(self, frames: FrameWriter<W>) -> Writer<W> {
        let statistics = self.statistics.then(Gathered::default);
        let (rows, columns) = (PendingRows::default(), Vec::new());
        Writer { frames, options: self, rows, columns, statistics }
    }
}

/// Returns 8 random bytes.
fn random_sync() -> Sync {
    RandomState::new().hash_one("holdall").to_le_bytes()
}

/// Writes any number of values, in blocks. It holds one block in memory, however long the stream gets.
///
/// A written block stays readable whatever follows: [`Writer::flush`] writes the values in memory,
/// [`Writer::finish`] also the end of the stream. A stream without an end can be read, but a reader reports that
/// the end is missing.
///
/// Values of one Rust type have one schema. Values without a type ([`Value`](crate::Value), or from
/// [`Writer::write_source`]) have the schema inferred from all values so far; when it grows, the next block has a
/// new one.
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
    rows: PendingRows,
    /// Memory for the columns of a block.
    columns: Vec<u8>,
    /// Those of the blocks since the last frame with statistics.
    statistics: Option<Gathered>,
}

// A writer can be sent to another thread.
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

    /// Adds a value. It is written when its block is full, or by [`Writer::flush`]. If this fails with a code other
    /// than `io` and `out_of_memory`, the value is not in the stream and the writer can continue.
    ///
    /// # Errors
    /// As [`Encoder::encode`](crate::Encoder::encode); `io`. After `io` and `out_of_memory` the writer accepts no more
    /// values: what was flushed stays in the stream, and values in memory are lost.
    pub fn write<T: Encode + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.frames.check()?;
        if let Some(drive) = T::DRIVE {
            return self.emit(|shredder| drive(value, shredder));
        }
        self.guarded(|writer| {
            if writer.rows.is_other::<T>()? {
                writer.end_block()?;
            }
            let options = &writer.options;
            writer.rows.add(value, options.limits.depth_or_default(), options.canonical)?;
            writer.end_full_block()
        })
    }

    /// Adds a value that a source emits.
    ///
    /// # Errors
    /// As [`Writer::write`], and those of the source.
    pub fn write_source(&mut self, source: &mut impl Source) -> Result<()> {
        self.frames.check()?;
        self.emit(|shredder| source.drive(shredder))
    }

    /// Adds a value that a source emits, without writing. Returns whether the block is full: then call
    /// [`Writer::write_block`]. For programs that must not write while they emit values, for example while holding
    /// a lock.
    ///
    /// # Errors
    /// As [`Writer::write_source`].
    pub fn gather(&mut self, source: &mut impl Source) -> Result<bool> {
        self.frames.check()?;
        self.guarded(|writer| {
            writer.add(|shredder| source.drive(shredder))?;
            Ok(writer.is_full())
        })
    }

    /// Writes the values in memory, if any, as a block. The output may still buffer it; [`Writer::flush`] flushes
    /// that too.
    ///
    /// # Errors
    /// As [`Writer::flush`].
    pub fn write_block(&mut self) -> Result<()> {
        self.frames.check()?;
        self.guarded(Writer::end_block)
    }

    /// Runs a function that can be left without memory. The values in memory are incomplete then, and a frame may be cut
    /// off, so nothing can follow.
    fn guarded<T>(&mut self, run: impl FnOnce(&mut Writer<W>) -> Result<T>) -> Result<T> {
        let done = memory::guarded(|| run(self));
        if let Err(error) = &done
            && error.code() == Code::OutOfMemory
        {
            self.frames.stop();
            (self.rows, self.columns) = (PendingRows::default(), Vec::new());
        }
        done
    }

    fn emit(&mut self, emit: impl FnOnce(&mut Shredder) -> Result<()>) -> Result<()> {
        self.guarded(|writer| {
            writer.add(emit)?;
            writer.end_full_block()
        })
    }

    fn add(&mut self, emit: impl FnOnce(&mut Shredder) -> Result<()>) -> Result<()> {
        if self.rows.is_typed() {
            self.end_block()?;
        }
        let canonical = self.options.canonical;
        self.rows.emit(|shredder| {
            shredder.set_canonical(canonical);
            emit(shredder)
        })
    }

    /// Returns the number of values in the stream, including those not written yet and, of an appended stream,
    /// those that were there.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.frames.values() + self.rows.len() as u64
    }

    /// Whether the stream has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of blocks that this writer has written.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.frames.blocks()
    }

    /// Writes the values in memory as a block, and flushes the output. Then they stay readable if the process dies;
    /// [`Writer::sync`] also protects them from a crash of the machine.
    ///
    /// # Errors
    /// `io` and `out_of_memory`, after which the writer accepts no more values; `limit_output`, `limit_sites` and other limits, after
    /// which the values in memory are lost.
    pub fn flush(&mut self) -> Result<()> {
        self.frames.check()?;
        self.guarded(Writer::end_block)?;
        self.frames.flush()
    }

    /// Writes the values in memory and the end of the stream.
    ///
    /// # Errors
    /// As [`Writer::flush`].
    pub fn finish(mut self) -> Result<W> {
        self.frames.check()?;
        self.guarded(Writer::end_block)?;
        self.guarded(Writer::write_statistics)?;
        memory::guarded(|| self.frames.finish())
    }

    fn end_full_block(&mut self) -> Result<()> {
        if self.is_full() { self.end_block() } else { Ok(()) }
    }

    fn is_full(&mut self) -> bool {
        self.rows.len() as u64 >= self.options.block_values
            || self.rows.reaches(self.options.block_bytes)
    }

    /// Writes the rows as a block, preceded by its schema if that has changed.
    fn end_block(&mut self) -> Result<()> {
        let roots = self.rows.len() as u64;
        if roots == 0 {
            return Ok(());
        }
        let mut rows = core::mem::take(&mut self.rows);
        let mut columns = core::mem::take(&mut self.columns);
        let (profile, limit) = (self.options.profile, self.options.limits.output_bytes());
        let (alignment, threads) = (self.options.alignment, self.options.threads);
        let (first, has_statistics) = (self.frames.values(), self.statistics.is_some());
        let mut bounds = Vec::new();
        let done = rows.write(&mut |schema, written| {
            let aligned = match alignment {
                Alignment::On => true,
                Alignment::Automatic => written.wants_alignment(),
                Alignment::Off => false,
            };
            let form = BlockForm { profile, aligned, limit, threads };
            self.frames.put_block(schema, roots, |frame| {
                let start = frame.len();
                stream::write_block(frame, &mut columns, written, roots, form)?;
                if has_statistics {
                    bounds = bounds_of_block(schema, &frame[start..])?;
                }
                Ok(())
            })
        });
        // Values that cannot make a block are lost; later ones are not.
        rows.clear();
        (self.rows, self.columns) = (rows, columns);
        done?;
        let Some(statistics) = &mut self.statistics else { return Ok(()) };
        statistics.add(bounds, first..first + roots);
        if statistics.is_full() { self.write_statistics() } else { Ok(()) }
    }

    fn write_statistics(&mut self) -> Result<()> {
        let Some(all) = self.statistics.as_mut() else { return Ok(()) };
        match core::mem::take(all).payload()? {
            Some(payload) => self.frames.put_statistics(&payload),
            None => Ok(()),
        }
    }
}
