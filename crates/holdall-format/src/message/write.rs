//! Writes messages (spec, chapter 3): the envelope, the schema, and the block of a value whose rows are gathered.

use alloc::vec::Vec;

use crate::memory::GrowVec;
use crate::platform::checksum;
use alloc::borrow::Cow;

use crate::block::filler::WrittenBlock;
use crate::column::{Profile, Settings};
use crate::envelope::{
    CHECKSUM_LEN, Dictionary, LONGEST_CONTENT, MAGIC, Metadata, VERSION, extended, flag,
    least_filler, lengths,
};
use crate::error::Result;
use crate::input::LINE;
use crate::limits::{Limits, beyond_output};
use crate::number::write_varint;
use crate::schema::Schema;
#[cfg(feature = "std")]
use crate::schema::SchemaStore;

/// What precedes a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// The schema: the message describes itself.
    #[default]
    Schema,
    /// The schema's fingerprint, 8 bytes. The reader must have the schema: a type reads messages with its own fingerprint,
    /// and a value of any other is an error. So the fingerprint guards a body that would otherwise be bare.
    Fingerprint,
    /// Nothing, not even the magic byte. The reader must know the schema.
    Bare,
}

/// Whether a message is aligned: raw rows of 4,096 bytes or more start at multiples of 64 bytes, the size of a cache
/// line (F-69). A program that holds the message at such an address can use them in place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// Aligned if the elements of tensors take 4,096 bytes or more, except in profile small.
    #[default]
    Automatic,
    /// Always aligned: up to 63 more bytes before the block and before each such payload.
    On,
    /// Never aligned: the fewest bytes.
    Off,
}

/// A value whose rows are gathered, with its schema. It writes the parts of a message that depend on the value.
pub trait Written {
    fn definitions(&self) -> usize;
    /// Appends the schema, preceded by the number of definitions if there are any (F-10).
    fn write_schema(&self, out: &mut Vec<u8>);
    fn fingerprint(&self) -> u64;
    /// The bytes of the schema from which its fingerprint is computed (F-22).
    fn self_contained(&self) -> Cow<'_, [u8]>;
    /// Whether a writer of canonical bytes aligns the message (F-69).
    fn wants_alignment(&self) -> bool;
    /// Reading this many roots costs at most this many units and one for each byte written; 0 if that is certainly
    /// within every default budget (F-39).
    fn most_units(&self, roots: u64) -> u64;
    fn schema(&self) -> Result<Schema>;
    /// Appends the block (F-23), unless `out` would exceed `limit` bytes. Calls `ends` with the length of `out` where the
    /// columns begin, and after the columns of each site that has some.
    fn write_block(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        limit: usize,
        ends: &mut dyn FnMut(usize),
    ) -> Result<()>;
}

/// Options for writing messages.
#[derive(Clone, Debug, Default)]
pub struct MessageWriter {
    pub profile: Profile,
    pub limits: Limits,
    pub header: Header,
    /// Whether messages begin with their length.
    pub length: bool,
    pub checksum: bool,
    pub alignment: Alignment,
    /// How many threads encode columns; 0 as 1.
    pub threads: usize,
    pub metadata: Metadata,
    /// Compresses small messages.
    pub dictionary: Option<Dictionary>,
    /// Where the schemas go of messages that hold only a fingerprint.
    #[cfg(feature = "std")]
    pub store: Option<SchemaStore>,
}

impl MessageWriter {
    /// Writes a message, or a bare body (F-12), to an empty buffer. It ends with the block and its filler (F-11).
    pub fn write(&self, written: &(impl Written + ?Sized), out: &mut Vec<u8>) -> Result<()> {
        if self.begins_with_block() {
            return self.write_block_first(written, out);
        }
        let (start, aligned) = self.write_unfilled(written, out)?;
        self.fill(out, start, aligned, written.most_units(1), &|| written.schema())
    }

    /// Appends a message without its length and without the filler that it may need, or the block of a bare body (F-12).
    /// Returns where the block begins, and whether the message is aligned.
    pub fn write_unfilled(
        &self,
        written: &(impl Written + ?Sized),
        out: &mut Vec<u8>,
    ) -> Result<(usize, bool)> {
        let limit = self.limits.output_bytes();
        let aligned = self.begin(written, out)?;
        let start = out.len();
        let settings = self.settings(aligned.then_some(0))?;
        written.write_block(out, settings, limit, &mut |_| {})?;
        Ok((start, aligned))
    }

