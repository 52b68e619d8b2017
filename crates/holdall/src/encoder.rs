//! Writes messages.

mod outputs;

use alloc::vec::Vec;
use core::cell::RefCell;

use crate::block::filler::is_enough;
use crate::column::Profile;
#[cfg(feature = "std")]
use crate::column::ahead::usable_threads;
use crate::column::pieces::Pieces;
use crate::dynamic::{Layout, Shredder, Source};
use crate::envelope::{Dictionary, Metadata};
use crate::error::{Code, Result};
use crate::limits::Limits;
use crate::memory::{self, Collect};
use crate::message::{Alignment, Header, MessageWriter, Written};
use crate::schema::Schema;
#[cfg(feature = "std")]
use crate::schema::SchemaStore;
use crate::typed::{Encode, TypedWriter, WriteMemory};

#[cfg(feature = "bytes")]
pub(crate) use outputs::room_for;

/// Writes messages. It keeps its buffers from one message to the next.
///
/// Values of one kind can share a header: [`Encoder::body`] writes the columns alone, and returns the schema only when
/// it has changed.
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
    messages: MessageWriter,
    canonical: bool,
    /// The schema of the previous body, without the number of definitions.
    last: Option<(Vec<u8>, usize)>,
    previous: KeptLayout,
    typed: WriteMemory,
    /// The message that [`Encoder::encode_ref`] returned.
    message: Vec<u8>,
}

/// What a small message leaves for the next one, which is often alike.
#[derive(Default)]
struct KeptLayout {
    /// The layout of the previous message, and the extent of its schema, if the next message can use it.
    layout: Option<(Layout, usize)>,
    /// The number of messages to shred from scratch before the next attempt, after messages that were unlike each other.
    pause: u32,
    /// The length of the next pause.
    next_pause: u32,
}

/// Messages longer than this are shredded from scratch, because their schema takes only a small share of the time.
const MAX_REPEATED_MESSAGE: usize = 1 << 16;
/// If a message's columns have more bytes than this, nothing is kept for the next message.
const MAX_KEPT_COLUMNS: usize = 1 << 20;
/// The longest pause after messages that were unlike each other.
const LONGEST_PAUSE: u32 = 64;

/// A value that an encoder has taken and not written yet.
pub struct Taken<'e> {
    encoder: &'e mut Encoder,
    layout: Layout,
}

impl Taken<'_> {
    /// Writes the value as a message, or a bare body: the second half of [`Encoder::message`].
    ///
    /// # Errors
    /// As [`Encoder::message`], without those of the source.
    pub fn write(self) -> Result<Vec<u8>> {
        let Taken { encoder, layout } = self;
        encoder.guarded(|encoder| Taken { encoder, layout }.written())
    }

    fn written(self) -> Result<Vec<u8>> {
        let Taken { encoder, layout } = self;
        let mut out = memory::with_capacity(2 * layout.schema.len() + 16);
        let size = encoder.shredder.size();
        if size > MAX_KEPT_COLUMNS {
            let shredder = core::mem::take(&mut encoder.shredder);
            encoder.messages.write(&shredder.consumed(&layout, size, None), &mut out)?;
            out.shrink_to_fit();
            return Ok(out);
        }
        encoder.messages.write(&encoder.shredder.written(&layout, size), &mut out)?;
        if out.len() <= MAX_REPEATED_MESSAGE && encoder.shredder.is_repeatable() {
            encoder.previous.layout = Some((layout, encoder.shredder.extent()));
        }
        Ok(out)
    }

    /// Like [`Taken::write`], but returns pieces. A program that copies the message elsewhere saves one copy of its
    /// large parts.
    ///
    /// # Errors
    /// The same.
    pub fn pieces(self) -> Result<Pieces> {
        let Taken { encoder, layout } = self;
        encoder.guarded(|encoder| Taken { encoder, layout }.written_in_pieces())
    }

    fn written_in_pieces(self) -> Result<Pieces> {
        let size = self.encoder.shredder.size();
        // What precedes the block depends on it.
        if size <= MAX_KEPT_COLUMNS || self.encoder.messages.begins_with_block() {
            return self.written().map(Pieces::from);
        }
        let Taken { encoder, layout } = self;
        let (mut out, apart) = (Vec::new(), RefCell::default());
        let written = core::mem::take(&mut encoder.shredder).consumed(&layout, size, Some(&apart));
        let most_units = written.most_units(1);
        let (start, aligned) = encoder.messages.write_unfilled(&written, &mut out)?;
        drop(written);
        let pieces = Pieces::new(out, apart.into_inner());
        if is_enough(pieces.len(), most_units) {
            return Ok(pieces);
        }
        let mut bytes = pieces.iter().collected::<Vec<_>>().concat();
        encoder.messages.fill(&mut bytes, start, aligned, most_units, &|| layout.to_schema())?;
        Ok(Pieces::from(bytes))
    }

    /// Returns the schema inferred for the value.
    ///
    /// # Errors
    /// Limits on schemas that readers would reject, such as `limit_nesting`.
    pub fn schema(&self) -> Result<Schema> {
        self.layout.to_schema()
    }
}

