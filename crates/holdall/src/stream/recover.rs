//! Finds all intact blocks of a stream, wherever they are, and reports the rest.

use alloc::vec::Vec;
use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom, Write};

use holdall_format::stream::{
    Damage, HEAD, Head, Kind, OnDamage, SCHEMA, SEQUENCE, Scanner, Step, StoredBlock, Sync, check,
    metadata_of, schema_of,
};

use super::block::Block;
use super::reader::Reader;
use super::writer::{Writer, WriterOptions};
use crate::envelope::Metadata;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::memory::{self, Collect, GrowMap, GrowVec};
use crate::schema::Schema;

/// A report on a stream, by [`verify`] or [`recover`].
#[derive(Clone, Debug, Default)]
pub struct Report {
    values: u64,
    blocks: u64,
    bytes: u64,
    is_finished: bool,
    damage: Vec<Damage>,
}

impl Report {
    /// Returns how many values can be read.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.values
    }

    /// Returns how many blocks hold them.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Returns how many bytes were examined.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the stream has its end.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns the damage, in the order of the offsets.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }
}

/// Checks a stream that is its entire input, to the last byte of each block, and continues after damage.
///
/// ```
/// let mut writer = holdall::Writer::new(Vec::new())?;
/// writer.write("whole")?;
/// let bytes = writer.finish()?;
/// let report = holdall::stream::verify(&bytes[..], holdall::Limits::new())?;
/// assert_eq!((report.values(), report.damage().len(), report.is_finished()), (1, 0, true));
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// `io`; the faults of the preamble, if the input is not a stream.
pub fn verify(input: impl Read, limits: Limits) -> Result<Report> {
    let mut reader = Reader::new(input).whole(true).on_damage(OnDamage::Skip).limits(limits);
    let mut report = Report::default();
    while let Some(block) = reader.next_block()? {
        match block.check() {
            Ok(()) => {
                report.blocks += 1;
                report.values += block.len();
            }
            Err(error) => reader.note_block(&block, error)?,
        }
    }
    report.bytes = reader.offset();
    report.is_finished = reader.is_finished();
    report.damage = memory::copied(reader.damage());
    Ok(report)
}

/// An intact frame.
struct IntactFrame {
    head: Head,
    at: u64,
}

/// Writes all intact blocks of a stream as a stream with an end: in the order in which they were first written,
/// each once, even if it is there twice or out of place. A block whose schema frame is lost is read by another
/// frame with the same schema, or by one of `schemas`.
///
/// The input is only read: if the program dies, recover it again. What was written until then has no end, which readers report.
///
/// ```
/// use holdall::stream::recover;
/// use holdall::{Limits, Reader, Writer};
/// use std::io::Cursor;
///
/// let mut writer = Writer::new(Vec::new())?;
/// for n in 0..3_u8 {
///     writer.write(&n)?;
///     writer.flush()?;
/// }
/// let mut bytes = writer.finish()?;
/// bytes[90] ^= 1; // in the first block
/// bytes.truncate(bytes.len() - 7); // and the end is cut off
///
/// let mut whole = Vec::new();
/// let report = recover(Cursor::new(bytes), &mut whole, &[], Limits::new())?;
/// assert_eq!((report.values(), report.damage().len()), (2, 3)); // the third: frame 1 is missing
/// let values: Result<Vec<u8>, _> = Reader::new(&whole[..]).values().collect();
/// assert_eq!(values?, [1, 2]);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// `io`; the faults of the preamble, if the input is not a stream.
pub fn recover(
    mut input: impl Read + Seek,
    output: impl Write,
    schemas: &[Schema],
    limits: Limits,
) -> Result<Report> {
    memory::guarded(|| {
        let mut search = Search::new(schemas, limits);
        search.look(&mut input)?;
        search.order();
        search.write(&mut input, output)
    })
}

/// The search for a stream's frames.
struct Search {
    limits: Limits,
    frames: Vec<IntactFrame>,
    schemas: HashMap<u64, Schema>,
    metadata: Metadata,
    sync: Sync,
    is_cut_off: bool,
    report: Report,
}

impl Search {
    fn new(schemas: &[Schema], limits: Limits) -> Search {
        Search {
            limits,
            frames: Vec::new(),
            schemas: schemas.iter().map(|own| (own.fingerprint(), own.clone())).collected(),
            metadata: Metadata::default(),
            sync: Sync::default(),
            is_cut_off: false,
            report: Report::default(),
        }
    }

    fn damage(&mut self, at: u64, len: u64, error: Error) {
        self.report.damage.put(Damage::new(at, len, error));
    }

