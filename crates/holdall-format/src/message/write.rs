//! A value in columns as a message.

use std::borrow::Cow;

use crc32c::crc32c;

use crate::block::filler::WrittenBlock;
use crate::column::{Profile, Settings};
use crate::envelope::{
    CHECKSUM_LEN, MAGIC, Metadata, VERSION, extended, flag, least_filler, lengths,
};
use crate::error::Result;
use crate::input::LINE;
use crate::limits::{Limits, beyond_output};
use crate::number::write_varint;
use crate::schema::{Schema, SchemaStore};

/// What goes ahead of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// The whole schema: the message explains itself.
    #[default]
    Schema,
    /// The schema's fingerprint, 8 bytes: the reader must have the schema.
    Fingerprint,
    /// Nothing, not even the magic byte: the reader must know what comes.
    Bare,
}

/// Whether a message is aligned: raw rows of 4,096 bytes or more stand at multiples of 64 bytes from its start, as lines of a cache
/// do (F-69). So a program that has the message in memory at such an address can look at them in place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// If the elements of tensors take 4,096 bytes or more; not in profile small.
    #[default]
    Automatic,
    /// Yes: up to 63 bytes more ahead of the block and of each such payload.
    On,
    /// No: the fewest bytes.
    Off,
}

/// A value in columns, and the schema of them.
pub trait Written {
    fn definitions(&self) -> usize;
    /// Appends the schema; the number of definitions stands at its head if there are any (F-10).
    fn write_schema(&self, out: &mut Vec<u8>);
    fn fingerprint(&self) -> u64;
    /// The bytes of the schema that its fingerprint is of (F-22).
    fn stand_alone(&self) -> Cow<'_, [u8]>;
    /// Whether a writer of canonical bytes aligns the message (F-69).
    fn wants_alignment(&self) -> bool;
    /// Reading so many roots is charged no more than this and a unit for each byte that is written; 0 if that is surely no
    /// more than any budget is by default (F-39).
    fn most_units(&self, roots: u64) -> u64;
    fn schema(&self) -> Result<Schema>;
    /// Appends the block (F-23); `limit` is the most bytes that `out` may have. Tells where the columns begin, and where those
    /// end of each site that has columns of its own.
    fn write_block(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        limit: usize,
        ends: &mut dyn FnMut(usize),
    ) -> Result<()>;
}

/// How messages are written.
#[derive(Clone, Debug, Default)]
pub struct MessageWriter {
    pub profile: Profile,
    pub limits: Limits,
    pub header: Header,
    /// Whether messages have their length at their head.
    pub length: bool,
    pub checksum: bool,
    pub alignment: Alignment,
    pub metadata: Metadata,
    /// Where schemas go of messages that have only the fingerprint.
    pub store: Option<SchemaStore>,
}

impl MessageWriter {
    /// Appends a message, or a bare body, to nothing.
    pub fn write(&self, written: &impl Written, out: &mut Vec<u8>) -> Result<()> {
        if self.says_length() {
            return self.write_with_length(written, out);
        }
        let (start, aligned) = self.write_unfilled(written, out)?;
        self.fill(out, start, aligned, written.most_units(1), &|| written.schema())
    }

    /// The same without its length, and without the filler that it may need behind it; says where the block begins, and
    /// whether the message is aligned.
    pub fn write_unfilled(
        &self,
        written: &impl Written,
        out: &mut Vec<u8>,
    ) -> Result<(usize, bool)> {
        let limit = self.limits.output_bytes();
        if self.header == Header::Bare {
            written.write_block(out, self.settings(None)?, limit, &mut |_| {})?;
            return Ok((0, false));
        }
        self.store_schema(written)?;
        let aligned = self.is_aligned(written);
        self.write_flags(written, aligned, out);
        self.write_head(written, out);
        if aligned {
            out.resize(out.len().next_multiple_of(LINE), 0);
        }
        let start = out.len();
        let settings = self.settings(aligned.then_some(0))?;
        written.write_block(out, settings, limit, &mut |_| {})?;
        Ok((start, aligned))
    }

    /// Appends the filler that the message needs whose block begins at an offset (F-95).
    pub fn fill(
        &self,
        out: &mut Vec<u8>,
        start: usize,
        aligned: bool,
        most_units: u64,
        schema: &dyn Fn() -> Result<Schema>,
    ) -> Result<()> {
        let block = WrittenBlock { most_units, schema, bytes: out, start, roots: 1, aligned };
        let Some(len) = block.wants(out.len()) else { return Ok(()) };
        if len > self.limits.output_bytes() {
            return Err(beyond_output(self.limits.output_bytes()));
        }
        out.resize(len, 0);
        Ok(())
    }

