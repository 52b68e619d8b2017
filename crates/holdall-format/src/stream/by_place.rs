//! The blocks of a stream with random access: reads heads, schemas and the end, but no columns.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Range;
use std::collections::HashMap;

use super::block::{read_head, values};
use super::frame::{HEAD, Head, Kind, PREAMBLE, SIGNATURE, Sync, check, no_frame};
use super::index::Index;
use super::parser::{metadata_of, schema_of};
use crate::envelope::Metadata;
use crate::error::{Code, Error, Result};
use crate::input::{Input, Reading, Scratch};
use crate::limits::{Budget, Limits};
use crate::memory::{self, Collect, GrowMap, GrowVec};
use crate::number::MAX_VARINT;
use crate::schema::{Known, Schema};

/// Reads bytes at an offset. They must exist.
pub trait Bytes {
    fn size(&self) -> u64;
    fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>>;
    /// Announces parts that are read next.
    fn announce(&self, parts: &[Range<u64>]) -> Result<()>;
}

impl Bytes for Reading<'_> {
    fn size(&self) -> u64 {
        Reading::size(*self)
    }

    fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>> {
        Reading::bytes(*self, range).map(memory::owned)
    }

    fn announce(&self, parts: &[Range<u64>]) -> Result<()> {
        Reading::announce(*self, parts)
    }
}

/// The beginning of a block that is announced before the schemas are known: the lengths of about 50 columns.
const BEGINNING: u64 = 1 << 9;

/// Of more blocks, no beginnings are announced.
const MAX_ANNOUNCED_BLOCKS: usize = 1 << 12;

/// Where the blocks of a stream are.
pub struct Blocks {
    sync: Sync,
    pub metadata: Metadata,
    /// The schemas of the stream, by fingerprint.
    schemas: HashMap<u64, Schema>,
    /// The number of the first value and the frame's offset, in the order of the stream.
    places: Vec<(u64, u64)>,
    values: u64,
    /// The payloads of the frames with statistics, and where they begin in the stream.
    statistics: Vec<(u64, Vec<u8>)>,
}

/// A block's frame without its columns.
pub struct BlockHead {
    pub schema: Schema,
    /// The columns.
    pub body: Range<u64>,
    pub roots: u64,
    pub aligned: bool,
    /// The length in bytes of the columns of each site that has columns.
    pub sizes: Vec<u64>,
}

impl BlockHead {
    /// Reads the head from the payload of a block alone; `body` counts from its first byte.
    pub fn of_payload(payload: &[u8], schema: &Schema) -> Result<BlockHead> {
        let scratch = Scratch::default();
        let mut input = Input::new(payload, Budget::default(), &scratch);
        let (roots, aligned, sizes) = read_head(&mut input, schema)?;
        let sizes = sizes.into_iter().map(|size| size.bytes()).collected();
        let body = input.position() as u64..payload.len() as u64;
        Ok(BlockHead { schema: schema.clone(), body, roots, aligned, sizes })
    }
}

/// Whether a stream, and no message, begins with these bytes (F-81).
#[must_use]
pub fn is_stream(prefix: &[u8]) -> bool {
    prefix.starts_with(&SIGNATURE[..2])
}

impl Blocks {
    /// Uses the end of the stream if it is valid. Otherwise walks from head to head up to the first incomplete frame.
    pub fn find(input: &impl Bytes, limits: Limits) -> Result<Blocks> {
        let size = input.size();
        if size < PREAMBLE as u64 {
            return Err(Error::at(Code::Truncated, 0).expected("the beginning of a stream"));
        }
        let preamble = input.bytes(0..PREAMBLE as u64)?;
        if !preamble.starts_with(&SIGNATURE) {
            return Err(Error::at(Code::BadMagic, 0).expected("a stream").got("other bytes"));
        }
        let mut sync = Sync::default();
        sync.copy_from_slice(&preamble[SIGNATURE.len()..]);
        let (metadata, schemas) = (Metadata::default(), HashMap::new());
        let (places, statistics) = (Vec::new(), Vec::new());
        let mut blocks = Blocks { sync, metadata, schemas, places, values: 0, statistics };
        let others = match blocks.by_end(input, limits) {
            Ok(Some(others)) => others,
            // Treated as missing: a writer may be about to append.
            Ok(None) => blocks.by_heads(input, limits)?,
            Err(error) if error.code() == Code::Io => return Err(error),
            Err(_) => blocks.by_heads(input, limits)?,
        };
        for at in others {
            blocks.read_other(input, at, limits)?;
        }
        let longest = blocks.schemas.values().map(|schema| HEAD as u64 + head_len(schema)).max();
        if longest.is_some_and(|longest| longest > BEGINNING) {
            input.announce(&blocks.beginnings(longest.unwrap_or(0), size))?;
        }
        Ok(blocks)
    }

