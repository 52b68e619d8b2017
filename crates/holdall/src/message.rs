//! Messages: schema and block in their envelope (spec, chapter 3).

use std::borrow::Cow;
use std::cell::RefCell;

use crc32c::crc32c;

use crate::block::Block;
use crate::column::{LINE, Place, Settings, zstd};
use crate::dynamic::{Layout, Shredder, Sink, Source, assemble};
use crate::envelope::{
    CHECKSUM_LEN, MAGIC, Preamble, VERSION, extended, flag, least_filler, lengths,
};
use crate::error::{Code, Error, Result};
use crate::filler::{WrittenBlock, is_enough};
use crate::input::Input;
use crate::limits::{Budget, Limits, beyond_output};
use crate::metadata::Metadata;
use crate::number::write_varint;
use crate::path;
use crate::pieces::Pieces;
use crate::row_path::{parents, row_path};
use crate::schema::Schema;
use crate::scratch::{Scratch, Spare};
use crate::store::{Known, SchemaStore};
use crate::trace::Part;
use crate::typed;

/// Which encodings a writer chooses. A reader reads all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// The fastest to write: frames of reference, plain text. Equal values give equal bytes everywhere.
    #[default]
    Fast,
    /// Also differences for sorted columns, numbers by their common divisor or in the bits that each needs, floats as decimals,
    /// and dictionaries where strings repeat. Equal values give equal bytes everywhere.
    Balanced,
    /// The smallest of all encodings, and zstd where it gains. The bytes are not promised. Without the feature `zstd` it is the
    /// error `unsupported`; to read what it wrote, `ruzstd` will do.
    Small,
}

impl Profile {
    /// A feature changes no bytes: what this one is for is an error without it.
    pub(crate) fn check(self) -> Result<()> {
        if self == Profile::Small && !zstd::WRITES {
            return Err(Error::new(Code::Unsupported)
                .expected("a build with the feature zstd")
                .got("profile small"));
        }
        Ok(())
    }
}

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

/// Writes messages; its buffers are kept from one to the next.
///
/// Values of one kind can share a header: [`Encoder::body`] writes the columns alone, and gives the schema only when it
/// is another than before.
///
/// ```
/// use holdall::{Decoder, Encoder, Value, ValueBuilder};
/// # fn main() -> Result<(), holdall::Error> {
/// let mut encoder = Encoder::new();
/// let mut decoder = Decoder::new();
/// let mut schema = None;
/// for n in 0..3 {
///     let part = encoder.body(&mut &Value::from(vec![n, n + 1]))?;
///     assert_eq!(part.schema.is_some(), n == 0); // only the first needs a header
///     schema = part.schema.or(schema);
///
///     let mut builder = ValueBuilder::new();
///     decoder.body(schema.as_ref().unwrap(), &part.bytes, &mut builder)?;
///     assert_eq!(builder.finish()?, Value::from(vec![n, n + 1]));
/// }
/// # Ok(()) }
/// ```
#[derive(Default)]
pub struct Encoder {
    shredder: Shredder,
    profile: Profile,
    pub(crate) limits: Limits,
    header: Header,
    length: bool,
    checksum: bool,
    alignment: Alignment,
    metadata: Metadata,
    store: Option<SchemaStore>,
    pub(crate) canonical: bool,
    /// The schema of the body before, without the number of definitions.
    last: Option<(Vec<u8>, usize)>,
    plan: Plan,
    /// The columns of the typed value before, and the plan that they are of.
    pub(crate) typed: Option<(&'static typed::Plan, typed::Buffers)>,
    /// What a typed value was written into that has no columns around it.
    pub(crate) lone: typed::LoneBuffers,
}

/// A value in columns, and the schema of them.
pub(crate) trait Written {
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

/// What is kept of the messages before, for small ones that are alike.
#[derive(Default)]
struct Plan {
    /// The layout of the message before, and the extent of its schema, if the next can have it.
    layout: Option<(Layout, usize)>,
    /// The message before was unlike the one before it: so many messages are shredded anew before the next attempt.
    pause: u32,
    /// How long the next pause is.
    next_pause: u32,
}

/// A message with more bytes than this is shredded anew: there the schema's share of the time is small.
const SMALL: usize = 1 << 16;
/// Of a message with columns of more bytes than this, nothing is kept for the next.
const LARGE: usize = 1 << 20;
/// The longest pause after messages that were unlike each other.
const LONGEST_PAUSE: u32 = 64;

/// A value that an encoder took and has not written yet.
pub struct Taken<'e> {
    encoder: &'e mut Encoder,
    layout: Layout,
}

impl Taken<'_> {
    /// Writes the value as a message, or a bare body: the second half of [`Encoder::message`].
    ///
    /// # Errors
    /// As [`Encoder::message`], but for the source's own.
    pub fn write(self) -> Result<Vec<u8>> {
        let Taken { encoder, layout } = self;
        let mut out = Vec::with_capacity(2 * layout.schema.len() + 16);
        let size = encoder.shredder.size();
        if size > LARGE {
            let shredder = std::mem::take(&mut encoder.shredder);
            encoder.write(&shredder.given_up(&layout, size, None), &mut out)?;
            out.shrink_to_fit();
            return Ok(out);
        }
        encoder.write(&encoder.shredder.written(&layout, size), &mut out)?;
        if out.len() <= SMALL && encoder.shredder.is_repeatable() {
            encoder.plan.layout = Some((layout, encoder.shredder.extent()));
        }
        Ok(out)
    }