    /// Appends what precedes the block of a message without its length. Returns whether the message is aligned.
    #[inline]
    pub fn begin(&self, written: &(impl Written + ?Sized), out: &mut Vec<u8>) -> Result<bool> {
        if self.header == Header::Bare {
            return Ok(false);
        }
        self.store_schema(written)?;
        let aligned = self.is_aligned(written);
        self.write_start(written, aligned, out);
        Ok(aligned)
    }

    /// Appends what precedes the block, without a length.
    #[inline]
    fn write_start(&self, written: &(impl Written + ?Sized), aligned: bool, out: &mut Vec<u8>) {
        self.write_flags(written, bit(aligned, flag::ALIGNED), 0, out);
        self.write_head(written, out);
        if aligned {
            out.put_fill(out.len().next_multiple_of(LINE), 0);
        }
    }

    /// Appends the filler for a message whose block begins at this offset (F-95).
    #[inline]
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
        out.put_fill(len, 0);
        Ok(())
    }

    /// Stores the schema for later lookup, if the message holds only its fingerprint.
    #[cfg(feature = "std")]
    fn store_schema(&self, written: &(impl Written + ?Sized)) -> Result<()> {
        if let (Header::Fingerprint, Some(store)) = (self.header, &self.store) {
            let bytes = written.self_contained();
            store.put_bytes(written.fingerprint(), &bytes, || Schema::from_bytes(&bytes))?;
        }
        Ok(())
    }

    /// There is no store without std.
    #[cfg(not(feature = "std"))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with std")]
    fn store_schema(&self, _: &(impl Written + ?Sized)) -> Result<()> {
        Ok(())
    }

    /// The offset of the block in profile fast, for a message with a schema of this length and nothing else before it.
    pub fn plain_head_len(
        &self,
        written: &(impl Written + ?Sized),
        schema: usize,
    ) -> Option<usize> {
        if self.header == Header::Bare {
            return (self.profile == Profile::Fast).then_some(0);
        }
        let is_plain = self.profile == Profile::Fast
            && self.metadata.is_empty()
            && !(self.length || self.checksum || self.is_aligned(written))
            && self.dictionary.is_none();
        let head = if self.header == Header::Fingerprint { size_of::<u64>() } else { schema };
        is_plain.then_some(2 + head)
    }

    /// Whether the block is written before what precedes it: a length, or the head of what a dictionary compresses.
    pub fn begins_with_block(&self) -> bool {
        self.header != Header::Bare && (self.dictionary.is_some() || self.says_length())
    }

    fn says_length(&self) -> bool {
        self.header != Header::Bare && (self.length || self.checksum)
    }

    /// Whether every message is aligned.
    pub fn aligns(&self) -> bool {
        matches!(self.alignment, Alignment::On)
    }

    fn is_aligned(&self, written: &(impl Written + ?Sized)) -> bool {
        match self.alignment {
            Alignment::Automatic => self.profile != Profile::Small && written.wants_alignment(),
            Alignment::On => true,
            Alignment::Off => false,
        }
    }

    /// Writes a message in which what precedes the block depends on it: the length (F-67), or what a dictionary compresses
    /// (F-101).
    fn write_block_first(
        &self,
        written: &(impl Written + ?Sized),
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.store_schema(written)?;
        // The rows may be gone once they are written, so what follows does not ask them again.
        let (aligned, mut limit) = (self.is_aligned(written), self.limits.output_bytes());
        let dictionary = self.dictionary.as_ref().filter(|_| !aligned);
        if dictionary.is_some() {
            limit = limit.max(LONGEST_CONTENT);
        }
        let mut content = Vec::new();
        self.write_schema(written, &mut content);
        let start = content.len();
        // The block starts at a multiple of every payload's alignment, so offsets can count from it.
        let settings = self.settings(aligned.then_some(start))?;
        written.write_block(&mut content, settings, limit, &mut |_| {})?;
        let compressed = match dictionary {
            Some(dictionary) => dictionary.compress(&content, written.most_units(1))?,
            None => None,
        };
        match compressed {
            Some(compressed) => self.write_compressed(written, &compressed, out),
            None if self.says_length() => {
                self.write_with_length(written, aligned, &content[start..], out)?;
            }
            None => {
                self.write_start(written, aligned, out);
                let block = out.len();
                out.put_slice(&content[start..]);
                self.fill(out, block, aligned, written.most_units(1), &|| written.schema())?;
            }
        }
        let limit = self.limits.output_bytes();
        if out.len() > limit { Err(beyond_output(limit)) } else { Ok(()) }
    }

    /// Writes a message with a dictionary (F-101), whose hash precedes what it compressed.
    fn write_compressed(
        &self,
        written: &(impl Written + ?Sized),
        compressed: &[u8],
        out: &mut Vec<u8>,
    ) {
        let mut metadata = Vec::new();
        self.write_metadata(&mut metadata);
        self.write_flags(written, 0, extended::DICTIONARY, out);
        if self.says_length() {
            let rest = compressed.len() + if self.checksum { CHECKSUM_LEN } else { 0 };
            write_varint(out, lengths(metadata.len(), rest, false).0);
        }
        out.put_slice(&metadata);
        out.put_slice(compressed);
        self.put_checksum(out);
    }

    /// Writes a message of this block that begins with its length (F-67).
    fn write_with_length(
        &self,
        written: &(impl Written + ?Sized),
        aligned: bool,
        block: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let limit = self.limits.output_bytes();
        let mut head = Vec::new();
        self.write_head(written, &mut head);
        let checksum_len = if self.checksum { CHECKSUM_LEN } else { 0 };
        let lengths = |filler| lengths(head.len(), block.len() + filler + checksum_len, aligned);
        let filled = WrittenBlock {
            most_units: written.most_units(1),
            schema: &|| written.schema(),
            bytes: block,
            start: 0,
            roots: 1,
            aligned,
        };
        let filler = match filled.wants(lengths(0).0 as usize) {
            None => 0,
            Some(least) => least_filler(least as u64, |filler| lengths(filler).0),
        };
        let (length, padding) = lengths(filler);
        // The whole message is in memory, so its length fits.
        let len = length as usize;
        if len > limit {
            return Err(beyond_output(limit));
        }
        out.reserve_exact(len);
        self.write_flags(written, bit(aligned, flag::ALIGNED), 0, out);
        write_varint(out, length);
        out.put_slice(&head);
        out.put_fill(out.len() + padding, 0);
        out.put_slice(block);
        out.put_fill(out.len() + filler, 0);
        self.put_checksum(out);
        Ok(())
    }

    fn put_checksum(&self, out: &mut Vec<u8>) {
        if self.checksum {
            let checksum = checksum(out);
            out.put_slice(&checksum.to_le_bytes());
        }
    }

    pub fn settings(&self, aligned_from: Option<usize>) -> Result<Settings> {
        self.profile.check()?;
        if self.dictionary.is_some() {
            Dictionary::check_writes()?;
        }
        Ok(Settings { profile: self.profile, aligned_from, threads: self.threads })
    }

    /// Magic, version, flags and extended flags (F-7, F-8, F-66), with flags and extended flags of this message.
    fn write_flags(
        &self,
        written: &(impl Written + ?Sized),
        first: u8,
        more: u8,
        out: &mut Vec<u8>,
    ) {
        let more = more
            | bit(!self.metadata.is_empty(), extended::METADATA)
            | bit(self.checksum, extended::CHECKSUM)
            | bit(self.checksum || self.length, extended::LENGTH);
        let schema = match self.header {
            Header::Fingerprint => flag::FINGERPRINT,
            _ => bit(written.definitions() > 0, flag::DEFINITIONS),
        };
        let flags = schema | first | bit(more != 0, flag::EXTENDED);
        out.put_slice(&[MAGIC, VERSION << 4 | flags]);
        if more != 0 {
            out.put(more);
        }
    }

    /// Metadata, then the schema or its fingerprint (F-68, F-9, F-10).
    fn write_head(&self, written: &(impl Written + ?Sized), out: &mut Vec<u8>) {
        self.write_metadata(out);
        self.write_schema(written, out);
    }

    fn write_metadata(&self, out: &mut Vec<u8>) {
        if !self.metadata.is_empty() {
            self.metadata.write(out);
        }
    }

    fn write_schema(&self, written: &(impl Written + ?Sized), out: &mut Vec<u8>) {
        match self.header {
            Header::Fingerprint => out.put_slice(&written.fingerprint().to_le_bytes()),
            _ => written.write_schema(out),
        }
    }
}

fn bit(set: bool, flag: u8) -> u8 {
    if set { flag } else { 0 }
}