    /// The beginnings of all blocks: of their frames, up to a length.
    fn beginnings(&self, len: u64, size: u64) -> Vec<Range<u64>> {
        if self.places.len() > MAX_ANNOUNCED_BLOCKS {
            return Vec::new();
        }
        let starts = self.places.iter().map(|(_, at)| *at);
        let ends = starts.clone().skip(1).chain([size]);
        starts.zip(ends).map(|(start, end)| start..end.min(start.saturating_add(len))).collected()
    }

    /// Lists the frames that the end describes. Returns those that are not blocks.
    fn by_end(&mut self, input: &impl Bytes, limits: Limits) -> Result<Option<Vec<u64>>> {
        let size = input.size();
        // The end's own offset directly precedes its checksum.
        let Some(last) = size.checked_sub(12).filter(|last| *last >= PREAMBLE as u64) else {
            return Ok(None);
        };
        let mut own = [0; 8];
        own.copy_from_slice(&input.bytes(last..last + 8)?);
        let at = u64::from_le_bytes(own);
        if at < PREAMBLE as u64 || at.saturating_add(HEAD as u64) > last {
            return Ok(None);
        }
        let head = self.head(input, at, limits)?;
        if head.kind != Kind::End || at + head.frame_len() != size {
            return Ok(None);
        }
        let payload = payload(input, at, &head)?;
        let (mut places, mut others, mut values) = (Vec::new(), Vec::new(), 0);
        let mut parts = Vec::new();
        Index::read(&payload, head.sequence, at, None, |entry| match entry.values {
            0 => {
                others.put(entry.at);
                parts.put(entry.at..entry.at + entry.len);
            }
            own => {
                places.put((values, entry.at));
                values += own;
            }
        })?;
        (self.places, self.values) = (places, values);
        parts.put_each(self.beginnings(BEGINNING, at));
        input.announce(&parts)?;
        Ok(Some(others))
    }

    fn by_heads(&mut self, input: &impl Bytes, limits: Limits) -> Result<Vec<u64>> {
        let (mut others, mut at, mut sequence) = (Vec::new(), PREAMBLE as u64, 0);
        (self.places, self.values) = (Vec::new(), 0);
        while input.size() - at >= HEAD as u64 {
            let head = self.head(input, at, limits)?;
            if head.sequence != sequence {
                let code = match head.sequence < sequence {
                    true => Code::RepeatedFrame,
                    false => Code::MissingFrames,
                };
                return Err(Error::in_stream(code, at)
                    .expected(format!("frame {sequence}"))
                    .got(format!("frame {}", head.sequence)));
            }
            let end = at.saturating_add(head.frame_len());
            // The frame may still be being written.
            if end > input.size() || head.kind == Kind::End {
                break;
            }
            if head.kind == Kind::Block {
                let start = at + HEAD as u64;
                let bytes = input.bytes(start..start + head.len.min(MAX_VARINT as u64))?;
                let scratch = Scratch::default();
                let own = values(&mut Input::new(&bytes, Budget::default(), &scratch))
                    .map_err(|error| error.moved_by(start))?;
                self.places.put((self.values, at));
                self.values = self.values.saturating_add(own);
            } else {
                others.put(at);
            }
            (at, sequence) = (end, sequence + 1);
        }
        Ok(others)
    }