    /// As [`Taken::write`], in pieces: who copies the message elsewhere saves a copy of what is large.
    ///
    /// # Errors
    /// The same.
    pub fn pieces(self) -> Result<Pieces> {
        let size = self.encoder.shredder.size();
        // What stands ahead of the block says how long it is.
        if size <= LARGE || self.encoder.says_length() {
            return self.write().map(Pieces::from);
        }
        let Taken { encoder, layout } = self;
        let (mut out, apart) = (Vec::new(), RefCell::default());
        let written = std::mem::take(&mut encoder.shredder).given_up(&layout, size, Some(&apart));
        let most_units = written.most_units(1);
        let (start, aligned) = encoder.write_unfilled(&written, &mut out)?;
        drop(written);
        let pieces = Pieces::new(out, apart.into_inner());
        if is_enough(pieces.len(), most_units) {
            return Ok(pieces);
        }
        let mut bytes = pieces.iter().collect::<Vec<_>>().concat();
        encoder.fill(&mut bytes, start, aligned, most_units, &|| layout.to_schema())?;
        Ok(Pieces::from(bytes))
    }

    /// The schema found for the value.
    ///
    /// # Errors
    /// `limit_nesting` and the like of a schema that readers refuse.
    pub fn schema(&self) -> Result<Schema> {
        self.layout.to_schema()
    }
}

/// A body, and its schema if that is another than the body's before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// What the reader needs before the bytes, unless it has it already.
    pub schema: Option<Schema>,
    /// A bare body (F-12).
    pub bytes: Vec<u8>,
}

// A pool of them can serve many threads.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Encoder>();
    is_send::<Taken<'_>>();
};

impl Encoder {
    /// An encoder of profile fast with the schema inline.
    #[must_use]
    pub fn new() -> Self {
        Encoder::default()
    }

    /// Sets which encodings are chosen.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Sets what goes ahead of each message's body. A bare one has neither length, checksum, metadata nor alignment.
    #[must_use]
    pub fn header(mut self, header: Header) -> Self {
        self.header = header;
        self
    }

    /// Sets the limits; a writer looks at [`Limits::output`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether each message has its length at its head: then who reads from a pipe or socket knows where it ends, see
    /// [`message_len`](crate::message_len).
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// let bytes = holdall::Encoder::new().length(true).message(&mut &holdall::Value::from(300))?;
    /// assert_eq!(bytes, [0xC1, 0x18, 0x04, 0x0E, 0x03, 0x61, 0x09]); // 7 bytes: 0E
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn length(mut self, length: bool) -> Self {
        self.length = length;
        self
    }