/// A body, and its schema if that differs from the previous one's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The schema that the reader needs before the bytes, unless it has it already.
    pub schema: Option<Schema>,
    /// A bare body (F-12).
    pub bytes: Vec<u8>,
}

// Threads can share a pool of encoders.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Encoder>();
    is_send::<Taken<'_>>();
};

impl Encoder {
    /// Creates an encoder with profile fast, which puts the schema in each message.
    #[must_use]
    pub fn new() -> Self {
        Encoder::default()
    }

    /// Sets how hard to compress.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.messages.profile = profile;
        self
    }

    /// Sets what precedes each message's body. A bare body has no length, checksum, metadata or alignment.
    #[must_use]
    pub fn header(mut self, header: Header) -> Self {
        self.messages.header = header;
        self
    }

    /// Sets the limits. A writer uses [`Limits::output`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.messages.limits = limits;
        self
    }

    /// Sets whether each message begins with its length, so that a reader of a pipe or socket knows where it ends; see
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
        self.messages.length = length;
        self
    }

    /// Sets whether each message ends with a checksum (CRC-32C) of the bytes before it. It then also has its length. A
    /// reader checks the checksum first.
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
        self.messages.checksum = checksum;
        self
    }

    /// Sets the metadata of each message; [`Metadata::of_message`] reads it without the value.
    #[must_use]
    pub fn metadata(mut self, metadata: Metadata) -> Self {
        self.messages.metadata = metadata;
        self
    }

    /// Sets a dictionary with which small messages are compressed; a reader needs the same one. A message that is larger than
    /// 128 KiB before, aligned, or no smaller with it is written without, which readers see by its flags. Profile balanced is
    /// best for messages with a dictionary: in small, columns that are compressed by themselves have less in common with it.
    #[must_use]
    pub fn dictionary(mut self, dictionary: &Dictionary) -> Self {
        self.messages.dictionary = Some(dictionary.clone());
        self
    }

    /// Sets a store for the schemas of messages that carry only a fingerprint ([`Header::Fingerprint`]). A schema is
    /// stored before the first message that needs it is returned.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn store(mut self, store: &SchemaStore) -> Self {
        self.messages.store = Some(store.clone());
        self
    }

    /// Sets whether to sort members of sets and keys of maps without an order of their own ([`HashSet`], [`HashMap`],
    /// sets in a [`Value`](crate::Value)) as the format defines (F-75). Then equal values give equal bytes in every
    /// process, in profiles fast and balanced. Otherwise a `HashMap` is written in its own order, which differs between
    /// processes.
    ///
    /// Sorting members that are not scalars takes a few times as long, because each is encoded alone to compare it.
    ///
    /// serde does not say which collections have no order. `HashSet` and `HashMap` of std and hashbrown are recognised
    /// by name, also in references, `Box`, `Rc`, `Arc` and `Cow`, but not in types that serialize as their contents
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

    /// Sets how many threads encode the columns of a message: 1 by default, 0 for as many as the machine runs at once.
    /// The bytes are the same.
    ///
    /// It pays in profiles balanced and small, for messages of megabytes; smaller ones are encoded by the thread that
    /// calls. The encoded columns are in memory beside the columns until all are written.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// use holdall::{Encoder, Profile};
    /// let rows: Vec<(u64, String)> = (0..50_000).map(|n| (n * n, n.to_string())).collect();
    /// let alone = Encoder::new().profile(Profile::Balanced).encode(&rows)?;
    /// assert_eq!(Encoder::new().profile(Profile::Balanced).threads(0).encode(&rows)?, alone);
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.messages.threads = usable_threads(threads);
        self
    }

    /// Sets whether messages are aligned, so that large columns of numbers can be used in place.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// use holdall::{Alignment, Encoder, Value};
    /// let value = Value::list((0..512).map(|n| Value::from(f64::from(n) + 0.5)));
    /// let bytes = Encoder::new().aligned(Alignment::On).message(&mut &value)?;
    /// let columns = holdall::trace::locate_columns(&bytes)?;
    /// assert_eq!(columns[0].place.range, 64..66); // the list's length
    /// assert_eq!(columns[1].place.range, 66..4224); // encoding, padding, and from 128 on the floats
    /// assert_eq!(bytes[128..136], 0.5_f64.to_le_bytes());
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn aligned(mut self, alignment: Alignment) -> Self {
        self.messages.alignment = alignment;
        self
    }

    /// Writes one value as a complete message. Earlier values do not affect its bytes.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// let bytes = holdall::Encoder::new().message(&mut &holdall::Value::from(300))?;
    /// assert_eq!(bytes, [0xC1, 0x10, 0x03, 0x61, 0x09]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `limit_output`, `limit_sites`, `unsupported_value`, `out_of_memory`, and those of the source; `unsupported` for
    /// [`Profile::Small`] without the feature `zstd`; with a store also those of [`SchemaStore::put`].
    pub fn message(&mut self, source: &mut impl Source) -> Result<Vec<u8>> {
        self.take(source)?.write()
    }

    /// Takes the value, without writing it: the first half of [`Encoder::message`]. The source is not used afterwards,
    /// so a program can release a lock on its values before the bytes are written.
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
    /// Those of the source; `limit_sites`, `unsupported_value`, `out_of_memory`.
    pub fn take(&mut self, source: &mut impl Source) -> Result<Taken<'_>> {
        self.last = None;
        let layout = self.guarded(|encoder| encoder.shred(source))?;
        Ok(Taken { encoder: self, layout })
    }

    /// Shreds a value in the sites of the previous message if that leaves no trace in the bytes; otherwise drives the
    /// source a second time, with nothing kept.
    ///
    /// The attempt saves inference and the layout: small messages that are alike take a quarter of the instructions. Only
    /// a full drive shows whether a value is like the previous one. Pauses after failures bound the cost of unlike ones.
    fn shred(&mut self, source: &mut impl Source) -> Result<Layout> {
        let uses_dictionaries = self.messages.profile != Profile::Fast;
        self.shredder.use_dictionaries(uses_dictionaries);
        self.shredder.set_canonical(self.canonical);
        let previous = &mut self.previous;
        previous.pause = previous.pause.saturating_sub(1);
        if let Some((layout, extent)) = previous.layout.take().filter(|_| previous.pause == 0) {
            self.shredder.clear();
            let driven = source.drive(&mut self.shredder);
            if driven.is_ok() && self.shredder.extent() == extent && self.shredder.is_repeatable() {
                previous.next_pause = 0;
                return Ok(layout);
            }
            previous.next_pause = (2 * previous.next_pause).clamp(1, LONGEST_PAUSE);
            previous.pause = previous.next_pause;
        }
        self.shredder.forget();
        self.shredder.use_dictionaries(uses_dictionaries);
        self.shredder.set_canonical(self.canonical);
        source.drive(&mut self.shredder)?;
        self.shredder.layout()
    }

    /// Writes the body of one value. Uses the schema of the previous body if the value fits it, otherwise one that fits
    /// both. A body has no length, checksum, metadata or alignment.
    ///
    /// # Errors
    /// As [`Encoder::message`].
    pub fn body(&mut self, source: &mut impl Source) -> Result<Body> {
        self.guarded(|encoder| encoder.next_body(source))
    }

    fn next_body(&mut self, source: &mut impl Source) -> Result<Body> {
        self.previous.layout = None;
        match self.last {
            Some(_) => self.shredder.clear(),
            // Messages and failed values must not leave anything in the schema.
            None => self.shredder.forget(),
        }
        let last = self.last.take();
        self.shredder.set_canonical(self.canonical);
        source.drive(&mut self.shredder)?;
        let layout = self.shredder.layout()?;
        let (mut bytes, limit) = (Vec::new(), self.messages.limits.output_bytes());
        let written = self.shredder.written(&layout, self.shredder.size());
        written.write_block(&mut bytes, self.messages.settings(None)?, limit, &mut |_| {})?;
        self.messages.fill(&mut bytes, 0, false, written.most_units(1), &|| written.schema())?;
        drop(written);
        let same = matches!(&last, Some((schema, count)) if *schema == layout.schema && *count == layout.definitions);
        let schema = if same { None } else { Some(layout.to_schema()?) };
        self.last = Some((layout.schema, layout.definitions));
        Ok(Body { schema, bytes })
    }

    /// Writes a value of a Rust type as a complete message, or as a bare body (F-12).
    ///
    /// ```
    /// let mut encoder = holdall::Encoder::new().header(holdall::Header::Bare);
    /// assert_eq!(encoder.encode(&(300_u32, "hello", true))?, b"\xB1\x04\x0Ahello\x01");
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// `limit_output`, `limit_depth`, `limit_nesting`, `limit_sites`, `unsupported_value`, `out_of_memory`; `unsupported` for
    /// [`Profile::Small`] without the feature `zstd`; with a store also those of
    /// [`SchemaStore::put`](crate::SchemaStore::put).
    pub fn encode<T: Encode + ?Sized>(&mut self, value: &T) -> Result<Vec<u8>> {
        match T::DRIVE {
            Some(drive) => {
                let mut message = self.message(&mut Driven(value, drive))?;
                message.shrink_to_fit();
                Ok(message)
            }
            None => self.guarded(|encoder| encoder.typed().encode(value)),
        }
    }

    /// Like [`Encoder::encode`], but overwrites a buffer. Allocates nothing if the buffers are large enough and the
    /// type is the same as before.
    ///
    /// # Errors
    /// As [`Encoder::encode`]. The buffer is then empty.
    pub fn encode_into<T: Encode + ?Sized>(&mut self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        match T::DRIVE {
            Some(_) => *out = self.encode(value)?,
            None => {
                let done = self.guarded(|encoder| encoder.typed().encode_into(value, out));
                done.inspect_err(|_| out.clear())?;
            }
        }
        Ok(())
    }

    /// Lets bytes go that the value before shares with others ([`Shredder::tensor_of`]). The next value does so, too.
    #[doc(hidden)]
    pub fn release_shared(&mut self) {
        self.shredder.release_shared();
    }

    /// Runs a function that can be left without memory. What the encoder keeps is incomplete then, so it is dropped.
    fn guarded<T>(&mut self, run: impl FnOnce(&mut Encoder) -> Result<T>) -> Result<T> {
        let done = memory::guarded(|| run(self));
        if let Err(error) = &done
            && error.code() == Code::OutOfMemory
        {
            (self.shredder, self.typed) = (Shredder::default(), WriteMemory::default());
            (self.previous, self.last) = (KeptLayout::default(), None);
            self.message = Vec::new();
        }
        done
    }

    /// Returns the writer of Rust types.
    fn typed(&mut self) -> TypedWriter<'_> {
        let (messages, canonical) = (&self.messages, self.canonical);
        TypedWriter { messages, canonical, memory: &mut self.typed }
    }
}

/// A value of a type that emits it.
struct Driven<'v, T: ?Sized>(&'v T, fn(&T, &mut Shredder) -> Result<()>);

impl<T: ?Sized> Source for Driven<'_, T> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        self.1(self.0, shredder)
    }
}