    fn head(&self, input: &impl Bytes, at: u64, limits: Limits) -> Result<Head> {
        let end = at.saturating_add(HEAD as u64);
        if end > input.size() {
            return Err(no_frame(at));
        }
        let bytes = input.bytes(at..end)?;
        let bytes = bytes.first_chunk().ok_or_else(|| no_frame(at))?;
        let head = Head::read(bytes, self.sync, at)?;
        head.check_fields(at)?;
        head.check_len(at, limits.frame_bytes())?;
        Ok(head)
    }

    /// Reads schemas and metadata.
    fn read_other(&mut self, input: &impl Bytes, at: u64, limits: Limits) -> Result<()> {
        let head = self.head(input, at, limits)?;
        let moved = |error: Error| error.moved_by(at + HEAD as u64);
        match head.kind {
            Kind::Metadata => {
                self.metadata = metadata_of(&payload(input, at, &head)?, limits).map_err(moved)?;
            }
            Kind::Schema => {
                let schema = schema_of(&payload(input, at, &head)?, limits).map_err(moved)?;
                if schema.fingerprint() == head.schema {
                    self.schemas.put(head.schema, schema);
                }
            }
            Kind::Statistics => {
                self.statistics.put((at + HEAD as u64, payload(input, at, &head)?));
            }
            _ => {}
        }
        Ok(())
    }

    /// The payloads of the frames with statistics (F-100), and where they begin in the stream.
    pub fn statistics(&self) -> &[(u64, Vec<u8>)] {
        &self.statistics
    }

    /// The number of values.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The number of a block's first value.
    pub fn first(&self, block: usize) -> u64 {
        self.places[block].0
    }

    /// The block that holds a value. The value must exist.
    pub fn block_of(&self, value: u64) -> usize {
        self.places.partition_point(|(first, _)| *first <= value).saturating_sub(1)
    }

    /// The head of a block. All of it is read only to check its checksum.
    pub fn block(
        &self,
        input: &impl Bytes,
        block: usize,
        known: &Known,
        limits: Limits,
        checked: bool,
    ) -> Result<BlockHead> {
        let at = self.places[block].1;
        let head = self.head(input, at, limits)?;
        let values = match self.places.get(block + 1) {
            Some((next, _)) => next - self.first(block),
            None => self.values - self.first(block),
        };
        if head.kind != Kind::Block {
            return Err(Error::in_stream(Code::BadIndex, at).expected("a block").got("another"));
        }
        if checked {
            payload(input, at, &head)?;
        }
        let start = at + HEAD as u64;
        let end = start.saturating_add(head.len);
        if end > input.size() {
            return Err(Error::in_stream(Code::Truncated, at).expected("a complete frame"));
        }
        let schema = match self.schemas.get(&head.schema) {
            Some(schema) => schema.clone(),
            None => known
                .schema(head.schema, 0)
                .map_err(|error| error.moved_by(at + super::frame::SCHEMA))?,
        };
        let bytes = input.bytes(start..end.min(start.saturating_add(head_len(&schema))))?;
        let head = BlockHead::of_payload(&bytes, &schema).map_err(|error| error.moved_by(start))?;
        if head.roots != values {
            return Err(Error::in_stream(Code::BadIndex, at)
                .expected(format!("a block of {values} values"))
                .got(head.roots.to_string()));
        }
        Ok(BlockHead { body: start + head.body.start..end, ..head })
    }
}

/// The most bytes before a block's columns: one number for each site, and two more.
fn head_len(schema: &Schema) -> u64 {
    MAX_VARINT as u64 * (schema.sites() as u64 + 2)
}

/// The payload of a frame whose head was read. The frame must be complete.
fn payload(input: &impl Bytes, at: u64, head: &Head) -> Result<Vec<u8>> {
    let end = at.saturating_add(head.frame_len());
    if end > input.size() {
        return Err(Error::in_stream(Code::Truncated, at).expected("a complete frame"));
    }
    let mut frame = input.bytes(at..end)?;
    check(&frame, head, at)?;
    frame.truncate(HEAD + head.len as usize);
    Ok(frame.split_off(HEAD))
}