    /// Sets whether each message ends with a checksum, CRC-32C, of all its bytes before; it then has its length, too. A
    /// reader checks it before anything else.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// let mut encoder = holdall::Encoder::new().checksum(true);
    /// let mut bytes = encoder.message(&mut &holdall::Value::from("holdall"))?;
    /// bytes[8] ^= 1;
    /// assert_eq!(holdall::from_slice::<holdall::Value>(&bytes).unwrap_err().code(), holdall::Code::BadChecksum);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn checksum(mut self, checksum: bool) -> Self {
        self.checksum = checksum;
        self
    }

    /// Sets the metadata of each message; [`Metadata::of_message`] reads them without the value.
    #[must_use]
    pub fn metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// Sets where schemas go of messages that have only the fingerprint ([`Header::Fingerprint`]): each is there before its
    /// first message is given out.
    #[must_use]
    pub fn store(mut self, store: &SchemaStore) -> Self {
        self.store = Some(store.clone());
        self
    }

    /// Sets whether the members of sets and the keys of maps that have no order of their own ([`HashSet`], [`HashMap`], sets in a
    /// [`Value`](crate::Value)) stand in the order of the format (F-75): then equal values give equal bytes in every process, in
    /// profiles fast and balanced. Otherwise those of a `HashMap` stand in its order, which is another in each process.
    ///
    /// To find the order of members that are no scalars each is written by itself, so this takes a few times as long.
    ///
    /// What serde is told does not say that it has no order: by their names `HashSet` and `HashMap` of std and hashbrown are known,
    /// also in references, `Box`, `Rc`, `Arc` and `Cow`; but not within types that serialize as what they hold
    /// (`serde(transparent)`, `serde(flatten)`).
    ///
    /// ```
    /// use std::collections::HashSet;
    /// # fn main() -> Result<(), holdall::Error> {
    /// let words = HashSet::from(["one", "two", "three"]);
    /// let bytes = holdall::Encoder::new().canonical(true).encode(&words)?;
    /// assert_eq!(bytes, b"\xC1\x10\x22\x0A\x00\x16\x12\x06\x06\x0A\x06onethreetwo");
    /// # Ok(()) }
    /// ```
    ///
    /// [`HashSet`]: std::collections::HashSet
    /// [`HashMap`]: std::collections::HashMap
    #[must_use]
    pub fn canonical(mut self, canonical: bool) -> Self {
        self.canonical = canonical;
        self
    }

    /// Sets whether messages are aligned.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// use holdall::{Alignment, Encoder, Value};
    /// let value = Value::list((0..512).map(|n| Value::from(f64::from(n) + 0.5)));
    /// let bytes = Encoder::new().aligned(Alignment::On).message(&mut &value)?;
    /// let columns = holdall::locate_columns(&bytes)?;
    /// assert_eq!(columns[0].place.range, 64..66); // the list's length
    /// assert_eq!(columns[1].place.range, 66..4224); // encoding, padding, and from 128 on the floats
    /// assert_eq!(bytes[128..136], 0.5_f64.to_le_bytes());
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn aligned(mut self, alignment: Alignment) -> Self {
        self.alignment = alignment;
        self
    }

    /// Writes one value as a message of its own. What was written before does not show in the bytes.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// let bytes = holdall::Encoder::new().message(&mut &holdall::Value::from(300))?;
    /// assert_eq!(bytes, [0xC1, 0x10, 0x03, 0x61, 0x09]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `limit_output`, `limit_sites`, `unsupported_value`, and the source's own; `unsupported` of [`Profile::Small`] without the feature `zstd`;
    /// with a store those of [`SchemaStore::put`].
    pub fn message(&mut self, source: &mut impl Source) -> Result<Vec<u8>> {
        self.take(source)?.write()
    }

    /// The first half of [`Encoder::message`]: takes the value, after which the source is not needed any more. So a
    /// program can let go of what guards its values before the bytes are written.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// let mut encoder = holdall::Encoder::new();
    /// let taken = encoder.take(&mut &holdall::Value::from(300))?;
    /// assert_eq!(taken.write()?, [0xC1, 0x10, 0x03, 0x61, 0x09]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The source's own, `limit_sites`, `unsupported_value`.
    pub fn take(&mut self, source: &mut impl Source) -> Result<Taken<'_>> {
        self.last = None;
        let layout = self.shred(source)?;
        Ok(Taken { encoder: self, layout })
    }

    /// Shreds a value, in the sites of the message before if it leaves no trace of that.
    fn shred(&mut self, source: &mut impl Source) -> Result<Layout> {
        let by_entries = self.profile != Profile::Fast;
        self.shredder.text_by_entries(by_entries);
        self.shredder.set_canonical(self.canonical);
        let plan = &mut self.plan;
        plan.pause = plan.pause.saturating_sub(1);
        if let Some((layout, extent)) = plan.layout.take().filter(|_| plan.pause == 0) {
            self.shredder.clear();
            let told = source.drive(&mut self.shredder);
            if told.is_ok() && self.shredder.extent() == extent && self.shredder.is_repeatable() {
                plan.next_pause = 0;
                return Ok(layout);
            }
            plan.next_pause = (2 * plan.next_pause).clamp(1, LONGEST_PAUSE);
            plan.pause = plan.next_pause;
        }
        self.shredder.forget();
        self.shredder.text_by_entries(by_entries);
        self.shredder.set_canonical(self.canonical);
        source.drive(&mut self.shredder)?;
        self.shredder.layout()
    }

    /// Appends a message, or a bare body, to nothing.
    pub(crate) fn write(&self, written: &impl Written, out: &mut Vec<u8>) -> Result<()> {
        if self.says_length() {
            return self.write_with_length(written, out);
        }
        let (start, aligned) = self.write_unfilled(written, out)?;
        self.fill(out, start, aligned, written.most_units(1), &|| written.schema())
    }

    /// The same without its length, and without the filler that it may need behind it; says where the block begins, and
    /// whether the message is aligned.
    fn write_unfilled(&self, written: &impl Written, out: &mut Vec<u8>) -> Result<(usize, bool)> {
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
    pub(crate) fn fill(
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
    pub(crate) fn plain_head_len(&self, written: &impl Written, schema: usize) -> Option<usize> {
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
    pub(crate) fn says_length(&self) -> bool {
        self.header != Header::Bare && (self.length || self.checksum)
    }

    /// Whether every message is aligned.
    pub(crate) fn aligns(&self) -> bool {
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

    pub(crate) fn settings(&self, aligned_from: Option<usize>) -> Result<Settings> {
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

    /// Writes one value's body, under the schema of the body before where that has all the value needs, and else under
    /// one that has both. It has neither length, checksum, metadata nor alignment.
    ///
    /// # Errors
    /// As [`Encoder::message`].
    pub fn body(&mut self, source: &mut impl Source) -> Result<Body> {
        self.plan.layout = None;
        match self.last {
            Some(_) => self.shredder.clear(),
            // What a message, or a value that failed, left in the schema must not show.
            None => self.shredder.forget(),
        }
        let last = self.last.take();
        self.shredder.set_canonical(self.canonical);
        source.drive(&mut self.shredder)?;
        let layout = self.shredder.layout()?;
        let (mut bytes, limit) = (Vec::new(), self.limits.output_bytes());
        let written = self.shredder.written(&layout, self.shredder.size());
        written.write_block(&mut bytes, self.settings(None)?, limit, &mut |_| {})?;
        self.fill(&mut bytes, 0, false, written.most_units(1), &|| written.schema())?;
        drop(written);
        let same = matches!(&last, Some((schema, count)) if *schema == layout.schema && *count == layout.definitions);
        let schema = if same { None } else { Some(layout.to_schema()?) };
        self.last = Some((layout.schema, layout.definitions));
        Ok(Body { schema, bytes })
    }
}

/// Reads messages. Up to 16 MiB of memory for the columns of typed values are kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    pub(crate) limits: Limits,
    pub(crate) known: Known,
    /// The schema's bytes in the message before, if they are few, the flags that say what they are, and the schema.
    last: Option<(Vec<u8>, u8, Schema)>,
    /// Memory of the typed value before.
    pub(crate) spare: Option<Box<Spare>>,
}

/// A schema longer than this is read anew for each message.
const SMALL_SCHEMA: usize = 1 << 12;

impl Decoder {
    /// A decoder with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Decoder::default()
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How many bytes of text a converter should make of a message at most: [`Limits::output`], or if that is not set the
    /// number of units in the budget.
    #[must_use]
    pub fn output_limit(&self, message: &[u8]) -> usize {
        self.limits.output_for(message.len())
    }

    /// Sets where schemas are looked up of messages that carry only the fingerprint, if they were not added. Nothing is put
    /// there.
    #[must_use]
    pub fn store(mut self, store: &SchemaStore) -> Self {
        self.known.store = Some(store.clone());
        self
    }

    /// Makes a schema known, for messages that carry only its fingerprint.
    pub fn add_schema(&mut self, schema: &Schema) {
        self.known.added.insert(schema.fingerprint(), schema.clone());
    }

    /// The schema of a message, or the known one of its fingerprint.
    ///
    /// # Errors
    /// The faults of the spec's chapters 3 and 4, with their offsets; with a store those of [`SchemaStore::get`].
    pub fn schema(&mut self, message: &[u8]) -> Result<Schema> {
        Ok(self.open(message, &Scratch::default())?.0)
    }

    /// Reads all that stands ahead of the block; gives the schema, and the input from the block on.
    pub(crate) fn open<'a>(
        &mut self,
        message: &'a [u8],
        scratch: &'a Scratch,
    ) -> Result<(Schema, Input<'a>)> {
        let mut input = Input::new(message, self.limits.budget_for(message.len()), scratch);
        let preamble = Preamble::read(&mut input)?;
        let schema = match self.schema_of_last(&preamble, &mut input) {
            Some(schema) => schema.clone(),
            None => self.read_schema(&preamble, &mut input)?,
        };
        Ok((schema, input))
    }

    /// The same for who knows a schema; none is given if it is that.
    pub(crate) fn open_as<'a>(
        &mut self,
        own: &Schema,
        message: &'a [u8],
        scratch: &'a Scratch,
    ) -> Result<(Option<Schema>, Input<'a>)> {
        let mut input = Input::new(message, self.limits.budget_for(message.len()), scratch);
        let preamble = Preamble::read(&mut input)?;
        let schema = match self.schema_of_last(&preamble, &mut input) {
            Some(schema) if schema == own => return Ok((None, input)),
            Some(schema) => schema.clone(),
            None => self.read_schema(&preamble, &mut input)?,
        };
        if schema == *own {
            return Ok((None, input));
        }
        Ok((Some(schema), input))
    }

    /// The schema of the message before, if it is this one's too: then the input goes on behind it.
    #[inline]
    fn schema_of_last(&self, preamble: &Preamble, input: &mut Input<'_>) -> Option<&Schema> {
        let (bytes, flags, schema) = self.last.as_ref()?;
        // A schema says itself where it ends: equal bytes are the same schema.
        if *flags != preamble.schema_flags() || !input.rest().starts_with(bytes) {
            return None;
        }
        input.advance(bytes.len());
        Some(schema)
    }

    fn read_schema(&mut self, preamble: &Preamble, input: &mut Input<'_>) -> Result<Schema> {
        let flags = preamble.schema_flags();
        let before = input.rest();
        let schema = preamble.schema(input, &self.known)?;
        let bytes = &before[..before.len() - input.remaining()];
        if bytes.len() <= SMALL_SCHEMA {
            self.last = Some((bytes.to_vec(), flags, schema.clone()));
        }
        Ok(schema)
    }

    /// The units that reading an input of so many bytes may take.
    pub(crate) fn budget_for(&self, input: usize) -> Budget {
        self.limits.budget_for(input)
    }

    /// Reads a whole message into a sink.
    ///
    /// # Errors
    /// Every fault of the spec's chapter 9, with its offset, and the sink's own.
    pub fn message(&mut self, message: &[u8], sink: &mut impl Sink) -> Result<()> {
        self.read(message, |checked| checked.tell(sink))
    }

    /// Reads a whole message but for its values, and hands them over to be told: all checks of the bytes come before. So a
    /// program can take what guards its values only then.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// use holdall::{Decoder, Value, ValueBuilder};
    /// let mut builder = ValueBuilder::new();
    /// let schema = Decoder::new().read(&[0xC1, 0x10, 0x03, 0x61, 0x09], |checked| {
    ///     let schema = checked.schema().to_string();
    ///     checked.tell(&mut builder)?;
    ///     Ok(schema)
    /// })?;
    /// assert_eq!((builder.finish()?, &*schema), (Value::from(300), "int"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Decoder::message`], and what `then` answers.
    pub fn read<T>(
        &mut self,
        message: &[u8],
        then: impl FnOnce(Checked<'_>) -> Result<T>,
    ) -> Result<T> {
        let scratch = Scratch::default();
        let (schema, input) = self.open(message, &scratch)?;
        let block = read_block(&schema, input, 1, false)?;
        then(Checked { schema, block })
    }

    /// The same of a bare body (F-12), written under this schema.
    ///
    /// # Errors
    /// As [`Decoder::read`], offsets counted from the body's first byte.
    pub fn read_bare<T>(
        &self,
        schema: &Schema,
        body: &[u8],
        then: impl FnOnce(Checked<'_>) -> Result<T>,
    ) -> Result<T> {
        let scratch = Scratch::default();
        let input = Input::new(body, self.limits.budget_for(body.len()), &scratch);
        let block = read_block(schema, input, 1, false)?;
        then(Checked { schema: schema.clone(), block })
    }

    /// Reads a bare body (F-12), written under this schema, into a sink.
    ///
    /// # Errors
    /// As [`Decoder::message`], offsets counted from the body's first byte.
    pub fn body(&self, schema: &Schema, body: &[u8], sink: &mut impl Sink) -> Result<()> {
        let scratch = Scratch::default();
        let input = Input::new(body, self.limits.budget_for(body.len()), &scratch);
        read_body(schema, input, sink)
    }
}

/// A message whose bytes are checked and whose values are not told yet.
pub struct Checked<'a> {
    schema: Schema,
    block: Block<'a>,
}

impl Checked<'_> {
    /// The message's schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Tells the value to a sink.
    ///
    /// # Errors
    /// Those that only a walk over the values shows, and the sink's own.
    pub fn tell(self, sink: &mut impl Sink) -> Result<()> {
        assemble(&self.schema, self.block, sink)
    }
}

pub(crate) fn read_body(schema: &Schema, input: Input<'_>, sink: &mut impl Sink) -> Result<()> {
    assemble(schema, read_block(schema, input, 1, false)?, sink)
}

/// A block that ends the input, with all checks but those of the walk.
pub(crate) fn read_block<'a>(
    schema: &Schema,
    mut input: Input<'a>,
    roots: u64,
    locate: bool,
) -> Result<Block<'a>> {
    input.enter(Part::Envelope, None);
    input.skip_padding(LINE)?;
    let block = Block::read(&mut input, schema, roots, locate)?;
    input.end()?;
    block.check_definitions()?;
    Ok(block)
}