    /// Finds all frames, and reads those that are not blocks.
    fn look(&mut self, input: &mut (impl Read + Seek)) -> Result<()> {
        input.seek(SeekFrom::Start(0))?;
        let mut scanner = Scanner::new(self.limits.frame_bytes(), true).in_any_order();
        let mut ended = false;
        loop {
            match scanner.step(ended)? {
                Step::More(bytes) => {
                    let read = (&mut *input).take(bytes as u64).read_to_end(scanner.buffer())?;
                    ended = read < bytes;
                }
                Step::Nothing => break,
                Step::Damage(damage) => self.report.damage.put(damage),
                Step::Frame(head, at) => {
                    let payload = scanner.payload(&head);
                    if let Err(error) = self.take(&head, at, payload) {
                        let error =
                            if error.offset().is_some() { error } else { error.moved_by(at) };
                        self.damage(at, head.frame_len(), error);
                    }
                    scanner.pass(&head);
                }
            }
        }
        self.report.bytes = scanner.end();
        self.is_cut_off = scanner.is_cut_off();
        self.sync = scanner.sync().unwrap_or_default();
        Ok(())
    }

    fn take(&mut self, head: &Head, at: u64, payload: &[u8]) -> Result<()> {
        let moved = |error: Error| error.moved_by(at + HEAD as u64);
        head.check_fields(at)?;
        match head.kind {
            Kind::Metadata => self.metadata = metadata_of(payload, self.limits).map_err(moved)?,
            Kind::Schema => {
                let schema = schema_of(payload, self.limits).map_err(moved)?;
                self.schemas.put(schema.fingerprint(), schema);
            }
            Kind::End => self.report.is_finished = true,
            Kind::Block | Kind::Statistics | Kind::Later(_) => {}
        }
        self.frames.put(IntactFrame { head: *head, at });
        Ok(())
    }

    /// Sorts the frames, drops duplicates and reports missing ones.
    fn order(&mut self) {
        self.frames.sort_unstable_by_key(|frame| (frame.head.sequence, frame.at));
        let (mut next, mut kept) = (0, Vec::new());
        for frame in core::mem::take(&mut self.frames) {
            let (own, at) = (frame.head.sequence, frame.at);
            let error = |code| {
                Error::in_stream(code, at + SEQUENCE)
                    .expected(format!("frame {next}"))
                    .got(format!("frame {own}"))
            };
            if own < next {
                self.damage(at, frame.head.frame_len(), error(Code::RepeatedFrame));
                continue;
            }
            if own > next {
                let missing = Damage::new(at, 0, error(Code::MissingFrames)).without(next..own);
                self.report.damage.put(missing);
            }
            next = own + 1;
            kept.put(frame);
        }
        self.frames = kept;
    }

    fn write(mut self, input: &mut (impl Read + Seek), output: impl Write) -> Result<Report> {
        let options = WriterOptions::new().sync(self.sync).metadata(self.metadata.clone());
        let mut writer = options.to(output)?;
        for IntactFrame { head, at } in core::mem::take(&mut self.frames) {
            if head.kind != Kind::Block {
                continue;
            }
            match self.block(input, &head, at) {
                Ok((block, payload)) => {
                    self.report.values += block.len();
                    self.report.blocks += 1;
                    put(&mut writer, &block, &payload)?;
                }
                Err(error) if matches!(error.code(), Code::Io | Code::OutOfMemory) => {
                    return Err(error);
                }
                Err(error) => self.damage(at, head.frame_len(), error),
            }
        }
        writer.finish()?;
        if !self.report.is_finished && !self.is_cut_off {
            let error = Error::in_stream(Code::Truncated, self.report.bytes)
                .expected("the end of the stream")
                .got("the end of the input");
            self.damage(self.report.bytes, 0, error);
        }
        self.report.damage.sort_by_key(Damage::offset);
        Ok(self.report)
    }

    /// Checks a block in full, and returns its payload.
    fn block(
        &self,
        input: &mut (impl Read + Seek),
        head: &Head,
        at: u64,
    ) -> Result<(Block, Vec<u8>)> {
        input.seek(SeekFrom::Start(at))?;
        let mut frame = Vec::new();
        (&mut *input).take(head.frame_len()).read_to_end(&mut frame)?;
        if (frame.len() as u64) < head.frame_len() {
            return Err(Error::in_stream(Code::Truncated, at).expected("a frame"));
        }
        check(&frame, head, at)?;
        let Some(schema) = self.schemas.get(&head.schema) else {
            return Err(Error::in_stream(Code::UnknownFingerprint, at + SCHEMA)
                .expected("a schema in the stream, or among those passed")
                .got(format!("{:016x}", head.schema)));
        };
        // The frame is in memory.
        let payload = memory::copied(&frame[HEAD..HEAD + head.len as usize]);
        let whole = 0..payload.len();
        let at = at + HEAD as u64;
        let block = Block::from(StoredBlock::read(
            memory::copied(&payload),
            whole,
            at,
            schema.clone(),
            self.limits,
        )?);
        block.check()?;
        Ok((block, payload))
    }
}

fn put<W: Write>(writer: &mut Writer<W>, block: &Block, payload: &[u8]) -> Result<()> {
    writer.frames.put_block(block.schema(), block.len(), |frame| {
        frame.put_slice(payload);
        Ok(())
    })
}