    /// Puts the schema where it will be looked up, if the message has only its fingerprint.
    fn store_schema(&self, written: &impl Written) -> Result<()> {
        if let (Header::Fingerprint, Some(store)) = (self.header, &self.store) {
            let bytes = written.stand_alone();
            store.put_bytes(written.fingerprint(), &bytes, || Schema::from_bytes(&bytes))?;
        }
        Ok(())
    }

    /// How many bytes stand ahead of the block in profile fast, if nothing but the schema does, which is so long.
    pub fn plain_head_len(&self, written: &impl Written, schema: usize) -> Option<usize> {
        if self.header == Header::Bare {
            return (self.profile == Profile::Fast).then_some(0);
        }
        let is_plain = self.profile == Profile::Fast
            && self.metadata.is_empty()
            && !(self.length || self.checksum || self.is_aligned(written));
        let head = if self.header == Header::Fingerprint { size_of::<u64>() } else { schema };
        is_plain.then_some(2 + head)
    }

    /// Whether messages have their length at their head.
    pub fn says_length(&self) -> bool {
        self.header != Header::Bare && (self.length || self.checksum)
    }

    /// Whether every message is aligned.
    pub fn aligns(&self) -> bool {
        matches!(self.alignment, Alignment::On)
    }

    fn is_aligned(&self, written: &impl Written) -> bool {
        match self.alignment {
            Alignment::Automatic => self.profile != Profile::Small && written.wants_alignment(),
            Alignment::On => true,
            Alignment::Off => false,
        }
    }

    /// A message that says how long it is. That depends on the block, which so is written first (F-67).
    fn write_with_length(&self, written: &impl Written, out: &mut Vec<u8>) -> Result<()> {
        self.store_schema(written)?;
        let (aligned, limit) = (self.is_aligned(written), self.limits.output_bytes());
        let (mut head, mut block) = (Vec::new(), Vec::new());
        self.write_head(written, &mut head);
        // The block starts at a multiple of what payloads start at multiples of, so offsets can count from there.
        let settings = self.settings(aligned.then_some(0))?;
        written.write_block(&mut block, settings, limit, &mut |_| {})?;
        let checksum_len = if self.checksum { CHECKSUM_LEN } else { 0 };
        let lengths = |filler| lengths(head.len(), block.len() + filler + checksum_len, aligned);
        let filled = WrittenBlock {
            most_units: written.most_units(1),
            schema: &|| written.schema(),
            bytes: &block,
            start: 0,
            roots: 1,
            aligned,
        };
        let filler = match filled.wants(lengths(0).0 as usize) {
            None => 0,
            Some(least) => least_filler(least as u64, |filler| lengths(filler).0),
        };
        let (length, padding) = lengths(filler);
        // It is all in memory, so it fits.
        let len = length as usize;
        if len > limit {
            return Err(beyond_output(limit));
        }
        out.reserve_exact(len);
        self.write_flags(written, aligned, out);
        write_varint(out, length);
        out.extend_from_slice(&head);
        out.resize(out.len() + padding, 0);
        out.extend_from_slice(&block);
        out.resize(out.len() + filler, 0);
        if self.checksum {
            let checksum = crc32c(out);
            out.extend_from_slice(&checksum.to_le_bytes());
        }
        Ok(())
    }

    pub fn settings(&self, aligned_from: Option<usize>) -> Result<Settings> {
        self.profile.check()?;
        Ok(Settings { profile: self.profile, aligned_from })
    }

    /// Magic, version, flags and extended flags (F-7, F-8, F-66).
    fn write_flags(&self, written: &impl Written, aligned: bool, out: &mut Vec<u8>) {
        let bit = |set: bool, flag: u8| if set { flag } else { 0 };
        let more = bit(!self.metadata.is_empty(), extended::METADATA)
            | bit(self.checksum, extended::CHECKSUM)
            | bit(self.checksum || self.length, extended::LENGTH);
        let schema = match self.header {
            Header::Fingerprint => flag::FINGERPRINT,
            _ => bit(written.definitions() > 0, flag::DEFINITIONS),
        };
        let flags = schema | bit(aligned, flag::ALIGNED) | bit(more != 0, flag::EXTENDED);
        out.extend_from_slice(&[MAGIC, VERSION << 4 | flags]);
        if more != 0 {
            out.push(more);
        }
    }

    /// Metadata, then the schema or its fingerprint (F-68, F-9, F-10).
    fn write_head(&self, written: &impl Written, out: &mut Vec<u8>) {
        if !self.metadata.is_empty() {
            self.metadata.write(out);
        }
        match self.header {
            Header::Fingerprint => out.extend_from_slice(&written.fingerprint().to_le_bytes()),
            _ => written.write_schema(out),
        }
    }
}