/// A column of a message: which site's, where it stands, how it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnPlace {
    /// The site, like `$.users[].name`; `#0[]` starts one in a definition.
    pub site: String,
    /// The column's bytes within the message, its encoding and rows.
    pub place: Place,
}

/// A longer path of a column is cut off, as there can be very many.
const LONGEST_SITE: usize = 400;

/// Finds the columns of a message, in the order of its bytes. A site can have several: presence, lengths, values.
///
/// ```
/// # fn main() -> Result<(), holdall::Error> {
/// let bytes = holdall::to_vec(&holdall::Value::from(vec![1, 2, 3, 4, 5]))?;
/// let columns = holdall::locate_columns(&bytes)?;
/// assert_eq!(columns[1].site, "$[]");
/// assert_eq!(columns[1].place.range, 5..8);
/// assert_eq!(columns[1].place.encoding, Some(0x03)); // a frame of 3 bits
/// # Ok(()) }
/// ```
///
/// # Errors
/// As [`Decoder::message`], but for what only a walk over the values shows.
pub fn locate_columns(message: &[u8]) -> Result<Vec<ColumnPlace>> {
    let scratch = Scratch::default();
    let mut input = Input::new(message, Limits::new().budget_for(message.len()), &scratch);
    let schema = Preamble::read(&mut input)?.schema(&mut input, &Known::default())?;
    let block = read_block(&schema, input, 1, true)?;
    let parents = parents(&schema);
    let site = |id| {
        let path = row_path(&schema, &parents, &[], id, None);
        path::shorten(&path, LONGEST_SITE).into_owned()
    };
    let columns = block.places.into_iter();
    Ok(columns.map(|(id, _, place)| ColumnPlace { site: site(id), place }).collect())
}
